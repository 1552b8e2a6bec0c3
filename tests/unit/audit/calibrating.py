"""Survey inputs of many reviewed values, written by hand."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

AT = "2026-06-02T09:00:00.000Z"
BLIND = {
    "presentation": {"scoreBlind": True},
    "sampling": {"kind": "random-audit", "rate": 0.5, "seed": "q3"},
}


def offered(name: str, value: Any = None, role: str | None = "proposed") -> Json:
    """A candidate of a set; ``role`` None gives it none."""
    metadata = {} if role is None else {"metadata": {"role": role}}
    return {"id": name, "extractionId": name, "value": name if value is None else value, **metadata}


class Reviewed:
    """Collects sets with their reviews; ids count up."""

    def __init__(self) -> None:
        self.document: Json = {"reviewOutcomes": [], "candidateSets": [], "extractions": []}
        self.count = 0

    def add(
        self,
        confidence: Any = 0.95,
        picked: str | None = "new",
        *,
        candidates: list[Json] | None = None,
        status: str = "verified",
        extraction: Json | None = None,
        **outcome: Any,
    ) -> Reviewed:
        """One set of ``new`` alone, or of ``candidates``, and a review that picked one of it."""
        self.count += 1
        name = f"set-{self.count}"
        listed = []
        for one in candidates or [offered("new")]:
            ref = f"{name}.{one['id']}"
            listed.append({"confidence": confidence, **one, "extractionId": ref})
            self.document["extractions"].append(
                {"id": ref, "target": "fee", "extractor": "ext", "sourceId": f"doc-{self.count}"}
                | (extraction or {})
            )
        for one in listed:
            if one["confidence"] is None:
                del one["confidence"]
        self.document["candidateSets"].append({"id": name, "target": "fee", "candidates": listed})
        self.review(name, picked, status=status, **outcome)
        return self

    def review(
        self, set_name: str, picked: str | None = "new", status: str = "verified", **outcome: Any
    ) -> Reviewed:
        number = len(self.document["reviewOutcomes"]) + 1
        record = {
            "id": f"review-{number}",
            "candidateSetId": set_name,
            "status": status,
            "actor": "ana",
            "reviewedAt": AT,
            **({} if picked is None else {"candidateId": picked}),
            **outcome,
        }
        kept = {name: value for name, value in record.items() if value is not None}
        self.document["reviewOutcomes"].append(kept)
        return self


def many(count: int, confidence: Any = 0.95, wrong: int = 0, **members: Any) -> Reviewed:
    """So many values of one confidence, the first ``wrong`` of them rejected."""
    reviewed = Reviewed()
    for at in range(count):
        reviewed.add(confidence, status="rejected" if at < wrong else "verified", **members)
    return reviewed
