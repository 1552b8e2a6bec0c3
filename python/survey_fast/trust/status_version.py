"""The three versions of the status rules, and the time a status is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from survey_fast.errors import refusal
from survey_fast.trust.instants import Instant, instant, whole_instant

__all__ = ["StatusVersion", "Version", "now_argument", "status_version"]

StatusVersion: TypeAlias = Literal["2", "3", "4"]


@dataclass(frozen=True, slots=True)
class Version:
    """How one version of the rules differs.

    Attributes:
        name: its name.
        is_strict: a policy has to ask for something, and checks have to have passed.
        is_exact: times count to the last digit.
    """

    name: StatusVersion
    is_strict: bool
    is_exact: bool

    @property
    def read(self) -> Callable[[object], Instant | None]:
        """What a text of time compares as."""
        return instant if self.is_exact else whole_instant


_VERSIONS: Final[dict[str, Version]] = {
    one.name: one
    for one in (
        Version("2", is_strict=False, is_exact=False),
        Version("3", is_strict=True, is_exact=False),
        Version("4", is_strict=True, is_exact=True),
    )
}


def status_version(version: object) -> Version:
    """The rules of that name. Raises ValueError for any other."""
    rules = _VERSIONS.get(version) if isinstance(version, str) else None
    if rules is None:
        message = f"the status version is one of 2, 3 and 4 as text, not {version!r}"
        raise ValueError(message)
    return rules


def now_argument(now: object) -> int:
    """Milliseconds of the time that a caller asks about.

    Raises:
        BundleError: ``bad-time``: no instant, or finer than a millisecond.
        TypeError: no text.
    """
    if not isinstance(now, str):
        message = f"now is a str, not {type(now).__name__}"
        raise TypeError(message)
    at = instant(now)
    if at is None or isinstance(at, Decimal):
        message = "now is an RFC 3339 instant in whole milliseconds"
        raise refusal("bad-time", message, None, {"argument": "now"})
    return at
