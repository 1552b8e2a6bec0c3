"""A queue and its envelope held against one another at once, and part by part.

What is seen at once is what reading part by part comes to; and whatever is changed, nothing is seen
at once that is not so.
"""

import json
import random

import pytest
from tests.unit.runs.samples import (
    Forged,
    conflict,
    decided,
    example,
    many,
    nothing,
    partial,
    rival_misquoted,
)

from survey_fast import _core
from survey_fast.canon import canonical_json, sha256_hex, sort_names
from survey_fast.errors import SurveyError
from survey_fast.imports import available_artifact, import_envelope, import_from_bound_status
from survey_fast.limits import resolved
from survey_fast.runs import opened
from survey_fast.runs.caps import RAISED
from survey_fast.runs.derived_round import DerivedImport, derived_round
from survey_fast.runs.envelope_facts import envelope_facts, told_facts
from survey_fast.runs.identity import SOURCE_KIND
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.runs.stored_round import StoredRound

SAMPLES = {
    "example": example,
    "conflict": conflict,
    "misquoted": rival_misquoted,
    "many": lambda: many(700),
}


@pytest.fixture(scope="module", params=SAMPLES)
def run(request, tmp_path_factory):
    made = SAMPLES[request.param]().create(tmp_path_factory.mktemp(request.param) / "runs")
    return open_run(made.path)


def names_of_import(run):
    return {
        "source_kind": SOURCE_KIND,
        "claim_targets": run.manifest.task.claim_targets(),
        "import_name": run.manifest.import_name,
        "producer_namespace": run.manifest.namespace,
        "limits": RAISED,
    }


def seen(run, **changed):
    stored = run.artifacts
    parts = {"queue": stored.queue, "envelope": stored.envelope, "prepared": stored.prepared}
    return derived_round(run.manifest, **parts | changed)


def imported_from(run, envelope, prepared):
    if prepared is None:
        status = run.manifest.extraction["importStatus"]
        return import_from_bound_status(envelope, status, **names_of_import(run))
    artifact = available_artifact(prepared.decode())
    return import_envelope(envelope, artifact=artifact, **names_of_import(run))


@pytest.mark.parametrize("with_text", [True, False])
def test_what_is_seen_at_once_is_what_each_part_says(run, with_text):
    stored = run.artifacts
    prepared = stored.prepared if with_text else None
    found = seen(run, prepared=prepared)
    assert found is not None
    slow = StoredRound.read(stored.queue)
    fast = StoredRound(found.queue)
    for name in ("digest", "text", "names", "rest", "outline", "state"):
        assert getattr(fast, name) == getattr(slow, name)
    assert fast.names == sort_names([item["metadata"]["name"] for item in slow.state["items"]])
    assert found.envelope_digest == sha256_hex(canonical_json(stored.envelope))
    expected = imported_from(run, stored.envelope, prepared)
    imported = DerivedImport(found)
    for name in ("record_bytes", "items_bytes", "status", "record", "review_items"):
        assert getattr(imported, name) == getattr(expected, name)
    assert (imported.is_grounded, imported.is_verified) == (True, True)
    facts = envelope_facts(canonical_json(stored.envelope))
    assert told_facts(facts.text, found.told) == facts
    assert found.proposals == facts.proposals
    units = len(stored.prepared.decode().encode("utf-16-le")) // 2
    assert found.text == ((sha256_hex(stored.prepared), units) if with_text else None)


def test_one_thread_sees_what_several_see(run):
    stored = run.artifacts
    targets = json.dumps(dict(run.manifest.task.claim_targets())).encode()

    def alone(threads):
        found = _core.derived_round(
            stored.queue,
            stored.envelope,
            stored.prepared,
            SOURCE_KIND,
            targets,
            run.manifest.import_name,
            run.manifest.namespace,
            None,
            resolved(RAISED),
            threads,
        )
        return found.queue.outline, found.queue.digest, found.record, found.items, found.told

    assert alone(1) == alone(4)


def test_a_run_is_seen_at_once_and_read_no_further(run, monkeypatch):
    def unread(*_, **__):
        raise AssertionError("read part by part")

    monkeypatch.setattr("survey_fast.runs.agreement.envelope_facts", unread)
    monkeypatch.setattr("survey_fast.runs.opened.history_issues", unread)
    for read in (open_run, open_metadata):
        again = read(run.artifacts.path)
        assert again.revision == run.revision
        assert again.item_count == len(run.state["items"])
        assert again.proposal_count == run.proposal_count
        assert again.outcome == run.outcome


@pytest.mark.parametrize("sample", [nothing, partial, conflict, rival_misquoted])
def test_a_run_reads_alike_at_once_and_part_by_part(tmp_path, sample, monkeypatch):
    made = sample().create(tmp_path / "runs")
    for read in (open_run, open_metadata):
        at_once = read(made.path)
        with monkeypatch.context() as patch:
            patch.setattr(opened, "derived_round", lambda *_, **__: None)
            by_part = read(made.path)
        assert at_once.attestation == by_part.attestation
        assert at_once.state == by_part.state
        assert at_once.outline == by_part.outline
        assert at_once.imported.record_bytes == by_part.imported.record_bytes
        assert at_once.imported.items_bytes == by_part.imported.items_bytes
        assert at_once.agreed.envelope == by_part.agreed.envelope
        assert at_once.item_count == by_part.item_count == len(at_once.state["items"])
        assert at_once.proposal_count == by_part.proposal_count


# What is changed


def other_texts(text, seed, count=60):
    """The text with one to three bytes changed, put in or taken out."""
    draw = random.Random(seed)
    for _ in range(count):
        changed = bytearray(text)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(changed))
            byte = draw.choice(b' \n,:{}[]"\\019-aeu\x00\x7f\xc3\xff')
            match draw.randrange(3):
                case 0:
                    changed[at] = byte
                case 1:
                    changed.insert(at, byte)
                case _:
                    del changed[at]
        yield bytes(changed)


def canonical(text):
    try:
        return canonical_json(text)
    except SurveyError:
        return None


@pytest.mark.parametrize("seed", range(3))
def test_a_changed_queue_is_seen_only_where_its_items_are_as_they_were(run, seed):
    whole = run.artifacts.queue
    start, end = whole.index(b'"items":['), whole.index(b',"notesByItemName"')
    around = [*other_texts(whole[:start], seed), *other_texts(whole[end:], seed)]
    changed = [one + whole[start:] for one in around[:60]]
    changed += [whole[:end] + one for one in around[60:]]
    changed += other_texts(whole, seed)
    met = 0
    for queue in changed:
        found = seen(run, queue=queue)
        if found is None:
            continue
        met += 1
        assert canonical(queue) == queue.removesuffix(b"\n")
        slow = StoredRound.read(queue)
        assert slow.holds(run.imported.items_bytes)
        assert found.queue.digest == slow.digest
        assert StoredRound(found.queue).rest == slow.rest
        assert (found.queue.text, found.queue.names()) == (slow.text, slow.names)
    assert met, "no change left the items alone"


@pytest.mark.parametrize("seed", range(3))
def test_a_changed_envelope_is_seen_as_what_it_is(run, seed):
    for envelope in other_texts(run.artifacts.envelope, seed):
        found = seen(run, envelope=envelope)
        if found is None:
            continue
        assert canonical(envelope) == envelope.removesuffix(b"\n")
        assert found.envelope_digest == sha256_hex(canonical(envelope))
        expected = imported_from(run, envelope, run.artifacts.prepared)
        assert found.record == expected.record_bytes
        assert found.items == expected.items_bytes


def test_a_text_that_is_another_one_grounds_nothing(run):
    prepared = run.artifacts.prepared
    for text in (prepared + b" ", prepared[:-1], b"", prepared + b"\xff"):
        assert seen(run, prepared=text) is None


def test_a_final_line_feed_is_the_one_freedom(run):
    queue = run.artifacts.queue.removesuffix(b"\n")
    envelope = run.artifacts.envelope.removesuffix(b"\n")
    for one in (queue, queue + b"\n"):
        for other in (envelope, envelope + b"\n"):
            found = seen(run, queue=one, envelope=other)
            assert found.queue.text == queue
            assert found.envelope_digest == sha256_hex(envelope)
            assert found.record == run.imported.record_bytes
    for before, behind in [(b" ", b""), (b"", b" "), (b"", b"\n\n"), (b"\n", b"")]:
        assert seen(run, queue=before + queue + behind) is None
        assert seen(run, envelope=before + envelope + behind) is None


def test_other_spellings_are_left_to_who_reads_part_by_part(run):
    queue, envelope = run.artifacts.queue, run.artifacts.envelope
    for text in (queue, envelope):
        member = text.index(b'","') + 2
        spaced = text[:member] + b" " + text[member:]
        part = "queue" if text is queue else "envelope"
        assert seen(run, **{part: spaced}) is None
        document = json.loads(text)
        shuffled = json.dumps(dict(reversed(document.items()))).encode()
        assert seen(run, **{part: shuffled}) is None
    for text in (b"", b"{}", b"[]", b'{"items":[]}', b'{"items":', queue[:-2], b"\xff" * 100):
        assert seen(run, queue=text) is None
        assert seen(run, envelope=text) is None


def test_items_twice_are_no_items(run):
    queue = run.artifacts.queue
    assert seen(run, queue=queue.replace(b'"notesByItemName"', b'"items":[],"notes"')) is None
    start, end = queue.index(b'"items":['), queue.index(b',"notesByItemName"')
    nested = queue[:start] + b'"inner":{' + queue[start:end] + b'},"items":[]' + queue[end:]
    assert seen(run, queue=nested) is None


def test_items_in_another_order_or_number_are_not_the_derived_ones(tmp_path):
    run = open_run(conflict().create(tmp_path / "runs").path)
    document = json.loads(run.artifacts.queue)
    first, second = document["items"]
    for items in ([second, first], [first], [first, second, first], [], [first, {}]):
        changed = canonical_json({**document, "items": items})
        assert seen(run, queue=changed) is None
    whole = run.artifacts.queue
    for extra in (b",", b"]", b" ", b"[]"):
        end = whole.index(b',"notesByItemName"')
        assert seen(run, queue=whole[: end - 1] + extra + whole[end - 1 :]) is None


def test_what_stands_between_items_is_read(tmp_path):
    run = open_run(many(5).create(tmp_path / "runs").path)
    whole = run.artifacts.queue
    start, end = whole.index(b'"items":[') + 8, whole.index(b',"notesByItemName"')
    places = [start, end - 1]
    places += [start + len(canonical_json(run.state["items"][:n])) - 1 for n in range(1, 5)]
    for at in places:
        for byte in (b"[", b"]", b",", b"{", b"}", b" ", b":", b"0"):
            changed = whole[:at] + byte + whole[at + 1 :]
            assert (seen(run, queue=changed) is None) == (changed != whole), (at, byte)


# What no run of ours looks like


@pytest.mark.parametrize("member", ["canonicalization", None])
def test_a_round_that_is_bound_otherwise_is_read_part_by_part(tmp_path, member):
    path = decided(tmp_path / "runs", conflict())
    forged = Forged(path)
    if member is None:
        forged.manifest["round"]["binding"] = None
    else:
        del forged.manifest["round"]["binding"]["spec"][member]
    document = forged.manifest
    run = open_run(path)
    manifest = type(run.manifest)(document, run.manifest.raw, run.manifest.task)
    stored = run.artifacts
    parts = {"queue": stored.queue, "envelope": stored.envelope, "prepared": stored.prepared}
    assert derived_round(manifest, **parts) is None
    del document["extraction"]
    assert derived_round(manifest, **parts) is None


def test_a_page_layout_in_another_order_stands_sorted_in_the_record(tmp_path):
    run = open_run(conflict().create(tmp_path / "runs").path)
    envelope = json.loads(run.artifacts.envelope)
    page = {"height": 10, "unit": "points", "width": 10}
    envelope["result"]["pdfLayout"] = {
        "elements": [],
        "pages": [{"pageNumber": 2, **page}, {"pageNumber": 1, **page}],
        "tables": [],
    }
    text = canonical_json(envelope)
    expected = imported_from(run, text, run.artifacts.prepared)
    queue = json.loads(run.artifacts.queue) | {"items": expected.review_items}
    found = seen(run, queue=canonical_json(queue), envelope=text)
    assert text not in expected.record_bytes
    assert found.record == expected.record_bytes
    assert found.envelope_digest == sha256_hex(text)
