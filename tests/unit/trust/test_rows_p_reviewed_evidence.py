"""Writing reviewed evidence and reading it back.

Proves rows P2, P3, P4, P8, P9, P10, P11, P12, P13 and P14, and what 6.2 to 6.6 say beyond the
vectors. P1 and P5 to P7 are in test_reviewed_evidence_vectors.py.
"""

import copy

import pytest
from tests.unit.imports.samples import cases, refused
from tests.unit.trust.evidence_samples import (
    PART,
    decision,
    edited,
    evidence_of,
    gaps_of,
    given,
    golden,
    imported,
    number,
    without_record,
)

from survey_fast import SurveyError
from survey_fast.canon import canonical_digest, canonical_json
from survey_fast.trust.evidence import (
    CHOICE,
    EMBEDDED,
    REFERENCE,
    RecordResolver,
    attach_import_records,
    missing_import_records,
    project_evidence,
    project_evidence_of_import,
    project_reviewed_extraction_evidence,
    read_record,
    restore_reviewed_extraction_evidence,
)

PROPOSAL = "importRecord/spec/envelope/result/proposals/0"
CANDIDATE = "reviewItem/spec/candidates/0"
CANDIDATES = "/reviewItem/spec/candidates"
UNSELECTED = "/reviewDecision/spec/unselectedCandidateIds"


@pytest.fixture(scope="module")
def reviewed():
    return imported()


@pytest.fixture
def fee(reviewed):
    return copy.deepcopy(reviewed.items["fee"])


@pytest.fixture
def area(reviewed):
    return copy.deepcopy(reviewed.items["area"])


def with_prior(area, value=11):
    """The item of a later round: what stood before, beside the one proposal."""
    prior = copy.deepcopy(area["spec"]["candidates"][-1])
    del prior["producer"]
    prior |= {"id": "prior", "role": "current", "value": value}
    area["spec"]["candidates"].insert(0, prior)
    return area


def support(evidence):
    return evidence["supportStrength"], evidence["passing"], evidence["blocking"]


ENTAILS = ("entails", True, False)
CITED = ("cited", False, True)


# The rows


def test_row_p2_text_in_a_number_field_is_invalid_whatever_the_caller_says():
    as_number = edited(golden(), ["set", f"{PROPOSAL}/valueType", "number"])
    evidence = project_reviewed_extraction_evidence(as_number)
    assert support(evidence) == CITED
    assert gaps_of(evidence) == [{"kind": "structural-trust", "status": "invalid"}]


def test_row_p3_an_array_field_is_unvalidated():
    as_array = edited(golden(), ["set", f"{PROPOSAL}/valueType", "array"])
    evidence = project_reviewed_extraction_evidence(as_array)
    assert support(evidence) == CITED
    assert gaps_of(evidence) == [{"kind": "structural-trust", "status": "unvalidated"}]


def test_row_p4_any_string_passes_as_a_date():
    as_date = edited(
        golden(),
        ["set", f"{PROPOSAL}/valueType", "date"],
        ["set", f"{PROPOSAL}/candidateValue", "21 March 2013"],
        ["set", f"{CANDIDATE}/value", "21 March 2013"],
    )
    assert support(project_reviewed_extraction_evidence(as_date)) == ENTAILS


@cases(
    "status resolution",
    {
        "assumed and accepted": ("assumed", "accepted"),
        "verified and held": ("verified", "held"),
        "assumed and held": ("assumed", "held"),
        "proposed and held": ("proposed", "held"),
    },
)
def test_row_p8_only_a_verified_acceptance_is_one(status, resolution):
    evidence = project_reviewed_extraction_evidence(
        edited(
            golden(),
            ["set", "reviewDecision/spec/status", status],
            ["set", "reviewDecision/spec/resolution", resolution],
        )
    )
    assert support(evidence) == CITED
    assert gaps_of(evidence) == [{"kind": "review-not-accepted", "disposition": resolution}]


def test_row_p9_an_actor_is_a_stable_identity():
    def by(actor):
        return edited(golden(), ["set", "reviewDecision/spec/actor/id", actor])

    place = "/reviewDecision/spec/actor/id"
    project_reviewed_extraction_evidence(by("ana@example.test"))
    assert refused(project_reviewed_extraction_evidence, by("Ana Two")) == (
        "evidence-malformed",
        place,
    )
    for token in ("ghp_abc", "sk-abc", "AKIAABC", "eyJa.eyJb", "reviewer-token:x", "a:Secret:b"):
        assert refused(project_reviewed_extraction_evidence, by(token)) == (
            "evidence-identity-unsafe",
            place,
        )


def test_row_p10_one_candidate_and_several_are_evidence_of_different_profiles(reviewed, fee, area):
    for profile in (EMBEDDED, REFERENCE):
        project_evidence(reviewed.context, given(area), profile=profile)
        assert refused(project_evidence, reviewed.context, given(fee), profile=profile) == (
            "evidence-profile-unsupported",
            CANDIDATES,
        )
    project_evidence(reviewed.context, given(fee), profile=CHOICE)
    assert refused(project_evidence, reviewed.context, given(area), profile=CHOICE) == (
        "evidence-profile-unsupported",
        CANDIDATES,
    )


def test_row_p11_a_choice_lists_exactly_the_values_it_passed_over(reviewed, fee):
    chosen, rival = (one["id"] for one in fee["spec"]["candidates"])
    project_evidence(reviewed.context, given(fee, decision(fee)))
    for listed in (None, [], [chosen], [rival, chosen], [rival, rival], rival, {}):
        made = decision(fee, unselectedCandidateIds=listed)
        assert refused(project_evidence, reviewed.context, given(fee, made)) == (
            "evidence-choice-invalid",
            UNSELECTED,
        )


def test_row_p12_evidence_for_the_rival_is_cited(reviewed, fee):
    chosen, rival = (one["id"] for one in fee["spec"]["candidates"])
    evidence = evidence_of(reviewed, given(fee, index=1))
    assert support(evidence) == CITED
    assert gaps_of(evidence) == [{"kind": "candidate-not-chosen", "decisionCandidateId": chosen}]
    choice = evidence["metadata"]["reviewedExtraction"]["choice"]
    assert (choice["citedCandidateId"], choice["chosenOver"]) == (rival, [])


def test_row_p13_a_record_is_needed_and_a_wrong_one_poisons_its_digest(reviewed, fee, area):
    bare = evidence_of(reviewed, given(area))
    assert refused(restore_reviewed_extraction_evidence, bare) == (
        "import-record-unresolved",
        f"{PART}/importRecord",
    )
    carrying = evidence_of(reviewed, given(fee), carry_record=True)
    items = [carrying, bare]
    resolver = RecordResolver.of_evidence(items)
    restore_reviewed_extraction_evidence(bare, resolver)
    wrong = copy.deepcopy(bare)
    record = copy.deepcopy(reviewed.record)
    record["metadata"]["name"] = "another-import"
    wrong["metadata"]["reviewedExtraction"]["importRecord"] = record
    poisoned = RecordResolver.of_evidence([*items, wrong])
    for one in (bare, carrying, wrong):
        assert refused(restore_reviewed_extraction_evidence, one, poisoned)[0] == (
            "sidecar-mismatch"
        )
    assert missing_import_records(items) == []
    assert missing_import_records([*items, wrong]) == [reviewed.context.digest]


def test_row_p14_a_proposal_beside_the_value_from_before(reviewed, area):
    item = with_prior(area)
    proposed = item["spec"]["candidates"][1]["id"]
    accepted = evidence_of(reviewed, given(item, decision(item, 1), index=4))
    assert support(accepted) == ENTAILS
    assert accepted["metadata"]["reviewedExtraction"]["choice"]["chosenOver"] == ["prior"]
    kept = evidence_of(reviewed, given(item, decision(item, 0), index=4))
    assert support(kept) == CITED
    assert gaps_of(kept) == [{"kind": "candidate-not-chosen", "decisionCandidateId": "prior"}]
    assert proposed != "prior"


# Anchors and layout


def test_anchors_and_members_stand_in_their_order(reviewed, area):
    evidence = evidence_of(reviewed, given(area, droppedProvenance=[]))
    assert list(evidence) == [
        *("id", "claimId", "evidenceType", "method", "sourceRef", "sourceLocator"),
        *("excerptOrSummary", "observedAt", "collectedBy", "integrityRef", "supportStrength"),
        *("passing", "blocking", "metadata"),
    ]
    part = evidence["metadata"]["reviewedExtraction"]
    assert list(part) == ["profile", "profileDigest", "input", "gaps"]
    assert list(part["input"]) == [
        *("evidenceId", "claimId", "proposalIndex", "reviewItem", "reviewDecision"),
        *("collectedBy", "structuralTrust", "droppedProvenance", "importRecordDigest", "proposal"),
    ]


def test_evidence_without_an_artifact_has_no_integrity_reference():
    result = "importRecord/spec/envelope/result"
    bare = edited(
        golden(), ["del", f"{result}/preparedArtifact"], ["del", f"{result}/preparedArtifactState"]
    )
    evidence = project_reviewed_extraction_evidence(bare)
    assert "integrityRef" not in evidence
    assert gaps_of(evidence) == [{"kind": "dropped-provenance", "field": "preparedArtifact"}]


def test_a_choice_tells_every_candidate_in_item_order(reviewed, fee):
    evidence = evidence_of(reviewed, given(fee))
    chosen, rival = (one["id"] for one in fee["spec"]["candidates"])
    choice = evidence["metadata"]["reviewedExtraction"]["choice"]
    assert [list(one) for one in choice["candidates"]] == [
        ["candidateId", "role", "proposalIndex", "valueDigest"]
    ] * 2
    assert [one["proposalIndex"] for one in choice["candidates"]] == [0, 1]
    assert (choice["decisionCandidateId"], choice["chosenOver"]) == (chosen, [rival])


def test_the_digest_is_that_of_the_whole_text_however_it_was_put_together(reviewed, fee, area):
    """Proposal and item come as texts; the digest is that of anchors, gaps and input."""
    noted = given(area, droppedProvenance=['},"gaps":', ',"input":', '"method":"extraction"'])
    text_of = {
        one["reviewItem"]["metadata"]["name"]: canonical_json(one["reviewItem"])
        for one in (noted, given(fee))
    }
    for evidence_input in (given(fee), given(fee, index=1), given(area), noted):
        item_text = text_of[evidence_input["reviewItem"]["metadata"]["name"]]
        for at_hand in (None, item_text):
            evidence = project_evidence(
                reviewed.context, evidence_input, item_text=at_hand
            ).evidence
            part = evidence["metadata"]["reviewedExtraction"]
            covered = {
                "anchors": {name: one for name, one in evidence.items() if name != "metadata"},
                "gaps": part["gaps"],
                "input": part["input"],
            }
            assert part["profileDigest"] == f"sha256:{canonical_digest(covered)}"


def test_records_are_attached_to_the_first_item_that_refers_to_them(reviewed, fee, area):
    items = [evidence_of(reviewed, given(fee)), evidence_of(reviewed, given(area))]
    before = copy.deepcopy(items)
    attached = attach_import_records(items, [reviewed.context])
    carried = ["importRecord" in one["metadata"]["reviewedExtraction"] for one in attached]
    assert carried == [True, False]
    assert attach_import_records(attached, [reviewed.context]) == attached
    assert missing_import_records(items) == [reviewed.context.digest]
    assert missing_import_records(attached) == []
    assert items == before


def test_the_evidence_of_an_import_carries_its_record_once(reviewed, fee, area):
    written = project_evidence_of_import(reviewed.context, [given(fee), given(area)])
    parts = [one.evidence["metadata"]["reviewedExtraction"] for one in written]
    assert ["importRecord" in part for part in parts] == [True, False]
    evidence = [one.evidence for one in written]
    resolver = RecordResolver.of_evidence(evidence)
    for one in evidence:
        restore_reviewed_extraction_evidence(one, resolver)
    with pytest.raises(SurveyError) as caught:
        project_evidence_of_import(reviewed.context, [given(fee), given(area, claimId="")])
    assert (caught.value.pointer, caught.value.details["index"]) == ("/claimId", 1)


def test_the_record_is_copied_when_it_is_read(reviewed):
    record = copy.deepcopy(reviewed.record)
    context = read_record(record)
    record["spec"]["envelope"]["result"]["proposals"][4]["candidateValue"] = 13
    assert context.digest == reviewed.context.digest
    assert context.proposal(4).value == 12


# Refusals beyond the vectors


@cases(
    "operation code place",
    {
        "no input member": (["del", "collectedBy"], "evidence-malformed", "/collectedBy"),
        "an unknown member": (["set", "extra~", 1], "evidence-malformed", "/extra~0"),
        "a blank id": (["set", "evidenceId", ""], "evidence-malformed", "/evidenceId"),
        "dropped names": (["set", "droppedProvenance", [""]], "evidence-malformed", None),
        "an item alone": (["del", "reviewDecision"], "evidence-review-missing", "/reviewDecision"),
        "a boolean index": (["set", "proposalIndex", True], "evidence-proposal-unknown", None),
        "a negative index": (["set", "proposalIndex", -1], "evidence-proposal-unknown", None),
        "a null record": (["set", "importRecord", None], "evidence-record-invalid", None),
        "a record as text": (["set", "importRecord", "{}"], "evidence-record-invalid", None),
        "another kind": (["set", "importRecord/kind", "x"], "evidence-record-invalid", None),
        "no name": (["del", "importRecord/metadata/name"], "evidence-malformed", None),
        "another version": (
            ["set", "importRecord/spec/envelope/version", True],
            "evidence-record-invalid",
            "/importRecord/spec/envelope/format",
        ),
        "a task digest": (
            ["set", "importRecord/spec/envelope/result/taskDigest", "sha256:x"],
            "evidence-record-invalid",
            "/importRecord/spec/envelope/result/taskDigest",
        ),
        "no target": (
            ["set", "importRecord/spec/claimTargets", []],
            "evidence-record-invalid",
            None,
        ),
        "an artifact's reference": (
            ["set", "importRecord/spec/envelope/result/preparedArtifact/contentLength", 17],
            "evidence-artifact-invalid",
            "/importRecord/spec/envelope/result/preparedArtifact/ref",
        ),
        "an artifact's state": (
            ["set", "importRecord/spec/envelope/result/preparedArtifactState/extra", 1],
            "evidence-artifact-invalid",
            "/importRecord/spec/envelope/result/preparedArtifactState/extra",
        ),
        "a null model": (
            ["set", f"{CANDIDATE}/extraction/model", None],
            "evidence-item-mismatch",
            None,
        ),
        "another target": (["set", "reviewItem/spec/target", "x"], "evidence-item-mismatch", None),
        "true for one": (["set", f"{CANDIDATE}/confidence", True], "evidence-item-mismatch", None),
        "no candidate": (["set", "reviewItem/spec/candidates", []], "evidence-item-mismatch", None),
        "another item": (
            ["set", "reviewDecision/spec/reviewItemName", "x"],
            "evidence-decision-invalid",
            "/reviewDecision/spec/reviewItemName",
        ),
        "a null resolution": (
            ["set", "reviewDecision/spec/resolution", None],
            "evidence-decision-invalid",
            "/reviewDecision/spec/resolution",
        ),
        "30 February": (
            ["set", "reviewDecision/spec/reviewedAt", "2026-02-30T00:00:00Z"],
            "evidence-decision-invalid",
            "/reviewDecision/spec/reviewedAt",
        ),
        "a negative zero": (["set", "reviewItem/x", -0.0], "json-negative-zero", "/reviewItem/x"),
        "half a pair": (["set", "reviewItem/x", "\ud800"], "json-lone-surrogate", "/reviewItem/x"),
        "half a pair in a name": (["set", "claimId", "\ud800"], "json-lone-surrogate", "/claimId"),
        "not a number": (
            ["set", "reviewItem/x", float("nan")],
            "json-number-range",
            "/reviewItem/x",
        ),
    },
)
def test_what_is_wrong_is_refused_by_name(operation, code, place):
    changed = edited(golden(), operation)
    project_reviewed_extraction_evidence(golden())
    found = refused(project_reviewed_extraction_evidence, changed)
    assert found[0] == code
    if place is not None:
        assert found[1] == place


def test_candidates_of_a_choice_are_told_apart(reviewed, fee, area):
    def choice_fault(operation, item=fee):
        changed = edited(item, operation)
        return refused(project_evidence, reviewed.context, given(changed, decision(item)))

    first = fee["spec"]["candidates"][0]["id"]
    project_evidence(reviewed.context, given(fee))
    assert choice_fault(["set", "spec/candidates/1/id", first]) == (
        "evidence-choice-invalid",
        CANDIDATES,
    )
    assert choice_fault(["del", "spec/candidates/1/producer"])[1] == f"{CANDIDATES}/1/role"
    assert choice_fault(["set", "spec/candidates/1/role", "alternative"])[0] == (
        "evidence-choice-invalid"
    )
    assert choice_fault(["set", "spec/candidates/1/value", 1]) == (
        "evidence-item-mismatch",
        f"{CANDIDATES}/1/value",
    )
    two_priors = with_prior(with_prior(area))
    two_priors["spec"]["candidates"][0]["id"] = "other"
    made = decision(two_priors, 2)
    assert refused(project_evidence, reviewed.context, given(two_priors, made, 4)) == (
        "evidence-choice-invalid",
        f"{CANDIDATES}/1/role",
    )


def test_a_choice_of_nothing_is_no_evidence(reviewed, fee):
    rejected = decision(fee, None, status="rejected", resolution="rejected")
    assert refused(project_evidence, reviewed.context, given(fee, rejected)) == (
        "evidence-choice-invalid",
        "/reviewDecision/spec/candidateId",
    )


def test_a_proposal_without_a_candidate_cannot_be_cited(reviewed, fee):
    assert refused(project_evidence, reviewed.context, given(fee, index=2)) == (
        "evidence-choice-invalid",
        "/proposalIndex",
    )


def test_an_unresolved_import_has_evidence_without_a_review():
    unresolved = edited(
        golden(),
        ["set", "importRecord/status", {"state": "unresolved", "diagnostics": [{"kind": "x"}]}],
        ["del", "reviewItem"],
        ["del", "reviewDecision"],
    )
    evidence = project_reviewed_extraction_evidence(unresolved)
    assert support(evidence) == CITED
    assert gaps_of(evidence) == [{"kind": "review-not-accepted", "disposition": "not-reviewed"}]
    restore_reviewed_extraction_evidence(evidence)


@cases(
    "state gap",
    {
        "unavailable": (
            {"status": "unavailable"},
            {"kind": "artifact-unavailable", "status": "unavailable", "requestedRef": "REF"},
        ),
        "invalid": (
            {"status": "invalid-artifact", "reason": "invalid-ref"},
            {"kind": "artifact-unavailable", "status": "invalid-artifact", "reason": "invalid-ref"},
        ),
        "other text": (
            {"status": "digest-mismatch", "actualDigest": "0" * 64, "actualContentLength": 3},
            {"kind": "digest-mismatch", "requestedRef": "REF", "expectedDigest": "DIGEST"}
            | {"actualDigest": "0" * 64, "actualContentLength": 3},
        ),
    },
)
def test_an_artifact_that_was_not_had_is_a_gap(state, gap):
    result = golden()["importRecord"]["spec"]["envelope"]["result"]
    ref, digest = result["preparedArtifact"]["ref"], result["preparedArtifact"]["digest"]
    state = {**state, "canonicalRef": ref}
    if state["status"] != "invalid-artifact":
        state["requestedRef"] = ref
    unresolved = edited(
        golden(),
        ["set", "importRecord/status", {"state": "unresolved", "diagnostics": [{"kind": "x"}]}],
        ["set", "importRecord/spec/envelope/result/preparedArtifactState", state],
    )
    known = {"REF": ref, "DIGEST": digest}
    expected = {name: known.get(value, value) for name, value in gap.items()}
    evidence = project_reviewed_extraction_evidence(unresolved)
    assert gaps_of(evidence) == [{**expected, "canonicalRef": ref}]


def test_misuse_is_no_refusal(reviewed, area):
    for wrong in (None, [], "{}", 1):
        with pytest.raises(TypeError):
            project_reviewed_extraction_evidence(wrong)
    with pytest.raises(ValueError, match="profile"):
        project_evidence(reviewed.context, given(area), profile="v2")
    with pytest.raises(TypeError):
        project_evidence(reviewed.context, given(edited(area, ["set", "labels", object()])))
    assert refused(project_evidence, reviewed.context, given(area) | {"importRecord": {}}) == (
        "evidence-malformed",
        "/importRecord",
    )


def test_every_item_of_a_round_restores(reviewed):
    for item in reviewed.items.values():
        for carry_record in (False, True):
            evidence = evidence_of(reviewed, given(item), carry_record=carry_record)
            resolver = None if carry_record else reviewed.resolver()
            found = restore_reviewed_extraction_evidence(evidence, resolver)
            assert found.is_accepted
            assert found.anchors == {k: v for k, v in evidence.items() if k != "metadata"}


def test_a_proposal_is_checked_when_it_is_cited_and_no_sooner():
    unreadable = number("fee", 48000, "48000", extractor="an extractor")
    context = read_record(
        edited(
            golden(),
            ["append", "importRecord/spec/envelope/result/proposals", unreadable],
            [
                "append",
                "importRecord/spec/claimTargets",
                golden()["importRecord"]["spec"]["claimTargets"][0],
            ],
        )["importRecord"]
    )
    project_evidence(context, without_record(golden()))
    with pytest.raises(SurveyError) as caught:
        project_evidence(context, {**without_record(golden()), "proposalIndex": 1})
    place = "/importRecord/spec/envelope/result/proposals/1/extractor"
    assert (caught.value.code, caught.value.pointer) == ("evidence-malformed", place)
