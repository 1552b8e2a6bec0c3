"""Taking over a run of the reference system, and what is not taken over.

Rows 61 (refused at the door) and 70 (as far as storing goes) of the edge table of runs. Left: the
export of what was taken over, and rechecks, which come with their own part.
"""

import json
import shutil

import pytest
from tests.races.workers import FILES
from tests.unit.runs.samples import (
    HOST,
    UPSTREAM,
    Forged,
    content,
    example,
    refused,
    requests_for,
    stays_refused,
)

from survey_fast.canon import canonical_digest, canonical_json
from survey_fast.errors import SurveyError
from survey_fast.extraction.task import read_task
from survey_fast.imports import available_artifact, import_envelope
from survey_fast.runs.append import append_history, decide_run
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_metadata, open_run

RUN_ID = "ee0f5783bcfa2891"
CLOSED = [
    ("schemaVersion",), ("runResource",), ("createdAt",), ("taskName",), ("task",),
    ("execution",), ("execution", "identity"), ("execution", "identity", "mode"),
    ("preparedArtifact",), ("preparedArtifact", "ref"), ("preparedArtifact", "digest"),
    ("preparedArtifact", "contentLength"), ("preparedArtifact", "file"), ("envelopeFile",),
    ("extraction", "envelopeDigest"), ("extraction", "importStatus"),
    ("extraction", "importStatus", "state"), ("extraction", "importStatus", "provenance"),
    ("review",), ("review", "snapshot"), ("review", "snapshot", "reviewedAt"),
    ("review", "revision"), ("review", "snapshotHash"),
]  # fmt: skip
CLOSED_OBJECTS = [
    ("execution",), ("execution", "identity"), ("preparedArtifact",), ("extraction",),
    ("extraction", "importStatus"), ("review",), ("review", "snapshot"),
]  # fmt: skip
IMPORT_KEY = "survey.kontourai.io/extraction-envelope"
TRANSITION_KEY = "lookout.kontourai.io/semantic-transition"


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


class Upstream:
    """A copy of the published run, to be edited."""

    def __init__(self, path):
        shutil.copytree(UPSTREAM, path)
        self.path = path
        self.run = json.loads((path / "run.json").read_bytes())
        self.envelope = json.loads((path / "extraction-envelope.json").read_bytes())

    @property
    def review(self):
        return self.run["review"]

    @property
    def items(self):
        return self.review["snapshot"]["items"]

    def rebind(self):
        self.review["snapshotHash"] = canonical_digest(self.review["snapshot"], profile="collated")

    def save(self):
        (self.path / "run.json").write_text(json.dumps(self.run, indent=2) + "\n")
        (self.path / "extraction-envelope.json").write_text(json.dumps(self.envelope, indent=2))
        return self.path


@pytest.fixture
def upstream(tmp_path):
    return Upstream(tmp_path / "theirs")


def test_a_stored_run_becomes_one_of_ours_with_its_history(root):
    before = content(UPSTREAM)
    run = import_run(UPSTREAM, root)
    stored = json.loads((UPSTREAM / "run.json").read_bytes())
    path = root / f"run-{RUN_ID}"
    assert run.artifacts.path == path.resolve()
    assert sorted(one.name for one in root.iterdir()) == [".gitignore", path.name]
    assert run.log.events == stored["review"]["events"]
    assert run.manifest.run_id == RUN_ID
    assert run.manifest.document["source"]["importedFrom"] == stored["runResource"]
    assert run.manifest.document["createdAt"] == stored["createdAt"]
    assert run.manifest.round["snapshotHash"] == stored["review"]["snapshotHash"]
    bound = run.manifest.extraction
    assert bound["envelopeDigest"] == stored["extraction"]["envelopeDigest"]
    assert bound["importStatus"] == stored["extraction"]["importStatus"]
    assert run.state == stored["review"]["snapshot"]
    assert run.attestation.state == "attested"
    assert run.attestation.provenance == "verified"
    assert (run.blocked, run.is_renamed) == (None, False)
    assert open_metadata(path).revision == run.revision
    assert content(UPSTREAM) == before


def test_the_binding_is_of_their_order_of_members(root):
    spec = import_run(UPSTREAM, root).manifest.binding["spec"]
    assert "canonicalization" not in spec
    assert spec["snapshotHash"].startswith("3c943ee5")


def test_row_70_events_of_before_keep_who_and_when_they_had(root, upstream):
    for event in upstream.review["events"]:
        del event["metadata"]["producer"]
    run = import_run(upstream.save(), root)
    assert run.log.events == upstream.review["events"]
    assert run.log.count == 5


def unfinished(upstream):
    """The same before its reviewer completed the round."""
    assert upstream.review["events"].pop()["spec"]["eventType"] == "session-completed"
    return upstream.save()


def test_a_round_that_was_completed_takes_no_decision_any_more(root):
    run = import_run(UPSTREAM, root)
    path, requests = run.artifacts.path, requests_for(run)
    found = stays_refused("INVALID_EVENTS", path, decide_run, requests, HOST, replace_decided=True)
    assert found.details["issues"][0]["code"] == "event-after-completion"


def test_a_run_that_was_taken_over_is_decided_on(root, upstream):
    run = import_run(unfinished(upstream), root)
    path = run.artifacts.path
    done = decide_run(path, requests_for(run), HOST, replace_decided=True)
    assert (done.ok, done.committed) == (True, 2)
    after = open_run(path)
    assert after.log.events[:4] == run.log.events
    assert after.log.events[4]["spec"]["actor"] == {"id": "ana"}


def test_a_browsers_copy_of_its_history_goes_on(root, upstream):
    run = import_run(unfinished(upstream), root)
    history = [json.loads(json.dumps(event)) for event in run.log.events]
    for event in history:
        del event["metadata"]["producer"]
        event["spec"]["occurredAt"] = "2020-01-01T00:00:00.000Z"
    added = json.loads(json.dumps(history[1]))
    added["spec"]["sequence"] = 5
    done = append_history(run.artifacts.path, [*history, added], HOST, expected_count=4)
    assert (done.added, len(done.events)) == (1, 5)


def test_an_occupied_place_is_refused(root):
    import_run(UPSTREAM, root)
    before = content(root)
    refused("file-exists", import_run, UPSTREAM, root)
    assert content(root) == before


def test_a_run_of_ours_in_its_place_is_refused_and_so_is_the_other_way_round(root, tmp_path):
    example().create(root)
    before = content(root)
    refused("file-exists", import_run, UPSTREAM, root)
    assert content(root) == before
    other = tmp_path / "others"
    import_run(UPSTREAM, other)
    before = content(other)
    refused("RUN_EXISTS_DIFFERENT", example().create, other)
    assert content(other) == before


def test_what_was_taken_over_cannot_pass_for_one_of_ours(root):
    path = import_run(UPSTREAM, root).artifacts.path
    forged = Forged(path)
    forged.events.clear()
    del forged.manifest["source"]["importedFrom"]
    forged.save(rechain=True)
    stays_refused("INVALID_RUN", path)


# Blocked


def unbound(upstream):
    """As a release before the binding wrote it: items of an import that saw no text."""
    del upstream.run["extraction"]
    imported = import_envelope(
        upstream.envelope,
        source_kind="uploaded-document",
        claim_targets=read_task(upstream.run["task"]).claim_targets(),
        import_name=f"fieldwork-import:generic-record:{RUN_ID}",
        producer_namespace="fieldwork",
    )
    upstream.review["snapshot"]["items"] = imported.review_items
    upstream.rebind()
    return upstream.save()


def test_a_run_that_never_bound_its_envelope_is_only_read(root, upstream):
    run = import_run(unbound(upstream), root)
    path = run.artifacts.path
    assert run.blocked == open_metadata(path).blocked == "unbound-envelope"
    assert run.attestation.provenance == "unverified"
    assert run.log.count == 5
    assert not (path / "extraction-report.json").exists()
    requests = requests_for(run)
    stays_refused("RUN_ENVELOPE_UNBOUND", path, decide_run, requests, HOST, replace_decided=True)


# Not taken over


def recheck(one):
    one.items[0]["metadata"]["producer"][TRANSITION_KEY] = {"transitionId": "t"}
    one.rebind()


def recheck_by_candidate(one):
    one.items[0]["spec"]["candidates"][0]["producer"][TRANSITION_KEY] = {"observationId": "o"}
    one.rebind()


def row_61_older_shape(one):
    del one.items[0]["metadata"]["producer"][IMPORT_KEY]["proposalIndices"]
    one.rebind()


def row_61_oldest_shape(one):
    del one.items[0]["metadata"]["producer"]
    one.rebind()


NOT_TAKEN = [recheck, recheck_by_candidate, row_61_older_shape, row_61_oldest_shape]


@pytest.mark.parametrize("change", NOT_TAKEN, ids=lambda one: one.__name__)
def test_what_is_not_taken_over(root, upstream, change):
    change(upstream)
    refused("run-not-importable", import_run, upstream.save(), root)
    assert not root.exists()


def newer(one):
    one.run["schemaVersion"] = 2


def version_true(one):
    one.run["schemaVersion"] = True


def other_task(one):
    one.run["task"]["metadata"]["name"] = "other"


def no_task(one):
    one.run["task"] = []


def no_review(one):
    del one.run["review"]


def no_events(one):
    one.review["events"] = {}


def no_items(one):
    one.review["snapshot"]["items"] = {}


def item_without_name(one):
    one.items[0]["metadata"]["name"] = 7


def item_that_is_none(one):
    one.items[0] = None


def resource_that_climbs(one):
    one.run["runResource"] = "fieldwork-run:v1:generic-record:../../../../elsewhere"


def resource_that_is_none(one):
    one.run["runResource"] = ["x"]


def no_artifact(one):
    del one.run["preparedArtifact"]["digest"]


def no_status(one):
    del one.run["extraction"]["importStatus"]


def status_unhashable(one):
    one.run["extraction"]["importStatus"]["state"] = {}


def not_a_time(one):
    one.run["createdAt"] = 7


def no_hash(one):
    del one.review["snapshotHash"]


def named_otherwise(one):
    one.run["taskName"] = "another"


def receipts_of_no_call(one):
    one.run["execution"]["receipts"] = [RECEIPT]


INVALID = [
    newer, version_true, other_task, no_task, no_review, no_events, no_items, item_without_name,
    item_that_is_none, resource_that_climbs, resource_that_is_none, no_artifact, no_status,
    status_unhashable, not_a_time, no_hash, named_otherwise, receipts_of_no_call,
]  # fmt: skip


@pytest.mark.parametrize("change", INVALID, ids=lambda one: one.__name__)
def test_what_is_no_such_run(tmp_path, root, upstream, change):
    change(upstream)
    before = content(tmp_path)
    refused("INVALID_RUN", import_run, upstream.save(), root)
    assert {name for name in content(tmp_path) if "run-" in name or "create" in name} == set()
    assert {name.split("/")[0] for name in content(tmp_path)} <= {"theirs", "runs"}
    assert set(before) <= set(content(tmp_path))


GONE = object()
OTHERS = [GONE, None, True, -1, 1.5, "", "x", [], {}, [1], {"a": 1}]


def put(document, path, value):
    *parents, last = path
    for name in parents:
        document = document[name]
    if value is GONE:
        del document[last]
    else:
        document[last] = value


@pytest.mark.parametrize("path", CLOSED, ids="/".join)
def test_a_member_that_the_format_has_is_there_and_of_its_type(root, upstream, path):
    original = json.dumps(upstream.run)
    free = {"ref", "reviewedAt"}
    for other in [one for one in OTHERS if one != "x" or path[-1] not in free]:
        upstream.run = json.loads(original)
        put(upstream.run, path, other)
        if json.dumps(upstream.run) != original:
            found = refused("INVALID_RUN", import_run, upstream.save(), root)
            assert found.details["path"] == str(upstream.path / "run.json")
    upstream.run = json.loads(original)
    import_run(upstream.save(), root)


@pytest.mark.parametrize(
    "holder",
    [(), *CLOSED_OBJECTS],
    ids=lambda path: "/".join(path) or "run",
)
def test_a_member_that_the_format_does_not_have_is_refused(root, upstream, holder):
    put(upstream.run, (*holder, "more"), 1)
    found = refused("INVALID_RUN", import_run, upstream.save(), root)
    assert found.pointer == "".join(f"/{name}" for name in (*holder, "more"))


RECEIPT = {
    "schemaVersion": 1,
    "planDigest": "0" * 64,
    "requestDigest": f"sha256:{'0' * 64}",
    "role": "extract",
    "outcome": "succeeded",
    "attempts": [
        {
            "candidateId": "one",
            "runtimeId": "there",
            "outcome": "succeeded",
            "elapsedMs": 12,
            "model": "m",
            "modelSource": "configured",
            "retryable": False,
        }
    ],
    "totalElapsedMs": 12,
    "totalTokens": 3,
    "estimatedCostUsd": 0.5,
    "physicalBatch": {"operationId": "o", "itemIndex": 0, "itemCount": 1},
    "authorization": {"id": "a", "invocationId": "i", "outcome": "settled"},
}
RUNTIME = {
    "mode": "runtime",
    "role": "extract",
    "candidates": [
        {
            "id": "one",
            "runtimeId": "there",
            "structuredToolsFidelity": "native",
            "outputTokenLimitFidelity": "approximated",
            "estimatedUsdPer1kTokens": 0.1,
        }
    ],
    "budget": {"maxAttempts": 1, "maxTotalTokens": 100},
    "authorization": {"mode": "file-ledger-v1", "maxTokensPerAttempt": 10},
    "providerOperations": {"concurrency": 32, "batchSize": 128, "maxChunks": 3},
    "minimumStructuredToolsFidelity": "prompted",
    "maxOutputTokens": 4096,
}


def asked(upstream):
    """The same as if a model had been called."""
    upstream.run["execution"] = {"identity": dict(RUNTIME), "receipts": [RECEIPT]}
    return upstream


def test_a_run_that_called_a_model_is_taken_over(root, upstream):
    assert import_run(asked(upstream).save(), root).manifest.run_id == RUN_ID


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("identity", "mode"), "fixture-v1"),
        (("identity", "mode"), GONE),
        (("identity", "more"), 1),
        (("identity", "candidates"), []),
        (("identity", "candidates"), [1]),
        (("identity", "candidates"), RUNTIME["candidates"] * 17),
        (("identity", "candidates", 0, "id"), "x" * 257),
        (("identity", "candidates", 0, "structuredToolsFidelity"), "approximated"),
        (("identity", "budget", "maxAttempts"), 0),
        (("identity", "budget", "maxAttempts"), True),
        (("identity", "providerOperations", "concurrency"), 33),
        (("identity", "authorization", "mode"), "none"),
        (("receipts", 0, "planDigest"), "x"),
        (("receipts", 0, "requestDigest"), "0" * 64),
        (("receipts", 0, "outcome"), "failed"),
        (("receipts", 0, "attempts", 0, "outcome"), "aborted"),
        (("receipts", 0, "attempts", 0, "runtimeId"), GONE),
        (("receipts", 0, "attempts"), RECEIPT["attempts"] * 17),
        (("receipts", 0, "physicalBatch", "itemCount"), 129),
        (("receipts", 0, "more"), 1),
    ],
    ids=lambda one: "gone" if one is GONE else str(one)[:40],
)
def test_what_was_called_is_told_in_a_closed_form(root, upstream, path, value):
    execution = json.loads(json.dumps(asked(upstream).run["execution"]))
    put(execution, path, value)
    upstream.run["execution"] = execution
    found = refused("INVALID_RUN", import_run, upstream.save(), root)
    assert found.pointer.startswith("/execution/")


def value(one):
    one.items[0]["spec"]["candidates"][0]["value"] = "Inactive"


def value_rebound(one):
    value(one)
    one.rebind()


def envelope(one):
    one.envelope["result"]["proposals"][0]["candidateValue"] = "Inactive"


def emptied(one):
    snapshot = one.review["snapshot"]
    snapshot |= {"items": [], "activeItemName": ""}
    one.review["events"].clear()
    one.rebind()


def status(one):
    one.run["extraction"]["importStatus"]["diagnostics"] = [{"kind": "excerpt-mismatch"}]


def event(one):
    one.review["events"][2]["spec"]["reviewItemName"] = "nobody"


def event_shape(one):
    one.review["events"][2]["spec"]["more"] = 1


def artifact(one):
    one.run["preparedArtifact"]["contentLength"] = 16


def seeded(one):
    name = one.items[0]["metadata"]["name"]
    one.review["snapshot"]["decisionsByItemName"] = {name: "accept-proposed"}
    one.rebind()


def envelope_shape(one):
    one.envelope["more"] = 1
    one.run["extraction"]["envelopeDigest"] = canonical_digest(one.envelope)


def no_source(one):
    del one.envelope["source"]


def no_run_id(one):
    del one.envelope["result"]["runId"]
    one.run["extraction"]["envelopeDigest"] = canonical_digest(one.envelope)


def no_result(one):
    one.envelope["result"] = {}
    one.run["extraction"]["envelopeDigest"] = canonical_digest(one.envelope)


def without_time(one):
    one.envelope["result"]["extractedAt"] = "not a time"
    one.run["extraction"]["envelopeDigest"] = canonical_digest(one.envelope)
    items = import_envelope(
        one.envelope,
        source_kind="uploaded-document",
        claim_targets=read_task(one.run["task"]).claim_targets(),
        import_name=f"fieldwork-import:generic-record:{RUN_ID}",
        producer_namespace="fieldwork",
        artifact=available_artifact((one.path / "prepared.txt").read_text()),
    ).review_items
    one.review["snapshot"]["items"] = items
    one.rebind()


BROKEN = {
    value: "REVIEW_BINDING_BROKEN",
    value_rebound: "REVIEW_QUEUE_UNATTESTED",
    envelope: "RUN_ENVELOPE_MISMATCH",
    emptied: "REVIEW_QUEUE_UNATTESTED",
    status: "RUN_EXTRACTION_MISMATCH",
    event: "INVALID_EVENTS",
    event_shape: "INVALID_EVENTS",
    artifact: "RUN_PREPARED_MISMATCH",
    seeded: "REVIEW_QUEUE_UNATTESTED",
    envelope_shape: "RUN_ENVELOPE_INVALID",
    no_source: "RUN_ENVELOPE_INVALID",
    no_run_id: "RUN_ENVELOPE_INVALID",
    no_result: "RUN_ENVELOPE_INVALID",
    without_time: "RUN_ENVELOPE_INVALID",
}


@pytest.mark.parametrize("change", BROKEN, ids=lambda one: one.__name__)
def test_a_run_whose_parts_do_not_agree_is_not_taken_over(root, upstream, change):
    change(upstream)
    found = refused(BROKEN[change], import_run, upstream.save(), root)
    files = {str(one) for one in upstream.path.iterdir()}
    assert found.details.get("path", str(upstream.path / "run.json")) in files
    assert not root.exists() or set(content(root)) == {".gitignore"}


def test_an_empty_round_is_taken_over_by_the_digest_it_has(root, upstream):
    """Row 57's kind of run: stopped before anything was found."""
    result = upstream.envelope["result"]
    result["proposals"] = []
    result["outcome"] = {"status": "partial", "reason": "max-chunks"}
    result["partial"] = {
        "reason": "max-chunks",
        "completedChunks": 1,
        "remainingChunks": 1,
    }
    upstream.run["extraction"] |= {
        "envelopeDigest": canonical_digest(upstream.envelope),
        "importStatus": {
            "state": "unresolved",
            "diagnostics": [{"kind": "extraction-incomplete", "reason": "max-chunks"}],
            "provenance": "verified",
        },
    }
    upstream.review["snapshot"] |= {"items": [], "activeItemName": ""}
    # A member whose place the two orders do not agree on.
    upstream.review["snapshot"]["editedValuesByItemName"] = {}
    upstream.review["events"].clear()
    upstream.rebind()
    run = import_run(upstream.save(), root)
    assert (run.state["items"], run.manifest.binding) == ([], None)


@pytest.mark.parametrize("name", ["run.json", "extraction-envelope.json"])
@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff", b'{"a":1,"a":2}'], ids=repr)
def test_what_is_no_json_or_another_document(root, upstream, name, text):
    (upstream.path / name).write_bytes(text)
    code = "INVALID_RUN" if name == "run.json" else "RUN_ENVELOPE_INVALID"
    found = refused(code, import_run, upstream.path, root)
    assert found.details["path"] == str(upstream.path / name)
    assert name in found.message


@pytest.mark.parametrize("name", ["run.json", "extraction-envelope.json", "prepared.txt"])
def test_a_missing_file_and_a_link(root, upstream, name):
    place = upstream.path / name
    place.rename(upstream.path.parent / "kept")
    refused("INVALID_RUN", import_run, upstream.path, root)
    place.symlink_to(upstream.path.parent / "kept")
    refused("RUN_PATH_REFUSED", import_run, upstream.path, root)


def test_no_directory(root, tmp_path):
    refused("RUN_NOT_FOUND", import_run, tmp_path / "none", root)


def test_one_of_ours_is_none_of_theirs(root, tmp_path):
    path = example().create(tmp_path / "ours").path
    refused("INVALID_RUN", import_run, path, root)


def test_any_single_member_may_be_missing_and_nothing_escapes(root, upstream):
    whole = canonical_json(upstream.run)

    def holders(value):
        if isinstance(value, dict):
            yield value
        inner = value.values() if isinstance(value, dict) else value
        for one in inner if isinstance(value, dict | list) else ():
            yield from holders(one)

    places = [
        (number, name)
        for number, holder in enumerate(holders(json.loads(whole)))
        for name in holder
    ]
    for number, name in places:
        upstream.run = json.loads(whole)
        del list(holders(upstream.run))[number][name]
        try:
            import_run(upstream.save(), root, files=FILES)
        except SurveyError:
            assert not (root / f"run-{RUN_ID}").exists()
        else:
            shutil.rmtree(root)
