"""What the demonstration exports: the published extraction, as it was decided and as it misquotes.

The second is the variant in which one answer quotes words that the document does not have. Its
reviewer accepts the value that is left, and the export disputes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import sha256_hex
from survey_fast.cli.demo_real import RealExample
from survey_fast.cli.demo_review import decided
from survey_fast.cli.importing import Opening, round_documents
from survey_fast.cli.output import Output, quoted
from survey_fast.imports import ImportResult
from survey_fast.limits import BUNDLE
from survey_fast.review.session_file import SessionDocument, new_session, read_session
from survey_fast.trust.reviewed_export import bundle_text
from survey_fast.trust.session_export import SessionExport, export_session
from survey_fast.trust.status import derive_claim_statuses
from survey_fast.trust.validation import validate_trust_bundle

__all__ = ["Exported", "RealExports", "decided_session", "run_real_exports", "tell_real_exports"]

_SHOWN_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Exported:
    """An export, and what its bundle derives to."""

    made: SessionExport
    text: bytes
    statuses: Mapping[str, str]

    @property
    def status(self) -> str:
        """The status of its one claim."""
        return next(iter(self.statuses.values()))

    @property
    def value(self) -> Any:  # noqa: ANN401 - any JSON value
        """The value of its one claim."""
        return self.made.export.bundle["claims"][0]["value"]

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "value": self.value,
            "status": self.status,
            "grounding": self.made.export.grounding["outcome"],
            "gaps": [gap for one in self.made.export.refused for gap in one["gaps"]],
            "events": [event["status"] for event in self.made.export.bundle["events"]],
            "bytes": len(self.text),
            "sha256": sha256_hex(self.text),
        }


@dataclass(frozen=True, slots=True)
class RealExports:
    """The export of the chosen value, and that of a value with an excluded rival."""

    chosen: Exported
    contested: Exported

    @property
    def is_as_it_should_be(self) -> bool:
        """Whether the one is verified and the other disputed."""
        return (self.chosen.status, self.contested.status) == ("verified", "disputed")

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {"chosen": self.chosen.to_json(), "contested": self.contested.to_json()}


def run_real_exports(example: RealExample, opening: Opening) -> RealExports:
    """Decide both variants and export them."""
    item = example.imported.review_items[0]
    choice = {"decision": "select", "candidateId": item["spec"]["candidates"][-1]["id"]}
    return RealExports(
        _exported(decided_session(example.imported, choice, opening)),
        _exported(decided_session(example.rivalled, {"decision": "accept"}, opening)),
    )


def decided_session(
    imported: ImportResult, decision: Mapping[str, Any], opening: Opening
) -> SessionDocument:
    """A session in memory over an import of one item, with this decision on it."""
    snapshot, _ = round_documents(imported, opening)
    if snapshot is None:
        message = "the import has something to review"
        raise AssertionError(message)
    root = new_session(
        json.loads(snapshot),
        name=opening.session_name,
        extraction_import=imported.record_bytes,
    )
    document = read_session(root).with_events([], "")
    named = {"item": imported.review_items[0]["metadata"]["name"], **decision}
    _, events = decided(document, [named], opening)
    return document.with_events(events, "")


def _exported(document: SessionDocument) -> Exported:
    made = export_session(document)
    text = bundle_text(made.export.bundle, max_bytes=BUNDLE.default)
    bundle = validate_trust_bundle(text, writing=True)
    return Exported(made, text, derive_claim_statuses(bundle, now=made.generated_at))


def tell_real_exports(output: Output, exports: RealExports) -> None:
    """The chapter."""
    chosen, contested = exports.chosen, exports.contested
    output.line()
    output.line("8. Export: what may be claimed now?", "heading")
    output.line()
    output.paragraph(
        "Back to the fee. The session becomes a trust bundle: the claim, the words it rests on, "
        "the review as an event, and the policy by which anyone can derive its status:"
    )
    output.line()
    output.line(f"    fee {quoted(chosen.value)}   {chosen.status}", "good")
    output.line(
        f"    {len(chosen.text):,} bytes, SHA-256 {sha256_hex(chosen.text)[:_SHOWN_DIGITS]}…, "
        "the same on every export"
    )
    output.line()
    output.paragraph(
        "And where the third answer had quoted words that are not there? The reviewer accepts the "
        "value that is left. The export says that another answer was given for it:"
    )
    output.line()
    gaps = ", ".join(gap for one in contested.made.export.refused for gap in one["gaps"])
    output.line(f"    fee {quoted(contested.value)}   {contested.status} ({gaps})", "bad")
    if not exports.is_as_it_should_be:
        output.line()
        output.paragraph("THESE ARE NOT THE STATUSES THAT THEY SHOULD BE", style="bad")
