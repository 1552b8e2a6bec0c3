"""What an extraction came to, as facts, as files and as text."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from survey_fast.canon import Json, canonical_json, data_json, plain_data, sha256_hex
from survey_fast.cli.output import MOST_ROWS, Output, counted, quoted
from survey_fast.errors import SurveyError
from survey_fast.extraction.extraction import Extraction
from survey_fast.extraction.misfit import misfits
from survey_fast.extraction.providers.offline import OFFLINE_NAME
from survey_fast.extraction.task import Projection
from survey_fast.extraction.unread import unread_labels
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
_LONGEST_TARGET: Final = 8192
"""Characters of one field and its target."""
_MOST_PLACES: Final = 5
"""Places of one label that are shown."""
_MISFIT: Final = {
    "format-invalid": "no date",
    "enum-mismatch": "none of the words that it may be",
}
_REPORTED: Final = ("dropped", "duplicates", "malformedToolItems", "notFound", "truncatedAt")


def contents_of(extraction: Extraction, targets: bytes | None) -> tuple[bytes | None, ...]:
    """The files of an extraction, in the order of ``FILES``."""
    prepared = None if extraction.prepared is None else extraction.prepared.text.encode()
    return prepared, targets, extraction.report_bytes, extraction.envelope


def summary(
    name: str,
    extraction: Extraction,
    folder: Path | None,
    *,
    has_targets: bool,
    projections: Sequence[Projection] = (),
) -> dict[str, Any]:
    """The facts of one extraction; ``projections`` are those it was read by, if it was."""
    result = extraction.document["result"]
    report = extraction.report
    return {
        "source": name,
        "ok": True,
        "outcome": dict(result["outcome"]),
        **({"partial": result["partial"]} if "partial" in result else {}),
        "proposals": [_proposal(one) for one in extraction.proposals],
        **{member: report[member] for member in _REPORTED if member in report},
        **_remarks(extraction, projections),
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


def _remarks(extraction: Extraction, projections: Sequence[Projection]) -> dict[str, Any]:
    told: dict[str, Any] = {"misfits": misfits(extraction.proposals)}
    if projections and extraction.prepared is not None:
        unread = unread_labels(extraction.prepared.text, projections, extraction.proposals)
        told["unreadLabels"] = [one.to_json() for one in unread]
    return {name: listed for name, listed in told.items() if listed}


def _warning(one: Warned) -> dict[str, Any]:
    body: dict[str, Any] = {"category": one.category, "code": one.code, "message": one.message}
    return body if one.chunk is None else body | {"chunk": one.chunk}


def _proposal(proposal: Mapping[str, Any]) -> dict[str, Any]:
    provenance = proposal["provenance"]
    indices = {"pathIndices": proposal["pathIndices"]} if "pathIndices" in proposal else {}
    return {
        "fieldPath": proposal["fieldPath"],
        **indices,
        "value": _written(proposal["candidateValue"]),
        "excerpt": provenance["excerpt"],
        "locator": provenance["locator"],
        # An envelope for older readers does not hold it.
        "valueInExcerpt": proposal.get("evidenceMatch", {}).get("valueInExcerpt"),
    }


def _written(value: Json) -> Json:
    """A value as the envelope writes it: the float 48000.0 of a provider is 48000 there."""
    is_written = value is None or isinstance(value, str | bool | int)
    read: Json = value if is_written else plain_data(canonical_json(data_json(value)))
    return read


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
    """What was not read, not found, or left out, as far as anybody kept it."""
    if body["outcome"]["status"] == "partial":
        partial = body["partial"]
        read = f"{partial['completedChunks']} chunks done, {partial['remainingChunks']} not sent"
        output.line(f"  read only in part ({partial['reason']}): {read}", "bad")
    dropped = body.get("dropped", ())
    for one in dropped[:MOST_ROWS]:
        about = "no field" if one["fieldPath"] is None else one["fieldPath"]
        output.line(f"  left out: {counted(one['count'], 'proposal')} for {about}: {one['reason']}")
    more = sum(one["count"] for one in dropped[MOST_ROWS:])
    if more:
        output.line(f"  left out: {counted(more, 'proposal')} more; --json lists all")
    if body.get("malformedToolItems"):
        items = counted(body["malformedToolItems"], "item")
        output.line(f"  left out: {items} of an answer that are no proposals")
    if body.get("duplicates"):
        output.line(f"  {counted(body['duplicates'], 'proposal')} said what another one had said")
    if body.get("notFound"):
        output.line(f"  not found in the text: {', '.join(body['notFound'])}")
    _tell_unread(output, body)
    _tell_misfits(output, body.get("misfits", ()))
    said = Counter(one["message"] for one in body["warnings"] if one["code"] not in _SHOWN)
    for message, times in list(said.items())[:MOST_ROWS]:
        output.paragraph(message if times == 1 else f"{message} ({times} times)", "  ")
    if len(said) > MOST_ROWS:
        output.line(f"  and {len(said) - MOST_ROWS:,} more warnings; --json lists all")


def _tell_unread(output: Output, body: Mapping[str, Any]) -> None:
    """Labels that were passed over, as far as they are of a provider that goes by labels."""
    unread = body.get("unreadLabels", ())
    for one in unread[:MOST_ROWS]:
        places = ", ".join(one["places"][:_MOST_PLACES])
        more = one["count"] - min(len(one["places"]), _MOST_PLACES)
        at = f"{places} and {more:,} more" if more else places
        label = quoted(f"{one['label']}:")
        if one["form"] == "further":
            output.line(f"  not read: {counted(one['count'], 'further place')} of {label} at {at}")
        else:
            form = quoted(f"{one['label']}: value")
            output.line(f"  not read: {label} at {at} is written otherwise than {form} on a line")
    if len(unread) > MOST_ROWS:
        output.line(f"  and {len(unread) - MOST_ROWS:,} more labels; --json lists all")
    is_first_only = body["provider"] == OFFLINE_NAME
    if is_first_only and any(one["form"] == "further" for one in unread):
        output.line("  offline takes the first in each chunk; --provider pattern takes every one")


def _tell_misfits(output: Output, listed: Sequence[Mapping[str, Any]]) -> None:
    """Values that are not what their field declares: accepted, their claims are disputed."""
    for one in listed[:MOST_ROWS]:
        what = _MISFIT.get(one["schema"]) or f"no {one.get('valueType', 'value of its type')}"
        output.line(
            f"  {_path(one)} at {one['locator']} is {what}; accepted, it is disputed", "bad"
        )
    if len(listed) > MOST_ROWS:
        output.line(f"  and {len(listed) - MOST_ROWS:,} more such values; --json lists all")


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
            _tell_targets(output, list(paths) or ["FIELD"])
    elif done:
        output.line()
        output.line("Nothing was written; --out DIR writes the envelope, the text and the report.")


def _tell_targets(output: Output, paths: Sequence[str]) -> None:
    """A target for each field, to be copied: an import refuses targets that leave a field out."""
    targets = dict.fromkeys(paths[:MOST_ROWS], _TARGET)
    output.line(f"  {quoted(targets, MOST_ROWS * _LONGEST_TARGET)}")
    if len(paths) > MOST_ROWS:
        output.line(f"  and likewise for {len(paths) - MOST_ROWS:,} more fields; --json lists them")


def _import(files: Mapping[str, str | None]) -> str:
    targets = files["targets"]
    folder = Path(str(files["envelope"])).parent
    words = [
        *("survey-fast", "import", str(files["envelope"]), "--prepared", str(files["prepared"])),
        *("--targets", "targets.json" if targets is None else targets),
        *("--source-kind", "uploaded-document", "--output", str(folder / "review")),
    ]
    return shlex.join(words)
