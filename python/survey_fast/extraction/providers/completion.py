"""What an OpenAI-compatible server answers, as far as it is read: nothing in it is believed.

A completion is strict JSON with one choice that holds a message; everything else in it may be
absent or odd, and is then left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import has_content
from survey_fast.errors import JsonError
from survey_fast.extraction.failure import ProviderCallError
from survey_fast.extraction.providers.http_post import RESPONSE_BYTES

__all__ = ["Completion", "ReportedError", "read_completion", "read_error"]

_MOST_TOKENS: Final = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion.

    Attributes:
        model: the model as it is reported, if it is.
        tokens: total tokens, or prompt and completion together, or 0.
        is_truncated: the answer ended at the output cap.
        message: the first choice's message.
    """

    model: str | None
    tokens: int
    is_truncated: bool
    message: Mapping[str, Any]

    def arguments(self, tool: str) -> tuple[list[object], int]:
        """Arguments of every call of ``tool``, and how many calls of others there are.

        Some models spread what they found over several calls.
        """
        calls = self.message.get("tool_calls")
        listed = calls if isinstance(calls, list) else []
        functions = [_object(_object(one).get("function")) for one in listed]
        named = [one.get("arguments") for one in functions if one.get("name") == tool]
        return named, len(functions) - len(named)

    def content(self) -> list[object]:
        """The text of the message, unless it is blank."""
        text = self.message.get("content")
        return [text] if isinstance(text, str) and has_content(text) else []


@dataclass(frozen=True, slots=True)
class ReportedError:
    """What a server says about a request that it refused."""

    code: str | None
    text: str


def read_completion(body: bytes) -> Completion:
    """Read a completion. Raises ProviderCallError, code ``response-malformed``."""
    data = _parsed(body)
    choices = data.get("choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        text = "the answer is no strict JSON object with a choice that holds a message"
        raise ProviderCallError(text, code="response-malformed", kind="unknown", retryable=False)
    model = data.get("model")
    return Completion(
        model=model if isinstance(model, str) and model else None,
        tokens=_tokens(_object(data.get("usage"))),
        is_truncated=choice.get("finish_reason") == "length",
        message=message,
    )


def read_error(body: bytes) -> ReportedError:
    """Read the answer to a refused request; whatever cannot be read is left out."""
    error = _parsed(body).get("error")
    facts = _object(error)
    codes = [one for one in (facts.get("code"), facts.get("type")) if isinstance(one, str)]
    texts = [one for one in (facts.get("message"), error) if isinstance(one, str)]
    text = texts[0] if texts and has_content(texts[0]) else ""
    return ReportedError(codes[0] if codes else None, text)


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        return _object(plain_data(canonical_json(body, max_bytes=RESPONSE_BYTES)))
    except JsonError:
        return {}


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _tokens(usage: Mapping[str, Any]) -> int:
    total = _count(usage.get("total_tokens"))
    if total is not None:
        return total
    return (_count(usage.get("prompt_tokens")) or 0) + (_count(usage.get("completion_tokens")) or 0)


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None
