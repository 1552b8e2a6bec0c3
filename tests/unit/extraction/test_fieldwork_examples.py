"""The published tasks, sources and oracles, end to end with the offline provider.

Compared is everything but provider, model, extractor and preparation version. Left to tests of
runs: reviewed claims and run resources.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.extraction.running import MOMENT, RUN_ID

from survey_fast.canon import sha256_hex
from survey_fast.extraction.options import RunOptions, Stamp
from survey_fast.extraction.plan import Wanted
from survey_fast.extraction.prepare import content_type_of
from survey_fast.extraction.providers.offline import OFFLINE_NAME, OfflineProvider
from survey_fast.extraction.run import extract
from survey_fast.extraction.source_ref import local_source_ref
from survey_fast.extraction.task import read_task
from survey_fast.imports import available_artifact, import_envelope

ROOT = Path(__file__).parents[2] / "vectors/fieldwork-examples"
EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/*/task.json"))
WITH_ORACLE = [path for path in EXAMPLES if (path / "oracle.json").exists()]
LONG = ROOT / "conformance/long-input"
FORMATS = ROOT / "conformance/formats"


def extracted(folder, source, name="source.txt"):
    task = read_task((folder / "task.json").read_bytes())
    ref = local_source_ref(task.name, sha256_hex(source))
    return extract(
        source,
        wanted=Wanted(task=task.task_spec),
        provider=OfflineProvider(task.projections),
        stamp=Stamp(RUN_ID, MOMENT, ref, ref),
        options=RunOptions(content_type=content_type_of(name)),
    )


def oracle_of(folder):
    return json.loads((folder / "oracle.json").read_bytes())


def long_source():
    spec = json.loads((LONG / "source-spec.json").read_bytes())
    text = [""] * spec["sourceLength"]
    for filler in spec["fillers"]:
        width = filler["to"] - filler["from"]
        text[filler["from"] : filler["to"]] = [filler["character"]] * width
    for segment in spec["segments"]:
        end = segment["offset"] + len(segment["text"])
        text[segment["offset"] : end] = list(segment["text"])
    return "".join(text).encode()


def compare(extraction, oracle):
    told = extraction.document["result"]
    defaults = oracle.get("proposalDefaults", {})
    expected = [
        {k: v for k, v in {**defaults, **one}.items() if k != "extractor"}
        for one in oracle["proposals"]
    ]
    found = []
    for proposal, wanted in zip(extraction.proposals, expected, strict=True):
        flat = {
            **proposal,
            **proposal["provenance"],
            "value": proposal["candidateValue"],
        }
        found.append({name: flat.get(name) for name in wanted})
        assert proposal["extractor"] == OFFLINE_NAME
    assert found == expected
    replay = oracle.get("replay") or oracle.get("execution") or {}
    compared = ("providerCalls", "totalTokensUsed", "taskDigest", "exampleDigests")
    assert {name: told[name] for name in compared if name in replay} == {
        name: replay[name] for name in compared if name in replay
    }
    if "rawKeys" in replay:
        assert sorted(told["raw"]) == replay["rawKeys"]
    diagnostics = oracle.get("diagnostics", {})
    assert told["outcome"] == diagnostics.get("outcome", {"status": "success"})


def spans(extraction):
    places = [one["provenance"]["occurrence"]["selected"] for one in extraction.proposals]
    return [(one["start"], one["end"]) for one in places]


@pytest.mark.parametrize("folder", WITH_ORACLE, ids=[path.name for path in WITH_ORACLE])
def test_an_example_gives_what_its_oracle_says(folder):
    oracle = oracle_of(folder)
    extraction = extracted(folder, (folder / "source.txt").read_bytes())
    compare(extraction, oracle)
    assert extraction.warnings == ()
    assert spans(extraction) == sorted(spans(extraction))
    if oracle.get("ordering", {}).get("nonOverlapping"):
        ends = [end for _, end in spans(extraction)]
        starts = [start for start, _ in spans(extraction)][1:]
        assert all(end <= start for end, start in zip(ends, starts, strict=False))


@pytest.mark.parametrize("folder", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_an_example_imports_as_verified(folder):
    task = read_task((folder / "task.json").read_bytes())
    extraction = extracted(folder, (folder / "source.txt").read_bytes())
    assert (len(extraction.proposals), extraction.report["notFound"]) == (
        len(task.projections),
        [],
    )
    imported = import_envelope(
        extraction.envelope,
        source_kind="uploaded-document",
        claim_targets=task.claim_targets(),
        artifact=available_artifact(extraction.prepared.text),
    )
    assert imported.record["status"]["provenance"] == "verified"
    assert len(imported.review_items) == len(task.projections)


def test_a_revised_source_gives_the_revised_values():
    folder = ROOT / "examples/vendor-obligations"
    before = extracted(folder, (folder / "source.txt").read_bytes())
    after = extracted(folder, (folder / "source-revised.txt").read_bytes())
    changed = [
        (old["candidateValue"], new["candidateValue"])
        for old, new in zip(before.proposals, after.proposals, strict=True)
        if old["candidateValue"] != new["candidateValue"]
    ]
    assert changed == [(48000, 52500), (45, 60)]


def test_a_long_source_is_read_in_three_calls_and_the_overlap_counts_once():
    oracle = oracle_of(LONG)
    source = long_source()
    assert (len(source), sha256_hex(source)) == (
        oracle["source"]["length"],
        oracle["source"]["sha256"],
    )
    extraction = extracted(LONG, source)
    compare(extraction, oracle)
    # The oracle lists no warnings; the run has two, of which the envelope keeps the classes.
    assert [one.code for one in extraction.warnings] == [
        "proposal-normalization",
        "content-chunking",
    ]


@pytest.mark.parametrize(("kind", "name"), [("html", "source.html"), ("transcript", "source.vtt")])
def test_a_page_and_a_transcript_give_the_same_words(kind, name):
    oracle = oracle_of(FORMATS)
    extraction = extracted(FORMATS, (FORMATS / name).read_bytes(), name)
    (proposal,) = extraction.proposals
    assert extraction.prepared.text == oracle["prepared"][kind]
    assert proposal["provenance"]["locator"] == oracle["locators"][kind]
    assert proposal["candidateValue"] == "Active"
