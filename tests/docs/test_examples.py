"""The examples run as they stand."""

import runpy
from pathlib import Path

import pytest
from tests.unit.imports.samples import run, vendor

import survey_fast as sf

EXAMPLE = Path(__file__).parents[2] / "examples" / "attest_in_ci.py"


@pytest.fixture
def folder(tmp_path):
    text = "Fee: 48000 per year. Summary Fee: 48000. Amended Fee: 52000."
    result = run(vendor(), artifact=sf.available_artifact(text))
    queue = sf.open_review_queue(result, reviewed_at="2026-01-01T00:00:00.000Z", actor_id="ana")
    binding = sf.bind_review_queue(queue, session_name="round", bound_at="2026-01-01")
    (tmp_path / "import.json").write_bytes(result.record_bytes)
    (tmp_path / "review-queue.json").write_bytes(sf.canonical_json(queue))
    (tmp_path / "binding.json").write_bytes(sf.canonical_json(binding))
    return tmp_path


def test_attesting_in_a_build(folder, capsys):
    main = runpy.run_path(str(EXAMPLE))["main"]
    assert main([str(folder)]) == 0
    queue = folder / "review-queue.json"
    queue.write_bytes(queue.read_bytes().replace(b"52000", b"52001"))
    assert main([str(folder)]) == 1
    told = capsys.readouterr().out
    assert "snapshot-hash-mismatch" in told
    assert "item-diverges-from-extraction" in told
    queue.unlink()
    assert main([str(folder)]) == 1
