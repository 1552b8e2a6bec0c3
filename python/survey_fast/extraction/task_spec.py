"""Task specs: fields, guidance and examples under one digest.

1. The digest of a task covers its version, fields, guidance and examples, the digests of the
   examples among them; the digest of an example covers its content, type and proposals. What is
   absent is left out, so an empty guidance has another digest than none.
2. A task is checked before any provider is called, in a fixed order, and the first fault counts.
3. Digests made by older producers depend on the locale of their host. They are refused, unless
   the caller says that digests which nobody can recompute are to be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from survey_fast.canon import canonical_json, data_digest, data_json, plain_data
from survey_fast.canon.document import Document, reading
from survey_fast.canon.text import is_hex
from survey_fast.errors import SurveyError
from survey_fast.extraction.provider import ContentType
from survey_fast.extraction.target_schema import check_target_schema, fits
from survey_fast.extraction.task_shape import array, closed, invalid_task, text, word
from survey_fast.model.names import PrefixedSha256

__all__ = [
    "EXAMPLE_UNITS",
    "CheckedTask",
    "ExamplePreparation",
    "build_task_spec",
    "check_task_spec",
    "example_digest",
    "task_digest",
]

EXAMPLE_UNITS: Final = 32_000
"""UTF-16 code units of a prepared example that its excerpts are looked for in."""

ExamplePreparation: TypeAlias = Callable[[str, ContentType], str]
"""The prepared text of an example's content. Raises SurveyError when there is none."""

_PREFIX: Final = "sha256:"
_TASK: Final = ("version", "targetSchema", "guidance", "examples")
_EXAMPLE: Final = ("content", "contentType", "proposals")
_CONTENT_TYPES: Final[tuple[ContentType, ...]] = ("text", "html", "transcript")


@dataclass(frozen=True, slots=True)
class CheckedTask:
    """A task spec that holds.

    Attributes:
        spec: the task as plain data.
        task_digest: its digest, as it is stored.
        example_digests: those of its examples, in their order.
        legacy: pointers to digests that were believed without being recomputed; a run that has
            any carries one warning, ``other/legacy-task-digest``, that names them.
    """

    spec: Mapping[str, Any]
    task_digest: PrefixedSha256
    example_digests: tuple[PrefixedSha256, ...]
    legacy: tuple[str, ...] = ()


def task_digest(spec: Mapping[str, Any]) -> PrefixedSha256:
    """The digest of a task: ``sha256:`` and 64 hex digits. Members outside the rule are ignored.

    Raises JsonError for what is no JSON data.
    """
    return _digest({name: spec[name] for name in _TASK if name in spec})


def example_digest(example: Mapping[str, Any]) -> PrefixedSha256:
    """The digest of an example, likewise. An empty content type counts as none."""
    payload = {name: example[name] for name in _EXAMPLE if name in example}
    if not payload.get("contentType", True):
        del payload["contentType"]
    return _digest(payload)


def _digest(payload: dict[str, Any]) -> PrefixedSha256:
    return PrefixedSha256(_PREFIX + data_digest(payload))


def build_task_spec(
    *,
    version: str,
    target_schema: Sequence[Mapping[str, Any]],
    guidance: str | None = None,
    examples: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """A task with the digests of its examples and its own. It is built, not checked."""
    spec: dict[str, Any] = {
        "version": version,
        "targetSchema": [dict(one) for one in target_schema],
    }
    if guidance is not None:
        spec["guidance"] = guidance
    if examples is not None:
        spec["examples"] = [{**one, "digest": example_digest(one)} for one in examples]
    spec["digest"] = task_digest(spec)
    return spec


def check_task_spec(
    spec: Document,
    target_schema: Sequence[Mapping[str, Any]],
    *,
    prepare: ExamplePreparation,
    accept_legacy_digest: bool = False,
) -> CheckedTask:
    """Check a task against the fields of its run.

    Args:
        spec: the task, as text or plain data.
        target_schema: the fields that the run looks for, checked.
        prepare: gives the prepared text of an example.
        accept_legacy_digest: believe digests that cannot be recomputed.

    Raises:
        ExtractionError: ``INVALID_TASK`` with a pointer into the task.
        JsonError: the task is no lossless JSON.
    """
    with reading(spec) as raw:
        task = _shape(plain_data(canonical_json(raw, lossless=True)))
    text(task["version"], "/version", blank=False)
    if _canonical(task["targetSchema"]) != _canonical([dict(one) for one in target_schema]):
        message = "the fields of the task are not the fields of the run"
        raise invalid_task(message, "/targetSchema")
    legacy: list[str] = []
    if task["digest"] != task_digest(task):
        _believed("/digest", legacy, accept=accept_legacy_digest)
    fields = {one["path"]: one for one in check_target_schema(task["targetSchema"])}
    for index, example in enumerate(task.get("examples", [])):
        pointer = f"/examples/{index}"
        if example["digest"] != example_digest(example):
            _believed(f"{pointer}/digest", legacy, accept=accept_legacy_digest)
        _check_proposals(example, fields, _prepared(example, prepare, pointer), pointer)
    return CheckedTask(
        spec=task,
        task_digest=task["digest"],
        example_digests=tuple(one["digest"] for one in task.get("examples", [])),
        legacy=tuple(legacy),
    )


def _canonical(schema: object) -> bytes:
    data: Any = schema
    return canonical_json(data_json(data))


def _believed(pointer: str, legacy: list[str], *, accept: bool) -> None:
    if not accept:
        message = (
            "the digest is not that of the content; a digest of an older producer has to be "
            "accepted explicitly"
        )
        raise invalid_task(message, pointer)
    legacy.append(pointer)


def _prepared(example: Mapping[str, Any], prepare: ExamplePreparation, pointer: str) -> str:
    try:
        whole = prepare(example["content"], example.get("contentType") or "text")
    except SurveyError:
        message = "the content of this example cannot be prepared"
        raise invalid_task(message, f"{pointer}/content") from None
    units = whole.encode("utf-16-le", "surrogatepass")
    return units[: 2 * EXAMPLE_UNITS].decode("utf-16-le", "ignore")


def _check_proposals(
    example: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]], prepared: str, pointer: str
) -> None:
    for index, one in enumerate(example["proposals"]):
        place = f"{pointer}/proposals/{index}"
        field = fields.get(one["fieldPath"])
        if field is None:
            message = "the task has no field of this path"
            raise invalid_task(message, f"{place}/fieldPath")
        if not fits(one["candidateValue"], field):
            message = f"the value is no {field['type']} as the field declares it"
            raise invalid_task(message, f"{place}/candidateValue")
        if not one["excerpt"] or one["excerpt"] not in prepared:
            message = "the excerpt does not stand in the prepared content of the example"
            raise invalid_task(message, f"{place}/excerpt")


def _shape(task: object) -> dict[str, Any]:
    """The task with the members that are read; others are kept, for no digest covers them."""
    if not isinstance(task, dict):
        message = "a task spec is an object"
        raise invalid_task(message, "")
    for name in ("version", "targetSchema", "digest"):
        if name not in task:
            message = f"{name} is missing here"
            raise invalid_task(message, "")
    text(task["version"], "/version")
    text(task.get("guidance", ""), "/guidance")
    _check_digest(task["digest"], "/digest")
    for index, example in enumerate(array(task.get("examples", []), "/examples")):
        _check_example(example, f"/examples/{index}")
    return task


def _check_example(example: object, pointer: str) -> None:
    members = closed(example, pointer, ("content", "proposals", "digest"), ("contentType",))
    text(members["content"], f"{pointer}/content")
    word(members.get("contentType", ""), f"{pointer}/contentType", ("", *_CONTENT_TYPES))
    _check_digest(members["digest"], f"{pointer}/digest")
    for index, one in enumerate(array(members["proposals"], f"{pointer}/proposals")):
        place = f"{pointer}/proposals/{index}"
        proposal = closed(one, place, ("fieldPath", "candidateValue", "excerpt"))
        text(proposal["fieldPath"], f"{place}/fieldPath")
        text(proposal["excerpt"], f"{place}/excerpt")


def _check_digest(value: object, pointer: str) -> None:
    written = text(value, pointer)
    if not (written.startswith(_PREFIX) and is_hex(written[len(_PREFIX) :], 64)):
        message = "sha256: and 64 hexadecimal digits in lower case belong here"
        raise invalid_task(message, pointer)
