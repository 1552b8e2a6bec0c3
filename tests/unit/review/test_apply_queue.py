"""Apply over a queue that is bound and came from an import: rows 52, 53 and 57 to 63, as applied.

The rows themselves, without a round around them, are proven with attestation and the draw.
"""

import pytest
from tests.unit.attest.samples import AT, KEY, bound, edited, imported, opened
from tests.unit.review.sessions import LATER, codes_of
from tests.unit.review.test_decision_samples import refused

from survey_fast import open_random_audit_session, review_items
from survey_fast.errors import UnattestedExtractionQueueError, UnattestedReviewQueueError
from survey_fast.review.apply import derive_review_session_apply_result
from survey_fast.review.attribution import Reviewer
from survey_fast.review.session_store import create_session, decide_session, load_session


@pytest.fixture(scope="module")
def record():
    return imported()


@pytest.fixture(scope="module")
def snapshot(record):
    return opened(record)


def derive(snapshot, **options):
    return derive_review_session_apply_result(snapshot, [], **options)


def issues_of(error, call):
    with pytest.raises(error) as caught:
        call()
    return [issue["code"] for issue in caught.value.details["issues"]]


def test_row_57_what_the_binding_sees(snapshot):
    binding = bound(snapshot)
    first, *rest = snapshot["items"]
    more = edited(first, "metadata", "name", value="more")
    cases = {
        "edited": ([edited(first, "spec", "target", value="x"), *rest], ["snapshot-hash-mismatch"]),
        "dropped": (rest, ["snapshot-hash-mismatch", "item-removed"]),
        "added": ([first, *rest, more], ["snapshot-hash-mismatch", "item-added"]),
    }
    for items, found in cases.values():
        call = {"snapshot": {**snapshot, "items": items}, "binding": binding}
        told = issues_of(UnattestedReviewQueueError, lambda call=call: derive(**call))
        assert sorted(told) == sorted(found)
    told = issues_of(
        UnattestedReviewQueueError, lambda: derive({**snapshot, "items": []}, binding=binding)
    )
    count = len(snapshot["items"])
    assert sorted(told) == ["empty-queue", *["item-removed"] * count, "snapshot-hash-mismatch"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("kind",), "ReviewSession"),
        (("spec", "snapshotHash"), "abc"),
        (("spec", "itemNames"), []),
        (("spec", "boundAt"), ""),
    ],
)
def test_row_58_bindings_that_are_none(snapshot, path, value):
    malformed = edited(bound(snapshot), *path, value=value)
    told = issues_of(UnattestedReviewQueueError, lambda: derive(snapshot, binding=malformed))
    assert told == ["binding-malformed"]
    for none in ([], 1, "x", b"null"):
        assert refused(lambda none=none: derive(snapshot, binding=none))


def test_row_61_a_record_edited_and_its_queue_derived_again(record):
    place = ("spec", "envelope", "result", "proposals", 1, "candidateValue")
    forged = edited(record.record, *place, value=1)
    snapshot = opened(review_items(forged))
    result = derive(snapshot, binding=bound(snapshot), extraction_import=forged)
    assert (result.ok, result.attestation.state) == (True, "attested")


def test_row_62_a_forged_import_status(record, snapshot):
    forged = edited(record.record, "status", "state", value="unresolved")
    told = issues_of(
        UnattestedExtractionQueueError, lambda: derive(snapshot, extraction_import=forged)
    )
    assert told == ["import-invalid"]


def test_row_63_an_excluded_rival_deleted_from_a_stored_item(record, snapshot):
    place = ("items", 0, "metadata", "producer", KEY, "excludedProposals")
    changed = edited(snapshot, *place, value=[])
    told = issues_of(
        UnattestedExtractionQueueError, lambda: derive(changed, extraction_import=record)
    )
    assert told == ["item-diverges-from-extraction"]
    without = derive(changed)
    assert without.ok
    assert codes_of(without.warnings) == ["unverified-extraction-queue"]


def test_an_excluded_rival_cannot_be_chosen(tmp_path, record, snapshot):
    path = tmp_path / "fees.json"
    create_session(path, snapshot, name="fees", extraction_import=record.record_bytes)
    name = snapshot["items"][0]["metadata"]["name"]
    rivals = snapshot["items"][0]["spec"]["candidates"]
    assert len(rivals) == 2
    for chosen, is_taken in (("61000", False), (rivals[1]["id"], True)):
        request = {"item": name, "decision": "select", "candidateId": chosen}
        made = decide_session(path, [request], reviewer=Reviewer(), now=LATER)
        assert made.ok == is_taken
    assert load_session(path).apply().results[0]["effectiveValue"] == rivals[1]["value"]


# At the rate of a half this seed draws two of the three items.
@pytest.mark.parametrize(("rate", "count"), [(1, 3), (0.5, 2)])
def test_row_52_a_blind_audit_from_opening_to_apply(tmp_path, record, rate, count):
    seed = "seed-1"
    items = record.review_items
    snapshot = open_random_audit_session(
        items, rate=rate, seed=seed, reviewed_at=AT, actor_id="ana"
    )
    path = tmp_path / "audit.json"
    create_session(path, snapshot, name="audit", extraction_import=record.record_bytes)
    names = [item["metadata"]["name"] for item in snapshot["items"]]
    assert len(names) == count
    requests = [{"item": name, "decision": "reject"} for name in names]
    assert decide_session(path, requests, reviewer=Reviewer.named("ben"), now=LATER).ok
    result = load_session(path).apply(required="all")
    assert (result.ok, result.attestation.state) == (True, "attested")
    for one in result.decisions:
        assert one["spec"]["presentation"] == {"scoreBlind": True}
        assert one["spec"]["sampling"] == {"kind": "random-audit", "rate": rate, "seed": seed}


def test_row_53_a_blind_queue_sample_is_recorded_as_one(record):
    conditions = {"presentation": {"scoreBlind": True}, "sampling": {"kind": "queue"}}
    snapshot = opened(record, **conditions)
    seeded = {
        **snapshot,
        "decisionsByItemName": {snapshot["items"][1]["metadata"]["name"]: "reject-proposed"},
    }
    result = derive(seeded, allow_seeded=True)
    assert result.decisions[0]["spec"]["sampling"] == {"kind": "queue"}
