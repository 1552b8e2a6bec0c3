"""What was read for each field and what was decided about it: rows 66 to 71."""

import pytest
from tests.reference.samples import VENDOR, VENDOR_TARGET
from tests.unit.imports.samples import cases, envelope
from tests.unit.rounds.samples import (
    PARTIAL,
    TEXT,
    candidates,
    decision,
    entry_of,
    fee,
    imported,
    misquoted,
    prior,
    refused,
    slot,
    states,
    told,
    verification,
)

from survey_fast import import_envelope
from survey_fast.rounds import (
    FIELD_STATE_KEY,
    build_decision_supersession,
    decision_reference,
    derive_field_states,
)
from survey_fast.rounds.carry import new_carry_forward
from survey_fast.rounds.supersession import new_supersession

INCOMPLETE = {"incompleteRun": True}
EXPECTED = [slot("fee"), slot("site")]


def first(result):
    return result.review_items[0]


def superseding(made, profile="jcs"):
    """A record that some other decision takes the place of this one."""
    return new_supersession(
        {
            "priorDecision": decision_reference(made, profile),
            "newDecision": {"name": "another", "digest": "sha256:" + "ab" * 32},
            "slotId": "slot:fee",
            "reason": "re-reviewed",
        }
    )


def carrying(result, made, resolution="accepted", **members):
    """A record that a decision was carried to the first item."""
    return new_carry_forward(
        {
            "priorDecision": decision_reference(made),
            "slotId": "slot:fee",
            "versionIds": ["v-1"],
            "roundId": "round-2",
            "reviewItemName": first(result)["metadata"]["name"],
            "resolution": resolution,
            **members,
        }
    )


def test_row_66_a_field_without_candidate_in_a_partial_run():
    found = states((imported(fee(), **PARTIAL), EXPECTED))
    assert list(map(told, found)) == [
        ("fee", "value", "pending", INCOMPLETE),
        ("site", "not_covered", None, INCOMPLETE),
    ]


def test_row_66_a_field_without_candidate_in_a_complete_run():
    found = states({"record": imported(fee()).record, "expectedFields": EXPECTED})
    assert list(map(told, found)) == [("fee", "value", "pending", {}), ("site", None, None, {})]


def test_row_66_a_failed_run_read_nothing():
    failure = {"outcome": {"status": "failure", "category": "provider", "code": "no-answer"}}
    found = states((imported(**failure), EXPECTED))
    signals = {**INCOMPLETE, "unresolvedImport": True}
    assert list(map(told, found)) == [
        ("fee", "not_covered", None, signals),
        ("site", "not_covered", None, signals),
    ]


def test_a_field_that_was_proposed_is_not_uncovered_though_its_import_stands_for_nothing():
    result = import_envelope(
        envelope(TEXT, fee(), **PARTIAL),
        claim_targets={"fee": VENDOR_TARGET},
        artifact={"status": "unavailable", "code": "not-found"},
        **VENDOR,
    )
    signals = {**INCOMPLETE, "unresolvedImport": True}
    assert list(map(told, states((result, EXPECTED)))) == [
        ("fee", None, None, signals),
        ("site", "not_covered", None, signals),
    ]


@pytest.mark.parametrize("ended", [{}, PARTIAL], ids=["complete", "partial"])
def test_row_67_a_field_that_was_left_out_was_read(ended):
    rivals = [misquoted("site"), misquoted("fee", "52000"), misquoted("site", "Site")]
    found = states((imported(*rivals[:1], fee(), *rivals[1:], **ended), EXPECTED))
    signals = INCOMPLETE if ended else {}
    assert list(map(told, found)) == [
        ("fee", "value", "pending", {**signals, "excludedProposals": 1}),
        ("site", "excluded", None, {**signals, "excludedProposals": 2}),
    ]
    assert "reviewItemName" not in found[1]


def test_row_67_an_import_of_which_nothing_is_left():
    found = states(imported(misquoted("site"), misquoted("fee")))
    signals = {"unresolvedImport": True, "excludedProposals": 1}
    assert list(map(told, found)) == [
        ("site", "excluded", None, signals),
        ("fee", "excluded", None, signals),
    ]


def test_row_68_one_value_twice_is_one_value():
    assert told(states(imported(fee(), fee(nth=1)))[0])[1] == "value"
    assert told(states(imported(fee(), fee(52000)))[0])[1] == "conflicting"


@cases(
    "verdicts content",
    {
        "against both": ([("contradicted",), ("not-addressed",)], "unsupported"),
        "against one": ([("contradicted",), ()], "conflicting"),
        "for one as well": ([("contradicted", "supported"), ("contradicted",)], "conflicting"),
        "abstained on one": ([("contradicted",), ("abstain",)], "conflicting"),
        "abstained as well": ([("contradicted", "abstain"), ("not-addressed",)], "unsupported"),
        "nobody asked": ([(), ()], "conflicting"),
    },
)
def test_row_69_verdicts(verdicts, content):
    result = imported(fee(), fee(52000))
    offered = candidates(first(result))
    records = [
        verification(one, verdict)
        for one, given in zip(offered, verdicts, strict=True)
        for verdict in given
    ]
    assert told(states(result, verifications=records)[0])[1] == content


def test_row_69_only_what_is_said_of_the_present_value_counts():
    result = imported(fee())
    [offered] = candidates(first(result))
    against = verification(offered)
    for said, content in [
        (against, "unsupported"),
        (verification(offered, value=48001), "value"),
        (verification({**offered, "id": "another"}), "value"),
        ({**against, "result": "not-addressed"}, "value"),
        ({"candidateId": offered["id"]}, "value"),
        (["no", "record"], "value"),
        (None, "value"),
    ]:
        assert told(states(result, verifications=[said])[0])[1] == content
    with pytest.raises(TypeError, match="object"):
        states(result, verifications=[object()])


def test_row_70_two_decisions_for_one_item():
    result = imported(fee())
    both = [decision(first(result)), decision(first(result), "reject")]
    assert refused(states, result, decisions=both) == (
        "field-state-input-invalid",
        "/decisions/1/spec/reviewItemName",
    )


@pytest.mark.parametrize("profile", ["jcs", "collated"])
def test_row_71_a_superseded_decision_and_its_successor(profile):
    before, after = imported(fee()), imported(fee(), fee(52000))
    old, new = decision(first(before)), decision(first(before), "accept", rationale="again")
    records = {"supersessions": [superseding(old, profile)]}
    assert states(before, decisions=[old], **records)[0]["lifecycle"] == "superseded"
    assert states(before, decisions=[new], **records)[0]["lifecycle"] == "accepted"
    # What an import adds does not reach the item of another one.
    assert states(after, **records)[0]["lifecycle"] == "pending"


def test_row_71_the_records_that_the_builder_makes():
    result = imported(fee())
    held = entry_of(first(result))
    old, new = prior(held), prior(held, "reject")
    record = build_decision_supersession(prior=old, new=new)
    for made, lifecycle in ((old, "superseded"), (new, "rejected")):
        found = states(result, decisions=[made["decision"]], supersessions=[record])
        assert found[0]["lifecycle"] == lifecycle


@cases(
    "kind lifecycle",
    {
        "accept": ("accept", "accepted"),
        "assume": ("assume", "accepted"),
        "hold": ("hold", "pending"),
        "reject": ("reject", "rejected"),
        "leave": ("leave", "pending"),
        "could not confirm": ("could-not-confirm", "could_not_confirm"),
    },
)
def test_lifecycle_of_a_decided_item(kind, lifecycle):
    result = imported(fee())
    [state] = states(result, decisions=[decision(first(result), kind)])
    assert state["lifecycle"] == lifecycle
    assert state["decisionBasis"] == "affirmed"
    assert state["decisionName"] == f"{state['reviewItemName']}-{kind}"


def test_lifecycle_of_an_item_to_which_a_decision_was_carried():
    result = imported(fee())
    old = prior()["decision"]
    offered = candidates(first(result))[0]["id"]
    record = carrying(result, old, candidateId=offered)
    [state] = states(result, carry_forwards=[record])
    assert (state["lifecycle"], state["decisionBasis"]) == ("accepted", "carried-forward")
    assert state["decisionName"] == "lease-7.rent-accept"
    # The item's own decision says more.
    [state] = states(
        result, carry_forwards=[record.to_json()], decisions=[decision(first(result), "reject")]
    )
    assert (state["lifecycle"], state["decisionBasis"]) == ("rejected", "affirmed")


@pytest.mark.parametrize("profile", ["jcs", "collated"])
def test_a_carried_decision_that_was_superseded(profile):
    result = imported(fee())
    old = prior()["decision"]
    records = {"carry_forwards": [carrying(result, old)]}
    [state] = states(result, supersessions=[superseding(old, profile)], decisions=[old], **records)
    assert state["lifecycle"] == "superseded"
    assert (state["decisionBasis"], state["decisionName"]) == (
        "carried-forward",
        "lease-7.rent-accept",
    )
    [state] = states(result, supersessions=[superseding(old)], **records)
    assert state["lifecycle"] == "superseded"


def test_refusals_of_carried_records():
    result = imported(fee())
    old = prior()["decision"]
    foreign = carrying(result, old, candidateId="another")
    assert refused(states, result, carry_forwards=[foreign])[0] == "field-state-input-invalid"
    twice = [carrying(result, old), carrying(result, old, "rejected")]
    assert refused(states, result, carry_forwards=twice) == (
        "field-state-input-invalid",
        "/carryForwards/1/reviewItemName",
    )


def test_the_state_on_a_claim():
    result = imported(fee(), misquoted("fee", "52000"), **PARTIAL)
    [state] = derive_field_states([(result, ())], decisions=[decision(first(result))])
    assert state.claim_metadata() == {
        FIELD_STATE_KEY: {
            "schemaVersion": 1,
            "content": "value",
            "lifecycle": "accepted",
            "decisionBasis": "affirmed",
            "signals": {"incompleteRun": True, "excludedProposals": 1},
        }
    }
    [state] = derive_field_states([(imported(), [slot("fee")])])
    assert state.claim_metadata() == {FIELD_STATE_KEY: {"schemaVersion": 1}}
    assert state.to_json() == {
        "importName": "vendor-import",
        "slot": slot("fee"),
        "signals": {},
    }
