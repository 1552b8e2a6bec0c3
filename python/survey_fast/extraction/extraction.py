"""What an extraction came to, whoever made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from survey_fast.errors import SurveyError
from survey_fast.extraction.failure import ProviderFailure
from survey_fast.extraction.outcome import RunOutcome
from survey_fast.extraction.prepare import Prepared
from survey_fast.extraction.report import report_bytes
from survey_fast.extraction.warned import Warned

__all__ = ["Extraction"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one run came to.

    Attributes:
        envelope: canonical bytes, checked by the strictest reader; ``extraction-envelope.json``.
        document: the same as plain data.
        report: what the envelope does not hold; ``extraction-report.json`` is its canonical text.
        outcome: how it ended.
        prepared: the text that was read and its side tables; ``None`` when there is none.
        warnings: in their order, with texts for people.
        failures: of calls, in the order of their chunks.
        refused: why a run failed before its first call, when that was a refusal.
        message: the same in words, whatever it was; empty for a run that made its calls.
    """

    envelope: bytes = field(repr=False)
    document: Mapping[str, Any] = field(repr=False)
    report: Mapping[str, Any] = field(repr=False)
    outcome: RunOutcome
    prepared: Prepared | None = field(default=None, repr=False)
    warnings: tuple[Warned, ...] = field(default=(), repr=False)
    failures: tuple[ProviderFailure, ...] = field(default=(), repr=False)
    refused: SurveyError | None = field(default=None, repr=False)
    message: str = field(default="", repr=False)

    @property
    def report_bytes(self) -> bytes:
        """``extraction-report.json``: canonical, with a final line feed."""
        return report_bytes(self.report)

    @property
    def proposals(self) -> Sequence[Mapping[str, Any]]:
        """The proposals of the envelope."""
        listed: list[Mapping[str, Any]] = self.document["result"]["proposals"]
        return listed
