"""Runs of any size: the generated extraction as rows of a list, in a directory of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benches.data import LIMITS
from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.cli.sample import proposals_for, sample_extraction
from survey_fast.extraction.task import Task, read_task
from survey_fast.review.attribution import Reviewer
from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.create import Created, Order, create_run
from survey_fast.runs.identity import OFFLINE, local_source

__all__ = ["AT", "HOST", "decided_run", "new_run", "parts"]

AT = "2026-01-15T07:00:00.000Z"
HOST = Host(Reviewer.named("dana"), "2026-01-15T08:00:00.000Z")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run of so many items is made of."""

    task: Task
    source: dict[str, Any]
    envelope: bytes
    prepared: str
    report: bytes


@cache
def parts(count: int) -> Parts:
    """Envelope, text and task of a run of ``count`` items, ten fields a row."""
    raw, prepared, targets = sample_extraction(proposals_for(count))
    envelope = json.loads(raw)
    fields: dict[str, dict[str, Any]] = {}
    for proposal in envelope["result"]["proposals"]:
        contract, name = proposal["fieldPath"].split(".")[1:]
        target = targets[proposal["fieldPath"]]
        proposal["fieldPath"] = f"contracts[].{name}"
        proposal["pathIndices"] = [int(contract)]
        fields.setdefault(proposal["fieldPath"], {"type": proposal["valueType"], **target})
        if "enumValues" in proposal:
            fields[proposal["fieldPath"]]["enumValues"] = proposal["enumValues"]
    task = read_task(_task(fields))
    source = local_source(
        task_name=task.name, digest=sha256_hex(prepared.encode()), content_type="text"
    )
    envelope["source"] = {"ref": source["ref"], "snapshotRef": source["ref"]}
    artifact = envelope["result"]["preparedArtifact"]
    artifact["sourceSnapshotRef"] = source["ref"]
    members = ("digest", "preparationMode", "preparationVersion", "contentLength")
    identity = {"format": "traverse-prepared-artifact", "version": 1}
    identity |= {name: artifact[name] for name in members}
    identity["sourceSnapshotRef"] = source["ref"]
    text = json.dumps(identity, separators=(",", ":")).encode()
    artifact["ref"] = f"traverse-prepared-artifact:v1:sha256:{sha256_hex(text)}"
    state = envelope["result"].get("preparedArtifactState")
    if state is not None:
        state |= {"requestedRef": artifact["ref"], "canonicalRef": artifact["ref"]}
    return Parts(task, source, canonical_json(envelope), prepared, b"{}")


def _task(fields: dict[str, dict[str, Any]]) -> dict[str, Any]:
    schema, projections = [], []
    for path, one in fields.items():
        field = {"path": path, "type": one["type"], "inferenceType": "explicit"}
        if "enumValues" in one:
            field["enumValues"] = one["enumValues"]
        schema.append(field)
        claim = {
            name: one[name]
            for name in ("subjectType", "subjectId", "facet", "claimType", "impactLevel")
        }
        claim["subjectId"] = "register"
        label = path.replace("[]", "")
        projections.append({"fieldPath": path, "pattern": f"{label}: ([^\\n]+)", "claim": claim})
    return {
        "apiVersion": "fieldwork.kontourai.io/v1alpha1",
        "kind": "FieldworkTask",
        "metadata": {"name": "vendor-register"},
        "spec": {
            "traverse": {"version": "1", "targetSchema": schema},
            "projections": projections,
        },
    }


def new_run(root: Path, count: int) -> Created:
    """A run of ``count`` items below ``root``."""
    made = parts(count)
    order = Order(made.task, made.source, OFFLINE, AT, limits=LIMITS)
    return create_run(root, order, lambda _: made)


def decided_run(root: Path, count: int) -> Created:
    """A run of ``count`` items, every one of them decided in one append."""
    created = new_run(root, count)
    requests = []
    for item in created.run.state["items"]:
        proposed = [one for one in item["spec"]["candidates"] if one["role"] == "proposed"]
        request = {"item": item["metadata"]["name"], "decision": "accept"}
        if len(proposed) > 1:
            request |= {"decision": "select", "candidateId": proposed[1]["id"]}
        requests.append(request)
    assert decide_run(created.path, requests, HOST).ok
    return created
