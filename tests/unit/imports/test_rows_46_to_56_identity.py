"""Rows 46 to 56 of the import's edge table: claim targets, grouping and identities.

Proven: 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56.
"""

import re

import pytest
from tests.unit.imports.samples import (
    DIGEST,
    FIRST,
    TARGET,
    candidates,
    cases,
    cut,
    envelope,
    producer,
    proposal,
    put,
    put_all,
    refused,
    run,
    vendor,
)

from survey_fast import ImportResult, resolution_identity
from survey_fast.errors import ImportRefusedError

TEXT = "Fee 48000, fee 48000, deposit 52000."


def fees(*proposals):
    return envelope(TEXT, *proposals)


def fee(value=48000, excerpt="48000", nth=0, field="fee", **members):
    return proposal(field, value, TEXT, excerpt, nth, **members)


def names(result: ImportResult):
    return [item["metadata"]["name"] for item in result.review_items]


@pytest.mark.parametrize("name", ["", " ", "\t\u00a0\ufeff"], ids=ascii)
def test_row_46_blank_names(name):
    invalid = "envelope-invalid-value"
    assert refused(run, vendor(), import_name=name) == (invalid, "/metadata/name")
    expected = (invalid, "/metadata/producerNamespace")
    assert refused(run, vendor(), producer_namespace=name) == expected


@pytest.mark.parametrize("kind", ["fax", "", "Web-Page"])
def test_row_46_unknown_source_kind(kind):
    expected = ("envelope-invalid-value", "/spec/sourceKind")
    assert refused(run, vendor(), source_kind=kind) == expected
    assert refused(run, vendor("failure-no-usable-answer"), source_kind=kind) == expected


@cases(
    "change pointer",
    {
        "extra member": ({"note": "x"}, "/note"),
        "blank claim id": ({"claimId": " "}, "/claimId"),
        "blank origin": ({"derivedFrom": ["a", " "]}, "/derivedFrom/1"),
        "origins not a list": ({"derivedFrom": "a"}, "/derivedFrom"),
        "blank subject": ({"subjectId": "\u2003"}, "/subjectId"),
        "unknown impact": ({"impactLevel": "grave"}, "/impactLevel"),
        "null collector": ({"collectedBy": None}, "/collectedBy"),
        "blank field": ({"fieldOrBehavior": ""}, "/fieldOrBehavior"),
    },
)
def test_row_46_target_out_of_shape(change, pointer):
    targets = [TARGET, {**TARGET, **change}, TARGET]
    assert refused(run, vendor(), claim_targets=targets) == (
        "import-target-invalid",
        f"/1{pointer}",
    )
    by_field = {"fee": {**TARGET, **change}}
    assert refused(run, vendor(), claim_targets=by_field) == (
        "import-target-invalid",
        f"/fee{pointer}",
    )


@pytest.mark.parametrize("member", [name for name in TARGET if name != "fieldOrBehavior"])
def test_row_46_target_incomplete(member):
    targets = [TARGET, cut(TARGET, f"/{member}"), TARGET]
    expected = ("import-target-invalid", f"/1/{member}")
    assert refused(run, vendor(), claim_targets=targets) == expected


def test_row_46_target_with_every_optional_member():
    full = {
        **TARGET,
        "claimId": "claim-1",
        "evidenceType": "anything at all",
        "evidenceMethod": "reading",
        "collectedBy": " a person ",
        "derivedFrom": [],
    }
    result = run(vendor(), claim_targets=[full] * 3)
    assert [one["claimTarget"] for one in candidates(result)] == [full, full]


def test_row_47_one_value_at_two_spans():
    (item,) = run(fees(fee(), fee(nth=1))).review_items
    assert producer(item)["proposalIndices"] == [0, 1]
    assert item["spec"]["candidateSetStatus"] == "needs-review"
    (candidate,) = item["spec"]["candidates"]
    (same,) = producer(candidate)["sameValueProposals"]
    assert same == {
        "proposalIndex": 1,
        "evidenceId": same["evidenceId"],
        "locator": "chars:15-20",
        "excerpt": "48000",
    }
    assert same["evidenceId"] != producer(candidate)["evidenceId"] == producer(item)["evidenceId"]


def test_row_48_two_values():
    (item,) = run(fees(fee(52000, "52000"), fee(), fee(52000, "52000"))).review_items
    assert item["spec"]["candidateSetStatus"] == "conflict"
    assert item["status"]["observedCandidateCount"] == 2
    assert [one["value"] for one in item["spec"]["candidates"]] == [52000, 48000]
    assert producer(item)["proposalIndices"] == [0, 1, 2]


def test_row_49_one_value_in_two_fields():
    first, second = run(fees(fee(), fee(nth=1, field="deposit"))).review_items
    assert [first["spec"]["target"], second["spec"]["target"]] == ["fee", "deposit"]
    assert producer(first)["evidenceId"] != producer(second)["evidenceId"]


def test_row_50_one_span_in_two_fields():
    first, second = run(fees(fee(), fee(field="deposit"))).review_items
    assert first["metadata"]["name"] != second["metadata"]["name"]
    assert producer(first)["evidenceId"] == producer(second)["evidenceId"]
    assert first["spec"]["candidates"][0]["id"] != second["spec"]["candidates"][0]["id"]


def test_row_51_two_paths_for_one_claim():
    document = fees(fee(field="annual"), fee(52000, "52000", field="fee"))
    (item,) = run(document, claim_targets=[TARGET, TARGET]).review_items
    assert item["spec"]["target"] == "annual"
    targets = [one["extraction"]["target"] for one in item["spec"]["candidates"]]
    assert targets == ["annual", "fee"]


def test_row_52_slots_told_apart():
    rows = fees(fee(pathIndices=[0]), fee(pathIndices=[1]), fee(pathIndices=[0, 0]))
    assert len(set(names(run(rows)))) == 3
    plain = fees(fee(), fee(), fee())
    targets = [TARGET, {**TARGET, "claimId": "a"}, {**TARGET, "claimId": "b"}]
    assert len(set(names(run(plain, claim_targets=targets)))) == 3
    spaced = [TARGET, {**TARGET, "fieldOrBehavior": "fee "}, TARGET]
    first, second = run(plain, claim_targets=spaced).review_items
    assert producer(first)["proposalIndices"] == [0, 2]
    assert producer(second)["proposalIndices"] == [1]


@cases(
    "change",
    {
        "impact": ({"impactLevel": "low"},),
        "evidence type": ({"evidenceType": "crawl"},),
        "origins": ({"derivedFrom": []},),
    },
)
def test_row_53_one_claim_with_two_targets(change):
    document = fees(fee(field="other"), fee(), fee(nth=1))
    targets = [{**TARGET, "claimId": "other"}, TARGET, {**TARGET, **change}]
    with pytest.raises(ImportRefusedError) as caught:
        run(document, claim_targets=targets)
    assert caught.value.code == "import-target-conflict"
    assert caught.value.pointer == "/spec/claimTargets/2"
    assert {"1", "2"} <= set(re.findall(r"\d+", caught.value.message))


def identity(document, **options):
    """Item name, candidate id, extraction id, evidence id and resolution base of proposal 0."""
    result = run(document, **options)
    item = result.review_items[0]
    candidate = item["spec"]["candidates"][0]
    resolved = resolution_identity(result, 0, new_uuid=lambda: "uuid")
    base = resolved.evidence_id.split(".")[2]
    return {
        "item": item["metadata"]["name"],
        "candidate": candidate["id"],
        "extraction": candidate["extraction"]["extractionId"],
        "evidence": producer(candidate)["evidenceId"],
        "base": base,
    }


def changed(document, **options):
    """Which identities differ from those of the sample."""
    before, after = identity(fees(fee())), identity(document, **options)
    assert after["candidate"] == f"{after['extraction']}.proposed"
    return {name for name in before if before[name] != after[name]}


CANDIDATE = {"candidate", "extraction", "base"}
OCCURRENCE = f"{FIRST}/provenance/occurrence"


@cases(
    "changes also",
    {
        "confidence": ({f"{FIRST}/confidence": 0.5}, set()),
        "extractor": ({f"{FIRST}/extractor": "other"}, set()),
        "inference": ({f"{FIRST}/inferenceType": "explicit"}, set()),
        "type and words": ({f"{FIRST}/valueType": "enum", f"{FIRST}/enumValues": ["a"]}, set()),
        "path indices": ({f"{FIRST}/pathIndices": [0]}, {"item"}),
        "occurrence index": ({f"{OCCURRENCE}/selected/index": 1}, {"evidence"}),
        "annotation": (
            {
                f"{FIRST}/producedBy": {
                    "model": "m",
                    "modelSource": "configured",
                    "requestDigest": DIGEST,
                }
            },
            set(),
        ),
    },
)
def test_row_54_every_member_of_a_proposal_counts(changes, also):
    assert changed(put_all(fees(fee()), changes)) == CANDIDATE | also


@cases(
    "document expected",
    {
        "field": (fees(fee(field="dues")), CANDIDATE | {"item"}),
        "value": (fees(fee(48001)), CANDIDATE),
        "value and field": (fees(fee(48001, field="dues")), CANDIDATE | {"item"}),
        "excerpt": (fees(fee(excerpt="48000, fee")), CANDIDATE | {"evidence"}),
        "occurrence": (fees(fee(nth=1)), CANDIDATE | {"evidence"}),
        "another proposal after it": (fees(fee(), fee(field="dues")), set()),
        "the same value again": (fees(fee(), fee(nth=1)), {"candidate", "extraction"}),
    },
)
def test_row_55_what_evidence_depends_on(document, expected):
    assert changed(document) == expected


EVERYTHING = CANDIDATE | {"item", "evidence"}


@cases(
    "options expected",
    {
        "namespace": ({"producer_namespace": "other"}, EVERYTHING),
        "import name": ({"import_name": "other"}, EVERYTHING),
        "source kind": ({"source_kind": "web-page"}, {"evidence"}),
        "impact": (
            {"claim_targets": {"fee": {**TARGET, "impactLevel": "low"}}},
            CANDIDATE,
        ),
    },
)
def test_row_56_names_are_part_of_every_identity(options, expected):
    assert changed(fees(fee()), **options) == expected


@cases(
    "pointer value expected",
    {
        "run": (
            "/result/runId",
            "traverse-extraction-run:00000000-0000-4000-8000-000000000002",
            CANDIDATE | {"item"},
        ),
        "time": ("/result/extractedAt", "later", {"evidence"}),
        "source": ("/source/ref", "sample:other", EVERYTHING),
        "snapshot": ("/source/snapshotRef", "sample:other", EVERYTHING),
        "model": ("/result/model", "other", set()),
        "calls": ("/result/providerCalls", 2, set()),
    },
)
def test_row_56_what_else_identities_depend_on(pointer, value, expected):
    assert changed(put(fees(fee()), pointer, value)) == expected
