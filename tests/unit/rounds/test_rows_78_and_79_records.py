"""Records that were edited, and supersessions that cannot be: rows 78 and 79."""

import json

import pytest
from pydantic import ValidationError
from tests.unit.imports.samples import cases
from tests.unit.rounds.samples import (
    candidate,
    changed,
    cut,
    decision,
    entry,
    fee,
    imported,
    prior,
    refused,
    states,
)

from survey_fast.rounds import (
    build_decision_supersession,
    decision_reference,
    split_round_for_carry_forward,
    validate_carry_forward,
    validate_decision_supersession,
)
from survey_fast.rounds.records import content_address

OLD = prior()
CARRIED = (
    split_round_for_carry_forward(
        round_id="round-2",
        items=[entry("b", candidate(), candidate("c-2", 9))],
        prior_decisions=[prior(entry("a", candidate(), candidate("c-2", 9)))],
    )
    .carried_forward[0]
    .to_json()
)
NEW = prior(entry("lease-7b.rent", candidate("c-9", 1300), versions=("v-9",)), "reject")
SUPERSEDED = build_decision_supersession(prior=OLD, new=NEW).to_json()


def readdressed(record):
    """The record with an id that fits what it says."""
    payload = {name: value for name, value in record.items() if name != "id"}
    return {**record, "id": content_address(payload)}


@pytest.mark.parametrize(
    ("record", "validate"),
    [(CARRIED, validate_carry_forward), (SUPERSEDED, validate_decision_supersession)],
    ids=["carry-forward", "supersession"],
)
def test_records_are_read_in_every_form(record, validate):
    text = json.dumps(record)
    for form in (record, text, text.encode(), validate(record)):
        assert validate(form).to_json() == record
    with pytest.raises(ValidationError, match="frozen"):
        validate(record).slot_id = "another"
    for wrong in (object(), {1: 2}):
        with pytest.raises(TypeError):
            validate(wrong)
    assert refused(validate, [])[1] == ""
    assert refused(validate, '{"id":1,"id":1}')[0] == "json-duplicate-member"


@cases(
    "path value pointer",
    {
        "resolution": (("resolution",), "rejected", "/id"),
        "candidate": (("candidateId",), "c-2", "/id"),
        "round": (("roundId",), "round-3", "/id"),
        "prior": (("priorDecision", "name"), "another", "/id"),
        "id": (("id",), "sha256:" + "0" * 64, "/id"),
    },
)
def test_row_78_an_edited_carry_forward(path, value, pointer):
    edited = changed(CARRIED, *path, value=value)
    assert refused(validate_carry_forward, edited) == ("carry-forward-invalid", pointer)
    assert refused(states, imported(fee()), carry_forwards=[edited]) == (
        "carry-forward-invalid",
        f"/carryForwards/0{pointer}",
    )
    if path != ("id",):
        validate_carry_forward(readdressed(edited))


@cases(
    "path value pointer",
    {
        "basis": (("basis",), "affirmed", "/basis"),
        "kind": (("kind",), "survey.decision-supersession", "/kind"),
        "version": (("schemaVersion",), 2, "/schemaVersion"),
        "version as text": (("schemaVersion",), "1", "/schemaVersion"),
        "version as truth": (("schemaVersion",), True, "/schemaVersion"),
        "held": (("resolution",), "held", "/resolution"),
        "blank slot": (("slotId",), " ", "/slotId"),
        "null candidate": (("candidateId",), None, "/candidateId"),
        "no versions": (("versionIds",), [], "/versionIds"),
        "unsorted versions": (("versionIds",), ["v-2", "v-1"], "/versionIds"),
        "repeated versions": (("versionIds",), ["v-1", "v-1"], "/versionIds"),
        "blank version": (("versionIds",), [""], "/versionIds/0"),
        "order by code point": (("versionIds",), ["\uff5e", "\U0001f600"], "/versionIds"),
        "bare digest": (("priorDecision", "digest"), "0" * 64, "/priorDecision/digest"),
        "line after digest": (
            ("priorDecision", "digest"),
            "sha256:" + "0" * 64 + "\n",
            "/priorDecision/digest",
        ),
        "blank name": (("priorDecision", "name"), "", "/priorDecision/name"),
        "more in the reference": (("priorDecision", "x"), 1, "/priorDecision/x"),
        "another member": (("x/y",), 1, "/x~1y"),
    },
)
def test_row_78_a_carry_forward_that_no_round_writes(path, value, pointer):
    edited = readdressed(changed(CARRIED, *path, value=value))
    assert refused(validate_carry_forward, edited) == ("carry-forward-invalid", pointer)


@pytest.mark.parametrize("name", sorted(set(CARRIED) - {"candidateId"}))
def test_a_carry_forward_without_a_member(name):
    assert refused(validate_carry_forward, cut(CARRIED, name)) == (
        "carry-forward-invalid",
        f"/{name}",
    )


def test_a_carry_forward_that_selects_nothing():
    selects_none = readdressed(cut(CARRIED, "candidateId"))
    assert validate_carry_forward(selects_none).to_json() == selects_none


@cases(
    "path value pointer",
    {
        "reason": (("reason",), "re-reviewed", "/id"),
        "unknown reason": (("reason",), "better", "/reason"),
        "slot": (("slotId",), "another", "/id"),
        "itself": (("newDecision",), SUPERSEDED["priorDecision"], "/newDecision/digest"),
        "no reference": (("newDecision",), "another", "/newDecision"),
        "null": (("priorDecision", "digest"), None, "/priorDecision/digest"),
        "another member": (("x",), 1, "/x"),
    },
)
def test_row_78_an_edited_supersession(path, value, pointer):
    edited = changed(SUPERSEDED, *path, value=value)
    if pointer != "/id":
        edited = readdressed(edited)
    assert refused(validate_decision_supersession, edited) == ("supersession-invalid", pointer)
    for act in (
        lambda: states(imported(fee()), supersessions=[edited]),
        lambda: split_round_for_carry_forward(
            round_id="r", items=[], prior_decisions=[], supersessions=[SUPERSEDED, edited]
        ),
    ):
        code, place = refused(act)
        assert code == "supersession-invalid"
        assert place in (f"/supersessions/0{pointer}", f"/supersessions/1{pointer}")


def test_row_79_a_supersession_across_slots():
    other = {**NEW, "slotId": "slot:other"}
    assert refused(build_decision_supersession, prior=OLD, new=other) == (
        "supersession-invalid",
        "/new/slotId",
    )


def test_row_79_a_supersession_of_itself():
    assert refused(build_decision_supersession, prior=OLD, new=OLD) == (
        "supersession-invalid",
        "/new/decision",
    )


@cases(
    "new reason",
    {
        "same candidates": (prior(kind="reject"), "re-reviewed"),
        "same in another item": (prior(entry("c", candidate("d"))), "re-reviewed"),
        "another version": (NEW, "candidate-changed"),
        "another value under one version": (
            prior(entry("c", candidate(value=7))),
            "candidate-changed",
        ),
    },
)
def test_reasons_of_a_supersession(new, reason):
    record = build_decision_supersession(prior=OLD, new=new)
    assert record.to_json() == {
        "id": record.id,
        "kind": "survey.decision-supersession",
        "schemaVersion": 1,
        "priorDecision": decision_reference(OLD["decision"]),
        "newDecision": decision_reference(new["decision"]),
        "slotId": "slot:rent",
        "reason": reason,
    }
    assert validate_decision_supersession(record) == record


def test_sides_of_a_supersession_are_checked():
    broken = {**NEW, "decision": decision(OLD["item"])}
    assert refused(build_decision_supersession, prior=OLD, new=broken) == (
        "round-items-invalid",
        "/new/decision/spec/reviewItemName",
    )
    with pytest.raises(TypeError, match="/prior"):
        build_decision_supersession(prior=object(), new=NEW)
