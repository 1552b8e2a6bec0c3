"""The names in a run directory, and the errors of reading one.

``run.json`` commits to everything else: to the envelope and the report by digest, to the prepared
text by its identity, to the queue by the round's binding. The event log commits to ``run.json``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from survey_fast.errors import FileError, refusal
from survey_fast.limits import BUNDLE, ENVELOPE, PREPARED, QUEUE, Cap
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
        MANIFEST_FILE: ENVELOPE,
        ENVELOPE_FILE: ENVELOPE,
        PREPARED_FILE: PREPARED,
        QUEUE_FILE: QUEUE,
        REPORT_FILE: BUNDLE,
    }
)


def folder_name(run_id: str) -> str:
    """The name of a run's directory."""
    return f"run-{run_id}"


def read_file(folder: Folder, name: str, cap: Cap | None = None, most: int | None = None) -> bytes:
    """The bytes of one artifact; raises as :func:`run_errors` names it."""
    with run_errors(is_artifact=True):
        return folder.read(name, cap or CAPS[name], most)


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
