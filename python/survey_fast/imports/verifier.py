"""Running a verifier so that it can neither change the question nor hold up the caller.

1. It gets a deep copy that cannot be changed, and an event that is set when no answer is waited
   for any more.
2. Whatever goes wrong with it becomes an abstention: it raised (``error``), it returned nothing
   (``empty``), its verdict has no valid shape (``malformed``), it did not answer in time
   (``timeout``). None of these ever counts for or against the value.
3. It runs in a daemon thread. Python cannot stop a thread, so a verifier that ignores its event
   goes on in the background; what it returns or raises then is dropped.
4. The time of the record comes from the caller's clock, read after the answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import Final, Protocol, cast

from survey_fast.canon import Document, Json
from survey_fast.errors import SurveyError
from survey_fast.imports.support_input import read_support_input
from survey_fast.imports.verification_record import (
    VerifierIdentity,
    new_record,
    read_instant,
    read_verdict,
    read_verifier,
)
from survey_fast.imports.verification_shape import Members
from survey_fast.model import AbstainReason, CandidateVerification

__all__ = ["Verifier", "run_support_verifier"]

_LONGEST_MS: Final = 2_147_483_647


class Verifier(VerifierIdentity, Protocol):
    """Something that judges whether evidence supports a value."""

    def verify(self, question: Mapping[str, object], cancelled: threading.Event, /) -> object:
        """Answer a question.

        Args:
            question: ``{candidateId, value, valueType?, evidence}`` as read-only mappings and
                tuples; evidence is sorted by id.
            cancelled: set when the answer is no longer wanted; a long run should look at it.

        Returns:
            ``{"result": "supported" | "contradicted" | "not-addressed", "score"?: 0 to 1}`` or
            ``{"result": "abstain", "abstainReason": …}``, as a plain dict.
        """


def run_support_verifier(
    verifier: Verifier,
    verification_input: Document,
    *,
    clock: Callable[[], str],
    timeout_ms: float = 30_000,
) -> CandidateVerification:
    """Ask a verifier and record its answer, or why there is none.

    Args:
        verifier: identity and ``verify``.
        verification_input: as in ``build_candidate_verification``.
        clock: gives the time of the record as a UTC instant with milliseconds and ``Z``.
        timeout_ms: how long to wait, in milliseconds; above 0, at most 2,147,483,647.

    Raises:
        VerificationError, JsonError: the input, the verifier's identity or the clock's text is
            refused, as in ``build_candidate_verification``.
        TypeError, ValueError: misuse, such as a time limit that is no number or out of range.
    """
    identity = read_verifier(verifier)
    _require_callable("verify", getattr(verifier, "verify", None))
    _require_callable("clock", clock)
    seconds = _seconds(timeout_ms)
    asked = read_support_input(verification_input)
    verdict = _ask(verifier, _frozen_members(asked.document), seconds)
    return new_record(identity, asked, verdict, read_instant(clock()))


def _ask(verifier: Verifier, question: Mapping[str, object], seconds: float) -> Members:
    cancelled = threading.Event()
    replies: SimpleQueue[Members] = SimpleQueue()

    def answer() -> None:
        replies.put(_reply(verifier, question, cancelled))

    threading.Thread(target=answer, name="survey-fast-verifier", daemon=True).start()
    try:
        return replies.get(timeout=seconds)
    except Empty:
        cancelled.set()
        return _abstention("timeout")
    except BaseException:
        # The caller was interrupted while it waited.
        cancelled.set()
        raise


def _reply(
    verifier: Verifier, question: Mapping[str, object], cancelled: threading.Event
) -> Members:
    try:
        verdict = verifier.verify(question, cancelled)
    except BaseException:  # noqa: BLE001 - whatever a verifier raises, an exit too, is its error
        return _abstention("error")
    if verdict is None:
        return _abstention("empty")
    try:
        return read_verdict(cast("Json", verdict))
    except (SurveyError, TypeError):
        return _abstention("malformed")


def _abstention(reason: AbstainReason) -> Members:
    return {"result": "abstain", "abstainReason": reason}


def _frozen_members(members: Members) -> Mapping[str, object]:
    return MappingProxyType({name: _frozen(value) for name, value in members.items()})


def _frozen(value: Json) -> object:
    """Read-only, all the way down. Input is at most 128 deep, so this may recurse."""
    if isinstance(value, dict):
        return _frozen_members(value)
    if isinstance(value, list):
        return tuple(_frozen(part) for part in value)
    return value


def _seconds(timeout_ms: float) -> float:
    if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int | float):
        message = f"timeout_ms is a number of milliseconds, not {type(timeout_ms).__name__}"
        raise TypeError(message)
    if not 0 < timeout_ms <= _LONGEST_MS:
        message = f"timeout_ms is above 0 and at most {_LONGEST_MS}, not {timeout_ms}"
        raise ValueError(message)
    return timeout_ms / 1000


def _require_callable(name: str, value: object) -> None:
    if not callable(value):
        message = f"{name} is callable, not {type(value).__name__}"
        raise TypeError(message)
