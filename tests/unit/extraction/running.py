"""Runs for tests: scripted providers, small texts, one stamp."""

from __future__ import annotations

from survey_fast.extraction.options import RunOptions, Stamp
from survey_fast.extraction.plan import Wanted
from survey_fast.extraction.provider import ProviderOutput, Raw, draft
from survey_fast.extraction.run import extract

RUN_ID = "traverse-extraction-run:00000000-0000-4000-8000-000000000001"
MOMENT = "2026-10-02T09:30:00.000Z"
STAMP = Stamp(RUN_ID, MOMENT, "file:big.txt")
NAME = "offline-pattern:v1"
SCHEMA = [
    {"path": "fee", "type": "number", "inferenceType": "explicit"},
    {"path": "name", "type": "string"},
    {"path": "items[].day", "type": "string"},
]
BIG = "".join(chr(97 + at % 26) for at in range(30_000))


class Scripted:
    """Answers what a list, a function or an exception says for each chunk."""

    capabilities = None

    def __init__(self, script, name=NAME):
        self.script = script
        self.name = name
        self.requests = []

    def extract(self, request):
        self.requests.append(request)
        said = self.script
        if callable(said) and not isinstance(said, type):
            said = said(request)
        elif isinstance(said, list):
            said = said[request.chunk_index]
        if isinstance(said, Exception):
            raise said
        return said


def propose(path, value, excerpt, **rest):
    return draft(path, value, excerpt, extractor=NAME, **rest)


def answer(*proposals, raw=None, **rest):
    return ProviderOutput(list(proposals), raw, **rest)


def said(tokens=None, model="fixture-model", source="configured"):
    return Raw("the response", model, source, tokens)


def run(source, script, *, schema=SCHEMA, stamp=STAMP, task=None, **options):
    provider = script if hasattr(script, "extract") else Scripted(script)
    wanted = Wanted(target_schema=schema, task=task)
    return extract(
        source, wanted=wanted, provider=provider, stamp=stamp, options=RunOptions(**options)
    )


def result(extraction):
    return extraction.document["result"]


def codes(extraction):
    return [(one.category, one.code) for one in extraction.warnings]


def spans(extraction):
    return [
        (one["fieldPath"], one["candidateValue"], one["provenance"]["locator"])
        for one in extraction.proposals
    ]


def ranges(extraction):
    return [
        (one["chunk"], one["start"], one["end"], one["status"], one.get("reason"))
        for one in result(extraction).get("coverage", ())
    ]
