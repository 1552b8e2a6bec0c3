"""The names in a run directory, and the errors of reading one.

``run.json`` commits to everything else: to the envelope and the report by digest, to the prepared
text by its identity, to the queue by the round's binding. The event log commits to ``run.json``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from survey_fast.errors import FileError, SurveyError, refusal
from survey_fast.limits import BUNDLE, ENVELOPE, MANIFEST, PREPARED, QUEUE, Cap
from survey_fast.storage import FilePath
from survey_fast.storage.folder import Folder

__all__ = [
    "CAPS",
    "DEFAULT_ROOT",
    "ENVELOPE_FILE",
    "EVENTS_FILE",
    "FILES",
    "MANIFEST_FILE",
    "PREPARED_FILE",
    "QUEUE_FILE",
    "REPORT_FILE",
    "artifact_errors",
    "artifact_refusal",
    "artifacts_in",
    "folder_name",
    "read_file",
    "run_errors",
]

DEFAULT_ROOT: Final = ".survey-fast/runs"
MANIFEST_FILE: Final = "run.json"
ENVELOPE_FILE: Final = "extraction-envelope.json"
EVENTS_FILE: Final = "review-events.jsonl"
PREPARED_FILE: Final = "prepared.txt"
QUEUE_FILE: Final = "review-queue.json"
REPORT_FILE: Final = "extraction-report.json"
FILES: Final = MappingProxyType(
    {
        "envelope": ENVELOPE_FILE,
        "events": EVENTS_FILE,
        "prepared": PREPARED_FILE,
        "queue": QUEUE_FILE,
        "report": REPORT_FILE,
    }
)
"""The member ``files`` of a manifest; there is no other choice of names."""
CAPS: Final = MappingProxyType(
    {
        MANIFEST_FILE: MANIFEST,
        ENVELOPE_FILE: ENVELOPE,
        PREPARED_FILE: PREPARED,
        QUEUE_FILE: QUEUE,
        REPORT_FILE: BUNDLE,
    }
)


def folder_name(run_id: str) -> str:
    """The name of a run's directory."""
    return f"run-{run_id}"


def read_file(
    folder: Folder,
    name: str,
    cap: Cap | None = None,
    most: int | None = None,
    known: bytes | None = None,
) -> bytes:
    """The bytes of one artifact, ``known`` itself where they are the same.

    Raises as :func:`run_errors` names it.
    """
    with run_errors(is_artifact=True):
        return folder.read(name, cap or CAPS[name], most, known=known)


def artifact_refusal(name: str, code: str, fault: SurveyError, *, pointer: str = "") -> SurveyError:
    """What is wrong with the content of one artifact, under the code of a run.

    Args:
        name: the file, which message and ``details["path"]`` tell, as it is called in the run;
            :func:`artifacts_in` says in which.
        code: the code.
        fault: what is wrong.
        pointer: where in the artifact it is, that ``fault`` is about.
    """
    is_told = fault.details.get("path") == name
    message = fault.message if is_told else f"{name}: {fault.message}"
    place = None if fault.pointer is None else f"{pointer}{fault.pointer}"
    return refusal(code, message, place, {**fault.details, "path": name})


@contextmanager
def artifact_errors(name: str, code: str, *, pointer: str = "") -> Iterator[None]:
    """Refusals of what an artifact holds, as :func:`artifact_refusal` makes them."""
    try:
        yield
    except SurveyError as fault:
        raise artifact_refusal(name, code, fault, pointer=pointer) from None


@contextmanager
def artifacts_in(path: FilePath) -> Iterator[None]:
    """Refusals that name an artifact name the file in the run at ``path``."""
    try:
        yield
    except SurveyError as fault:
        name = fault.details.get("path")
        if isinstance(name, str) and name in CAPS:
            fault.details["path"] = str(path / name)
        raise


@contextmanager
def run_errors(*, is_artifact: bool = False) -> Iterator[None]:
    """What storage refuses, under the codes of a run.

    A directory that is missing is ``RUN_NOT_FOUND``, a missing artifact ``INVALID_RUN``.
    """
    try:
        yield
    except FileError as fault:
        code = _CODES.get(fault.code, fault.code)
        if fault.code == "file-not-found":
            code = "INVALID_RUN" if is_artifact else "RUN_NOT_FOUND"
        raise refusal(code, fault.message, None, fault.details) from None


_CODES: Final = MappingProxyType(
    {"file-refused": "RUN_PATH_REFUSED", "file-too-large": "RUN_FILE_TOO_LARGE"}
)
