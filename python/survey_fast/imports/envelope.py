"""Import: a portable extraction result becomes an import record and review items.

1. The envelope is read strictly and validated; the first thing wrong is the one reported.
2. Every proposal gets a claim target, the caller's word for the claim it is about.
3. Where the prepared text is given, every excerpt is looked up at its UTF-16 span. A proposal
   whose excerpt is not there is left out of the queue and shown on its item as an excluded
   rival; it can be seen and never chosen.
4. Proposals of one claim slot become one item, with one candidate for each distinct value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from survey_fast import _core, limits
from survey_fast.canon import Document, Json, data_json, reading, sha256_hex
from survey_fast.canon.arguments import mapping_argument, sequence_argument, text_argument
from survey_fast.imports.result import ImportResult
from survey_fast.limits import ImportLimits, resolved

__all__ = [
    "ClaimTargets",
    "available_artifact",
    "import_envelope",
    "import_from_bound_status",
]

ClaimTarget: TypeAlias = Mapping[str, Any]
TargetChoice: TypeAlias = Callable[[dict[str, Any], int], ClaimTarget]
ClaimTargets: TypeAlias = Mapping[str, ClaimTarget] | Sequence[ClaimTarget] | TargetChoice
"""By field path, aligned with the proposals, or a function of (proposal, index)."""


def import_envelope(  # noqa: PLR0913 - one argument for each choice of an import
    envelope: Document,
    *,
    source_kind: str,
    claim_targets: ClaimTargets,
    import_name: str | None = None,
    producer_namespace: str | None = None,
    artifact: Mapping[str, Any] | None = None,
    limits: ImportLimits = limits.DEFAULT,
) -> ImportResult:
    """Import an extraction envelope.

    Args:
        envelope: a ``traverse-extraction-result`` of version 1.
        source_kind: one of the registered kinds of source, such as ``uploaded-document``.
        claim_targets: a mapping from field path to claim target (``fieldOrBehavior`` defaults
            to the path), a sequence with one target for each proposal, or a callable that is
            given each proposal with its index, in order.
        import_name: names the import; the run id when not given.
        producer_namespace: names the producer; the provider when not given.
        artifact: the prepared text, as :func:`available_artifact` makes it, or the reason why
            there is none: ``{"status": "unavailable", "code": …}`` or
            ``{"status": "digest-mismatch", "actualDigest": …}``. Without it excerpts are not
            checked and the import is ``unverified``.
        limits: caps; see :mod:`survey_fast.limits`.

    Returns:
        The record and the items, as canonical bytes and on demand as plain data. An import
        that is ``unresolved`` has no items; its record says why.

    Raises:
        JsonError, EnvelopeError: the envelope is refused.
        ImportRefusedError: targets, artifact or sizes are refused.
        TypeError: an argument is of a wrong Python type.
    """
    return _run(
        envelope,
        source_kind=source_kind,
        claim_targets=claim_targets,
        names=(import_name, producer_namespace),
        artifact=None if artifact is None else data_json(mapping_argument("artifact", artifact)),
        limits=limits,
    )


def import_from_bound_status(  # noqa: PLR0913 - one argument for each choice of an import
    envelope: Document,
    bound_status: Mapping[str, Any],
    *,
    source_kind: str,
    claim_targets: ClaimTargets,
    import_name: str | None = None,
    producer_namespace: str | None = None,
    limits: ImportLimits = limits.DEFAULT,
) -> ImportResult:
    """Rebuild an import without its prepared text, from the status stored when it was made.

    The status must be one that some import of this envelope could have written; the result then
    equals the import that wrote it. The other arguments are those of that import.

    Raises: as import_envelope, and ImportRefusedError (``import-status-incoherent``,
        ``import-provenance-missing``).
    """
    return _run(
        envelope,
        source_kind=source_kind,
        claim_targets=claim_targets,
        names=(import_name, producer_namespace),
        bound_status=data_json(mapping_argument("bound_status", bound_status)),
        limits=limits,
    )


def _run(  # noqa: PLR0913 - see above
    envelope: Document,
    *,
    source_kind: str,
    claim_targets: ClaimTargets,
    names: tuple[str | None, str | None],
    limits: ImportLimits,
    artifact: bytes | None = None,
    bound_status: bytes | None = None,
) -> ImportResult:
    caps = resolved(limits)
    import_name, producer_namespace = names
    if import_name is not None:
        text_argument("import_name", import_name)
    if producer_namespace is not None:
        text_argument("producer_namespace", producer_namespace)
    with reading(envelope) as raw:
        targets, targets_by = _targets(raw, claim_targets, caps)
        record, items = _core.import_envelope(
            raw,
            text_argument("source_kind", source_kind),
            targets,
            targets_by,
            import_name,
            producer_namespace,
            artifact,
            bound_status,
            caps,
        )
    return ImportResult(record_bytes=record, items_bytes=items)


def available_artifact(text: str) -> dict[str, Json]:
    """The ``artifact`` argument for a prepared text at hand; its digest is computed here.

    Raises JsonError (``json-lone-surrogate``) for text that no UTF-8 file can hold.
    """
    digest = sha256_hex(text_argument("text", text).encode())
    return {"status": "available", "text": text, "actualDigest": digest}


def _targets(
    raw: bytes, claim_targets: ClaimTargets, caps: tuple[int, int, int, int]
) -> tuple[bytes, str]:
    if isinstance(claim_targets, Mapping):
        return data_json(mapping_argument("claim_targets", claim_targets)), "field"
    if callable(claim_targets):
        # The callable is the caller's code, so it sees only proposals that were validated.
        _core.check_envelope(raw, caps)
        proposals = json.loads(raw)["result"]["proposals"]
        chosen = [claim_targets(proposal, index) for index, proposal in enumerate(proposals)]
    else:
        chosen = list(sequence_argument("claim_targets", claim_targets))
    return data_json([mapping_argument("a claim target", one) for one in chosen]), "index"
