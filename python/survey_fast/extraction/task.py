r"""The task file: what is looked for, how the offline provider finds it, what it is a claim about.

1. UTF-8 JSON of at most 256 KiB; every object is closed, every text and array is bounded.
2. Each projection names one declared field, once, and a pattern of one form: a label, a colon and
   a space, then ``([^\n]+)``. There is nothing else in the language, so no pattern can be slow.
3. Every field has a projection. Without one a proposal would have no claim target, which an
   import refuses after the extraction was made and paid for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast import limits
from survey_fast.canon import canonical_json, plain_data, reading
from survey_fast.canon.document import Document
from survey_fast.extraction.target_schema import check_target_schema
from survey_fast.extraction.task_shape import TEXT, array, closed, invalid_task, text, word
from survey_fast.extraction.task_spec import build_task_spec

__all__ = ["Projection", "Task", "read_task"]

_API_VERSION: Final = "fieldwork.kontourai.io/v1alpha1"
_KIND: Final = "FieldworkTask"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,127}")
_PATTERN: Final = re.compile(r"([A-Za-z0-9 _./-]+): \(\[\^\\n\]\+\)")
_PATTERN_UNITS: Final = 512
_ENUM_VALUES: Final = 256
_CLAIM: Final = ("subjectType", "subjectId", "facet", "claimType")
_IMPACTS: Final = ("low", "medium", "high", "critical")


@dataclass(frozen=True, slots=True)
class Projection:
    """One field, the label it stands behind, and the claim that its value is about.

    Attributes:
        field_path: the path of a target field.
        label: the text before the colon.
        claim: subjectType, subjectId, facet, claimType and impactLevel.
    """

    field_path: str
    label: str
    claim: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Task:
    """A task file that holds.

    Attributes:
        name: ``metadata.name``.
        document: the whole file as plain data.
        canonical: the same as canonical text.
        target_schema: the fields, for the run.
        task_spec: the task spec, with its digest.
        projections: in the order of the file.
    """

    name: str
    document: Mapping[str, Any]
    canonical: bytes
    target_schema: Sequence[Mapping[str, Any]]
    task_spec: Mapping[str, Any]
    projections: tuple[Projection, ...]

    def claim_targets(self) -> dict[str, dict[str, str]]:
        """The claim target of every field path, as an import takes them."""
        return {
            one.field_path: {**one.claim, "fieldOrBehavior": one.field_path}
            for one in self.projections
        }


def read_task(document: Document) -> Task:
    """Read a task file.

    Args:
        document: the file's bytes, its text, or plain data.

    Raises:
        JsonError: no strict JSON, or more than 256 KiB.
        ExtractionError: ``INVALID_TASK`` with a pointer.
    """
    with reading(document) as raw:
        canonical = canonical_json(raw, max_bytes=limits.TASK_FILE.default)
    whole = closed(plain_data(canonical), "", ("apiVersion", "kind", "metadata", "spec"))
    word(whole["apiVersion"], "/apiVersion", (_API_VERSION,))
    word(whole["kind"], "/kind", (_KIND,))
    name = closed(whole["metadata"], "/metadata", ("name",))["name"]
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        message = "a task's name is up to 128 lower-case letters, digits and -, no - first"
        raise invalid_task(message, "/metadata/name")
    spec = closed(whole["spec"], "/spec", ("traverse", "projections"))
    traverse = _traverse(spec["traverse"])
    stored = array(spec["projections"], "/spec/projections", limits.TARGET_FIELDS, 1)
    for index, one in enumerate(stored):
        _check_projection(one, f"/spec/projections/{index}")
    schema = check_target_schema(traverse["targetSchema"], "/spec/traverse/targetSchema")
    text(traverse["version"], "/spec/traverse/version", blank=False)
    return Task(
        name=name,
        document=whole,
        canonical=canonical,
        target_schema=schema,
        task_spec=build_task_spec(
            version=traverse["version"],
            target_schema=schema,
            guidance=traverse.get("guidance"),
        ),
        projections=_projections(stored, schema),
    )


def _traverse(value: object) -> dict[str, Any]:
    pointer = "/spec/traverse"
    members = closed(value, pointer, ("version", "targetSchema"), ("guidance",))
    text(members["version"], f"{pointer}/version", TEXT)
    if "guidance" in members:
        text(members["guidance"], f"{pointer}/guidance", TEXT)
    fields = array(members["targetSchema"], f"{pointer}/targetSchema", limits.TARGET_FIELDS, 1)
    for index, one in enumerate(fields):
        if isinstance(one, dict):
            _check_bounds(one, f"{pointer}/targetSchema/{index}")
    return members


def _check_bounds(field: Mapping[str, Any], pointer: str) -> None:
    """Lengths that a task file allows; the rest of a field is checked with the schema."""
    for name in ("path", "description"):
        if name in field:
            text(field[name], f"{pointer}/{name}", TEXT)
    values = array(field.get("enumValues", []), f"{pointer}/enumValues", _ENUM_VALUES)
    for place, value in enumerate(values):
        text(value, f"{pointer}/enumValues/{place}", TEXT)


def _check_projection(value: object, pointer: str) -> None:
    members = closed(value, pointer, ("fieldPath", "pattern", "claim"))
    text(members["fieldPath"], f"{pointer}/fieldPath", TEXT)
    text(members["pattern"], f"{pointer}/pattern", _PATTERN_UNITS)
    claim = closed(members["claim"], f"{pointer}/claim", (*_CLAIM, "impactLevel"))
    for name in _CLAIM:
        text(claim[name], f"{pointer}/claim/{name}", TEXT, blank=False)
    word(claim["impactLevel"], f"{pointer}/claim/impactLevel", _IMPACTS)


def _projections(
    stored: Sequence[Mapping[str, Any]], schema: Sequence[Mapping[str, Any]]
) -> tuple[Projection, ...]:
    declared = {one["path"] for one in schema}
    found: dict[str, Projection] = {}
    for index, one in enumerate(stored):
        pointer = f"/spec/projections/{index}"
        path = one["fieldPath"]
        if path in found:
            message = "an earlier projection is about this field already"
            raise invalid_task(message, f"{pointer}/fieldPath")
        if path not in declared:
            message = "no target field has this path"
            raise invalid_task(message, f"{pointer}/fieldPath")
        pattern = _PATTERN.fullmatch(one["pattern"])
        if pattern is None:
            message = "a pattern is a label, a colon, a space and then ([^\\n]+), nothing else"
            raise invalid_task(message, f"{pointer}/pattern")
        found[path] = Projection(path, pattern[1], one["claim"])
    for index, field in enumerate(schema):
        if field["path"] not in found:
            message = "no projection says what claim this field is about"
            raise invalid_task(message, f"/spec/traverse/targetSchema/{index}/path")
    return tuple(found.values())
