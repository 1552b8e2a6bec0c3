"""Reading the files that a command names, and saying which of them a refusal is about."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from survey_fast import limits
from survey_fast.canon import Json, canonical_json
from survey_fast.cli.hints import hinting, run_hints
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import Cap
from survey_fast.storage import read_bounded

__all__ = [
    "STDIN",
    "Queue",
    "Source",
    "concerning",
    "prepared_text",
    "queue_of",
    "read_input",
    "read_source",
    "strict_json",
]


STDIN: Final = "-"
"""What is written for standard input."""


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a file and the name to show for it."""

    name: str
    raw: bytes


def read_source(path: Path, cap: Cap, most: int | None = None) -> Source:
    """A file, bounded by ``cap`` or by ``most``. Raises FileError."""
    with hinting(run_hints(path)):
        return Source(str(path), read_bounded(path, cap, most))


def read_input(path: Path, cap: Cap, most: int | None = None) -> Source:
    """A file, or standard input where ``-`` stands for it. Raises FileError."""
    if str(path) != STDIN:
        return read_source(path, cap, most)
    allowed = cap.resolve(most)
    try:
        # One byte more than allowed is enough to refuse it.
        raw = sys.stdin.buffer.read(allowed + 1) if sys.stdin else b""
    except OSError as fault:
        message = f"standard input: {fault.strerror or fault}"
        raise refusal("STORAGE_FAILED", message, None, {"path": STDIN}) from None
    if len(raw) > allowed:
        message = f"standard input has more than the {allowed} bytes allowed"
        raise refusal("file-too-large", message, None, {"path": STDIN, "allowed": allowed})
    return Source(STDIN, raw)


@contextmanager
def concerning(source: Source) -> Iterator[None]:
    """Refusals raised inside are about ``source``: its name, and line and column, are added.

    One that names another file is left as it is.
    """
    try:
        yield
    except SurveyError as error:
        if error.details.setdefault("path", source.name) != source.name:
            raise
        offset = error.details.get("offset")
        if isinstance(offset, int):
            error.details["line"], error.details["column"] = _line_and_column(source.raw, offset)
        raise


def _line_and_column(raw: bytes, offset: int) -> tuple[int, int]:
    """Both count from 1; the column counts characters."""
    line_start = raw.rfind(b"\n", 0, offset) + 1
    before = raw[line_start:offset].decode("utf-8", "replace")
    return raw.count(b"\n", 0, offset) + 1, len(before) + 1


def strict_json(source: Source) -> Json:
    """The document of a source as plain data, read strictly."""
    with concerning(source):
        # The file is bounded already, by the cap of its kind.
        value: Json = json.loads(canonical_json(source.raw, max_bytes=limits.BUNDLE.ceiling))
    return value


def prepared_text(source: Source) -> str:
    """A prepared text: UTF-8, with one byte order mark dropped when there is one.

    Raises:
        JsonError: ``json-encoding``: not UTF-8.
        FileError: ``file-too-large``: more than 5,000,000 UTF-16 code units.
    """
    mark = len(codecs.BOM_UTF8) if source.raw.startswith(codecs.BOM_UTF8) else 0
    with concerning(source):
        try:
            text = source.raw[mark:].decode()
        except UnicodeDecodeError as fault:
            message = "a prepared text is UTF-8, and this byte begins no character"
            details = {"offset": mark + fault.start}
            raise refusal("json-encoding", message, None, details) from None
        if len(text.encode("utf-16-le")) // 2 > limits.PREPARED_UNITS:
            message = f"a prepared text has at most {limits.PREPARED_UNITS} UTF-16 code units"
            raise refusal("file-too-large", message)
    return text


@dataclass(frozen=True, slots=True)
class Queue:
    """The items of a queue, the pointer to them in their document, and that if it is a snapshot."""

    items: list[dict[str, Any]]
    pointer: str
    snapshot: dict[str, Any] | None = None


def queue_of(source: Source) -> Queue:
    """The queue that is stored in a file: an array of items, or a snapshot.

    Raises JsonError, and QueueError (``queue-malformed``) for any other document.
    """
    document = strict_json(source)
    is_snapshot = isinstance(document, dict)
    items = document.get("items") if isinstance(document, dict) else document
    pointer = "/items" if is_snapshot else ""
    with concerning(source):
        if not isinstance(items, list):
            message = "a queue is an array of items, or a snapshot that holds one"
            raise refusal("queue-malformed", message, pointer)
        for place, item in enumerate(items):
            _require_name(item, f"{pointer}/{place}")
    named = [item for item in items if isinstance(item, dict)]
    return Queue(named, pointer, document if isinstance(document, dict) else None)


def _require_name(item: Json, pointer: str) -> None:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        message = "every item of a queue has a name"
        raise refusal("queue-malformed", message, f"{pointer}/metadata/name")
