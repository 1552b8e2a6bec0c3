"""Import records that ride on evidence, and finding them again.

1. One record serves all items that refer to it; the first of them carries it.
2. A record is known by its digest alone. One item with a record that is not the one it names makes
   that digest unusable for every item: nobody can say any more which record was meant.
3. Each record is hashed once, and read once when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from survey_fast.canon.arguments import sequence_argument
from survey_fast.errors import SurveyError, refusal
from survey_fast.trust.evidence.profiles import CHOICE, REFERENCE
from survey_fast.trust.evidence.record import RecordContext, read_record, record_digest
from survey_fast.trust.evidence.shape import is_digest

__all__ = [
    "RecordResolver",
    "attach_import_records",
    "missing_import_records",
    "referenced_digest",
    "reviewed_part",
    "sidecar_mismatch",
]


def reviewed_part(evidence: object) -> dict[str, Any] | None:
    """The ``reviewedExtraction`` object of an item of evidence, if it has one."""
    metadata = evidence.get("metadata") if isinstance(evidence, dict) else None
    part = metadata.get("reviewedExtraction") if isinstance(metadata, dict) else None
    return part if isinstance(part, dict) else None


def sidecar_mismatch(digest: str, pointer: str) -> SurveyError:
    """The refusal of a record that is not the one named."""
    message = "the import record that rides on the evidence is not the one its digest names"
    return refusal("sidecar-mismatch", message, pointer, {"importRecordDigest": digest})


class RecordResolver:
    """Import records by digest: those a host holds, and those that ride on evidence.

    Calling it with a digest gives the record that was read, or None. It raises EvidenceError
    (``sidecar-mismatch``) for a digest under rule 2, and the refusal of a record that cannot be
    read.
    """

    def __init__(self, contexts: Iterable[RecordContext] = ()) -> None:
        self._contexts = {context.digest: context for context in contexts}
        self._unread: dict[str, dict[str, Any]] = {}
        self._poisoned: set[str] = set()

    @classmethod
    def of_evidence(cls, evidence: object) -> Self:
        """The records that ride on the items of a bundle's evidence, of any shape."""
        resolver = cls()
        for one in sequence_argument("evidence", evidence):
            resolver.collect(one)
        return resolver

    def copy(self) -> RecordResolver:
        """A resolver of what this one holds; what it collects leaves this one as it is."""
        other = RecordResolver(self._contexts.values())
        other._unread.update(self._unread)
        other._poisoned.update(self._poisoned)
        return other

    def collect(self, evidence: object) -> str | None:
        """Take the record that rides on an item, if one does.

        Returns:
            The digest that the item names, where the record that rides on it has another (rule 2).
        """
        part = reviewed_part(evidence)
        digest = None if part is None else referenced_digest(part)
        if part is None or digest is None or "importRecord" not in part:
            return None
        record = part["importRecord"]
        if not isinstance(record, dict) or _digest_or_none(record) != digest:
            self._poisoned.add(digest)
            return digest
        self._unread.setdefault(digest, record)
        return None

    def holds(self, digest: str) -> bool:
        """Whether a record of that digest is at hand, and no other claims to be it."""
        known = digest in self._contexts or digest in self._unread
        return known and digest not in self._poisoned

    def __call__(self, digest: str) -> RecordContext | None:
        """The record of a digest, or None where nobody has it."""
        if digest in self._poisoned:
            raise sidecar_mismatch(digest, "")
        if digest not in self._contexts and digest in self._unread:
            self._contexts[digest] = read_record(self._unread[digest])
        return self._contexts.get(digest)


def referenced_digest(part: Mapping[str, Any]) -> str | None:
    """The digest of the record that an item refers to, if it refers to one."""
    if part.get("profile") not in (REFERENCE, CHOICE):  # a profile of any shape is compared
        return None
    evidence_input = part.get("input")
    digest = evidence_input.get("importRecordDigest") if isinstance(evidence_input, dict) else None
    return digest if isinstance(digest, str) and is_digest(digest) else None


def _digest_or_none(record: dict[str, Any]) -> str | None:
    try:
        return record_digest(record)
    except SurveyError:
        return None


def attach_import_records(
    evidence: Sequence[dict[str, Any]], contexts: Iterable[RecordContext]
) -> list[dict[str, Any]]:
    """The items with one record each on the first that refers to it, where none rides yet.

    Nothing that is handed in is changed. Records that no item refers to are left out.
    """
    known = {context.digest: context for context in contexts}
    carried = {
        digest
        for part in map(reviewed_part, evidence)
        if part is not None and "importRecord" in part
        if (digest := referenced_digest(part)) is not None
    }
    attached = []
    for one in evidence:
        part = reviewed_part(one)
        digest = None if part is None else referenced_digest(part)
        if part is not None and digest in known and digest not in carried:
            carried.add(digest)
            part = {**part, "importRecord": known[digest].copy()}
            attached.append({**one, "metadata": {**one["metadata"], "reviewedExtraction": part}})
        else:
            attached.append(one)
    return attached


def missing_import_records(evidence: object) -> list[str]:
    """Digests that items refer to and that no consistent record rides for; in order, each once."""
    resolver = RecordResolver()
    wanted: dict[str, None] = {}
    for one in sequence_argument("evidence", evidence):
        resolver.collect(one)
        part = reviewed_part(one)
        digest = None if part is None else referenced_digest(part)
        if digest is not None:
            wanted[digest] = None
    return [digest for digest in wanted if not resolver.holds(digest)]
