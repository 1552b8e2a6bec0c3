"""Whatever stands in one place of evidence, a policy, a bundle or a decision ends in an answer or
in a refusal, and the refusal points to where the fault is.
"""

import copy

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st
from tests.unit.trust.bundles import NOW, base, whole
from tests.unit.trust.evidence_samples import PART, decision, evidence_of, given, imported
from tests.unit.trust.test_hostile_records import HOSTILE, changed, places

from survey_fast.audit.calibration import derive_calibration
from survey_fast.errors import SurveyError
from survey_fast.trust.evidence import (
    RecordResolver,
    attach_import_records,
    missing_import_records,
    project_reviewed_extraction_evidence,
    restore_reviewed_extraction_evidence,
)
from survey_fast.trust.grounding import evaluate_grounding
from survey_fast.trust.labels import labels_of_bundle
from survey_fast.trust.oversight import derive_oversight
from survey_fast.trust.report import build_trust_report
from survey_fast.trust.status import derive_claim_statuses

ROUND = imported()
FEE = ROUND.items["fee"]
INPUT = given(FEE, decision(FEE, 1), index=1)
EVIDENCE = evidence_of(ROUND, INPUT, carry_record=True)
GROUNDED = {
    "policy": {
        "id": "p",
        "action": "a",
        "requiredClaimIds": ["claim"],
        "refuseExcludedRivals": True,
    },
    "evidence": [EVIDENCE],
    "claims": [{"id": "claim", "value": 52000}],
    "sourceStates": [
        {
            "evidenceId": EVIDENCE["id"],
            "status": "current",
            "expectedSnapshotRef": "x",
            "observedSnapshotRef": "x",
            "observedAt": NOW,
        }
    ],
}
WHOLE = whole(9)


def grounded(document):
    return evaluate_grounding(
        document["policy"],
        document["evidence"],
        document["claims"],
        source_states=document["sourceStates"],
    )


def resolved(document):
    missing_import_records([document])
    attach_import_records([document], [ROUND.context])


READERS = {
    "restore": (restore_reviewed_extraction_evidence, EVIDENCE),
    "resolve": (resolved, EVIDENCE),
    "project": (
        project_reviewed_extraction_evidence,
        INPUT | {"importRecord": ROUND.record},
    ),
    "ground": (grounded, GROUNDED),
    "statuses": (lambda document: derive_claim_statuses(document, now=NOW), WHOLE),
    "exact statuses": (
        lambda document: derive_claim_statuses(document, now=NOW, version="4"),
        WHOLE,
    ),
    "report": (lambda document: build_trust_report(document, now=NOW), WHOLE),
    "oversight": (
        lambda document: derive_oversight(document["decisions"], now=NOW),
        {"decisions": [INPUT["reviewDecision"]]},
    ),
}
PLACES = {
    name: [path for path in places(document) if name != "ground" or len(path) > 1]
    for name, (_, document) in READERS.items()
}


def leads_somewhere(document, pointer):
    """Whether a pointer leads to a value, or to where one is missing in an object that is there."""
    steps = [one.replace("~1", "/").replace("~0", "~") for one in pointer.split("/")[1:]]
    for number, step in enumerate(steps, 1):
        if isinstance(document, list):
            if not step.isdigit() or int(step) >= len(document):
                return False
            document = document[int(step)]
        elif isinstance(document, dict):
            if step not in document:
                return number == len(steps)
            document = document[step]
        else:
            return False
    return True


@pytest.mark.parametrize("name", READERS)
@examples(st.data())
def test_any_value_in_any_place(name, data):
    read, document = READERS[name]
    path = data.draw(st.sampled_from(PLACES[name]))
    if name == "oversight" and len(path) == 1:
        return
    broken = changed(document, path, data.draw(HOSTILE))
    try:
        read(broken)
    except SurveyError as refused:
        found = refused.pointer
    else:
        return
    assert found is not None
    within = broken["decisions"] if name == "oversight" else broken
    assert leads_somewhere(within, found), (path, found)


def refused(act, *arguments):
    with pytest.raises(SurveyError) as caught:
        act(*arguments)
    return caught.value.code, caught.value.pointer


@pytest.mark.parametrize(
    "profile", [[], {}, None, True, ["surface.reviewed-extraction-evidence/v2"]]
)
def test_a_profile_of_any_shape_names_no_record(profile):
    item = copy.deepcopy(EVIDENCE)
    assert missing_import_records([item]) == []
    item["metadata"]["reviewedExtraction"]["profile"] = profile
    assert missing_import_records([item]) == []
    assert attach_import_records([item], [ROUND.context]) == [item]
    kinds = {one["kind"] for one in grounded(GROUNDED | {"evidence": [item]})["gaps"]}
    assert kinds == {"invalid-reviewed-evidence"}


@pytest.mark.parametrize(
    "path",
    [
        (),
        ("metadata",),
        ("metadata", "reviewedExtraction"),
        ("metadata", "reviewedExtraction", "input"),
    ],
    ids="/".join,
)
def test_a_member_whose_name_is_no_text_is_misuse(path):
    assert restore_reviewed_extraction_evidence(EVIDENCE)
    with pytest.raises(TypeError):
        restore_reviewed_extraction_evidence(changed(EVIDENCE, (*path, 1), "x"))


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("choice", "citedCandidateId"), "\ud800", "json-lone-surrogate"),
        (("choice", "candidates", 0, "role"), float("nan"), "json-number-range"),
    ],
)
def test_what_stands_beside_the_digest_is_pointed_at_inside_the_item(path, value, code):
    broken = changed(EVIDENCE, ("metadata", "reviewedExtraction", *path), value)
    found, pointer = refused(restore_reviewed_extraction_evidence, broken)
    assert found == code
    assert pointer.startswith(f"{PART}/{path[0]}")
    assert leads_somewhere(broken, pointer)


def bundle_of(*evidence):
    bundle = base()
    claim = {**bundle["claims"][0], "id": "claim"}
    return bundle | {
        "claims": [*bundle["claims"], claim],
        "evidence": [*bundle["evidence"], *evidence],
    }


def test_a_forged_record_is_pointed_at_where_it_rides_and_spoils_nobody_elses():
    other = evidence_of(ROUND, given(FEE, decision(FEE, 1), index=0, evidenceId="other"))
    good = bundle_of(EVIDENCE, other)
    known = RecordResolver([ROUND.context])
    assert len(labels_of_bundle(good, known).judgements) == 1
    forged = copy.deepcopy(other)
    record = copy.deepcopy(ROUND.record)
    record["metadata"]["name"] = "another"
    forged["metadata"]["reviewedExtraction"]["importRecord"] = record
    assert refused(labels_of_bundle, bundle_of(EVIDENCE, forged), known) == (
        "sidecar-mismatch",
        f"/evidence/2{PART}/importRecord",
    )
    # The resolver is the caller's, and has seen nothing of it.
    assert len(labels_of_bundle(good, known).judgements) == 1


def test_a_commit_of_any_depth_is_compared_with_nothing():
    deep, same = [], []
    for _ in range(100_000):
        deep, same = [deep], [same]
    bundle = base()
    bundle["policies"][0]["validityRule"] = {"kind": "commit"}
    bundle["claims"][0]["currentIntegrityRef"] = bundle["evidence"][0]["integrityRef"] = "c1"
    assert derive_claim_statuses(bundle, now=NOW) == {bundle["claims"][0]["id"]: "verified"}
    bundle["claims"][0]["currentIntegrityRef"] = deep
    bundle["evidence"][0]["integrityRef"] = same
    assert derive_claim_statuses(bundle, now=NOW) == {bundle["claims"][0]["id"]: "stale"}


def test_a_decision_about_an_item_of_any_shape_is_measured():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    one = copy.deepcopy(INPUT["reviewDecision"])
    assert derive_oversight([one], now=NOW).overall.override_rate == 0
    one["spec"]["reviewItemName"] = deep
    assert derive_oversight([one], now=NOW).overall.override_rate == 0


def test_sources_inside_sources_have_an_end():
    nested = []
    for _ in range(10):
        nested = [nested]
    assert derive_calibration(nested).sample_count == 0
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested"):
        derive_calibration(endless)
