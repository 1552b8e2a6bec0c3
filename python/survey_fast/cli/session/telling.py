"""What became of decisions, told: what was refused and what helps, what is stored now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from survey_fast.canon import Json
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.cli.session.card import Reviewed, card_of, tell_cards, tell_details
from survey_fast.cli.session.hints import Showing, hints, located
from survey_fast.cli.session.listing import tell_list
from survey_fast.cli.session.stored import tell_unverified
from survey_fast.errors import SurveyError
from survey_fast.review.decide import Outcome

__all__ = ["Done", "Report"]


class Done(Protocol):
    """What became of a batch, in a session or in a run."""

    @property
    def revision(self) -> str: ...  # noqa: D102 - the token of what is stored now
    @property
    def committed(self) -> int: ...  # noqa: D102 - how many events were added


@dataclass(frozen=True, slots=True)
class Report:
    """Tells what became of a batch.

    Attributes:
        output: where to.
        reopen: reads what was decided on again, to show it.
        showing: the commands that list items and values.
        requests: what was asked for, in the order of the outcomes.
    """

    output: Output
    reopen: Callable[[], Reviewed]
    showing: Showing
    requests: Sequence[Json]

    def give(self, done: Done, outcomes: Sequence[Outcome]) -> int:
        """Answer and tell. Returns the exit code."""
        helped = self._helped(outcomes)
        refused = [outcome.error for outcome in outcomes if outcome.error is not None]
        body: dict[str, Any] = {
            "results": [outcome.to_json() for outcome in outcomes],
            "revision": done.revision,
            "eventsWritten": done.committed,
        }
        if not self.output.as_json:
            self._tell(done, outcomes, helped)
        if not refused:
            self.output.answer({"ok": True, **body})
            return 0
        self.output.answer({"ok": False, "error": refused[0].to_json(), **body})
        return refused[0].exit_code

    def _helped(self, outcomes: Sequence[Outcome]) -> dict[int, Sequence[str]]:
        """What helps against the first refusals, by line; their details then say it too."""
        failed = [
            (outcome.line, outcome.error, request)
            for outcome, request in zip(outcomes, self.requests, strict=True)
            if outcome.error is not None
        ]
        if not failed:
            return {}
        try:
            now = self.reopen()
            return {
                line: hints(located(error, request, now), request, now, self.showing)
                for line, error, request in failed[:MOST_ROWS]
            }
        except SurveyError:
            # What was read a moment ago is another now; the refusal stands without a hint.
            return {}

    def _tell(
        self, done: Done, outcomes: Sequence[Outcome], helped: Mapping[int, Sequence[str]]
    ) -> None:
        """What was refused, and the items that are decided now."""
        output = self.output
        refused = [one for one in outcomes if not one.ok]
        said: set[tuple[str, ...]] = set()
        for outcome in refused[:MOST_ROWS]:
            self._tell_refusal(outcome, is_single=len(outcomes) == 1)
            lines = tuple(helped.get(outcome.line, ()))
            for line in lines if lines not in said else ():
                output.note(f"  {line}")
            said.add(lines)
        if len(refused) > MOST_ROWS:
            output.note(f"and {len(refused) - MOST_ROWS:,} more; --json lists all", "bad")
        skipped = sum(one.is_skipped for one in outcomes)
        if done.committed:
            self._tell_items([one for one in outcomes if one.ok and not one.is_skipped])
        else:
            output.line("nothing was written" if outcomes else "the batch has no line")
        if skipped:
            output.line(f"{counted(skipped, 'line')} passed over, decided already")
        output.line(f"revision {done.revision}")

    def _tell_refusal(self, outcome: Outcome, *, is_single: bool) -> None:
        error = outcome.error
        if error is None:
            return
        if is_single:
            self.output.refuse(error)
            return
        place = f" (at {error.pointer})" if error.pointer else ""
        text = f"line {outcome.line}: refused ({error.code}): {error.message}{place}"
        self.output.note(text, "bad")

    def _tell_items(self, taken: Sequence[Outcome]) -> None:
        output = self.output
        try:
            now = self.reopen()
        except SurveyError:
            # It was written; somebody changed what is stored since, and showing it says so.
            output.note("the decisions are written, and it changed since; show it again")
            return
        tell_unverified(output, now.attestation)
        names = list(dict.fromkeys(one.item for one in taken if one.item is not None))
        cards = [card_of(now, now.fold.items[name]) for name in names[:MOST_ROWS]]
        if len(cards) == 1:
            tell_cards(output, cards)
            tell_details(output, cards[0])
        else:
            tell_list(output, cards)
        output.line()
        more = f", the first {MOST_ROWS} shown" if len(names) > MOST_ROWS else ""
        output.line(f"{counted(len(taken), 'decision')} written{more}", "good")
