"""Whether evidence can rest on a run: asked before it is made, so that it can be exported.

An import asks less of an envelope than the evidence of a review asks of the record of that import.
A run over an extraction that lacks the rest could be decided and would never leave.

Proposals are no part of the question. Whatever an import takes as one is read again, and evidence
that one of them cannot carry is told of its claim alone. So the record is looked at without them.
"""

from __future__ import annotations

from typing import Any, Final

from survey_fast import _core
from survey_fast.canon import plain_data
from survey_fast.errors import SurveyError
from survey_fast.limits import ENVELOPE
from survey_fast.runs.opened import Metadata
from survey_fast.trust.evidence.record import read_record

__all__ = ["require_citable"]

_PLACE: Final = "/spec/envelope"
_TOLD: Final = ("format", "version", "source")
_RESULT: Final = (
    *("provider", "runId", "model", "extractedAt", "taskDigest", "exampleDigests"),
    *("preparedArtifact", "preparedArtifactState"),
)
"""What evidence asks of an extraction, but for what it proposes and what became of it."""


def require_citable(run: Metadata) -> None:
    """Refuse a run on whose extraction no evidence could rest.

    Args:
        run: a run that was opened.

    Raises:
        EvidenceError: as :func:`survey_fast.trust.evidence.record.read_record` raises; the pointer
            leads into the envelope, as far as the envelope is what is wrong.
    """
    text = run.agreed.envelope.text
    *told, result = _core.member_texts(text, [*_TOLD, "result"], ENVELOPE.ceiling)
    found = _core.member_texts(result or b"{}", list(_RESULT), ENVELOPE.ceiling)
    record: dict[str, Any] = {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ExtractionEnvelopeImport",
        "metadata": {
            "name": run.manifest.import_name,
            "producerNamespace": run.manifest.namespace,
        },
        "spec": {
            "envelope": {
                **_data(_TOLD, told),
                "result": {**_data(_RESULT, found), "proposals": []},
            },
            "claimTargets": [],
        },
        "status": run.imported.status,
    }
    try:
        read_record(record)
    except SurveyError as fault:
        place = fault.pointer
        if place is not None and place.startswith(f"{_PLACE}/"):
            place = place.removeprefix(_PLACE)
        raise type(fault)(fault.message, place, fault.details, fault.code) from None


def _data(names: tuple[str, ...], texts: list[bytes | None]) -> dict[str, Any]:
    """The members that are there, as plain data."""
    return {
        name: plain_data(text) for name, text in zip(names, texts, strict=True) if text is not None
    }
