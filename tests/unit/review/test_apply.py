"""Apply: rows 8 to 10, 24, 44 to 46 and 57 to 60 of the edge table, for a snapshot and its events.

What rows 8 and 9 say of sets, claims and learnings belongs to trust; row 12, actions, is proven
with the mapping of results; row 38 and the one-call form belong to servers.
"""

import copy

import pytest
from tests.unit.attest.samples import bound, fee_envelope, imported, opened
from tests.unit.review.sessions import (
    AT,
    a_conflict,
    a_described,
    a_single,
    codes_of,
    decides,
    derived,
    history,
    notes,
    session,
)
from tests.unit.review.test_decision_samples import AUDIT, refused

from survey_fast import bind_review_queue, canonical_json
from survey_fast.errors import (
    SessionError,
    UnattestedExtractionQueueError,
    UnattestedReviewQueueError,
)
from survey_fast.review.apply import derive_review_session_apply_result

NAMES = ("a", "b")
SNAPSHOT = session(a_single(), a_conflict(name="b"))
ONE = decides("select-proposed", "b", "c-2")
BOTH = (decides("accept-proposed"), ONE)


def derive(snapshot, **options):
    return derive_review_session_apply_result(snapshot, [], **options)


def test_a_whole_round():
    result = derived(SNAPSHOT, *BOTH, required="all")
    assert result.ok
    assert (result.issues, result.warnings, result.unresolved_item_names) == ((), (), ())
    assert [one["effectiveValue"] for one in result.results] == [48000, 52000]
    assert [one["spec"]["status"] for one in result.decisions] == ["verified", "verified"]
    assert result.replayed_session["decisionsByItemName"] == {
        "a": "accept-proposed",
        "b": "select-proposed",
    }
    body = result.to_json()
    assert body["ok"]
    assert body["results"] == list(result.results)
    assert canonical_json(body)


@pytest.mark.parametrize(
    ("required", "found"),
    [
        ("none", []),
        ("any", ["no-resolved-review-items"]),
        ("all", ["unresolved-review-item"] * 2),
    ],
)
def test_row_46_an_empty_log(required, found):
    result = derived(SNAPSHOT, required=required)
    assert codes_of(result.issues) == found
    assert result.ok == (not found)
    assert result.unresolved_item_names == NAMES
    assert result.replayed_session is SNAPSHOT


def test_part_of_a_round_is_handed_out_all_the_same():
    result = derived(SNAPSHOT, ONE, required="all")
    assert (result.ok, codes_of(result.issues)) == (False, ["unresolved-review-item"])
    assert [issue.item_name for issue in result.issues] == ["a"]
    assert [one["reviewItemName"] for one in result.results] == ["b"]
    assert len(result.decisions) == 1
    assert result.unresolved_item_names == ("a",)
    for enough in ("any", "none"):
        assert derived(SNAPSHOT, ONE, required=enough).ok


@pytest.mark.parametrize("bad", [decides("accept-proposed", "zz"), decides("toString")])
@pytest.mark.parametrize("required", ["none", "any", "all"])
def test_rows_44_and_45_all_or_nothing(bad, required):
    result = derived(SNAPSHOT, *BOTH, bad, required=required)
    assert not result.ok
    assert len(result.issues) == 1
    assert (result.decisions, result.results, result.attributions) == ((), (), {})
    assert result.replayed_session is None
    assert result.unresolved_item_names == NAMES


@pytest.mark.parametrize("kind", ["reject-proposed", "could-not-confirm"])
def test_rows_8_9_and_31_a_decision_about_several_names_none(kind):
    result = derived(SNAPSHOT, decides(kind, "b", None))
    (made,) = result.decisions
    assert "candidateId" not in made["spec"]
    (one,) = result.results
    assert [rival["id"] for rival in one["unselectedCandidates"]] == ["c-1", "c-2"]
    assert "selectedCandidateId" not in one


def test_row_10_could_not_confirm_a_single_value():
    item = a_single(candidateSetStatus="escalated")
    result = derived(session(item), decides("could-not-confirm"))
    assert result.results[0]["selectedCandidateId"] == "c-1"
    assert result.decisions[0]["spec"]["resolution"] == "could_not_confirm"


def test_row_24_converted_text_is_told_for_each_event():
    one = decides("accept-proposed", data={"workbenchEditedValue": "42"})
    again = copy.deepcopy(one)
    again["spec"]["eventType"] = "decision-submitted"
    result = derived(session(a_described("number")), one, again)
    assert result.results[0]["effectiveValue"] == 42
    assert codes_of(result.warnings) == ["edited-value-converted-from-text"] * 2
    body = result.warnings[0].to_json()
    assert (body["originalValue"], body["convertedValue"], body["sequence"]) == ("42", 42, 1)


SEEDS = {
    "decisions": {"decisionsByItemName": {"a": "accept-proposed"}},
    "edits": {"editedValuesByItemName": {"a": 1}},
    "choices": {"selectedCandidateIdsByItemName": {"b": "c-1"}},
    "attempts": {"attemptEvidenceIdsByItemName": {"a": ["e"]}},
}


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_a_snapshot_that_brings_decisions_along(seed):
    snapshot = {**SNAPSHOT, **copy.deepcopy(seed)}
    with pytest.raises(SessionError) as caught:
        derive(snapshot)
    assert (caught.value.code, caught.value.pointer) == ("seeded-snapshot", f"/{next(iter(seed))}")
    assert derive(snapshot, allow_seeded=True).ok


def test_notes_alone_are_no_seed():
    assert derive({**SNAPSHOT, "notesByItemName": {"a": "from before"}}).ok


def seeded(item, kind, **members):
    maps = {name: {"a": value} for name, value in members.items()}
    state = session(item, decisionsByItemName={"a": kind}, **maps)
    return derive(state, allow_seeded=True)


def test_allowed_seeds_become_decisions():
    result = seeded(a_conflict(), "select-proposed", selectedCandidateIdsByItemName="c-2")
    assert result.ok
    assert result.results[0]["effectiveValue"] == 52000
    assert result.attributions == {"a": "legacy-synthetic-actor"}


@pytest.mark.parametrize(
    ("item", "kind", "members", "code"),
    [
        (a_conflict(), "accept-proposed", {}, "decision-not-recordable"),
        (a_single(), "keep-current", {}, "decision-not-recordable"),
        (a_conflict(), "select-proposed", {}, "invalid-conflict-selection"),
        (
            a_conflict(),
            "select-proposed",
            {"selectedCandidateIdsByItemName": "c-9"},
            "invalid-conflict-selection",
        ),
        (
            a_single(editable=False),
            "accept-proposed",
            {"editedValuesByItemName": 1},
            "edited-value-not-editable",
        ),
        (
            a_described("number"),
            "accept-proposed",
            {"editedValuesByItemName": "x"},
            "edited-value-type-mismatch",
        ),
        (a_single(), "could-not-confirm", {}, "reason-missing"),
        (a_single(), "toString", {}, "decision-malformed"),
    ],
    ids=["conflict", "nothing to keep", "no id", "unknown id", "fixed", "type", "reason", "kind"],
)
def test_every_check_runs_on_allowed_seeds(item, kind, members, code):
    result = seeded(item, kind, **members)
    assert (result.ok, codes_of(result.issues)) == (False, [code])
    assert result.results == ()


def test_a_seed_that_an_event_replaces_is_not_judged():
    state = session(a_single(), decisionsByItemName={"a": "keep-current"})
    assert derived(state, decides("reject-proposed"), allow_seeded=True).ok


# Binding and import


@pytest.fixture(scope="module")
def record():
    return imported(fee_envelope())


def cut(snapshot):
    changed = copy.deepcopy(snapshot)
    changed["items"][0]["spec"]["candidates"][0]["value"] = 1
    return changed


def test_rows_57_and_59_another_queue_than_the_bound_one(record):
    snapshot = opened(record)
    binding = bound(snapshot)
    assert derive(snapshot, binding=binding).ok
    before = copy.deepcopy(snapshot)
    with pytest.raises(UnattestedReviewQueueError):
        derive(cut(snapshot), binding=binding)
    assert derive(cut(snapshot)).ok
    assert snapshot == before
    for malformed in ({}, {**binding, "kind": "Other"}):
        assert refused(lambda one=malformed: derive(snapshot, binding=one)) == "binding-malformed"


def test_row_60_an_edited_queue_bound_again(record):
    changed = cut(opened(record))
    binding = bind_review_queue(changed, session_name="round-1", bound_at=AT)
    assert derive(changed, binding=binding).ok
    with pytest.raises(UnattestedExtractionQueueError):
        derive(changed, binding=binding, extraction_import=record)


@pytest.mark.parametrize("as_text", [False, True])
def test_what_is_known_about_the_queue(record, as_text):
    snapshot = opened(record)
    given = canonical_json(snapshot) if as_text else snapshot
    attested = derive(given, extraction_import=record)
    assert (attested.attestation.state, attested.warnings) == ("attested", ())
    unverified = derive(given)
    assert unverified.ok
    assert codes_of(unverified.warnings) == ["unverified-extraction-queue"]
    names = [item["metadata"]["name"] for item in snapshot["items"]]
    assert unverified.warnings[0].to_json()["itemNames"] == names


def test_row_25_a_plain_queue():
    result = derive(SNAPSHOT)
    assert (result.attestation.state, result.warnings) == ("not-extraction", ())


def test_the_queue_is_judged_before_the_events(record):
    changed, events = cut(opened(record)), history(decides("toString", "zz"))
    binding = bound(opened(record))
    for options in ({"binding": binding}, {"extraction_import": record}):
        with pytest.raises((UnattestedReviewQueueError, UnattestedExtractionQueueError)):
            derive_review_session_apply_result(changed, events, **options)


def test_conditions_are_judged_when_they_are_applied():
    for wrong in ({"presentation": {"scoreBlind": "true"}}, {"sampling": {"kind": "manual"}}):
        result = derived({**SNAPSHOT, **wrong}, required="any")
        assert codes_of(result.issues) == ["invalid-session-conditions"]
        assert result.results == ()


def test_conditions_stand_on_every_decision():
    made = decides("accept-proposed", data={"sessionConditions": AUDIT})
    result = derived({**SNAPSHOT, **AUDIT}, made)
    spec = result.decisions[0]["spec"]
    assert {name: spec[name] for name in AUDIT} == AUDIT


@pytest.mark.parametrize("required", ["some", "", None, 1])
def test_what_cannot_be_required(required):
    with pytest.raises(ValueError, match="none, any or all"):
        derived(SNAPSHOT, required=required)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"[]", "session-malformed"),
        (b"{", "json-syntax"),
        (b'{"a":1,"a":1}', "json-duplicate-member"),
    ],
)
def test_text_that_is_no_snapshot(text, code):
    assert refused(derive, text) == code


def test_a_note_is_the_rationale():
    assert derived(SNAPSHOT, notes("fine"), BOTH[0]).results[0]["rationale"] == "fine"
