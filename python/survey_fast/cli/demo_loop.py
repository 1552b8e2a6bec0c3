"""The first half of the demonstration: a brief goes once around the whole loop, as files.

A published task and brief, and the same brief with an amendment in which the fee stands twice. Both
become runs. The second is decided, verified, tampered with and exported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from survey_fast.cli.importing import Opening
from survey_fast.cli.output import Output, quoted
from survey_fast.errors import SurveyError
from survey_fast.extraction.providers.offline import OfflineProvider
from survey_fast.extraction.providers.pattern import label_provider
from survey_fast.extraction.task import Task, read_task
from survey_fast.review.attribution import Reviewer
from survey_fast.review.decisions import KINDS, candidates_of, named_candidate
from survey_fast.review.fold import Fold
from survey_fast.review.prompt import decision_prompt
from survey_fast.runs.append import Host, RunDecided, decide_run
from survey_fast.runs.identity import OFFLINE
from survey_fast.runs.make import Made, Recipe, RunSource, make_run
from survey_fast.runs.opened import Run
from survey_fast.runs.verify import Verified, verify_run

__all__ = ["FEE", "REVIEWER", "Loop", "bundled", "run_loop", "tell_loop"]

FEE: Final = "commercial.annualFeeUsd"
_DAY: Final = "renewal.date"
REVIEWER: Final = Reviewer.named("reviewer-1")
_REASON: Final = "the signed page names another day, and the vendor has not said which counts"
_TASK: Final = "vendor-renewal.task.json"
_BRIEF: Final = "vendor-renewal.brief.txt"
_AMENDED: Final = "vendor-renewal.amended.txt"


@cache
def bundled(name: str) -> bytes:
    """A file that comes with the demonstration."""
    return files("survey_fast.cli").joinpath("demo_data", name).read_bytes()


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision as it is recorded."""

    field: str
    kind: str
    chosen: list[Any]
    passed: list[Any]
    prompt: str

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "field": self.field,
            "decision": self.kind,
            "chosen": self.chosen,
            "notChosen": self.passed,
            "prompt": self.prompt,
        }


@dataclass(frozen=True, slots=True)
class Loop:
    """Two runs, and what became of the second.

    Attributes:
        brief: the run of the published brief.
        amended: the run of the amended one, as it was made.
        refused: what came of accepting the fee, whose value is in conflict.
        before_last: the revision before the last append.
        verified: the verdict after all decisions.
        choices: what is recorded of each decision.
    """

    brief: Made
    amended: Made
    refused: SurveyError | None
    before_last: str
    verified: Verified
    choices: list[Choice]

    @property
    def path(self) -> Path:
        """The directory of the second run."""
        return self.amended.created.path

    @property
    def is_whole(self) -> bool:
        """Whether accepting was refused and everything was decided."""
        run = self.verified.run
        return self.refused is not None and len(self.choices) == len(run.state["items"])

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "brief": _facts(self.brief),
            "amended": {**_facts(self.amended), "values": _values(self.amended.created.run)},
            "accept": None if self.refused is None else self.refused.code,
            "decisions": [one.to_json() for one in self.choices],
            "revision": self.verified.run.revision,
        }

    def to_files(self) -> dict[str, bytes]:
        """Task, sources and both runs, by their names below one folder."""
        kept = {name: bundled(name) for name in (_TASK, _BRIEF, _AMENDED)}
        for made in (self.brief, self.amended):
            path = made.created.path
            for one in sorted(path.iterdir()):
                kept[f"runs/{path.name}/{one.name}"] = one.read_bytes()
        return kept


def _facts(made: Made) -> dict[str, Any]:
    told = made.to_json()
    names = ("runId", "runResource", "outcome", "proposalCount", "itemCount", "conflicts")
    return {name: told[name] for name in names}


def _values(run: Run) -> dict[str, list[Any]]:
    return {
        item["spec"]["target"]: [one["value"] for one in candidates_of(item)]
        for item in run.state["items"]
    }


def run_loop(root: Path, opening: Opening) -> Loop:
    """Make both runs below ``root``, and decide the second."""
    task = read_task(bundled(_TASK))
    brief = _run(root, _BRIEF, _by_rules(task, opening))
    amended = _run(root, _AMENDED, _by_labels(task, opening))
    path, host = amended.created.path, Host(REVIEWER, opening.reviewed_at)
    tried = decide_run(path, [{"field": FEE, "decision": "accept"}], host)
    first = decide_run(path, [*_certain(amended.created.run)], host)
    decide_run(path, [{"field": _DAY, "decision": "could-not-confirm", "note": _REASON}], host)
    verified = verify_run(path)
    return Loop(
        brief=brief,
        amended=amended,
        refused=_refusal(tried),
        before_last=first.revision,
        verified=verified,
        choices=_choices(verified.run),
    )


def _by_rules(task: Task, opening: Opening) -> Recipe:
    return Recipe(task, OfflineProvider(task.projections), OFFLINE, opening.reviewed_at)


def _by_labels(task: Task, opening: Opening) -> Recipe:
    """Every line behind a label is proposed, and not only the first."""
    labels = {one.field_path: one.label for one in task.projections}
    provider = label_provider(task.target_schema, hints=labels)
    described: Mapping[str, Any] = {"kind": "pattern", "name": provider.name, "options": {}}
    return Recipe(task, provider, described, opening.reviewed_at)


def _run(root: Path, name: str, recipe: Recipe) -> Made:
    return make_run(root, RunSource("source-1", name, lambda: bundled(name)), recipe)


def _certain(run: Run) -> list[dict[str, Any]]:
    """Of the fee the value of the amendment; everything else but the day is accepted."""
    requests: list[dict[str, Any]] = []
    for item in run.state["items"]:
        field = item["spec"]["target"]
        if field == FEE:
            chosen = candidates_of(item)[-1]["id"]
            requests.append({"field": field, "decision": "select", "candidateId": chosen})
        elif field != _DAY:
            requests.append({"field": field, "decision": "accept"})
    return requests


def _refusal(tried: RunDecided) -> SurveyError | None:
    return tried.outcomes[0].error


def _choices(run: Run) -> list[Choice]:
    choices = []
    for item, one in Fold(run.state).apply(run.log.events).decided():
        named = named_candidate(item, one.kind, one.candidate_id)
        chosen = named if KINDS[one.kind].trusts else None
        values = candidates_of(item)
        choices.append(
            Choice(
                field=item["spec"]["target"],
                kind=one.kind,
                chosen=[held["value"] for held in values if held is chosen],
                passed=[held["value"] for held in values if held is not chosen],
                prompt=decision_prompt(item, one, blind=False),
            )
        )
    return choices


def tell_loop(output: Output, loop: Loop) -> None:
    """The runs and the decisions in plain language."""
    _tell_runs(output, loop)
    _tell_decisions(output, loop)


def _tell_runs(output: Output, loop: Loop) -> None:
    output.line("1. Run: from a document to proposals that can be checked", "heading")
    output.line()
    brief = loop.brief.to_json()
    output.paragraph(
        f"A task names seven fields of a vendor contract. Its brief becomes a run: "
        f"{brief['proposalCount']} proposals, each quoted at its place. Then an amendment arrives. "
        "In the new brief the fee stands twice, and both become proposals:"
    )
    output.line()
    items = loop.amended.created.run.state["items"]
    rows = [
        ("" if place else item["spec"]["target"], quoted(one["value"], 24), _place(one))
        for item in items
        for place, one in enumerate(candidates_of(item))
    ]
    output.table(("field", "value", "read at"), rows)
    output.line()
    output.paragraph(
        "Every quotation was looked up in the text, to the letter. What was found is a directory; "
        "each file in it is bound by another, the queue to review by name and digest:"
    )
    output.line()
    output.line(f"    {loop.path.name}/")
    output.line("    run.json  prepared.txt  extraction-envelope.json  extraction-report.json")
    output.line("    review-queue.json  review-events.jsonl")


def _place(candidate: Mapping[str, Any]) -> str:
    locator = candidate["locator"]
    return f"{locator['locator']}  {quoted(locator['excerpt'], 32)}"


def _tell_decisions(output: Output, loop: Loop) -> None:
    output.line()
    output.line("2. Decide: who says so, and over what else", "heading")
    output.line()
    output.paragraph(
        "Accepting the fee would settle the conflict without a word about the other value, so it "
        "is refused. The reviewer chooses; what is recorded says what was passed over:"
    )
    output.line()
    told = "NOT REFUSED" if loop.refused is None else f"refused ({loop.refused.code})"
    output.line(f"    accept   {told}", "bad")
    by_field = {one.field: one for one in loop.choices}
    fee, day = by_field[FEE], by_field[_DAY]
    output.line(
        f"    select   Chosen {_listed(fee.chosen)} / Not chosen {_listed(fee.passed)}", "good"
    )
    output.line()
    output.paragraph(f"“{fee.prompt}”", indent="    ")
    output.line()
    output.paragraph(
        "The day of renewal cannot be confirmed. That is a decision too, and takes a reason. The "
        "other five are accepted, in one append to a log that only grows:"
    )
    output.line()
    output.line(f"    {day.kind}: {_listed(day.passed)}")
    output.paragraph(f"“{_REASON}”", indent="    ")


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(quoted, values))
