"""Rows 67 to 74 of the import's edge table: stored records, bound statuses, resolution ids.

Proven: 67, 68, 69, 70, 71, 72, 73, 74.
"""

import uuid

import pytest
from tests.reference.identity import resolution_base
from tests.unit.imports.samples import (
    TARGET,
    by_path,
    cases,
    cut,
    prepared_text,
    producer,
    put,
    put_all,
    refused,
    run,
    vendor,
)

from survey_fast import (
    available_artifact,
    export_import,
    import_from_bound_status,
    resolution_identity,
    review_items,
    validate_import,
)
from survey_fast.attest import (
    attest_review_queue_extraction,
    validate_review_queue_against_extraction_import,
)

INCOHERENT = "import-status-incoherent"
DIAGNOSTICS = "/status/diagnostics"
OPTIONS = {
    "source_kind": "uploaded-document",
    "import_name": "vendor-import",
    "producer_namespace": "fixture-producer",
    "claim_targets": by_path,
}


def verified(*made_up):
    """A verified import in which these proposals name words that are not there."""
    document = vendor()
    for index in made_up:
        document["result"]["proposals"][index]["provenance"]["excerpt"] = "99999"
    return run(document, artifact=available_artifact(prepared_text()))


def unreadable(code="not-found"):
    return run(vendor(), artifact={"status": "unavailable", "code": code})


def test_row_67_diagnostics_deleted_from_a_verified_record():
    # A documented limit: what is left is another record that an import could have written.
    emptied = put(verified(2).record, DIAGNOSTICS, [])
    assert validate_import(emptied) == emptied
    assert len(review_items(emptied)[0]["spec"]["candidates"]) == 2


FIRST_FOUND = f"{DIAGNOSTICS}/0"


@cases(
    "changes pointer",
    {
        "index beyond the proposals": ({f"{FIRST_FOUND}/proposalIndex": 7}, FIRST_FOUND),
        "index of another proposal": ({f"{FIRST_FOUND}/proposalIndex": 0}, FIRST_FOUND),
        "index as text": ({f"{FIRST_FOUND}/proposalIndex": "2"}, FIRST_FOUND),
        "index below zero": ({f"{FIRST_FOUND}/proposalIndex": -1}, FIRST_FOUND),
        "another locator": ({f"{FIRST_FOUND}/locator": "chars:0-5"}, FIRST_FOUND),
        "another kind": ({f"{FIRST_FOUND}/kind": "excerpt-missing"}, FIRST_FOUND),
        "extra member": ({f"{FIRST_FOUND}/note": "x"}, FIRST_FOUND),
        "not a diagnostic": ({FIRST_FOUND: "excerpt-mismatch"}, FIRST_FOUND),
        "provenance flipped": ({"/status/provenance": "unverified"}, FIRST_FOUND),
        "state flipped": ({"/status/state": "unresolved"}, "/status/state"),
        "unknown state": ({"/status/state": "fine"}, "/status/state"),
    },
)
def test_row_68_status_no_import_could_have_written(changes, pointer):
    record = put_all(verified(2).record, changes)
    assert refused(validate_import, record) == (INCOHERENT, pointer)


def test_row_68_diagnostics_repeated_or_out_of_order():
    one, two = verified(1, 2).record["status"]["diagnostics"]
    for diagnostics in ([one, one], [two, one], [one, two, two]):
        record = put(verified(1, 2).record, DIAGNOSTICS, diagnostics)
        last = f"{DIAGNOSTICS}/{len(diagnostics) - 1}"
        assert refused(validate_import, record) == (INCOHERENT, last)


def test_row_68_every_proposal_excluded_is_not_grounded():
    record = verified(0, 1, 2).record
    assert record["status"]["state"] == "unresolved"
    record = put(record, "/status/state", "grounded")
    assert refused(validate_import, record) == (INCOHERENT, "/status/state")


@cases(
    "changes pointer",
    {
        "code left out": ({FIRST_FOUND: {}}, FIRST_FOUND),
        "unknown code": ({f"{FIRST_FOUND}/code": "gone"}, FIRST_FOUND),
        "code of another status": ({f"{FIRST_FOUND}/code": "storage-error"}, FIRST_FOUND),
        "another artifact": ({f"{FIRST_FOUND}/artifactRef": "x"}, FIRST_FOUND),
        "called verified": ({"/status/provenance": "verified"}, FIRST_FOUND),
        "called grounded": ({"/status/state": "grounded"}, "/status/state"),
        "no longer said": ({DIAGNOSTICS: []}, "/status/state"),
    },
)
def test_row_68_text_that_could_not_be_had(changes, pointer):
    record = put_all(unreadable().record, changes)
    assert refused(validate_import, record) == (INCOHERENT, pointer)


def test_row_68_only_one_reason_why_there_was_no_text():
    record = unreadable().record
    twice = put(record, DIAGNOSTICS, record["status"]["diagnostics"] * 2)
    assert refused(validate_import, twice) == (INCOHERENT, f"{DIAGNOSTICS}/1")
    bare = cut(record, "/spec/envelope/result/preparedArtifact")
    assert refused(validate_import, bare) == (INCOHERENT, FIRST_FOUND)


def test_row_68_the_findings_of_the_envelope_itself():
    record = run(vendor("failure-no-usable-answer")).record
    without = put(record, "/status", {**record["status"], "diagnostics": [], "state": "grounded"})
    assert refused(validate_import, without) == (INCOHERENT, DIAGNOSTICS)
    other = put(record, f"{FIRST_FOUND}/category", "preparation")
    assert refused(validate_import, other) == (INCOHERENT, FIRST_FOUND)


@pytest.mark.parametrize("message", ["", "another wording", None, 7, []], ids=ascii)
def test_row_68_messages_are_never_compared(message):
    for record in (verified(2).record, unreadable().record):
        assert validate_import(put(record, f"{FIRST_FOUND}/message", message))
        assert validate_import(cut(record, f"{FIRST_FOUND}/message"))


def test_row_69_provenance_missing():
    record = cut(run(vendor()).record, "/status/provenance")
    expected = ("import-provenance-missing", "/status/provenance")
    assert refused(validate_import, record) == expected
    assert refused(review_items, record) == expected
    assert refused(export_import, record) == expected


@pytest.mark.parametrize(
    "value", [None, "", "Verified", "verified ", True, 1, "trusted"], ids=ascii
)
def test_row_69_provenance_that_is_none(value):
    record = put(run(vendor()).record, "/status/provenance", value)
    expected = ("envelope-invalid-value", "/status/provenance")
    assert refused(validate_import, record) == expected


def test_row_70_verified_against_no_artifact():
    record = run(cut(vendor(), "/result/preparedArtifact")).record
    assert validate_import(record) == record
    record = put(record, "/status/provenance", "verified")
    assert refused(validate_import, record) == (INCOHERENT, DIAGNOSTICS)


@pytest.mark.parametrize("count", [0, 2, 4])
def test_row_71_targets_that_do_not_align(count):
    record = put(run(vendor()).record, "/spec/claimTargets", [TARGET] * count)
    expected = ("import-target-invalid", "/spec/claimTargets")
    assert refused(validate_import, record) == expected


@cases(
    "pointer value code",
    {
        "version": ("/apiVersion", "survey.kontourai.io/v1", "envelope-unsupported-version"),
        "kind": ("/kind", "ReviewItem", "envelope-unsupported-version"),
        "extra member": ("/note", 1, "envelope-unexpected-member"),
        "blank name": ("/metadata/name", "\t", "envelope-invalid-value"),
        "blank namespace": ("/metadata/producerNamespace", "", "envelope-invalid-value"),
        "source kind": ("/spec/sourceKind", "fax", "envelope-invalid-value"),
        "target": ("/spec/claimTargets/1/impactLevel", "grave", "import-target-invalid"),
        "envelope": ("/spec/envelope/result/provider", "", "envelope-invalid-value"),
        "extra in spec": ("/spec/artifact", {}, "envelope-unexpected-member"),
        "extra in status": ("/status/note", 1, "envelope-unexpected-member"),
        "diagnostics": ("/status/diagnostics", {}, "envelope-invalid-value"),
    },
)
def test_record_out_of_shape(pointer, value, code):
    record = put(run(vendor()).record, pointer, value)
    assert refused(validate_import, record) == (code, pointer)


@pytest.mark.parametrize("made_up", [(), (2,), (0, 2), (0, 1, 2)])
def test_row_72_bound_status_gives_the_verified_import_again(made_up):
    original = verified(*made_up)
    document = original.record["spec"]["envelope"]
    again = import_from_bound_status(document, original.status, **OPTIONS)
    assert again == original


def test_row_72_an_excluded_rival_may_have_another_target():
    def target(proposed, index):
        return {**by_path(proposed, index), "impactLevel": "low" if index == 2 else "high"}

    document = verified(2).record["spec"]["envelope"]
    artifact = available_artifact(prepared_text())
    options = {**OPTIONS, "claim_targets": target}
    original = run(document, artifact=artifact, claim_targets=target)
    (item,) = original.review_items
    assert producer(item)["excludedProposals"][0]["proposalIndex"] == 2
    assert import_from_bound_status(document, original.status, **options) == original


def test_row_72_bound_status_of_another_import():
    status = verified(2).status
    expected = (INCOHERENT, FIRST_FOUND)
    # In this envelope the third proposal says something that stands in its place.
    document = put(vendor(), "/result/proposals/2/provenance/locator", "chars:0-5")
    selected = "/result/proposals/2/provenance/occurrence/selected"
    document = put(document, selected, {"index": 0, "start": 0, "end": 5})
    assert refused(import_from_bound_status, document, status, **OPTIONS) == expected


def test_row_73_bound_status_with_its_mismatch_removed():
    original = verified(2)
    emptied = {**original.status, "diagnostics": []}
    document = original.record["spec"]["envelope"]
    forged = import_from_bound_status(document, emptied, **OPTIONS)
    assert validate_import(forged) == forged.record
    assert validate_review_queue_against_extraction_import(original, original) == []
    (issue,) = validate_review_queue_against_extraction_import(original, forged)
    assert issue.code == "item-diverges-from-extraction"
    assert attest_review_queue_extraction(original, forged).state == "diverges"


def test_row_73_with_a_slot_that_had_no_item():
    document = vendor()
    document["result"]["proposals"][2] |= {"fieldPath": "deposit"}
    document["result"]["proposals"][2]["provenance"]["excerpt"] = "99999"
    original = run(document, artifact=available_artifact(prepared_text()))
    forged = import_from_bound_status(document, {**original.status, "diagnostics": []}, **OPTIONS)
    assert (len(original.review_items), len(forged.review_items)) == (1, 2)
    (issue,) = validate_review_queue_against_extraction_import(original, forged)
    assert issue.code == "item-missing-from-queue"
    assert issue.item_name == forged.review_items[1]["metadata"]["name"]


def test_row_74_resolution_identity_is_fresh_each_time():
    result = verified(2)
    fresh = iter(str(uuid.UUID(int=number, version=4)) for number in (1, 2))
    first, second = (resolution_identity(result, 1, new_uuid=lambda: next(fresh)) for _ in "ab")
    base = resolution_base(result.record, 1)
    for made, number in ((first, 1), (second, 2)):
        text = uuid.UUID(int=number, version=4)
        assert made.evidence_id == f"survey.extraction.{base}.resolution-evidence.{text}"
        assert made.event_id == f"survey.extraction.{base}.resolution-event.{text}"


def test_row_74_merged_excluded_and_unresolved_proposals_have_one():
    for result in (verified(2), verified(0, 1, 2), unreadable()):
        bases = set()
        for index in range(3):
            made = resolution_identity(result, index, new_uuid=lambda: "u")
            assert made.evidence_id.split(".")[2] == resolution_base(result.record, index)
            bases.add(made.evidence_id)
        assert len(bases) == 3


@pytest.mark.parametrize("index", [-1, 3, 10**6, 2**63, 2**64])
def test_row_74_no_such_proposal(index):
    call = {"new_uuid": lambda: "u"}
    expected = ("import-proposal-unknown", "")
    assert refused(resolution_identity, run(vendor()), index, **call) == expected


@pytest.mark.parametrize("index", [1.5, 1.0, "1", True, None], ids=ascii)
def test_row_74_an_index_is_an_int(index):
    with pytest.raises(TypeError):
        resolution_identity(run(vendor()), index, new_uuid=lambda: "u")


def test_row_74_the_record_is_validated():
    record = cut(run(vendor()).record, "/status/provenance")
    expected = ("import-provenance-missing", "/status/provenance")
    assert refused(resolution_identity, record, 0, new_uuid=lambda: "u") == expected
