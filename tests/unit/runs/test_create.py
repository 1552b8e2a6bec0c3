"""Making a run: what is made can be read back, an identical rerun reuses, anything else stays.

Rows 2 and 10 as far as a run that fails stores nothing, 6, 7, 27b as far as opening goes, 57
without its export, 107 and 108 of the edge table of runs. Rows 4, 5 and 16 are in
``test_identity.py``. Left to the command that makes runs: 1, 3, 9, 11 to 15, 17 to 20. Faults and
deaths at every file operation are in ``tests/faults/test_run_faults.py``.
"""

import json
import stat

import pytest
from tests.unit.extraction.running import Scripted, answer, propose
from tests.unit.runs.samples import (
    AT,
    EXAMPLES,
    FILES,
    HOST,
    TEXT,
    Extracted,
    Forged,
    Sample,
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

from survey_fast.canon import canonical_digest, canonical_json, sha256_hex
from survey_fast.cli.sample import misquoted
from survey_fast.errors import SurveyError
from survey_fast.limits import ImportLimits
from survey_fast.runs.append import decide_run
from survey_fast.runs.create import create_run
from survey_fast.runs.identity import OFFLINE
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.storage.staging import STAGING


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def not_called(_):
    pytest.fail("an extraction was made that nobody needs")


def test_a_run_is_six_files_in_a_directory_of_its_name(root):
    sample = example()
    made = sample.create(root)
    assert made.path == root / "run-ee0f5783bcfa2891"
    assert sorted(content(made.path)) == FILES
    assert sorted(one.name for one in root.iterdir()) == [".gitignore", made.path.name]
    assert (root / ".gitignore").read_bytes() == b"*\n"
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in made.path.iterdir()} == {0o600}
    assert (made.is_reused, made.outcome, made.proposal_count) == (False, {"status": "success"}, 1)


def test_what_is_bound_is_what_was_extracted(root):
    sample = conflict()
    files = content(sample.create(root).path)
    assert files["extraction-envelope.json"] == sample.extracted.envelope
    assert files["prepared.txt"].decode() == sample.extracted.prepared == TEXT
    assert files["extraction-report.json"] == sample.extracted.report
    assert files["review-events.jsonl"] == b""
    manifest, queue = json.loads(files["run.json"]), json.loads(files["review-queue.json"])
    bound, opened = manifest["extraction"], manifest["round"]
    assert bound["envelopeDigest"] == canonical_digest(sample.extracted.envelope)
    assert bound["reportDigest"] == canonical_digest(sample.extracted.report)
    assert bound["importStatus"]["provenance"] == "verified"
    assert opened["kind"] == "first"
    assert opened["snapshotHash"] == canonical_digest(queue)
    assert opened["binding"]["spec"]["snapshotHash"] == opened["snapshotHash"]
    assert manifest["preparedArtifact"]["digest"] == sha256_hex(TEXT.encode())
    assert (queue["reviewedAt"], queue["actorId"]) == (AT, "unattributed")
    for name in ("run.json", "review-queue.json"):
        assert files[name] == canonical_json(json.loads(files[name])) + b"\n"


@pytest.mark.parametrize("make", [conflict, rival_misquoted, partial, nothing, example])
def test_what_is_made_is_read_back_in_full_and_without_its_text(root, make):
    made = make().create(root)
    run, metadata = open_run(made.path), open_metadata(made.path)
    assert run.attestation.state == metadata.attestation.state == "attested"
    assert run.imported.items_bytes == metadata.imported.items_bytes
    assert run.blocked is None
    assert run.is_renamed is False
    assert run.revision == f"0:{sha256_hex((made.path / 'run.json').read_bytes())}"
    assert run == made.run


def test_vendor_obligations_has_its_seven_items(root):
    made = example("vendor-obligations").create(root)
    assert made.proposal_count == len(made.run.state["items"]) == 7
    items = items_of(made.run).items()
    values = {name: item["spec"]["candidates"][0]["value"] for name, item in items}
    oracle = json.loads((EXAMPLES / "vendor-obligations/oracle.json").read_bytes())
    assert values == {one["fieldPath"]: one["value"] for one in oracle["proposals"]}


def test_the_same_inputs_give_the_same_item_names_in_another_root(tmp_path):
    first, second = (example().create(tmp_path / name) for name in ("one", "two"))
    assert content(first.path) == content(second.path)


def test_row_6_an_identical_rerun_keeps_what_was_decided(root):
    sample = conflict()
    path = decided(root, sample)
    before = content(root)
    later = sample.with_order(created_at="2027-01-01T00:00:00.000Z")
    again = later.create(root)
    assert (again.path, again.is_reused, again.run.log.count) == (path, True, 4)
    assert (again.outcome, again.proposal_count) == ({"status": "success"}, 3)
    assert content(root) == before


def test_a_rerun_asks_for_no_extraction(root):
    sample = example()
    sample.create(root)
    reused = sample.create(root)
    assert reused.is_reused
    assert create_run(root, sample.order, not_called).is_reused


def test_row_7_a_rerun_onto_a_tampered_directory_changes_nothing(root):
    sample = conflict()
    path = decided(root, sample)
    forged = Forged(path)
    forged.prepared = forged.prepared.replace(b"48000", b"48001")
    forged.save(rechain=False)
    before = content(root)
    error = refused("RUN_EXISTS_DIFFERENT", sample.create, root)
    assert error.details["cause"]["code"] == "RUN_PREPARED_MISMATCH"
    assert content(root) == before


@pytest.mark.parametrize(
    "kind", ["file", "empty folder", "link to a run", "dangling", "half a run"]
)
def test_whatever_else_stands_there_is_refused_and_stays(root, tmp_path, kind):
    sample = example()
    made = example().create(tmp_path / "elsewhere")
    root.mkdir()
    place = root / made.path.name
    if kind == "file":
        place.write_bytes(b"theirs")
    elif kind == "empty folder":
        place.mkdir()
    elif kind == "half a run":
        place.mkdir()
        (place / "run.json").write_bytes((made.path / "run.json").read_bytes())
    else:
        place.symlink_to(made.path if kind == "link to a run" else "nowhere")
    before = content(root)
    refused("RUN_EXISTS_DIFFERENT", sample.create, root)
    assert content(root) == before


def test_another_presentation_of_the_same_run_is_another_run(root):
    sample = conflict()
    sample.create(root)
    before = content(root)
    refused("RUN_EXISTS_DIFFERENT", sample.with_order(score_blind=True).create, root)
    assert content(root) == before


def test_a_run_of_the_same_name_over_another_task_is_refused(root):
    sample = conflict()
    path = sample.create(root).path
    other = sample_of(task_document("fee"), TEXT)
    forged = other.create(root.parent / "others").path
    forged.rename(path.with_name("kept"))
    path.rename(path.with_name("away"))
    path.with_name("kept").rename(path)
    stays_refused("RUN_EXISTS_DIFFERENT", root, sample.create)


@pytest.mark.parametrize("options", [{"again": 2}, {"chunkSize": 7}])
def test_another_run_of_the_same_stands_beside_it(root, options):
    first = example().create(root)
    other = example().with_order(provider={**OFFLINE, "options": options})
    second = other.create(root)
    assert not second.is_reused
    assert second.path != first.path
    assert other.create(root).is_reused


def test_a_score_blind_round_says_so_and_draws_nothing(root):
    made = conflict().with_order(score_blind=True).create(root)
    assert made.run.state["presentation"] == {"scoreBlind": True}
    assert made.run.state["sampling"] == {"kind": "queue"}
    assert made.run.attestation.drawn is None
    assert decide_run(made.path, requests_for(made.run), HOST).ok
    assert open_run(made.path).log.count == 4


def test_an_excluded_rival_is_no_candidate_and_its_reason_is_bound(root):
    made = rival_misquoted().create(root)
    item = items_of(made.run)["fee"]
    assert [one["value"] for one in item["spec"]["candidates"]] == ["48000"]
    status = made.run.manifest.extraction["importStatus"]
    assert [one["kind"] for one in status["diagnostics"]] == ["excerpt-mismatch"]


def test_row_27b_a_complete_round_without_proposals_opens_and_attests(root):
    made = nothing().create(root)
    assert made.run.state["items"] == []
    assert made.run.manifest.binding is None
    assert made.run.attestation.state == "attested"
    assert nothing().create(root).is_reused


def test_row_57_a_run_that_was_stopped_before_anything_was_found_opens(root):
    task = task_document("fee", "city")
    sample = sample_of(task, "x" * 100 + TEXT, chunk_size=100, chunk_overlap=0, max_chunks=1)
    made = sample.create(root)
    assert made.outcome == {"status": "partial", "reason": "max-chunks"}
    assert (made.proposal_count, made.run.state["items"]) == (0, [])
    kinds = {one["kind"] for one in made.run.imported.status["diagnostics"]}
    assert kinds == {"extraction-incomplete"}


# What makes no run


def ungrounded():
    """The only proposal quotes words that are not there."""
    sample = sample_of(task_document("fee"), "Fee: 48000\n")
    text = misquoted(sample.extracted.envelope, 0, "48000", "48001")
    return Sample(sample.order, Extracted(text, sample.extracted.prepared, sample.extracted.report))


def another_text():
    sample = conflict()
    text = sample.extracted.prepared.replace("Basel", "Zurich")
    return Sample(sample.order, Extracted(sample.extracted.envelope, text, b"{}"))


def failed():
    """The provider fails, so the extraction does; rows 2 and 10."""
    return sample_of(task_document("fee"), TEXT, Scripted(RuntimeError("no")))


@pytest.mark.parametrize("make", [ungrounded, another_text, failed])
def test_rows_2_and_10_an_extraction_that_does_not_stand_stores_nothing(root, make):
    conflict().create(root / "sound")
    before = content(root)
    refused("EXTRACTION_UNGROUNDED", make().create, root)
    refused("EXTRACTION_UNGROUNDED", make().create, root / "new")
    assert content(root) == before


def edited(change, sample=None):
    sample = sample or conflict()
    document = json.loads(sample.extracted.envelope)
    change(document)
    one = sample.extracted
    text = canonical_json(document)
    report = one.report if "runId" not in document["result"] else retold(one.report, text)
    return Sample(sample.order, Extracted(text, one.prepared, report))


def another_source(document):
    for holder, member in (
        (document["source"], "ref"),
        (document["source"], "snapshotRef"),
        (document["result"]["preparedArtifact"], "sourceSnapshotRef"),
    ):
        holder[member] = holder[member].replace("own-task", "other-task")


def without_time(document):
    document["result"]["extractedAt"] = "not a time"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: edited(lambda one: one.pop("source")), "envelope-missing-member"),
        (lambda: edited(lambda one: one["result"].pop("outcome")), "envelope-missing-member"),
        (lambda: edited(lambda one: one["source"].pop("snapshotRef")), "RUN_PREPARED_MISMATCH"),
        (lambda: edited(lambda one: one["result"].pop("preparedArtifact")), None),
        (lambda: edited(another_source), None),
        (lambda: with_extracted(prepared="\ud800"), "json-lone-surrogate"),
        (lambda: with_extracted(envelope=b"{"), "json-syntax"),
        (lambda: with_extracted(report=b"{"), "json-syntax"),
        (lambda: with_extracted(report=b'{"dropped":null}'), "RUN_EXTRACTION_MISMATCH"),
        (lambda: with_extracted(report=nothing().extracted.report), "RUN_EXTRACTION_MISMATCH"),
        (lambda: edited(without_time), "evidence-record-invalid"),
        (lambda: conflict().with_order(created_at="yesterday"), None),
    ],
    ids=["no source", "no outcome", "no snapshot", "no artifact", "another source", "no text",
         "no envelope", "no report", "a report that is none", "another report", "not extracted",
         "no time"],
)  # fmt: skip
def test_what_cannot_be_read_back_is_not_made(root, make, code):
    conflict().create(root / "sound")
    before = content(root)
    with pytest.raises(SurveyError) as caught:
        make().create(root)
    assert code is None or caught.value.code == code
    assert not [name for name in content(root) if name.startswith((STAGING, "run-"))]
    assert {name: one for name, one in content(root).items() if name in before} == before


def with_extracted(**changes):
    sample = conflict()
    parts = {name: getattr(sample.extracted, name) for name in ("envelope", "prepared", "report")}
    return Sample(sample.order, Extracted(**(parts | changes)))


def test_a_root_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    refused("file-refused", example().create, tmp_path / "file")
    (tmp_path / "dangling").symlink_to("nowhere")
    refused("file-refused", example().create, tmp_path / "dangling")
    assert content(tmp_path)["file"] == b"x"


def test_a_root_that_was_there_gets_no_gitignore(tmp_path):
    made = example().create(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == [made.path.name]


# Sizes


def test_row_107_a_line_of_five_thousand_characters_is_a_value(root):
    value = "x" * 5000
    made = sample_of(task_document("fee"), f"Fee: {value}\n").create(root)
    assert made.run.state["items"][0]["spec"]["candidates"][0]["value"] == value


def test_row_108_two_thousand_items_are_created_and_opened(root):
    made = many(2000).create(root)
    assert len(open_run(made.path).state["items"]) == 2000


def test_caps_that_were_lowered_hold_and_those_that_were_raised_are_read_back(root):
    sample = many(30)
    few = sample.with_order(limits=ImportLimits(items=29))
    refused("import-too-large", few.create, root)
    assert not root.exists()
    sample.with_order(limits=ImportLimits(items=30)).create(root)


def test_rivals_of_one_slot_that_are_more_than_allowed_make_no_run(root):
    text = "".join(f"Fee: {number:05}\n" for number in range(300))
    rivals = [propose("fee", f"{n:05}", f"Fee: {n:05}") for n in range(300)]
    sample = sample_of(task_document("fee"), text, Scripted(answer(*rivals)))
    refused("import-too-large", sample.create, root)
    assert not root.exists()
