"""Is a review queue the one it says it is?

Against its import record:
1. The queue is an array of items or a snapshot that holds one. A repeated name is the only
   finding (`ambiguous-item-identity`, the first repeated name). Then the record is judged again.
2. A record that is not grounded is `import-not-grounded`; an empty queue is `empty-queue`.
3. The items are derived from the record; when the snapshot is a random audit, the draw is repeated
   on them. For each derived item, in order, the queue holds it (`item-missing-from-queue`) with
   equal content (`item-diverges-from-extraction`); then each queue item was derived
   (`item-not-in-extraction`, in queue order).
4. The derivation is under `jcs`. If that finds something and some value is or holds an object, it
   is made once more wholly under `collated`; one profile must match the whole queue and is named.
   When both fail, the findings are those under `jcs`. A name with no place in the collated order
   is `digest-not-portable` alone: not checkable is not the same as tampered with.

Against its binding:
5. A malformed binding is the only finding. Otherwise all of these are collected: another session
   name; an empty queue; the first repeated name; bound names that are gone; names that were not
   bound; another hash.
6. The hash covers the whole snapshot: under `jcs` when the binding says `rfc8785`, else `collated`.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.canonical import checked_copy, digest, same, utf16_order
from tests.reference.draw import draw, require_draw_options
from tests.reference.items import API_VERSION, build_items
from tests.reference.record import validate_import
from tests.reference.refusal import ROOT, Json, Refused, join
from tests.reference.wire import (
    HEX64,
    is_trimmed_text,
    require_array,
    require_match,
    require_members,
    require_trimmed_text,
    require_word,
)

Issue = tuple[str, str | None]
SAMPLING_AT = "/sampling"
SPEC_MEMBERS = ("sessionName", "snapshotHash", "itemNames", "boundAt")


class Comparison(NamedTuple):
    """What differs, or the profile under which nothing does."""

    issues: list[Issue]
    profile: str | None


def compare(queue: Json, record: Json) -> Comparison:
    """Rules 1 to 4."""
    queue = checked_copy(queue, lossless=False)
    stored = queue_items(queue)
    repeated = first_repeated([name for name, _ in stored])
    if repeated is not None:
        return Comparison([("ambiguous-item-identity", repeated)], None)
    valid = validate_import(record)
    if valid["status"]["state"] != "grounded":
        return Comparison([("import-not-grounded", None)], None)
    if not stored:
        return Comparison([("empty-queue", None)], None)
    return _compare_under_each(queue, stored, valid)


def _compare_under_each(
    queue: Json, stored: list[tuple[str, Json]], record: dict[str, Json]
) -> Comparison:
    """Rule 4."""
    issues = _compare_under("jcs", queue, stored, record)
    if not issues:
        return Comparison([], "jcs")
    proposals = record["spec"]["envelope"]["result"]["proposals"]
    if not any(holds_object(proposal["candidateValue"]) for proposal in proposals):
        return Comparison(issues, None)
    try:
        if not _compare_under("collated", queue, stored, record):
            return Comparison([], "collated")
    except Refused as fault:
        if fault.code != "digest-not-portable":
            raise
        issues = [(fault.code, None)]
    return Comparison(issues, None)


def _compare_under(
    profile: str, queue: Json, stored: list[tuple[str, Json]], record: dict[str, Json]
) -> list[Issue]:
    """Rule 3."""
    derived = {item["metadata"]["name"]: item for item in build_items(record, profile)}
    sampling = queue.get("sampling") if isinstance(queue, dict) else None
    if isinstance(sampling, dict) and sampling.get("kind") == "random-audit":
        drawn = draw(list(derived), rate=sampling["rate"], seed=sampling["seed"])
        derived = {name: derived[name] for name in drawn}
    present = dict(stored)
    issues: list[Issue] = []
    for name, item in derived.items():
        if name not in present:
            issues.append(("item-missing-from-queue", name))
        elif not same(item, present[name]):
            issues.append(("item-diverges-from-extraction", name))
    issues += [("item-not-in-extraction", name) for name in present if name not in derived]
    return issues


def queue_items(queue: Json) -> list[tuple[str, Json]]:
    """The items with their names."""
    items, pointer = queue, ""
    if isinstance(queue, dict):
        items, pointer = queue.get("items"), "/items"
        _require_sampling(queue)
    if not isinstance(items, list):
        raise Refused(pointer, "queue-malformed", "no array of items")
    return [(_item_name(item, join(pointer, at)), item) for at, item in enumerate(items)]


def _item_name(item: Json, pointer: str) -> str:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not is_trimmed_text(name):
        raise Refused(pointer + "/metadata/name", "queue-malformed", "an item without a name")
    return str(name)


def _require_sampling(snapshot: dict[str, Json]) -> None:
    if "sampling" not in snapshot:
        return
    sampling = snapshot["sampling"]
    kind = sampling.get("kind") if isinstance(sampling, dict) else None
    shapes = {"queue": {"kind"}, "random-audit": {"kind", "rate", "seed"}}
    if not isinstance(kind, str) or shapes.get(kind) != set(sampling):
        raise Refused(SAMPLING_AT, "invalid-session-conditions", "not a known form of sampling")
    if kind == "random-audit":
        try:
            require_draw_options(sampling["rate"], sampling["seed"])
        except Refused as fault:
            place = SAMPLING_AT + fault.pointer
            raise Refused(place, "invalid-session-conditions", str(fault)) from fault


def holds_object(value: Json) -> bool:
    if isinstance(value, list):
        return any(map(holds_object, value))
    return isinstance(value, dict)


def first_repeated(names: list[str]) -> str | None:
    for at, name in enumerate(names):
        if name in names[:at]:
            return name
    return None


def validate_binding(binding: Json, snapshot: Json, session_name: str | None = None) -> list[Issue]:
    """Rules 5 and 6."""
    if not is_well_formed_binding(binding):
        return [("binding-malformed", None)]
    spec = binding["spec"]
    snapshot = checked_copy(snapshot, lossless=False)
    names = [name for name, _ in queue_items(snapshot)]
    issues: list[Issue] = []
    if session_name is not None and spec["sessionName"] != session_name:
        issues.append(("session-name-mismatch", None))
    if not names:
        issues.append(("empty-queue", None))
    repeated = first_repeated(names)
    if repeated is not None:
        issues.append(("ambiguous-item-identity", repeated))
    bound = spec["itemNames"]
    issues += [("item-removed", name) for name in bound if name not in names]
    issues += [("item-added", name) for name in dict.fromkeys(names) if name not in bound]
    profile = "jcs" if "canonicalization" in spec else "collated"
    try:
        if digest(snapshot, profile) != spec["snapshotHash"]:
            issues.append(("snapshot-hash-mismatch", None))
    except Refused as fault:
        if fault.code != "digest-not-portable":
            raise
        issues.append((fault.code, None))
    return issues


def is_well_formed_binding(binding: Json) -> bool:
    try:
        members = require_members(binding, ROOT, ("apiVersion", "kind", "spec"))
        require_word(members["apiVersion"], "/apiVersion", (API_VERSION,))
        require_word(members["kind"], "/kind", ("ReviewQueueBinding",))
        spec = require_members(members["spec"], "/spec", SPEC_MEMBERS, ("canonicalization",))
        require_trimmed_text(spec["sessionName"], "/spec/sessionName")
        require_match(spec["snapshotHash"], "/spec/snapshotHash", HEX64)
        require_trimmed_text(spec["boundAt"], "/spec/boundAt")
        method = spec.get("canonicalization", "rfc8785")
        require_word(method, "/spec/canonicalization", ("rfc8785",))
        names = [
            require_trimmed_text(name, join("/spec/itemNames", at))
            for at, name in enumerate(require_array(spec["itemNames"], "/spec/itemNames"))
        ]
    except Refused:
        return False
    return names != [] and names == sorted(set(names), key=utf16_order)
