"""Labels from bundles: through reviewed evidence that holds, and through nothing else."""

import pytest
from tests.unit.trust.bundles import base
from tests.unit.trust.evidence_samples import decision, evidence_of, given, imported
from tests.unit.trust.evidence_samples import edited as changed

from survey_fast.audit.calibration import derive_calibration
from survey_fast.errors import SurveyError
from survey_fast.trust.evidence import RecordResolver, attach_import_records
from survey_fast.trust.labels import labels_of_bundle

ROUND = imported()
FEE, AREA = ROUND.items["fee"], ROUND.items["area"]
AUDIT = {
    "presentation": {"scoreBlind": True},
    "sampling": {"kind": "random-audit", "rate": 0.5, "seed": "q3"},
}


def bundle_of(*inputs, is_complete=True):
    """A valid bundle with the evidence of these inputs, its record riding on the first."""
    evidence = [evidence_of(ROUND, one) for one in inputs]
    if is_complete:
        evidence = attach_import_records(evidence, [ROUND.context])
    bundle = base()
    claim = bundle["claims"][0]["id"]
    for one in evidence:
        one["claimId"] = claim
    return bundle | {"evidence": [*bundle["evidence"], *evidence]}


def fee(chosen=0, index=0, **spec):
    made = decision(FEE, chosen, **spec)
    return given(FEE, made, index, claimId=base()["claims"][0]["id"])


def area(**spec):
    made = decision(AREA, **spec)
    return given(AREA, made, claimId=base()["claims"][0]["id"])


def test_a_choice_is_read_from_the_evidence_of_either_side_and_counted_once():
    labels = labels_of_bundle(bundle_of(fee(0, index=0), fee(0, index=1)))
    assert (labels.origin, len(labels.judgements)) == ("bundle", 1)
    found = derive_calibration(labels)
    assert (found.sample_count, found.overall.correct_count) == (2, 1)
    assert [one.field for one in found.groups] == ["fee"]
    assert found.overall.bins[-1].correct_count == 1
    assert found.overall.bins[4].correct_count == 0


def test_the_conditions_of_a_round_are_those_of_its_decision():
    labels = labels_of_bundle(bundle_of(fee(**AUDIT)))
    assert derive_calibration(labels, audit_samples_only=True).sample_count == 2
    labels = labels_of_bundle(bundle_of(fee()))
    assert derive_calibration(labels, audit_samples_only=True).sample_count == 0


def test_a_value_without_a_confidence_is_counted_and_no_sample():
    found = derive_calibration(labels_of_bundle(bundle_of(area())))
    assert (found.sample_count, found.skipped) == (0, {"no-confidence": 1})


def test_other_evidence_says_nothing():
    assert list(labels_of_bundle(base()).judgements) == []


def test_a_record_that_does_not_ride_along_is_handed_in():
    bundle = bundle_of(fee(), is_complete=False)
    with pytest.raises(SurveyError) as caught:
        labels_of_bundle(bundle)
    assert caught.value.code == "import-record-unresolved"
    assert caught.value.pointer.startswith("/evidence/")
    assert len(labels_of_bundle(bundle, RecordResolver([ROUND.context])).judgements) == 1


def test_evidence_that_was_edited_has_the_whole_bundle_refused():
    bundle = bundle_of(fee(), area())
    at = len(bundle["evidence"]) - 1
    assert len(labels_of_bundle(bundle).judgements) == 2
    place = f"evidence/{at}/metadata/reviewedExtraction/input/reviewDecision/spec/rationale"
    with pytest.raises(SurveyError) as caught:
        labels_of_bundle(changed(bundle, ["set", place, "sure"]))
    assert caught.value.code == "evidence-tampered"
    assert caught.value.pointer.startswith(f"/evidence/{at}/metadata/reviewedExtraction")


def test_an_invalid_bundle_is_refused():
    with pytest.raises(SurveyError) as caught:
        labels_of_bundle({**base(), "schemaVersion": "five"})
    assert caught.value.code == "schema-version"
