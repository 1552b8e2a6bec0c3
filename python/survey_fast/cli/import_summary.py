"""What an import came to, as facts and as text."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from survey_fast.canon import canonical_digest, data_json, sha256_hex
from survey_fast.cli.output import MOST_ROWS, Output, quoted
from survey_fast.imports import ImportResult, excluded_indices
from survey_fast.limits import ImportLimits

__all__ = ["PRODUCER_KEY", "summary", "tell"]

PRODUCER_KEY: Final = "survey.kontourai.io/extraction-envelope"


def summary(
    result: ImportResult,
    folder: Path,
    documents: tuple[bytes | None, bytes | None],
    caps: ImportLimits,
) -> dict[str, Any]:
    """The facts of an import and of the files that are written for it below ``folder``.

    ``documents`` are queue and binding, as far as there are any.
    """
    snapshot, binding = documents
    record = result.record
    status = record["status"]
    envelope = record["spec"]["envelope"]
    proposals = envelope["result"]["proposals"]
    items = result.review_items
    conflicts = sum(item["spec"]["candidateSetStatus"] == "conflict" for item in items)
    spec = None if binding is None else json.loads(binding)["spec"]
    return {
        "state": status["state"],
        "provenance": status["provenance"],
        "proposals": len(proposals),
        "items": len(items),
        "conflicts": conflicts,
        "excluded": _excluded(excluded_indices(result, limits=caps), proposals, items),
        "diagnostics": status["diagnostics"],
        "digests": {
            "envelope": canonical_digest(data_json(envelope)),
            "import": sha256_hex(result.record_bytes),
            "queue": None if spec is None else spec["snapshotHash"],
        },
        "files": {
            "import": str(folder / "import.json"),
            "queue": None if snapshot is None else str(folder / "review-queue.json"),
            "binding": None if binding is None else str(folder / "binding.json"),
        },
        "session": None if spec is None else spec["sessionName"],
    }


def _excluded(
    indices: list[int], proposals: list[dict[str, Any]], items: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Every proposal left out, and the item that shows it; an excluded one may have no item."""
    shown_on = {
        entry["proposalIndex"]: item["metadata"]["name"]
        for item in items
        for entry in item["metadata"]["producer"][PRODUCER_KEY].get("excludedProposals", ())
    }
    return [
        {
            "proposalIndex": index,
            "field": proposals[index]["fieldPath"],
            "value": proposals[index]["candidateValue"],
            "locator": proposals[index]["provenance"]["locator"],
            "excerpt": proposals[index]["provenance"]["excerpt"],
            "itemName": shown_on.get(index),
        }
        for index in indices
    ]


_VERIFIED: Final = {
    "verified": "verified: every excerpt was looked up in the prepared text",
    "unverified": "unverified: no excerpt was looked up in a prepared text",
}
_STATE: Final = {
    "grounded": "grounded: there is something to review",
    "unresolved": "unresolved: it stands for no queue",
}
_EXCLUDED: Final = ", whose excerpt does not stand at its place; nobody can choose them"


def tell(output: Output, body: Mapping[str, Any]) -> None:
    """The same for people."""
    is_grounded = body["state"] == "grounded"
    output.line(f"Import {_STATE[body['state']]}", "good" if is_grounded else "bad")
    items = f"{body['items']:,} from {body['proposals']:,} proposals"
    output.pairs(
        [
            ("excerpts", _VERIFIED[body["provenance"]]),
            ("items", f"{items}, {body['conflicts']:,} of them in conflict"),
            ("excluded", f"{len(body['excluded']):,}{_EXCLUDED if body['excluded'] else ''}"),
        ]
    )
    _tell_excluded(output, body["excluded"])
    _tell_diagnostics(output, body)
    output.line()
    output.line("SHA-256 of the canonical form", "heading")
    output.pairs([(name, digest or "none") for name, digest in body["digests"].items()])
    output.line()
    output.line("Written", "heading")
    output.pairs([(name, path or _absent(name, body)) for name, path in body["files"].items()])
    if body["files"]["binding"] is not None:
        output.line()
        output.line("Next: open a session over the queue, in which it is decided and exported")
        output.line(f"  {_session(body['files'])}")
        output.line("and check at any time that this is still the same queue")
        output.line(f"  {_next_step(body['files'])}")


def _tell_excluded(output: Output, excluded: list[dict[str, Any]]) -> None:
    if not excluded:
        return
    rows = [
        (one["field"], quoted(one["value"], 24), one["locator"], quoted(one["excerpt"], 60))
        for one in excluded[:MOST_ROWS]
    ]
    output.line()
    output.table(("excluded field", "value", "place", "excerpt that is not there"), rows)
    _tell_rest(output, len(excluded))


def _tell_diagnostics(output: Output, body: Mapping[str, Any]) -> None:
    """All but the excluded proposals, which stand in their own table."""
    told = [one for one in body["diagnostics"] if one["kind"] != "excerpt-mismatch"]
    for one in told[:MOST_ROWS]:
        output.paragraph(f"{one['kind']}: {one['message']}", indent="  ", style="bad")
    _tell_rest(output, len(told))


def _tell_rest(output: Output, count: int) -> None:
    if count > MOST_ROWS:
        output.line(f"  and {count - MOST_ROWS:,} more; --json lists all")


def _absent(name: str, body: Mapping[str, Any]) -> str:
    if body["state"] != "grounded":
        return "not written, because the import is unresolved"
    return f"not written: an empty queue has no {name}"


def _session(files: Mapping[str, str]) -> str:
    queue, record = files["queue"], files["import"]
    place = str(Path(queue).with_name("session.json"))
    words = ["survey-fast", "session", "new", place, "--queue", queue, "--import", record]
    return shlex.join(words)


def _next_step(files: Mapping[str, str]) -> str:
    queue, record, binding = (shlex.quote(files[name]) for name in ("queue", "import", "binding"))
    return f"survey-fast attest {queue} --import {record} --binding {binding}"
