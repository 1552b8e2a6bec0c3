"""One proposed value with the words it was read from.

1. `candidateValue` must be present and may be any JSON value, null included, with at most 100
   nested containers (`import-value-depth`). `confidence` is 0 to 1, or absent and never filled in.
2. The locator is `chars:START-END` without leading zeros. It spans exactly the excerpt's UTF-16
   length and ends inside the prepared text, when there is one.
3. The occurrence repeats the locator's span, its index lies below the count, `hintUsed` restates
   the selection and `ambiguous` restates whether the count exceeds one.
4. `evidenceMatch` and `valueNormalization` are annotations: their form is judged, not their truth.
"""

from __future__ import annotations

import re

from tests.reference.credentials import require_identity
from tests.reference.number import SAFE_INTEGER
from tests.reference.refusal import Json, Refused, join
from tests.reference.wire import (
    PREFIXED_DIGEST,
    inconsistent,
    invalid,
    require_array,
    require_boolean,
    require_integer,
    require_match,
    require_members,
    require_number,
    require_text,
    require_word,
    utf16_length,
)

LOCATOR = re.compile(r"chars:(0|[1-9][0-9]*)-(0|[1-9][0-9]*)")
DEEPEST_VALUE = 100
VALUE_TYPES = ("string", "number", "boolean", "date", "enum", "array", "object")
REQUIRED = ("fieldPath", "candidateValue", "provenance", "extractor")
OPTIONAL = (
    "confidence",
    "pathIndices",
    "inferenceType",
    "valueType",
    "enumValues",
    "producedBy",
    "evidenceMatch",
    "valueNormalization",
)


def check_proposal(value: Json, pointer: str, artifact: dict[str, Json] | None) -> None:
    proposal = require_members(value, pointer, REQUIRED, OPTIONAL)
    require_text(proposal["fieldPath"], join(pointer, "fieldPath"))
    if value_depth(proposal["candidateValue"]) > DEEPEST_VALUE:
        raise Refused(join(pointer, "candidateValue"), "import-value-depth", "nested too deep")
    place = join(pointer, "confidence")
    if not 0 <= require_number(proposal.get("confidence", 0), place) <= 1:
        raise invalid(place, "must lie between 0 and 1")
    _check_provenance(proposal["provenance"], join(pointer, "provenance"), artifact)
    require_identity(proposal["extractor"], join(pointer, "extractor"))
    place = join(pointer, "pathIndices")
    for at, index in enumerate(require_array(proposal.get("pathIndices", []), place)):
        require_integer(index, join(place, at))
    _check_typing(proposal, pointer)
    if "producedBy" in proposal:
        _check_produced_by(proposal["producedBy"], join(pointer, "producedBy"))
    if "evidenceMatch" in proposal:
        _check_evidence_match(proposal["evidenceMatch"], join(pointer, "evidenceMatch"))
    if "valueNormalization" in proposal:
        _check_normalization(proposal["valueNormalization"], join(pointer, "valueNormalization"))


def _check_typing(proposal: dict[str, Json], pointer: str) -> None:
    if "inferenceType" in proposal:
        place = join(pointer, "inferenceType")
        require_word(proposal["inferenceType"], place, ("explicit", "inferred"))
    if "valueType" in proposal:
        require_word(proposal["valueType"], join(pointer, "valueType"), VALUE_TYPES)
    place = join(pointer, "enumValues")
    for at, word in enumerate(require_array(proposal.get("enumValues", []), place)):
        _require_string(word, join(place, at))


def value_depth(value: Json) -> int:
    """How many containers nest in a value; 0 for a scalar."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0
    return 1 + max(map(value_depth, value), default=0)


def span_of(locator: str) -> tuple[int, int] | None:
    """The span a locator names, or None when it is not one."""
    found = LOCATOR.fullmatch(locator)
    if found is None or max(map(len, found.groups())) > len(str(SAFE_INTEGER)):
        return None
    start, end = map(int, found.groups())
    return (start, end) if max(start, end) <= SAFE_INTEGER else None


def _require_string(value: Json, pointer: str) -> None:
    if not isinstance(value, str):
        raise invalid(pointer, "must be text")


def _check_provenance(value: Json, pointer: str, artifact: dict[str, Json] | None) -> None:
    provenance = require_members(value, pointer, ("excerpt", "locator", "occurrence"))
    excerpt = require_text(provenance["excerpt"], join(pointer, "excerpt"))
    place = join(pointer, "locator")
    span = span_of(provenance["locator"]) if isinstance(provenance["locator"], str) else None
    if span is None:
        raise invalid(place, "must be chars:START-END")
    start, end = span
    if end - start != utf16_length(excerpt):
        raise inconsistent(place, "the span has not the length of the excerpt")
    if artifact is not None and end > artifact["contentLength"]:
        raise inconsistent(place, "the span leaves the prepared text")
    _check_occurrence(provenance["occurrence"], join(pointer, "occurrence"), start, end)


def _check_occurrence(value: Json, pointer: str, start: int, end: int) -> None:
    occurrence = require_members(
        value,
        pointer,
        ("resolverVersion", "count", "selected", "selection", "hintUsed", "ambiguous"),
    )
    version = join(pointer, "resolverVersion")
    require_word(occurrence["resolverVersion"], version, ("exact-occurrence-v1",))
    count = require_integer(occurrence["count"], join(pointer, "count"), least=1)
    place = join(pointer, "selected")
    selected = require_members(occurrence["selected"], place, ("index", "start", "end"))
    if require_integer(selected["index"], join(place, "index")) >= count:
        raise inconsistent(join(place, "index"), "there are not so many occurrences")
    if require_integer(selected["start"], join(place, "start")) != start:
        raise inconsistent(join(place, "start"), "the locator starts elsewhere")
    if require_integer(selected["end"], join(place, "end")) != end:
        raise inconsistent(join(place, "end"), "the locator ends elsewhere")
    selections = ("source-order", "occurrence-hint")
    selection = require_word(occurrence["selection"], join(pointer, "selection"), selections)
    hinted = require_boolean(occurrence["hintUsed"], join(pointer, "hintUsed"))
    if hinted != (selection == "occurrence-hint"):
        raise inconsistent(join(pointer, "hintUsed"), "the selection says otherwise")
    ambiguous = require_boolean(occurrence["ambiguous"], join(pointer, "ambiguous"))
    if ambiguous != (count > 1):
        raise inconsistent(join(pointer, "ambiguous"), "the count says otherwise")


def _check_produced_by(value: Json, pointer: str) -> None:
    produced = require_members(value, pointer, ("model", "modelSource", "requestDigest"))
    require_identity(produced["model"], join(pointer, "model"))
    sources = ("provider-reported", "configured")
    require_word(produced["modelSource"], join(pointer, "modelSource"), sources)
    require_match(produced["requestDigest"], join(pointer, "requestDigest"), PREFIXED_DIGEST)


def _check_evidence_match(value: Json, pointer: str) -> None:
    match = require_members(
        value, pointer, ("checkerVersion", "schema", "valueInExcerpt"), ("tokenBoundary",)
    )
    require_identity(match["checkerVersion"], join(pointer, "checkerVersion"))
    schemas = ("ok", "type-mismatch", "enum-mismatch", "format-invalid")
    require_word(match["schema"], join(pointer, "schema"), schemas)
    verdicts = ("match", "mismatch", "not-evaluated", "not-applicable")
    require_word(match["valueInExcerpt"], join(pointer, "valueInExcerpt"), verdicts)
    if "tokenBoundary" in match:
        require_boolean(match["tokenBoundary"], join(pointer, "tokenBoundary"))


def _check_normalization(value: Json, pointer: str) -> None:
    note = require_members(value, pointer, ("kind", "from"))
    require_word(note["kind"], join(pointer, "kind"), ("string-to-number", "date-to-iso"))
    _require_string(note["from"], join(pointer, "from"))
