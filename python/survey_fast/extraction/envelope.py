"""Writing an envelope: what of a run leaves the process, and nothing else.

1. Texts stay behind: the prepared text, answers, warnings and error messages. Of a warning its
   class is kept, of a failure its kind. Excerpts and values are what an envelope is for.
2. The bytes are canonical JSON without a final line feed.
3. Whatever is written was read back first by the strictest reader there is; what it refuses is
   never returned.
4. ``wire="0.25"`` is for readers of an older release, which refuse members they do not know.
   Evidence, producers, coverage and codes of failures are left out. It cannot say that a confidence
   is missing or that text was lost, and refuses to write such a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, get_args

from survey_fast.canon import Json, canonical_json
from survey_fast.errors import refusal
from survey_fast.extraction.coverage import Range
from survey_fast.extraction.envelope_check import check_produced
from survey_fast.extraction.failure import ProviderFailure
from survey_fast.extraction.identity import FAILURE_CODE, is_identity
from survey_fast.extraction.outcome import LOSSES, Ended
from survey_fast.extraction.source_name import check_source_name
from survey_fast.extraction.warned import Warned
from survey_fast.limits import DEFAULT, ImportLimits

__all__ = ["RunFacts", "Wire", "envelope_document", "write_envelope"]

Wire: TypeAlias = Literal["current", "0.25"]

_WIRES: Final[tuple[str, ...]] = get_args(Wire)
_FORMAT: Final = "traverse-extraction-result"
_VERSION: Final = 1
_NEWER: Final = ("evidenceMatch", "producedBy")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Everything an envelope says about a run.

    Attributes:
        source_ref: what the source is called.
        run_id: ``traverse-extraction-run:`` and a UUID of version 4.
        extracted_at: an ISO 8601 instant.
        provider: a stable identity.
        ended: how it ended.
        proposals: as the envelope has them.
        model: of the last answer, if it is a stable identity.
        tokens: of the last answer; ``None`` when it did not say.
        calls, total_tokens: attempts, and tokens of all answers.
        warnings: in their order.
        coverage: of all chunks; written only when the run is partial.
        failures: of calls, in the order of their chunks.
        task_digest, example_digests: of a run that has a task.
        artifact: the prepared artifact as plain data.
        page_offsets: where the pages of a PDF start.
        snapshot_ref: a snapshot of the source; that of the artifact unless given.
    """

    source_ref: str
    run_id: str
    extracted_at: str
    provider: str
    ended: Ended
    proposals: Sequence[Mapping[str, Any]] = ()
    model: str | None = None
    tokens: int | None = None
    calls: int = 0
    total_tokens: int = 0
    warnings: Sequence[Warned] = ()
    coverage: Sequence[Range] = ()
    failures: Sequence[ProviderFailure] = ()
    task_digest: str | None = None
    example_digests: Sequence[str] = ()
    artifact: Mapping[str, Any] | None = None
    page_offsets: Sequence[int] | None = None
    snapshot_ref: str | None = None
    limits: ImportLimits = field(default=DEFAULT)


def write_envelope(facts: RunFacts, *, wire: Wire = "current") -> tuple[bytes, dict[str, Any]]:
    """The canonical bytes of an envelope, and the same as plain data.

    Raises:
        EnvelopeError: the facts make no valid envelope, or none that an older reader takes; the
            name of the source says where it is kept.
        ImportRefusedError, JsonError: too large or too deep for any reader.
        ValueError: an unknown ``wire``.
    """
    if wire not in _WIRES:
        message = f"there is no wire form {wire!r}, only {' and '.join(_WIRES)}"
        raise ValueError(message)
    document = envelope_document(facts)
    document = _older(document) if wire == "0.25" else document
    raw = canonical_json(document, lossless=True)
    check_produced(raw, facts.limits)
    return raw, document


def envelope_document(facts: RunFacts) -> dict[str, Any]:
    """The envelope as plain data, in the current form; not validated."""
    source = {"ref": check_source_name(facts.source_ref)}
    artifact = facts.artifact
    snapshot = facts.snapshot_ref or (artifact or {}).get("sourceSnapshotRef")
    if snapshot is not None:
        source["snapshotRef"] = snapshot
    _check_instant(facts.extracted_at)
    result: dict[str, Any] = {
        "proposals": [dict(one) for one in facts.proposals],
        "provider": facts.provider,
        "runId": facts.run_id,
        "raw": {} if facts.tokens is None else {"tokensUsed": facts.tokens},
        "outcome": facts.ended.outcome.to_json(),
        "extractedAt": facts.extracted_at,
        "providerCalls": facts.calls,
        "totalTokensUsed": facts.total_tokens,
    }
    result |= {name: value for name, value in _optional(facts) if value}
    # An empty list of examples says that there was a task without any.
    if facts.task_digest is not None:
        result["exampleDigests"] = list(facts.example_digests)
    return {"format": _FORMAT, "version": _VERSION, "source": source, "result": result}


def _optional(facts: RunFacts) -> list[tuple[str, Any]]:
    partial = facts.ended.partial
    return [
        ("model", facts.model),
        ("warningClassifications", [one.classification() for one in facts.warnings]),
        ("partial", partial and partial.to_json()),
        ("coverage", partial and facts.artifact and [one.to_json() for one in facts.coverage]),
        ("providerFailures", [_failure(one, facts.provider) for one in facts.failures]),
        ("taskDigest", facts.task_digest),
        ("pdfPageOffsets", facts.page_offsets and list(facts.page_offsets)),
        ("preparedArtifact", facts.artifact and dict(facts.artifact)),
    ]


def _failure(one: ProviderFailure, provider: str) -> dict[str, Json]:
    body: dict[str, Json] = {"provider": provider, "kind": one.kind, "retryable": one.retryable}
    return body | {"code": one.code} if is_identity(one.code, FAILURE_CODE) else body


def _check_instant(text: str) -> None:
    try:
        has_zone = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        has_zone = False
    if not has_zone:
        message = "the instant of an extraction has a date, a time and a zone"
        raise refusal("envelope-invalid-value", message, "/result/extractedAt")


def _older(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without what 0.25 does not know."""
    result = dict(document["result"])
    if result["outcome"].get("reason") in LOSSES:
        message = "a run that lost text cannot be written in the form of 0.25"
        raise refusal("envelope-invalid-value", message, "/result/outcome/reason")
    for index, proposal in enumerate(result["proposals"]):
        if "confidence" not in proposal:
            message = "in the form of 0.25 every proposal has a confidence"
            pointer = f"/result/proposals/{index}/confidence"
            raise refusal("envelope-missing-member", message, pointer)
    result.pop("coverage", None)
    result["proposals"] = [_without(one, *_NEWER) for one in result["proposals"]]
    if "providerFailures" in result:
        result["providerFailures"] = [_without(one, "code") for one in result["providerFailures"]]
    return {**document, "result": result}


def _without(body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in names}
