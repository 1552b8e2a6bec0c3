"""Validation of trust bundles: a closed world, in which every reference leads somewhere.

1. Whatever the published schemas or the reference system's validator refuse at ``schemaVersion``
   5 and later is refused here. Beyond them: an id twice among records of one kind, and dates that
   do not exist.
2. The first fault is raised, under a code of its own and with an exact pointer: the root, then
   the records in the order of ``ROOT``, then references, then what the declared version asks for.
3. Versions 2 to 4 are read, with ``surface`` taken for ``facet``. Nobody writes them any more.
"""

from __future__ import annotations

from typing import Any, Final

from survey_fast.canon import Document
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.trust.bundle_shape import (
    ARRAYS,
    LEGACY_ARRAYS,
    PROOF,
    READABLE,
    REQUIRED_ARRAYS,
    ROOT,
)
from survey_fast.trust.commit_rule import check_commit_rules
from survey_fast.trust.document import read_document
from survey_fast.trust.references import check_own_evidence, check_references, check_unique
from survey_fast.trust.rules import ABSENT, ANYTHING, TEXT, arrays, step
from survey_fast.trust.schema_version import (
    check_confidence,
    check_version_nine,
    smallest_schema_version,
)
from survey_fast.trust.status_version import Version, status_version

__all__ = ["valid_bundle", "validate_trust_bundle"]

_ARRAY: Final = arrays(ANYTHING)
_FIRST_WRITTEN: Final = 5


@collector_paused()
def validate_trust_bundle(
    document: Document,
    *,
    max_bytes: int | None = None,
    version: str | None = None,
    writing: bool = False,
) -> dict[str, Any]:
    """A bundle that is in order.

    Args:
        document: UTF-8 bytes, the text of a document, or plain data.
        max_bytes: cap on the text, 256 MiB unless given, 1 GiB at most.
        version: the status version the bundle is meant for. Only ``"2"`` adds a rule: a claim
            that is verified under a commit rule says which commit it is about.
        writing: refuse as well what is read but not written: ``schemaVersion`` 2 to 4, one that
            is too low for the content, an event that cites another claim's evidence.

    Returns:
        The members of the bundle in their usual order. Records are those of the document; when
        plain data was handed over, they are the caller's own.

    Raises:
        JsonError: not strict JSON, or larger than the cap.
        BundleError: the first fault, with its pointer.
        TypeError, ValueError: not a document; a cap out of range; an unknown status version.
    """
    judged_as = None if version is None else status_version(version)
    return valid_bundle(read_document(document, max_bytes), judged_as, writing=writing)


def valid_bundle(
    bundle: dict[str, Any], judged_as: Version | None = None, *, writing: bool = False
) -> dict[str, Any]:
    """The same for plain data that is known to be strict JSON."""
    declared = _check_root(bundle)
    is_legacy = declared < _FIRST_WRITTEN
    shapes = LEGACY_ARRAYS if is_legacy else ARRAYS
    for name, rule in shapes.items():
        if name in bundle and not rule.holds(bundle[name]):
            raise rule.explain(bundle[name], f"/{name}")
    check_references(bundle)
    if judged_as is not None and not judged_as.is_strict:
        check_commit_rules(bundle)
    for name in bundle:
        if name not in ROOT:
            message = "a bundle has no such member"
            raise refusal("unknown-member", message, step(name))
    check_unique(bundle)
    check_confidence(bundle, declared)
    check_version_nine(bundle, declared)
    if writing:
        _check_written(bundle, declared)
    result: dict[str, Any] = {name: bundle[name] for name in ROOT if name in bundle}
    result["schemaVersion"] = declared
    if is_legacy:
        result["claims"] = [_with_facet(claim) for claim in bundle["claims"]]
    return result


def _check_root(bundle: dict[str, Any]) -> int:
    """The declared version of a bundle whose own members are in order."""
    declared = _declared(bundle.get("schemaVersion", ABSENT))
    if "source" not in bundle or not TEXT.holds(bundle["source"]):
        raise TEXT.explain(bundle.get("source", ABSENT), "/source")
    for name, rule in (("producerId", TEXT), ("proof", PROOF)):
        if name in bundle and not rule.holds(bundle[name]):
            raise rule.explain(bundle[name], f"/{name}")
    for name in ARRAYS:
        value = bundle.get(name, ABSENT)
        is_missing = value is ABSENT and name in REQUIRED_ARRAYS
        if is_missing or (value is not ABSENT and not isinstance(value, list)):
            raise _ARRAY.explain(value, f"/{name}")
    return declared


def _declared(version: object) -> int:
    is_number = isinstance(version, int | float) and not isinstance(version, bool)
    if is_number and version in READABLE:
        return int(version)  # type: ignore[call-overload,no-any-return]
    message = f"the schemaVersion is an integer from {READABLE[0]} to {READABLE[-1]}"
    raise _version(message)


def _check_written(bundle: dict[str, Any], declared: int) -> None:
    """Refuse what is read but never written."""
    if declared < _FIRST_WRITTEN:
        message = f"no bundle is written before schemaVersion {_FIRST_WRITTEN}"
        raise _version(message)
    needed = smallest_schema_version(bundle)
    if declared < needed:
        message = f"the content of the bundle needs schemaVersion {needed}"
        raise refusal("version-too-low", message, "/schemaVersion")
    check_own_evidence(bundle)


def _version(message: str) -> SurveyError:
    return refusal("schema-version", message, "/schemaVersion")


def _with_facet(claim: dict[str, Any]) -> dict[str, Any]:
    """A claim under today's names."""
    if "surface" not in claim:
        return claim
    kept = {name: value for name, value in claim.items() if name != "surface"}
    return {"facet": claim["surface"], **kept} if "facet" not in claim else kept
