"""Making runs of sources: identity, failures, what is told and not refused, lists of sources.

Rows 4 to 6, 8 to 16 and 20 of the edge table of runs. Rows 1 to 3 and 17 are in
``tests/surfaces/test_cli_run.py``, 7 in ``test_create.py``. Left: 18 and 19, as there is no store
of snapshots to replay from.
"""

import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

import pytest
from tests.unit.extraction.running import Scripted, answer, propose
from tests.unit.runs.samples import (
    AT,
    EXAMPLES,
    HOST,
    VECTORS,
    content,
    items_of,
    refused,
    requests_for,
    task_document,
)

from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.errors import SurveyError
from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.options import RunOptions
from survey_fast.extraction.providers.offline import OfflineProvider
from survey_fast.extraction.task import read_task
from survey_fast.limits import ImportLimits
from survey_fast.runs.append import decide_run
from survey_fast.runs.export.export import export_run
from survey_fast.runs.identity import OFFLINE
from survey_fast.runs.make import (
    MOST_SOURCES,
    Recipe,
    RunSource,
    check_sources,
    free_number,
    make_run,
    make_runs,
    recorded_settings,
)
from survey_fast.runs.opened import open_run
from survey_fast.runs.verify import verify_run

CONFORMANCE = VECTORS / "fieldwork-examples/conformance"
SCRIPT = {"kind": "scripted", "name": "offline-pattern:v1", "options": {}}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def source_of(raw, name="source.txt", number=1, **rest):
    raw = raw.encode() if isinstance(raw, str) else raw
    return RunSource(f"source-{number}", name, lambda: raw, **rest)


def offline(task, **changes):
    task = read_task(task)
    return replace(Recipe(task, OfflineProvider(task.projections), OFFLINE, AT), **changes)


def scripted(script, *paths, **changes):
    provider = Scripted(script)
    return Recipe(read_task(task_document(*paths)), provider, SCRIPT, AT, **changes)


def of_example(name="generic"):
    folder = EXAMPLES / name
    return source_of((folder / "source.txt").read_bytes()), offline(
        (folder / "task.json").read_bytes()
    )


def result_of(made):
    return json.loads((made.created.path / "extraction-envelope.json").read_bytes())["result"]


def long_source():
    spec = json.loads((CONFORMANCE / "long-input/source-spec.json").read_bytes())
    text = [" "] * spec["sourceLength"]
    for one in spec["fillers"]:
        text[one["from"] : one["to"]] = one["character"] * (one["to"] - one["from"])
    for one in spec["segments"]:
        text[one["offset"] : one["offset"] + len(one["text"])] = one["text"]
    return "".join(text)


# Which run it is


def test_the_published_run_ids_come_out(root):
    assert make_run(root, *of_example()).created.path.name == "run-ee0f5783bcfa2891"
    task = (CONFORMANCE / "long-input/task.json").read_bytes()
    made = make_run(root, source_of(long_source()), offline(task))
    assert made.created.path.name == "run-e54ba7976b431839"


def test_row_4_the_same_task_in_another_order_is_the_same_run(root):
    source, recipe = of_example()
    made = make_run(root, source, recipe)
    turned = json.loads((EXAMPLES / "generic/task.json").read_bytes())
    turned = {name: turned[name] for name in reversed(turned)}
    again = make_run(root, source, offline(json.dumps(turned)))
    assert (again.created.path, again.created.is_reused) == (made.created.path, True)


def test_row_5_another_subject_is_another_run(root):
    source, recipe = of_example()
    made = make_run(root, source, recipe)
    other = json.loads((EXAMPLES / "generic/task.json").read_bytes())
    other["spec"]["projections"][0]["claim"]["subjectId"] += "-2"
    assert make_run(root, source, offline(other)).created.path != made.created.path


def test_row_6_an_identical_rerun_asks_nobody_and_keeps_what_was_decided(root):
    recipe = scripted(answer(propose("fee", "1", "Fee: 1")), "fee")
    made = make_run(root, source_of("Fee: 1\n"), recipe)
    assert decide_run(made.created.path, requests_for(made.created.run), HOST).ok
    before = content(root)
    later = replace(recipe, created_at="2027-01-01T00:00:00.000Z")
    again = make_run(root, source_of("Fee: 1\n", "renamed.txt"), later)
    assert (again.created.is_reused, again.extraction) == (True, None)
    assert len(recipe.provider.requests) == 1
    assert content(root) == before
    told = again.to_json()
    assert (told["reused"], told["revision"], told["proposalCount"]) == (
        *(True, verify_run(made.created.path).run.revision, 1),
    )
    assert told["warnings"] == []


@pytest.mark.parametrize(
    ("options", "recorded"),
    [
        (RunOptions(), {}),
        (RunOptions(content_type="html", limits=ImportLimits(items=7)), {}),
        (RunOptions(budgets=Budgets(concurrency=4, batch_size=2)), {}),
        (RunOptions(chunk_size=700, chunk_overlap=0), {"chunkSize": 700, "chunkOverlap": 0}),
        (RunOptions(max_chunks=2, max_content=5), {"maxChunks": 2, "maxContent": 5}),
        (
            RunOptions(budgets=Budgets(max_provider_calls=3, max_total_tokens=9)),
            {"maxProviderCalls": 3, "maxTotalTokens": 9},
        ),
        (
            RunOptions(prep="text", charset="utf-8", errors="replace", truncate=True),
            {"prep": "text", "charset": "utf-8", "errors": "replace", "truncate": True},
        ),
        (RunOptions(wire="0.25"), {"wire": "0.25"}),
        (
            RunOptions(field_hints={"fee": "Fee"}),
            {"fieldHints": sha256_hex(canonical_json({"fee": "Fee"}))},
        ),
    ],
    ids=["none", "source", "speed", "chunks", "caps", "budgets", "preparation", "wire", "hints"],
)
def test_what_can_change_an_answer_is_recorded_and_nothing_else(root, options, recorded):
    assert recorded_settings(options) == recorded
    source, recipe = of_example()
    plain = recipe.record()
    asked = replace(recipe, options=options)
    assert asked.record() == {**plain, "options": recorded}
    assert (asked.record() == dict(OFFLINE)) is not bool(recorded)
    made = make_run(root, source, asked)
    assert make_run(root, source, asked).created.is_reused
    assert (made.created.path.name == "run-ee0f5783bcfa2891") is not bool(recorded)
    assert json.loads((made.created.path / "run.json").read_bytes())["provider"] == asked.record()


def test_a_key_of_rows_cannot_be_recorded(root):
    source, recipe = of_example()
    keyed = replace(recipe, options=RunOptions(row_key=lambda _proposal, place: place))
    with pytest.raises(ValueError, match="rows"):
        make_runs(root, [source], keyed)
    assert not root.exists()


def test_another_run_of_the_same_has_a_number(root):
    source, recipe = of_example()
    first = make_run(root, source, recipe)
    second = make_run(root, source, replace(recipe, again=2))
    assert second.created.path != first.created.path
    assert make_run(root, source, replace(recipe, again=2)).created.is_reused
    assert second.to_json()["runId"] == second.created.path.name.removeprefix("run-")


def test_an_offline_extraction_has_the_same_id_in_another_root(tmp_path):
    made = [make_run(tmp_path / name, *of_example()) for name in ("one", "two")]
    assert result_of(made[0])["runId"] == result_of(made[1])["runId"]
    assert content(made[0].created.path) == content(made[1].created.path)


def test_another_extraction_has_the_id_that_is_drawn_for_it(root):
    drawn = UUID("00000000-0000-4000-8000-00000000000a")
    recipe = scripted(answer(propose("fee", "1", "Fee: 1")), "fee", draw=lambda: drawn)
    made = make_run(root, source_of("Fee: 1\n"), recipe)
    assert result_of(made)["runId"] == f"traverse-extraction-run:{drawn}"


def test_the_source_is_named_by_task_and_content(root):
    source, recipe = of_example()
    made = make_run(root, source, recipe)
    stored = json.loads((made.created.path / "run.json").read_bytes())["source"]
    digest = sha256_hex(source.read())
    ref = f"fieldwork-source:v1:generic-record:{digest}"
    assert stored == {
        "kind": "local-file", "ref": ref, "digest": digest, "contentType": "text",
    }  # fmt: skip
    envelope = json.loads((made.created.path / "extraction-envelope.json").read_bytes())
    assert envelope["source"] == {"ref": ref, "snapshotRef": ref}


def test_a_score_blind_round_is_opened_blind(root):
    source, recipe = of_example()
    made = make_run(root, source, replace(recipe, score_blind=True))
    queue = json.loads((made.created.path / "review-queue.json").read_bytes())
    assert queue["presentation"] == {"scoreBlind": True}
    refused("RUN_EXISTS_DIFFERENT", make_run, root, source, recipe)


# What is extracted


def test_row_8_reversed_projections_propose_in_the_order_of_the_text(root):
    folder = EXAMPLES / "vendor-obligations"
    task = json.loads((folder / "task.json").read_bytes())
    task["spec"]["projections"].reverse()
    made = make_run(root, source_of((folder / "source.txt").read_bytes()), offline(task))
    oracle = json.loads((folder / "oracle.json").read_bytes())["proposals"]
    found = [one["fieldPath"] for one in result_of(made)["proposals"]]
    assert found == [one["fieldPath"] for one in oracle]


def test_row_9_two_fields_on_one_span_stand_in_the_order_of_their_paths(root):
    task = task_document("b.fee", "a.fee")
    made = make_run(root, source_of("Fee: 1\n"), offline(task))
    assert [one["fieldPath"] for one in result_of(made)["proposals"]] == ["a.fee", "b.fee"]


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("boolean", "truthy"), ("number", "12px"), ("number", "1e400"), ("array", "{}"),
        ("object", "[]"), ("object", "null"),
    ],
)  # fmt: skip
def test_row_10_a_value_of_another_type_fails_and_stores_nothing(root, kind, written):
    task = task_document("fee")
    task["spec"]["traverse"]["targetSchema"][0]["type"] = kind
    error = refused(
        "EXTRACTION_FAILED", make_run, root, source_of(f"Fee: {written}\n"), offline(task)
    )
    assert error.details["fieldPath"] == "fee"
    assert not root.exists()


def test_row_11_values_of_every_type_keep_it_up_to_the_bundle(root):
    folder = EXAMPLES / "schema-first"
    made = make_run(root, *of_example("schema-first"))
    oracle = json.loads((folder / "oracle.json").read_bytes())["proposals"]
    expected = canonical_json({one["fieldPath"]: one["value"] for one in oracle})
    items = items_of(open_run(made.created.path)).items()
    found = {path: item["spec"]["candidates"][0]["value"] for path, item in items}
    assert canonical_json(found) == expected
    assert decide_run(made.created.path, requests_for(made.created.run), HOST).ok
    claims = export_run(made.created.path).document["bundle"]["claims"]
    claimed = {one["fieldOrBehavior"]: one["value"] for one in claims}
    assert canonical_json(claimed) == expected


def test_row_12_locators_count_utf_16_units(root):
    text = "Straße 🧾 ½\nFee: 4 €\n"
    made = make_run(root, source_of(text), offline(task_document("fee")))
    start = len("Straße 🧾 ½\n".encode("utf-16-le")) // 2
    (proposal,) = result_of(made)["proposals"]
    assert proposal["provenance"]["locator"] == f"chars:{start}-{start + len('Fee: 4 €')}"
    assert verify_run(made.created.path).run.imported.status["provenance"] == "verified"


def test_row_13_a_long_source_takes_three_calls_and_its_overlap_counts_once(root):
    steps = []
    task = (CONFORMANCE / "long-input/task.json").read_bytes()
    made = make_run(
        root,
        source_of(long_source()),
        offline(task),
        tell=lambda done, total: steps.append((done, total)),
    )
    result = result_of(made)
    assert result["providerCalls"] == 3
    assert [one["candidateValue"] for one in result["proposals"]] == [
        *("first-value", "overlap-value", "final-value"),
    ]
    told = made.to_json()
    assert (told["duplicates"], told["itemCount"]) == (1, 3)
    assert [one["code"] for one in told["warnings"]] == [
        *("proposal-normalization", "content-chunking"),
    ]
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(("name", "kind"), [("source.vtt", "transcript"), ("source.html", "html")])
def test_row_14_only_what_is_said_on_a_page_or_in_a_transcript_is_prepared(root, name, kind):
    folder = CONFORMANCE / "formats"
    task = (folder / "task.json").read_bytes()
    made = make_run(root, source_of((folder / name).read_bytes(), name), offline(task))
    oracle = json.loads((folder / "oracle.json").read_bytes())
    assert (made.created.path / "prepared.txt").read_text() == oracle["prepared"][kind]
    assert made.created.run.manifest.document["source"]["contentType"] == kind


@pytest.mark.parametrize("name", ["scan.png", "scan.JPEG", "broken.pdf"])
def test_row_15_what_has_no_text_makes_no_run(root, name):
    task = task_document("fee")
    refused("INVALID_SOURCE", make_run, root, source_of(b"\x89PNG\r\n", name), offline(task))
    assert not root.exists()


def test_row_16_the_same_bytes_read_as_something_else_are_another_run(root):
    task = offline(task_document("fee"))
    made = [
        make_run(root, source_of("Fee: 1\n", content_type=kind), task) for kind in ("text", "html")
    ]
    assert made[0].created.path != made[1].created.path


def test_a_rival_that_stands_twice_makes_one_item_in_conflict(root):
    proposals = (propose("fee", "1", "Fee: 1"), propose("fee", "2", "Fee: 2"))
    made = make_run(root, source_of("Fee: 1\nFee: 2\n"), scripted(answer(*proposals), "fee"))
    told = made.to_json()
    assert (told["proposalCount"], told["itemCount"], told["conflicts"]) == (2, 1, 1)


# Failures and parts


def test_a_failed_extraction_makes_no_run_and_says_of_what_it_failed(root):
    recipe = scripted(RuntimeError("no answer today"), "fee")
    error = refused("EXTRACTION_FAILED", make_run, root, source_of("Fee: 1\n"), recipe)
    assert (error.details["category"], error.details["code"]) == ("provider", "provider-failure")
    assert not root.exists()


def test_a_run_that_cannot_be_set_up_fails_before_anybody_is_asked(root):
    recipe = scripted(answer(), "fee", options=RunOptions(max_content=0))
    error = refused("EXTRACTION_FAILED", make_run, root, source_of("Fee: 1\n"), recipe)
    assert (error.details["category"], error.details["code"]) == (
        *("invalid-config", "invalid-extract-config"),
    )
    assert recipe.provider.requests == []


def test_a_part_makes_a_run_also_when_nothing_is_proposed_in_it(root):
    text = "x" * 300 + "\nFee: 1\n"
    options = RunOptions(chunk_size=100, chunk_overlap=0, max_chunks=1)
    made = make_run(root, source_of(text), offline(task_document("fee"), options=options))
    told = made.to_json()
    assert told["outcome"] == {"status": "partial", "reason": "max-chunks"}
    assert told["partial"]["remainingChunks"] == 3
    assert (told["proposalCount"], told["itemCount"]) == (0, 0)
    run = verify_run(made.created.path).run
    assert (run.state["items"], run.manifest.binding) == ([], None)
    assert "notFound" not in told


def test_a_whole_text_without_a_field_says_what_was_not_found(root):
    made = make_run(root, source_of("Nothing.\n"), offline(task_document("fee")))
    assert made.to_json()["notFound"] == ["fee"]


def test_what_must_not_leave_is_told_and_does_not_refuse(root):
    text = "Fee: see /home/ana/contracts/fee.txt\n"
    recipe = offline(task_document("fee"))
    for is_reused in (False, True):
        made = make_run(root, source_of(text), recipe)
        assert made.created.is_reused is is_reused
        findings = made.to_json()["disclosures"]["findings"]
        pointers = [one["pointer"] for one in findings]
        assert "/result/proposals/0/candidateValue" in pointers
        assert "home" not in json.dumps(findings)


# What a reader of the proposals alone would not see


def test_labels_that_were_passed_over_are_told_also_of_a_run_that_was_there(root):
    text = "Fee: 1\nFee: 2\nFee: 3\n"
    expected = {
        "fieldPath": "fee",
        "label": "Fee",
        "form": "further",
        "count": 2,
        "places": ["chars:7-13", "chars:14-20"],
    }
    for is_reused in (False, True):
        told = make_run(root, source_of(text), offline(task_document("fee"))).to_json()
        assert (told["reused"], told["unreadLabels"]) == (is_reused, [expected])
    assert "misfits" not in told


def test_nothing_passed_over_is_no_member(root):
    told = make_run(root, source_of("Fee: 1\n"), offline(task_document("fee"))).to_json()
    assert not {"unreadLabels", "misfits", "again"} & told.keys()


def test_of_who_reads_by_no_labels_none_is_passed_over(root):
    provider = Scripted(answer(propose("fee", "1", "Fee: 1")))
    recipe = replace(offline(task_document("fee")), provider=provider, described=SCRIPT)
    assert "unreadLabels" not in make_run(root, source_of("Fee: 1\nFee: 2"), recipe).to_json()


def test_a_value_that_is_not_of_its_form_is_told_with_its_place(root):
    document = task_document("day")
    document["spec"]["traverse"]["targetSchema"][0]["type"] = "date"
    told = make_run(root, source_of("Day: soon\n"), offline(document)).to_json()
    assert told["misfits"] == [
        {
            "fieldPath": "day",
            "schema": "format-invalid",
            "valueType": "date",
            "locator": "chars:0-9",
        }
    ]


def test_the_lowest_number_that_is_free_is_told(root):
    recipe, source = offline(task_document("fee")), source_of("Fee: 1\n")
    assert free_number(root, source, recipe) == 2
    for number in (None, 2, 4):
        told = make_run(root, source, replace(recipe, again=number)).to_json()
        assert told.get("again") == number
    for asked in (None, 2, 9):
        assert free_number(root, source, replace(recipe, again=asked)) == 3
    assert make_run(root, source, replace(recipe, again=3)).created.is_reused is False


def test_a_name_that_anything_has_is_not_free(root):
    recipe, source = offline(task_document("fee")), source_of("Fee: 1\n")
    path = make_run(root, source, replace(recipe, again=2)).created.path
    shutil.rmtree(path)
    path.symlink_to("nowhere")
    assert free_number(root, source, recipe) == 3


# Lists of sources


def lost():
    raise SurveyError("there is none", code="file-not-found")


def test_row_20_one_bad_source_leaves_the_others_and_the_order_is_kept(root):
    recipe = offline(task_document("fee"))
    sources = [
        source_of("Fee: 1\n", "a.txt", 1),
        RunSource("source-2", "gone.txt", lost),
        source_of("Fee: 3\n", "c.txt", 3),
    ]
    first, second, third = make_runs(root, sources, recipe)
    assert [first.ok, second.ok, third.ok] == [True, False, True]
    assert [one.to_json()["id"] for one in (first, second, third)] == [
        *("source-1", "source-2", "source-3"),
    ]
    told = second.to_json()
    assert (told["ok"], told["error"]["code"]) == (False, "file-not-found")
    assert "run" not in told
    assert third.to_json()["run"]["proposalCount"] == 1
    assert len(list(root.glob("run-*"))) == 2


def test_sources_are_read_one_after_the_other_and_watched(root):
    seen = []

    @contextmanager
    def watch(source):
        seen.append(source.name)
        yield lambda done, total: seen.append((done, total))
        seen.append("done")

    sources = [source_of("Fee: 1\n", "a.txt", 1), source_of("Fee: 2\n", "b.txt", 2)]
    attempts = make_runs(root, sources, offline(task_document("fee")), watch=watch)
    assert seen == []
    next(attempts)
    assert seen == ["a.txt", (1, 1), "done"]
    next(attempts)
    assert seen[3:] == ["b.txt", (1, 1), "done"]


@pytest.mark.parametrize(
    "ids",
    [[], ["a", "a"], ["good", "-bad"], ["x" * 257], ["a b"], [f"s{n}" for n in range(129)]],
    ids=["none", "twice", "sign first", "long", "space", "129"],
)
def test_a_wrong_list_is_refused_before_the_first_run(root, ids):
    sources = [RunSource(one, "a.txt", lambda: b"Fee: 1\n") for one in ids]
    with pytest.raises(ValueError, match="source"):
        make_runs(root, sources, offline(task_document("fee")))
    assert not root.exists()


def test_as_many_sources_as_are_allowed_are():
    check_sources([RunSource(f"s{n}", "a.txt", lambda: b"") for n in range(MOST_SOURCES)])
