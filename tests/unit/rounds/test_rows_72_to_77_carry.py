"""Which decisions of an earlier round still hold in a new one: rows 72 to 77."""

import copy

import pytest
from tests.unit.imports.samples import cases
from tests.unit.rounds.samples import (
    FEE,
    candidate,
    changed,
    cut,
    entry,
    prior,
    refused,
)

from survey_fast.rounds import (
    build_decision_supersession,
    decision_reference,
    split_round_for_carry_forward,
    validate_carry_forward,
)
from survey_fast.rounds.supersession import new_supersession

ANY = {"carry": ["accepted", "rejected", "could_not_confirm"]}
OFFERED = ("item", "spec", "candidates", 0)


def split(items, priors, policy=None, supersessions=(), round_id="round-2"):
    return split_round_for_carry_forward(
        round_id=round_id,
        items=items,
        prior_decisions=priors,
        policy=policy,
        supersessions=supersessions,
    )


def reasons(items, priors, **options):
    """Why each item of the round needs review."""
    return [one.reason for one in split(items, priors, **options).needs_review]


def test_row_72_an_unchanged_candidate_with_an_accepted_prior():
    old = prior()
    found = split([entry("lease-7b.rent", candidate("c-9"))], [old])
    [record] = found.carried_forward
    assert found.needs_review == ()
    assert validate_carry_forward(record) == record
    assert record.to_json() == {
        "id": record.id,
        "kind": "survey.decision-carry-forward",
        "schemaVersion": 1,
        "priorDecision": decision_reference(old["decision"]),
        "slotId": "slot:rent",
        "versionIds": ["v-1"],
        "roundId": "round-2",
        "reviewItemName": "lease-7b.rent",
        "candidateId": "c-9",
        "resolution": "accepted",
        "basis": "carried-forward",
    }
    assert found.to_json() == {"carriedForward": [record.to_json()], "needsReview": []}


def test_row_72_what_is_said_about_a_value_is_no_part_of_it():
    other = {
        "confidence": 0.9,
        "verifications": [{}],
        "extraction": {"target": "rent", "model": "m-2"},
        "producer": {"note": 1},
        "rejectionReason": "no",
    }
    assert reasons([entry("lease-7b.rent", candidate(**other))], [prior()]) == []


@cases(
    "change reason",
    {
        "changed value": ((("v-2",), {"value": 1300}), "candidate-changed"),
        "new version id": ((("v-2",), {}), "candidate-changed"),
        "value": ((("v-1",), {"value": 1300}), "candidate-content-changed"),
        "type of value": ((("v-1",), {"value": "1200"}), "candidate-content-changed"),
        "role": ((("v-1",), {"role": "current"}), "candidate-content-changed"),
        "subject": (
            (("v-1",), {"claimTarget": {**FEE, "subjectId": "vendor-2"}}),
            "candidate-content-changed",
        ),
        "field": (
            (("v-1",), {"claimTarget": {**FEE, "fieldOrBehavior": "rent"}}),
            "candidate-content-changed",
        ),
        "impact": (
            (("v-1",), {"claimTarget": {**FEE, "impactLevel": "high"}}),
            "candidate-content-changed",
        ),
        "checksum": (
            (("v-1",), {"source": {"sourceRef": "doc:lease", "checksum": "b" * 64}}),
            "candidate-content-changed",
        ),
        "no checksum": (
            (("v-1",), {"source": {"sourceRef": "doc:lease"}}),
            "candidate-content-changed",
        ),
        "source": (
            (("v-1",), {"source": {"sourceRef": "doc:other", "checksum": "a" * 64}}),
            "candidate-content-changed",
        ),
    },
)
def test_row_73_a_change(change, reason):
    versions, members = change
    old = prior()
    found = split([entry("lease-7b.rent", candidate(**members), versions=versions)], [old])
    [one] = found.needs_review
    assert (found.carried_forward, one.reason) == ((), reason)
    assert one.to_json() == {
        "reviewItemName": "lease-7b.rent",
        "slotId": "slot:rent",
        "reason": reason,
        "priorDecision": decision_reference(old["decision"]),
    }


@pytest.mark.parametrize(
    ("member", "value"),
    [("excerpt", "1 200"), ("locator", "chars:5-9"), ("scheme", "text")],
    ids=["excerpt", "place", "scheme"],
)
def test_row_73_a_reused_version_read_elsewhere(member, value):
    new = changed(entry(), *OFFERED, "locator", member, value=value)
    assert reasons([new], [prior()]) == ["candidate-content-changed"]
    assert reasons([cut(entry(), *OFFERED, "locator")], [prior()]) == ["candidate-content-changed"]


def test_row_73_one_number_in_two_spellings_is_one_value():
    new = entry("lease-7b.rent", candidate(value=1200.0))
    assert reasons([new], [prior()]) == []


@pytest.mark.parametrize(
    ("kind", "resolution"), [("reject", "rejected"), ("could-not-confirm", "could_not_confirm")]
)
def test_row_74_other_resolutions_are_carried_when_asked_for(kind, resolution):
    old = prior(kind=kind, candidate=None)
    assert reasons([entry()], [old]) == ["resolution-not-carried"]
    assert reasons([entry()], [old], policy={"carry": ["accepted"]}) == ["resolution-not-carried"]
    [record] = split([entry()], [old], {"carry": [resolution]}).carried_forward
    assert record.resolution == resolution
    assert "candidateId" not in record.to_json()
    assert reasons([entry()], [prior()], policy={"carry": []}) == ["resolution-not-carried"]


@pytest.mark.parametrize("kind", ["hold", "leave"])
def test_what_came_to_nothing_is_never_carried(kind):
    assert reasons([entry()], [prior(kind=kind)], policy=ANY) == ["resolution-not-carried"]


def test_row_75_the_chosen_value_of_a_conflict():
    rivals = (candidate("c-1", 1200), candidate("c-2", 1300))
    old = prior(entry("lease-7.rent", *rivals), candidate=1)
    again = (candidate("d-1", 1300), candidate("d-2", 1200))
    new = entry("lease-7b.rent", *again, versions=("v-2", "v-1"))
    [record] = split([new], [old]).carried_forward
    assert (record.candidate_id, record.version_ids) == ("d-1", ("v-1", "v-2"))
    third = entry("lease-7b.rent", *rivals, candidate("c-3", 1400))
    assert reasons([third], [old]) == ["candidate-changed"]


def test_versions_are_listed_by_utf16_unit():
    offered, versions = (candidate(), candidate("c-2")), ("\uff5e", "\U0001f600")
    old = prior(entry("lease-7.rent", *offered, versions=versions))
    [record] = split([entry("lease-7b.rent", *offered, versions=versions)], [old]).carried_forward
    assert record.version_ids == versions[::-1]
    assert validate_carry_forward(record) == record


def test_row_76_two_live_priors():
    old, older = prior(), prior(entry("lease-6.rent"))
    found = split([entry()], [old, older])
    assert [one.to_json() for one in found.needs_review] == [
        {
            "reviewItemName": "lease-7b.rent",
            "slotId": "slot:rent",
            "reason": "ambiguous-prior-decisions",
        }
    ]
    record = build_decision_supersession(prior=older, new=old)
    [carried] = split([entry()], [older, old], supersessions=[record]).carried_forward
    assert carried.prior_decision.to_json() == decision_reference(old["decision"])


@pytest.mark.parametrize("profile", ["jcs", "collated"])
def test_row_76_a_superseded_prior(profile):
    record = new_supersession(
        {
            "priorDecision": decision_reference(prior()["decision"], profile),
            "newDecision": {"name": "another", "digest": "sha256:" + "ab" * 32},
            "slotId": "slot:rent",
            "reason": "re-reviewed",
        }
    )
    assert reasons([entry()], [prior()], supersessions=[record.to_json()]) == ["no-prior-decision"]
    # The name alone says nothing: it is the same in every round.
    assert reasons([entry()], [prior(rationale="again")], supersessions=[record]) == []


def test_row_76_no_prior():
    assert reasons([entry()], []) == ["no-prior-decision"]
    assert reasons([entry()], [prior(entry("lease-7.rent", slot_id="slot:other"))]) == [
        "no-prior-decision"
    ]


NEW, OLD = entry(), prior()
OTHER = entry("lease-8.rent")


@cases(
    "arguments pointer",
    {
        "missing slot": (([cut(NEW, "slotId")], []), "/items/0/slotId"),
        "blank slot": (([changed(NEW, "slotId", value=" \ufeff")], []), "/items/0/slotId"),
        "missing version": (
            ([changed(NEW, "candidateVersionIds", value={})], []),
            "/items/0/candidateVersionIds/c-1",
        ),
        "extra version": (
            ([], [changed(OLD, "candidateVersionIds", "c~/2", value="v-2")]),
            "/priorDecisions/0/candidateVersionIds/c~0~12",
        ),
        "blank version": (
            ([changed(NEW, "candidateVersionIds", "c-1", value="")], []),
            "/items/0/candidateVersionIds/c-1",
        ),
        "version twice": (
            ([entry("x", candidate(), candidate("c-2"), versions=("v-1", "v-1"))], []),
            "/items/0/candidateVersionIds/c-2",
        ),
        "candidate twice": (
            ([entry("x", candidate(), candidate(value=2))], []),
            "/items/0/item/spec/candidates/1/id",
        ),
        "decision of another item": (
            ([], [{**OLD, "decision": prior(OTHER)["decision"]}]),
            "/priorDecisions/0/decision/spec/reviewItemName",
        ),
        "decision of another candidate": (
            ([], [changed(OLD, "decision", "spec", "candidateId", value="c-2")]),
            "/priorDecisions/0/decision/spec/candidateId",
        ),
        "no decision": (([], [NEW]), "/priorDecisions/0/decision"),
        "decision in a new round": (([OLD], []), "/items/0/decision"),
        "two items on a slot": (([NEW, OTHER], []), "/items/1/slotId"),
        "item twice": (([NEW, {**NEW, "slotId": "s"}], []), "/items/1/item/metadata/name"),
        "no item": (([None], []), "/items/0"),
        "no source": (
            ([cut(NEW, *OFFERED, "source")], []),
            "/items/0/item/spec/candidates/0/source",
        ),
        "no value": (([cut(NEW, *OFFERED, "value")], []), "/items/0/item/spec/candidates/0/value"),
    },
)
def test_row_77_malformed_rounds(arguments, pointer):
    before = copy.deepcopy(arguments)
    assert refused(split, *arguments) == ("round-items-invalid", pointer)
    assert arguments == before


def test_row_77_a_blank_round():
    for round_id in ("", " \t", "\ufeff"):
        assert refused(split, [], [], round_id=round_id) == ("round-items-invalid", "/roundId")


@cases(
    "policy pointer",
    {
        "held": ({"carry": ["accepted", "held"]}, "/policy/carry/1"),
        "no word": ({"carry": [None]}, "/policy/carry/0"),
        "no list": ({"carry": "accepted"}, "/policy/carry"),
        "another member": ({"carried": []}, "/policy/carried"),
        "no bool": ({"requireChecksum": 1}, "/policy/requireChecksum"),
    },
)
def test_row_77_malformed_policies(policy, pointer):
    assert refused(split, [], [], policy) == ("carry-policy-invalid", pointer)


def test_sources_without_checksum_need_review_under_a_strict_policy():
    strict = {"requireChecksum": True}
    for source in ({"sourceRef": "doc:lease"}, {"sourceRef": "doc:lease", "checksum": " "}):
        offered = candidate(source=source)
        old, new = prior(entry("lease-7.rent", offered)), entry("lease-7b.rent", offered)
        assert reasons([new], [old]) == []
        assert reasons([new], [old], policy=strict) == ["source-without-checksum"]
    assert reasons([entry()], [prior()], policy=strict) == []
