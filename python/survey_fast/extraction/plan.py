"""Everything that is checked before a run does any work, in a fixed order.

Provider name, fields, task, capabilities, then the four numbers of the budget. The first fault is
the run's outcome, with no call made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import Document, canonical_json, plain_data
from survey_fast.errors import SurveyError
from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.normalise import Fields
from survey_fast.extraction.outcome import RunFailedError
from survey_fast.extraction.provider import (
    Capabilities,
    ExtractionProvider,
    capabilities_of,
)
from survey_fast.extraction.target_schema import check_target_schema
from survey_fast.extraction.task_spec import CheckedTask, ExamplePreparation, check_task_spec

__all__ = ["UNIDENTIFIED", "Plan", "Wanted", "check_name", "plan_run"]

UNIDENTIFIED: Final = "unidentified-provider"
"""Stands in the envelope of a run whose provider has no name that may stand there."""
_CONFIG: Final = "invalid-extract-config"
_NEEDED: Final = ("structured-output", "exact-excerpts")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run looks for.

    Attributes:
        target_schema: the fields; those of the task unless given.
        task: a task spec.
        accept_legacy_digest: believe digests of the task that cannot be recomputed.
    """

    target_schema: Sequence[Mapping[str, Any]] | None = None
    task: Document | Mapping[str, Any] | None = None
    accept_legacy_digest: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run looks for, checked."""

    schema: list[dict[str, Any]]
    fields: Fields
    task: CheckedTask | None


def check_name(provider: ExtractionProvider) -> str:
    """The provider's name. Raises RunFailedError when it is no stable identity."""
    try:
        name = provider.name
    except Exception as fault:
        message = f"the provider has no name that can be read ({type(fault).__name__})"
        raise RunFailedError(_CONFIG, message) from fault
    if not is_identity(name):
        message = "the name of a provider is letters, digits and . _ : @ / + ~ -"
        raise RunFailedError(_CONFIG, message)
    return name


def plan_run(
    provider: ExtractionProvider, wanted: Wanted, budgets: Budgets, prepare: ExamplePreparation
) -> Plan:
    """Check all but the provider's name. Raises RunFailedError."""
    schema = _schema(wanted)
    task = None if wanted.task is None else _task(wanted, schema, prepare)
    _check_capabilities(_declared(provider), has_task=task is not None)
    budgets.check()
    return Plan(schema, {one["path"]: one for one in schema}, task)


def _schema(wanted: Wanted) -> list[dict[str, Any]]:
    schema: object = wanted.target_schema
    if schema is None and wanted.task is not None:
        schema = _stored_schema(wanted.task)
    listed = [dict(one) if isinstance(one, Mapping) else one for one in _sequence(schema)]
    try:
        return check_target_schema(listed, "/targetSchema")
    except SurveyError as error:
        raise RunFailedError(_CONFIG, str(error)) from error


def _stored_schema(task: Document | Mapping[str, Any]) -> object:
    if isinstance(task, Mapping):
        return task.get("targetSchema")
    try:
        stored = plain_data(canonical_json(task))
    except SurveyError as error:
        raise RunFailedError("invalid-task-spec", str(error)) from error
    return stored.get("targetSchema") if isinstance(stored, dict) else None


def _sequence(schema: object) -> Sequence[Any]:
    if isinstance(schema, list | tuple):
        return schema
    message = "a run needs the fields it looks for, as a list"
    raise RunFailedError(_CONFIG, message)


def _task(wanted: Wanted, schema: list[dict[str, Any]], prepare: ExamplePreparation) -> CheckedTask:
    spec = wanted.task
    try:
        return check_task_spec(
            dict(spec) if isinstance(spec, Mapping) else spec,
            schema,
            prepare=prepare,
            accept_legacy_digest=wanted.accept_legacy_digest,
        )
    except SurveyError as error:
        raise RunFailedError("invalid-task-spec", str(error)) from error


def _declared(provider: ExtractionProvider) -> Capabilities | None:
    try:
        declared: object = capabilities_of(provider)
    except Exception as fault:
        message = f"what the provider declares cannot be read ({type(fault).__name__})"
        raise RunFailedError(_CONFIG, message) from fault
    if declared is None:
        return None
    if not isinstance(declared, Capabilities) or not isinstance(declared.supported, AbstractSet):
        message = "what a provider declares is None, or Capabilities with a set of names"
        raise RunFailedError(_CONFIG, message)
    return declared


def _check_capabilities(declared: Capabilities | None, *, has_task: bool) -> None:
    if declared is None:
        return
    needed = (*_NEEDED, "task-specifications") if has_task else _NEEDED
    missing = [one for one in needed if one not in declared.supported]
    if missing:
        message = f"the provider declares no {', '.join(missing)}"
        raise RunFailedError("unsupported-provider-capability", message)
    for most in (declared.max_concurrency, declared.max_batch_size):
        is_count = isinstance(most, int) and not isinstance(most, bool) and most >= 1
        if most is not None and not is_count:
            message = "the provider declares a concurrency or batch size that is no number from 1"
            raise RunFailedError(_CONFIG, message)
