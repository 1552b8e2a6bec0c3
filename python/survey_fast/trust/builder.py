"""Building a survey input by hand: records one by one, or observations that expand into records.

1. A record added twice under one id is refused. An observation adds its source and its set only
   once where several observations share them, and refuses two that differ.
2. An observation ``<id>`` makes the records ``<id>.source``, ``<id>.extraction``,
   ``<id>.candidate``, ``<id>.candidates`` and ``<id>.review``, and a claim ``<id>``, unless the
   parts bring ids of their own.
3. Records keep the order in which they were added. Without escalations or interpretations the
   input has no such member. Nothing is checked but ids; projecting the input checks the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from survey_fast.errors import refusal
from survey_fast.trust.agreement import same_value

__all__ = ["RecordKind", "SurveyInputBuilder", "raw_source"]

Record: TypeAlias = Mapping[str, Any]
RecordKind: TypeAlias = Literal[
    "rawSources",
    "extractions",
    "candidateSets",
    "reviewOutcomes",
    "claims",
    "escalations",
    "interpretations",
]
_ALWAYS: Final[tuple[RecordKind, ...]] = (
    "rawSources",
    "extractions",
    "candidateSets",
    "reviewOutcomes",
    "claims",
)
_AT_NEED: Final[tuple[RecordKind, ...]] = ("escalations", "interpretations")
_SCHEMES: Final[Mapping[str, str]] = {
    "web-page": "html",
    "api-record": "structured-field",
    "manual-entry": "structured-field",
    "policy-standard": "text",
}
_STANDARD_MEMBERS: Final = ("inlineText", "standardVersion", "paragraphRef", "reference")


def raw_source(kind: str, source_ref: str, observed_at: str, **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    """A raw source with what follows from its kind.

    Args:
        kind: the kind of source.
        source_ref: where it is.
        observed_at: when it was seen.
        **members: further members under their wire names. A ``checksum`` without an algorithm is
            SHA-256; it may also be ``{algorithm?, value}``. ``reference`` is for a policy standard.

    Raises:
        ValueError: a kind that has no usual locator scheme, and none given.
    """
    scheme = members.pop("locatorScheme", None) or _SCHEMES.get(kind)
    if scheme is None:
        message = f"a source of the kind {kind} says which locator scheme it has"
        raise ValueError(message)
    record: dict[str, Any] = {
        "id": members.pop("id", f"{kind}:{source_ref}"),
        "kind": kind,
        "sourceRef": source_ref,
        "observedAt": observed_at,
        "locatorScheme": scheme,
    }
    if "checksum" in members:
        record["checksum"] = _checksum(members.pop("checksum"))
    reference = {one: members[one] for one in _STANDARD_MEMBERS if one in members}
    members.pop("reference", None)
    record.update(members)
    if kind == "policy-standard" and reference:
        record["metadata"] = {**record.get("metadata", {}), "policyStandard": reference}
    return record


def _checksum(given: str | Mapping[str, str]) -> str:
    if isinstance(given, str):
        return given if ":" in given else f"sha256:{given}"
    value = given["value"]
    return value if ":" in value else f"{given.get('algorithm', 'sha256')}:{value}"


class SurveyInputBuilder:
    """Collects the records of one input."""

    def __init__(self, *, source: str, generated_at: str) -> None:
        self._source = source
        self._generated_at = generated_at
        self._records: dict[RecordKind, dict[str, Record]] = {
            kind: {} for kind in (*_ALWAYS, *_AT_NEED)
        }

    def add(self, kind: RecordKind, record: Record) -> SurveyInputBuilder:
        """Add a record.

        Raises:
            BundleError: ``duplicate-id``.
        """
        if record["id"] in self._records[kind]:
            message = "another record of this kind has the same id"
            raise refusal("duplicate-id", message, f"/{kind}", {"id": record["id"]})
        self._records[kind][record["id"]] = record
        return self

    def share(self, kind: RecordKind, record: Record) -> SurveyInputBuilder:
        """Add a record unless it is there.

        Raises:
            ProjectionError: ``record-conflict``: one with its id says something else.
        """
        known = self._records[kind].setdefault(record["id"], record)
        if not same_value(known, record):
            message = "another record of this kind has the same id and says something else"
            raise refusal("record-conflict", message, f"/{kind}", {"id": record["id"]})
        return self

    def add_observation(self, observation: Record) -> SurveyInputBuilder:
        """Add the records of one observation (rule 2).

        Args:
            observation: ``{id, rawSource, extraction, candidate?, candidateSet?, reviewOutcome?,
                claim}``; the parts are records whose ids and references may be left out.

        Raises:
            BundleError: ``duplicate-id``.
            ProjectionError: ``record-conflict``.
        """
        parts = _Parts(observation)
        self.share("rawSources", parts.source)
        self.add("extractions", parts.extraction)
        self.share("candidateSets", parts.candidate_set([parts.candidate], parts.candidate["id"]))
        if parts.review is not None:
            self.add("reviewOutcomes", parts.reviewed(parts.set_id))
        self.add("claims", parts.claim(parts.set_id))
        return self

    def add_candidate_review(
        self, observations: Sequence[Record], *, selected_candidate_id: str | None = None
    ) -> SurveyInputBuilder:
        """Add observations of one field as the candidates of one set, which is the first's.

        Args:
            observations: at least one, of which at most one has a ``reviewOutcome``.
            selected_candidate_id: the candidate that the set selects.

        Raises:
            BundleError: ``duplicate-id``, ``unknown-reference``.
            ProjectionError: ``record-conflict``, ``selection-mismatch`` (a review without a
                selected candidate, or of another one).
            ValueError: no observation.
        """
        if not observations:
            message = "a candidate review has at least one observation"
            raise ValueError(message)
        listed = [_Parts(one) for one in observations]
        candidates = {parts.candidate["id"]: parts for parts in listed}
        if len(candidates) < len(listed):
            message = "two candidates have one id"
            raise refusal("duplicate-id", message, "/candidateSets")
        if selected_candidate_id is not None and selected_candidate_id not in candidates:
            message = "the selected candidate is none of the observations"
            raise refusal("unknown-reference", message, "/candidateSets")
        reviewed = [name for name, parts in candidates.items() if parts.review is not None]
        if reviewed and reviewed != [selected_candidate_id]:
            message = "a review is about the selected candidate"
            raise refusal("selection-mismatch", message, "/reviewOutcomes")
        first = listed[0]
        for parts in listed:
            self.share("rawSources", parts.source)
            self.add("extractions", parts.extraction)
        holder = candidates[selected_candidate_id] if selected_candidate_id else first
        record = holder.candidate_set([one.candidate for one in listed], selected_candidate_id)
        record["id"] = first.set_id
        self.share("candidateSets", record)
        for parts in listed:
            if parts.review is not None:
                self.add("reviewOutcomes", parts.reviewed(first.set_id))
        self.add("claims", first.claim(first.set_id))
        return self

    def build(self) -> dict[str, Any]:
        """The input so far, as plain data."""
        document: dict[str, Any] = {
            "contractVersion": "1",
            "source": self._source,
            "generatedAt": self._generated_at,
        }
        for kind, records in self._records.items():
            if records or kind in _ALWAYS:
                document[kind] = list(records.values())
        return document


class _Parts:
    """The records of one observation, with the ids that it left out."""

    def __init__(self, observation: Record) -> None:
        name = observation["id"]
        self._name = name
        self._observation = observation
        self.source: Record = {"id": f"{name}.source", **observation["rawSource"]}
        self.extraction: Record = {
            "id": f"{name}.extraction",
            "sourceId": self.source["id"],
            **observation["extraction"],
        }
        self.candidate: Record = {
            "id": f"{name}.candidate",
            "extractionId": self.extraction["id"],
            "value": self._value(),
            **observation.get("candidate", {}),
        }
        self.review: Record | None = observation.get("reviewOutcome")
        self.set_id: str = observation.get("candidateSet", {}).get("id", f"{name}.candidates")

    def _value(self) -> Any:  # noqa: ANN401 - a JSON value
        claim = self._observation["claim"]
        return claim["value"] if "value" in claim else self.extraction["value"]

    def candidate_set(self, candidates: list[Record], selected_id: str | None) -> dict[str, Any]:
        is_open = self.review is None or self.review["status"] == "proposed"
        record: dict[str, Any] = {
            "id": self.set_id,
            "target": self.extraction["target"],
            "candidates": candidates,
            "status": "needs-review" if is_open else "resolved",
        }
        if selected_id is not None:
            record["selectedCandidateId"] = selected_id
        return {**record, **self._observation.get("candidateSet", {})}

    def reviewed(self, set_id: str) -> Record:
        return {
            "id": f"{self._name}.review",
            "candidateSetId": set_id,
            "candidateId": self.candidate["id"],
            **(self.review or {}),
        }

    def claim(self, set_id: str) -> Record:
        return {"id": self._name, "candidateSetId": set_id, **self._observation["claim"]}
