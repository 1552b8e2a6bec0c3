"""Excerpts are looked up in a text of 2 MiB, whole runs, and sources that are built to be slow.

What is found is known before: the text is generated line by line, so every span is asserted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from benches.data import LARGE, SMALL
from benches.turns import in_turns
from survey_fast.extraction.occurrence import resolve_drafts
from survey_fast.extraction.options import RunOptions, Stamp
from survey_fast.extraction.plan import Wanted
from survey_fast.extraction.prepare import prepare
from survey_fast.extraction.provider import ExtractionRequest
from survey_fast.extraction.providers.function import FunctionProvider
from survey_fast.extraction.run import extract

TEXT_BYTES = 2 * 1024 * 1024
STAMP = Stamp(
    "traverse-extraction-run:00000000-0000-4000-8000-000000000001",
    "2026-01-15T07:00:00.000Z",
    "file:bench.txt",
)
FIELD = {"path": "fee", "type": "number", "inferenceType": "explicit"}
SECOND = {"min": 1.0, "median": 1.0}
"""The bound of the lookup is a time; beside a measurement it is what that is divided by."""

extraction = pytest.mark.benchmark(group="extract")


@dataclass(frozen=True, slots=True)
class Read:
    """A text, drafts about it, and where each excerpt stands."""

    text: str
    drafts: list[dict[str, Any]]
    starts: list[int]

    def resolved(self) -> list[dict[str, Any]]:
        """The work under test."""
        return resolve_drafts(self.text, self.drafts)

    def found_naively(self) -> list[int]:
        """A part of the work: the first place of each excerpt, in characters, unannotated."""
        return [self.text.find(one["excerpt"]) for one in self.drafts]

    def assert_found(self, answers: list[dict[str, Any]]) -> None:
        """Every excerpt at its place, and every value in its words."""
        assert [one["start"] for one in answers] == self.starts
        assert all(one["evidenceMatch"]["valueInExcerpt"] == "match" for one in answers)


@cache
def written(count: int) -> Read:
    """`count` lines, each with a fee of its own, in a text of 2 MiB a 10,000 lines."""
    size = TEXT_BYTES * count // LARGE
    lines, drafts, starts = [], [], []
    bytes_used = units = 0
    for at in range(count):
        excerpt = f"Annual fee of party {at:05d}: {at}.25 EUR"
        # One line in sixteen counts differently in characters and in code units.
        lead = "\U0001f4c4 " if at % 16 == 0 else "- "
        filler = "lorem ipsum dolor " * 9
        line = f"{lead}{excerpt}. {filler}\n"
        lines.append(line)
        starts.append(units + len(lead.encode("utf-16-le")) // 2)
        drafts.append({"fieldPath": "fee", "value": at + 0.25, "excerpt": excerpt} | VALUE)
        units += len(line.encode("utf-16-le")) // 2
        bytes_used += len(line.encode())
    assert bytes_used <= size
    return Read("".join(lines) + "x" * (size - bytes_used), drafts, starts)


VALUE = {"valueType": "number", "inferenceType": "explicit"}


@cache
def repeated(count: int) -> Read:
    """One excerpt `count` times, and as many proposals that each mean the next of them."""
    excerpt = "Fee: 7.25"
    draft = {"fieldPath": "fee", "value": 7.25, "excerpt": excerpt} | VALUE
    starts = [at * (len(excerpt) + 1) for at in range(count)]
    return Read(f"{excerpt}\n" * count, [draft] * count, starts)


@extraction
def test_resolve(benchmark):
    """10,000 proposals: the place of each, its occurrence, and what value and words say."""
    ours, tenth = written(LARGE), written(SMALL)
    others = {"naive": ours.found_naively, "tenth": tenth.resolved}
    ours.assert_found(in_turns(benchmark, ours.resolved, others, rounds=8))
    benchmark.extra_info["beside"]["second"] = SECOND
    tenth.assert_found(tenth.resolved())
    assert len(ours.text.encode()) == TEXT_BYTES
    assert all(place >= 0 for place in ours.found_naively())


@extraction
def test_resolve_repeated(benchmark):
    """10,000 proposals of one excerpt that stands 10,000 times."""
    ours, tenth = repeated(LARGE), repeated(SMALL)
    ours.assert_found(in_turns(benchmark, ours.resolved, {"tenth": tenth.resolved}, rounds=20))


def propose(request: ExtractionRequest) -> list[dict[str, Any]]:
    """Every line of a chunk that is whole in it."""
    found = []
    for line in request.content.split("\n"):
        lead, _, rest = line.partition("Annual fee of party ")
        number, _, amount = rest.partition(": ")
        if lead and amount.partition(" EUR")[1]:
            value = float(amount.partition(" EUR")[0])
            excerpt = f"Annual fee of party {number}: {amount.partition(' EUR')[0]} EUR"
            found.append({"fieldPath": "fee", "candidateValue": value, "excerpt": excerpt})
    return found


def whole_run(read: Read) -> Any:
    """From the text to a checked envelope and its report."""
    return extract(
        read.text,
        wanted=Wanted(target_schema=[FIELD]),
        provider=FunctionProvider(propose, name="bench"),
        stamp=STAMP,
        options=RunOptions(),
    )


@extraction
def test_extract(benchmark):
    """A whole run over 2 MiB in chunks of 12,000, with a provider that costs little."""
    ours, tenth = written(LARGE), written(SMALL)
    others = {"tenth": lambda: whole_run(tenth)}
    result = in_turns(benchmark, lambda: whole_run(ours), others, rounds=8)
    found = [one["provenance"]["occurrence"]["selected"]["start"] for one in result.proposals]
    assert sorted(found) == ours.starts
    assert result.outcome.status == "success"
    assert result.report["dropped"] == []


HOSTILE: dict[str, tuple[str, Callable[[int], str]]] = {
    "html, open brackets": ("html", lambda count: "<" * count),
    "html, open tags": ("html", lambda count: "<a " * count),
    "html, scripts": ("html", lambda count: "<script>" * count),
    "html, paragraphs": ("html", lambda count: "<p>" * count + "x"),
    "vtt, open brackets": ("transcript", lambda count: CUE + "<" * count),
    "vtt, arrows": ("transcript", lambda count: CUE + "-->" * count),
}
CUE = "WEBVTT\n\n00:01.000 --> 00:02.000\nspoken words\n"
TEN_TIMES = 100_000


@extraction
@pytest.mark.parametrize("name", HOSTILE)
def test_prepare_hostile(benchmark, name):
    """100,000 of what a preparation has to look at, and a tenth of that beside it.

    Ten times the work may cost twenty times, for what no longer fits into a cache; were it a
    hundred, somebody would be reading twice.
    """
    content_type, built = HOSTILE[name]
    ours, tenth = built(TEN_TIMES), built(TEN_TIMES // 10)

    def prepared(source: str) -> Any:
        return prepare(source, content_type=content_type)

    others = {"tenth": lambda: prepared(tenth)}
    result = in_turns(benchmark, lambda: prepared(ours), others, rounds=5)
    assert ("spoken words" in result.text) == (content_type == "transcript")
    assert prepared(ours).text == result.text
