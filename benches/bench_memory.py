"""Peak memory of single pieces of work; the figure is in `extra_info`, the time means nothing."""

import pytest

from benches.bench_runs import stored
from benches.data import LARGE, inputs
from benches.peak import peak_of, store

peak_memory = pytest.mark.benchmark(group="peak-memory")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The documents as files."""
    folder = tmp_path_factory.mktemp("peak")
    store(folder, inputs(LARGE))
    return folder


@peak_memory
@pytest.mark.parametrize("work", ["digest", "attest", "import"])
def test_memory(benchmark, folder, work):
    """The peak over the loaded interpreter, with everything that was read."""
    peak = benchmark.pedantic(peak_of, [work, folder], rounds=1)
    queue_bytes = len(inputs(LARGE).queue)
    benchmark.extra_info.update(peak_bytes=peak, queue_bytes=queue_bytes)
    assert peak > queue_bytes


@peak_memory
@pytest.mark.parametrize("work", ["open a run", "export"])
def test_memory_of_a_run(benchmark, work):
    """The same for a run whose every item is decided."""
    run = stored(LARGE, "all")
    peak = benchmark.pedantic(peak_of, [work, run.path], rounds=1)
    benchmark.extra_info.update(peak_bytes=peak, queue_bytes=len(run.queue))
    assert peak > len(run.queue)
