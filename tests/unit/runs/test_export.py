"""The reviewed export of a run: what refuses it, what it says, and that it says the same twice.

Rows of the edge table of runs, of which each test is named for its row: 24, 26, 27, 27b, 28, 29,
31, 32, 33, 36, 37, 38, 39, 40, 41, 42, 43, 46, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 65, 66, 67,
68, 70, 79, 80 as far as the export goes. Parts that a stored run cannot show stand in
``test_export_parts.py`` (44, 45, 47, 58, 59, 60, 81). Left: 61 (such runs are not taken over) and
89 to 96, which are about rechecks.
"""

import copy
import json
import shutil

import pytest
from tests.unit.runs.exporting import (
    chosen,
    claims,
    codes,
    decide,
    edited,
    events,
    gaps,
    made,
    typed,
)
from tests.unit.runs.samples import (
    ANA,
    HOST,
    LATER,
    UPSTREAM,
    Forged,
    conflict,
    content,
    decided,
    example,
    items_of,
    many,
    nothing,
    partial,
    refused,
    requests_for,
    retold,
    rival_misquoted,
    sample_of,
    stays_refused,
    task_document,
)
from tests.unit.runs.test_import_run import Upstream, unbound

from survey_fast.canon import canonical_json
from survey_fast.cli.sample import misquoted
from survey_fast.review.attribution import Reviewer
from survey_fast.runs.append import Host, append_events, decide_run
from survey_fast.runs.export.describe import describe_run
from survey_fast.runs.export.export import export_run
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run
from survey_fast.runs.verify import verify_run
from survey_fast.storage import held
from survey_fast.trust.report import build_trust_report
from survey_fast.trust.validation import validate_trust_bundle


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


@pytest.fixture
def path(root):
    return decided(root, conflict())


def forge(path, change, *, rechain):
    forged = Forged(path)
    change(forged)
    forged.save(rechain=rechain)


# What it is


def test_a_decided_run_is_exported_whole_and_validates(path):
    before = content(path)
    exported = export_run(path)
    assert content(path) == before
    assert exported.exit_code == 0
    assert exported.text == canonical_json(exported.document) + b"\n"
    document = exported.document
    assert sorted(document) == ["apiVersion", "bundle", "kind", "reviewRound", "reviewedGrounding"]
    assert (document["apiVersion"], document["kind"]) == ("survey-fast/v1", "ReviewedExport")
    validate_trust_bundle(document["bundle"], writing=True)
    assert document["reviewedGrounding"]["outcome"] == "allowed"
    run = open_run(path)
    assert document["bundle"]["source"] == run.manifest.resource == exported.run
    scope = exported.scope
    assert (scope["revision"], scope["eventCount"]) == (run.revision, 4)
    assert (scope["complete"], scope["excluded"]) == (True, [])
    assert "notAttested" not in scope
    assert "allowedDisclosures" not in scope


def test_two_exports_of_one_run_are_equal_to_the_byte_wherever_it_lies(path, tmp_path):
    first = export_run(path).text
    assert export_run(path).text == first
    elsewhere = tmp_path / "elsewhere" / path.name
    shutil.copytree(path, elsewhere)
    assert export_run(elsewhere).text == first


def test_members_in_another_order_and_white_space_change_nothing(path):
    first = export_run(path).text

    def turned(value):
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [turned(one) for one in value] if isinstance(value, list) else value

    for name in ("review-queue.json", "extraction-envelope.json", "extraction-report.json"):
        stored = json.loads((path / name).read_bytes())
        (path / name).write_text(json.dumps(turned(stored), indent=3))
    assert export_run(path).text == first


def test_row_37_an_indented_envelope_is_exported_as_before(path):
    first = export_run(path).text
    place = path / "extraction-envelope.json"
    place.write_text(json.dumps(json.loads(place.read_bytes()), indent=2))
    assert export_run(path).text == first


def test_the_export_is_as_new_as_its_newest_event_and_reads_no_clock(root):
    path = made(root, conflict(), ("city", "accept"))
    assert export_run(path).generated_at == LATER
    host = Host(ANA, "2026-01-15T08:30:00.000Z", wait=0)
    decide(path, ("fee", "select", chosen(path, "fee", "52000")), host=host)
    assert export_run(path).generated_at == "2026-01-15T08:30:00.000Z"


def test_the_import_record_rides_on_the_first_evidence_alone(root):
    exported = export_run(decided(root, many(3)))
    parts = [
        one["metadata"]["reviewedExtraction"]
        for one in exported.document["bundle"]["evidence"]
        if "reviewedExtraction" in one.get("metadata", {})
    ]
    assert ["importRecord" in part for part in parts] == [True, False, False]


def test_rows_of_a_list_are_claims_of_their_own(root):
    exported = export_run(decided(root, many(12)))
    told = exported.document["bundle"]["claims"]
    assert [one["qualifiers"] for one in told] == [{"pathIndices": str(at)} for at in range(12)]
    assert exported.exit_code == 0


def test_fields_that_were_asked_for_are_told_with_their_state(path):
    state = claims(export_run(path))["fee"]["metadata"]["survey.kontourai.io/field-state"]
    assert (state["content"], state["lifecycle"]) == ("conflicting", "accepted")


@pytest.mark.parametrize(
    "name",
    [
        "document-sections", "generic", "grant-eligibility", "incident-postmortem",
        "long-form-groundwork", "ordered-relationships", "vendor-obligations",
    ],
)  # fmt: skip
def test_the_published_examples_are_exported_whole(root, name):
    exported = export_run(decided(root, example(name)))
    assert exported.exit_code == 0
    assert exported.document["reviewedGrounding"]["outcome"] == "allowed"
    assert {one["status"] for one in claims(exported).values()} == {"verified"}


def nameless(path, target):
    """A run whose history names what was tried on a field by an empty id, as others may have it."""
    name = items_of(open_run(path))[target]["metadata"]["name"]

    def change(forged):
        for event in forged.events:
            if event["spec"]["reviewItemName"] == name and "status" in event["spec"]:
                event["spec"]["attemptEvidenceIds"] = ["e", ""]

    forge(path, change, rechain=True)
    return path


def test_a_result_that_breaks_its_shape_is_left_out_and_the_others_leave(root):
    unsure = ("city", "could-not-confirm", {"note": "torn off", "attemptEvidenceIds": ["e"]})
    path = made(root, conflict(), ("fee", "reject"), unsure)
    assert export_run(path).is_whole
    nameless(path, "city")
    assert verify_run(path).run.log.count == 5
    exported = export_run(path)
    assert (exported.exit_code, list(claims(exported))) == (3, ["fee"])
    assert exported.scope["excluded"] == [
        {
            "fieldPath": "city",
            "itemNames": [items_of(open_run(path))["city"]["metadata"]["name"]],
            "code": "EXPORT_NOT_PROJECTABLE",
        }
    ]
    described = {one.field_path: (one.state, one.reasons) for one in describe_run(path).claims}
    assert described == {
        "fee": ("reviewed", ()),
        "city": ("excluded", ("EXPORT_NOT_PROJECTABLE",)),
    }


def test_when_no_other_is_decided_that_is_the_refusal(root):
    unsure = ("city", "could-not-confirm", {"note": "torn off", "attemptEvidenceIds": ["e"]})
    path = nameless(made(root, conflict(), unsure), "city")
    found = stays_refused("EXPORT_UNDECIDED", path, export_run)
    assert [one["code"] for one in found.details["excluded"]] == [
        "EXPORT_UNDECIDED",
        "EXPORT_NOT_PROJECTABLE",
    ]
    assert [one.state for one in describe_run(path).claims] == ["undecided", "excluded"]


# What refuses it whole


def test_row_24_a_decision_about_an_unknown_item(path):
    def change(forged):
        forged.events[0]["spec"]["reviewItemName"] = "nobody"

    export_run(path)
    forge(path, change, rechain=True)
    stays_refused("INVALID_EVENTS", path, export_run)


def value_edited(forged):
    forged.items[0]["spec"]["candidates"][0]["value"] = "1"
    forged.rebind()


def item_dropped(forged):
    gone = forged.items.pop()["metadata"]["name"]
    kept = [one for one in forged.events if one["spec"]["reviewItemName"] != gone]
    for number, event in enumerate(kept, 1):
        event["spec"]["sequence"] = number
    forged.events = kept
    forged.rebind()


def item_invented(forged):
    more = copy.deepcopy(forged.items[-1])
    more["metadata"]["name"] += "x"
    for one in more["spec"]["candidates"]:
        one["id"] += "x"
    forged.items.append(more)
    forged.rebind()


def emptied(forged):
    forged.queue |= {"items": [], "activeItemName": ""}
    forged.events.clear()
    forged.rebind()


def emptied_recheck(forged):
    emptied(forged)
    forged.manifest["round"]["kind"] = "recheck"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(value_edited, id="row 26"),
        pytest.param(emptied, id="row 27, first round"),
        pytest.param(emptied_recheck, id="row 27, recheck"),
        pytest.param(item_dropped, id="row 28"),
        pytest.param(item_invented, id="row 29"),
    ],
)
def test_rows_26_to_29_a_queue_that_its_extraction_does_not_derive(path, change):
    export_run(path)
    before = content(path)
    forge(path, change, rechain=False)
    stays_refused("RUN_EVENTS_BROKEN", path, export_run)
    for name, text in before.items():
        (path / name).write_bytes(text)
    forge(path, change, rechain=True)
    stays_refused("EXPORT_UNATTESTED_QUEUE", path, export_run)


def test_row_27b_a_round_in_which_nothing_was_found(root):
    path = nothing().create(root).path
    assert stays_refused("EXPORT_NOT_PROJECTABLE", path, export_run).details == {}


def rival_unextracted(forged):
    proposals = forged.envelope["result"]["proposals"]
    proposals[:] = [one for one in proposals if one["candidateValue"] != "52000"]
    forged.rederive()
    forged.events.clear()
    forged.rebind()


def test_row_31_a_value_deleted_from_envelope_and_queue(path):
    forge(path, rival_unextracted, rechain=True)
    stays_refused("RUN_ENVELOPE_MISMATCH", path, export_run)


def test_row_32_the_same_with_the_binding_of_the_envelope_removed(path):
    def change(forged):
        rival_unextracted(forged)
        del forged.manifest["extraction"]

    forge(path, change, rechain=True)
    stays_refused("EXPORT_UNATTESTED_QUEUE", path, export_run)


def test_row_33_a_run_that_never_bound_its_envelope(root, tmp_path):
    path = import_run(UPSTREAM, root).artifacts.path
    assert export_run(path).exit_code == 0
    never = unbound(Upstream(tmp_path / "theirs"))
    closed = import_run(never, tmp_path / "others").artifacts.path
    stays_refused("EXPORT_UNBOUND_ENVELOPE", closed, export_run)


def test_row_36_the_bound_status_without_its_diagnostics(root):
    path = decided(root, rival_misquoted())
    assert export_run(path).exit_code == 3

    def change(forged):
        forged.manifest["extraction"]["importStatus"]["diagnostics"] = []

    forge(path, change, rechain=True)
    stays_refused("RUN_EXTRACTION_MISMATCH", path, export_run)


def test_row_39_a_field_whose_only_proposal_is_not_in_the_text(root):
    one = conflict()
    text = misquoted(one.extracted.envelope, 2, "Basel", "Genf!")
    report = retold(one.extracted.report, text)
    extracted = type(one.extracted)(text, one.extracted.prepared, report)
    path = decided(root, type(one)(one.order, extracted))
    found = stays_refused("EXPORT_EXCERPT_MISMATCH", path, export_run)
    assert found.details == {"fieldPaths": ["city"]}


def test_row_55_a_text_of_which_a_part_was_read(root):
    path = decided(root, partial())
    found = stays_refused("EXPORT_COVERAGE_INCOMPLETE", path, export_run)
    assert found.details == {
        "reasons": ["max-chunks"],
        "coverage": {"chunkCount": 4, "incompleteChunkCount": 3},
    }


def test_row_56_a_success_beside_failures_of_the_provider(root):
    def change(envelope):
        envelope["result"]["providerFailures"] = [
            {"provider": "harbor", "kind": "timeout", "retryable": True}
        ]

    path = decided(root, edited(conflict(), change))
    found = stays_refused("EXPORT_COVERAGE_INCOMPLETE", path, export_run)
    assert found.details["reasons"] == ["provider-failure"]


def test_row_57_a_run_that_was_stopped_before_anything_was_found(root):
    text = "x" * 300
    sample = sample_of(task_document("fee"), text, chunk_size=100, chunk_overlap=0, max_chunks=1)
    path = sample.create(root).path
    assert open_run(path).state["items"] == []
    stays_refused("EXPORT_COVERAGE_INCOMPLETE", path, export_run)


def test_an_export_over_its_size_is_refused(path):
    size = len(export_run(path).text)
    assert export_run(path, max_bytes=size).exit_code == 0
    found = stays_refused("EXPORT_TOO_LARGE", path, export_run, max_bytes=size - 2)
    assert found.details == {"allowed": size - 2}


def test_a_size_that_is_none_is_misuse(path):
    with pytest.raises(ValueError, match="cap"):
        export_run(path, max_bytes=0)


def test_a_blind_round_gives_out_nothing_before_it_is_over(root):
    path = decided(root, conflict().with_order(score_blind=True))
    stays_refused("scores-withheld", path, export_run)


def test_the_log_is_read_under_the_shared_lock(path):
    with held(path / "review-events.jsonl", 0):
        refused("REVIEW_BUSY", export_run, path, wait=0)
    assert export_run(path, wait=0).exit_code == 0


# What leaves one claim out


def test_row_46_an_undecided_item_is_listed_and_the_others_leave(root):
    path = made(root, conflict(), ("city", "accept"))
    exported = export_run(path)
    assert exported.exit_code == 3
    assert exported.scope["complete"] is False
    assert codes(exported) == [("fee", "EXPORT_UNDECIDED")]
    assert list(claims(exported)) == ["city"]
    assert [one["claimId"] for one in exported.scope["decisions"]] == [
        claims(exported)["city"]["id"]
    ]


def test_row_48_nothing_is_decided(root):
    path = conflict().create(root).path
    found = stays_refused("EXPORT_UNDECIDED", path, export_run)
    assert [one["fieldPath"] for one in found.details["excluded"]] == ["fee", "city"]


# Decisions


def test_row_40_accepting_a_conflict_cannot_be_recorded(root):
    path = made(root, conflict(), ("city", "accept"))
    name = open_run(path).state["items"][0]["metadata"]["name"]
    done = decide_run(path, [{"item": name, "decision": "accept"}], HOST)
    assert (done.ok, done.committed) == (False, 0)
    assert codes(export_run(path)) == [("fee", "EXPORT_UNDECIDED")]


def test_row_41_a_choice_cites_its_own_words_and_lists_the_rival(root):
    path = conflict().create(root).path
    exported = export_run(decide(path, ("fee", "select", chosen(path, "fee", "52000"))))
    claim = claims(exported)["fee"]
    assert (claim["value"], claim["status"]) == ("52000", "verified")
    evidence = exported.document["bundle"]["evidence"][0]
    assert evidence["excerptOrSummary"] == "Fee: 52000"
    part = evidence["metadata"]["reviewedExtraction"]
    assert part["profile"].endswith("/v3")
    assert part["choice"]["chosenOver"] == [chosen(path, "fee", "48000")["candidateId"]]
    assert exported.document["reviewedGrounding"]["outcome"] == "allowed"


def test_row_42_rejecting_every_value_is_one_claim_without_a_value(root):
    path = made(root, conflict(), ("fee", "reject"), ("city", "accept"))
    exported = export_run(path)
    claim = claims(exported)["fee"]
    assert (claim["value"], claim["status"]) == (None, "rejected")
    assert len(claims(exported)) == 2
    assert (exported.scope["complete"], exported.exit_code) == (True, 0)
    assert exported.document["reviewedGrounding"]["outcome"] == "refused"


def test_row_43_what_could_not_be_confirmed_is_disputed(root):
    note = {"note": "the page is torn"}
    path = made(root, conflict(), ("fee", "could-not-confirm", note), ("city", "accept"))
    exported = export_run(path)
    claim = claims(exported)["fee"]
    assert (claim["value"], claim["status"]) == (None, "disputed")
    assert exported.exit_code == 0


# Disputes


def test_row_38_an_excluded_rival_disputes_the_claim_it_contests(root):
    exported = export_run(decided(root, rival_misquoted()))
    assert (exported.scope["complete"], exported.exit_code) == (True, 3)
    assert gaps(exported) == {"fee": ["excluded-rival-unresolved"]}
    claim = claims(exported)["fee"]
    assert (claim["value"], claim["status"]) == ("48000", "disputed")
    assert claims(exported)["city"]["status"] == "verified"
    review, dispute = events(exported, "fee")
    assert (review["status"], review["actor"]) == ("verified", "ana")
    assert dispute["id"] == f"{claim['id']}.reviewed-grounding-dispute"
    assert (dispute["status"], dispute["actor"]) == ("disputed", "survey-fast/reviewed-export")
    assert dispute["method"] == "survey-fast/reviewed-export-grounding/v1"
    assert dispute["createdAt"] == "2026-01-15T08:00:00.001Z"
    assert "excluded-rival-unresolved" in dispute["notes"]
    assert exported.document["reviewedGrounding"]["outcome"] == "refused"
    report = build_trust_report(exported.document["bundle"], now="2030-01-01T00:00:00.000Z")
    statuses = {one["fieldOrBehavior"]: one["status"] for one in report["claims"]}
    assert statuses == {"fee": "disputed", "city": "verified"}


@pytest.mark.parametrize(
    ("kind", "value", "more", "word"),
    [
        pytest.param("number", "about two", {}, "type-mismatch", id="row 49"),
        pytest.param("boolean", "yes", {}, "type-mismatch", id="boolean"),
        pytest.param("enum", "blue", {"enumValues": ["red"]}, "enum-mismatch", id="enum"),
    ],
)
def test_row_49_a_value_of_another_type_is_refused_and_disputed(root, kind, value, more, word):
    exported = export_run(made(root, typed(kind, value, value, **more), ("it", "accept")))
    assert (exported.exit_code, claims(exported)["it"]["status"]) == (3, "disputed")
    entry = exported.scope["groundingRefused"][0]
    assert (entry["gaps"][-1], entry["schemaMatch"]) == ("schema-mismatch", word)
    dispute = events(exported, "it")[-1]
    assert f"schema-mismatch ({word})" in dispute["notes"]
    listed = [
        one
        for one in exported.document["reviewedGrounding"]["gaps"]
        if one["kind"] == "schema-mismatch"
    ]
    assert [(one["claimId"], one["schemaMatch"]) for one in listed] == [(entry["claimId"], word)]


def test_row_50_the_same_where_nobody_recorded_it(root):
    sample = typed("number", "about two", "about two", recorded=False)
    exported = export_run(made(root, sample, ("it", "accept")))
    assert (exported.exit_code, claims(exported)["it"]["status"]) == (3, "disputed")
    entry = exported.scope["groundingRefused"][0]
    assert entry["gaps"][-1] == "schema-mismatch"
    assert "schemaMatch" not in entry
    assert "schema-mismatch (invalid)" in events(exported, "it")[-1]["notes"]


def test_row_51_a_date_that_is_none(root):
    exported = export_run(made(root, typed("date", "14/03/2026", "14/03/2026"), ("it", "accept")))
    entry = exported.scope["groundingRefused"][0]
    assert (entry["gaps"], entry["schemaMatch"]) == (["schema-mismatch"], "format-invalid")
    assert exported.document["reviewedGrounding"]["outcome"] == "refused"
    assert claims(exported)["it"]["status"] == "disputed"


@pytest.mark.parametrize(
    ("kind", "text", "value"), [("date", "14 March 2026", "2026-03-14"), ("number", "2.1", 2.1)]
)
def test_row_52_what_was_rewritten_without_loss_holds(root, kind, text, value):
    exported = export_run(made(root, typed(kind, text, text), ("it", "accept")))
    assert exported.exit_code == 0
    assert (claims(exported)["it"]["value"], claims(exported)["it"]["status"]) == (
        value,
        "verified",
    )


@pytest.mark.parametrize(
    ("kind", "value", "text"), [("array", ["a"], "['a']"), ("object", {}, "{}")]
)
def test_row_53_a_structure_that_cannot_be_checked_stays_verified(root, kind, value, text):
    exported = export_run(made(root, typed(kind, value, text), ("it", "accept")))
    assert exported.exit_code == 0
    assert (claims(exported)["it"]["value"], claims(exported)["it"]["status"]) == (
        value,
        "verified",
    )
    structural = ["evidence-not-entailing", "structure-not-validated", "profile-gap"]
    assert gaps(exported, "groundingUnchecked") == {"it": structural}
    assert gaps(exported) == {}
    assert len(events(exported, "it")) == 1


def test_row_54_a_dispute_is_later_than_a_review_of_the_future(root):
    path = rival_misquoted().create(root).path
    host = Host(ANA, "2999-12-31T23:59:59.999Z", wait=0)
    assert decide_run(path, requests_for(open_run(path)), host).ok
    exported = export_run(path)
    assert events(exported, "fee")[-1]["createdAt"] == "3000-01-01T00:00:00.000Z"
    report = build_trust_report(exported.document["bundle"], now="3000-01-01T00:00:00.001Z")
    assert "disputed" in {one["status"] for one in report["claims"]}


def test_a_rejected_value_is_in_neither_list(root):
    exported = export_run(made(root, typed("number", "about two", "about two"), ("it", "reject")))
    assert claims(exported)["it"]["status"] == "rejected"
    assert (gaps(exported), gaps(exported, "groundingUnchecked")) == ({}, {})
    assert exported.exit_code == 0


# Attribution


def attributions(exported):
    return [(one["actor"], one.get("mode")) for one in exported.scope["decisions"]]


def test_row_65_the_host_says_who_and_the_export_never_mentions_what_a_client_claimed(root):
    path = conflict().create(root).path
    theirs = made(root.parent / "browser", conflict(), ("city", "accept"))
    new = Forged(theirs).events
    for event in new:
        event["spec"]["actor"] = {"id": "mallory"}
        del event["metadata"]["producer"]
    alice = Host(Reviewer.named("alice"), LATER, wait=0)
    append_events(path, new, alice, expected_revision=open_run(path).revision)
    assert b"mallory" in (path / "review-events.jsonl").read_bytes()
    exported = export_run(path)
    assert attributions(exported) == [({"id": "alice", "kind": "human"}, "individual")]
    assert b"mallory" not in exported.text
    assert {one["actor"] for one in exported.document["bundle"]["events"]} == {"alice"}


@pytest.mark.parametrize(
    ("reviewer", "targets", "told"),
    [
        pytest.param(
            Reviewer(), ["city"], ("unattributed", "unattributed", "individual"), id="row 66"
        ),
        pytest.param(ANA, ["city", "fee"], ("ana", "human", "batch"), id="row 67"),
        pytest.param(
            Reviewer.named("bot-1", "agent"), ["city"], ("bot-1", "agent", "agent"), id="row 68"
        ),
    ],
)
def test_rows_66_to_68_kind_and_mode_of_who_decided(root, reviewer, targets, told):
    host = Host(reviewer, LATER, wait=0)
    path = made(root, conflict(), *[(one, "reject") for one in targets], host=host)
    name, kind, mode = told
    expected = ({"id": name, "kind": kind}, mode)
    assert attributions(export_run(path)) == [expected] * len(targets)


def test_row_70_a_run_decided_before_stamping_names_a_stand_in(root, tmp_path):
    theirs = Upstream(tmp_path / "theirs")
    for event in theirs.review["events"]:
        del event["metadata"]["producer"]
    path = import_run(theirs.save(), root).artifacts.path
    before = content(path)
    exported = export_run(path)
    actor = {"id": theirs.review["snapshot"]["actorId"], "kind": "legacy-synthetic-actor"}
    assert attributions(exported) == [(actor, None)]
    assert [one["decidedAt"] for one in exported.scope["decisions"]] == [
        theirs.review["snapshot"]["reviewedAt"]
    ]
    assert content(path) == before


def test_a_decision_made_twice_is_told_as_it_was_made_last(root):
    path = made(root, conflict(), ("city", "accept"))
    later = Host(Reviewer.named("ben"), "2026-01-16T08:00:00.000Z", wait=0)
    name = next(
        one["metadata"]["name"]
        for one in open_run(path).state["items"]
        if one["spec"]["target"] == "city"
    )
    request = {"item": name, "decision": "reject"}
    assert decide_run(path, [request], later, replace_decided=True).ok
    exported = export_run(path)
    assert attributions(exported) == [({"id": "ben", "kind": "human"}, "individual")]
    assert claims(exported)["city"]["status"] == "rejected"


# Disclosure


HOSTILE = [
    ("read from /home/ana/contract.txt", "path-posix"),
    ("token ghp_0123456789abcdefghij", "secret-github"),
    ("key AKIAIOSFODNN7EXAMPLE", "secret-aws-id"),
    ("password=hunter2hunter2", "secret-assigned"),
]


@pytest.mark.parametrize(("note", "rule"), HOSTILE, ids=[rule for _, rule in HOSTILE])
def test_row_79_a_hostile_note_is_taken_and_does_not_leave(root, note, rule):
    path = made(root, conflict(), ("city", "accept", {"note": "as the contract says"}))
    assert export_run(path).exit_code == 3
    decide(path, ("fee", "reject", {"note": note}))
    found = stays_refused("DISCLOSURE_REFUSED", path, export_run)
    assert found.details["rule"] == rule
    assert found.pointer.startswith("/bundle/")
    said = json.dumps([found.message, found.details])
    assert note.split()[-1] not in said


def test_row_80_references_spans_and_addresses_leave(root):
    text = "It: https://example.invalid/a/b and chars:0-14\n"
    sample = typed("string", "https://example.invalid/a/b and chars:0-14", text[4:-1])
    assert export_run(made(root, sample, ("it", "accept"))).exit_code == 0


def test_what_must_not_leave_an_envelope_is_refused_by_its_place_and_can_be_allowed(root):
    sample = typed("string", "/srv/share/x", "/srv/share/x")
    path = made(root, sample, ("it", "accept"))
    found = stays_refused("DISCLOSURE_REFUSED", path, export_run)
    assert found.pointer == "/result/proposals/0/candidateValue"
    asked = [f"{one['rule']}@{one['pointer']}" for one in found.details["findings"]]
    stays_refused("DISCLOSURE_REFUSED", path, export_run, allow_disclosure=asked[:1])
    stays_refused("DISCLOSURE_REFUSED", path, export_run, allow_disclosure=["path-posix@/source"])
    exported = export_run(path, allow_disclosure=asked)
    assert exported.exit_code == 0
    listed = exported.scope["allowedDisclosures"]
    assert [f"{one['rule']}@{one['pointer']}" for one in listed] == asked
    assert all(len(one["sha256"]) == 64 for one in listed)


@pytest.mark.parametrize(
    ("note", "code"),
    [
        ("it is /srv/share/x, as written", None),
        ("it is /srv/share/x/y", "DISCLOSURE_REFUSED"),
        ("it is /srv/share/x and /etc/passwd", "DISCLOSURE_REFUSED"),
        ("it is /srv/share/x with password=hunter2hunter2", "DISCLOSURE_REFUSED"),
    ],
)
def test_a_note_may_quote_what_is_allowed_and_nothing_else(root, note, code):
    path = made(root, typed("string", "/srv/share/x", "/srv/share/x"), ("it", "accept"))
    asked = [
        f"{one['rule']}@{one['pointer']}"
        for one in refused("DISCLOSURE_REFUSED", export_run, path).details["findings"]
    ]
    name = open_run(path).state["items"][0]["metadata"]["name"]
    request = {"item": name, "decision": "accept", "note": note}
    assert decide_run(path, [request], HOST, replace_decided=True).ok
    if code is None:
        assert note.encode() in export_run(path, allow_disclosure=asked).text
    else:
        stays_refused(code, path, export_run, allow_disclosure=asked)
