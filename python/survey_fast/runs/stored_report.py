"""The extraction report of a run, read back: closed, and about exactly what it lies beside.

1. It is what :mod:`survey_fast.extraction.report` writes: every member of its type, no other. A
   reader of it need not ask again.
2. It names the envelope, the extraction and the text of its run, and the proposals there are.
3. An empty object stands where a run was made without one. It says nothing, and is about any run.
4. A run that was taken over has one of what its envelope tells, made when it was taken over. Where
   that never bound its envelope there is none, and none is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import is_hex
from survey_fast.errors import refusal
from survey_fast.extraction.report import FORMAT
from survey_fast.limits import BUNDLE
from survey_fast.runs.envelope_facts import EnvelopeFacts
from survey_fast.runs.layout import REPORT_FILE, artifact_errors
from survey_fast.trust.rules import STRING, TEXT, Rule, arrays, closed, fault, leaf, words

__all__ = ["NO_REPORT", "check_report", "read_report"]

NO_REPORT: Final[Mapping[str, Any]] = MappingProxyType({})
"""The report of a run that was made without one."""
_CODE: Final = "RUN_EXTRACTION_MISMATCH"


def _told(message: str, holds: Callable[[Any], bool]) -> Rule:
    return leaf(_CODE, message, holds)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _whole(*members: str) -> Rule:
    """An object of counts, all of them there."""
    return closed(dict.fromkeys(members, _COUNT), members)


_COUNT: Final = _told("a whole number of 0 or more belongs here", _is_count)
_PLACE: Final = _told(
    "a whole number of 1 or more belongs here", lambda value: _is_count(value) and value > 0
)
_MAYBE_COUNT: Final = _told(
    "a whole number of 0 or more belongs here, or null",
    lambda value: value is None or _is_count(value),
)
_PRUNED: Final = _whole("elements", "chars")
_MEMBERS: Final[Mapping[str, Rule]] = {
    "format": words(FORMAT),
    "schemaVersion": _told("1 belongs here", lambda value: type(value) is int and value == 1),
    "runId": TEXT,
    "envelopeDigest": _told(
        "64 hexadecimal digits belong here",
        lambda value: isinstance(value, str) and is_hex(value, 64),
    ),
    "preparedLength": _MAYBE_COUNT,
    "truncatedAt": _MAYBE_COUNT,
    "prunedText": _told(
        "counts of elements and chars belong here, or null",
        lambda value: value is None or _PRUNED.holds(value),
    ),
    "dropped": arrays(
        closed(
            {
                "reason": TEXT,
                "fieldPath": _told(
                    "a path belongs here, or null",
                    lambda value: value is None or isinstance(value, str),
                ),
                "chunk": _PLACE,
                "count": _PLACE,
            },
            ("reason", "fieldPath", "chunk", "count"),
        )
    ),
    "duplicates": _COUNT,
    "malformedToolItems": _COUNT,
    "identities": arrays(
        closed(
            {"proposalIndex": _COUNT, "slotId": TEXT, "versionId": TEXT},
            ("proposalIndex", "slotId", "versionId"),
        )
    ),
}
_REPORT: Final = closed(
    {
        **_MEMBERS,
        "notFound": arrays(STRING),
        "cueOffsets": arrays(_whole("start", "end", "cueStart", "cueEnd")),
    },
    tuple(_MEMBERS),
)


def read_report(report: bytes) -> Mapping[str, Any]:
    """A report as plain data, of which nothing but its form is known.

    Args:
        report: the artifact, as stored.

    Raises:
        RunConflictError: ``RUN_EXTRACTION_MISMATCH`` with a pointer.
    """
    with artifact_errors(REPORT_FILE, _CODE):
        return _read(canonical_json(report, max_bytes=BUNDLE.ceiling))


def _read(text: bytes) -> Mapping[str, Any]:
    document: Any = plain_data(text)
    if document == NO_REPORT:
        return NO_REPORT
    if not _REPORT.holds(document):
        raise fault(_REPORT, document, "")
    told: Mapping[str, Any] = document
    return told


def check_report(report: bytes, envelope: EnvelopeFacts, *, digest: str, length: int) -> None:
    """Refuse a report that is none, or is about another extraction.

    Args:
        report: the artifact, as stored, which is known to be JSON: its digest was taken.
        envelope: what the envelope tells.
        digest: the digest of the envelope.
        length: UTF-16 code units of the prepared text.

    Raises: as :func:`read_report`.
    """
    with artifact_errors(REPORT_FILE, _CODE):
        told = _read(report)
        if not told:
            return
        expected = {"envelopeDigest": digest, "runId": envelope.run_id, "preparedLength": length}
        for member, value in expected.items():
            if told[member] != value:
                message = f"it is about another extraction, by its {member}"
                raise refusal(_CODE, message, f"/{member}")
        count = envelope.proposals
        for at, one in enumerate(told["identities"]):
            if one["proposalIndex"] >= count:
                message = f"it tells of a proposal that is not among the {count}"
                raise refusal(_CODE, message, f"/identities/{at}/proposalIndex")
