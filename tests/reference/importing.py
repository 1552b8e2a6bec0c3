"""Import of an extraction envelope.

1. The order of work: read the envelope; judge it; find a target for every proposal and judge the
   targets; names; the artifact option and, when its text is aligned, every excerpt; the record;
   then the whole record is judged again, so that a bad source kind shows here.
2. The import name defaults to the run id, the producer namespace to the provider.
3. The answer is the record and its review items. The caller's objects are not changed.
4. Without the text, a status that was stored earlier may be put in place of a fresh one; it must be
   coherent, and then the items are those of the import that wrote it.
"""

from __future__ import annotations

from typing import Any

from tests.reference.canonical import checked_copy, parse
from tests.reference.envelope import validate_envelope
from tests.reference.items import API_VERSION, build_items, excluded_indices
from tests.reference.record import export_import, reimport, validate_import
from tests.reference.refusal import ROOT, Json, Refused
from tests.reference.status import make_status, require_artifact_option
from tests.reference.targets import ClaimTargets, find_targets
from tests.reference.wire import require_trimmed_text

__all__ = [
    "excluded_indices",
    "export_import",
    "import_envelope",
    "import_with_status",
    "reimport",
    "review_items",
    "validate_import",
]

Record = dict[str, Json]
Items = list[dict[str, Json]]


def import_envelope(
    envelope: bytes | str | dict[str, Json],
    *,
    source_kind: str,
    claim_targets: ClaimTargets,
    import_name: str | None = None,
    producer_namespace: str | None = None,
    artifact: Json = None,
    profile: str = "jcs",
) -> tuple[Record, Items]:
    """Rules 1 to 3."""
    checked = validate_envelope(_read(envelope))
    result = checked["result"]
    targets = find_targets(claim_targets, result["proposals"])
    name = result["runId"] if import_name is None else import_name
    namespace = result["provider"] if producer_namespace is None else producer_namespace
    require_trimmed_text(name, "/metadata/name")
    require_trimmed_text(namespace, "/metadata/producerNamespace")
    if artifact is not None:
        require_artifact_option(artifact, result)
    record = validate_import(
        {
            "apiVersion": API_VERSION,
            "kind": "ExtractionEnvelopeImport",
            "metadata": {"name": name, "producerNamespace": namespace},
            "spec": {"envelope": checked, "sourceKind": source_kind, "claimTargets": targets},
            "status": make_status(result, artifact),
        }
    )
    return record, build_items(record, profile)


def review_items(record: Json, profile: str = "jcs") -> Items:
    """The items of a stored record, judged first."""
    return build_items(validate_import(record), profile)


def import_with_status(
    envelope: bytes | str | dict[str, Json], status: Json, **options: Any
) -> tuple[Record, Items]:
    """Rule 4; the options are those of `import_envelope` without `artifact`."""
    record, _ = import_envelope(envelope, **options)
    bound = validate_import({**record, "status": checked_copy(status, lossless=True)})
    return bound, build_items(bound, options.get("profile", "jcs"))


def _read(envelope: bytes | str | dict[str, Json]) -> Json:
    if isinstance(envelope, bytes):
        return parse(envelope, lossless=True)
    if isinstance(envelope, str):
        try:
            return parse(envelope.encode("utf-8"), lossless=True)
        except UnicodeEncodeError as fault:
            raise Refused(ROOT, "json-encoding", "text with half a surrogate pair") from fault
    return envelope
