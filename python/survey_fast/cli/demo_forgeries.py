"""Five forgeries of a run, each on a copy of its directory, and what verifying says.

A forger who knows the format brings digests, binding and log up to date as far as the story says.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from survey_fast.canon import canonical_digest, canonical_json, sha256_hex
from survey_fast.cli.demo_loop import FEE, Loop
from survey_fast.cli.output import Output
from survey_fast.cli.sample import misquoted
from survey_fast.errors import SurveyError
from survey_fast.runs.layout import ENVELOPE_FILE, EVENTS_FILE, MANIFEST_FILE, QUEUE_FILE
from survey_fast.runs.verify import verify_run
from survey_fast.storage.chain import empty_view, extended

__all__ = ["Forgery", "run_forgeries", "tell_forgeries"]


@dataclass(frozen=True, slots=True)
class Forgery:
    """One forgery: what was done, and the code that verifying refused it with."""

    name: str
    title: str
    code: str | None

    @property
    def is_refused(self) -> bool:
        """Whether verifying saw it."""
        return self.code is not None

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {"tamper": self.name, "refused": self.is_refused, "code": self.code}


@dataclass(frozen=True, slots=True)
class Forger:
    """Something done to the files of a run."""

    name: str
    title: str
    forge: Callable[[Path], None]


def run_forgeries(loop: Loop, folder: Path) -> list[Forgery]:
    """Commit all five on copies below ``folder``; the run itself stays as it is."""
    return [_commit(one, loop, folder / one.name) for one in _FORGERS]


def _commit(forger: Forger, loop: Loop, folder: Path) -> Forgery:
    copy = folder / loop.path.name
    shutil.copytree(loop.path, copy)
    forger.forge(copy)
    try:
        verify_run(copy, expect=loop.verified.run.revision)
    except SurveyError as refused:
        return Forgery(forger.name, forger.title, refused.code)
    return Forgery(forger.name, forger.title, None)


def _edit_value(path: Path) -> None:
    _replace(path / QUEUE_FILE, b"52500", b"25500")


def _edit_quotation(path: Path) -> None:
    envelope = (path / ENVELOPE_FILE).read_bytes()
    proposals = json.loads(envelope)["result"]["proposals"]
    values = [one["candidateValue"] for one in proposals]
    forged = misquoted(envelope, values.index(52500), "52500", "25500", 25500)
    (path / ENVELOPE_FILE).write_bytes(forged)


def _edit_note(path: Path) -> None:
    _replace(path / EVENTS_FILE, b"has not said", b"has now said")


def _drop_rival(path: Path) -> None:
    """The passed over fee goes; digest, binding and the whole log are made anew around it."""
    queue = json.loads((path / QUEUE_FILE).read_bytes())
    (item,) = [one for one in queue["items"] if one["spec"]["target"] == FEE]
    del item["spec"]["candidates"][0]
    manifest = json.loads((path / MANIFEST_FILE).read_bytes())
    digest = canonical_digest(queue)
    manifest["round"]["snapshotHash"] = digest
    manifest["round"]["binding"]["spec"]["snapshotHash"] = digest
    root = canonical_json(manifest) + b"\n"
    lines = (path / EVENTS_FILE).read_bytes().splitlines()
    events = [json.loads(line)["event"] for line in lines]
    (path / QUEUE_FILE).write_bytes(canonical_json(queue) + b"\n")
    (path / MANIFEST_FILE).write_bytes(root)
    (path / EVENTS_FILE).write_bytes(extended(empty_view(sha256_hex(root)), events).text)


def _cut_log(path: Path) -> None:
    """Whole appends go from the end, which leaves a sound log that is shorter."""
    lines = (path / EVENTS_FILE).read_bytes().splitlines(keepends=True)
    ends = [place for place, line in enumerate(lines, 1) if json.loads(line)["remaining"] == 0]
    (path / EVENTS_FILE).write_bytes(b"".join(lines[: ends[-2]]))


def _replace(path: Path, words: bytes, instead: bytes) -> None:
    path.write_bytes(path.read_bytes().replace(words, instead))


_FORGERS: Final = (
    Forger("value-edited", "the chosen value is edited in the queue", _edit_value),
    Forger("quotation-edited", "value and quotation are edited in the envelope", _edit_quotation),
    Forger("note-edited", "the reviewer's reason is edited in the log", _edit_note),
    Forger(
        "rival-dropped", "the passed over fee is taken out, digests and log redone", _drop_rival
    ),
    Forger("log-cut", "the last decision is cut off the log", _cut_log),
)


def tell_forgeries(output: Output, forgeries: list[Forgery], loop: Loop) -> None:
    """What verifying says, of the run and of every forgery."""
    output.line()
    output.line("3. Verify: was anything changed since?", "heading")
    output.line()
    count, _, head = loop.verified.run.revision.partition(":")
    output.paragraph(
        "Verifying reads every file again and derives everything anew. One short text stands for "
        "the whole history; keep it elsewhere, and nothing can be cut off unnoticed:"
    )
    output.line()
    output.line(f"    verified at {count}:{head}", "good")
    output.line()
    output.paragraph("The same run, tampered with in five ways, each on a copy of its own:")
    output.line()
    rows = [(one.title, f"refused  {one.code}" if one.code else "NOT NOTICED") for one in forgeries]
    output.table(("tampering", "verify"), rows)
