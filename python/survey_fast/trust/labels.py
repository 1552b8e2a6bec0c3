"""Labels for calibration from a trust bundle: through its reviewed evidence, and nothing else.

What a bundle says beside its evidence could have been written by anyone. Evidence holds the item
and the decision, and is what they give; so every item of it is restored first, and one that is not
what its own input gives has the whole bundle refused.

A bundle tells of what was exported. Decisions that led to no claim are missing in it, so its labels
are no fair sample of all that was reviewed.
"""

from __future__ import annotations

from survey_fast.audit.calibration import Judgement, Labels, labels_of_decision
from survey_fast.canon import Document
from survey_fast.errors import SurveyError
from survey_fast.trust.evidence import RecordResolver, restore_reviewed_extraction_evidence
from survey_fast.trust.evidence.sidecars import reviewed_part, sidecar_mismatch
from survey_fast.trust.validation import validate_trust_bundle

__all__ = ["labels_of_bundle"]


def labels_of_bundle(
    bundle: Document, resolver: RecordResolver | None = None, *, max_bytes: int | None = None
) -> Labels:
    """The labels of a bundle's reviewed evidence, each decision once.

    Args:
        bundle: a trust bundle as bytes, text or plain data.
        resolver: holds import records that do not ride in the bundle; it is left as it is.
        max_bytes: cap on the text.

    Raises:
        JsonError, BundleError: this is no valid bundle.
        EvidenceError: evidence that does not hold; the pointer leads into the bundle.
        TypeError: not a document.
    """
    evidence = validate_trust_bundle(bundle, max_bytes=max_bytes)["evidence"]
    records = RecordResolver() if resolver is None else resolver.copy()
    for at, one in enumerate(evidence):
        digest = records.collect(one)
        if digest is not None:
            place = f"/evidence/{at}/metadata/reviewedExtraction/importRecord"
            raise sidecar_mismatch(digest, place)
    judgements: dict[tuple[object, ...], Judgement] = {}
    for at, one in enumerate(evidence):
        part = reviewed_part(one)
        if part is None:
            continue
        try:
            restore_reviewed_extraction_evidence(one, records)
        except SurveyError as refused:
            pointer = f"/evidence/{at}{refused.pointer or ''}"
            raise type(refused)(refused.message, pointer, refused.details, refused.code) from None
        given = part["input"]
        if "reviewDecision" in given:
            item, spec = given["reviewItem"], given["reviewDecision"]["spec"]
            # A choice is evidence for each side that is cited; it was made once.
            told = ("reviewItemName", "status", "candidateId", "reviewedAt")
            judgements[tuple(map(spec.get, told))] = labels_of_decision(item, spec)
    return Labels("bundle", [*judgements.values()])
