"""``survey-fast session export``: the decisions of a session as a trust bundle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.canon import sha256_hex
from survey_fast.cli.command import FILE, TARGET, SurveyCommand, is_stdout
from survey_fast.cli.output import MOST_ROWS, JsonText, Output, counted, quoted
from survey_fast.cli.publishing import require_other, target_name
from survey_fast.cli.reading import Source, concerning
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.stored import loaded, tell_unverified
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE, QUEUE, ImportLimits
from survey_fast.storage import publish, read_bounded
from survey_fast.trust.reviewed_export import bundle_text
from survey_fast.trust.session_export import SessionExport, export_session
from survey_fast.trust.status import derive_claim_statuses

__all__ = ["command"]

_PARTIAL: Final = 3
_NOT_EVALUATED: Final = "not-evaluated"


@click.command(
    "export",
    cls=SurveyCommand,
    arguments={"FILE": "The session, NAME.json."},
    examples=[
        "survey-fast session export round.json --output bundle.json",
        "survey-fast session export round.json --whole --output export.json --json",
    ],
    exits={
        0: "exported whole, and every verified claim is grounded or could not be checked",
        1: "refused, nothing written",
        3: "exported, but items were left out or the grounding of a claim was refused",
    },
)
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--output", "target", metavar="OUT", type=TARGET, help="The file to write, or - for a pipe."
)
@click.option("--force", is_flag=True, help="Replace a file that stands there.")
@click.option(
    "--whole",
    is_flag=True,
    help="Write a ReviewedExport: the bundle, how its grounding was judged, and what the export "
    "covers.",
)
@click.option(
    "--allow-seeded",
    is_flag=True,
    help="Take decisions that the snapshot already holds; they pass the same checks.",
)
@limited
def command(
    *,
    file: Path,
    target: Path | None,
    force: bool,
    whole: bool,
    allow_seeded: bool,
    caps: ImportLimits,
    output: Output,
) -> int:
    """Make a trust bundle of what is decided.

    The session is checked whole, as by apply. Every decided item becomes a claim, with the words
    it rests on and the event of its review. Where the session holds its import, each claim is held
    against it: a verified claim that an excluded rival contradicts, or whose value breaks its
    type, is stated as disputed.

    What is not decided is left out and listed. The bundle passes `survey-fast bundle validate
    --writing`, or it is not written. The same session gives the same bytes.
    """
    if target is not None:
        require_other(target, file)
    with output.working("exporting"), concerning(Source(str(file), b"")):
        document = loaded(file, caps)
        exported = export_session(document, allow_seeded=allow_seeded)
        content = exported.document() if whole else exported.export.bundle
        text = bundle_text(content, max_bytes=_most(caps))
        statuses = derive_claim_statuses(exported.export.bundle, now=exported.generated_at)
    if target is not None:
        _write(target, text, force=force)
    body: dict[str, Any] = {
        "ok": True,
        "name": document.name,
        **_told(exported, statuses),
        "bytes": len(text),
        "sha256": sha256_hex(text),
    }
    if target is None:
        body["export" if whole else "bundle"] = JsonText(memoryview(text)[:-1])
    else:
        body["output"] = str(target)
    output.answer(body)
    _tell(output, exported, statuses)
    _tell_written(output, exported, target, len(text))
    return 0 if exported.is_whole else _PARTIAL


def _most(caps: ImportLimits) -> int:
    """Whoever reads larger queues than usual writes larger exports."""
    is_raised = caps.queue_bytes is not None and caps.queue_bytes > QUEUE.default
    return BUNDLE.ceiling if is_raised else BUNDLE.default


def _write(target: Path, text: bytes, *, force: bool) -> None:
    """Publish the export; a file that holds it already is left alone."""
    if is_stdout(target):
        click.echo(text, nl=False)
        return
    try:
        publish(target, text, replacing=force)
    except SurveyError as refused:
        if refused.code != "file-exists":
            raise
        if read_bounded(target, BUNDLE, BUNDLE.ceiling) != text:
            message = f"{target} holds something else; --force replaces it"
            raise refusal("file-exists", message, None, {"path": str(target)}) from None


def _told(exported: SessionExport, statuses: Mapping[str, str]) -> dict[str, Any]:
    """The facts for the JSON document."""
    export, scope = exported.export, exported.scope
    fields = _fields(exported)
    body: dict[str, Any] = {
        "revision": scope["revision"],
        "source": exported.source,
        "generatedAt": exported.generated_at,
        "complete": scope["complete"],
        "excluded": scope["excluded"],
        "groundingRefused": list(export.refused),
        "groundingUnchecked": list(export.unchecked),
        "grounding": {
            name: export.grounding[name]
            for name in ("outcome", "reason")
            if name in export.grounding
        },
        "withoutEvidence": [
            {"reviewItemName": name, **refused.to_json()}
            for name, refused in export.without_evidence.items()
        ],
        "statuses": dict(Counter(statuses.values())),
        "claims": [
            {
                "claimId": claim_id,
                "reviewItemName": name,
                "fieldPath": fields[name],
                "status": statuses[claim_id],
            }
            for name, claim_id in export.claim_ids.items()
        ],
    }
    if exported.attestation is not None:
        body["attestation"] = exported.attestation.state
    return body


def _fields(exported: SessionExport) -> dict[str, str]:
    return {one["metadata"]["name"]: one["spec"]["target"] for one in exported.items}


def _tell(output: Output, exported: SessionExport, statuses: Mapping[str, str]) -> None:
    tell_unverified(output, exported.attestation)
    export = exported.export
    values = {claim["id"]: claim["value"] for claim in export.bundle["claims"]}
    fields = _fields(exported)
    rows = [
        (statuses[claim_id], fields[name], quoted(values[claim_id], 40), claim_id)
        for name, claim_id in [*export.claim_ids.items()][:MOST_ROWS]
    ]
    output.table(("status", "field", "value", "claim"), rows)
    _tell_rest(output, export.claim_ids)
    refused = [
        (one["fieldPath"], ", ".join(one["gaps"]), statuses[one["claimId"]])
        for one in export.refused[:MOST_ROWS]
    ]
    if refused:
        output.line()
        output.table(("grounding refused", "because", "status"), refused)
        _tell_rest(output, export.refused)
    for name, why in [*export.without_evidence.items()][:MOST_ROWS]:
        output.note(f"no evidence for {name} ({why.code}): {why.message}")
    _tell_excluded(output, exported)


def _tell_excluded(output: Output, exported: SessionExport) -> None:
    rows = [
        (one.field_path, one.code, ", ".join(one.item_names))
        for one in exported.excluded[:MOST_ROWS]
    ]
    if rows:
        output.line()
        output.table(("left out", "because", "items"), rows)
        _tell_rest(output, exported.excluded)


def _tell_rest(output: Output, listed: Sequence[object] | Mapping[str, object]) -> None:
    if len(listed) > MOST_ROWS:
        output.line(f"and {len(listed) - MOST_ROWS:,} more; --json lists all")


def _tell_written(output: Output, exported: SessionExport, target: Path | None, size: int) -> None:
    output.line()
    export = exported.export
    if export.grounding["outcome"] == _NOT_EVALUATED:
        output.paragraph(f"Grounding not evaluated: {export.grounding['message']}.")
    said = [counted(len(export.claim_ids), "claim")]
    if exported.excluded:
        said.append(f"{counted(len(exported.excluded), 'exclusion')}")
    if export.refused:
        said.append(f"{counted(len(export.refused), 'refused grounding')}")
    if export.unchecked:
        said.append(f"{counted(len(export.unchecked), 'unchecked structure')}")
    place = "nothing written, as no --output was given" if target is None else target_name(target)
    output.line(
        f"{', '.join(said)}; {place} ({size:,} bytes)", "good" if exported.is_whole else "bad"
    )
