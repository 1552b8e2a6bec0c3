"""The recorded prompt.

Proves row 2 of the edge table, and rows 54 and (surfaces) 58 as far as the prompt goes; what
surfaces show of a blind round is proven with the blind view and with each surface.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.unit.attest.samples import edited, imported
from tests.unit.review.test_decision_samples import (
    candidate,
    conflict,
    decision,
    described,
    review_item,
    single,
    transition,
)

from survey_fast.imports.verification import build_candidate_verification
from survey_fast.review.prompt import PROMPT_REF, authorizing_block, decision_prompt

EVIDENCE = [{"id": "ev-1", "excerpt": "Rent: 48000", "locator": "chars:0-11"}]


def prompt(item, kind, *, blind=False, **members):
    return decision_prompt(item, decision(kind, **members), blind=blind)


def record(value, verdict, candidate_id="c-1"):
    verifier = SimpleNamespace(id="judge", version="3", method="model")
    asked = {"candidateId": candidate_id, "value": value, "evidence": EVIDENCE}
    made = build_candidate_verification(
        verifier, asked, verdict, created_at="2026-09-28T12:00:00.000Z"
    )
    return made.to_json()


SUPPORTED = {"result": "supported", "score": 0.8125}
ABSTAINED = {"result": "abstain", "abstainReason": "timeout"}


def test_row_02_both_values_and_the_choice_are_named():
    assert prompt(conflict(), "select-proposed", candidate_id="c-2") == (
        "Review of Monthly Rent. No current value is set. Proposed values: 48000; 52000. "
        "Selected decision: Use this value: 52000 (not chosen: 48000)."
    )


def test_every_value_that_was_not_chosen_is_named():
    text = prompt(conflict(1, 2, 3), "select-proposed", candidate_id="c-2")
    assert text.endswith("Selected decision: Use this value: 2 (not chosen: 1; 3).")


@pytest.mark.parametrize(
    ("item", "kind", "members", "says"),
    [
        (
            single(),
            "accept-proposed",
            {},
            "Proposed value: 48000. Selected decision: Accept proposed.",
        ),
        (single(), "reject-proposed", {}, "Selected decision: Reject proposed."),
        (conflict(), "reject-proposed", {}, "Selected decision: Reject all values."),
        (conflict(), "could-not-confirm", {"note": "w"}, "Selected decision: Could not confirm."),
        (
            transition(1, 2),
            "keep-current",
            {},
            "Current value: 1. Proposed value: 2. Selected decision: Keep current.",
        ),
        (transition(1), "keep-current", {}, "Current value: 1. Selected decision: Keep current."),
        (single(), "accept-proposed", {"edited_value": 42}, "Accept proposed (edited to: 42)."),
        (single(), "accept-proposed", {"edited_value": None}, "(edited to: null)."),
        (single(), "accept-proposed", {"edited_value": ""}, "(edited to: (blank text))."),
        (single(" \t"), "accept-proposed", {}, "Proposed value: (blank text)."),
        (single({"a": [1.0]}), "accept-proposed", {}, '{\n  "a": [\n    1\n  ]\n}'),
    ],
)
def test_what_is_stated(item, kind, members, says):
    assert says in prompt(item, kind, **members)


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_current_value_is_none(empty):
    assert "No current value is set." in prompt(transition(empty, 2), "accept-proposed")


def test_several_current_values_are_all_named():
    item = review_item(
        candidate("a", 1, "current"), candidate("b", 2, "current"), candidate("c", 3)
    )
    assert "Current values: 1; 2." in prompt(item, "reject-proposed")


def test_the_block():
    block = authorizing_block(single(), decision("accept-proposed", note=" as read "), blind=False)
    assert block == {
        "kind": "authorized-action",
        "promptRef": PROMPT_REF,
        "renderedPrompt": prompt(single(), "accept-proposed"),
        "action": "typed",
        "authorityRef": "actor:ana",
    }
    assert PROMPT_REF == "survey-fast/decision-card@v1"


@pytest.mark.parametrize("note", ["", " \t\ufeff"])
def test_without_words_the_control_was_pressed(note):
    block = authorizing_block(single(), decision("accept-proposed", note=note), blind=False)
    assert block["action"] == "affirmed-control"


def test_excluded_rivals_are_named_with_their_place():
    item = imported().review_items[0]
    assert (
        "Left out at import, since the quoted words do not stand at their place: "
        "61000 (proposal 3 at chars:48-53). "
    ) in prompt(item, "reject-proposed")


def test_a_blind_round_names_excluded_rivals_as_well():
    item = imported().review_items[0]
    assert "61000 (proposal 3" in prompt(item, "reject-proposed", blind=True)


def test_stored_exclusions_that_cannot_be_shown_are_not_passed_over():
    item = imported().review_items[0]
    key = "survey.kontourai.io/extraction-envelope"
    path = ("metadata", "producer", key)
    broken = prompt(edited(item, *path, "importName", value="other"), "reject-proposed")
    assert "cannot be shown (1 stored): the item no longer hangs together" in broken
    malformed = prompt(edited(item, *path, "excludedProposals", value=[{}, {}]), "reject-proposed")
    assert "cannot be shown (2 stored): the entries are malformed." in malformed
    lost = prompt(edited(item, *path, "excludedProposals", value="text"), "reject-proposed")
    assert "cannot be shown: the entries are malformed." in lost
    assert "61000" not in broken + malformed + lost


def test_row_54_verifiers_are_quoted_unless_the_round_is_blind():
    verified = review_item(candidate("c-1", 48000, verifications=[record(48000, SUPPORTED)]))
    told = prompt(verified, "accept-proposed")
    name = verified["spec"]["candidates"][0]["verifications"][0]["id"]
    assert told == (
        prompt(single(), "accept-proposed")
        + " Verifier records on the proposed value, 48000: judge 3 (model) says supported "
        f"at 2026-09-28T12:00:00.000Z, record {name}."
    )
    assert "0.8125" not in told
    # What verifiers said is no part of a blind round, not even that they said something.
    assert prompt(verified, "accept-proposed", blind=True) == prompt(single(), "accept-proposed")


def test_an_edit_is_what_verifiers_are_read_against():
    records = [record(48000, SUPPORTED), record(42, ABSTAINED)]
    item = review_item(candidate("c-1", 48000, verifications=records))
    told = prompt(item, "accept-proposed", edited_value=42)
    assert (
        "Verifier records on the edited value, 42: judge 3 (model) says abstain (timeout) " in told
    )
    assert told.endswith("; 1 about something else.")


def test_each_candidate_with_records_has_its_sentence():
    item = review_item(
        candidate("now", 1, "current", verifications=[record(1, SUPPORTED, "now")]),
        candidate("c-1", 48000, verifications=[]),
        candidate("c-2", 52000, verifications=[record(48000, SUPPORTED), {"id": 7}]),
        candidate("c-3", 61000),
        candidate("old", 5, "source-version", verifications=[record(5, SUPPORTED, "old")]),
    )
    told = prompt(item, "reject-proposed").split("Verifier records on ")[1:]
    assert [sentence.split(":")[0] for sentence in told] == [
        "the current value, 1",
        "proposed value 1 of 3, 48000",
        "proposed value 2 of 3, 52000",
        "candidate old, 5",
    ]
    assert told[1] == "proposed value 1 of 3, 48000: none is about this value. "
    assert told[2].endswith("none is about this value; 1 about something else; 1 not valid. ")


@pytest.mark.parametrize("stored", [None, {}, "text", 7])
def test_records_that_are_no_list_do_not_stop_a_decision(stored):
    item = review_item(candidate("c-1", 48000, verifications=stored))
    assert "stored in a form that cannot be read." in prompt(item, "accept-proposed")


@pytest.mark.parametrize("item", [review_item(candidate(" ", 1, verifications=[])), described("a")])
def test_a_question_no_verifier_could_be_asked_does_not_stop_a_decision(item):
    told = prompt(item, "reject-proposed")
    assert "verification-input-invalid" in told or "Verifier" not in told
