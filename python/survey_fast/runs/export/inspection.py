"""The extraction of a run and where each value stands in its text, for reading alone.

1. The prepared text is bound again: a source is *aligned* when every excerpt stands at its span.
   Proposals that were left out at import keep it aligned and are said to be so; where a text was
   never looked at, one excerpt that is not there withholds the text and marks every candidate.
2. Text and excerpts are redacted, each unless it is asked for. Values and scores are never told,
   nor anything that was decided: an inspection is no review and no claim.
3. It works for a run that is partial, blocked or empty. What must not leave is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from survey_fast.canon import canonical_json
from survey_fast.canon.collector import collector_paused
from survey_fast.limits import BUNDLE
from survey_fast.review.decisions import item_name
from survey_fast.runs.export.coverage import coverage_summary
from survey_fast.runs.export.leaving import Leave
from survey_fast.runs.opened import Run, open_run
from survey_fast.storage import COMMAND_WAIT, SYSTEM, FilePath, Files

__all__ = ["Inspected", "inspect_run"]

Record: TypeAlias = Mapping[str, Any]

_API_VERSION: Final = "survey.kontourai.io/v1alpha1"
_IMPORT: Final = "survey.kontourai.io/extraction-envelope"
_REDACTED: Final = "[redacted]"
_OCR: Final = "image-ocr"
_BLOCKED: Final = {
    "unbound-envelope": "the run was taken over without ever having bound its envelope, so its "
    "extraction can be looked at and not be decided"
}


@dataclass(frozen=True, slots=True)
class Inspected:
    """An inspection that may leave.

    Attributes:
        text: canonical text, with a final line feed.
        document: the same as plain data.
        run: the run's resource.
    """

    text: bytes
    document: Record
    run: str


@collector_paused()
def inspect_run(
    path: FilePath,
    *,
    include_prepared_text: bool = False,
    include_excerpts: bool = False,
    allow_disclosure: Iterable[str] = (),
    wait: float = COMMAND_WAIT,
    files: Files = SYSTEM,
) -> Inspected:
    """Inspect the extraction of the run at ``path``.

    Args:
        path: the run directory.
        include_prepared_text: tell the text.
        include_excerpts: tell the words of each candidate.
        allow_disclosure: findings of the scan that may leave, ``RULE@POINTER`` into the envelope.
        wait: seconds to wait for a writer.
        files: the file system.

    Raises:
        SurveyError: as :func:`survey_fast.runs.opened.open_run`.
        RunError: ``DISCLOSURE_REFUSED``.
    """
    run = open_run(path, read_shared_lock=True, wait=wait, files=files)
    leave = Leave.of(run.artifacts.envelope, allow_disclosure)
    view = _View(run)
    spec: dict[str, Any] = {
        "redaction": {
            "preparedTextIncluded": include_prepared_text,
            "excerptsIncluded": include_excerpts,
        },
        "sources": [view.source(include_prepared_text)],
        "candidates": list(view.candidates(include_excerpts)),
        "extraction": view.extraction(),
    }
    if run.blocked is not None:
        spec["reviewBlocked"] = {"reason": run.blocked, "message": _BLOCKED[run.blocked]}
    document: dict[str, Any] = {
        "apiVersion": _API_VERSION,
        "kind": "ExtractionInspectorExport",
        "spec": spec,
    }
    text = canonical_json(document, max_bytes=BUNDLE.ceiling)
    leave.require(text, document, what="the inspection")
    return Inspected(text + b"\n", document, run.manifest.resource)


class _View:
    """A run's import beside its text."""

    def __init__(self, run: Run) -> None:
        record = run.imported.record
        self.envelope: Record = record["spec"]["envelope"]
        self.result: Record = self.envelope["result"]
        self.metadata: Record = record["metadata"]
        self.text = run.artifacts.prepared.decode()
        self.left_out = {
            one["proposalIndex"]
            for one in record["status"]["diagnostics"]
            if one["kind"] == "excerpt-mismatch"
        }
        self.items = _items_by_proposal(run)
        self.key = f"{self.metadata['producerNamespace']}:{self.metadata['name']}:0"
        self.artifact: Record = self.result.get("preparedArtifact", {})
        self.alignment = self._alignment()

    def _alignment(self) -> str:
        """Rule 1."""
        units = self.text.encode("utf-16-le")
        for _, proposal in self._proposals():
            excerpt, (start, end) = proposal["provenance"]["excerpt"], _span(proposal)
            if units[2 * start : 2 * end] != excerpt.encode("utf-16-le"):
                return "excerpt-mismatch"
        return "aligned"

    def _posture(self) -> str:
        if self.alignment == "aligned" and self.left_out:
            return "proposals-excluded"
        status = self.result["outcome"]["status"]
        named = {"failure": "extraction-failed", "partial": "extraction-incomplete"}
        return named.get(status, self.alignment)

    def _proposals(self) -> Iterator[tuple[int, Record]]:
        """Those that are candidates; the others were left out at import."""
        for index, proposal in enumerate(self.result["proposals"]):
            if index not in self.left_out:
                yield index, proposal

    def source(self, include_text: bool) -> dict[str, Any]:  # noqa: FBT001 - told by its name
        told = self.text if self.alignment == "aligned" else None
        source: dict[str, Any] = {
            "key": self.key,
            "importName": self.metadata["name"],
            "sourceRef": self.envelope["source"]["ref"],
            "provider": self.result["provider"],
            "attempt": self.result["runId"],
            "alignment": self.alignment,
            "posture": self._posture(),
            "preparedArtifact": dict(self.artifact),
            "preparedText": told if include_text else _REDACTED,
        }
        for name, held in (("model", self.result), ("snapshotRef", self.envelope["source"])):
            if name in held:
                source[name] = held[name]
        return source

    def candidates(self, include_excerpts: bool) -> Iterator[dict[str, Any]]:  # noqa: FBT001
        for index, proposal in self._proposals():
            start, end = _span(proposal)
            excerpt = proposal["provenance"]["excerpt"]
            candidate: dict[str, Any] = {
                "id": f"{self.key}:proposal:{index}",
                "sourceKey": self.key,
                "proposalIndex": index,
                "field": proposal["fieldPath"],
                "provider": self.result["provider"],
                "attempt": self.result["runId"],
                "inferenceType": proposal.get("inferenceType", "inferred"),
                "start": start,
                "end": end,
                "excerpt": excerpt if include_excerpts else _REDACTED,
                "alignment": self.alignment,
            }
            if index in self.items:
                candidate["reviewItemName"] = self.items[index]
            model = proposal.get("producedBy", self.result).get("model")
            told = {"model": model, "valueType": proposal.get("valueType")}
            told["pathIndices"] = proposal.get("pathIndices")
            candidate |= {name: value for name, value in told.items() if value is not None}
            if self.artifact.get("preparationMode") == _OCR:
                candidate["ocrDerived"] = True
            yield candidate

    def extraction(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "outcome": self.result["outcome"],
            "warningClassifications": self.result.get("warningClassifications", []),
        }
        told |= {name: self.result[name] for name in ("coverage", "partial") if name in self.result}
        summary = coverage_summary(self.result)
        return told if summary is None else told | {"coverageSummary": summary}


def _items_by_proposal(run: Run) -> dict[int, str]:
    """The item that each proposal went into."""
    return {
        index: item_name(item)
        for item in run.imported.review_items
        for index in item["metadata"]["producer"][_IMPORT]["proposalIndices"]
    }


def _span(proposal: Record) -> tuple[int, int]:
    """UTF-16 code units; a proposal without a place starts and ends at 0."""
    _, found, span = proposal["provenance"].get("locator", "").partition("chars:")
    start, _, end = span.partition("-")
    return (int(start), int(end)) if found and start.isdigit() and end.isdigit() else (0, 0)
