"""Tampering with reviewed evidence: a legal step, an attack, the refusal, and nothing moved.

Every story starts from evidence that restores. The attacks change the item of a bundle, its
record, or both. What no digest can see, a consistent rewrite of everything, is shown as such.
"""

import copy

import pytest
from tests.unit.imports.samples import cases, refused
from tests.unit.trust.evidence_samples import (
    PART,
    decision,
    edited,
    evaluated,
    evidence_of,
    given,
    imported,
    kinds,
    without_record,
)

from survey_fast.trust.evidence import (
    EMBEDDED,
    RecordResolver,
    project_evidence,
    project_reviewed_extraction_evidence,
    read_record,
    restore_reviewed_extraction_evidence,
)

HERE = PART.removeprefix("/")
INPUT = f"{HERE}/input"
TAMPERED = "evidence-tampered"


@pytest.fixture(scope="module")
def reviewed():
    return imported()


@pytest.fixture
def evidence(reviewed):
    return evidence_of(reviewed, given(reviewed.items["area"]))


@pytest.fixture
def choice(reviewed):
    return evidence_of(reviewed, given(reviewed.items["fee"]))


def attacked(reviewed, evidence, *operations):
    """Code and pointer of the refusal; the item restored before, and judging it changes nothing."""
    restore_reviewed_extraction_evidence(evidence, reviewed.resolver())
    changed = edited(evidence, *operations)
    before = copy.deepcopy(changed)
    found = refused(restore_reviewed_extraction_evidence, changed, reviewed.resolver())
    assert changed == before
    assert kinds(evaluated(reviewed, [changed], 12)) in (
        ["invalid-reviewed-evidence"],
        ["missing-reviewed-evidence"],
    )
    restore_reviewed_extraction_evidence(evidence, reviewed.resolver())
    return found


@cases(
    "operation place",
    {
        "excerpt": (["set", "excerptOrSummary", "13"], "/excerptOrSummary"),
        "locator": (["set", "sourceLocator", "chars:0-2"], "/sourceLocator"),
        "source": (["set", "sourceRef", "other"], "/sourceRef"),
        "time": (["set", "observedAt", "2026-10-05T08:00:00Z"], "/observedAt"),
        "collector": (["set", "collectedBy", "somebody"], "/collectedBy"),
        "integrity": (["set", "integrityRef", "sha256:" + "0" * 64], "/integrityRef"),
        "one for true": (["set", "passing", 1], "/passing"),
        "zero for false": (["set", "blocking", 0], "/blocking"),
        "no blocking": (["del", "blocking"], "/blocking"),
        "support": (["set", "supportStrength", "cited"], "/supportStrength"),
        "claim": (["set", "claimId", "claim-2"], "/claimId"),
        "id": (["set", "id", "evidence-9"], "/id"),
        "another member": (["set", "execution", {}], "/execution"),
        "digest": (["set", f"{HERE}/profileDigest", f"sha256:{'0' * 64}"], f"{PART}/profileDigest"),
        "no digest": (["set", f"{HERE}/profileDigest", None], f"{PART}/profileDigest"),
        "a gap": (["append", f"{HERE}/gaps", {"kind": "x"}], f"{PART}/gaps"),
        "null gaps": (["set", f"{HERE}/gaps", None], f"{PART}/gaps"),
        "gaps as object": (["set", f"{HERE}/gaps", {}], f"{PART}/gaps"),
    },
)
def test_a_changed_member_is_found_where_it_stands(reviewed, evidence, operation, place):
    assert attacked(reviewed, evidence, operation) == (TAMPERED, place)


@pytest.mark.parametrize(
    "operation",
    [
        ["set", f"{INPUT}/evidenceId", "evidence-9"],
        ["set", f"{INPUT}/structuralTrust", "unvalidated"],
        ["set", f"{INPUT}/reviewDecision/spec/rationale", "looked twice"],
        ["set", f"{INPUT}/reviewDecision/spec/actor/id", "reviewer:bo"],
        ["set", f"{INPUT}/reviewItem/status/observedCandidateCount", 2],
        ["set", f"{INPUT}/droppedProvenance", []],
    ],
    ids=["id", "trust", "rationale", "reviewer", "item", "dropped"],
)
def test_a_changed_input_has_another_digest(reviewed, evidence, operation):
    assert attacked(reviewed, evidence, operation) == (TAMPERED, f"{PART}/profileDigest")


def test_an_input_that_is_not_lossless(reviewed, evidence):
    place = f"{INPUT}/reviewItem/note"
    for value, code in ((-0.0, "json-negative-zero"), ("\ud800", "json-lone-surrogate")):
        assert attacked(reviewed, evidence, ["set", place, value]) == (code, f"/{place}")


def test_a_changed_quotation_of_the_proposal(reviewed, evidence):
    place = f"{INPUT}/proposal/confidence"
    found = attacked(reviewed, evidence, ["set", place, 1])
    assert found == (TAMPERED, f"{PART}/input/proposal")
    for operation in (["del", f"{INPUT}/proposal"], ["set", f"{INPUT}/proposal", None]):
        found = attacked(reviewed, evidence, operation)
        assert found == ("evidence-malformed", f"{PART}/input/proposal")


def test_a_proposal_beside_its_own_digest_is_not_enough(reviewed, evidence):
    """The digest is made right for the quotation; the record still says otherwise."""
    record = copy.deepcopy(reviewed.record)
    record["spec"]["envelope"]["result"]["proposals"][4]["confidence"] = 1
    item = edited(reviewed.items["area"], ["set", "spec/candidates/0/confidence", 1])
    other = read_record(record)
    forged = copy.deepcopy(project_evidence(other, given(item)).evidence)
    forged["metadata"]["reviewedExtraction"]["input"]["importRecordDigest"] = (
        reviewed.context.digest
    )
    restore_reviewed_extraction_evidence(evidence, reviewed.resolver())
    assert refused(restore_reviewed_extraction_evidence, forged, reviewed.resolver())[0] == (
        "evidence-item-mismatch"
    )


def test_a_changed_choice(reviewed, choice):
    place = f"{HERE}/choice"
    for operation in (
        ["set", f"{place}/chosenOver", []],
        ["set", f"{place}/citedCandidateId", "x"],
        ["set", f"{place}/candidates/0/proposalIndex", True],
        ["del", place],
        ["set", place, None],
    ):
        assert attacked(reviewed, choice, operation) == (TAMPERED, f"{PART}/choice")


def test_a_choice_where_none_was_made(reviewed, evidence, choice):
    told = choice["metadata"]["reviewedExtraction"]["choice"]
    found = attacked(reviewed, evidence, ["set", f"{HERE}/choice", told])
    assert found == ("evidence-malformed", f"{PART}/choice")


def test_members_that_do_not_belong(reviewed, evidence):
    for operation, place in (
        (["set", "metadata/note", "x"], "/metadata/note"),
        (["set", f"{HERE}/note", "x"], f"{PART}/note"),
        (["set", f"{INPUT}/note", "x"], f"{PART}/input/note"),
        (["set", f"{INPUT}/importRecord", {}], f"{PART}/input/importRecord"),
    ):
        assert attacked(reviewed, evidence, operation) == ("evidence-malformed", place)


@pytest.mark.parametrize("value", [None, [], "x", 1, True], ids=repr)
def test_parts_of_another_kind(reviewed, evidence, value):
    for place in (f"{INPUT}", f"{INPUT}/reviewItem", f"{INPUT}/reviewDecision"):
        found = attacked(reviewed, evidence, ["set", place, value])
        assert found[1] == f"/{place}"
    found = attacked(reviewed, evidence, ["set", f"{HERE}/profile", value])
    assert found == ("evidence-profile-unsupported", f"{PART}/profile")
    assert refused(restore_reviewed_extraction_evidence, value) == ("evidence-malformed", "")
    place = f"{INPUT}/importRecordDigest"
    assert attacked(reviewed, evidence, ["set", place, value])[0] == "evidence-malformed"


def test_a_profile_of_another_layout(reviewed, evidence):
    found = attacked(reviewed, evidence, ["set", f"{HERE}/profile", EMBEDDED])
    assert found == ("evidence-malformed", f"{PART}/input/importRecord")


# Records


def test_a_record_that_is_not_the_one_named(reviewed, evidence):
    other = copy.deepcopy(reviewed.record)
    other["spec"]["envelope"]["result"]["totalTokensUsed"] = 8
    for record in (other, {}, {"a": float("nan")}):
        found = edited(evidence, ["set", f"{HERE}/importRecord", record])
        code, place = refused(restore_reviewed_extraction_evidence, found, reviewed.resolver())
        assert place.startswith(f"{PART}/importRecord")
        assert code in {"sidecar-mismatch", "json-number-range"}
        poisoned = RecordResolver.of_evidence([found])
        assert refused(restore_reviewed_extraction_evidence, evidence, poisoned) == (
            "sidecar-mismatch",
            f"{PART}/importRecord",
        )
    alone = edited(evidence, ["set", f"{HERE}/importRecord", other])
    assert refused(restore_reviewed_extraction_evidence, alone) == (
        "sidecar-mismatch",
        f"{PART}/importRecord",
    )


def test_a_resolver_that_gives_another_record(reviewed, evidence):
    other = copy.deepcopy(reviewed.record)
    other["spec"]["envelope"]["result"]["totalTokensUsed"] = 8
    context = read_record(other)
    restore_reviewed_extraction_evidence(evidence, lambda _: reviewed.context)
    assert refused(restore_reviewed_extraction_evidence, evidence, lambda _: context) == (
        "sidecar-mismatch",
        f"{PART}/importRecord",
    )


def test_a_record_inside_the_item_is_judged_like_one_from_elsewhere(reviewed):
    carrying = evidence_of(reviewed, given(reviewed.items["area"]), carry_record=True)
    restore_reviewed_extraction_evidence(carrying)
    place = f"{HERE}/importRecord/status/diagnostics"
    assert refused(restore_reviewed_extraction_evidence, edited(carrying, ["set", place, []])) == (
        "sidecar-mismatch",
        f"{PART}/importRecord",
    )


def test_an_embedded_record_is_covered_by_the_digest(reviewed):
    whole = given(reviewed.items["area"], importRecord=reviewed.record)
    embedded = copy.deepcopy(project_reviewed_extraction_evidence(whole, profile=EMBEDDED))
    restore_reviewed_extraction_evidence(embedded)
    place = f"{INPUT}/importRecord/spec/envelope/result/totalTokensUsed"
    assert refused(restore_reviewed_extraction_evidence, edited(embedded, ["set", place, 8])) == (
        TAMPERED,
        f"{PART}/profileDigest",
    )


def test_an_excerpt_that_was_emptied(reviewed):
    place = "importRecord/spec/envelope/result/proposals/4/provenance"
    whole = given(reviewed.items["area"], importRecord=reviewed.record)
    project_reviewed_extraction_evidence(whole)
    emptied = edited(
        whole,
        ["set", f"{place}/excerpt", ""],
        ["set", f"{place}/locator", "chars:60-60"],
        ["set", f"{place}/occurrence/selected/end", 60],
    )
    found = refused(project_reviewed_extraction_evidence, emptied)
    assert found == ("empty-excerpt", f"/{place}/excerpt")


# Reviews


def test_a_rejection_turned_into_an_acceptance_under_the_old_digest(reviewed):
    item = reviewed.items["area"]
    rejected = decision(item, status="rejected", resolution="rejected")
    evidence = evidence_of(reviewed, given(item, rejected))
    found = attacked(
        reviewed, evidence, ["set", f"{INPUT}/reviewDecision/spec", decision(item)["spec"]]
    )
    assert found == (TAMPERED, f"{PART}/profileDigest")


def test_a_decision_taken_from_another_item(reviewed, evidence):
    foreign = decision(reviewed.items["site-6"])
    found = attacked(reviewed, evidence, ["set", f"{INPUT}/reviewDecision", foreign])
    assert found == (
        "evidence-decision-invalid",
        f"{PART}/input/reviewDecision/spec/reviewItemName",
    )


def test_a_consistent_rewrite_passes_unless_the_record_is_kept_elsewhere(reviewed):
    """The digest is no signature. A host that keeps its record finds the rewrite."""
    record = copy.deepcopy(reviewed.record)
    record["spec"]["envelope"]["result"]["proposals"][4]["candidateValue"] = 13
    item = edited(reviewed.items["area"], ["set", "spec/candidates/0/value", 13])
    forged = project_evidence(read_record(record), given(item), carry_record=True).evidence
    assert restore_reviewed_extraction_evidence(forged).proposal.value == 13
    for resolver in (reviewed.resolver(), lambda _: reviewed.context):
        digest = forged["metadata"]["reviewedExtraction"]["input"]["importRecordDigest"]
        known = resolver(digest)
        assert known is None or known.digest != digest
    bare = copy.deepcopy(forged)
    del bare["metadata"]["reviewedExtraction"]["importRecord"]
    assert refused(restore_reviewed_extraction_evidence, bare, reviewed.resolver())[0] == (
        "import-record-unresolved"
    )
    assert without_record(given(item)) == given(item)
