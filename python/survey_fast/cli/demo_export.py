"""The end of the loop: the decided run as a trust bundle, and what its claims amount to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import sha256_hex
from survey_fast.cli.demo_loop import FEE, Loop
from survey_fast.cli.output import Output, quoted
from survey_fast.runs.export.export import Exported, export_run
from survey_fast.trust.status import derive_claim_statuses
from survey_fast.trust.validation import validate_trust_bundle

__all__ = ["LoopExport", "run_export", "tell_export"]

_SHOWN_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class LoopExport:
    """An export, and the status that each claim of its bundle derives to."""

    made: Exported
    statuses: Mapping[str, str]

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Field, value and status of every claim."""
        bundle = self.made.document["bundle"]
        return [
            {
                "field": one["fieldOrBehavior"],
                "value": one["value"],
                "status": self.statuses[one["id"]],
            }
            for one in bundle["claims"]
        ]

    @property
    def is_as_it_should_be(self) -> bool:
        """Whether all is verified but what could not be confirmed, which stays open."""
        verified = [one["field"] for one in self.claims if one["status"] == "verified"]
        return self.made.is_whole and FEE in verified and len(verified) == len(self.claims) - 1

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "complete": self.made.scope["complete"],
            "groundingRefused": self.made.scope.get("groundingRefused", []),
            "claims": self.claims,
            "bytes": len(self.made.text),
            "sha256": sha256_hex(self.made.text),
        }


def run_export(loop: Loop) -> LoopExport:
    """Export the run, and derive the statuses as a reader of the bundle does."""
    made = export_run(loop.path)
    bundle = validate_trust_bundle(made.document["bundle"])
    return LoopExport(made, derive_claim_statuses(bundle, now=made.generated_at))


def tell_export(output: Output, export: LoopExport) -> None:
    """The chapter."""
    output.line()
    output.line("4. Export: what may be claimed now?", "heading")
    output.line()
    output.paragraph(
        "The run becomes a trust bundle: claims, the words each rests on, who verified it when, "
        "over which rivals, and the policy by which anyone can derive its status:"
    )
    output.line()
    rows = [(one["field"], quoted(one["value"], 48), one["status"]) for one in export.claims]
    output.table(("claim", "value", "status"), rows)
    output.line()
    output.line(
        f"    {len(export.made.text):,} bytes, SHA-256 "
        f"{sha256_hex(export.made.text)[:_SHOWN_DIGITS]}…, the same on every export"
    )
    if not export.is_as_it_should_be:
        output.line()
        output.paragraph("THESE ARE NOT THE STATUSES THAT THEY SHOULD BE", style="bad")
