"""What ``calibrate`` reads: which kind of document a path leads to, and the labels in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from survey_fast.audit.calibration import Labels, labels_of_session, labels_of_survey_input
from survey_fast.canon import sha256_hex
from survey_fast.cli.command import capped
from survey_fast.cli.reading import STDIN, Source, concerning, read_input, strict_json
from survey_fast.cli.run_roots import holding
from survey_fast.cli.session.stored import loaded
from survey_fast.errors import refusal
from survey_fast.limits import BUNDLE, ImportLimits
from survey_fast.runs.labels import labels_of_run
from survey_fast.runs.layout import MANIFEST_FILE
from survey_fast.runs.opened import open_run
from survey_fast.storage import COMMAND_WAIT
from survey_fast.trust.labels import labels_of_bundle

__all__ = ["Read", "is_folder", "labels_in"]

_KINDS: Final = "name a run, a session, a survey input or a trust bundle"
_REVIEWED: Final = frozenset({"reviewOutcomes", "candidateSets"})


class Read:
    """An input that was read.

    Attributes:
        name: as it was given.
        digest: of its bytes and, where it has one, its log; the same for the same input.
        labels: the labels in it.
    """

    def __init__(self, name: str, digest: str, labels: Labels) -> None:
        self.name = name
        self.digest = digest
        self.labels = labels


def labels_in(path: Path, *, max_bytes: int | None = None) -> Read:
    """The labels that a path leads to.

    Raises:
        FileError, JsonError: it cannot be read.
        AuditError: ``calibration-input-invalid``: it is none of the kinds that are read.
        SurveyError: as the reader of its kind refuses.
    """
    if is_folder(path):
        return _run(path)
    source = read_input(path, BUNDLE, capped(BUNDLE, max_bytes))
    document = strict_json(source)
    with concerning(source):
        if not isinstance(document, dict):
            raise _unknown()
        if "session" in document and "snapshot" in document:
            return _session(path, source, max_bytes)
        return Read(source.name, sha256_hex(source.raw), _labels(document))


def is_folder(path: Path) -> bool:
    """Whether an input is a folder; one that cannot be looked at is for its reader to refuse."""
    return str(path) != STDIN and _is(path, Path.is_dir)


def _is(path: Path, test: Callable[[Path], bool]) -> bool:
    with suppress(OSError):
        return test(path)
    return False


def _unknown() -> Exception:
    message = (
        "this is no run, session, survey input or trust bundle, which is what labels are read from"
    )
    return refusal("calibration-input-invalid", message, "")


def _labels(document: Mapping[str, Any]) -> Labels:
    """Labels of a survey input or a bundle, bare or inside the document that carries it."""
    survey = document.get("surveyInput", document)
    if isinstance(survey, dict) and survey.keys() >= _REVIEWED:
        return labels_of_survey_input(survey)
    bundle = document.get("bundle", document)
    if isinstance(bundle, dict) and "schemaVersion" in bundle and "claims" in bundle:
        return labels_of_bundle(bundle)
    raise _unknown()


def _session(path: Path, source: Source, max_bytes: int | None) -> Read:
    if str(path) == STDIN:
        message = "a session is a file with a log beside it; name the file"
        raise refusal("calibration-input-invalid", message, "")
    document = loaded(path, ImportLimits(queue_bytes=max_bytes))
    digest = sha256_hex(source.raw + document.revision.encode())
    return Read(source.name, digest, labels_of_session(document))


def _run(path: Path) -> Read:
    if not _is(path / MANIFEST_FILE, Path.exists):
        held = holding(path)
        meant = f"{held}; name them, as in {path}/run-*" if held else _KINDS
        message = f"this folder is no run; {meant}"
        raise refusal("calibration-input-invalid", message, None, {"path": str(path)})
    with concerning(Source(str(path), b"")):
        run = open_run(path, wait=COMMAND_WAIT)
        return Read(str(path), sha256_hex(run.revision.encode()), labels_of_run(run))
