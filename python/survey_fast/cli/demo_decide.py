"""Review at size: thousands of decisions in one batch, and a blind audit of some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.audit import open_random_audit_session
from survey_fast.audit.blind import BlindItem, blind_item
from survey_fast.canon import canonical_json, data_json
from survey_fast.cli.demo_loop import REVIEWER
from survey_fast.cli.demo_scale import Scale, Stopwatch
from survey_fast.cli.importing import Opening
from survey_fast.cli.output import Output, quoted
from survey_fast.review.apply import ApplyResult, derive_review_session_apply_result
from survey_fast.review.attribution import stamp_events
from survey_fast.review.decide import Batch, Outcome, take_all
from survey_fast.review.decisions import Item, item_name, proposed_candidates
from survey_fast.review.events import EventWriter
from survey_fast.review.fold import Fold
from survey_fast.review.session_file import SessionDocument, new_session, read_session

__all__ = [
    "ScaleReview",
    "decided",
    "generated_session",
    "run_scale_review",
    "tell_scale_review",
]

_SEED: Final = "demo-2026"
_ABOUT: Final = 20
"""So many items are drawn, give or take."""
_SHOWN: Final = 3
_REASON: Final = "the annex that the clause names was not among the documents"
_SCORES: Final = (b'"confidence":', b'"valueInExcerpt":', b'"tokenBoundary":')

TAKE: Final = "check each decision against its item"
STAMP: Final = "write and stamp the events"
APPLY: Final = "validate all events and derive results"


@dataclass(frozen=True, slots=True)
class Audit:
    """A random audit: how it was drawn, and what of it is sent to the auditor."""

    rate: float
    drawn: int
    items: int
    views: list[BlindItem]
    scores_held: int
    scores_sent: int

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "rate": self.rate,
            "seed": _SEED,
            "drawn": self.drawn,
            "of": self.items,
            "scoresHeld": self.scores_held,
            "scoresSent": self.scores_sent,
            "shown": [view.to_json() for view in self.views[:_SHOWN]],
        }


@dataclass(frozen=True, slots=True)
class ScaleReview:
    """Every item decided, and a blind audit of the queue."""

    refused: int
    events: int
    result: ApplyResult
    unconfirmed: dict[str, Any]
    audit: Audit
    seconds: dict[str, float]

    @property
    def is_whole(self) -> bool:
        """Whether everything was taken and came to a result, and no score left the queue."""
        return self.result.ok and not self.refused and not self.audit.scores_sent

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "decided": len(self.result.results),
            "refused": self.refused,
            "events": self.events,
            "unconfirmed": {
                "field": self.unconfirmed["target"],
                "status": self.unconfirmed["spec"]["status"],
                "resolution": self.unconfirmed["spec"]["resolution"],
                "reason": self.unconfirmed["spec"]["resolutionReason"],
            },
            "steps": [{"step": step, "seconds": took} for step, took in self.seconds.items()],
            "audit": self.audit.to_json(),
        }


def run_scale_review(scale: Scale, opening: Opening) -> ScaleReview:
    """Decide every item of the queue in one batch, apply, and draw an audit."""
    watch = Stopwatch()
    batch = Batch(scale.opened, Fold(scale.opened))
    asked = list(_requests(scale.opened["items"]))
    outcomes = watch.time(TAKE, lambda: take_all(batch, asked))
    writer = EventWriter(scale.session_name, REVIEWER.id, opening.reviewed_at)
    events = watch.time(
        STAMP,
        lambda: stamp_events(
            batch.events(writer),
            reviewer=REVIEWER,
            now=opening.reviewed_at,
            default_actor=opening.reviewer,
        ),
    )
    result = watch.time(
        APPLY,
        lambda: derive_review_session_apply_result(scale.opened, events, required="all"),
    )
    return ScaleReview(
        refused=sum(not outcome.ok for outcome in outcomes),
        events=len(events),
        result=result,
        unconfirmed={**result.decisions[0], "target": scale.opened["items"][0]["spec"]["target"]},
        audit=_audit(scale, opening),
        seconds=watch.seconds,
    )


def generated_session(scale: Scale, opening: Opening) -> SessionDocument:
    """A session in memory over the generated import, decided in the same way."""
    root = new_session(
        scale.opened,
        name=scale.session_name,
        extraction_import=scale.imported.record_bytes,
        limits=scale.caps,
    )
    document = read_session(root, limits=scale.caps).with_events([], "")
    _, events = decided(document, [*_requests(scale.opened["items"])], opening)
    return document.with_events(events, "")


def decided(
    document: SessionDocument, requests: Sequence[object], opening: Opening
) -> tuple[Sequence[Outcome], list[dict[str, Any]]]:
    """What becomes of requests on a session in memory, and the events of those that are taken."""
    batch = Batch(document.state, document.current())
    outcomes = take_all(batch, requests)
    writer = EventWriter(document.name, REVIEWER.id, opening.reviewed_at)
    events = stamp_events(
        batch.events(writer),
        reviewer=REVIEWER,
        now=opening.reviewed_at,
        default_actor=opening.reviewer,
    )
    return outcomes, events


def _requests(items: list[Item]) -> Iterator[dict[str, Any]]:
    """The first item cannot be confirmed; of a conflict the later value is chosen."""
    for place, item in enumerate(items):
        name, rivals = item_name(item), proposed_candidates(item)
        if not place:
            yield {"item": name, "decision": "could-not-confirm", "note": _REASON}
        elif len(rivals) > 1:
            yield {"item": name, "decision": "select", "candidateId": rivals[-1]["id"]}
        else:
            yield {"item": name, "decision": "accept"}


def _audit(scale: Scale, opening: Opening) -> Audit:
    items = scale.opened["items"]
    rate = round(min(1.0, _ABOUT / len(items)), 4)
    snapshot = open_random_audit_session(
        items,
        rate=rate,
        seed=_SEED,
        reviewed_at=opening.reviewed_at,
        actor_id=opening.reviewer,
    )
    drawn = snapshot["items"]
    views = [blind_item(item) for item in drawn]
    return Audit(
        rate=rate,
        drawn=len(drawn),
        items=len(items),
        views=views,
        scores_held=_scores(drawn),
        scores_sent=_scores([view.to_json() for view in views]),
    )


def _scores(items: Sequence[dict[str, Any]]) -> int:
    """How many scores stand in the text of these items."""
    text = canonical_json(data_json([*items]))
    return sum(text.count(member) for member in _SCORES)


def tell_scale_review(output: Output, review: ScaleReview) -> None:
    """The batch, one decision of it, and the audit."""
    _tell_batch(output, review)
    _tell_audit(output, review.audit)


def _tell_batch(output: Output, review: ScaleReview) -> None:
    result = review.result
    output.line()
    output.line("7. Decide all of it, and let some of it be audited", "heading")
    output.line()
    output.paragraph(
        f"One batch decides every item of the untouched queue: {len(result.results):,} decisions, "
        f"{review.events:,} events. Each says who decided, when, and over which rivals:"
    )
    output.line()
    rows = [(step, f"{took * 1000:,.0f} ms") for step, took in review.seconds.items()]
    output.table(("step", "time"), rows, right="time")
    spec = review.unconfirmed["spec"]
    output.line()
    output.paragraph("One of them says that a value could not be confirmed, which takes a reason:")
    output.line()
    target = review.unconfirmed["target"]
    output.line(f"    {target}   stays {spec['status']}: {spec['resolution']}")
    output.paragraph(f"“{spec['resolutionReason']}”", indent="    ")
    output.line()
    if not review.is_whole:
        output.paragraph("NOT ALL OF IT WAS TAKEN", style="bad")


def _tell_audit(output: Output, audit: Audit) -> None:
    output.paragraph(
        f"An audit looks at some items again, without being told how sure the model was. Rate "
        f"{audit.rate:g} and seed {_SEED} draw {audit.drawn} of {audit.items:,}; anyone can draw "
        f"them again. In the queue they hold {audit.scores_held} scores and machine checks, in "
        f"what the auditor is sent there are {audit.scores_sent}. "
        f"The first {min(_SHOWN, audit.drawn)}:"
    )
    output.line()
    rows = []
    for view in audit.views[:_SHOWN]:
        held = view.candidates[0]
        excerpt = "" if held.locator is None else held.locator.excerpt or ""
        rows.append((view.target, quoted(held.value, 20), quoted(excerpt, 40)))
    output.table(("field", "value", "words"), rows)
