"""The blind view of an item.

Proves row 55 of the edge table (a field that verifiers do not support) and, below a surface, row
54 and the surfaces' row 58: no score and no verifier's word in what is sent, excerpts stay. The
prompt's half of both is proven with the prompt; each surface searches its own answers.
"""

from __future__ import annotations

import copy
import json
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from tests.unit.attest.samples import KEY, imported
from tests.unit.review.test_decision_samples import conflict, decision, single, transition

from survey_fast.audit.blind import BlindItem, blind_content, blind_item

SENTINEL = "sentinel-5d1f"
HIDDEN_WORDS = ("confidence", "score", "rank", "verifier", "verification", "rationale")


def rich() -> dict[str, Any]:
    """An imported conflict with everything that producers and verifiers may add to it."""
    item = copy.deepcopy(imported().review_items[0])
    item["metadata"]["labels"] = {"round": "1"}
    item["spec"]["editable"] = True
    for one in item["spec"]["candidates"]:
        one["producer"][KEY]["evidenceMatch"] = {
            "checkerVersion": "evidence-match-v4",
            "schema": "ok",
            "valueInExcerpt": "match",
            "tokenBoundary": True,
        }
    return item


def sent(item, *arguments, **options) -> str:
    return json.dumps(blind_item(item, *arguments, **options).to_json(), ensure_ascii=False)


def test_the_whole_view():
    item = rich()
    first, second = item["spec"]["candidates"]
    view = blind_item(item, decision("select-proposed", "seen", candidate_id=second["id"]))
    source = {
        "sourceRef": "sample:document",
        "kind": "uploaded-document",
        "observedAt": "2026-10-05T08:00:00.000Z",
        "checksum": first["source"]["checksum"],
    }
    target = {
        "subjectType": "vendor",
        "subjectId": "vendor-1",
        "facet": "vendor.contract",
        "claimType": "vendor.field",
        "fieldOrBehavior": "fee",
        "impactLevel": "medium",
    }
    rest = {"role": "proposed", "source": source, "claimTarget": target, "schemaForm": "ok"}
    assert view.to_json() == {
        "name": item["metadata"]["name"],
        "target": "fee",
        "labels": {"round": "1"},
        "excerptVerification": "verified",
        "candidates": [
            {
                "id": first["id"],
                "value": 48000,
                "locator": {"scheme": "text-span", "locator": "chars:4-9", "excerpt": "48000"},
                "occurrence": {
                    "count": 2,
                    "ambiguous": True,
                    "selection": "source-order",
                    "selected": {"index": 0, "start": 4, "end": 9},
                },
                **rest,
            },
            {
                "id": second["id"],
                "value": 52000,
                "locator": {"scheme": "text-span", "locator": "chars:38-43", "excerpt": "52000"},
                "occurrence": {
                    "count": 1,
                    "ambiguous": False,
                    "selection": "source-order",
                    "selected": {"index": 0, "start": 38, "end": 43},
                },
                **rest,
            },
        ],
        "excludedProposals": [
            {"proposalIndex": 3, "value": 61000, "locator": "chars:48-53", "excerpt": "60000"}
        ],
        "note": "seen",
        "decision": {"kind": "select-proposed", "candidateId": second["id"]},
    }


def test_a_bare_item_has_a_small_view():
    view = blind_item(single(None)).to_json()
    assert view["candidates"][0]["value"] is None
    assert set(view) == {"name", "target", "candidates"}
    assert set(view["candidates"][0]) == {"id", "role", "value", "source", "claimTarget"}


# What a producer, an extractor or a verifier can say beside the value, and where it stands. The
# first step is into the item or into each of its candidates.
HIDDEN = {
    "item": [
        ("score",),
        ("metadata", "uid"),
        ("metadata", "annotations", "note"),
        ("metadata", "producer", "confidence"),
        ("metadata", "producer", "displayName"),
        ("metadata", "producer", KEY, "score"),
        ("metadata", "producer", KEY, "evidenceId"),
        ("metadata", "producer", KEY, "source", "score"),
        ("metadata", "producer", KEY, "preparedArtifact", "score"),
        ("metadata", "producer", KEY, "excludedProposals", 0, "confidence"),
        ("metadata", "producer", KEY, "excludedProposals", 0, "reason"),
        ("metadata", "producer", KEY, "excerptVerification"),
        ("spec", "score"),
        ("spec", "rationale"),
        ("spec", "candidateSetStatus"),
        ("spec", "selectedCandidateId"),
        ("spec", "producerPolicy", "decisionMode"),
        ("spec", "producerPolicy", "score"),
        ("spec", "projection", "claimId"),
        ("spec", "valueDescriptor", "score"),
        ("status", "selectedCandidateId"),
        ("status", "score"),
    ],
    "candidate": [
        ("score",),
        ("confidence",),
        ("sourceRank",),
        ("rejectionReason",),
        ("verifications",),
        ("extraction", "confidence"),
        ("extraction", "extractor"),
        ("extraction", "model"),
        ("extraction", "score"),
        ("source", "score"),
        ("source", "rank"),
        ("locator", "score"),
        ("claimTarget", "score"),
        ("projection", "claimId"),
        ("producer", "confidence"),
        ("producer", "verifier"),
        ("producer", KEY, "score"),
        ("producer", KEY, "provider"),
        ("producer", KEY, "warnings"),
        ("producer", KEY, "outcome", "reason"),
        ("producer", KEY, "valueType", "origin"),
        ("producer", KEY, "producedBy", "model"),
        ("producer", KEY, "sameValueProposals"),
        ("producer", KEY, "evidenceMatch", "schema"),
        ("producer", KEY, "evidenceMatch", "valueInExcerpt"),
        ("producer", KEY, "evidenceMatch", "tokenBoundary"),
        ("producer", KEY, "evidenceMatch", "checkerVersion"),
        ("producer", KEY, "evidenceMatch", "score"),
        ("producer", KEY, "occurrence", "score"),
        ("producer", KEY, "occurrence", "resolverVersion"),
        ("producer", KEY, "occurrence", "selection"),
        ("producer", KEY, "occurrence", "selected", "score"),
    ],
}
# Places that are sent: there only a value of another type is hidden.
SENT = [
    ("role",),
    ("source", "sourceRef"),
    ("source", "kind"),
    ("source", "observedAt"),
    ("source", "checksum"),
    ("locator",),
    ("locator", "scheme"),
    ("locator", "excerpt"),
    ("claimTarget",),
    ("claimTarget", "facet"),
    ("producer",),
    ("producer", KEY),
    ("producer", KEY, "evidenceMatch"),
    ("producer", KEY, "occurrence"),
    ("producer", KEY, "occurrence", "count"),
    ("producer", KEY, "occurrence", "ambiguous"),
    ("producer", KEY, "occurrence", "selected"),
    ("producer", KEY, "occurrence", "selected", "start"),
]


def put(item: dict[str, Any], where: str, path: tuple[Any, ...], value: Any) -> None:
    """Set one place, making the objects on the way to it."""
    for place in [item] if where == "item" else item["spec"]["candidates"]:
        holder = place
        for step in path[:-1]:
            if not isinstance(holder, list) and not isinstance(holder.get(step), dict | list):
                holder[step] = {}
            holder = holder[step]
        holder[path[-1]] = value


@pytest.mark.parametrize(
    ("where", "path"),
    [(where, path) for where, paths in HIDDEN.items() for path in paths],
    ids=lambda part: part if isinstance(part, str) else ".".join(map(str, part)),
)
@pytest.mark.parametrize("value", [SENTINEL, {"value": SENTINEL}, [SENTINEL]], ids=type)
def test_row_54_surfaces_row_58_what_is_never_sent(where, path, value):
    item = rich()
    put(item, where, path, value)
    assert SENTINEL in json.dumps(item)
    assert SENTINEL not in sent(item)
    assert SENTINEL not in sent(item, decision("could-not-confirm", "why"))
    assert sent(item).count("chars:4-9") == 1


@pytest.mark.parametrize("path", SENT, ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("value", [{"sourceRef": {"a": SENTINEL}}, [SENTINEL]], ids=type)
def test_nothing_rides_in_on_a_fact_of_another_type(path, value):
    item = rich()
    put(item, "candidate", path, value)
    assert SENTINEL not in sent(item)


@pytest.mark.parametrize("value", [{"a": SENTINEL}, [SENTINEL], 7], ids=type)
def test_labels_are_text(value):
    item = rich()
    item["metadata"]["labels"] = {"round": "1", "other": value}
    assert blind_item(item).labels == {"round": "1"}
    item["metadata"]["labels"] = [value]
    assert blind_item(item).labels is None


def test_surfaces_row_58_no_name_of_a_score_or_a_verifier_is_sent():
    item = rich()
    put(item, "candidate", ("verifications",), [{"result": "supported"}])
    told = sent(item, decision("accept-proposed", edited_value=7))
    keys = names_in(json.loads(told))
    # Whether excerpts were checked at import is about the evidence, and stays.
    keys.remove("excerptVerification")
    assert not [name for name in keys for word in HIDDEN_WORDS if word in name.lower()]


def names_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(name for one in value.values() for name in names_in(one))]
    return [name for one in value for name in names_in(one)] if isinstance(value, list) else []


def types_in(kind: Any) -> set[type[BaseModel]]:
    """Every record type that a type is built of."""
    found = {kind} if isinstance(kind, type) and issubclass(kind, BaseModel) else set()
    parts = [field.annotation for one in found for field in one.model_fields.values()]
    for part in [*parts, *typing.get_args(kind)]:
        found |= types_in(part)
    return found


def test_the_type_has_no_place_for_a_score_or_a_verifier():
    kinds = types_in(BlindItem)
    assert len(kinds) == 10
    members = {name for kind in kinds for name in kind.model_fields} - {"excerpt_verification"}
    assert not [name for name in members for word in HIDDEN_WORDS if word in name]
    assert all(kind.model_config["extra"] == "forbid" for kind in kinds)
    assert all(kind.model_config["frozen"] for kind in kinds)


def test_a_view_is_closed_and_cannot_be_changed():
    view = blind_item(rich())
    with pytest.raises(ValidationError):
        view.target = "other"
    with pytest.raises(ValidationError):
        BlindItem.from_json({**view.to_json(), "confidence": 0.5})
    assert BlindItem.from_json(view.to_json()) == view


def test_what_cannot_be_shown_of_exclusions_is_counted():
    item = rich()
    put(item, "item", ("metadata", "producer", KEY, "excludedProposals"), [{"value": SENTINEL}])
    view = blind_item(item).to_json()
    assert view["excludedProposalsUnreadable"] == {"reason": "malformed-entries", "count": 1}
    del item["metadata"]["producer"]
    view = blind_item(item).to_json()
    assert view["excludedProposalsUnreadable"] == {"reason": "binding-broken"}
    assert "excludedProposals" not in view


def test_the_reviewers_own_words_are_sent():
    one = decision(
        "could-not-confirm", "smudged", reason="page 4", attempt_evidence_ids=("ev-2", "ev-1")
    )
    view = blind_item(conflict(), one).to_json()
    assert view["note"] == "smudged"
    assert view["decision"] == {
        "kind": "could-not-confirm",
        "reason": "page 4",
        "attemptEvidenceIds": ["ev-2", "ev-1"],
    }
    assert blind_item(single(), note="open").to_json()["note"] == "open"
    edited = blind_item(single(), decision("accept-proposed", edited_value=None)).to_json()
    assert edited["decision"] == {"kind": "accept-proposed", "editedValue": None}


def test_row_55_what_verifiers_do_not_support():
    assert blind_content("unsupported", single()) == "value"
    assert blind_content("unsupported", transition(1, 2)) == "value"
    assert blind_content("unsupported", conflict()) == "conflicting"
    for other in ("value", "conflicting", "excluded", "not_covered"):
        assert blind_content(other, conflict()) == other


def test_looking_changes_nothing():
    item = rich()
    before = copy.deepcopy(item)
    view = blind_item(item)
    view.to_json()["candidates"][0]["value"] = 7
    assert item == before


hidden = st.recursive(
    st.just(SENTINEL) | st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=2)
        | st.dictionaries(st.sampled_from(["schema", "text", "count", SENTINEL]), inner, min_size=1)
    ),
    max_leaves=5,
)
known = [(where, path) for where, paths in HIDDEN.items() for path in paths]
# No name that is sent anywhere starts like this, whatever object it is put into.
unknown = st.builds(
    lambda place, name: (place[0], (*place[1][:-1], f"x{name}")),
    st.sampled_from([(where, path) for where, path in known if 0 not in path]),
    st.text(max_size=4),
)
changes = st.tuples(st.sampled_from(known) | unknown, hidden)


@given(st.lists(changes, min_size=1, max_size=6))
def test_a_sentinel_in_any_hidden_place_is_never_sent(changes):
    item = rich()
    for (where, path), value in changes:
        try:
            put(item, where, path, value)
        except (TypeError, IndexError, KeyError):
            continue  # an earlier change left no object to put it into
    assert SENTINEL not in sent(item)
