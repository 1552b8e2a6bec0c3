"""How runs end: outcomes, coverage, budgets, and the envelopes of published cases.

Rows of the edge cases of extraction proven here: 27, 33 to 46 (losses and outcomes), 47 to 55
(stops, budgets, configuration), 94, 107, 109, 112, 113 (as outcomes). Left to test_dispatch: 56,
58. Left to the tests of providers: 57. Left to test_chunk_windows: 25, 26, 28.
"""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.extraction.running import (
    BIG,
    NAME,
    SCHEMA,
    STAMP,
    Scripted,
    answer,
    codes,
    propose,
    ranges,
    result,
    run,
    said,
)

from survey_fast.canon import canonical_json
from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.failure import ProviderCallError
from survey_fast.extraction.provider import Capabilities, MalformedItems, ProviderOutput
from survey_fast.extraction.task_spec import build_task_spec

VECTORS = Path(__file__).parents[2] / "vectors/traverse/envelopes"
UNAVAILABLE = ProviderCallError("down", status=503)
FULL = Capabilities(
    frozenset(("structured-output", "exact-excerpts", "task-specifications")), None, None
)


def published(name):
    """What a published envelope says about its run, the text aside."""
    stored = json.loads((VECTORS / f"{name}.json").read_bytes())["result"]
    return {k: v for k, v in stored.items() if k not in {"preparedArtifact", "runId"}}


def account(extraction):
    return {k: v for k, v in result(extraction).items() if k not in {"preparedArtifact", "runId"}}


def outcome(extraction):
    return result(extraction)["outcome"]


def failed(code, category="provider"):
    return {"status": "failure", "category": category, "code": code}


def partial(reason):
    return {"status": "partial", "reason": reason}


def test_row_27_chunks_beyond_the_cap_are_told():
    extraction = run(BIG, answer(), max_chunks=1)
    assert account(extraction) == published("partial-max-chunks")
    assert (extraction.outcome.status, extraction.outcome.reason) == ("partial", "max-chunks")


def test_row_33_a_failed_call_in_the_middle_makes_a_partial_run():
    extraction = run(BIG, [answer(), UNAVAILABLE, answer()])
    assert account(extraction) == published("partial-provider-failure")


def test_row_34_when_every_call_fails_the_run_fails_and_has_no_coverage():
    extraction = run(BIG, UNAVAILABLE)
    assert outcome(extraction) == failed("provider-failure")
    assert "coverage" not in result(extraction)
    assert len(result(extraction)["providerFailures"]) == 3
    assert codes(extraction) == [("provider", "chunk-provider-failure")] * 3
    denied = ProviderCallError("no", status=401)
    assert account(run("Dues: 12.", denied)) == published("failure-provider")


def test_row_35_a_ceiling_before_every_chunk_failed_makes_it_partial():
    extraction = run(BIG, UNAVAILABLE, budgets=Budgets(max_provider_calls=1))
    assert outcome(extraction) == partial("max-provider-calls")
    assert {status for _, _, _, status, _ in ranges(extraction)} == {"unread"}


def test_row_36_when_every_call_fails_a_cap_changes_nothing_but_is_told():
    extraction = run(BIG, UNAVAILABLE, max_chunks=2)
    assert outcome(extraction) == failed("provider-failure")
    assert codes(extraction)[-1] == ("limit", "max-chunks")


def test_row_37_no_tool_call_fails_alone_and_loses_a_part_among_others():
    missing = answer(missing_tool_call=True, truncated=True)
    assert account(run("Dues: 12.", missing)) == published("failure-no-usable-answer")
    extraction = run(BIG, [answer(), missing, answer()])
    assert outcome(extraction) == partial("provider-failure")
    assert ranges(extraction)[1] == (2, 11800, 23800, "unread", "missing-tool-call")


def test_row_38_an_answer_without_proposals_is_a_success():
    extraction = run(BIG, answer())
    assert (outcome(extraction), extraction.proposals) == ({"status": "success"}, [])
    assert "coverage" not in result(extraction)


@pytest.mark.parametrize("proposals", ["prose", 7, None, {"a": 1}], ids=range(4))
def test_row_39_proposals_that_are_no_list_are_unusable(proposals):
    extraction = run(BIG, [answer(), ProviderOutput(proposals), answer()])
    assert ranges(extraction)[1][3:] == ("unread", "provider-failure")
    assert codes(extraction)[0] == ("provider", "unusable-answer")


class Trap(dict):
    def get(self, *args):
        raise RuntimeError(*args)


def test_row_40_an_item_that_raises_loses_its_chunk_and_no_other():
    text = "Fee: 1. " + "x" * 33 + " Fee: 2. "
    good = [propose("fee", 1, "Fee: 1."), propose("fee", 2, "Fee: 2.")]
    extraction = run(
        text,
        [answer(good[0]), answer(good[0], Trap(), good[1]), answer(good[1])],
        chunk_size=20,
        chunk_overlap=0,
    )
    assert [one["candidateValue"] for one in extraction.proposals] == [1, 2]
    assert ranges(extraction)[1][3:] == ("unread", "provider-failure")
    assert codes(extraction)[:2] == [
        ("normalization", "proposal-normalization"),
        ("provider", "unusable-answer"),
    ]


def test_row_41_malformed_items_are_told_and_all_of_them_make_an_answer_unusable():
    some = answer(propose("fee", 1, "Fee: 1"), malformed_items=MalformedItems(1, 2))
    extraction = run("Fee: 1", some)
    assert (len(extraction.proposals), outcome(extraction)) == (1, {"status": "success"})
    assert codes(extraction) == [("normalization", "malformed-tool-items")]
    assert extraction.report["malformedToolItems"] == 1
    extraction = run("Fee: 1", answer(malformed_items=MalformedItems(2, 2)))
    assert outcome(extraction) == failed("no-usable-answer")
    assert codes(extraction) == [
        ("provider", "unusable-answer"),
        ("normalization", "malformed-tool-items"),
    ]


@pytest.mark.parametrize(
    "counts", [(3, 2), (-1, 2), (1.5, 2), (0, 0), (0, 2), (True, 2), ("1", 2)], ids=range(7)
)
def test_row_42_counts_that_cannot_be_true_are_ignored(counts):
    extraction = run("Fee: 1", answer(malformed_items=MalformedItems(*counts)))
    assert (outcome(extraction), codes(extraction)) == ({"status": "success"}, [])
    assert extraction.report["malformedToolItems"] == 0


def test_row_43_a_note_does_not_make_an_answer_truncated():
    extraction = run("Fee: 1", answer(truncated=False, warnings=("response truncated",)))
    assert (outcome(extraction), codes(extraction)) == (
        {"status": "success"},
        [("provider", "provider-warning")],
    )


def test_row_44_truncated_without_a_note_is_a_loss():
    extraction = run("Dues: 12.", answer(truncated=True))
    assert account(extraction) == published("partial-output-truncated")
    assert extraction.warnings[0].chunk == 1


def test_row_45_no_text_of_a_note_is_a_loss():
    notes = ("output truncated at 2048", "partial-stop", "missing-tool-call", "invalid key")
    extraction = run("Fee: 1", answer(warnings=notes))
    assert outcome(extraction) == {"status": "success"}
    assert codes(extraction) == [("provider", "provider-warning")] * 4


def test_row_46_what_did_not_fit_is_a_range_of_its_own():
    provider = Scripted(answer())
    extraction = run(BIG, provider, chunk_size=30_000, max_content=20_000)
    assert account(extraction) == published("partial-content-truncated")
    assert provider.requests[0].content == BIG[:20_000]


def test_a_limit_inside_a_surrogate_pair_moves_so_that_no_half_is_sent():
    provider = Scripted(answer())
    run("ab😀cd", provider, max_content=3)
    run("😀cd", provider, max_content=1)
    assert [one.content for one in provider.requests] == ["ab", "😀"]


def test_row_47_of_two_losses_the_first_in_the_text_is_the_reason():
    first = [answer(truncated=True), UNAVAILABLE, answer()]
    assert outcome(run(BIG, first)) == partial("output-truncated")
    assert outcome(run(BIG, first[::-1])) == partial("provider-failure")
    tail = run(BIG, [answer(), answer(), UNAVAILABLE], max_content=11_000)
    assert outcome(tail) == partial("content-truncated")


def test_row_48_a_stop_is_the_reason_and_every_loss_is_covered():
    extraction = run(
        BIG, [answer(truncated=True), UNAVAILABLE], budgets=Budgets(max_provider_calls=2)
    )
    assert outcome(extraction) == partial("max-provider-calls")
    assert [row[3:] for row in ranges(extraction)] == [
        ("output-truncated", None),
        ("unread", "provider-failure"),
        ("unread", "not-dispatched"),
    ]


def test_row_49_a_run_that_was_cancelled_before_it_began_made_no_call():
    cancel = threading.Event()
    cancel.set()
    extraction = run(BIG, answer(), cancel=cancel)
    assert result(extraction)["partial"] == {
        "reason": "cancelled",
        "completedChunks": 0,
        "remainingChunks": 3,
    }
    assert result(extraction)["providerCalls"] == 0
    assert codes(extraction) == [("limit", "partial-stop")]


def test_a_run_that_is_cancelled_after_its_first_call_is_as_published():
    cancel = threading.Event()

    def stop(_):
        cancel.set()
        return ProviderCallError("late", code="ETIMEDOUT", kind="timeout")

    extraction = run(BIG, stop, cancel=cancel)
    assert account(extraction) == published("partial-early-stop-nothing-answered")


def test_row_50_tokens_of_one_wave_can_overshoot_their_ceiling():
    extraction = run(
        BIG,
        answer(raw=said(10)),
        budgets=Budgets(max_total_tokens=15, concurrency=2, max_provider_calls=2),
    )
    expected = published("partial-max-provider-calls-overshoot")
    assert account(extraction) == expected
    stopped = run(BIG, answer(raw=said(10)), budgets=Budgets(max_total_tokens=15, concurrency=2))
    assert result(stopped)["partial"] == {**expected["partial"], "reason": "max-total-tokens"}


def test_row_51_a_ceiling_that_the_last_chunk_reaches_stops_nothing():
    assert outcome(run(BIG, answer(), budgets=Budgets(max_provider_calls=3))) == {
        "status": "success"
    }
    exact = Budgets(max_total_tokens=30)
    assert outcome(run(BIG, answer(raw=said(10)), budgets=exact)) == {"status": "success"}


def test_row_52_without_reports_no_ceiling_of_tokens_is_reached():
    extraction = run(BIG, answer(raw=said(None)), budgets=Budgets(max_total_tokens=1))
    assert (
        outcome(extraction),
        result(extraction)["totalTokensUsed"],
        result(extraction)["raw"],
    ) == (
        {"status": "success"},
        0,
        {},
    )


@pytest.mark.parametrize("tokens", [float("nan"), float("inf"), -1, True, "many", 10**400])
def test_a_number_of_tokens_that_is_none_is_left_out_with_a_note(tokens):
    extraction = run("Fee: 1", answer(raw=said(tokens)))
    assert (result(extraction)["raw"], result(extraction)["totalTokensUsed"]) == ({}, 0)
    assert codes(extraction) == [("provider", "provider-warning")]


def test_a_fraction_of_a_token_is_dropped():
    assert result(run("Fee: 1", answer(raw=said(10.9))))["raw"] == {"tokensUsed": 10}


def test_row_53_a_provider_without_an_identity_is_not_asked():
    provider = Scripted(answer(), name="two words")
    extraction = run("Fee: 1", provider)
    assert outcome(extraction) == failed("invalid-extract-config", "invalid-config")
    assert (provider.requests, result(extraction)["provider"]) == ([], "unidentified-provider")
    assert account(run("x", answer(), budgets=Budgets(concurrency=0))) == published(
        "failure-invalid-config"
    )


def test_row_54_a_model_without_an_identity_is_left_out_and_its_proposals_stay():
    extraction = run("Fee: 1", answer(propose("fee", 1, "Fee: 1"), raw=said(model="gpt 5")))
    assert "model" not in result(extraction)
    assert "producedBy" not in extraction.proposals[0]
    assert codes(extraction) == [("provider", "provider-warning")]


def test_row_55_a_provider_that_does_not_take_tasks_is_not_given_one():
    provider = Scripted(answer())
    provider.capabilities = Capabilities(frozenset(("structured-output", "exact-excerpts")))
    task = build_task_spec(version="1", target_schema=SCHEMA)
    assert outcome(run("Fee: 1", provider)) == {"status": "success"}
    extraction = run("Fee: 1", provider, task=task)
    assert outcome(extraction) == failed("unsupported-provider-capability", "invalid-config")
    assert len(provider.requests) == 1
    provider.capabilities = FULL
    assert outcome(run("Fee: 1", provider, task=task)) == {"status": "success"}


@pytest.mark.parametrize(
    "budgets",
    [
        Budgets(max_provider_calls=0),
        Budgets(max_provider_calls=1.5),
        Budgets(max_provider_calls=True),
        Budgets(max_total_tokens=0),
        Budgets(max_total_tokens=float("nan")),
        Budgets(max_total_tokens=float("inf")),
        Budgets(max_total_tokens="10"),
        Budgets(concurrency=-1),
        Budgets(batch_size=0),
    ],
    ids=range(9),
)
def test_a_budget_that_is_none_ends_the_run_before_any_work(budgets):
    provider = Scripted(answer())
    extraction = run("Fee: 1", provider, budgets=budgets)
    assert outcome(extraction) == failed("invalid-extract-config", "invalid-config")
    assert (provider.requests, extraction.prepared) == ([], None)
    assert "preparedArtifact" not in result(extraction)


@pytest.mark.parametrize(
    "schema",
    [None, "fee", [1], [{"path": "a"}], [{"path": "a", "type": "x"}], [*SCHEMA, SCHEMA[0]]],
    ids=range(6),
)
def test_fields_that_are_none_end_the_run_before_any_work(schema):
    provider = Scripted(answer())
    extraction = run("Fee: 1", provider, schema=schema)
    assert outcome(extraction) == failed("invalid-extract-config", "invalid-config")
    assert provider.requests == []


@pytest.mark.parametrize("most", [0, -1, 1.5, True], ids=range(4))
def test_nothing_to_send_is_no_way_to_succeed(most):
    assert outcome(run("Fee: 1", answer(), max_content=most)) == failed(
        "invalid-extract-config", "invalid-config"
    )


def test_row_94_a_success_without_proposals_says_who_and_which_run():
    extraction = run("Fee: 1", answer())
    assert (result(extraction)["provider"], result(extraction)["proposals"]) == (NAME, [])
    assert result(extraction)["runId"].endswith("000000000001")


def test_an_empty_document_is_a_success_with_a_warning_and_no_call():
    extraction = run("", answer())
    assert (outcome(extraction), result(extraction)["providerCalls"]) == ({"status": "success"}, 0)
    assert codes(extraction) == [("preparation", "empty-content")]


def test_row_107_what_cannot_be_prepared_fails_as_preparation():
    extraction = run(b"\xff\xfe\xff", answer(), content_type="text", charset="utf-8")
    assert account(extraction) == published("failure-preparation")
    assert extraction.refused.code == "INVALID_SOURCE"


def test_row_109_a_text_that_is_cut_is_a_partial_run_and_one_that_is_too_long_fails():
    long = "a" * 5_000_001
    options = {"chunk_size": 1_000_000, "chunk_overlap": 0}
    refused = run(long, answer(), **options)
    assert outcome(refused) == failed("content-preparation-failure", "preparation")
    extraction = run(long, answer(), truncate=True, **options)
    assert result(extraction)["partial"] == {
        "reason": "max-chunks",
        "completedChunks": 5,
        "remainingChunks": 1,
    }
    assert extraction.report["truncatedAt"] == 5_000_000
    assert "notFound" not in extraction.report


def test_row_112_a_task_that_does_not_hold_makes_no_call():
    task = build_task_spec(version="1", target_schema=SCHEMA, guidance="g")
    provider = Scripted(answer())
    assert outcome(run("Fee: 1", provider, task=task)) == {"status": "success"}
    extraction = run("Fee: 1", provider, task={**task, "guidance": "other"})
    assert account(extraction) == published("failure-invalid-task")
    assert (len(provider.requests), extraction.refused.code) == (1, "INVALID_TASK")


def test_the_fields_of_a_run_are_those_of_its_task_unless_given():
    task = build_task_spec(version="1", target_schema=SCHEMA)
    for given in (task, canonical_json(task), canonical_json(task).decode()):
        extraction = run("Fee: 1", answer(), schema=None, task=given)
        assert outcome(extraction) == {"status": "success"}
    extraction = run("Fee: 1", answer(), schema=None, task=b"{")
    assert outcome(extraction) == failed("invalid-task-spec", "invalid-task")


def test_row_113_members_of_a_field_may_stand_in_any_order_and_fields_may_not():
    task = build_task_spec(version="1", target_schema=SCHEMA)
    turned = [dict(reversed(one.items())) for one in SCHEMA]
    assert outcome(run("Fee: 1", answer(), schema=turned, task=task)) == {"status": "success"}
    extraction = run("Fee: 1", answer(), schema=SCHEMA[::-1], task=task)
    assert outcome(extraction) == failed("invalid-task-spec", "invalid-task")


def test_a_run_with_a_task_names_it_also_when_every_call_failed():
    task = build_task_spec(version="1", target_schema=SCHEMA, examples=[])
    for script in (answer(), UNAVAILABLE):
        told = result(run("Fee: 1", script, task=task))
        assert (told["taskDigest"], told["exampleDigests"]) == (task["digest"], [])
    assert "exampleDigests" not in result(run("Fee: 1", answer()))


def test_a_refusal_of_the_provider_ends_the_run():
    error = refusal("EXTRACTION_FAILED", "wrong task")
    with pytest.raises(SurveyError) as caught:
        run(BIG, [answer(), error, answer()])
    assert caught.value.code == "EXTRACTION_FAILED"


@pytest.mark.parametrize(
    ("odd", "pointer"),
    [
        ({"source_ref": "/home/me/a.txt"}, "/source/ref"),
        ({"snapshot_ref": "https://x.org/?token=a"}, "/source/snapshotRef"),
        ({"run_id": "run:1"}, "/result/runId"),
        ({"extracted_at": "now"}, "/result/extractedAt"),
    ],
    ids=range(4),
)
def test_a_stamp_that_no_envelope_takes_is_refused_before_any_call(odd, pointer):
    provider = Scripted(answer())
    run("Fee: 1", provider)
    with pytest.raises(SurveyError) as caught:
        run("Fee: 1", provider, stamp=replace(STAMP, **odd))
    assert (caught.value.pointer, len(provider.requests)) == (pointer, 1)


def test_storage_that_fails_is_a_warning_without_its_words():
    kept = []
    run("Fee: 1", answer(), keep_prepared=lambda artifact, text: kept.append((artifact, text)))
    assert kept[0][1] == "Fee: 1"

    def broken(_, text):
        raise OSError(text)

    extraction = run("Fee: 1", answer(), keep_prepared=broken)
    assert codes(extraction) == [("storage", "prepared-artifact-storage-failed")]
    assert "Fee" not in extraction.warnings[0].message


def test_the_order_of_warnings_is_that_of_the_run():
    text = "Fee: 1. " * 4
    first = answer(
        propose("fee", 1, "Fee: 1."),
        propose("fee", "1", "Fee: 1."),
        propose("nope", 1, "Fee: 1."),
        propose("name", "x", "Fee: 1.", confidence="high"),
        raw=said(model="gpt 5"),
        warnings=("note",),
        truncated=True,
        malformed_items=MalformedItems(1, 5),
    )
    extraction = run(
        text,
        [first, UNAVAILABLE],
        chunk_size=16,
        chunk_overlap=0,
        max_content=8,
        keep_prepared=lambda *_: 1 / 0,
        budgets=Budgets(max_provider_calls=2),
    )
    assert [code for _, code in codes(extraction)] == [
        "prepared-artifact-storage-failed",
        "content-truncated-at-dispatch",
        "output-truncated",
        "provider-warning",
        "provider-warning",
        "proposal-normalization",
        "proposal-normalization",
        "malformed-tool-items",
        "content-truncated-at-dispatch",
        "chunk-provider-failure",
        "proposal-normalization",
        "content-chunking",
    ]
