"""Runs for tests: published examples, a conflict, and a forger who knows every form.

``Forged`` reads the artifacts of a run as plain data, lets a test edit them, and writes them back
with as many of the digests brought up to date as the forger is meant to think of.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.unit.extraction.running import Scripted, answer, propose

from survey_fast.canon import canonical_digest, canonical_json, sha256_hex
from survey_fast.cli.sample import misquoted
from survey_fast.errors import SurveyError
from survey_fast.extraction.options import RunOptions, Stamp
from survey_fast.extraction.plan import Wanted
from survey_fast.extraction.providers.offline import OfflineProvider
from survey_fast.extraction.run import extract
from survey_fast.extraction.task import read_task
from survey_fast.imports import available_artifact, import_envelope
from survey_fast.review.attribution import Reviewer
from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.create import Order, create_run
from survey_fast.runs.identity import OFFLINE, SOURCE_KIND, local_source
from survey_fast.runs.opened import open_run
from survey_fast.storage.chain import empty_view, extended

Json = dict[str, Any]

VECTORS = Path(__file__).parents[2] / "vectors"
EXAMPLES = VECTORS / "fieldwork-examples/examples"
UPSTREAM = VECTORS / "fieldwork-runs/0.13.0-run-ee0f5783bcfa2891"
AT = "2026-01-15T07:00:00.000Z"
LATER = "2026-01-15T08:00:00.000Z"
ANA = Reviewer.named("ana")
HOST = Host(ANA, LATER, wait=0)
ENVELOPE_RUN = "traverse-extraction-run:00000000-0000-4000-8000-000000000001"
MEMBERS = {
    "envelope": "extraction-envelope.json",
    "events": "review-events.jsonl",
    "prepared": "prepared.txt",
    "queue": "review-queue.json",
    "report": "extraction-report.json",
    "manifest": "run.json",
}
FILES = sorted(MEMBERS.values())

CLAIM = {
    "subjectType": "vendor",
    "subjectId": "acme",
    "facet": "vendor.contract",
    "claimType": "vendor.field",
    "impactLevel": "high",
}
TEXT = "Fee: 48000\nCity: Basel\nFee: 52000\n"


def task_document(*paths, name="own-task"):
    """A task that looks for numbers behind the last word of each path."""
    return {
        "apiVersion": "fieldwork.kontourai.io/v1alpha1",
        "kind": "FieldworkTask",
        "metadata": {"name": name},
        "spec": {
            "traverse": {
                "version": "1",
                "targetSchema": [
                    {"path": path, "type": "string", "inferenceType": "explicit"} for path in paths
                ],
            },
            "projections": [
                {
                    "fieldPath": path,
                    "pattern": f"{path.rpartition(chr(46))[2].title()}: ([^\\n]+)",
                    "claim": CLAIM,
                }
                for path in paths
            ],
        },
    }


@dataclass(frozen=True)
class Extracted:
    """What a creation is handed."""

    envelope: bytes
    prepared: str
    report: bytes


@dataclass(frozen=True)
class Sample:
    """An order, and the extraction that it gets."""

    order: Order
    extracted: Extracted

    @property
    def run_id(self):
        return self.order.identity().run_id

    def create(self, root, **options):
        return create_run(root, self.order, lambda _: self.extracted, **options)

    def with_order(self, **changes):
        parts = {name: getattr(self.order, name) for name in self.order.__slots__}
        return Sample(Order(**{**parts, **changes}), self.extracted)


def sample_of(task, text, provider=None, *, order=None, **options):
    """The sample of a task on a text: its offline extraction, or what ``provider`` says."""
    task = read_task(task)
    source = local_source(
        task_name=task.name, digest=sha256_hex(text.encode()), content_type="text"
    )
    asked = OFFLINE if provider is None else {**OFFLINE, "kind": "scripted", "name": provider.name}
    order = Order(task, source, asked, AT, **(order or {}))
    made = extract(
        text,
        wanted=Wanted(task=task.task_spec),
        provider=provider or OfflineProvider(task.projections),
        stamp=Stamp(order.identity().envelope_run_id, AT, source["ref"], source["ref"]),
        options=RunOptions(**options),
    )
    text = "" if made.prepared is None else made.prepared.text
    return Sample(order, Extracted(made.envelope, text, made.report_bytes))


def example(name="generic"):
    """A published example, extracted offline."""
    folder = EXAMPLES / name
    text = (folder / "source.txt").read_bytes().decode()
    return sample_of((folder / "task.json").read_bytes(), text)


def conflict(**options):
    """Two rival fees and a city: two items, three proposals."""
    provider = Scripted(
        answer(
            propose("fee", "48000", "Fee: 48000"),
            propose("fee", "52000", "Fee: 52000"),
            propose("city", "Basel", "City: Basel"),
        )
    )
    return sample_of(task_document("fee", "city"), TEXT, provider, **options)


def retold(report, envelope):
    """The report as it is told of another envelope."""
    told = json.loads(report)
    told |= {
        "envelopeDigest": canonical_digest(envelope),
        "runId": json.loads(envelope)["result"]["runId"],
    }
    return canonical_json(told) + b"\n"


def rival_misquoted():
    """The same, where the second fee quotes words that the text does not have."""
    one = conflict()
    envelope = misquoted(one.extracted.envelope, 1, "52000", "52001")
    if b"52001" not in envelope:
        envelope = misquoted(one.extracted.envelope, 2, "52000", "52001")
    report = retold(one.extracted.report, envelope)
    return Sample(one.order, Extracted(envelope, one.extracted.prepared, report))


def partial():
    """A text of which only the first chunk was read."""
    text = TEXT + "x" * 300
    return sample_of(
        task_document("fee", "city"), text, chunk_size=100, chunk_overlap=0, max_chunks=1
    )


def nothing(**options):
    """A text in which nothing is found."""
    return sample_of(task_document("fee", "city"), "Nothing is said here.\n", **options)


def many(count):
    """A task of one list with so many rows, each a slot of its own."""
    text = "".join(f"Fee: {number:05}\n" for number in range(count))
    proposals = [
        propose(f"fees[{number}].fee", f"{number:05}", f"Fee: {number:05}")
        for number in range(count)
    ]
    whole = {"chunk_size": len(text), "max_content": len(text)}
    return sample_of(task_document("fees[].fee"), text, Scripted(answer(*proposals)), **whole)


def names_of(run):
    return [item["metadata"]["name"] for item in run.state["items"]]


def items_of(run):
    """Items by target."""
    return {item["spec"]["target"]: item for item in run.state["items"]}


def requests_for(run):
    """One good decision for every item."""
    found = []
    for item in run.state["items"]:
        rivals = [one for one in item["spec"]["candidates"] if one["role"] == "proposed"]
        request = {"item": item["metadata"]["name"], "decision": "accept"}
        if len(rivals) > 1:
            request |= {"decision": "select", "candidateId": rivals[-1]["id"]}
        found.append(request)
    return found


def decided(root, sample):
    """The path of a run in which everything is decided."""
    made = sample.create(root)
    assert decide_run(made.path, requests_for(made.run), HOST).ok
    return made.path


def content(folder):
    """Everything in a folder, by name; links and pipes by what they are."""
    return {
        str(one.relative_to(folder)): one.read_bytes() if one.is_file() else one.lstat().st_mode
        for one in sorted(folder.rglob("*"))
    }


def refused(code, call, *arguments, **options):
    """The refusal that ``call`` ends in, whose code is ``code``."""
    with pytest.raises(SurveyError) as caught:
        call(*arguments, **options)
    assert caught.value.code == code, caught.value
    return caught.value


def stays_refused(code, path, call=open_run, *arguments, **options):
    """The same, and nothing in the directory moved."""
    before = content(path)
    found = refused(code, call, path, *arguments, **options)
    assert content(path) == before
    return found


class Forged:
    """The artifacts of a run, as plain data, to be edited and written back."""

    def __init__(self, path):
        self.path = path
        self.manifest = json.loads((path / "run.json").read_bytes())
        self.envelope = json.loads((path / "extraction-envelope.json").read_bytes())
        self.queue = json.loads((path / "review-queue.json").read_bytes())
        report = path / "extraction-report.json"
        self.report = json.loads(report.read_bytes()) if report.exists() else None
        self.prepared = (path / "prepared.txt").read_bytes()
        lines = (path / "review-events.jsonl").read_bytes().splitlines()
        self.events = [json.loads(line)["event"] for line in lines]
        self.before = copy.deepcopy(self.manifest)
        self.told_of = canonical_digest(self.envelope)

    @property
    def items(self):
        return self.queue["items"]

    def rebind(self):
        """Take the queue's digest and names anew."""
        spec = self.manifest["round"].get("binding")
        digest = canonical_digest(self.queue)
        self.manifest["round"]["snapshotHash"] = digest
        if not self.queue["items"]:
            self.manifest["round"]["binding"] = None
        elif spec is not None:
            spec["spec"]["snapshotHash"] = digest
            names = [item["metadata"]["name"] for item in self.items]
            spec["spec"]["itemNames"] = sorted(names)
        return self

    def rederive(self, *, verified=True):
        """The queue's items as the envelope, now, would give them."""
        task, bound = read_task(self.manifest["task"]), self.manifest
        run_id = bound["runId"]
        imported = import_envelope(
            self.envelope,
            source_kind=SOURCE_KIND,
            claim_targets=task.claim_targets(),
            import_name=f"survey-fast-import:{task.name}:{run_id}",
            producer_namespace="survey-fast",
            artifact=available_artifact(self.prepared.decode()) if verified else None,
        )
        self.queue["items"] = imported.review_items
        self.queue["activeItemName"] = ([*names_in(imported.review_items), ""])[0]
        return imported

    def reseal(self):
        """Every digest in the manifest as the artifacts, now, would give it."""
        bound = self.manifest.get("extraction")
        if bound is not None:
            bound["envelopeDigest"] = canonical_digest(self.envelope)
            if self.report and self.report.get("envelopeDigest") == self.told_of:
                self.report["envelopeDigest"] = bound["envelopeDigest"]
            bound["reportDigest"] = canonical_digest(self.report)
        return self.rebind()

    def save(self, *, rechain):
        """Write everything; with ``rechain`` the log is chained to the manifest as it is now."""
        root = canonical_json(self.manifest) + b"\n"
        self.write("run.json", root)
        self.write("extraction-envelope.json", canonical_json(self.envelope))
        self.write("review-queue.json", canonical_json(self.queue) + b"\n")
        self.write("prepared.txt", self.prepared)
        if self.report is not None:
            self.write("extraction-report.json", canonical_json(self.report) + b"\n")
        if rechain:
            self.write("review-events.jsonl", chained(root, self.events))
        return self.path

    def write(self, name, text):
        if (self.path / name).exists():
            (self.path / name).write_bytes(text)


def names_in(items):
    return [item["metadata"]["name"] for item in items]


def chained(root, events):
    """A log of one append of ``events``."""
    view = empty_view(sha256_hex(root))
    return extended(view, events).text if events else b""
