"""survey-fast import: three files or none, and a summary."""

from __future__ import annotations

import errno
import json
import os
import shlex

import pytest

from survey_fast.attest import validate_review_queue_binding
from survey_fast.canon import canonical_digest, canonical_json, sha256_hex
from survey_fast.cli import folder as folder_module
from survey_fast.cli.sample import sample_extraction
from survey_fast.errors import FileError
from survey_fast.imports import import_envelope, validate_import
from survey_fast.storage import publish

FILES = ["binding.json", "import.json", "review-queue.json"]
MOMENT = "2026-01-31T09:00:00.000Z"


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


def test_three_files_are_written_canonically(run, generated, tmp_path):
    folder = tmp_path / "new" / "round"
    assert run(*generated.arguments(folder)).exit_code == 0
    assert listing(folder) == FILES
    for name in ("binding.json", "review-queue.json"):
        raw = (folder / name).read_bytes()
        assert raw == canonical_json(raw) + b"\n"
    record = (folder / "import.json").read_bytes()
    assert record == canonical_json(record)
    assert validate_import(record)["status"]["provenance"] == "verified"
    binding = (folder / "binding.json").read_bytes()
    queue = (folder / "review-queue.json").read_bytes()
    assert validate_review_queue_binding(binding, queue) == []


def test_the_summary_holds_the_facts(run_json, generated, tmp_path):
    code, body = run_json(*generated.arguments(tmp_path / "o"))
    assert code == 0
    assert (body["state"], body["provenance"]) == ("grounded", "verified")
    assert (body["proposals"], body["items"], body["conflicts"]) == (61, 60, 0)
    (excluded,) = body["excluded"]
    assert excluded["proposalIndex"] == 50
    assert "amendment 9." in excluded["excerpt"]
    queue = json.loads((tmp_path / "o/review-queue.json").read_bytes())
    assert excluded["itemName"] in {item["metadata"]["name"] for item in queue["items"]}
    assert [one["kind"] for one in body["diagnostics"]] == ["excerpt-mismatch"]
    assert body["digests"] == {
        "envelope": canonical_digest(generated.envelope.read_bytes()),
        "import": sha256_hex((tmp_path / "o/import.json").read_bytes()),
        "queue": canonical_digest(queue),
    }
    assert sorted(body["files"]) == ["binding", "import", "queue"]


def test_people_see_the_excluded_rival_with_excerpt_and_place(run, generated, tmp_path):
    text = run(*generated.arguments(tmp_path / "o")).stdout
    assert "amendment 9." in text
    assert "chars:" in text
    assert "survey-fast attest" in text


def test_who_and_when_come_from_the_options_and_the_clock(run, generated, tmp_path):
    run(*generated.arguments(tmp_path / "a"))
    queue = json.loads((tmp_path / "a/review-queue.json").read_bytes())
    assert (queue["actorId"], queue["reviewedAt"]) == ("unattributed", MOMENT)
    binding = json.loads((tmp_path / "a/binding.json").read_bytes())["spec"]
    assert (binding["sessionName"], binding["boundAt"]) == ("review-workbench-session", MOMENT)
    given = ["--reviewer", "ada", "--reviewed-at", "2026-03-01T12:00:00+02:00"]
    run(*generated.arguments(tmp_path / "b"), *given, "--session-name", "s1")
    queue = json.loads((tmp_path / "b/review-queue.json").read_bytes())
    assert (queue["actorId"], queue["reviewedAt"]) == ("ada", "2026-03-01T10:00:00.000Z")
    binding = json.loads((tmp_path / "b/binding.json").read_bytes())["spec"]
    assert (binding["sessionName"], binding["boundAt"]) == ("s1", "2026-03-01T10:00:00.000Z")


def test_import_name_and_namespace_reach_the_record(run, generated, tmp_path):
    run(*generated.arguments(tmp_path / "o"), "--import-name", "n", "--namespace", "p")
    metadata = json.loads((tmp_path / "o/import.json").read_bytes())["metadata"]
    assert metadata == {"name": "n", "producerNamespace": "p"}


def test_targets_may_be_an_array_aligned_with_the_proposals(run, vendor, tmp_path):
    inputs = vendor("success-conflicting-fee")
    by_path = json.loads(inputs.targets.read_bytes())
    target = {**by_path["fee"], "fieldOrBehavior": "fee"}
    inputs.targets.write_bytes(canonical_json([target] * 3))
    assert run(*inputs.arguments(tmp_path / "o")).exit_code == 0
    expected = import_envelope(
        inputs.envelope.read_bytes(), source_kind="uploaded-document", claim_targets=[target] * 3
    )
    record = json.loads((tmp_path / "o/import.json").read_bytes())
    assert record["spec"] == expected.record["spec"]


def test_a_byte_order_mark_before_the_prepared_text_does_not_count(run_json, generated, tmp_path):
    generated.prepared.write_bytes(b"\xef\xbb\xbf" + generated.prepared.read_bytes())
    _, body = run_json(*generated.arguments(tmp_path / "o"))
    assert body["provenance"] == "verified"


def test_without_the_prepared_text_the_import_is_unverified(run_json, generated, tmp_path):
    code, body = run_json(*generated.arguments(tmp_path / "o", prepared=False))
    assert code == 0
    assert (body["provenance"], body["excluded"]) == ("unverified", [])
    assert body["conflicts"] == 1


def test_the_same_import_again_keeps_what_is_there(run, generated, tmp_path):
    folder = tmp_path / "o"
    run(*generated.arguments(folder))
    before = {name: (folder / name).stat() for name in FILES}
    assert run(*generated.arguments(folder)).exit_code == 0
    after = {name: (folder / name).stat() for name in FILES}
    assert [one.st_ino for one in after.values()] == [one.st_ino for one in before.values()]


def test_other_content_is_refused_and_replaced_only_by_force(run, run_json, generated, tmp_path):
    folder = tmp_path / "o"
    run(*generated.arguments(folder))
    before = {name: (folder / name).read_bytes() for name in FILES}
    other = [*generated.arguments(folder), "--reviewer", "somebody else"]
    code, body = run_json(*other)
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert body["error"]["details"]["files"] == ["review-queue.json", "binding.json"]
    assert {name: (folder / name).read_bytes() for name in FILES} == before
    assert run(*other, "--force").exit_code == 0
    assert (folder / "review-queue.json").read_bytes() != before["review-queue.json"]
    assert listing(folder) == FILES


@pytest.mark.parametrize("name", FILES)
def test_a_link_in_the_folder_is_never_followed(run_json, generated, tmp_path, name):
    folder = tmp_path / "o"
    folder.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (folder / name).symlink_to(elsewhere)
    code, body = run_json(*generated.arguments(folder), "--force")
    assert (code, body["error"]["code"]) == (1, "file-refused")
    assert elsewhere.read_text() == "mine"
    assert listing(folder) == [name]


def test_nothing_is_left_when_a_later_file_cannot_be_published(
    run_json, generated, tmp_path, monkeypatch
):
    def failing(path, content):
        if path.name == "binding.json":
            message = "the disk is full"
            raise FileError(message)
        publish(path, content)

    monkeypatch.setattr(folder_module, "publish", failing)
    code, body = run_json(*generated.arguments(tmp_path / "new/o"))
    assert (code, body["error"]["code"]) == (1, "STORAGE_FAILED")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("call", ["write", "replace"])
@pytest.mark.parametrize("turn", [1, 2])
def test_what_force_replaced_comes_back_when_a_file_cannot_be_written_or_put(
    run, run_json, generated, tmp_path, monkeypatch, *, call, turn
):
    folder = tmp_path / "o"
    run(*generated.arguments(folder))
    before = {name: (folder / name).read_bytes() for name in FILES}
    again = [*generated.arguments(folder), "--reviewer", "b", "--force"]
    genuine = getattr(os, call)
    calls = []

    def failing(*arguments, **options):
        calls.append(arguments)
        if len(calls) == turn:
            raise OSError(errno.ENOSPC, "the disk is full")
        return genuine(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing)
        assert run_json(*again)[0] == 1
    assert {name: (folder / name).read_bytes() for name in FILES} == before
    assert listing(folder) == FILES
    assert run_json(*again)[0] == 0


def test_an_unresolved_import_writes_its_record_only_and_fails(run, run_json, vendor, tmp_path):
    inputs = vendor("failure-no-usable-answer")
    folder = tmp_path / "o"
    code, body = run_json(*inputs.arguments(folder, prepared=False))
    assert (code, body["error"]["code"]) == (1, "import-not-grounded")
    assert (body["state"], body["files"]["queue"]) == ("unresolved", None)
    assert listing(folder) == ["import.json"]
    result = run(*inputs.arguments(folder, prepared=False))
    assert result.exit_code == 1
    assert "extraction-failed" in result.stdout
    assert "import-not-grounded" in result.stderr


def test_a_stale_queue_does_not_stay_beside_an_unresolved_import(
    run, run_json, vendor, generated, tmp_path
):
    folder = tmp_path / "o"
    run(*generated.arguments(folder))
    failed = vendor("failure-no-usable-answer").arguments(folder, prepared=False)
    _, body = run_json(*failed)
    assert body["error"]["code"] == "file-exists"
    assert listing(folder) == FILES
    _, body = run_json(*failed, "--force")
    assert body["error"]["code"] == "import-not-grounded"
    assert listing(folder) == ["import.json"]


def test_another_text_than_the_prepared_one_leaves_the_import_unresolved(
    run_json, generated, tmp_path
):
    generated.prepared.write_text("something else")
    code, body = run_json(*generated.arguments(tmp_path / "o"))
    assert (code, body["error"]["code"]) == (1, "import-not-grounded")
    assert [one["kind"] for one in body["diagnostics"]] == ["digest-mismatch"]


def test_an_empty_queue_has_no_binding_and_says_so(run, run_json, vendor, tmp_path):
    inputs = vendor("success-empty")
    code, body = run_json(*inputs.arguments(tmp_path / "o"))
    assert (code, body["items"], body["files"]["binding"]) == (0, 0, None)
    assert listing(tmp_path / "o") == ["import.json", "review-queue.json"]
    assert "an empty queue has no binding" in run(*inputs.arguments(tmp_path / "o")).stdout


@pytest.mark.parametrize(
    ("document", "code", "pointer"),
    [
        (b"{", "json-syntax", None),
        (b"3", "import-target-invalid", ""),
        (b"[3]", "import-target-invalid", "/0"),
        (b"{}", "import-target-invalid", None),
        (b'{"fee":3}', "import-target-invalid", None),
        (b"[]", "import-target-invalid", None),
        (b'{"fee":{},"fee":{}}', "json-duplicate-member", None),
    ],
)
def test_bad_targets_are_refused_in_their_file(run_json, vendor, tmp_path, document, code, pointer):
    inputs = vendor("success-conflicting-fee")
    inputs.targets.write_bytes(document)
    exit_code, body = run_json(*inputs.arguments(tmp_path / "o"))
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert body["error"]["details"]["path"] == str(inputs.targets)
    if pointer is not None:
        assert body["error"]["pointer"] == pointer
    assert not (tmp_path / "o").exists()


def test_a_bad_envelope_is_refused_in_its_file(run_json, generated, tmp_path):
    generated.envelope.write_bytes(b'{"format": "x",\n "version": 2}')
    code, body = run_json(*generated.arguments(tmp_path / "o"))
    assert (code, body["error"]["code"]) == (1, "envelope-missing-member")
    assert body["error"]["details"]["path"] == str(generated.envelope)
    assert not (tmp_path / "o").exists()


def test_a_prepared_text_that_is_not_utf8_is_refused_with_its_byte(run_json, generated, tmp_path):
    generated.prepared.write_bytes(b"\xef\xbb\xbfab\ncaf\xe9")
    code, body = run_json(*generated.arguments(tmp_path / "o"))
    assert (code, body["error"]["code"]) == (1, "json-encoding")
    details = {"path": str(generated.prepared), "offset": 9, "line": 2, "column": 4}
    assert body["error"]["details"] == details


def test_max_bytes_and_max_items_bound_what_is_read(run_json, generated, tmp_path):
    size = generated.envelope.stat().st_size
    arguments = generated.arguments(tmp_path / "o")
    assert run_json(*arguments, "--max-bytes", size - 1)[1]["error"]["code"] == "file-too-large"
    assert run_json(*arguments, "--max-items", 60)[1]["error"]["code"] == "import-too-large"
    assert run_json(*arguments, "--max-bytes", 2 * size, "--max-items", 61)[0] == 0


@pytest.mark.parametrize("instant", ["2026-01-01", "2026-01-01T00:00:00", "soon", ""])
def test_a_time_without_a_zone_is_no_instant(run_json, generated, tmp_path, instant):
    code, body = run_json(*generated.arguments(tmp_path / "o"), "--reviewed-at", instant)
    assert (code, body["error"]["code"]) == (2, "usage")


def test_a_folder_that_is_a_file_is_refused(run_json, generated, tmp_path):
    (tmp_path / "o").write_text("mine")
    code, body = run_json(*generated.arguments(tmp_path / "o"))
    assert (code, body["error"]["code"]) == (1, "file-refused")
    assert (tmp_path / "o").read_text() == "mine"


def test_an_import_above_the_usual_limit_is_summarised_too(run_json, store, tmp_path):
    inputs = store("large", *sample_extraction(10_001))
    arguments = inputs.arguments(tmp_path / "o")
    assert run_json(*arguments)[1]["error"]["code"] == "import-too-large"
    assert not (tmp_path / "o").exists()
    code, body = run_json(*arguments, "--max-items", 10_001)
    assert (code, body["proposals"], body["excluded"]) == (0, 10_001, [])


def test_the_session_that_comes_next_can_be_typed_as_it_is_shown(run, run_json, generated):
    shown = run(*generated.arguments("my review")).stdout
    steps = [shlex.split(line) for line in shown.splitlines() if line.startswith("  survey-fast ")]
    assert [step[1] for step in steps] == ["session", "attest"]
    code, body = run_json(*steps[0][1:])
    assert (code, body["attestation"]) == (0, "attested")
    assert run_json("session", "show", body["files"]["session"])[0] == 0
    assert run_json(*steps[1][1:])[0] == 0
