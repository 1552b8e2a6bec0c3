"""The published extraction under review: its conflict, and how it is decided."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.cli.demo_real import RealExample
from survey_fast.cli.importing import Opening
from survey_fast.cli.output import Output, quoted
from survey_fast.cli.session.card import Card, card_of
from survey_fast.cli.session.stored import checked
from survey_fast.errors import SurveyError
from survey_fast.review.attribution import Reviewer, stamp_events
from survey_fast.review.decide import Batch, Outcome, take_all
from survey_fast.review.events import EventWriter
from survey_fast.review.session_file import SessionDocument, new_session, read_session

__all__ = ["REVIEWER", "RealReview", "decided", "run_real_review", "tell_real_review"]

REVIEWER: Final = Reviewer.named("reviewer-1")


@dataclass(frozen=True, slots=True)
class RealReview:
    """The conflict of the published extraction: how it cannot be decided, and how it was."""

    refused: SurveyError | None
    card: Card
    state: str

    @property
    def chosen(self) -> list[Any]:
        """The values that were chosen."""
        return self._standing("chosen")

    @property
    def not_chosen(self) -> list[Any]:
        """The values that were passed over."""
        return self._standing("not-chosen")

    def _standing(self, standing: str) -> list[Any]:
        pairs = zip(self.card.view.candidates, self.card.standings, strict=True)
        return [held.value for held, stood in pairs if stood == standing]

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "accept": None if self.refused is None else self.refused.code,
            "chosen": self.chosen,
            "notChosen": self.not_chosen,
            "prompt": self.card.prompt,
            "attestation": self.state,
        }


def run_real_review(example: RealExample, opening: Opening) -> RealReview:
    """Open a session over the queue, try to accept its conflict, then choose a value."""
    root = new_session(
        json.loads(example.snapshot),
        name=opening.session_name,
        extraction_import=example.imported.record_bytes,
    )
    document = read_session(root).with_events([], "")
    item = example.imported.review_items[0]
    name, chosen = item["metadata"]["name"], item["spec"]["candidates"][-1]["id"]
    tried, _ = decided(document, [{"item": name, "decision": "accept"}], opening)
    choice = {"item": name, "decision": "select", "candidateId": chosen}
    _, events = decided(document, [choice], opening)
    session = checked(document.with_events(events, ""))
    state = "unknown" if session.attestation is None else session.attestation.state
    return RealReview(tried[0].error, card_of(session, item), state)


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


def tell_real_review(output: Output, review: RealReview) -> None:
    """The decision in plain language."""
    output.line()
    output.line("4. Review: which of the two is it?", "heading")
    output.line()
    output.paragraph(
        "A session is opened over the queue. Accepting the fee would settle the conflict without "
        "a word about the other value, so it is refused:"
    )
    output.line()
    if review.refused is None:
        output.line("    accept     NOT REFUSED", "bad")
    else:
        output.line(f"    accept     refused ({review.refused.code})", "bad")
    output.line()
    output.paragraph(
        "The reviewer knows that the amendment counts, and chooses its value. What is recorded "
        "says that there was a rival, and which:"
    )
    output.line()
    chosen, passed = (
        ", ".join(map(quoted, values)) for values in (review.chosen, review.not_chosen)
    )
    output.line(f"    Chosen {chosen} / Not chosen {passed}", "good")
    output.line()
    output.paragraph(f"“{review.card.prompt}”", indent="    ")
    output.line()
    output.paragraph(
        "Every decision carries such a sentence: what was asked, what else was proposed, what "
        "was left out at import."
    )
