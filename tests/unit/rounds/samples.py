"""Fields to read, items to decide and rounds to split, each small and easily changed."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pytest
from tests.reference.samples import VENDOR, VENDOR_TARGET
from tests.unit.imports.samples import envelope, proposal

from survey_fast import (
    ImportResult,
    available_artifact,
    build_candidate_verification,
    import_envelope,
)
from survey_fast.errors import SurveyError
from survey_fast.rounds import derive_field_states

Json = dict[str, Any]

TEXT = "Fee 48000 or 52000, again 48000. Site: north."
AT = "2026-10-01T09:00:00.000Z"
PARTIAL = {
    "outcome": {"status": "partial", "reason": "max-chunks"},
    "partial": {"reason": "max-chunks", "completedChunks": 1, "remainingChunks": 1},
}
FEE = {**VENDOR_TARGET, "fieldOrBehavior": "fee"}
KINDS = {
    "accept": {"status": "verified"},
    "assume": {"status": "assumed"},
    "hold": {"status": "verified", "resolution": "held"},
    "reject": {"status": "rejected"},
    "leave": {"status": "proposed"},
    "could-not-confirm": {
        "status": "proposed",
        "resolution": "could_not_confirm",
        "resolutionReason": "no answer",
    },
}
"""What a decision says, by a word for it."""


def refused(action: Any, *arguments: Any, **options: Any) -> tuple[str, str | None]:
    """Code and pointer of the refusal that the call ends in."""
    with pytest.raises(SurveyError) as caught:
        action(*arguments, **options)
    return caught.value.code, caught.value.pointer


# Imports


def fee(value: Any = 48000, nth: int = 0, **members: Any) -> Json:
    return proposal("fee", value, TEXT, str(value), nth, **members)


def misquoted(field: str, excerpt: str = "north") -> Json:
    """A proposal whose excerpt is not at its span, so that the import leaves it out."""
    one = proposal(field, excerpt, TEXT, excerpt)
    one["provenance"]["excerpt"] = "x" * len(excerpt)
    return one


def imported(*proposals: Json, **members: Any) -> ImportResult:
    """Import with the text at hand; ``members`` go into the extraction's result."""
    document = envelope(TEXT, *proposals, **members)
    targets = {one["fieldPath"]: VENDOR_TARGET for one in proposals}
    return import_envelope(
        document, claim_targets=targets, artifact=available_artifact(TEXT), **VENDOR
    )


def slot(field: str, **members: Any) -> Json:
    """The slot that a field of these imports belongs to."""
    names = ("subjectType", "subjectId", "facet", "claimType")
    target = {name: VENDOR_TARGET[name] for name in names}
    return {**target, "fieldOrBehavior": field, **members}


def states(*imports: Any, **records: Any) -> list[Json]:
    """Field states as plain data; an import alone expects no field."""
    pairs = [one if isinstance(one, tuple | dict) else (one, ()) for one in imports]
    return [state.to_json() for state in derive_field_states(pairs, **records)]


def told(state: Json) -> tuple[str, str | None, str | None, Json]:
    """Field, content, lifecycle and signals of a state."""
    field = state["slot"]["fieldOrBehavior"]
    return field, state.get("content"), state.get("lifecycle"), state["signals"]


# Decisions


def decision(item: Json, kind: str = "accept", *, candidate: int | None = 0, **spec: Any) -> Json:
    """A decision about an item; ``candidate`` is the place of the one it selects."""
    name = item["metadata"]["name"]
    selected = {} if candidate is None else {"candidateId": candidates(item)[candidate]["id"]}
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewDecision",
        "metadata": {"name": f"{name}-{kind}"},
        "spec": {
            "reviewItemName": name,
            **selected,
            **KINDS[kind],
            "actor": {"id": "ana"},
            "reviewedAt": AT,
            "rationale": "",
            **spec,
        },
        "status": {},
    }


def candidates(item: Json) -> list[Json]:
    return item["spec"]["candidates"]


def verification(candidate: Json, result: str = "contradicted", **changes: Any) -> Json:
    """What a verifier says of a candidate's value."""
    abstains = {"abstainReason": "timeout"} if result == "abstain" else {}
    asked = {
        "candidateId": candidate["id"],
        "value": candidate["value"],
        "evidence": [{"id": "ev-1", "excerpt": "Fee", "locator": "chars:0-3"}],
        **changes,
    }
    return build_candidate_verification(
        SimpleNamespace(id="judge", version="1", method="model"),
        asked,
        {"result": result, **abstains},
        created_at=AT,
    ).to_json()


# Rounds


def candidate(name: str = "c-1", value: Any = 1200, **members: Any) -> Json:
    return {
        "id": name,
        "role": "proposed",
        "value": value,
        "confidence": 0.5,
        "source": {"sourceRef": "doc:lease", "checksum": "a" * 64},
        "locator": {"scheme": "text-span", "locator": "chars:0-4", "excerpt": "1200"},
        "extraction": {"target": "rent", "model": "m-1"},
        "claimTarget": FEE,
        **members,
    }


def item(name: str, *offered: Json) -> Json:
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewItem",
        "metadata": {"name": name},
        "spec": {"target": "rent", "candidates": list(offered) or [candidate()]},
    }


def entry(name: str = "lease-7b.rent", *offered: Json, **identities: Any) -> Json:
    """An item of the new round."""
    return entry_of(item(name, *offered), **identities)


def entry_of(
    held: Json, slot_id: str = "slot:rent", versions: tuple[str, ...] = ("v-1", "v-2", "v-3")
) -> Json:
    """An item with its identities; its candidates have ``versions`` in order."""
    pairs = zip(candidates(held), versions, strict=False)
    return {
        "item": held,
        "slotId": slot_id,
        "candidateVersionIds": {one["id"]: version for one, version in pairs},
    }


def prior(of: Json | None = None, kind: str = "accept", **decided: Any) -> Json:
    """An item of an earlier round with its decision."""
    held = entry("lease-7.rent") if of is None else of
    return {**held, "decision": decision(held["item"], kind, **decided)}


def changed(document: Any, *path: Any, value: Any) -> Any:
    """A copy with one place set."""
    result = copy.deepcopy(document)
    *steps, last = path
    place = result
    for step in steps:
        place = place[step]
    place[last] = value
    return result


def cut(document: Any, *path: Any) -> Any:
    """A copy without one member."""
    result = copy.deepcopy(document)
    *steps, last = path
    place = result
    for step in steps:
        place = place[step]
    del place[last]
    return result
