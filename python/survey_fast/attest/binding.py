"""Binding: what a review round was opened over, taken once and never taken again.

1. A binding holds the digest of the whole base snapshot and the sorted names of its items.
2. It is taken when the round opens. A digest that a later writer refreshes, or that is taken
   from the queue under test, binds nothing.
3. A queue matches when session, names in both directions and digest all agree; every
   difference is reported, not the first alone.
4. Our bindings say ``canonicalization: "rfc8785"``. One without that member is of the reference
   system and is checked in its order of member names.

A binding proves that a queue is unchanged since the round opened. It does not prove what the
queue was derived from: an edited queue that is bound anew passes here, and fails against its
extraction import.
"""

from __future__ import annotations

import json
from typing import Any, Final

from survey_fast import _core, limits
from survey_fast.attest.issue import Issue, issues_json, sentence
from survey_fast.canon import Document, Profile, canonical_json, reading, sort_names
from survey_fast.canon.arguments import text_argument
from survey_fast.canon.text import has_content, is_hex
from survey_fast.errors import SurveyError, UnattestedReviewQueueError, refusal
from survey_fast.limits import ImportLimits, resolved

__all__ = [
    "assert_review_queue_binding",
    "bind_review_queue",
    "validate_review_queue_binding",
]

API_VERSION: Final = "survey.kontourai.io/v1alpha1"
KIND: Final = "ReviewQueueBinding"
CANONICALIZATION: Final = "rfc8785"


def bind_review_queue(
    snapshot: Document,
    *,
    session_name: str,
    bound_at: str,
    limits: ImportLimits = limits.DEFAULT,
) -> dict[str, Any]:
    """Take the binding of a queue snapshot.

    Args:
        snapshot: the base snapshot, before any decision.
        session_name: the session the round runs under.
        bound_at: when; informational, taken from the caller because nothing here reads a clock.
        limits: caps.

    Returns:
        The ``ReviewQueueBinding`` record.

    Raises:
        UnattestedReviewQueueError: ``empty-queue``, or ``binding-malformed`` for a blank
            session name or time.
        QueueError: an item or a candidate is named twice, or this is no queue.
    """
    for name, value in (("session_name", session_name), ("bound_at", bound_at)):
        if not has_content(text_argument(name, value)):
            detail = f"{name} is blank"
            raise refusal("binding-malformed", sentence("binding-malformed", detail=detail), "")
    with reading(snapshot) as raw:
        digest, names, ambiguity, _ = _core.queue_outline(raw, "jcs", resolved(limits))
    if ambiguity is not None:
        code, item, twice = ambiguity
        raise refusal(code, sentence(code, item, twice), "")
    if not names:
        raise refusal("empty-queue", sentence("empty-queue"), "")
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "spec": {
            "sessionName": session_name,
            "snapshotHash": digest,
            "itemNames": sort_names(names),
            "boundAt": bound_at,
            "canonicalization": CANONICALIZATION,
        },
    }


def validate_review_queue_binding(
    binding: Document,
    snapshot: Document,
    *,
    session_name: str | None = None,
    limits: ImportLimits = limits.DEFAULT,
) -> list[Issue]:
    """Everything in which a queue differs from its binding; empty when it is the bound one.

    The snapshot compared is the base queue, never a replayed state. A binding that breaks its
    shape gives the one issue ``binding-malformed``.

    Raises:
        JsonError, QueueError: the snapshot cannot be read as a queue.
    """
    spec, fault = _read(binding)
    if spec is None:
        return [Issue("binding-malformed", sentence("binding-malformed", detail=fault))]
    profile: Profile = "jcs" if "canonicalization" in spec else "collated"
    with reading(snapshot) as raw:
        digest, names, ambiguity, _ = _core.queue_outline(raw, profile, resolved(limits))
    issues: list[Issue] = []
    if session_name is not None and spec["sessionName"] != session_name:
        detail = f"{spec['sessionName']!r}, not {session_name!r}"
        issues.append(_issue("session-name-mismatch", detail=detail))
    if not names:
        issues.append(_issue("empty-queue"))
    if ambiguity is not None:
        code, item, twice = ambiguity
        issues.append(_issue(code, item, twice))
    missing, unexpected, _ = _core.compare_names(names, spec["itemNames"])
    issues.extend(_issue("item-removed", name) for name in missing)
    issues.extend(_issue("item-added", name) for name in unexpected)
    if digest is None:
        detail = "a member name is outside printable ASCII, so upstream's order cannot be tried"
        issues.append(_issue("digest-not-portable", detail=detail))
    elif digest != spec["snapshotHash"]:
        issues.append(_issue("snapshot-hash-mismatch"))
    return issues


def assert_review_queue_binding(
    binding: Document,
    snapshot: Document,
    *,
    session_name: str | None = None,
    limits: ImportLimits = limits.DEFAULT,
) -> None:
    """Raise UnattestedReviewQueueError unless the queue is the bound one."""
    issues = validate_review_queue_binding(
        binding, snapshot, session_name=session_name, limits=limits
    )
    if issues:
        raise UnattestedReviewQueueError.from_issues(issues_json(issues))


def _issue(code: str, item: str | None = None, detail: str = "") -> Issue:
    return Issue(code, sentence(code, item, detail), item)


_MEMBERS: Final = frozenset({"sessionName", "snapshotHash", "itemNames", "boundAt"})


def _read(binding: Document) -> tuple[dict[str, Any] | None, str]:
    """The spec of a well-formed binding, or what is wrong with it."""
    try:
        record = json.loads(canonical_json(binding, max_bytes=limits.QUEUE.default))
    except SurveyError as refused:
        return None, refused.message
    fault = _envelope_fault(record) or _spec_fault(record["spec"])
    return (None, fault) if fault else (record["spec"], "")


def _envelope_fault(record: object) -> str:
    if not isinstance(record, dict) or set(record) != {"apiVersion", "kind", "spec"}:
        return "it is an object of apiVersion, kind and spec"
    if record["apiVersion"] != API_VERSION or record["kind"] != KIND:
        return f"it is of kind {KIND}, version {API_VERSION}"
    return ""


def _spec_fault(spec: object) -> str:
    if not isinstance(spec, dict) or set(spec) - {"canonicalization"} != _MEMBERS:
        return "its spec holds sessionName, snapshotHash, itemNames and boundAt"
    if not all(isinstance(spec[name], str) for name in ("sessionName", "boundAt", "snapshotHash")):
        return "sessionName, boundAt and snapshotHash are strings"
    if not has_content(spec["sessionName"]) or not has_content(spec["boundAt"]):
        return "sessionName and boundAt are not blank"
    if not is_hex(spec["snapshotHash"], 64):
        return "snapshotHash is 64 lower-case hexadecimal digits"
    if spec.get("canonicalization", CANONICALIZATION) != CANONICALIZATION:
        return f"the only canonicalization known is {CANONICALIZATION}"
    return _names_fault(spec["itemNames"])


def _names_fault(names: object) -> str:
    if not isinstance(names, list) or not names:
        return "itemNames is an array that is not empty"
    if not all(isinstance(name, str) and has_content(name) for name in names):
        return "every item name is a string that is not blank"
    if sort_names(names) != names or len(set(names)) != len(names):
        return "itemNames is sorted by code unit, without repeats"
    return ""
