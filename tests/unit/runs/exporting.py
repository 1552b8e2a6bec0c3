"""Runs to export: typed fields, notes, and decisions of every kind."""

from __future__ import annotations

import json

from tests.unit.extraction.running import Scripted, answer, propose
from tests.unit.runs.samples import HOST, Sample, retold, sample_of, task_document

from survey_fast.canon import canonical_json
from survey_fast.runs.append import decide_run
from survey_fast.runs.opened import open_run


def typed(kind, value, text, *, path="it", recorded=True, **field):
    """A run of one field of a kind, whose only value was read from ``It: <text>``."""
    task = task_document(path)
    task["spec"]["traverse"]["targetSchema"][0] |= {"type": kind, **field}
    script = answer(propose(path, value, f"It: {text}"))
    one = sample_of(task, f"It: {text}\n", Scripted(script))
    return one if recorded else edited(one, unrecorded)


def unrecorded(envelope):
    """As an extractor that records nothing about form would have written it."""
    for proposal in envelope["result"]["proposals"]:
        del proposal["evidenceMatch"]


def edited(sample, change):
    """The sample with another envelope, before any run was made of it."""
    envelope = json.loads(sample.extracted.envelope)
    change(envelope)
    text = canonical_json(envelope)
    report = retold(sample.extracted.report, text)
    extracted = type(sample.extracted)(text, sample.extracted.prepared, report)
    return Sample(sample.order, extracted)


def made(root, sample, *decisions, host=HOST):
    """The path of a run in which ``(target, decision, more)`` were decided, in one append."""
    path = sample.create(root).path
    return decide(path, *decisions, host=host)


def decide(path, *decisions, host=HOST):
    if decisions:
        items = {item["spec"]["target"]: item for item in open_run(path).state["items"]}
        requests = [
            {
                "item": items[target]["metadata"]["name"],
                "decision": word,
                **(rest[0] if rest else {}),
            }
            for target, word, *rest in decisions
        ]
        assert decide_run(path, requests, host).ok
    return path


def chosen(path, target, value):
    """The request that chooses a value of an item."""
    item = next(one for one in open_run(path).state["items"] if one["spec"]["target"] == target)
    found = [one["id"] for one in item["spec"]["candidates"] if one["value"] == value]
    return {"candidateId": found[0]}


def claims(exported):
    """Claims by field."""
    return {one["fieldOrBehavior"]: one for one in exported.document["bundle"]["claims"]}


def events(exported, field):
    """The events of a claim, in order."""
    claim_id = claims(exported)[field]["id"]
    listed = exported.document["bundle"]["events"]
    return [one for one in listed if one["claimId"] == claim_id]


def gaps(exported, member="groundingRefused"):
    """Kinds of gaps by field."""
    listed = exported.scope.get(member, ())
    return {one["fieldPath"]: one["gaps"] for one in listed}


def codes(exported):
    return [(one["fieldPath"], one["code"]) for one in exported.scope["excluded"]]
