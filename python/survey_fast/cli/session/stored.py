"""Loading a session for a command, with every check that its history has to pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from survey_fast.attest import Attestation
from survey_fast.cli.output import Output
from survey_fast.cli.reading import concerning, read_source
from survey_fast.cli.session.rows import Rows
from survey_fast.errors import SessionError, refusal
from survey_fast.limits import QUEUE, ImportLimits
from survey_fast.review.conditions import is_blind
from survey_fast.review.decisions import item_name
from survey_fast.review.fold import Fold
from survey_fast.review.issues import EventIssue
from survey_fast.review.session_file import SessionDocument
from survey_fast.review.session_store import LOG_ENDING, load_session
from survey_fast.review.state import Decided
from survey_fast.review.stream import completion

__all__ = ["Opened", "checked", "loaded", "opened", "tell_unverified"]


@dataclass(frozen=True)
class Opened:
    """A session whose queue and history passed every check, and what is decided in it.

    Attributes:
        document: the session as it is stored.
        attestation: what is known about its queue and the import.
        fold: the state after its events.
        decided: the decisions by item name.
    """

    document: SessionDocument
    attestation: Attestation | None
    fold: Fold
    decided: dict[str, Decided]

    @property
    def is_blind(self) -> bool:
        """Whether scores are kept from the reviewer."""
        return is_blind(self.document.state)

    @cached_property
    def rows(self) -> Rows:
        """Its items by field and row."""
        return Rows([*self.fold.items.values()], self.document.extraction_import)

    @property
    def is_completed(self) -> bool:
        """Whether a host ended the round."""
        return completion(self.document.events, stamped=True) is not None


def loaded(path: Path, caps: ImportLimits) -> SessionDocument:
    """The session in ``path``; its structure and the chain of its log are checked."""
    source = read_source(path, QUEUE, caps.queue_bytes)
    if path.name.endswith(LOG_ENDING):
        session = path.with_name(f"{path.name.removesuffix(LOG_ENDING)}.json")
        message = f"this is the log of a session; name the session itself, {session}"
        details = {"path": str(path), "session": str(session)}
        raise refusal("session-malformed", message, None, details)
    with concerning(source):
        return load_session(path, limits=caps)


def opened(path: Path, caps: ImportLimits) -> Opened:
    """The session in ``path``, checked whole.

    Raises: as the readers and SessionDocument.verify raise, and SessionError for what is wrong
        with its events. Decisions that the snapshot brought along are checked, and kept.
    """
    return checked(loaded(path, caps))


def checked(document: SessionDocument) -> Opened:
    """A session that was read, checked whole; raises as :func:`opened`."""
    issues, attestation = _judged(document)
    if issues:
        raise SessionError.from_issues([issue.to_json() for issue in issues])
    fold = document.current()
    decided = {item_name(item): one for item, one in fold.decided()}
    return Opened(document, attestation, fold, decided)


def _judged(document: SessionDocument) -> tuple[Sequence[EventIssue], Attestation | None]:
    try:
        history = document.verify()
    except SessionError as refused:
        if refused.code != "seeded-snapshot":
            raise
        result = document.apply(allow_seeded=True)
        return result.issues, result.attestation
    return history.issues, history.attestation


def tell_unverified(output: Output, attestation: Attestation | None) -> None:
    """The notice over a queue that says it comes from an import, where none is stored."""
    if attestation is not None and attestation.state == "unverified":
        output.paragraph(f"Unverified queue: {attestation.message}.", style="bad")
