"""WebVTT to the words that were spoken, and when.

1. Only what stands in a cue is kept: no header, identifier, note, style or region.
2. A cue ends at an empty line and nowhere else. Lines end with LF, CRLF or CR.
3. Tags are removed and sixteen character references are read; ``2 < 3`` is no tag. Spaces are
   collapsed, lines without anything left are dropped.
4. A line equal to the one kept before it is dropped, also across cues: captions that roll repeat
   what they showed.
5. Each cue's kept lines are one span of the text with the cue's times.

The work is linear in the input. No cue is lost because its times cannot be read; it has no times
then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from survey_fast.canon.text import trim
from survey_fast.extraction.html_text import collapse, decode_references
from survey_fast.extraction.units import units_of

__all__ = ["CueOffset", "Transcript", "transcript_of"]

_ENDS: Final = re.compile(r"\r\n|\r|\n")
# A tag has a name or is a time; the class holds no ``<``, so no text is read twice.
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>|<[0-9:.]+>|</>")
_TIME: Final = r"(?:([0-9]{1,6}):)?([0-9]{1,2}):([0-9]{1,2})[.,]([0-9]{3})"
_TIMING: Final = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}(?![0-9])")
_ARROW: Final = "-->"


@dataclass(frozen=True, slots=True)
class CueOffset:
    """Where the words of a cue stand, and when they were spoken.

    Attributes:
        start, end: UTF-16 code units of the transcript, end exclusive.
        cue_start, cue_end: milliseconds.
    """

    start: int
    end: int
    cue_start: int
    cue_end: int

    def to_json(self) -> dict[str, int]:
        """``{start, end, cueStart, cueEnd}``."""
        return {
            "start": self.start,
            "end": self.end,
            "cueStart": self.cue_start,
            "cueEnd": self.cue_end,
        }


@dataclass(frozen=True, slots=True)
class Transcript:
    """The words, joined by LF, and the times of each cue that has any."""

    text: str
    cue_offsets: tuple[CueOffset, ...]


_Times = tuple[int, int]


def transcript_of(source: str) -> Transcript:
    """The transcript of a WebVTT text; anything else gives an empty one."""
    transcript = _Transcript()
    in_cue = False
    for line in _ENDS.split(source):
        times = _times(line) if _ARROW in line else None
        if times is not None or (_ARROW in line and not in_cue):
            in_cue = True
            transcript.begin(times)
        elif not line:
            in_cue = False
        elif in_cue:
            transcript.say(trim(collapse(decode_references(_TAG.sub("", line)))))
    return transcript.done()


def _times(line: str) -> _Times | None:
    found = _TIMING.match(line)
    if found is None:
        return None
    parts = [int(part or 0) for part in found.groups()]
    return _milliseconds(parts[:4]), _milliseconds(parts[4:])


def _milliseconds(parts: list[int]) -> int:
    hours, minutes, seconds, thousandths = parts
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths


class _Transcript:
    """What was kept so far."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._length = 0
        self._cues: list[CueOffset] = []
        self._times: _Times | None = None
        self._start: int | None = None

    def begin(self, times: _Times | None) -> None:
        self._end_cue()
        self._times = times

    def say(self, line: str) -> None:
        if not line or (self._lines and line == self._lines[-1]):
            return
        start = self._length + 1 if self._lines else 0
        if self._start is None:
            self._start = start
        self._lines.append(line)
        self._length = start + units_of(line)

    def done(self) -> Transcript:
        self._end_cue()
        return Transcript("\n".join(self._lines), tuple(self._cues))

    def _end_cue(self) -> None:
        if self._start is not None and self._times is not None:
            self._cues.append(CueOffset(self._start, self._length, *self._times))
        self._start = None
