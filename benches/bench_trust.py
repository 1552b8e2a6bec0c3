"""From a decided queue to a bundle: projection, reviewed evidence, validation, grounding."""

from functools import cache
from hashlib import sha256
from json import dumps
from typing import Any, NamedTuple

import pytest

from benches.bench_replay import AT, decided
from benches.data import LARGE, SMALL, inputs
from benches.turns import in_turns
from survey_fast.canon.collector import collector_paused
from survey_fast.review.apply import derive_review_session_apply_result
from survey_fast.trust.evidence import (
    RecordContext,
    RecordResolver,
    project_evidence_of_import,
    read_record,
)
from survey_fast.trust.grounding import evaluate_grounding
from survey_fast.trust.projection.bundle import project_records
from survey_fast.trust.projection.identities import Identities
from survey_fast.trust.reviewed_grounding import EXPORT_ACTION, evidence_id, export_policy
from survey_fast.trust.reviewed_input import reviewed_trust_input
from survey_fast.trust.survey_input import index_survey_input
from survey_fast.trust.validation import valid_bundle

KEY = "survey.kontourai.io/extraction-envelope"
NAME = "bench"
ROUNDS = 5


def beside(benchmark, seconds):
    """Leave the bound, which is a time, to be divided by."""
    benchmark.extra_info["beside"]["bound"] = {"min": seconds, "median": seconds}


class Round(NamedTuple):
    """A queue of which every item was decided, and what a review made of it."""

    items: list[dict[str, Any]]
    results: list[dict[str, Any]]
    record: bytes


class Bundled(NamedTuple):
    """A bundle, and the import that its reviewed evidence rests on."""

    bundle: dict[str, Any]
    context: RecordContext


@cache
def reviewed(count):
    """The round of so many items."""
    snapshot, _, events = decided(count)
    applied = derive_review_session_apply_result(snapshot, events, required="all")
    assert applied.ok
    return Round(snapshot["items"], applied.results, inputs(count).record)


def evidence_input(item, result):
    """What an export states of one item."""
    name = item["metadata"]["name"]
    return {
        "evidenceId": evidence_id(name),
        "claimId": f"{name}.claim",
        "proposalIndex": result["selectedCandidate"]["producer"][KEY]["proposalIndex"],
        "reviewItem": item,
        "reviewDecision": result["reviewDecision"],
        "collectedBy": EXPORT_ACTION,
        "structuralTrust": "validated",
    }


@collector_paused()
def bundled(given):
    """Items and results to a bundle that may be written, as an export does it."""
    built = reviewed_trust_input(
        source=NAME,
        generated_at=AT,
        projection_context_id=NAME,
        items=given.items,
        results=given.results,
        carried=(),
    )
    indexed = index_survey_input(built["surveyInput"])
    bundle = project_records(indexed, Identities(NAME), emit_policies=True)
    context = read_record(given.record)
    written = project_evidence_of_import(context, map(evidence_input, given.items, given.results))
    bundle["evidence"] = [*(one.evidence for one in written), *bundle["evidence"]]
    return Bundled(valid_bundle(bundle, writing=True), context)


def require_bundle(found, given):
    """Every item is a verified claim of the chosen value, with evidence that entails it."""
    bundle, count = found.bundle, len(given.items)
    sizes = [len(bundle[name]) for name in ("claims", "evidence", "events")]
    assert sizes == [count, 2 * count, count]
    assert [claim["value"] for claim in bundle["claims"]] == [
        result["effectiveValue"] for result in given.results
    ]
    assert {claim["status"] for claim in bundle["claims"]} == {"verified"}
    assert all(one["passing"] for one in bundle["evidence"][:count])


def grounded(found):
    """Every claim judged by evidence that is restored for it."""
    bundle = found.bundle
    return evaluate_grounding(
        export_policy(claim["id"] for claim in bundle["claims"]),
        bundle["evidence"],
        bundle["claims"],
        resolver=RecordResolver([found.context]),
    )


def dumped(given):
    """One digest of each item with its decision: the least that evidence has to do."""
    return [
        sha256(dumps([item, result["reviewDecision"]], sort_keys=True).encode()).digest()
        for item, result in zip(given.items, given.results, strict=True)
    ]


@pytest.mark.benchmark(group="trust-10k")
def test_bundle(benchmark):
    """Projection, evidence and validation, from plain data."""
    given, tenth = reviewed(LARGE), reviewed(SMALL)
    others = {"dumps": lambda: dumped(given), "tenth": lambda: bundled(tenth)}
    require_bundle(in_turns(benchmark, lambda: bundled(given), others, ROUNDS), given)
    beside(benchmark, 1.5)
    require_bundle(bundled(tenth), tenth)
    assert len(set(dumped(given))) == LARGE


@pytest.mark.benchmark(group="trust-10k")
def test_grounding(benchmark):
    """The evidence of every claim restored and held against it."""
    given = reviewed(LARGE)
    found, tenth = bundled(given), bundled(reviewed(SMALL))
    others = {"dumps": lambda: dumped(given), "tenth": lambda: grounded(tenth)}
    decision = in_turns(benchmark, lambda: grounded(found), others, ROUNDS)
    beside(benchmark, 0.6)
    assert decision["outcome"] == grounded(tenth)["outcome"] == "allowed"
    assert len(decision["dimensions"]) == LARGE
