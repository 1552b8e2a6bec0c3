"""The first thing wrong is the one reported, in an order that is part of the format."""

from itertools import combinations

import pytest
from tests.unit.imports.samples import (
    FIRST,
    TARGET,
    artifact_of,
    cases,
    envelope,
    proposal,
    put,
    refused,
    run,
    vendor,
)

from survey_fast import validate_import

TEXT = "Fee 48000, deposit 52000."
INVALID = "envelope-invalid-value"
INCONSISTENT = "envelope-inconsistent"
UNEXPECTED = "envelope-unexpected-member"


def sample():
    """A loss with every optional member that has a place in the order of checks."""
    own = envelope(
        TEXT,
        proposal("fee", 48000, TEXT, "48000"),
        proposal("deposit", 52000, TEXT, "52000"),
        model="sample-model",
        outcome={"status": "partial", "reason": "output-truncated"},
        partial={"reason": "output-truncated", "completedChunks": 1, "remainingChunks": 0},
        warningClassifications=[{"category": "other", "code": "a"}],
        providerFailures=[{"provider": "p", "kind": "timeout", "retryable": True}],
        taskDigest="sha256:" + "a" * 64,
        exampleDigests=[],
        pdfPageOffsets=[0],
        ocrDerived=True,
        pdfLayout={"elements": []},
        coverage=[{"chunk": 1, "start": 0, "end": 25, "status": "output-truncated"}],
    )
    ref = own["result"]["preparedArtifact"]["ref"]
    state = {"status": "available", "requestedRef": ref, "canonicalRef": ref}
    return put(own, "/result/preparedArtifactState", state)


# One fault each, in the order in which they are to be found: where, what, and the code.
FAULTS = [
    ("/result/proposals/1/candidateValue", -0.0, "json-negative-zero"),
    ("/note", 1, UNEXPECTED),
    ("/format", "other", "envelope-unsupported-version"),
    ("/version", 2, "envelope-unsupported-version"),
    ("/source/note", 1, UNEXPECTED),
    ("/source/ref", "", INVALID),
    ("/source/snapshotRef", "", INVALID),
    ("/result/note", 1, UNEXPECTED),
    ("/result/provider", "", INVALID),
    ("/result/model", "", INVALID),
    ("/result/runId", "", INVALID),
    ("/result/extractedAt", "", INVALID),
    ("/result/providerCalls", -1, INVALID),
    ("/result/totalTokensUsed", -1, INVALID),
    ("/result/raw/note", 1, UNEXPECTED),
    ("/result/outcome/reason", "x", INVALID),
    ("/result/partial/tokenOvershoot", 0, INVALID),
    ("/result/warningClassifications/0/category", "x", INVALID),
    ("/result/providerFailures/0/kind", "x", INVALID),
    ("/result/taskDigest", "x", INVALID),
    ("/result/exampleDigests", {}, INVALID),
    ("/result/pdfPageOffsets/0", -1, INVALID),
    ("/result/ocrDerived", False, INVALID),
    ("/result/preparedArtifact/preparationMode", "x", INVALID),
    ("/result/pdfLayout/elements", {}, INVALID),
    ("/result/coverage/0/end", 26, INCONSISTENT),
    ("/result/preparedArtifactState/status", "x", INVALID),
    (f"{FIRST}/note", 1, UNEXPECTED),
    (f"{FIRST}/fieldPath", "", INVALID),
    (f"{FIRST}/confidence", 2, INVALID),
    (f"{FIRST}/provenance/excerpt", "", INVALID),
    (f"{FIRST}/extractor", "", INVALID),
    (f"{FIRST}/pathIndices", {}, INVALID),
    (f"{FIRST}/inferenceType", "x", INVALID),
    (f"{FIRST}/valueType", "x", INVALID),
    (f"{FIRST}/enumValues", {}, INVALID),
    (f"{FIRST}/producedBy", {}, "envelope-missing-member"),
    ("/result/proposals/1/fieldPath", "", INVALID),
]


def test_the_sample_is_fine():
    assert run(sample()).is_grounded


@pytest.mark.parametrize("at", range(len(FAULTS)), ids=lambda at: FAULTS[at][0])
def test_each_fault_is_found_before_all_later_ones(at):
    place, value, code = FAULTS[at]
    faulty = put(sample(), place, value)
    missing = "/model" if code == "envelope-missing-member" else ""
    expected = (code, place + missing)
    assert refused(run, faulty) == expected
    for later, other, _ in FAULTS[at + 1 :]:
        if not later.startswith(place):
            assert refused(run, put(faulty, later, other)) == expected


def test_agreement_of_outcome_and_coverage_stands_between_coverage_and_state():
    silent_loss = put(sample(), "/result/coverage/0/status", "complete")
    expected = (INCONSISTENT, "/result/coverage")
    assert refused(run, silent_loss) == expected
    later = put(silent_loss, "/result/preparedArtifactState/status", "x")
    assert refused(run, later) == expected
    earlier = put(silent_loss, "/result/coverage/0/end", 26)
    assert refused(run, earlier) == (INCONSISTENT, "/result/coverage/0/end")


def test_agreement_of_snapshots_stands_between_state_and_proposals():
    artifact = artifact_of(TEXT, sourceSnapshotRef="snapshot:2")
    state = {
        "status": "available",
        "requestedRef": artifact["ref"],
        "canonicalRef": artifact["ref"],
    }
    two = envelope(TEXT, {}, preparedArtifact=artifact, preparedArtifactState=state)
    two = put(two, "/source/snapshotRef", "snapshot:1")
    assert refused(run, two) == (INCONSISTENT, "/source/snapshotRef")
    place = "/result/preparedArtifactState/status"
    assert refused(run, put(two, place, "x")) == (INVALID, place)


# What the caller asks for, in the order in which it is judged: option, value, refusal.
OPTIONS = [
    (
        {"claim_targets": [{**TARGET, "facet": ""}, TARGET, TARGET]},
        ("import-target-invalid", "/0/facet"),
    ),
    ({"import_name": " "}, (INVALID, "/metadata/name")),
    ({"producer_namespace": " "}, (INVALID, "/metadata/producerNamespace")),
    ({"artifact": {"status": "lost"}}, ("artifact-option-invalid", "/status")),
    ({"source_kind": "fax"}, (INVALID, "/spec/sourceKind")),
]


@pytest.mark.parametrize("at", range(len(OPTIONS)), ids=lambda at: next(iter(OPTIONS[at][0])))
def test_options_are_judged_in_order(at):
    options, expected = OPTIONS[at]
    assert refused(run, vendor(), **options) == expected
    for later, _ in OPTIONS[at + 1 :]:
        assert refused(run, vendor(), **{**later, **options}) == expected


def test_options_are_judged_after_the_envelope_and_before_grouping():
    apart = [TARGET, {**TARGET, "impactLevel": "low"}, TARGET]
    conflict = ("import-target-conflict", "/spec/claimTargets/1")
    assert refused(run, vendor(), claim_targets=apart) == conflict
    for options, expected in OPTIONS:
        assert refused(run, vendor(), **{"claim_targets": apart, **options}) == expected
        broken = put(vendor(), f"{FIRST}/extractor", "")
        assert refused(run, broken, **options) == (INVALID, f"{FIRST}/extractor")


# Places of a record in the order in which they are judged.
RECORD_FAULTS = [
    ("/spec/envelope/result/proposals/2/candidateValue", -0.0, "json-negative-zero"),
    ("/note", 1, UNEXPECTED),
    ("/apiVersion", "x", "envelope-unsupported-version"),
    ("/kind", "x", "envelope-unsupported-version"),
    ("/metadata/note", 1, UNEXPECTED),
    ("/metadata/name", "", INVALID),
    ("/metadata/producerNamespace", "", INVALID),
    ("/spec/note", 1, UNEXPECTED),
    ("/spec/envelope/result/provider", "", INVALID),
    ("/spec/sourceKind", "x", INVALID),
    ("/spec/claimTargets/1/facet", "", "import-target-invalid"),
    ("/status/note", 1, UNEXPECTED),
    ("/status/provenance", "x", INVALID),
    ("/status/diagnostics", {}, INVALID),
    ("/status/state", "x", "import-status-incoherent"),
]


@cases(
    "first second",
    {f"{one[0]} {two[0]}": (one, two) for one, two in combinations(RECORD_FAULTS, 2)},
)
def test_records_are_judged_in_order(first, second):
    place, value, code = first
    record = put(run(vendor()).record, place, value)
    assert refused(validate_import, record) == (code, place)
    both = put(record, second[0], second[1])
    assert refused(validate_import, both) == (code, place)


@cases(
    "names expected",
    {
        "an unknown before a missing member": (
            {"zebra": 1},
            (UNEXPECTED, "/result/proposals/0/zebra"),
        ),
        "the missing ones in the order of the format": (
            {},
            ("envelope-missing-member", "/result/proposals/0/fieldPath"),
        ),
        "and then the values": (
            {"fieldPath": "", "candidateValue": 1, "provenance": 1, "extractor": ""},
            (INVALID, "/result/proposals/0/fieldPath"),
        ),
    },
)
def test_members_of_one_object(names, expected):
    assert refused(run, put(vendor(), FIRST, names)) == expected
