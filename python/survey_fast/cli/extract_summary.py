"""What an extraction came to, as facts, as files and as text."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from survey_fast.canon import sha256_hex
from survey_fast.cli.output import MOST_ROWS, Output, counted, quoted
from survey_fast.errors import SurveyError
from survey_fast.extraction.extraction import Extraction
from survey_fast.extraction.warned import Warned

__all__ = ["FILES", "contents_of", "failed", "summary", "tell", "tell_lost", "tell_next"]

FILES: Final = (
    "prepared.txt",
    "targets.json",
    "extraction-report.json",
    "extraction-envelope.json",
)
"""What is written, the envelope last: without it the set is not complete."""
_SHOWN: Final = frozenset(
    {
        "content-chunking",
        "malformed-tool-items",
        "max-chunks",
        "partial-stop",
        "proposal-normalization",
    }
)
"""Warnings about what is said in other words already, or is no loss."""
_TARGET: Final = {
    "subjectType": "contract",
    "subjectId": "contract-1",
    "facet": "terms",
    "claimType": "stated",
    "impactLevel": "medium",
}
_REPORTED: Final = ("dropped", "duplicates", "malformedToolItems", "notFound", "truncatedAt")


def contents_of(extraction: Extraction, targets: bytes | None) -> tuple[bytes | None, ...]:
    """The files of an extraction, in the order of ``FILES``."""
    prepared = None if extraction.prepared is None else extraction.prepared.text.encode()
    return prepared, targets, extraction.report_bytes, extraction.envelope


def summary(
    name: str, extraction: Extraction, folder: Path | None, *, has_targets: bool
) -> dict[str, Any]:
    """The facts of one extraction."""
    result = extraction.document["result"]
    report = extraction.report
    return {
        "source": name,
        "ok": True,
        "outcome": dict(result["outcome"]),
        **({"partial": result["partial"]} if "partial" in result else {}),
        "proposals": [_proposal(one) for one in extraction.proposals],
        **{member: report[member] for member in _REPORTED if member in report},
        "provider": result["provider"],
        "providerCalls": result["providerCalls"],
        "totalTokensUsed": result["totalTokensUsed"],
        "warnings": [_warning(one) for one in extraction.warnings],
        "runId": result["runId"],
        "sourceRef": extraction.document["source"]["ref"],
        "digests": {
            "envelope": report["envelopeDigest"],
            "report": sha256_hex(extraction.report_bytes),
        },
        "files": None if folder is None else _files(folder, has_targets=has_targets),
    }


def _warning(one: Warned) -> dict[str, Any]:
    body: dict[str, Any] = {"category": one.category, "code": one.code, "message": one.message}
    return body if one.chunk is None else body | {"chunk": one.chunk}


def _proposal(proposal: Mapping[str, Any]) -> dict[str, Any]:
    provenance = proposal["provenance"]
    indices = {"pathIndices": proposal["pathIndices"]} if "pathIndices" in proposal else {}
    return {
        "fieldPath": proposal["fieldPath"],
        **indices,
        "value": proposal["candidateValue"],
        "excerpt": provenance["excerpt"],
        "locator": provenance["locator"],
        # An envelope for older readers does not hold it.
        "valueInExcerpt": proposal.get("evidenceMatch", {}).get("valueInExcerpt"),
    }


def _files(folder: Path, *, has_targets: bool) -> dict[str, str | None]:
    names = ("prepared", "targets", "report", "envelope")
    files: dict[str, str | None] = {
        name: str(folder / file) for name, file in zip(names, FILES, strict=True)
    }
    return files if has_targets else files | {"targets": None}


def failed(name: str, error: SurveyError) -> dict[str, Any]:
    """The facts of a source that gave no extraction."""
    return {"source": name, "ok": False, "error": error.to_json()}


def tell(output: Output, body: Mapping[str, Any], *, is_only: bool) -> None:
    """One source, for people: in full when it is the only one."""
    if not body["ok"]:
        if not is_only:
            error = body["error"]
            output.line(f"{body['source']}: {error['code']}: {error['message']}", "bad")
        return
    found = counted(len(body["proposals"]), "proposal")
    output.line(f"{body['source']}: {found}", "good")
    if is_only:
        _tell_proposals(output, body["proposals"])
    tell_lost(output, body)
    if body["removed"]:
        output.note(f"--force removed {', '.join(body['removed'])}")


def _tell_proposals(output: Output, proposals: Sequence[Mapping[str, Any]]) -> None:
    if not proposals:
        return
    rows = [
        (_path(one), quoted(one["value"], 40), quoted(one["excerpt"], 48), one["locator"])
        for one in proposals[:MOST_ROWS]
    ]
    output.table(("field", "value", "words", "place"), rows)
    if len(proposals) > MOST_ROWS:
        output.line(f"and {len(proposals) - MOST_ROWS:,} more; --json lists all")


def _path(proposal: Mapping[str, Any]) -> str:
    row = ".".join(map(str, proposal.get("pathIndices", ())))
    return f"{proposal['fieldPath']} #{row}" if row else str(proposal["fieldPath"])


def tell_lost(output: Output, body: Mapping[str, Any]) -> None:
    """What was not read, not found, or left out."""
    if body["outcome"]["status"] == "partial":
        partial = body["partial"]
        read = f"{partial['completedChunks']} chunks done, {partial['remainingChunks']} not sent"
        output.line(f"  read only in part ({partial['reason']}): {read}", "bad")
    for one in body["dropped"][:MOST_ROWS]:
        about = "no field" if one["fieldPath"] is None else one["fieldPath"]
        output.line(f"  left out: {counted(one['count'], 'proposal')} for {about}: {one['reason']}")
    more = sum(one["count"] for one in body["dropped"][MOST_ROWS:])
    if more:
        output.line(f"  left out: {counted(more, 'proposal')} more; --json lists all")
    if body["malformedToolItems"]:
        items = counted(body["malformedToolItems"], "item")
        output.line(f"  left out: {items} of an answer that are no proposals")
    if body["duplicates"]:
        output.line(f"  {counted(body['duplicates'], 'proposal')} said what another one had said")
    if body.get("notFound"):
        output.line(f"  not found in the text: {', '.join(body['notFound'])}")
    said = Counter(one["message"] for one in body["warnings"] if one["code"] not in _SHOWN)
    for message, times in list(said.items())[:MOST_ROWS]:
        output.paragraph(message if times == 1 else f"{message} ({times} times)", "  ")
    if len(said) > MOST_ROWS:
        output.line(f"  and {len(said) - MOST_ROWS:,} more warnings; --json lists all")


def tell_next(output: Output, bodies: Sequence[Mapping[str, Any]]) -> None:
    """Where the files are, and what to do with them."""
    written = [one for one in bodies if one["ok"] and one["files"] is not None]
    done = [one for one in bodies if one["ok"]]
    if written:
        files = written[0]["files"]
        output.line()
        is_one = len(written) == 1
        output.line(f"Next: turn {'it' if is_one else 'each'} into a review queue")
        output.line(f"  {_import(files)}")
        if not is_one:
            output.line(f"  and likewise for the other {len(written) - 1}")
        if files["targets"] is None:
            paths = dict.fromkeys(one["fieldPath"] for one in written[0]["proposals"])
            output.line("where targets.json is yours to write, and says what each field claims:")
            output.line(f"  {quoted({next(iter(paths), 'FIELD'): _TARGET}, 400)}")
    elif done:
        output.line()
        output.line("Nothing was written; --out DIR writes the envelope, the text and the report.")


def _import(files: Mapping[str, str | None]) -> str:
    targets = files["targets"]
    folder = Path(str(files["envelope"])).parent
    words = [
        *("survey-fast", "import", str(files["envelope"]), "--prepared", str(files["prepared"])),
        *("--targets", "targets.json" if targets is None else targets),
        *("--source-kind", "uploaded-document", "--output", str(folder / "review")),
    ]
    return shlex.join(words)
