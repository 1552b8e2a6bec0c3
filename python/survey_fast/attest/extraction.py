"""Queue against import: is a stored queue the set of items its extraction derives?

1. The record is validated as at its import.
2. No item of the queue and no candidate of an item is named twice.
3. The import is grounded and the queue is not empty.
4. Both sides hold the same names, and every item is the derived one to the byte of its
   canonical text. A check that walks only what is present cannot see what was removed.

Of a random-audit snapshot the attesting set is what the declared rate and seed draw from the
derived items. The comparison attests the queue to the record, not the record: whoever rewrites
both together passes, and storing the record safely is what prevents that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from survey_fast import _core, limits
from survey_fast.attest.issue import Issue, issues_json, sentence
from survey_fast.canon import Document, reading
from survey_fast.errors import UnattestedExtractionQueueError, refusal
from survey_fast.imports import ImportResult, RecordDocument, reading_record
from survey_fast.limits import ImportLimits, resolved

__all__ = [
    "Attestation",
    "AttestationState",
    "QueueDocument",
    "assert_review_queue_against_extraction_import",
    "attest_review_queue_extraction",
    "carries_import",
    "unrecorded_attestation",
    "validate_review_queue_against_extraction_import",
]

QueueDocument: TypeAlias = "Document | ImportResult"
"""An items array or a snapshot, or the result of an import, of which the items count."""

PRODUCER_KEY: Final = "survey.kontourai.io/extraction-envelope"
"""Where items and candidates keep what the import knows about them."""

_CAPS: Final = frozenset({"import-too-large", "json-size"})
"""Refusals that say nothing about the record but that a cap is lower than it."""
_TOLD: Final = 5
"""Issues that a message spells out."""

Provenance: TypeAlias = Literal["verified", "unverified"]
AttestationState: TypeAlias = Literal["attested", "diverges", "unverified", "not-extraction"]


@dataclass(frozen=True, slots=True)
class Attestation:
    """What can be said about a queue and its extraction.

    Attributes:
        state: ``attested``: the queue is what its import derives. ``diverges``: it is not.
            ``unverified``: items say they come from an import, and none is stored.
            ``not-extraction``: nothing says so.
        issues: what diverges.
        message: a sentence for a person; empty when a whole queue is attested.
        profile: the order of member names under which the whole queue matched.
        provenance: of an attested queue, whether its import looked every excerpt up in the
            prepared text (``verified``) or had no text to look in (``unverified``).
        drawn: of a queue that declares a random audit, how many of how many derived items its own
            rate and seed draw. Nothing attests the rest, and whoever writes the snapshot chooses
            rate and seed: compare them with what was ordered, or check the binding.
    """

    state: AttestationState
    issues: tuple[Issue, ...] = ()
    message: str = ""
    profile: str | None = None
    provenance: Provenance | None = None
    drawn: tuple[int, int] | None = None


def validate_review_queue_against_extraction_import(
    items: QueueDocument, record: RecordDocument, *, limits: ImportLimits = limits.DEFAULT
) -> list[Issue]:
    """Everything in which a queue differs from what its import derives; empty when attested.

    Raises:
        SurveyError: the record does not validate, or the queue cannot be read as one.
    """
    found = _compare(items, record, limits)
    if found.refused is not None:
        raise refusal(found.refused, found.issues[0].message, found.issues[0].pointer)
    return found.issues


def assert_review_queue_against_extraction_import(
    items: QueueDocument, record: RecordDocument, *, limits: ImportLimits = limits.DEFAULT
) -> None:
    """Raise UnattestedExtractionQueueError unless the queue is what the import derives."""
    issues = validate_review_queue_against_extraction_import(items, record, limits=limits)
    if issues:
        raise UnattestedExtractionQueueError.from_issues(issues_json(issues))


def attest_review_queue_extraction(
    items: QueueDocument,
    record: RecordDocument | None = None,
    *,
    limits: ImportLimits = limits.DEFAULT,
) -> Attestation:
    """The state of a queue towards its extraction import.

    A record that does not validate gives ``diverges`` with the issue ``import-invalid``; a
    queue that cannot be read raises, and so does a document over its cap.
    """
    if record is not None:
        found = _compare(items, record, limits)
        issues = found.issues
        if found.refused in _CAPS:
            raise refusal(found.refused, issues[0].message, issues[0].pointer)
        if not issues:
            provenance: Provenance = "verified" if found.verified else "unverified"
            message = "" if found.drawn is None else _sampled(*found.drawn)
            return Attestation(
                "attested",
                message=message,
                profile=found.profile,
                provenance=provenance,
                drawn=found.drawn,
            )
        told = "; ".join(issue.message for issue in issues[:_TOLD])
        more = f" (and {len(issues) - _TOLD} more)" if len(issues) > _TOLD else ""
        # Without a verdict nothing is said about a match.
        undecided = issues[0].code == "digest-not-portable"
        opening = "" if undecided else "this queue does not match the import stored with it: "
        return Attestation("diverges", tuple(issues), f"{opening}{told}{more}")
    with _reading_queue(items) as queue:
        _, names, _, imported = _core.queue_outline(queue, "jcs", resolved(limits))
    return unrecorded_attestation(imported, len(names))


def unrecorded_attestation(imported: int, total: int) -> Attestation:
    """The state of a queue without a record, of whose ``total`` items so many are ``imported``."""
    if not imported:
        return Attestation("not-extraction")
    message = (
        f"{imported} of {total} items come from an extraction import, and no import record "
        "is stored with the queue, so nothing shows what was removed from it"
    )
    return Attestation("unverified", message=message)


def carries_import(item: Mapping[str, Any]) -> bool:
    """Whether an item or one of its candidates carries the binding an import writes."""
    holders = (item["metadata"], *item["spec"]["candidates"])
    return any(PRODUCER_KEY in holder.get("producer", ()) for holder in holders)


@contextmanager
def _reading_queue(items: QueueDocument) -> Iterator[bytes]:
    if isinstance(items, ImportResult):
        yield items.items_bytes
    else:
        with reading(items) as raw:
            yield raw


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What the core found; ``refused`` is the code under which it refused the record."""

    issues: list[Issue]
    profile: str | None
    refused: str | None
    verified: bool
    drawn: tuple[int, int] | None


def _compare(items: QueueDocument, record: RecordDocument, caps: ImportLimits) -> _Comparison:
    with _reading_queue(items) as queue, reading_record(record) as raw:
        facts, profile, refused, verified, drawn = _core.compare_queue(queue, raw, resolved(caps))
    issues = [
        Issue(code, detail if refused else _told(code, item, detail, pointer), item, pointer)
        for code, item, detail, pointer in facts
    ]
    return _Comparison(issues, profile, refused, verified, drawn)


def _sampled(drawn: int, derived: int) -> str:
    return (
        f"this is a random audit: its own rate and seed draw {drawn} of the {derived} items that "
        "the import derives, and the others are not in it"
    )


def _told(code: str, item: str | None, detail: str, pointer: str | None) -> str:
    where = f"; they first differ at {pointer}" if pointer else ""
    return sentence(code, item, detail) + where
