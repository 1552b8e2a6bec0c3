"""An extraction envelope as others may hand it to us.

1. The whole document is lossless JSON before anything else is looked at.
2. Then, and the first fault stops: the top object; format and version; source; the members of the
   result; provider, model, run id, extraction time, counters, raw; outcome with partial; warnings;
   provider failures; task digest; example digests; page offsets; OCR mark; prepared artifact;
   layout; coverage; coverage against outcome; artifact state; the two snapshot references; the
   proposals in order.
3. Another format or version is `envelope-unsupported-version`, at that member.
4. The answer is a copy in which the layout is sorted and nothing else is changed.
"""

from __future__ import annotations

import re

from tests.reference.canonical import checked_copy
from tests.reference.credentials import FAILURE_CODE, require_identity, require_safe_reference
from tests.reference.layout import check_layout, sorted_layout
from tests.reference.number import is_number
from tests.reference.outcome import check_agreement, check_coverage, check_outcome
from tests.reference.prepared import check_prepared_artifact, check_prepared_state
from tests.reference.proposal import check_proposal
from tests.reference.refusal import ROOT, Json, Refused, join
from tests.reference.wire import (
    PREFIXED_DIGEST,
    inconsistent,
    invalid,
    require_array,
    require_boolean,
    require_integer,
    require_match,
    require_members,
    require_text,
    require_word,
)

FORMAT = "traverse-extraction-result"
VERSION = 1
RUN_ID = re.compile(
    r"traverse-extraction-run:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)
RESULT_REQUIRED = (
    "proposals",
    "provider",
    "runId",
    "raw",
    "outcome",
    "extractedAt",
    "providerCalls",
    "totalTokensUsed",
)
RESULT_OPTIONAL = (
    "model",
    "warningClassifications",
    "partial",
    "coverage",
    "providerFailures",
    "taskDigest",
    "exampleDigests",
    "pdfPageOffsets",
    "pdfLayout",
    "ocrDerived",
    "preparedArtifact",
    "preparedArtifactState",
)
WARNING_CATEGORIES = (
    "provider",
    "normalization",
    "preparation",
    "limit",
    "storage",
    "content",
    "other",
)
FAILURE_KINDS = (
    "authentication",
    "rate-limit",
    "timeout",
    "invalid-request",
    "unavailable",
    "unknown",
)


def validate_envelope(value: Json) -> dict[str, Json]:
    """Rules 1 to 4, for JSON data that was read already."""
    envelope = check_envelope(checked_copy(value, lossless=True), ROOT)
    result = dict(envelope["result"])
    if "pdfLayout" in result:
        result["pdfLayout"] = sorted_layout(result["pdfLayout"])
    return {**envelope, "result": result}


def check_envelope(value: Json, pointer: str) -> dict[str, Json]:
    """Rules 2 and 3 alone; `pointer` is where the envelope stands in its document."""
    envelope = require_members(value, pointer, ("format", "version", "source", "result"))
    if envelope["format"] != FORMAT:
        raise _unsupported(join(pointer, "format"))
    if not is_number(envelope["version"]) or envelope["version"] != VERSION:
        raise _unsupported(join(pointer, "version"))
    place = join(pointer, "source")
    source = require_members(envelope["source"], place, ("ref",), ("snapshotRef",))
    require_safe_reference(source["ref"], join(place, "ref"))
    if "snapshotRef" in source:
        require_safe_reference(source["snapshotRef"], join(place, "snapshotRef"))
    _check_result(envelope["result"], join(pointer, "result"), source, place)
    return envelope


def _check_result(value: Json, pointer: str, source: dict[str, Json], source_at: str) -> None:
    result = require_members(value, pointer, RESULT_REQUIRED, RESULT_OPTIONAL)
    _check_run(result, pointer)
    check_outcome(result, pointer)
    _check_reports(result, pointer)
    artifact = None
    if "preparedArtifact" in result:
        place = join(pointer, "preparedArtifact")
        artifact = check_prepared_artifact(result["preparedArtifact"], place)
    if "pdfLayout" in result:
        check_layout(result["pdfLayout"], join(pointer, "pdfLayout"), artifact)
    if "coverage" in result:
        check_coverage(result["coverage"], join(pointer, "coverage"), artifact)
    check_agreement(result, pointer)
    if "preparedArtifactState" in result:
        place = join(pointer, "preparedArtifactState")
        check_prepared_state(result["preparedArtifactState"], place, artifact)
    stated = {source.get("snapshotRef"), (artifact or {}).get("sourceSnapshotRef")} - {None}
    if len(stated) > 1:
        raise inconsistent(join(source_at, "snapshotRef"), "the artifact names another one")
    place = join(pointer, "proposals")
    for at, proposal in enumerate(require_array(result["proposals"], place)):
        check_proposal(proposal, join(place, at), artifact)


def _check_run(result: dict[str, Json], pointer: str) -> None:
    require_identity(result["provider"], join(pointer, "provider"))
    if "model" in result:
        require_identity(result["model"], join(pointer, "model"))
    require_match(result["runId"], join(pointer, "runId"), RUN_ID)
    require_text(result["extractedAt"], join(pointer, "extractedAt"))
    require_integer(result["providerCalls"], join(pointer, "providerCalls"))
    require_integer(result["totalTokensUsed"], join(pointer, "totalTokensUsed"))
    raw = require_members(result["raw"], join(pointer, "raw"), (), ("tokensUsed",))
    if "tokensUsed" in raw:
        require_integer(raw["tokensUsed"], join(pointer, "raw") + "/tokensUsed")


def _check_reports(result: dict[str, Json], pointer: str) -> None:
    """Warnings, failures, digests, page offsets and the OCR mark."""
    place = join(pointer, "warningClassifications")
    for at, warning in enumerate(require_array(result.get("warningClassifications", []), place)):
        _check_warning(warning, join(place, at))
    place = join(pointer, "providerFailures")
    for at, failure in enumerate(require_array(result.get("providerFailures", []), place)):
        _check_failure(failure, join(place, at))
    if "taskDigest" in result:
        require_match(result["taskDigest"], join(pointer, "taskDigest"), PREFIXED_DIGEST)
    place = join(pointer, "exampleDigests")
    for at, example in enumerate(require_array(result.get("exampleDigests", []), place)):
        require_match(example, join(place, at), PREFIXED_DIGEST)
    place = join(pointer, "pdfPageOffsets")
    last = -1
    for at, offset in enumerate(require_array(result.get("pdfPageOffsets", []), place)):
        if require_integer(offset, join(place, at)) <= last:
            raise inconsistent(join(place, at), "page offsets ascend")
        last = offset
    if "ocrDerived" in result and result["ocrDerived"] is not True:
        raise invalid(join(pointer, "ocrDerived"), "can only be true")


def _check_warning(value: Json, pointer: str) -> None:
    warning = require_members(value, pointer, ("category", "code"))
    require_word(warning["category"], join(pointer, "category"), WARNING_CATEGORIES)
    require_identity(warning["code"], join(pointer, "code"))


def _check_failure(value: Json, pointer: str) -> None:
    failure = require_members(value, pointer, ("provider", "kind", "retryable"), ("code",))
    require_identity(failure["provider"], join(pointer, "provider"))
    require_word(failure["kind"], join(pointer, "kind"), FAILURE_KINDS)
    require_boolean(failure["retryable"], join(pointer, "retryable"))
    if "code" in failure:
        require_identity(failure["code"], join(pointer, "code"), FAILURE_CODE)


def _unsupported(pointer: str) -> Refused:
    return Refused(pointer, "envelope-unsupported-version", f"expected {FORMAT}, version {VERSION}")
