"""What kind of failure a failed call was, decided where it arises and never from a note.

An adapter raises :class:`ProviderCallError` with what it knows. Of any other exception the
attributes that client libraries agree on are read: ``status`` or ``status_code``, ``code``,
``retryable``. First match:

==========================  ===========================================
authentication              status 401 or 403, or ``auth`` in the code
rate-limit                  status 429, or ``rate`` in the code
timeout                     status 408, ``timeout`` in code or text, or a timeout's own class
invalid-request             ``invalid_request`` in the code, or another status of 400 to 499
unavailable                 status 500 and above, ``unavailable`` in the code, or no connection
unknown                     everything else
==========================  ===========================================

Another attempt is worth it after rate-limit, timeout and unavailable, unless the exception
itself says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from survey_fast.extraction.identity import FAILURE_CODE, is_identity

__all__ = [
    "CancelledCallError",
    "FailureKind",
    "ProviderCallError",
    "ProviderFailure",
    "classify",
    "cut_text",
]

FailureKind: TypeAlias = Literal[
    "authentication", "rate-limit", "timeout", "invalid-request", "unavailable", "unknown"
]
_RETRYABLE: Final = frozenset({"rate-limit", "timeout", "unavailable"})
_TEXT_UNITS: Final = 500
_ELLIPSIS: Final = "\u2026"


class CancelledCallError(Exception):
    """The call was given up because its run was cancelled; it is no failure of the provider."""


class ProviderCallError(Exception):
    """A call failed, and these facts are known about it.

    Attributes:
        status: the HTTP status, if one was answered.
        code: the provider's own name of the reason, if it gave one.
        kind: set when the adapter knows better than the table of this module.
        retryable: set when the provider says whether another attempt is worth it.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        kind: FailureKind | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.kind = kind
        self.retryable = retryable


@dataclass(frozen=True, slots=True)
class ProviderFailure:
    """Facts of one failed call.

    Attributes:
        kind: the class of the failure.
        retryable: whether another attempt is worth it.
        code: the provider's code, when it is a stable identity of at most 128 characters.
        text: what the exception says, cut to 500 UTF-16 code units; never in an envelope.
        name: what the exception is called, ``TimeoutError`` for one.
    """

    kind: FailureKind
    retryable: bool
    code: str | None
    text: str
    name: str = ""


def classify(error: BaseException) -> ProviderFailure:
    """The facts of a failed call, whatever was raised."""
    code = _text_of(error, "code")
    text = _message(error)
    kind = _own_kind(error) or _kind(error, code.lower(), text.lower())
    retryable = _attribute(error, "retryable")
    return ProviderFailure(
        kind=kind,
        retryable=retryable if isinstance(retryable, bool) else kind in _RETRYABLE,
        code=code if is_identity(code, FAILURE_CODE) else None,
        text=cut_text(text),
        name=type(error).__name__,
    )


def cut_text(text: str) -> str:
    """``text``, or its first 500 UTF-16 code units, an ellipsis and its length.

    No surrogate pair is split, and halves of pairs that stand in the text become U+FFFD.
    """
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) // 2 <= _TEXT_UNITS:
        return units.decode("utf-16-le", "replace")
    end = 2 * _TEXT_UNITS
    splits_pair = 0xD8 <= units[end - 1] <= 0xDB and 0xDC <= units[end + 1] <= 0xDF  # noqa: PLR2004
    head = units[: end - 2 if splits_pair else end].decode("utf-16-le", "replace")
    return f"{head}{_ELLIPSIS} ({len(units) // 2} characters)"


def _own_kind(error: BaseException) -> FailureKind | None:
    return error.kind if isinstance(error, ProviderCallError) else None


def _kind(error: BaseException, code: str, text: str) -> FailureKind:
    status = _status(error)
    if status in {401, 403} or "auth" in code:
        return "authentication"
    if status == 429 or "rate" in code:  # noqa: PLR2004 - too many requests
        return "rate-limit"
    if status == 408 or "timeout" in code + "\n" + text or _is_timeout(error):  # noqa: PLR2004
        return "timeout"
    if "invalid_request" in code or 400 <= status < 500:  # noqa: PLR2004
        return "invalid-request"
    if status >= 500 or "unavailable" in code or _is_connection(error):  # noqa: PLR2004
        return "unavailable"
    return "unknown"


def _status(error: BaseException) -> int:
    for name in ("status", "status_code"):
        value = _attribute(error, name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return 0


def _is_timeout(error: BaseException) -> bool:
    return isinstance(error, TimeoutError) or _is_named(error, "TimeoutException")


def _is_connection(error: BaseException) -> bool:
    return isinstance(error, ConnectionError) or _is_named(error, "TransportError")


def _is_named(error: BaseException, name: str) -> bool:
    """Whether the exception is one of httpx, which is not imported to find that out."""
    return any(
        one.__name__ == name and one.__module__.split(".")[0] == "httpx"
        for one in type(error).__mro__
    )


def _attribute(error: BaseException, name: str) -> object:
    # An exception of a foreign library may compute what it is asked for, and fail at that.
    try:
        return getattr(error, name, None)
    except BaseException:  # noqa: BLE001 - and with anything
        return None


def _text_of(error: BaseException, name: str) -> str:
    value = _attribute(error, name)
    return value if isinstance(value, str) else ""


def _message(error: BaseException) -> str:
    try:
        return str(error) or type(error).__name__
    except BaseException:  # noqa: BLE001 - as above
        return type(error).__name__
