"""Running the commands in this process, with a clock that stands still."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.surfaces.sessions import COMMANDS, Stored, plain_items, scored_items, write_json

from survey_fast.canon import canonical_json
from survey_fast.cli import cli
from survey_fast.cli.sample import IMPORT_OPTIONS, misquoted, sample_extraction

VECTORS = Path(__file__).parents[1] / "vectors"
MOMENT = "2026-01-31T09:00:00.000Z"

Run = Callable[..., Result]


def still_clock() -> datetime:
    return datetime(2026, 1, 31, 9, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("digest", path, input=…)`` in an empty folder; nothing but an exit may come out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*args: object, clock: Callable[[], datetime] = still_clock, **options: Any) -> Result:
        result = CliRunner().invoke(cli, [str(arg) for arg in args], obj=clock, **options)
        assert result.exception is None or isinstance(result.exception, SystemExit), result
        return result

    return run


@pytest.fixture
def run_json(run: Run) -> Callable[..., tuple[int, dict[str, Any]]]:
    """The same with ``--json``: the exit code, and the one document that standard output is."""

    def run_json(*args: object, **options: Any) -> tuple[int, dict[str, Any]]:
        result = run(*args, "--json", **options)
        assert result.stderr == ""
        assert result.stdout.endswith("\n")
        assert result.stdout.count("\n") == 1
        body = json.loads(result.stdout)
        assert body["ok"] is (result.exit_code == 0)
        if not body["ok"]:
            assert isinstance(body["error"]["code"], str)
            assert isinstance(body["error"]["message"], str)
        return result.exit_code, body

    return run_json


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """``unreadable(name)``: nobody may open what has this name, whoever runs the tests."""
    names: set[str] = set()
    opened, access = os.open, os.access

    def deny(path: Any, *arguments: Any, **options: Any) -> int:
        if Path(os.fsdecode(path)).name in names:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, *arguments, **options)

    def is_allowed(path: Any, *arguments: Any, **options: Any) -> bool:
        is_named = Path(os.fsdecode(path)).name in names
        return not is_named and access(path, *arguments, **options)

    monkeypatch.setattr(os, "open", deny)
    monkeypatch.setattr(os, "access", is_allowed)
    return names.add


@dataclass(frozen=True)
class Inputs:
    """The files of an extraction, and the arguments that import it."""

    folder: Path

    @property
    def envelope(self) -> Path:
        return self.folder / "envelope.json"

    @property
    def prepared(self) -> Path:
        return self.folder / "prepared.txt"

    @property
    def targets(self) -> Path:
        return self.folder / "targets.json"

    def arguments(self, output: Path, *, prepared: bool = True) -> list[object]:
        return [
            "import",
            self.envelope,
            *(["--prepared", self.prepared] if prepared else []),
            *["--targets", self.targets, "--source-kind", IMPORT_OPTIONS["source_kind"]],
            *["--output", output],
        ]


def write_inputs(folder: Path, envelope: bytes, prepared: str, targets: Any) -> Inputs:
    folder.mkdir()
    inputs = Inputs(folder)
    inputs.envelope.write_bytes(envelope)
    inputs.prepared.write_bytes(prepared.encode())
    inputs.targets.write_bytes(canonical_json(targets))
    return inputs


@pytest.fixture
def store(tmp_path: Path) -> Callable[..., Inputs]:
    """Envelope, prepared text and claim targets as files, in a folder of their own."""
    return lambda name, *documents: write_inputs(tmp_path / name, *documents)


VENDOR_TARGET = {
    "subjectType": "vendor",
    "subjectId": "vendor-1",
    "facet": "vendor.contract",
    "claimType": "vendor.field",
    "impactLevel": "medium",
}


@pytest.fixture
def vendor(tmp_path: Path) -> Callable[[str], Inputs]:
    """The files of one of the published envelopes."""
    texts = json.loads((VECTORS / "traverse-envelopes/prepared-texts.json").read_bytes())

    def vendor(name: str) -> Inputs:
        envelope = (VECTORS / f"traverse-envelopes/{name}.v1.json").read_bytes()
        paths = {one["fieldPath"] for one in json.loads(envelope)["result"]["proposals"]}
        targets = dict.fromkeys(sorted(paths), VENDOR_TARGET)
        return write_inputs(tmp_path / name, envelope, texts[name], targets)

    return vendor


@pytest.fixture
def generated(tmp_path: Path) -> Inputs:
    """60 items; one of 61 proposals quotes words that the text does not have."""
    envelope, prepared, targets = sample_extraction(61)
    envelope = misquoted(envelope, 50, "amendment 1.", "amendment 9.")
    return write_inputs(tmp_path / "generated", envelope, prepared, targets)


@dataclass(frozen=True)
class Round:
    """What an import wrote."""

    folder: Path

    @property
    def queue(self) -> Path:
        return self.folder / "review-queue.json"

    @property
    def record(self) -> Path:
        return self.folder / "import.json"

    @property
    def binding(self) -> Path:
        return self.folder / "binding.json"

    def attest(self) -> list[object]:
        return ["attest", self.queue, "--import", self.record, "--binding", self.binding]

    def edit(self, change: Callable[[dict[str, Any]], None]) -> None:
        snapshot = json.loads(self.queue.read_bytes())
        change(snapshot)
        self.queue.write_bytes(canonical_json(snapshot))


@pytest.fixture
def opened(run: Run, generated: Inputs, tmp_path: Path) -> Round:
    """A round over the generated extraction, which attests."""
    folder = tmp_path / "round"
    assert run(*generated.arguments(folder)).exit_code == 0
    opened = Round(folder)
    assert run(*opened.attest()).exit_code == 0
    return opened


@pytest.fixture
def session(run_json: Callable[..., Any], tmp_path: Path) -> Stored:
    """A session over five plain items, in a folder of its own."""
    (tmp_path / "s").mkdir()
    write_json(tmp_path / "items.json", plain_items())
    new = ["session", "new", "s/round.json", "--queue", "items.json"]
    assert run_json(*new, "--name", "round")[0] == 0
    return Stored(tmp_path / "s/round.json")


@pytest.fixture
def blind(run_json: Callable[..., Any], tmp_path: Path) -> Stored:
    """The same score-blind, over items that are full of scores."""
    (tmp_path / "s").mkdir()
    write_json(tmp_path / "items.json", scored_items())
    new = ["session", "new", "s/round.json", "--queue", "items.json", "--score-blind"]
    assert run_json(*new)[0] == 0
    return Stored(tmp_path / "s/round.json")


@pytest.fixture
def imported(run_json: Callable[..., Any], opened: Round, tmp_path: Path) -> Stored:
    """A session over the generated extraction, with its import record."""
    (tmp_path / "s").mkdir()
    new = ["session", "new", "s/round.json", "--queue", opened.queue, "--import", opened.record]
    assert run_json(*new)[0] == 0
    return Stored(tmp_path / "s/round.json")


@pytest.fixture
def refused(run: Run, run_json: Callable[..., Any], session: Stored) -> Callable[..., None]:
    """Every command but those of ``other`` refuses the session with ``code``."""

    def refused(code: str, **other: str) -> None:
        before = session.bytes()
        for name, arguments in COMMANDS.items():
            exit_code, body = run_json(*arguments)
            assert (name, exit_code, body["error"]["code"]) == (name, 1, other.get(name, code))
            result = run(*arguments)
            assert result.exit_code == 1
            assert "Traceback" not in result.output
            assert session.bytes() == before

    return refused


@pytest.fixture
def told(run: Run) -> Callable[..., tuple[int, Any]]:
    """``told("export", …)``: the exit code and the one JSON document, whatever the exit."""

    def told(*arguments: object) -> tuple[int, Any]:
        result = run(*arguments, "--json")
        assert result.stderr == ""
        return result.exit_code, json.loads(result.stdout)

    return told
