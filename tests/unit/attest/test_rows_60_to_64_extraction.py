"""A queue against the import it says it comes from.

Proves the rows 60, 61, 62, 63 and 64 of the edge table. Left to the parts that bring the surfaces:
of row 62 the console's and the workbench's answers; of row 63 the answers of the console (409 and
422) and the tool error; row 59, the rebuilt record of a run. Row 66 belongs to field states.
"""

import pytest
from tests.reference.attest import compare
from tests.unit.attest.samples import (
    KEY,
    bound,
    codes,
    edited,
    fee_envelope,
    findings,
    imported,
    names_of,
    opened,
)

from survey_fast import (
    assert_review_queue_against_extraction_import,
    attest_review_queue_extraction,
    review_items,
    validate_review_queue_against_extraction_import,
    validate_review_queue_binding,
)
from survey_fast.canon import data_json
from survey_fast.errors import (
    ImportRefusedError,
    JsonError,
    QueueError,
    SurveyError,
    UnattestedExtractionQueueError,
)
from survey_fast.limits import ImportLimits

ENTRY = ("metadata", "producer", KEY, "excludedProposals")


@pytest.fixture(scope="module")
def result():
    return imported()


@pytest.fixture(scope="module")
def items(result):
    return result.review_items


def check(queue, record):
    return findings(validate_review_queue_against_extraction_import(queue, record))


# The four states


def test_attested(result, items):
    for queue in (result, items, opened(items), data_json(items), result.items_bytes.decode()):
        for record in (result, result.record, result.record_bytes, result.record_bytes.decode()):
            attestation = attest_review_queue_extraction(queue, record)
            assert attestation.state == "attested"
            assert attestation.profile == "jcs"
            assert (attestation.issues, attestation.message) == ((), "")
    assert assert_review_queue_against_extraction_import(items, result) is None


def test_attested_says_whether_excerpts_were_verified(result, items):
    assert attest_review_queue_extraction(items, result).provenance == "verified"
    unverified = imported(artifact=None)
    assert attest_review_queue_extraction(unverified, unverified).provenance == "unverified"
    # What one of the two derives is not what the other does.
    assert attest_review_queue_extraction(unverified, result).state == "diverges"
    assert attest_review_queue_extraction(items, unverified).provenance is None


def test_the_order_of_the_queue_does_not_matter(result, items):
    assert check(items[::-1], result) == []


def test_diverges(result, items):
    changed = [edited(items[0], "spec", "target", value="other"), *items[2:]]
    changed.append(edited(items[1], "metadata", "name", value="new"))
    names = names_of(items)
    expected = [
        ("item-diverges-from-extraction", names[0]),
        ("item-missing-from-queue", names[1]),
        ("item-not-in-extraction", "new"),
    ]
    assert compare(changed, result.record).issues == expected
    attestation = attest_review_queue_extraction(changed, result)
    assert attestation.state == "diverges"
    assert attestation.profile is None
    assert findings(attestation.issues) == expected
    assert attestation.message.strip()
    assert all(issue.message.strip() for issue in attestation.issues)
    with pytest.raises(UnattestedExtractionQueueError) as caught:
        assert_review_queue_against_extraction_import(changed, result)
    assert caught.value.code == "item-diverges-from-extraction"
    assert [issue["code"] for issue in caught.value.details["issues"]] == codes(attestation.issues)


def test_unverified(items):
    attestation = attest_review_queue_extraction(items)
    assert (attestation.state, attestation.issues) == ("unverified", ())
    assert attestation.profile is None
    # How many items come from an import is told, so the number stands in the sentence.
    assert str(len(items)) in attestation.message
    mixed = [items[0], *({"metadata": {"name": f"by hand {at}"}} for at in range(40))]
    assert "41" in attest_review_queue_extraction(mixed).message


def test_one_candidate_that_carries_the_binding_is_enough(items):
    stripped = edited(items[0], "metadata", "producer", value={})
    assert attest_review_queue_extraction([stripped]).state == "unverified"
    for at in range(2):
        stripped = edited(stripped, "spec", "candidates", at, "producer", value={"other": 1})
    assert attest_review_queue_extraction([stripped]).state == "not-extraction"


def test_not_extraction(items):
    for queue in ([], {"items": []}, [{"metadata": {"name": "by hand"}, "spec": None}]):
        attestation = attest_review_queue_extraction(queue)
        assert (attestation.state, attestation.message) == ("not-extraction", "")
    elsewhere = {"metadata": {"name": "a"}, "spec": {"rationale": {KEY: 1}}, KEY: 1}
    assert attest_review_queue_extraction([elsewhere]).state == "not-extraction"
    assert attest_review_queue_extraction(items[1:]).state == "unverified"


@pytest.mark.parametrize("record", [None, "record"])
def test_what_is_no_queue_is_refused_with_and_without_a_record(result, record):
    stored = result if record else None
    with pytest.raises(QueueError, match="queue-malformed"):
        attest_review_queue_extraction([{"metadata": {}}], stored)
    with pytest.raises(JsonError, match="json-duplicate-member"):
        attest_review_queue_extraction('{"items":[],"items":[]}', stored)
    with pytest.raises(TypeError):
        attest_review_queue_extraction({1: 2}, stored)


def test_an_empty_queue_and_an_import_without_items(result):
    assert check([], result) == [("empty-queue", None)]
    failed = edited(fee_envelope(), "result", "outcome", value={"status": "failure"})
    failed["result"]["outcome"].update(category="provider", code="no-answer")
    unresolved = imported(failed)
    assert review_items(unresolved) == []
    for queue in ([], result):
        assert check(queue, unresolved) == [("import-not-grounded", None)]
    # Why the import is not grounded is quoted from its diagnostics.
    issue = validate_review_queue_against_extraction_import(result, unresolved)[0]
    assert unresolved.status["diagnostics"][0]["message"] in issue.message


# Rows


def test_row_60_edited_queue_bound_again(result, items):
    changed = opened(edited(items, 0, "spec", "candidates", 0, "value", value=1))
    assert validate_review_queue_binding(bound(changed), changed) == []
    assert check(changed, result) == [("item-diverges-from-extraction", names_of(items)[0])]


def test_row_61_record_edited_and_queue_derived_again(result, items):
    # What attestation cannot see: storing the record safely is its owner's duty.
    place = ("spec", "envelope", "result", "proposals", 1, "candidateValue")
    forged = edited(result.record, *place, value=1)
    derived = review_items(forged)
    assert derived != items
    snapshot = opened(derived)
    assert validate_review_queue_binding(bound(snapshot), snapshot) == []
    assert attest_review_queue_extraction(snapshot, forged).state == "attested"
    assert attest_review_queue_extraction(opened(items), forged).state == "diverges"


FORGED = {
    "state": (("status", "state"), "unresolved", "import-status-incoherent"),
    "provenance": (("status", "provenance"), "unverified", "import-status-incoherent"),
    "another index": (
        ("status", "diagnostics", 0, "proposalIndex"),
        2,
        "import-status-incoherent",
    ),
    "an index that is none": (
        ("status", "diagnostics", 0, "proposalIndex"),
        9,
        "import-status-incoherent",
    ),
    "kind": (("kind",), "ReviewItem", "envelope-unsupported-version"),
    "an extra member": (("extra",), 1, "envelope-unexpected-member"),
    "a negative zero": (
        ("spec", "envelope", "result", "proposals", 0, "candidateValue"),
        -0.0,
        "json-negative-zero",
    ),
}


@pytest.mark.parametrize(("path", "value", "code"), FORGED.values(), ids=FORGED)
def test_row_62_forged_import_record(result, items, path, value, code):
    forged = edited(result.record, *path, value=value)
    with pytest.raises(SurveyError) as caught:
        validate_review_queue_against_extraction_import(items, forged)
    assert caught.value.code == code
    assert caught.value.pointer is not None
    attestation = attest_review_queue_extraction(items, forged)
    assert (attestation.state, codes(attestation.issues)) == ("diverges", ["import-invalid"])
    assert attestation.issues[0].pointer == caught.value.pointer
    with pytest.raises(SurveyError, match=code):
        assert_review_queue_against_extraction_import(items, forged)


def test_row_62_a_record_that_is_no_json(items):
    with pytest.raises(JsonError, match="json-syntax"):
        validate_review_queue_against_extraction_import(items, b"{")
    attestation = attest_review_queue_extraction(items, b"{")
    assert codes(attestation.issues) == ["import-invalid"]


def test_row_62_a_record_without_provenance(result, items):
    forged = edited(result.record, "status", value={"state": "grounded", "diagnostics": []})
    with pytest.raises(ImportRefusedError, match="import-provenance-missing"):
        validate_review_queue_against_extraction_import(items, forged)


def test_row_63_excluded_rival_deleted_from_the_queue(result, items):
    holders = [item for item in items if "excludedProposals" in item["metadata"]["producer"][KEY]]
    assert [entry["value"] for entry in holders[0]["metadata"]["producer"][KEY][ENTRY[-1]]] == [
        61000
    ]
    changed = edited(items, 0, *ENTRY, value=[])
    without = edited(items, 0, *ENTRY, value=None)
    del without[0]["metadata"]["producer"][KEY][ENTRY[-1]]
    for queue in (changed, without):
        assert check(queue, result) == [("item-diverges-from-extraction", names_of(items)[0])]
        assert attest_review_queue_extraction(queue).state == "unverified"


@pytest.mark.parametrize("genuine_first", [False, True])
def test_row_64_duplicate_name(result, items, genuine_first):
    copies = [edited(items[0], "spec", "target", value="other"), items[0]]
    if genuine_first:
        copies.reverse()
    queue = [*copies, *items[1:]]
    expected = [("ambiguous-item-identity", names_of(items)[0])]
    assert check(queue, result) == expected
    attestation = attest_review_queue_extraction(queue, result)
    assert (attestation.state, findings(attestation.issues)) == ("diverges", expected)


def test_a_candidate_named_twice_is_refused(result, items):
    first = items[0]["spec"]["candidates"][0]
    queue = edited(items, 0, "spec", "candidates", value=[first, first])
    assert check(queue, result) == [("ambiguous-candidate-identity", names_of(items)[0])]
    queue = edited(items, 0, "spec", "candidates", 1, "id", value=first["id"])
    assert check(queue, result) == [("ambiguous-candidate-identity", names_of(items)[0])]


def test_caps_are_those_of_the_caller(result, items):
    with pytest.raises(QueueError, match="queue-malformed"):
        validate_review_queue_against_extraction_import(
            [*items, *items, *items], result, limits=ImportLimits(items=6)
        )
    with pytest.raises(ImportRefusedError, match="import-too-large"):
        validate_review_queue_against_extraction_import(items, result, limits=ImportLimits(items=5))
