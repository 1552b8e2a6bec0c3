"""A run whose artifacts were edited, by somebody who knows every form.

A forgery that edits the manifest is made twice: without a log that follows, where the chain tells,
and with one, which leaves the check that the forgery is about. An edit that leaves the manifest
alone is told by its own check.

Rows 21, 23, 25, 26, 27 (its first half), 28, 29, 30, 31, 32, 33, 34, 35, 36 and 37 of the edge
table of runs, as far as opening, reading without the text, verifying and appending go; row 24,
which opening refuses before any export. Row 22 is in ``tests/unit/runs/test_open.py``, row 27b in
``tests/unit/runs/test_create.py``. Left: every export of these rows, and what of 27 and 94 to 96 is
about rechecks.
"""

from __future__ import annotations

import copy
import json

import pytest
from tests.unit.runs.samples import (
    HOST,
    Forged,
    conflict,
    content,
    decided,
    names_in,
    nothing,
    partial,
    refused,
    requests_for,
    rival_misquoted,
    stays_refused,
)

from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.extraction.prepared_artifact import build_prepared_artifact
from survey_fast.runs.append import append_events, append_history, decide_run
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.runs.verify import verify_run

BROKEN = "RUN_EVENTS_BROKEN"
NOTHING_WRONG = "nothing wrong"


@pytest.fixture
def path(tmp_path):
    return decided(tmp_path / "runs", conflict())


@pytest.fixture
def undecided(tmp_path):
    return conflict().create(tmp_path / "runs").path


def told(code, path, metadata=None):
    """Every reader and every writer refuses alike, and nothing moves.

    ``metadata`` is what a reading without the text finds, where that is something else.
    """
    stays_refused(code, path, open_run)
    stays_refused(code, path, verify_run)
    stays_refused(code, path, decide_run, [], HOST)
    stays_refused(code, path, append_events, [], HOST, expected_revision="0:x")
    stays_refused(code, path, append_history, [], HOST, expected_count=0)
    if metadata == NOTHING_WRONG:
        open_metadata(path)
    else:
        stays_refused(metadata or code, path, open_metadata)


def forge(path, change, *, rechain):
    forged = Forged(path)
    change(forged)
    forged.save(rechain=rechain)
    return forged


def twins(path, change, code, metadata=None):
    """The forgery without a log that follows, then with one."""
    before = content(path)
    open_run(path)
    forged = forge(path, change, rechain=False)
    assert forged.manifest != forged.before
    told(BROKEN, path)
    for name, text in before.items():
        (path / name).write_bytes(text)
    forge(path, change, rechain=True)
    told(code, path, metadata)


def alone(path, change, code, metadata=None):
    """The same for an edit that leaves the manifest as it is."""
    open_run(path)
    forged = forge(path, change, rechain=False)
    assert forged.manifest == forged.before
    told(code, path, metadata)


def item(forged, target="fee"):
    return next(one for one in forged.items if one["spec"]["target"] == target)


def rebound(change):
    """The edit of a queue, with digest and names taken anew."""

    def all_of_it(forged):
        change(forged)
        forged.rebind()

    all_of_it.__name__ = change.__name__
    return all_of_it


# The prepared text


def other_text(forged):
    forged.prepared = forged.prepared.replace(b"Basel", b"Genf!")


def test_another_prepared_text(path):
    alone(path, other_text, "RUN_PREPARED_MISMATCH", NOTHING_WRONG)


def test_row_21_another_prepared_text_and_its_digest_in_the_manifest(path):
    def change(forged):
        other_text(forged)
        forged.manifest["preparedArtifact"]["digest"] = sha256_hex(forged.prepared)

    twins(path, change, "RUN_PREPARED_MISMATCH", NOTHING_WRONG)


def put(member, value):
    def change(forged):
        forged.manifest["preparedArtifact"][member] = value

    return change


@pytest.mark.parametrize(
    "change",
    [put("contentLength", 7), put("ref", "another"), put("digest", "0" * 64)],
    ids=["length", "ref", "digest"],
)
def test_every_part_of_the_texts_identity_is_compared(path, change):
    twins(path, change, "RUN_PREPARED_MISMATCH", NOTHING_WRONG)


def test_a_text_that_is_no_utf_8(path):
    def change(forged):
        forged.prepared = b"\xff" + forged.prepared[1:]

    alone(path, change, "RUN_PREPARED_MISMATCH", NOTHING_WRONG)


def of_another_capture(forged):
    """The same words, read at another place; the forger brings every digest up to date."""
    other = "fieldwork-source:v1:own-task:" + "0" * 64
    result = forged.envelope["result"]
    old = result["preparedArtifact"]
    artifact = build_prepared_artifact(
        forged.prepared.decode(),
        mode=old["preparationMode"],
        version=old["preparationVersion"],
        source_snapshot_ref=other,
    )
    forged.envelope["source"] = {"ref": other, "snapshotRef": other}
    result["preparedArtifact"] = dict(artifact)
    forged.manifest["preparedArtifact"]["ref"] = artifact["ref"]
    forged.rederive()
    forged.events.clear()
    forged.reseal()


def test_an_envelope_of_another_capture(path):
    twins(path, of_another_capture, "RUN_PREPARED_MISMATCH", NOTHING_WRONG)


def test_an_envelope_whose_source_has_two_names(path):
    def change(forged):
        forged.envelope["source"]["ref"] = "fieldwork-source:v1:own-task:" + "0" * 64
        forged.rederive()
        forged.events.clear()
        forged.reseal()

    twins(path, change, "RUN_PREPARED_MISMATCH", NOTHING_WRONG)


# The queue


def value_edited(forged):
    item(forged)["spec"]["candidates"][0]["value"] = "1"


def source_deleted(forged):
    del item(forged)["spec"]["candidates"][0]["source"]


def locator_moved(forged):
    item(forged)["spec"]["candidates"][0]["locator"]["locator"] = "chars:1-11"


def rival_dropped(forged):
    del item(forged)["spec"]["candidates"][1]


def item_dropped(forged):
    forged.items.remove(item(forged, "city"))


def item_invented(forged):
    invented = copy.deepcopy(item(forged, "city"))
    invented["metadata"]["name"] = "invented"
    invented["spec"]["candidates"][0]["id"] = "invented.proposed"
    forged.items.append(invented)


def item_twice(forged):
    forged.items.append(copy.deepcopy(item(forged, "city")))


def candidate_twice(forged):
    item(forged)["spec"]["candidates"].append(copy.deepcopy(item(forged)["spec"]["candidates"][0]))


def provenance_dropped(forged):
    for one in forged.items:
        del one["metadata"]["producer"]
        for candidate in one["spec"]["candidates"]:
            del candidate["producer"]


def not_a_snapshot(forged):
    forged.queue = {"items": forged.items}


QUEUES = [
    value_edited, source_deleted, locator_moved, rival_dropped, item_dropped, item_invented,
    item_twice, candidate_twice, provenance_dropped, not_a_snapshot,
]  # fmt: skip


@pytest.mark.parametrize("change", QUEUES, ids=lambda one: one.__name__)
def test_rows_25_and_30_an_edited_queue_is_not_the_one_that_was_bound(path, change):
    alone(path, change, "REVIEW_BINDING_BROKEN")


ATTESTED = [value_edited, source_deleted, locator_moved, rival_dropped, provenance_dropped]


@pytest.mark.parametrize("change", ATTESTED, ids=lambda one: one.__name__)
def test_rows_23_and_26_an_edited_queue_that_was_bound_anew(path, change):
    twins(path, rebound(change), "REVIEW_QUEUE_UNATTESTED")


def without_events_on(name):
    """Row 28: the forger also removes what was decided on it, and numbers the rest anew."""

    def change(forged):
        item_dropped(forged)
        left = names_in(forged.items)
        kept = [one for one in forged.events if one["spec"]["reviewItemName"] in left]
        for number, event in enumerate(kept, 1):
            event["spec"]["sequence"] = number
        forged.events = kept
        forged.queue["activeItemName"] = left[0]
        forged.rebind()

    change.__name__ = name
    return change


def test_row_28_an_item_dropped_with_its_events(path):
    twins(path, without_events_on("dropped"), "REVIEW_QUEUE_UNATTESTED")
    details = refused("REVIEW_QUEUE_UNATTESTED", open_run, path).details
    assert [one["code"] for one in details["issues"]] == ["item-missing-from-queue"]


def test_row_29_an_invented_item(path):
    twins(path, rebound(item_invented), "REVIEW_QUEUE_UNATTESTED")
    details = refused("REVIEW_QUEUE_UNATTESTED", open_run, path).details
    assert "item-not-in-extraction" in [one["code"] for one in details["issues"]]


@pytest.mark.parametrize("change", [item_twice, candidate_twice], ids=lambda one: one.__name__)
def test_names_that_stand_twice_are_refused_at_the_binding(path, change):
    twins(path, rebound(change), "REVIEW_BINDING_BROKEN")


def emptied(forged):
    forged.queue |= {"items": [], "activeItemName": ""}
    forged.events.clear()


def test_row_27_an_emptied_queue_of_a_first_round(path):
    twins(path, rebound(emptied), "REVIEW_QUEUE_UNATTESTED")


def test_row_27_an_emptied_queue_whose_binding_stays(path):
    def change(forged):
        emptied(forged)
        binding = forged.manifest["round"]["binding"]
        forged.rebind()
        forged.manifest["round"]["binding"] = binding
        binding["spec"]["snapshotHash"] = forged.manifest["round"]["snapshotHash"]

    twins(path, change, "REVIEW_BINDING_BROKEN")


def test_a_round_that_calls_itself_a_recheck_still_has_to_be_what_it_derives(path):
    def change(forged):
        value_edited(forged)
        forged.manifest["round"]["kind"] = "recheck"
        forged.rebind()

    twins(path, change, "REVIEW_QUEUE_UNATTESTED")


def test_only_an_empty_queue_goes_without_a_binding(path):
    def change(forged):
        forged.manifest["round"]["binding"] = None

    twins(path, change, "REVIEW_BINDING_BROKEN")


def test_a_binding_of_another_session(path):
    def change(forged):
        forged.manifest["round"]["binding"]["spec"]["sessionName"] = "another"

    twins(path, change, "REVIEW_BINDING_BROKEN")


@pytest.mark.parametrize("member", ["itemNames", "boundAt", "canonicalization"])
def test_a_binding_that_is_none(path, member):
    def change(forged):
        forged.manifest["round"]["binding"]["spec"][member] = []

    twins(path, change, "REVIEW_BINDING_BROKEN")


def test_an_unbound_digest_of_an_empty_queue_is_compared(tmp_path):
    path = nothing().create(tmp_path / "runs").path

    def change(forged):
        forged.queue["reviewedAt"] = "2020-01-01T00:00:00.000Z"

    alone(path, change, "REVIEW_BINDING_BROKEN")


SEEDS = {
    "decisionsByItemName": "accept-proposed",
    "notesByItemName": "a note",
    "editedValuesByItemName": "1",
    "attemptEvidenceIdsByItemName": ["e"],
    "selectedCandidateIdsByItemName": "c",
}


@pytest.mark.parametrize("member", SEEDS)
def test_a_queue_that_brings_decisions_along(path, member):
    def change(forged):
        name = forged.items[0]["metadata"]["name"]
        forged.queue[member] = {name: SEEDS[member]}
        forged.rebind()

    twins(path, change, "REVIEW_QUEUE_UNATTESTED")


@pytest.mark.parametrize("rate", [0.5, 1])
def test_a_queue_that_calls_itself_a_drawn_sample(path, rate):
    """Of a sample only what is drawn would be compared with the extraction."""

    def change(forged):
        forged.queue["presentation"] = {"scoreBlind": True}
        forged.queue["sampling"] = {"kind": "random-audit", "rate": rate, "seed": "s"}
        forged.rebind()

    twins(path, change, "REVIEW_QUEUE_UNATTESTED")


def test_scores_uncovered_in_the_middle_of_a_blind_round(tmp_path):
    path = decided(tmp_path / "runs", conflict().with_order(score_blind=True))

    def change(forged):
        del forged.queue["presentation"]
        forged.rebind()

    # The queue is then another one, sighted; what was decided says that it was decided blind.
    twins(path, change, "INVALID_EVENTS")


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b"{}", b'{"items":1}', b"\xff"], ids=repr
)
def test_a_queue_that_is_none(path, text):
    (path / "review-queue.json").write_bytes(text)
    told("REVIEW_BINDING_BROKEN", path)


# The envelope


def rival_unextracted(forged):
    """One value of the conflict was never proposed."""
    proposals = forged.envelope["result"]["proposals"]
    proposals[:] = [one for one in proposals if one["candidateValue"] != "52000"]


def test_row_31_a_value_deleted_from_the_envelope(path):
    alone(path, rival_unextracted, "RUN_ENVELOPE_MISMATCH")


def test_row_31_the_same_with_queue_and_events_derived_anew(path):
    def change(forged):
        rival_unextracted(forged)
        forged.rederive()
        forged.events.clear()
        forged.rebind()

    twins(path, change, "RUN_ENVELOPE_MISMATCH")


def test_what_is_not_detected_is_a_manifest_written_anew_in_all_its_parts(path):
    """The disclosed limit: only a revision that was noted elsewhere tells."""
    noted = open_run(path).revision

    def change(forged):
        rival_unextracted(forged)
        forged.rederive()
        forged.events.clear()
        del forged.report["identities"][len(forged.envelope["result"]["proposals"]) :]
        forged.reseal()

    forge(path, change, rechain=True)
    open_run(path)
    refused("stale-revision", verify_run, path, expect=noted)


def unbinding(*, verified):
    def change(forged):
        rival_unextracted(forged)
        forged.rederive(verified=verified)
        forged.events.clear()
        forged.rebind()
        del forged.manifest["extraction"]

    return change


def test_row_32_the_binding_of_the_envelope_removed_under_a_history(path):
    twins(path, unbinding(verified=True), "REVIEW_QUEUE_UNATTESTED")


def test_row_32_the_binding_of_the_envelope_removed_before_any_decision(undecided):
    forge(undecided, unbinding(verified=True), rechain=False)
    told("REVIEW_QUEUE_UNATTESTED", undecided)


def test_row_33_the_binding_removed_and_the_queue_rebuilt_closes_the_run(undecided):
    forge(undecided, unbinding(verified=False), rechain=False)
    for run in (open_run(undecided), open_metadata(undecided), verify_run(undecided).run):
        assert run.blocked == "unbound-envelope"
        assert run.attestation.provenance == "unverified"
    assert [one.code for one in verify_run(undecided).notices] == ["unbound-envelope"]
    requests = requests_for(open_run(undecided))
    stays_refused("RUN_ENVELOPE_UNBOUND", undecided, decide_run, requests, HOST)
    history = [{"not": "looked at"}]
    del history[0]
    stays_refused(
        "RUN_ENVELOPE_UNBOUND", undecided, append_history, history, HOST, expected_count=0
    )


def test_row_34_an_envelope_edited_before_a_decision(undecided):
    requests = requests_for(open_run(undecided))
    alone(undecided, rival_unextracted, "RUN_ENVELOPE_MISMATCH")
    stays_refused("RUN_ENVELOPE_MISMATCH", undecided, decide_run, requests, HOST)


def success(forged):
    result = forged.envelope["result"]
    result["outcome"] = {"status": "success"}
    for member in ("partial", "coverage"):
        result.pop(member, None)


def all_read(forged):
    for chunk in forged.envelope["result"]["coverage"]:
        chunk["status"] = "complete"
        chunk.pop("reason", None)


@pytest.mark.parametrize("change", [success, all_read], ids=lambda one: one.__name__)
def test_row_35_a_partial_extraction_that_calls_itself_whole(tmp_path, change):
    path = decided(tmp_path / "runs", partial())
    alone(path, change, "RUN_ENVELOPE_MISMATCH")


def test_row_35_the_same_with_the_queue_derived_anew(tmp_path):
    path = decided(tmp_path / "runs", partial())

    def change(forged):
        success(forged)
        forged.rederive()
        forged.rebind()

    twins(path, change, "RUN_ENVELOPE_MISMATCH")


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff", b'{"a":1,"a":2}'], ids=repr)
def test_an_envelope_that_is_none(path, text):
    (path / "extraction-envelope.json").write_bytes(text)
    is_json = text in {b"[]", b"null"}
    told("RUN_ENVELOPE_MISMATCH" if is_json else "RUN_ENVELOPE_INVALID", path)


def test_an_envelope_that_breaks_its_format_and_is_bound_anew(path):
    def change(forged):
        forged.envelope["more"] = 1
        forged.reseal()

    twins(path, change, "RUN_ENVELOPE_INVALID")


# The import status, and the report


def test_row_36_the_diagnostics_of_the_bound_status_emptied(tmp_path):
    path = decided(tmp_path / "runs", rival_misquoted())

    def change(forged):
        forged.manifest["extraction"]["importStatus"]["diagnostics"] = []

    twins(path, change, "RUN_EXTRACTION_MISMATCH", "REVIEW_QUEUE_UNATTESTED")


def test_a_bound_status_that_no_import_could_have_written(path):
    def change(forged):
        forged.manifest["extraction"]["importStatus"]["state"] = "unresolved"

    twins(path, change, "RUN_EXTRACTION_MISMATCH")


def test_messages_of_the_bound_status_are_for_people_and_may_differ(tmp_path):
    path = decided(tmp_path / "runs", rival_misquoted())

    def change(forged):
        forged.manifest["extraction"]["importStatus"]["diagnostics"][0]["message"] = "other words"

    forge(path, change, rechain=True)
    open_run(path)
    open_metadata(path)


def test_an_edited_report(path):
    def change(forged):
        forged.report["notFound"] = ["fee"]

    alone(path, change, "RUN_EXTRACTION_MISMATCH", NOTHING_WRONG)


@pytest.mark.parametrize("text", [b"", b"{", b"[]"], ids=repr)
def test_a_report_that_is_none(path, text):
    (path / "extraction-report.json").write_bytes(text)
    told("RUN_EXTRACTION_MISMATCH", path, NOTHING_WRONG)


# The manifest names itself


def put_in(*path_to, value):
    def change(forged):
        *parents, last = path_to
        holder = forged.manifest
        for name in parents:
            holder = holder[name]
        holder[last] = value

    return change


NAMED = {
    "source": put_in("source", "digest", value="0" * 64),
    "task": put_in("task", "spec", "traverse", "version", value="2"),
    "claim": put_in("task", "spec", "projections", 0, "claim", "impactLevel", value="low"),
    "provider": put_in("provider", "model", value="another"),
    "id": put_in("runId", value="0" * 16),
    "import": put_in("extraction", "importName", value="another"),
}


@pytest.mark.parametrize("change", NAMED.values(), ids=NAMED)
@pytest.mark.parametrize("rechain", [False, True])
def test_a_manifest_edited_in_what_it_is_named_by_is_none(path, change, rechain):
    forge(path, change, rechain=rechain)
    told("INVALID_RUN", path)


def test_the_time_of_a_run_is_held_by_the_log(path):
    forge(path, put_in("createdAt", value="2026-01-14T00:00:00.000Z"), rechain=False)
    told(BROKEN, path)


# The log


def renamed_item(forged):
    forged.events[0]["spec"]["reviewItemName"] = "nobody"


def other_actor_shape(forged):
    forged.events[0]["spec"]["actor"] = {"id": "mallory", "more": 1}


def other_decision(forged):
    forged.events[0]["spec"]["status"] = "rejected"


def number_skipped(forged):
    forged.events[-1]["spec"]["sequence"] = 99


def other_session(forged):
    forged.events[0]["spec"]["sessionName"] = "another"


def stamp_spoiled(forged):
    forged.events[0]["metadata"]["producer"]["survey-fast/review-attribution"]["mode"] = "alone"


def event_of_no_kind(forged):
    forged.events[0]["kind"] = "Other"


EVENTS = [
    renamed_item, other_actor_shape, other_decision, number_skipped, other_session, stamp_spoiled,
    event_of_no_kind,
]  # fmt: skip


@pytest.mark.parametrize("change", EVENTS, ids=lambda one: one.__name__)
def test_row_24_events_that_are_no_history_of_the_queue(path, change):
    forge(path, change, rechain=True)
    told("INVALID_EVENTS", path)


def lines_of(path):
    return (path / "review-events.jsonl").read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("place", range(4))
def test_an_event_edited_in_place_breaks_the_chain(path, place):
    lines = lines_of(path)
    entry = json.loads(lines[place])
    entry["event"]["spec"]["actor"] = {"id": "mallory"}
    lines[place] = canonical_json(entry) + b"\n"
    if place == len(lines) - 1:
        lines.append(lines[place])
    (path / "review-events.jsonl").write_bytes(b"".join(lines))
    told(BROKEN, path)


@pytest.mark.parametrize("place", range(3))
def test_an_event_taken_out_breaks_the_chain(path, place):
    lines = lines_of(path)
    del lines[place]
    (path / "review-events.jsonl").write_bytes(b"".join(lines))
    told(BROKEN, path)


def test_the_log_of_another_run(path, tmp_path):
    other = decided(tmp_path / "others", conflict(order={"score_blind": True}))
    (path / "review-events.jsonl").write_bytes((other / "review-events.jsonl").read_bytes())
    told(BROKEN, path)


# What is harmless


def indented(path, name):
    text = json.dumps(json.loads((path / name).read_bytes()), indent=2, ensure_ascii=False)
    (path / name).write_text(text + "\n")


@pytest.mark.parametrize(
    "name", ["extraction-envelope.json", "review-queue.json", "extraction-report.json"]
)
def test_row_37_a_document_that_was_only_indented_still_opens(path, name):
    before = open_run(path).revision
    indented(path, name)
    assert open_run(path).revision == open_metadata(path).revision == before
    assert decide_run(path, [], HOST).ok


def test_row_37_the_manifest_is_held_by_its_bytes(path):
    indented(path, "run.json")
    told("INVALID_RUN", path)
