"""From answers to proposals, chunk by chunk in the order of the text.

1. An answer counts when the tool was called and its proposals are a list that is not wholly
   malformed. One that does not count gives no proposals, and its chunk is not read.
2. Items of all chunks are checked first, then all excerpts are looked up at once, so that what one
   proposal took, the next one does not take again.
3. A fault while reading the items of one answer loses that chunk and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from survey_fast.extraction.coverage import ChunkRange, State
from survey_fast.extraction.dispatch import Answer, tokens_of
from survey_fast.extraction.failure import ProviderFailure, cut_text
from survey_fast.extraction.grounding import Grounded, Placed, ground
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.normalise import (
    Draft,
    Dropped,
    Fields,
    normalise,
)
from survey_fast.extraction.provider import MalformedItems, ProviderOutput, Raw
from survey_fast.extraction.report import LeftOut
from survey_fast.extraction.warned import Warned, warned

__all__ = ["Folded", "fold"]

_MOST_NOTES: Final = 100
"""Notes of one answer that are kept."""
_MOST_ITEMS: Final = 2**30
"""Items of one answer; a report adds up those of all chunks, and holds whole numbers to 2**53."""
_NORMALIZED: Final = "proposal-normalization"

RequestDigest = Callable[[int], str]
"""The digest of the request of the chunk at a place."""


@dataclass(slots=True)
class Folded:
    """What all answers came to.

    Attributes:
        proposals: in the order of chunks and answers, duplicates among them.
        warnings: of all chunks, in order.
        states: what became of each chunk.
        failures: of calls.
        answered: chunks whose answer counts.
        model: of the last answer, if it is a stable identity.
        tokens: of the last answer; ``None`` when it did not say.
    """

    proposals: list[Grounded] = field(default_factory=list)
    warnings: list[Warned] = field(default_factory=list)
    states: list[tuple[ChunkRange, State]] = field(default_factory=list)
    failures: list[ProviderFailure] = field(default_factory=list)
    answered: int = 0
    model: str | None = None
    tokens: int | None = None


@dataclass(slots=True)
class _Part:
    """One chunk while it is folded: warnings before and after those about its proposals."""

    chunk: ChunkRange
    state: State = "complete"
    before: list[Warned] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    noisy: int = 0
    after: list[Warned] = field(default_factory=list)
    producer: dict[str, str] | None = None

    def warn(self, code: Any, message: str) -> None:  # noqa: ANN401 - a WarningCode
        self.before.append(warned(code, message, self.chunk.number))


def fold(
    text: str,
    chunks: Sequence[ChunkRange],
    answers: Sequence[Answer],
    fields: Fields,
    left_out: LeftOut,
    request_digest: RequestDigest,
) -> Folded:
    """Fold the answers of a run; drops and malformed items are counted in ``left_out``.

    Raises: as :func:`~survey_fast.extraction.grounding.ground`.
    """
    folded = Folded()
    parts: list[_Part] = []
    for place, (chunk, answer) in enumerate(zip(chunks, answers, strict=True)):
        part = _Part(chunk)
        parts.append(part)
        if answer is None:
            part.state = "not-dispatched"
            continue
        if chunk.sent_end < chunk.end:
            rest = chunk.end - chunk.sent_end
            part.warn("content-truncated-at-dispatch", f"{rest} characters were not sent")
        if isinstance(answer, ProviderFailure):
            part.state = "provider-failure"
            part.warn("chunk-provider-failure", answer.text)
            folded.failures.append(answer)
            continue
        _read(part, answer, fields, left_out)
        _note_model(part, answer, folded, partial(request_digest, place))
    _place(text, parts, folded)
    for part in parts:
        _finish(part, folded, left_out)
    return folded


def _read(part: _Part, output: ProviderOutput, fields: Fields, left_out: LeftOut) -> None:
    """What the answer says about itself, and its items."""
    malformed = _malformed(output.malformed_items)
    is_wholly_malformed = malformed is not None and malformed.dropped == malformed.total
    is_list = isinstance(output.proposals, list | tuple)
    # Flags count when they are True: what else stands there is no statement.
    if output.missing_tool_call is True:
        part.state = "missing-tool-call"
        part.warn("missing-tool-call", "the model answered without calling the tool")
    elif output.unusable is True or is_wholly_malformed or not is_list:
        part.state = "provider-failure"
    elif output.truncated is True:
        part.state = "output-truncated"
        part.warn("output-truncated", "the answer stopped at the output cap")
    for note in _notes(output.warnings):
        part.warn("provider-warning", note)
    if _counts(part.state):
        _read_items(part, output.proposals, fields)
    if part.state == "provider-failure":
        message = "no proposal could be read"
        if not is_list:
            message = (
                f"the proposals of an answer are a list, not {type(output.proposals).__name__}"
            )
        part.after.append(warned("unusable-answer", message, part.chunk.number))
    if malformed is not None:
        left_out.malformed_items += malformed.dropped
        message = f"{malformed.dropped} of {malformed.total} items were no proposals"
        part.after.append(warned("malformed-tool-items", message, part.chunk.number))


def _read_items(part: _Part, items: Sequence[Any], fields: Fields) -> None:
    try:
        normalised = normalise(items, fields)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - items may be objects with code of their own
        part.state = "provider-failure"
        part.after.append(
            warned(_NORMALIZED, "the items of the answer cannot be read", part.chunk.number)
        )
        return
    part.drafts = normalised.drafts
    part.dropped = normalised.dropped
    part.noisy = normalised.unreadable_confidences


def _note_model(
    part: _Part, output: ProviderOutput, folded: Folded, digest: Callable[[], str]
) -> None:
    """The model and the tokens of the answer; the last answer's are those of the run."""
    raw = output.raw
    tokens, is_noise = tokens_of(output)
    if is_noise:
        part.warn("provider-warning", "the provider told a number of tokens that is none")
    if not isinstance(raw, Raw):
        return
    folded.tokens = None if is_noise or raw.tokens_used is None else tokens
    model, source = raw.model, raw.model_source
    folded.model = model if is_identity(model) else None
    if folded.model is None and model is not None and model != "":
        part.warn("provider-warning", "the name of the model is no stable identity")
    is_told = isinstance(source, str) and source in {"provider-reported", "configured"}
    if folded.model is not None and is_told:
        part.producer = {
            "model": folded.model,
            "modelSource": str(source),
            "requestDigest": digest(),
        }


def _place(text: str, parts: Sequence[_Part], folded: Folded) -> None:
    """Look up the excerpts of all chunks at once; what is not found is dropped."""
    placed = [
        Placed(draft, part.chunk.start, part.chunk.sent_end)
        for part in parts
        for draft in part.drafts
    ]
    found = iter(ground(text, placed))
    for part in parts:
        for draft in part.drafts:
            grounded = next(found)
            if isinstance(grounded, str):
                part.dropped.append(Dropped(grounded, draft.path))
                continue
            part.noisy += draft.is_clamped
            folded.proposals.append(grounded.by(part.producer))


def _finish(part: _Part, folded: Folded, left_out: LeftOut) -> None:
    chunk = part.chunk
    for one in part.dropped:
        left_out.drop(chunk.number, one)
    changed = [_said(one) for one in part.dropped]
    changed += ["a confidence was left out or brought into 0 to 1"] * part.noisy
    folded.warnings += part.before
    folded.warnings += [warned(_NORMALIZED, message, chunk.number) for message in changed]
    folded.warnings += part.after
    folded.states.append((chunk, part.state))
    folded.answered += _counts(part.state)


def _counts(state: State) -> bool:
    return state in {"complete", "output-truncated"}


def _said(one: Dropped) -> str:
    about = "" if one.path is None else f" ({one.path})"
    return f"a proposal was left out: {one.reason}{about}"


def _notes(warnings: object) -> list[str]:
    listed = warnings if isinstance(warnings, list | tuple) else ()
    notes = [one for one in listed[:_MOST_NOTES] if isinstance(one, str)]
    return [cut_text(one) for one in notes]


def _malformed(told: object) -> MalformedItems | None:
    """Counts that can be true: whole numbers, some dropped, not more than there were or can be."""
    if not isinstance(told, MalformedItems):
        return None
    if type(told.dropped) is not int or type(told.total) is not int:
        return None
    return told if 0 < told.dropped <= told.total <= _MOST_ITEMS else None
