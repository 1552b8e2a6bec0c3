"""Valid envelopes of every shape, with the options they are imported with.

Fields, values and places are drawn from small pools, so that slots hold several values, one value
stands at several places and claims meet; excerpts are sometimes wrong, so that rivals are left out.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from hypothesis import strategies as st
from tests.unit.imports.samples import artifact_of, envelope, proposal, utf16_length

Json = Any


class Extraction(NamedTuple):
    """An envelope, and the keyword arguments that ``import_envelope`` takes with it."""

    envelope: Json
    options: dict[str, Any]

    @property
    def proposals(self) -> list[Json]:
        return self.envelope["result"]["proposals"]


WORDS = (
    *("Fee", "48000", "52000.5", "a year", "\U0001f3e0", "\u00e9t\u00e9", "e\u0301", '"quoted"'),
    *("back\\slash", "tab\there", "\u2028", "\ufeff", "\U0010ffff", "Fee", "x", "\n"),
)
# A field that stands here twice is drawn twice as often.
FIELDS = ("fee", "fee", "fee", "site", "\u00e9\U0001f600", "a/b~c", " fee", "list.name")
SIMPLE_VALUES = (48000, 48000.0, 52000.5, "48000", "", True, False, None, 0, 1, 1e21, 1e-7)
OBJECT_VALUES = (
    {"a_b": 1, "aB": 2, "Z": 3},
    {"Z": 3, "aB": 2, "a_b": 1},
    {"10": "x", "9": "y", "": [], "b": {"y": 1, "X": 2}},
    {"candidates": 1, "candidateSetStatus": {"~": 0, "$x": 1}},
    [{"b": 1, "A": 2}, [], {}],
    {"\u00e9": 1, "\U0001f600": {"\uffff": None}},
    [1, [2, [3, ["deep"]]]],
)
DIGEST = "sha256:" + "0a" * 32
texts = st.lists(st.sampled_from(WORDS), min_size=2, max_size=14).map(" ".join)
identities = st.sampled_from(["fixture", "local/model-1", "a:b@c/d+e~f", "p" * 256, "0"])
values = st.sampled_from(SIMPLE_VALUES + OBJECT_VALUES)


def optional(**members: st.SearchStrategy[Json]) -> st.SearchStrategy[dict[str, Json]]:
    """Some of the members."""
    return st.fixed_dictionaries({}, optional=members)


PRODUCED_BY = st.fixed_dictionaries(
    {
        "model": identities,
        "modelSource": st.sampled_from(["provider-reported", "configured"]),
        "requestDigest": st.just(DIGEST),
    }
)
EVIDENCE_MATCH = st.fixed_dictionaries(
    {
        "checkerVersion": st.just("evidence-match-v4"),
        "schema": st.sampled_from(["ok", "type-mismatch", "enum-mismatch", "format-invalid"]),
        "valueInExcerpt": st.sampled_from(["match", "mismatch", "not-evaluated"]),
    },
    optional={"tokenBoundary": st.booleans()},
)
ANNOTATIONS = optional(
    confidence=st.sampled_from([0, 1, 0.5, 0.9, 5e-324]),
    inferenceType=st.sampled_from(["explicit", "inferred"]),
    valueType=st.sampled_from(["string", "number", "boolean", "date", "enum", "array", "object"]),
    enumValues=st.sampled_from([[], [""], ["a", "\u00e9"]]),
    producedBy=PRODUCED_BY,
    evidenceMatch=EVIDENCE_MATCH,
    valueNormalization=st.sampled_from(
        [{"kind": "string-to-number", "from": "2.1"}, {"kind": "date-to-iso", "from": ""}]
    ),
)


@st.composite
def proposals(draw: st.DrawFn, text: str, pool: list[Json]) -> Json:
    """One proposal of a value in ``pool``; one in four has an excerpt that is not at its span."""
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, min(len(text), start + 9)))
    excerpt = text[start:end]
    nth = [at for at in range(len(text)) if text.startswith(excerpt, at)].index(start)
    field, value = draw(st.sampled_from(FIELDS)), draw(st.sampled_from(pool))
    one = proposal(field, value, text, excerpt, nth, **draw(ANNOTATIONS))
    if draw(st.integers(0, 3)) == 3:
        one["pathIndices"] = draw(st.sampled_from([[], [0], [1], [0, 2**53 - 1]]))
    occurrence = one["provenance"]["occurrence"]
    if draw(st.booleans()):
        occurrence.update(selection="occurrence-hint", hintUsed=True)
    if draw(st.integers(0, 3)) == 3:
        # The span has to keep its length in UTF-16 units.
        one["provenance"]["excerpt"] = "~" * utf16_length(excerpt)
    return one


@st.composite
def layouts(draw: st.DrawFn, length: int) -> Json:
    """A page layout in any order."""
    spans = st.tuples(st.integers(0, length - 1), st.integers(1, 4)).map(
        lambda span: {"start": span[0], "end": min(length, sum(span))}
    )
    pages = st.integers(1, 3)
    element = st.fixed_dictionaries(
        {"kind": st.sampled_from(["list", "heading"]), "pageNumber": pages, "range": spans},
        optional={"providerType": st.sampled_from(["", "\u00e9"])},
    )
    cell = st.fixed_dictionaries(
        {"rowIndex": st.integers(0, 11), "columnIndex": st.integers(0, 1), "range": spans}
    )
    cells = st.lists(cell, max_size=3, unique_by=lambda one: (one["rowIndex"], one["columnIndex"]))
    table = st.fixed_dictionaries({"pageNumber": pages, "cells": cells})
    page = {"width": 612, "height": 792.5, "unit": "points"}
    declared = st.permutations([{"pageNumber": number, **page} for number in (1, 2, 3)])
    return draw(
        st.fixed_dictionaries(
            {"elements": st.lists(element, max_size=4)},
            optional={"pages": declared, "tables": st.lists(table, max_size=3)},
        )
    )


RESULT_MEMBERS = optional(
    model=identities,
    warningClassifications=st.just([{"category": "content", "code": "odd-word"}]),
    taskDigest=st.just(DIGEST),
    exampleDigests=st.sampled_from([[], [DIGEST, DIGEST]]),
    pdfPageOffsets=st.sampled_from([[], [0, 7, 999]]),
    ocrDerived=st.sampled_from([True]),
    providerFailures=st.just(
        [{"provider": "fixture", "kind": "timeout", "retryable": True, "code": "slow"}]
    ),
)
OUTCOMES = (*["success"] * 7, "max-chunks", "content-truncated", "failure")


def ended(kind: str, length: int) -> dict[str, Json]:
    """The members of a result that say how the run ended."""
    if kind == "success":
        return {"outcome": {"status": "success"}}
    if kind == "failure":
        return {"outcome": {"status": "failure", "category": "provider", "code": "no-answer"}}
    lost = {"chunk": 1, "start": 0, "end": length, "status": "unread", "reason": kind}
    return {
        "outcome": {"status": "partial", "reason": kind},
        "partial": {"reason": kind, "completedChunks": 0, "remainingChunks": 2},
        **({"coverage": [lost]} if kind == "content-truncated" else {}),
    }


@st.composite
def envelopes(draw: st.DrawFn, text: str, most: int = 7) -> Json:
    """A valid envelope over ``text``, nearly always with its prepared artifact."""
    length = utf16_length(text)
    pool = draw(st.lists(values, min_size=1, max_size=3))
    count = draw(st.sampled_from([3, most - 1, most, most, 1, 0]))
    found = [draw(proposals(text, pool)) for _ in range(count)]
    kind = draw(st.sampled_from(OUTCOMES))
    document = envelope(text, *found, **draw(RESULT_MEMBERS), **ended(kind, length))
    result = document["result"]
    document["source"] = draw(
        st.sampled_from(
            [{"ref": "file:///docs/a.txt"}, {"ref": "\u00e9", "snapshotRef": "snapshot:1"}]
        )
    )
    if "snapshotRef" in document["source"] and draw(st.booleans()):
        result["preparedArtifact"] = artifact_of(text, sourceSnapshotRef="snapshot:1")
    if draw(st.integers(0, 3)) == 3:
        result["pdfLayout"] = draw(layouts(length))
    elif kind != "content-truncated" and draw(st.integers(0, 5)) == 5:
        del result["preparedArtifact"]
    return document


@st.composite
def targets(draw: st.DrawFn, found: list[Json]) -> Json:
    """Claim targets by field path or one for each proposal; two fields may name one claim."""
    of_field = st.fixed_dictionaries(
        {
            "subjectType": st.just("vendor"),
            "subjectId": st.sampled_from(["1", "\U0001f600"]),
            "facet": st.just("vendor.contract"),
            "claimType": st.just("vendor.field"),
            "impactLevel": st.just("medium"),
        },
        optional={
            "fieldOrBehavior": st.sampled_from(["fee", "fee "]),
            "claimId": st.just("claim-1"),
            "derivedFrom": st.sampled_from([[], ["claim-0"]]),
        },
    )
    known = {path: draw(of_field) for path in FIELDS}
    if draw(st.integers(0, 9)) == 9:
        known["fee"]["impactLevel"] = "high"
    if draw(st.booleans()):
        return known
    paths = [one["fieldPath"] for one in found]
    return [{"fieldOrBehavior": path, **known[path]} for path in paths]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def offers(text: str) -> st.SearchStrategy[Json]:
    """The prepared text, another text, or why there is none."""
    honest = {"status": "available", "text": text, "actualDigest": sha256(text)}
    other = {"status": "available", "text": text + "!", "actualDigest": sha256(text + "!")}
    lying = {**other, "actualDigest": sha256(text)}
    absent = [{"status": "unavailable", "code": code} for code in ("not-found", "storage-error")]
    mismatch = {"status": "digest-mismatch", "actualDigest": sha256("")}
    return st.sampled_from([honest] * 16 + [other, lying, *absent, mismatch])


@st.composite
def extractions(draw: st.DrawFn, most: int = 7) -> Extraction:
    text = draw(texts)
    document = draw(envelopes(text, most))
    options = {
        "source_kind": draw(st.sampled_from(["uploaded-document", "web-page", "api-record"])),
        "claim_targets": draw(targets(document["result"]["proposals"])),
    }
    if draw(st.booleans()):
        options |= {"import_name": "import \u00e9\U0001f600", "producer_namespace": 'a "b"'}
    if "preparedArtifact" in document["result"] and draw(st.integers(0, 3)):
        options["artifact"] = draw(offers(text))
    return Extraction(document, options)
