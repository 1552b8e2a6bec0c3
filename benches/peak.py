"""Peak memory of one piece of work, in a process of its own.

`python -m benches.peak WORK FOLDER` does the work on the files in FOLDER, or on the run there, and
prints, as JSON, the peak of resident memory before it (the interpreter with the package loaded) and
after it, in bytes. What the work reads is part of the work.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

from benches.data import LIMITS, Inputs
from survey_fast import (
    available_artifact,
    canonical_digest,
    import_envelope,
    validate_review_queue_against_extraction_import,
)
from survey_fast.cli.sample import IMPORT_OPTIONS
from survey_fast.runs.export.export import export_run
from survey_fast.runs.opened import open_run

__all__ = ["peak_of", "store"]

ROOT = Path(__file__).parents[1]
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
LOADED = 128 * 1024 * 1024
"""More than the interpreter and the package take: a higher start belongs to another process."""


def store(folder: Path, given: Inputs) -> None:
    """The files that the work reads."""
    (folder / "envelope.json").write_bytes(given.envelope)
    (folder / "prepared.txt").write_bytes(given.prepared.encode())
    (folder / "targets.json").write_text(json.dumps(given.targets))
    (folder / "import.json").write_bytes(given.record)
    (folder / "review-queue.json").write_bytes(given.queue)


def peak_of(work: str, folder: Path) -> int:
    """Bytes by which the peak of resident memory rose over that of the loaded interpreter.

    On Linux a process starts with the peak of the one that forked it. The caller holds large
    documents, so the process that is measured is started by a small one between the two.
    """
    command = [sys.executable, "-m", "benches.peak", "--between", work, str(folder)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    measured = json.loads(done.stdout)
    assert measured["before"] < LOADED, "the peak of another process was inherited"
    return int(measured["after"] - measured["before"])


def _digest(folder: Path) -> None:
    assert len(canonical_digest((folder / "review-queue.json").read_bytes())) == 64


def _attest(folder: Path) -> None:
    queue = (folder / "review-queue.json").read_bytes()
    record = (folder / "import.json").read_bytes()
    assert validate_review_queue_against_extraction_import(queue, record, limits=LIMITS) == []


def _import(folder: Path) -> None:
    result = import_envelope(
        (folder / "envelope.json").read_bytes(),
        **IMPORT_OPTIONS,
        claim_targets=json.loads((folder / "targets.json").read_bytes()),
        artifact=available_artifact((folder / "prepared.txt").read_bytes().decode()),
        limits=LIMITS,
    )
    assert result.record_bytes == (folder / "import.json").read_bytes()


def _open(run: Path) -> None:
    assert open_run(run).outline["items"]


def _export(run: Path) -> None:
    assert export_run(run).is_whole


WORK = {
    "digest": _digest,
    "attest": _attest,
    "import": _import,
    "open a run": _open,
    "export": _export,
}


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def _main(arguments: list[str]) -> int:
    if arguments[0] == "--between":
        command = [sys.executable, "-m", "benches.peak", *arguments[1:]]
        return subprocess.run(command, check=False).returncode
    work, folder = arguments
    before = _peak()
    WORK[work](Path(folder))
    print(json.dumps({"before": before, "after": _peak()}))
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
