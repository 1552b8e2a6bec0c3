"""The bundle in a file: the document itself, or the one that an export holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from survey_fast.cli.command import capped
from survey_fast.cli.reading import concerning, read_input
from survey_fast.errors import refusal
from survey_fast.limits import BUNDLE
from survey_fast.rounds.shape import inside
from survey_fast.trust.document import read_document

__all__ = ["FILE_HELP", "stored_bundle"]

FILE_HELP: Final = "A trust bundle, or a ReviewedExport that holds one; - reads standard input."

_INSIDE: Final = "/bundle"


@contextmanager
def stored_bundle(path: Path, max_bytes: int | None) -> Iterator[tuple[dict[str, Any], str]]:
    """The bundle that is stored in a file, and the pointer to it: none, or into an export.

    Refusals of the bundle that are raised inside point into the file, and name it.

    Raises:
        FileError, JsonError, BundleError: it cannot be read, or holds no bundle.
    """
    cap = capped(BUNDLE, max_bytes)
    source = read_input(path, BUNDLE, cap)
    with concerning(source):
        document = read_document(source.raw, cap)
        if document.get("kind") != "ReviewedExport" or "bundle" not in document:
            yield document, ""
            return
        bundle = document["bundle"]
        if not isinstance(bundle, dict):
            message = "a trust bundle is an object"
            raise refusal("bundle-not-object", message, _INSIDE)
        with inside(_INSIDE):
            yield bundle, _INSIDE
