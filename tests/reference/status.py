"""What an import found out: diagnostics, provenance and state.

1. The envelope itself yields at most one diagnostic about its artifact state, then at most one
   about its outcome: a failure, or a partial run without any proposal.
2. A supplied text is judged in order: it could not be read; its digest is not the artifact's or not
   the reported one; its length differs; else it is aligned.
3. Aligned text is compared with every proposal: the UTF-16 slice at the span is exactly the
   excerpt. Each difference is an `excerpt-mismatch`, in proposal order.
4. Provenance is `verified` only for aligned text. The state is `unresolved` when a diagnostic other
   than `excerpt-mismatch` exists, or when there are mismatches and they are all the proposals.
5. A stored status must be one that rules 1 to 4 could have written, messages aside, whatever text
   was supplied at the time (`import-status-incoherent`).
"""

from __future__ import annotations

import hashlib
import re

from tests.reference.canonical import same
from tests.reference.proposal import span_of
from tests.reference.refusal import Json, Refused, join
from tests.reference.wire import (
    HEX64,
    invalid,
    missing,
    require_match,
    require_members,
    require_object,
    require_word,
    utf16_length,
)

Diagnostic = dict[str, Json]
UNREADABLE_CODES = ("not-found", "storage-error", "access-denied", "invalid-artifact", "unknown")
OPTION_MEMBERS = {
    "available": ("status", "text", "actualDigest"),
    "unavailable": ("status", "code"),
    "digest-mismatch": ("status", "actualDigest"),
}
OPTION_AT = "/artifact"
STATUS_AT = "/status"
SURROGATE = re.compile("[\ud800-\udfff]")


def envelope_diagnostics(result: dict[str, Json]) -> list[Diagnostic]:
    """Rule 1."""
    found: list[Diagnostic] = []
    state = result.get("preparedArtifactState", {"status": "available"})
    status = state["status"]
    if status == "digest-mismatch":
        expected = result["preparedArtifact"]["digest"]
        found.append(_other_text(state["canonicalRef"], expected, state["actualDigest"]))
    elif status != "available":
        ref = state["canonicalRef"] if status == "invalid-artifact" else state["requestedRef"]
        message = f"the producer found its prepared text {status}"
        found.append(_unavailable(status, ref, message))
    outcome = result["outcome"]
    if outcome["status"] == "failure":
        message = f"the extraction failed: {outcome['code']}"
        found.append(
            {
                "kind": "extraction-failed",
                "category": outcome["category"],
                "code": outcome["code"],
                "message": message,
            }
        )
    if outcome["status"] == "partial" and not result["proposals"]:
        message = f"the extraction stopped before it proposed anything: {outcome['reason']}"
        found.append(
            {"kind": "extraction-incomplete", "reason": outcome["reason"], "message": message}
        )
    return found


def require_artifact_option(option: Json, result: dict[str, Json]) -> None:
    """The three shapes of the option, and that the envelope has an artifact to compare with."""
    try:
        _check_option(option, OPTION_AT)
    except Refused as fault:
        raise Refused(fault.pointer, "artifact-option-invalid", str(fault)) from fault
    if "preparedArtifact" not in result:
        raise Refused(OPTION_AT, "artifact-option-invalid", "the envelope names no artifact")


def _check_option(value: Json, pointer: str) -> None:
    if "status" not in require_object(value, pointer):
        raise missing(join(pointer, "status"))
    status = require_word(value["status"], join(pointer, "status"), OPTION_MEMBERS)
    option = require_members(value, pointer, OPTION_MEMBERS[status])
    if status == "unavailable":
        require_word(option["code"], join(pointer, "code"), UNREADABLE_CODES)
        return
    if status == "available":
        text = option["text"]
        if not isinstance(text, str) or SURROGATE.search(text):
            raise invalid(join(pointer, "text"), "must be well-formed text")
    require_match(option["actualDigest"], join(pointer, "actualDigest"), HEX64)


def verify(result: dict[str, Json], option: dict[str, Json]) -> tuple[str, list[Diagnostic]]:
    """Rules 2 and 3: the provenance and the diagnostics that follow the envelope's own."""
    artifact = result["preparedArtifact"]
    if option["status"] == "unavailable":
        return "unverified", [_unreadable(artifact, option["code"])]
    if option["status"] == "digest-mismatch":
        return "unverified", [_supplied_other(artifact, option["actualDigest"])]
    text = option["text"]
    computed = hashlib.sha256(text.encode("utf-8")).hexdigest()
    if option["actualDigest"] != artifact["digest"] or computed != option["actualDigest"]:
        return "unverified", [_supplied_other(artifact, computed)]
    if utf16_length(text) != artifact["contentLength"]:
        return "unverified", [_wrong_length(artifact)]
    units = text.encode("utf-16-le")
    return "verified", [
        excerpt_mismatch(at, proposal)
        for at, proposal in enumerate(result["proposals"])
        if not _is_at_its_span(units, proposal["provenance"])
    ]


def _is_at_its_span(units: bytes, provenance: dict[str, Json]) -> bool:
    start, end = span_of(provenance["locator"]) or (0, 0)
    return units[2 * start : 2 * end] == str(provenance["excerpt"]).encode("utf-16-le")


def excerpt_mismatch(at: int, proposal: dict[str, Json]) -> Diagnostic:
    locator = proposal["provenance"]["locator"]
    message = f"proposal {at} ({proposal['fieldPath']}): the excerpt does not stand at {locator}"
    return {
        "kind": "excerpt-mismatch",
        "proposalIndex": at,
        "locator": locator,
        "message": message,
    }


def _unavailable(status: str, ref: str, message: str, code: str | None = None) -> Diagnostic:
    named = {} if code is None else {"code": code}
    return {
        "kind": "artifact-unavailable",
        "status": status,
        "artifactRef": ref,
        **named,
        "message": message,
    }


def _unreadable(artifact: dict[str, Json], code: str) -> Diagnostic:
    status = code if code in ("storage-error", "invalid-artifact") else "unavailable"
    message = f"the prepared text could not be read: {code}"
    return _unavailable(status, artifact["ref"], message, code)


def _wrong_length(artifact: dict[str, Json]) -> Diagnostic:
    message = "the prepared text has another length than the envelope says"
    return _unavailable("invalid-artifact", artifact["ref"], message)


def _supplied_other(artifact: dict[str, Json], actual: str) -> Diagnostic:
    return _other_text(artifact["ref"], artifact["digest"], actual)


def _other_text(ref: str, expected: str, actual: str) -> Diagnostic:
    return {
        "kind": "digest-mismatch",
        "artifactRef": ref,
        "expectedDigest": expected,
        "actualDigest": actual,
        "message": f"the text has digest {actual}, the envelope names {expected}",
    }


def state_of(diagnostics: list[Diagnostic], proposals: int) -> str:
    """Rule 4."""
    mismatches = [entry for entry in diagnostics if entry["kind"] == "excerpt-mismatch"]
    if len(mismatches) < len(diagnostics) or (mismatches and len(mismatches) == proposals):
        return "unresolved"
    return "grounded"


def make_status(result: dict[str, Json], option: dict[str, Json] | None) -> dict[str, Json]:
    """The status of a fresh import."""
    provenance, diagnostics = ("unverified", []) if option is None else verify(result, option)
    diagnostics = envelope_diagnostics(result) + diagnostics
    state = state_of(diagnostics, len(result["proposals"]))
    return {"state": state, "provenance": provenance, "diagnostics": diagnostics}


def require_coherent(status: dict[str, Json], result: dict[str, Json]) -> None:
    """Rule 5."""
    stored: list[Json] = status["diagnostics"]
    own = envelope_diagnostics(result)
    rest = stored[len(own) :]
    verified = status["provenance"] == "verified"
    likely = _mismatch_forms(rest, result) if verified else _single_form(rest, result)
    if likely is None or not _equal_but_messages(stored, own + likely):
        raise Refused(STATUS_AT, "import-status-incoherent", "no import writes these diagnostics")
    if status["state"] != state_of(own + likely, len(result["proposals"])):
        raise Refused(STATUS_AT, "import-status-incoherent", "the diagnostics give another state")


def _mismatch_forms(rest: list[Json], result: dict[str, Json]) -> list[Diagnostic] | None:
    """The mismatches that the stored indices stand for; they must ascend."""
    if "preparedArtifact" not in result:
        return None
    indices = [entry.get("proposalIndex") if isinstance(entry, dict) else None for entry in rest]
    within = [at for at in range(len(result["proposals"])) if at in _whole_numbers(indices)]
    return [excerpt_mismatch(at, result["proposals"][at]) for at in within]


def _whole_numbers(values: list[Json]) -> set[int]:
    return {value for value in values if isinstance(value, int) and not isinstance(value, bool)}


def _single_form(rest: list[Json], result: dict[str, Json]) -> list[Diagnostic] | None:
    """The one diagnostic that a text which was supplied in vain leaves behind."""
    if not rest:
        return []
    artifact = result.get("preparedArtifact")
    first = rest[0]
    if len(rest) > 1 or artifact is None or not isinstance(first, dict):
        return None
    if first.get("kind") == "digest-mismatch":
        actual = first.get("actualDigest")
        if isinstance(actual, str) and HEX64.fullmatch(actual):
            return [_supplied_other(artifact, actual)]
    elif first.get("kind") == "artifact-unavailable" and "code" not in first:
        return [_wrong_length(artifact)]
    elif first.get("kind") == "artifact-unavailable" and first["code"] in UNREADABLE_CODES:
        return [_unreadable(artifact, first["code"])]
    return None


def _equal_but_messages(stored: list[Json], expected: list[Diagnostic]) -> bool:
    return same([_silent(entry) for entry in stored], [_silent(entry) for entry in expected])


def _silent(entry: Json) -> Json:
    if not isinstance(entry, dict):
        return entry
    return {name: value for name, value in entry.items() if name != "message"}
