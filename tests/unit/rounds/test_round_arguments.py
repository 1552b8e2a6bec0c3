"""What field states and rounds refuse, and where they point."""

import copy

import pytest
from tests.unit.imports.samples import cases
from tests.unit.rounds.samples import changed, cut, decision, fee, imported, refused, slot, states

from survey_fast.limits import ImportLimits
from survey_fast.rounds import derive_field_states, split_round_for_carry_forward

RESULT = imported(fee())
MADE = decision(RESULT.review_items[0])


@cases(
    "field pointer",
    {
        "no subject": (cut(slot("fee"), "subjectId"), "/subjectId"),
        "blank facet": (slot("fee", facet="\t"), "/facet"),
        "number": (slot(7), "/fieldOrBehavior"),
        "null claim": (slot("fee", claimId=None), "/claimId"),
        "blank claim": (slot("fee", claimId=""), "/claimId"),
        "null indices": (slot("fee", pathIndices=None), "/pathIndices"),
        "negative index": (slot("fee", pathIndices=[0, -1]), "/pathIndices/1"),
        "part of an index": (slot("fee", pathIndices=[0.5]), "/pathIndices/0"),
        "truth as index": (slot("fee", pathIndices=[True]), "/pathIndices/0"),
        "large index": (slot("fee", pathIndices=[2**53]), "/pathIndices/0"),
        "no number": (slot("fee", pathIndices=[float("nan")]), "/pathIndices/0"),
        "weight": (slot("fee", impactLevel="high"), "/impactLevel"),
        "no object": ("fee", ""),
    },
)
def test_expected_fields_are_slots(field, pointer):
    place = f"/imports/1/expectedFields/1{pointer}"
    imports = [(RESULT, [slot("fee")]), (RESULT, [slot("fee"), field])]
    assert refused(derive_field_states, imports) == ("field-state-input-invalid", place)


def test_equal_slots_are_one_whatever_their_spelling():
    listed = imported(fee(pathIndices=[0]), fee(52000, pathIndices=[]), fee(nth=1))
    expected = [
        slot("fee", pathIndices=[0.0]),
        slot("fee", pathIndices=[]),
        slot("fee"),
        slot("fee", pathIndices=[1]),
        slot("fee", pathIndices=[1.0]),
        slot("fee "),
        slot("fee", claimId="claim-1"),
    ]
    found = [state["slot"] for state in states((listed, expected))]
    assert found == [
        slot("fee", pathIndices=[0]),
        slot("fee", pathIndices=[]),
        slot("fee"),
        slot("fee", pathIndices=[1]),
        slot("fee "),
        slot("fee", claimId="claim-1"),
    ]


def test_slots_of_two_imports_are_not_merged():
    other = imported(fee(), runId="traverse-extraction-run:00000000-0000-4000-8000-000000000002")
    found = states((RESULT, [slot("site")]), (other, [slot("site")]))
    assert [state["slot"]["fieldOrBehavior"] for state in found] == ["fee", "site"] * 2
    names = {state.get("reviewItemName") for state in found}
    assert len(names) == 3  # two items, and fields that have none


def test_two_imports_of_one_item():
    assert refused(states, RESULT, RESULT) == ("ambiguous-item-identity", "/imports/1/record")


@cases(
    "path value code",
    {
        "kind": (("kind",), "ReviewItem", "decision-malformed"),
        "name": (("metadata", "name"), "", "decision-malformed"),
        "item": (("spec", "reviewItemName"), None, "decision-malformed"),
        "candidate": (("spec", "candidateId"), "", "decision-malformed"),
        "status": (("spec", "status"), "done", "decision-malformed"),
        "resolution": (("spec", "resolution"), "constructor", "decision-malformed"),
        "accepted and rejected": (("spec", "status"), "rejected", "resolution-inconsistent"),
    },
)
def test_decisions_are_read_before_they_count(path, value, code):
    base = changed(MADE, "spec", "resolution", value="accepted")
    broken = changed(base, *path, value=value)
    if code == "resolution-inconsistent":
        path = ("spec", "resolution")
    assert refused(states, RESULT, decisions=[base, broken]) == (
        code,
        f"/decisions/1/{'/'.join(path)}",
    )


@pytest.mark.parametrize(
    ("status", "resolution"),
    [
        ("proposed", "accepted"),
        ("verified", "rejected"),
        ("rejected", "held"),
        ("verified", "could_not_confirm"),
        ("rejected", "could_not_confirm"),
    ],
)
def test_status_and_resolution_that_contradict_each_other(status, resolution):
    made = decision(RESULT.review_items[0], status=status, resolution=resolution)
    assert refused(states, RESULT, decisions=[made]) == (
        "resolution-inconsistent",
        "/decisions/0/spec/resolution",
    )


def test_records_are_validated_in_their_place():
    record = cut(RESULT.record, "status", "provenance")
    assert refused(states, (record, ())) == (
        "import-provenance-missing",
        "/imports/0/record/status/provenance",
    )
    assert refused(states, {"expectedFields": []}) == (
        "field-state-input-invalid",
        "/imports/0/record",
    )
    assert refused(states, {"record": RESULT, "fields": []}) == (
        "field-state-input-invalid",
        "/imports/0/fields",
    )


def test_caps_hold_for_expected_fields_too():
    fields = [slot(f"field-{number}") for number in range(4)]
    caps = ImportLimits(items=3)
    assert len(states((RESULT, fields[:3]), limits=caps)) == 4
    assert refused(states, (RESULT, fields), limits=caps) == (
        "field-state-input-invalid",
        "/imports/0/expectedFields",
    )


def test_nothing_that_is_given_is_changed():
    record, expected, made = RESULT.record, [slot("site")], [MADE]
    before = copy.deepcopy((record, expected, made))
    found = states((record, expected), decisions=made)
    found[0]["slot"]["subjectId"] = "changed"
    assert (record, expected, made) == before
    assert states((record, expected), decisions=made)[0]["slot"] == slot("fee")


@pytest.mark.parametrize(
    "options",
    [
        {"decisions": MADE},
        {"decisions": [object()]},
        {"verifications": "[]"},
        {"supersessions": 7},
        {"carry_forwards": {}},
        {"limits": 10},
    ],
)
def test_other_arguments_of_a_wrong_type(options):
    with pytest.raises(TypeError):
        derive_field_states([(RESULT, ())], **options)


@pytest.mark.parametrize(
    "imports",
    [RESULT, [RESULT], [RESULT.record_bytes], [(RESULT,)], [(RESULT, "fee")], [(RESULT, None)]],
)
def test_imports_of_a_wrong_type(imports):
    with pytest.raises(TypeError):
        derive_field_states(imports)


@pytest.mark.parametrize(
    "options",
    [
        {"items": {}},
        {"items": "[]"},
        {"items": [object()]},
        {"prior_decisions": 7},
        {"supersessions": [object()]},
        {"policy": ["accepted"]},
        {"round_id": 2},
    ],
)
def test_arguments_of_a_split_of_a_wrong_type(options):
    given = {"round_id": "round-2", "items": [], "prior_decisions": [], **options}
    with pytest.raises(TypeError):
        split_round_for_carry_forward(**given)
