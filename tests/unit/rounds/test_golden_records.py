"""Published digests of decision references and of the records that name them."""

import json

import pytest
from tests.unit.rounds.samples import changed, refused

from survey_fast.errors import NotPortableError
from survey_fast.rounds import (
    decision_reference,
    matching_profile,
    validate_carry_forward,
    validate_decision_supersession,
)
from survey_fast.rounds.carry import new_carry_forward
from survey_fast.rounds.supersession import new_supersession

DECISION = (
    '{"apiVersion":"survey.kontourai.io/v1alpha1","kind":"ReviewDecision",'
    '"metadata":{"name":"lease-7.rent-accept-proposed"},"spec":{"actor":{"id":"ana"},'
    '"candidateId":"c-1","projection":{"reviewOutcomeId":'
    '"lease-7.rent:accept-proposed:review-outcome"},"rationale":"",'
    '"reviewedAt":"2026-10-01T09:00:00.000Z","reviewItemName":"lease-7.rent",'
    '"status":"verified"},"status":{}}'
)
NAME = "lease-7.rent-accept-proposed"
COLLATED = "sha256:769592a98821c23d4f27641bfc351260f22389be58eb56777718ef094692c887"
JCS = "sha256:2a82299ef494686a4c82f15fc6346c97afeb440af3cd90cef694d782faad549f"
CARRIED = "sha256:83ce260263bffbdb6c2141b21bfdb9f578beb3daa837581afcb8ced23bbbd13a"
SUPERSEDED = "sha256:7177a79c09809028378bc0ea6f6f07cd542c9cf5cb2d9fc8c0844b70874cd648"


@pytest.mark.parametrize("form", [DECISION, DECISION.encode(), json.loads(DECISION)])
def test_the_decision_under_both_profiles(form):
    assert decision_reference(form) == {"name": NAME, "digest": JCS}
    assert decision_reference(form, "jcs") == decision_reference(form)
    assert decision_reference(form, "collated") == {"name": NAME, "digest": COLLATED}
    with pytest.raises(ValueError, match="as-stored"):
        decision_reference(form, "as-stored")


def test_a_carry_forward_of_the_decision():
    record = new_carry_forward(
        {
            "priorDecision": decision_reference(DECISION, "collated"),
            "slotId": "slot:lease-7:rent",
            "versionIds": ["v-1"],
            "roundId": "round-2",
            "reviewItemName": "lease-7b.rent",
            "candidateId": "c-9",
            "resolution": "accepted",
        }
    )
    assert record.id == CARRIED
    assert validate_carry_forward(record) == record


def test_a_supersession_of_the_decision():
    record = new_supersession(
        {
            "priorDecision": decision_reference(DECISION, "collated"),
            "newDecision": {
                "name": "lease-7b.rent-reject-proposed",
                "digest": "sha256:" + "ab" * 32,
            },
            "slotId": "slot:lease-7:rent",
            "reason": "candidate-changed",
        }
    )
    assert record.id == SUPERSEDED
    assert validate_decision_supersession(record) == record


def test_a_look_up_tells_the_profile():
    assert matching_profile(DECISION, {JCS, COLLATED}) == "jcs"
    assert matching_profile(DECISION, [COLLATED]) == "collated"
    assert matching_profile(json.loads(DECISION), ()) is None
    assert matching_profile(DECISION, [JCS.removeprefix("sha256:")]) is None
    with pytest.raises(TypeError, match="collection"):
        matching_profile(DECISION, JCS)


def test_a_decision_without_a_portable_digest():
    made = changed(json.loads(DECISION), "metadata", "labels", value={"\u00e9": "x"})
    digest = decision_reference(made)["digest"]
    assert matching_profile(made, [digest]) == "jcs"
    assert matching_profile(made, [COLLATED]) is None
    with pytest.raises(NotPortableError):
        decision_reference(made, "collated")


def test_references_are_of_decisions_with_a_name():
    made = json.loads(DECISION)
    for document, pointer in [
        ({**made, "kind": "ReviewItem"}, "/kind"),
        ({**made, "metadata": {"name": " "}}, "/metadata/name"),
        ({**made, "metadata": {}}, "/metadata/name"),
        ([], ""),
    ]:
        assert refused(decision_reference, document) == ("decision-malformed", pointer)
    with pytest.raises(TypeError):
        decision_reference(object())
