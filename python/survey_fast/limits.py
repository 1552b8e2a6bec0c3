"""Every cap, once: the default and, where an option may raise it, the ceiling.

A cap exists so that work on a hostile document is bounded before it is parsed, and so that
nothing is written that a later step would refuse to read. Sizes are bytes of the stored text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "BUNDLE",
    "CANDIDATES",
    "DEFAULT",
    "DEPTH",
    "ENVELOPE",
    "EVENTS",
    "EVENTS_BYTES",
    "IDENTITY",
    "ITEMS",
    "MANIFEST",
    "NOTE",
    "PREPARED",
    "PREPARED_UNITS",
    "QUEUE",
    "SOURCE",
    "TARGET_FIELDS",
    "TASK_FILE",
    "VALUE_DEPTH",
    "Cap",
    "ImportLimits",
    "resolved",
]

_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Cap:
    """A default and the most that an option may raise it to."""

    name: str
    default: int
    ceiling: int

    def resolve(self, asked: int | None) -> int:
        """``asked`` or the default. Raises ValueError outside 1 to the ceiling."""
        if asked is None:
            return self.default
        if isinstance(asked, bool) or not isinstance(asked, int):
            message = f"the cap for {self.name} is a whole number, not {type(asked).__name__}"
            raise TypeError(message)
        if not 1 <= asked <= self.ceiling:
            message = f"the cap for {self.name} lies between 1 and {self.ceiling}, not {asked}"
            raise ValueError(message)
        return asked


DEPTH: Final = 128
"""Nested containers in any document; the next one is refused."""
VALUE_DEPTH: Final = 100
"""Nested containers in one candidate value, so that what derives from it stays readable."""
IDENTITY: Final = 256
"""Characters of a stable identity."""
ENVELOPE: Final = Cap("an envelope or import record", 64 * _MIB, 256 * _MIB)
MANIFEST: Final = Cap("the manifest of a run", 64 * _MIB, 256 * _MIB)
QUEUE: Final = Cap("a queue snapshot", 128 * _MIB, 512 * _MIB)
BUNDLE: Final = Cap("a bundle or any other document", 256 * _MIB, 1024 * _MIB)
EVENTS: Final = Cap("events of a log", 200_000, 800_000)
EVENTS_BYTES: Final = Cap("an event log", 256 * _MIB, 1024 * _MIB)
SOURCE: Final = Cap("a source document", 64 * _MIB, 64 * _MIB)
PREPARED: Final = Cap("a prepared text", 16 * _MIB, 16 * _MIB)
PREPARED_UNITS: Final = 5_000_000
"""UTF-16 code units of a prepared text."""
TASK_FILE: Final = Cap("a task file", 256 * 1024, 256 * 1024)
TARGET_FIELDS: Final = 128
"""Target fields of a task, and projections of them."""
ITEMS: Final = Cap("items of a queue, proposals of an envelope", 10_000, 100_000)
CANDIDATES: Final = Cap("candidates of an item", 256, 1024)


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Caps of an import and of everything that reads its results.

    ``None`` means the default; a lower number tightens it, a higher one is allowed up to the
    ceiling. Sizes are bytes.
    """

    envelope_bytes: int | None = None
    queue_bytes: int | None = None
    items: int | None = None
    candidates: int | None = None
    event_bytes: int | None = None
    events: int | None = None

    def resolve(self) -> tuple[int, int, int, int]:
        """The four numbers the native core takes, which reads no events.

        Raises ValueError above a ceiling.
        """
        return (
            ENVELOPE.resolve(self.envelope_bytes),
            QUEUE.resolve(self.queue_bytes),
            ITEMS.resolve(self.items),
            CANDIDATES.resolve(self.candidates),
        )


def resolved(limits: object) -> tuple[int, int, int, int]:
    """The four numbers of ``limits``. Raises TypeError for anything but ImportLimits."""
    if not isinstance(limits, ImportLimits):
        message = f"limits is an ImportLimits, not {type(limits).__name__}"
        raise TypeError(message)
    return limits.resolve()


DEFAULT: Final = ImportLimits()
"""Every cap at its default."""

NOTE: Final = 64 * 1024
"""Bytes of a note or a reason."""
