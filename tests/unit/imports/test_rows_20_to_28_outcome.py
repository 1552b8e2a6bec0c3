"""Rows 20 to 28 of the import's edge table: how the run ended and what it read.

Proven: 20, 21, 22, 23, 24, 25, 26, 27, 28.
"""

import pytest
from tests.unit.imports.samples import (
    cases,
    cut,
    put,
    put_all,
    refused,
    run,
    silent,
    vendor,
)

OUTCOME = "/result/outcome"
PARTIAL = "/result/partial"
COVERAGE = "/result/coverage"
LOSS = "partial-provider-failure"
EARLY_STOPS = ["cancelled", "max-provider-calls", "max-total-tokens", "max-chunks"]
LOSSES = ["provider-failure", "content-truncated", "output-truncated"]


def entry(start, end, status="complete", reason=None, chunk=1):
    given = {} if reason is None else {"reason": reason}
    return {"chunk": chunk, "start": start, "end": end, "status": status, **given}


def unread(start, end, reason="provider-failure"):
    return entry(start, end, "unread", reason)


def ended(reason, *coverage):
    """A run over 88 code units that ended for this reason."""
    changes = {f"{OUTCOME}/reason": reason, f"{PARTIAL}/reason": reason, COVERAGE: list(coverage)}
    return put_all(vendor(LOSS), changes)


@pytest.mark.parametrize("value", [None, {}], ids=str)
def test_row_20_success_with_partial(value):
    document = put(vendor(), PARTIAL, value)
    assert refused(run, document) == ("envelope-inconsistent", PARTIAL)


def test_row_20_partial_belongs_to_a_partial_outcome_only():
    failure = put(vendor("failure-no-usable-answer"), PARTIAL, vendor(LOSS)["result"]["partial"])
    assert refused(run, failure) == ("envelope-inconsistent", PARTIAL)
    assert refused(run, cut(vendor(LOSS), PARTIAL)) == ("envelope-inconsistent", PARTIAL)


@cases(
    "changes code pointer",
    {
        "two reasons": (
            {f"{PARTIAL}/reason": "cancelled"},
            "envelope-inconsistent",
            f"{PARTIAL}/reason",
        ),
        "unknown reason in both": (
            {f"{OUTCOME}/reason": "max-anything", f"{PARTIAL}/reason": "max-anything"},
            "envelope-invalid-value",
            f"{OUTCOME}/reason",
        ),
        "unknown reason in the outcome": (
            {f"{OUTCOME}/reason": "max-anything"},
            "envelope-invalid-value",
            f"{OUTCOME}/reason",
        ),
        "unknown reason in partial": (
            {f"{PARTIAL}/reason": "max-anything"},
            "envelope-invalid-value",
            f"{PARTIAL}/reason",
        ),
        "unknown status": (
            {OUTCOME: {"status": "ok"}},
            "envelope-invalid-value",
            f"{OUTCOME}/status",
        ),
        "no status": ({OUTCOME: {}}, "envelope-missing-member", f"{OUTCOME}/status"),
        "success with a reason": (
            {OUTCOME: {"status": "success", "reason": "cancelled"}},
            "envelope-unexpected-member",
            f"{OUTCOME}/reason",
        ),
        "failure of an unknown category": (
            {OUTCOME: {"status": "failure", "category": "weather", "code": "rain"}},
            "envelope-invalid-value",
            f"{OUTCOME}/category",
        ),
        "failure with a sentence for a code": (
            {OUTCOME: {"status": "failure", "category": "provider", "code": "it rained"}},
            "envelope-invalid-value",
            f"{OUTCOME}/code",
        ),
    },
)
def test_row_21_partial_reason(changes, code, pointer):
    assert refused(run, put_all(vendor(LOSS), changes)) == (code, pointer)


@pytest.mark.parametrize("value", [0, -1, 1.5, "3", None], ids=ascii)
def test_row_22_token_overshoot_refused(value):
    pointer = f"{PARTIAL}/tokenOvershoot"
    assert refused(run, put(vendor(LOSS), pointer, value)) == ("envelope-invalid-value", pointer)


def test_row_22_token_overshoot_accepted():
    assert run(put(vendor(LOSS), f"{PARTIAL}/tokenOvershoot", 3)).is_grounded


@pytest.mark.parametrize("reason", LOSSES)
def test_row_23_loss_that_no_range_shows(reason):
    complete = ended(reason, entry(0, 88))
    for document in (
        cut(complete, COVERAGE),
        complete,
        ended(reason),
        ended(reason, entry(0, 40), unread(40, 88, "not-dispatched")),
    ):
        assert refused(run, document) == ("envelope-inconsistent", COVERAGE)


@pytest.mark.parametrize("reason", LOSSES)
def test_row_23_loss_that_a_range_shows(reason):
    for shown in (
        unread(40, 88),
        unread(40, 88, "missing-tool-call"),
        unread(40, 88, "content-truncated"),
        entry(40, 88, "output-truncated"),
    ):
        assert run(ended(reason, entry(0, 40), shown)).is_grounded


@cases(
    "gap",
    {
        "unread": (unread(10, 60),),
        "not dispatched": (unread(10, 60, "not-dispatched"),),
        "truncated": (entry(10, 60, "output-truncated"),),
    },
)
def test_row_24_success_with_a_gap(gap):
    document = put(vendor(), COVERAGE, [entry(0, 10), gap])
    assert refused(run, document) == ("envelope-inconsistent", f"{COVERAGE}/1/status")


def test_row_25_failure_with_a_gap():
    failure = vendor("failure-no-usable-answer")
    length = failure["result"]["preparedArtifact"]["contentLength"]
    result = run(put(failure, COVERAGE, [unread(0, length)]))
    assert silent(result.status) == silent(run(failure).status)
    assert result.status["state"] == "unresolved"
    assert result.review_items == []


@pytest.mark.parametrize("reason", EARLY_STOPS)
def test_row_26_early_stop_with_any_coverage(reason):
    for coverage in ([], [entry(0, 88)], [unread(0, 88, "not-dispatched")], [unread(0, 88)]):
        assert run(ended(reason, *coverage)).is_grounded
    assert run(cut(ended(reason), COVERAGE)).is_grounded


@pytest.mark.parametrize("coverage", [[], [entry(0, 60)]], ids=["none", "complete"])
def test_row_26_success_with_complete_coverage(coverage):
    result = run(put(vendor(), COVERAGE, coverage))
    assert result.is_grounded
    (item,) = result.review_items
    for candidate in item["spec"]["candidates"]:
        (block,) = candidate["producer"].values()
        assert block["coverage"] == coverage


@cases(
    "entries code pointer",
    {
        "end beyond the text": ([entry(0, 89)], "envelope-inconsistent", "/0/end"),
        "empty": ([entry(5, 5)], "envelope-inconsistent", "/0/end"),
        "backwards": ([entry(9, 5)], "envelope-inconsistent", "/0/end"),
        "out of order": ([entry(5, 9), unread(0, 5)], "envelope-inconsistent", "/1/start"),
        "unread without reason": ([entry(0, 5, "unread")], "envelope-inconsistent", "/0/reason"),
        "complete with reason": (
            [entry(0, 5, "complete", "provider-failure")],
            "envelope-inconsistent",
            "/0/reason",
        ),
        "truncated with reason": (
            [entry(0, 5, "output-truncated", "provider-failure")],
            "envelope-inconsistent",
            "/0/reason",
        ),
        "unknown status": ([entry(0, 5, "skipped")], "envelope-invalid-value", "/0/status"),
        "unknown reason": ([unread(0, 5, "weather")], "envelope-invalid-value", "/0/reason"),
        "null reason": (
            [{**entry(0, 5, "unread"), "reason": None}],
            "envelope-invalid-value",
            "/0/reason",
        ),
        "chunk 0": ([entry(0, 5, chunk=0)], "envelope-invalid-value", "/0/chunk"),
        "start below zero": ([entry(-1, 5)], "envelope-invalid-value", "/0/start"),
        "extra member": (
            [{**entry(0, 5), "note": "x"}],
            "envelope-unexpected-member",
            "/0/note",
        ),
        "no end": (
            [{"chunk": 1, "start": 0, "status": "complete"}],
            "envelope-missing-member",
            "/0/end",
        ),
        "not an entry": ([[0, 5]], "envelope-invalid-value", "/0"),
        "not an array": ({"0": entry(0, 5)}, "envelope-invalid-value", ""),
    },
)
def test_row_27_coverage_refused(entries, code, pointer):
    document = put(vendor(LOSS), COVERAGE, entries)
    assert refused(run, document) == (code, COVERAGE + pointer)


def test_row_27_coverage_needs_the_text_it_covers():
    document = cut(vendor(LOSS), "/result/preparedArtifact")
    assert refused(run, document) == ("envelope-inconsistent", COVERAGE)


def test_row_28_overlapping_ranges_in_order():
    ranges = [entry(0, 50), entry(0, 50), entry(10, 30), unread(30, 88), entry(30, 40)]
    document = ended("provider-failure", *ranges)
    result = run(document)
    assert result.is_grounded
    assert result.record["spec"]["envelope"]["result"]["coverage"] == ranges
