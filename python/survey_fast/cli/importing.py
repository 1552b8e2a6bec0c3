"""``survey-fast import``: an extraction envelope becomes a review queue, bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from survey_fast import limits
from survey_fast.attest import bind_review_queue
from survey_fast.canon import Json, canonical_json
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import (
    FILE,
    INSTANT,
    NAMED,
    WORDS,
    SurveyCommand,
    capped,
    max_bytes,
    max_items,
)
from survey_fast.cli.folder import place_all
from survey_fast.cli.import_summary import summary, tell
from survey_fast.cli.output import Output
from survey_fast.cli.reading import Source, concerning, prepared_text, read_source, strict_json
from survey_fast.errors import SurveyError, refusal
from survey_fast.imports import ImportResult, available_artifact, import_envelope
from survey_fast.limits import ImportLimits
from survey_fast.review import open_review_queue

__all__ = ["FILES", "SESSION_NAME", "SOURCE_KINDS", "Opening", "command", "round_documents"]

SESSION_NAME: Final = "review-workbench-session"
SOURCE_KINDS: Final = (
    "uploaded-document",
    "web-page",
    "api-record",
    "manual-entry",
    "policy-standard",
    "inquiry-question",
    "agent-utterance",
    "system-schema",
    "structured-file",
)
"""The kinds of ``survey_fast.model``, written out because importing that takes a while."""

_REMEDY: Final = (
    "choose another --output, or give --force to discard what is there, its binding included "
    "(the same import gives the same files only with the same --reviewed-at)"
)
FILES: Final = ("import.json", "review-queue.json", "binding.json")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What an import reads."""

    envelope: Source
    prepared: Source | None
    targets: Source


@dataclass(frozen=True, slots=True)
class Opening:
    """When a round opens, who reviews, and under which session."""

    reviewed_at: str
    reviewer: str = "unattributed"
    session_name: str = SESSION_NAME


@click.command(
    "import",
    cls=SurveyCommand,
    arguments={"ENVELOPE": "The extraction, a traverse-extraction-result of version 1."},
    examples=[
        "survey-fast import envelope.json --prepared contract.txt --targets targets.json \\",
        "    --source-kind uploaded-document --output review/",
    ],
    exits={
        0: "the import is grounded; its files are written",
        1: "refused, nothing written; or unresolved, and only import.json is written",
    },
)
@click.argument("envelope", metavar="ENVELOPE", type=FILE)
@click.option(
    "--prepared",
    metavar="FILE",
    type=FILE,
    help="The text that was read, UTF-8. With it every excerpt is looked up at its place; "
    "without it the import is unverified.",
)
@click.option(
    "--targets",
    metavar="FILE",
    type=FILE,
    required=True,
    help="What each field is a claim about: an object {fieldPath: claimTarget}, or an array with "
    "one claim target for each proposal.",
)
@click.option(
    "--source-kind",
    metavar="KIND",
    type=click.Choice(SOURCE_KINDS),
    required=True,
    help=f"Kind of the source: {', '.join(SOURCE_KINDS)}.",
)
@click.option("--import-name", type=WORDS, help="Name of the import  [default: its run id]")
@click.option("--namespace", type=WORDS, help="Name of the producer  [default: its provider]")
@click.option(
    "--reviewer",
    type=WORDS,
    default="unattributed",
    show_default=True,
    help="Who is going to review.",
)
@click.option(
    "--reviewed-at", metavar="INSTANT", type=INSTANT, help="When the round opens  [default: now]"
)
@click.option(
    "--session-name",
    type=WORDS,
    default=SESSION_NAME,
    show_default=True,
    help="The session that the queue is bound for.",
)
@click.option(
    "--output",
    "folder",
    metavar="DIR",
    type=NAMED,
    required=True,
    help="Folder for import.json, review-queue.json and binding.json.",
)
@click.option("--force", is_flag=True, help="Replace what these files hold already.")
@max_bytes
@max_items
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    envelope: Path,
    prepared: Path | None,
    targets: Path,
    source_kind: str,
    import_name: str | None,
    namespace: str | None,
    reviewer: str,
    reviewed_at: str | None,
    session_name: str,
    folder: Path,
    force: bool,
    max_bytes: int | None,
    max_items: int | None,
    output: Output,
) -> int:
    """Turn an extraction envelope into a review queue, and bind it.

    Proposals for the same claim become one item to review. A proposal whose excerpt does not
    stand at its place is left out: its item shows it as an excluded rival, which nobody can
    choose. The binding records what the review starts from.
    """
    caps = ImportLimits(envelope_bytes=capped(limits.ENVELOPE, max_bytes), items=max_items)
    inputs = _read(envelope, prepared, targets, max_bytes)
    names = {"import_name": import_name, "producer_namespace": namespace}
    opening = Opening(reviewed_at or canonical_instant(clock()), reviewer, session_name)
    with output.working("importing"):
        result = _imported(inputs, source_kind, names, caps)
        snapshot, binding = round_documents(result, opening, caps)
        body = summary(result, folder, (snapshot, binding), caps)
        contents = (result.record_bytes, snapshot, binding)
        wanted = dict(zip(FILES, contents, strict=True))
        removed = place_all(folder, wanted, remedy=_REMEDY, force=force)
    if removed:
        output.note(f"--force removed {', '.join(removed)} of the import that was in {folder}")
    return _report(output, body | {"removed": removed})


def _report(output: Output, body: Mapping[str, Any]) -> int:
    tell(output, body)
    if body["state"] == "grounded":
        output.answer({"ok": True, **body})
        return 0
    message = "the import is unresolved, so there is nothing to review; its diagnostics say why"
    error = refusal("import-not-grounded", message)
    output.refuse(error, body)
    return error.exit_code


def round_documents(
    result: ImportResult, opening: Opening, caps: ImportLimits = limits.DEFAULT
) -> tuple[bytes | None, bytes | None]:
    """Queue and binding as they are stored: canonical, with a final line feed.

    An unresolved import has neither, and an empty queue has no binding.
    """
    if not result.is_grounded:
        return None, None
    opened = open_review_queue(
        result, reviewed_at=opening.reviewed_at, actor_id=opening.reviewer, limits=caps
    )
    snapshot = canonical_json(opened)
    if not opened["items"]:
        return snapshot + b"\n", None
    bound = bind_review_queue(
        snapshot, session_name=opening.session_name, bound_at=opening.reviewed_at, limits=caps
    )
    return snapshot + b"\n", canonical_json(bound) + b"\n"


def _read(envelope: Path, prepared: Path | None, targets: Path, most: int | None) -> Inputs:
    for_envelope = capped(limits.ENVELOPE, most)
    return Inputs(
        envelope=read_source(envelope, limits.ENVELOPE, for_envelope),
        prepared=None
        if prepared is None
        else read_source(prepared, limits.PREPARED, capped(limits.PREPARED, most)),
        targets=read_source(targets, limits.ENVELOPE, for_envelope),
    )


def _imported(
    inputs: Inputs, source_kind: str, names: Mapping[str, str | None], caps: ImportLimits
) -> ImportResult:
    artifact = None
    if inputs.prepared is not None:
        artifact = available_artifact(prepared_text(inputs.prepared))
    targets = _targets(inputs.targets)
    try:
        return import_envelope(
            inputs.envelope.raw,
            source_kind=source_kind,
            claim_targets=targets,
            artifact=artifact,
            limits=caps,
            **names,
        )
    except SurveyError as error:
        with concerning(_culprit(error, inputs)):
            raise


def _culprit(error: SurveyError, inputs: Inputs) -> Source:
    """The file that a refusal of the import is about."""
    if error.code == "import-target-invalid":
        return inputs.targets
    if error.code == "artifact-option-invalid" and inputs.prepared is not None:
        return inputs.prepared
    return inputs.envelope


def _targets(source: Source) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
    document = strict_json(source)
    with concerning(source):
        if isinstance(document, dict):
            return document
        if not isinstance(document, list):
            message = "claim targets are an object by field path, or an array"
            raise refusal("import-target-invalid", message, "")
        return [_target(one, place) for place, one in enumerate(document)]


def _target(target: Json, place: int) -> dict[str, Json]:
    if isinstance(target, dict):
        return target
    message = "a claim target is an object"
    raise refusal("import-target-invalid", message, f"/{place}")
