"""``run.json`` of the reference system: closed objects, checked before a run of it is read.

1. What is read of such a run is held to its type by whoever reads it. This says whether it is one:
   every member that it has to have, of its type, and none that its format does not know.
2. An attempt at a call is the one open object. Its members are no part of any format that we read,
   and later writers add to them.
3. The name of the task is told twice and is the same. A run that called no model has no receipts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from survey_fast.canon.text import has_content, is_hex
from survey_fast.errors import SurveyError, refusal
from survey_fast.trust.rules import (
    BOOLEAN,
    NUMBER,
    OBJECT,
    STRING,
    TEXT,
    Rule,
    arrays,
    at_least,
    closed,
    fault,
    leaf,
    opened,
    words,
)

__all__ = ["check_foreign_run"]

_CODE: Final = "INVALID_RUN"
_EVENTS: Final = 10_000
_IDENTITY: Final = 256
_REFERENCE: Final = 4096
_PREPARED_UNITS: Final = 2_097_152


def _told(message: str, holds: Callable[[Any], bool]) -> Rule:
    return leaf(_CODE, message, holds)


def _text(most: int) -> Rule:
    message = f"a text of 1 to {most} characters belongs here"
    return _told(message, lambda value: isinstance(value, str) and 0 < len(value) <= most)


def _whole(least: int, most: int | None = None) -> Rule:
    message = (
        f"a whole number of {least} {'or more' if most is None else f'to {most}'} belongs here"
    )
    number = at_least(least, whole=True)
    return _told(message, lambda value: number.holds(value) and (most is None or value <= most))


def _several(entry: Rule, most: int, least: int = 0) -> Rule:
    listed = arrays(entry, least)

    def holds(value: object) -> bool:
        return listed.holds(value) and isinstance(value, list) and len(value) <= most

    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        if isinstance(value, list) and len(value) > most:
            return refusal(_CODE, f"no more than {most} belong here", pointer)
        return listed.explain(value, pointer)

    return Rule(_told("", holds).shape, explain)


def _record(required: Mapping[str, Rule], others: Mapping[str, Rule] | None = None) -> Rule:
    """A closed object; ``others`` may be absent."""
    return closed({**required, **(others or {})}, tuple(required))


_HEX64: Final = _told(
    "64 hexadecimal digits belong here", lambda value: isinstance(value, str) and is_hex(value, 64)
)
_DIGEST: Final = _told(
    "sha256: and 64 hexadecimal digits belong here",
    lambda value: (
        isinstance(value, str)
        and value.startswith("sha256:")
        and is_hex(value.removeprefix("sha256:"), 64)
    ),
)
_CONTENT: Final = _told(
    "a text that is not blank belongs here",
    lambda value: isinstance(value, str) and has_content(value),
)
_ONE: Final = _told("1 belongs here", lambda value: type(value) is int and value == 1)
_ID: Final = _text(_IDENTITY)
_FIDELITY: Final = words("native", "prompted", "unavailable")
_FIXTURE: Final = _record({"mode": words("fixture-v1")})
_RUNTIME: Final = _record(
    {
        "mode": words("runtime"),
        "role": TEXT,
        "candidates": _several(
            _record(
                {
                    "id": _ID,
                    "runtimeId": _ID,
                    "structuredToolsFidelity": _FIDELITY,
                    "outputTokenLimitFidelity": words("native", "approximated", "unavailable"),
                },
                {"estimatedUsdPer1kTokens": NUMBER},
            ),
            16,
            least=1,
        ),
        "budget": _record(
            {"maxAttempts": _whole(1)},
            {"maxElapsedMs": NUMBER, "maxTotalTokens": NUMBER, "maxCostUsd": NUMBER},
        ),
    },
    {
        "authorization": _record(
            {"mode": words("file-ledger-v1")}, {"maxTokensPerAttempt": _whole(1)}
        ),
        "providerOperations": _record(
            {"concurrency": _whole(1, 32), "batchSize": _whole(1, 128)},
            {"maxProviderCalls": _whole(1), "maxChunks": _whole(1)},
        ),
        "minimumStructuredToolsFidelity": words("native", "prompted"),
        "maxOutputTokens": _whole(1),
    },
)
_ATTEMPT: Final = opened(
    {
        "candidateId": _ID,
        "runtimeId": _ID,
        "outcome": words("succeeded", "failed"),
        "retryable": BOOLEAN,
    },
    ("candidateId", "runtimeId", "outcome"),
)
_RECEIPT: Final = _record(
    {
        "schemaVersion": _ONE,
        "planDigest": _HEX64,
        "requestDigest": _DIGEST,
        "role": TEXT,
        "outcome": words(
            "succeeded", "aborted", "exhausted", "budget-exceeded", "no-eligible-candidates"
        ),
        "attempts": _several(_ATTEMPT, 16),
    },
    {
        "totalElapsedMs": NUMBER,
        "totalTokens": NUMBER,
        "estimatedCostUsd": NUMBER,
        "physicalBatch": _record(
            {"operationId": TEXT, "itemIndex": _whole(0), "itemCount": _whole(1, 128)}
        ),
        "authorization": _record(
            {
                "id": TEXT,
                "invocationId": TEXT,
                "outcome": words("reserved", "settled", "exhausted"),
            }
        ),
    },
)
_SNAPSHOT: Final = _record(
    {
        "items": _several(OBJECT, _EVENTS),
        "activeItemName": STRING,
        "notesByItemName": OBJECT,
        "decisionsByItemName": OBJECT,
        "reviewedAt": _CONTENT,
        "actorId": _CONTENT,
    },
    {
        "editedValuesByItemName": OBJECT,
        "attemptEvidenceIdsByItemName": OBJECT,
        "selectedCandidateIdsByItemName": OBJECT,
    },
)
_RUN: Final = _record(
    {
        "schemaVersion": _ONE,
        "runResource": TEXT,
        "createdAt": TEXT,
        "taskName": TEXT,
        "task": OBJECT,
        "execution": _record({"identity": OBJECT, "receipts": _several(_RECEIPT, 1024)}),
        "preparedArtifact": _record(
            {
                "ref": _text(_REFERENCE),
                "digest": _HEX64,
                "contentLength": _whole(0, _PREPARED_UNITS),
                "file": words("prepared.txt"),
            }
        ),
        "envelopeFile": words("extraction-envelope.json"),
        "review": _record(
            {
                "snapshot": _SNAPSHOT,
                "events": _several(OBJECT, _EVENTS),
                "revision": _whole(0),
                "snapshotHash": _HEX64,
            }
        ),
    },
    {
        "extraction": _record(
            {
                "envelopeDigest": _HEX64,
                "importStatus": _record(
                    {
                        "state": words("grounded", "unresolved"),
                        "diagnostics": _several(OBJECT, _EVENTS),
                        "provenance": words("verified"),
                    }
                ),
            }
        )
    },
)


def check_foreign_run(document: Mapping[str, Any]) -> None:
    """Refuse what is no ``run.json`` of the reference system.

    Args:
        document: the whole file as plain data.

    Raises:
        RunError: ``INVALID_RUN`` with a pointer.
    """
    _require(_RUN, document, "")
    execution = document["execution"]
    identity = execution["identity"]
    is_runtime = identity.get("mode") == "runtime"
    _require(_RUNTIME if is_runtime else _FIXTURE, identity, "/execution/identity")
    if execution["receipts"] and not is_runtime:
        message = "a run that called no model has no receipts of calls"
        raise refusal(_CODE, message, "/execution/receipts")
    name = document["task"].get("metadata")
    if not isinstance(name, dict) or name.get("name") != document["taskName"]:
        message = "the run is named after another task than the one it holds"
        raise refusal(_CODE, message, "/taskName")


def _require(rule: Rule, value: object, pointer: str) -> None:
    if not rule.holds(value):
        found = fault(rule, value, pointer)
        raise refusal(_CODE, found.message, found.pointer)
