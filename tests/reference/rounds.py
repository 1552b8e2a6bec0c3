"""Later rounds: what became of each field, and which decisions still hold.

1. At most one decision and one carried decision an item, and no item in two imports. Records are
   judged by kind and id; their form is for the unit tests. A verifier record whose id is not its
   digest, or that is about another value than the candidate has, says nothing.
2. For each import: its items in order; then slots whose proposals were all left out, by first
   exclusion; then expected fields that are neither. No slot twice.
3. Content: `unsupported` when every candidate has verdicts and no candidate has one in favour;
   else `conflicting` with several candidates, else `value`. An expected field is `not_covered`
   when the run did not finish and no proposal is about it.
4. Lifecycle: the item's own decision, else the carried one, else pending. Superseded when a
   supersession names the digest, of either profile; a held decision is pending.
5. Priors that were superseded do not count. An item with exactly one prior on its slot, the same
   versions, equal content by version and a resolution that the policy carries is carried; every
   other needs review, for the first reason that applies.
6. A record's id is the digest of its kind with `/v1` and of all its other members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tests.reference.canonical import digest, same, utf16_order
from tests.reference.identity import claim_slot
from tests.reference.importing import review_items, validate_import
from tests.reference.items import EXTRACTION_KEY, excluded_indices
from tests.reference.refusal import ROOT, Json, Refused

CARRY = "survey.decision-carry-forward"
SUPERSESSION = "survey.decision-supersession"
CARRIED = "carried-forward"
ITEMS = "round-items-invalid"
STATES = "field-state-input-invalid"
VERIFICATION = "survey.candidate-verification/v1"
FITTING = {
    "accepted": ("verified", "assumed"),
    "rejected": ("rejected",),
    "held": ("verified", "assumed", "proposed"),
    "could_not_confirm": ("proposed", "assumed"),
}


def _name(item: Json) -> str:
    return item["metadata"]["name"]


def prefixed(value: Json, profile: str = "jcs") -> str:
    return "sha256:" + digest(value, profile)


def reference(decision: Json, profile: str = "jcs") -> Json:
    return {"name": decision["metadata"]["name"], "digest": prefixed(decision, profile)}


def known_digests(decision: Json) -> list[str]:
    """Every digest that a decision can be looked up by."""
    try:
        return [prefixed(decision), prefixed(decision, "collated")]
    except Refused:
        return [prefixed(decision)]


def resolution_of(decision: Json) -> str | None:
    """What a decision came to."""
    status = decision["spec"]["status"]
    stated = decision["spec"].get("resolution")
    if stated is not None and status not in FITTING[stated]:
        raise Refused(ROOT, "resolution-inconsistent", "status and resolution contradict")
    if stated == "could_not_confirm":
        return "could_not_confirm"
    if stated == "held" or status == "proposed":
        return None
    return "rejected" if status == "rejected" else "accepted"


def address(record: Json) -> str:
    """Rule 6."""
    return prefixed({"kind": f"{record['kind']}/v1", "payload": _rest(record)})


def _rest(record: Json) -> Json:
    return {name: value for name, value in record.items() if name != "id"}


def require_record(record: Json, kind: str) -> None:
    if record["kind"] != kind or record["id"] != address(record):
        code = f"{kind.removeprefix('survey.decision-')}-invalid"
        raise Refused(ROOT, code, "not a record of this kind, or an edited one")


def is_superseded(digests: Iterable[str], supersessions: Sequence[Json]) -> bool:
    return any(one["priorDecision"]["digest"] in digests for one in supersessions)


def field_states(
    imports: Sequence[tuple[Json, Sequence[Json]]],
    *,
    decisions: Sequence[Json] = (),
    verifications: Sequence[Json] = (),
    supersessions: Sequence[Json] = (),
    carry_forwards: Sequence[Json] = (),
) -> list[Json]:
    """Rules 1 to 4."""
    for decision in decisions:
        resolution_of(decision)
    _require_distinct([one["spec"]["reviewItemName"] for one in decisions], STATES)
    for record in carry_forwards:
        require_record(record, CARRY)
    _require_distinct([one["reviewItemName"] for one in carry_forwards], STATES)
    for record in supersessions:
        require_record(record, SUPERSESSION)
    derived = [review_items(record) for record, _ in imports]
    names = [_name(item) for items in derived for item in items]
    _require_distinct(names, "ambiguous-item-identity")
    made = (decisions, supersessions, carry_forwards)
    states: list[Json] = []
    for (record, expected), items in zip(imports, derived, strict=True):
        states += _states_of(validate_import(record), items, expected, verifications, made)
    return states


def _require_distinct(names: list[str], code: str) -> None:
    if len(set(names)) < len(names):
        raise Refused(ROOT, code, "a name stands twice where one is meant")


def _states_of(
    record: Json, items: Sequence[Json], expected: Sequence[Json], verifications: Any, made: Any
) -> Iterator[Json]:
    """Rule 2."""
    result = record["spec"]["envelope"]["result"]
    pairs = zip(record["spec"]["claimTargets"], result["proposals"], strict=True)
    whole = [claim_slot(target, proposal) for target, proposal in pairs]
    slots = [{name: one[name] for name in one if one[name] is not None} for one in whole]
    left_out = [slots[at] for at in excluded_indices(record)]
    base = {} if result["outcome"]["status"] == "success" else {"incompleteRun": True}
    base |= {"unresolvedImport": True} if record["status"]["state"] == "unresolved" else {}
    seen: list[Json] = []
    for slot, item in [
        *(
            (slots[item["metadata"]["producer"][EXTRACTION_KEY]["proposalIndices"][0]], item)
            for item in items
        ),
        *((slot, None) for slot in left_out),
        *((slot, None) for slot in expected),
    ]:
        if any(same(slot, other) for other in seen):
            continue
        seen.append(slot)
        count = sum(same(slot, other) for other in left_out)
        state = {"importName": record["metadata"]["name"], "slot": slot}
        state["signals"] = base | ({"excludedProposals": count} if count else {})
        if item is not None:
            state |= _of_item(item, verifications, *made)
        elif count:
            state["content"] = "excluded"
        elif "incompleteRun" in base and not any(same(slot, other) for other in slots):
            state["content"] = "not_covered"
        yield state


def _of_item(
    item: Json, verifications: Any, decisions: Any, supersessions: Any, carry_forwards: Any
) -> Json:
    """Rules 3 and 4."""
    name = _name(item)
    candidates = item["spec"]["candidates"]
    content = "conflicting" if len(candidates) > 1 else "value"
    verdicts = [_verdicts(candidate, verifications) for candidate in candidates]
    if all(one and "supported" not in one for one in verdicts):
        content = "unsupported"
    state = {"reviewItemName": name, "content": content, "lifecycle": "pending"}
    own = [one for one in decisions if one["spec"]["reviewItemName"] == name]
    carried = [one for one in carry_forwards if one["reviewItemName"] == name]
    if own:
        named, came_to, basis = reference(own[0]), resolution_of(own[0]) or "pending", "affirmed"
    elif carried:
        named, came_to, basis = carried[0]["priorDecision"], carried[0]["resolution"], CARRIED
        ids = [candidate["id"] for candidate in candidates]
        if carried[0].get("candidateId", ids[0]) not in ids:
            raise Refused(ROOT, STATES, "carried for no candidate")
    else:
        return state
    known = [known_digests(one) for one in decisions]
    aliases = [one for digests in known if named["digest"] in digests for one in digests]
    if is_superseded([named["digest"], *aliases], supersessions):
        came_to = "superseded"
    return state | {"lifecycle": came_to, "decisionName": named["name"], "decisionBasis": basis}


def _verdicts(candidate: Json, verifications: Sequence[Json]) -> list[str]:
    """What verifiers say of a candidate as it is."""
    return [
        record["result"]
        for record in verifications
        if record["id"] == prefixed({"domain": VERIFICATION, "payload": _rest(record)})
        and record["candidateId"] == candidate["id"]
        and record["valueDigest"] == prefixed(candidate["value"])
        and record["result"] != "abstain"
    ]


def split(
    *,
    round_id: str,
    items: Sequence[Json],
    prior_decisions: Sequence[Json],
    supersessions: Sequence[Json] = (),
    policy: Json = None,
) -> Json:
    """Rule 5."""
    for prior in prior_decisions:
        require_round_item(prior)
        resolution_of(prior["decision"])
    for record in supersessions:
        require_record(record, SUPERSESSION)
    for item in items:
        require_round_item(item)
    _require_distinct([one["slotId"] for one in items], ITEMS)
    _require_distinct([_name(one["item"]) for one in items], ITEMS)
    live = [
        prior
        for prior in prior_decisions
        if not is_superseded(known_digests(prior["decision"]), supersessions)
    ]
    carried, review = [], []
    for item in items:
        priors = [one for one in live if one["slotId"] == item["slotId"]]
        reason = next(_obstacles(item, priors, policy or {}), None)
        if reason is None:
            carried.append(carry_forward(item, priors[0], round_id))
        else:
            told = {"reviewItemName": _name(item["item"]), "slotId": item["slotId"]}
            named = [{"priorDecision": reference(one["decision"])} for one in priors]
            review.append(told | {"reason": reason} | (named[0] if len(named) == 1 else {}))
    return {"carriedForward": carried, "needsReview": review}


def require_round_item(entry: Json) -> None:
    name, versions = _name(entry["item"]), entry["candidateVersionIds"]
    ids = [candidate["id"] for candidate in entry["item"]["spec"]["candidates"]]
    about = entry.get("decision", {}).get("spec", {"reviewItemName": name})
    is_about = about["reviewItemName"] == name and about.get("candidateId") in (None, *ids)
    _require_distinct(ids, ITEMS)
    _require_distinct(list(versions.values()), ITEMS)
    if set(versions) != set(ids) or not is_about:
        raise Refused(ROOT, ITEMS, "versions or decision do not fit the item")


def _obstacles(item: Json, priors: Sequence[Json], policy: Json) -> Iterator[str]:
    if not priors:
        yield "no-prior-decision"
    elif len(priors) > 1:
        yield "ambiguous-prior-decisions"
    else:
        now, before = content_by_version(item), content_by_version(priors[0])
        if set(now) != set(before):
            yield "candidate-changed"
        if not same(now, before):
            yield "candidate-content-changed"
        if policy.get("requireChecksum") and not all(one["checksum"] for one in now.values()):
            yield "source-without-checksum"
        if resolution_of(priors[0]["decision"]) not in policy.get("carry", ["accepted"]):
            yield "resolution-not-carried"


def content_by_version(entry: Json) -> Json:
    return {
        entry["candidateVersionIds"][candidate["id"]]: {
            "role": candidate.get("role"),
            "value": candidate["value"],
            "locator": candidate.get("locator"),
            "claimTarget": candidate["claimTarget"],
            "sourceRef": candidate["source"]["sourceRef"],
            "checksum": candidate["source"].get("checksum"),
        }
        for candidate in entry["item"]["spec"]["candidates"]
    }


def carry_forward(item: Json, prior: Json, round_id: str) -> Json:
    versions = item["candidateVersionIds"]
    selected = prior["decision"]["spec"].get("candidateId")
    record = {
        "kind": CARRY,
        "schemaVersion": 1,
        "priorDecision": reference(prior["decision"]),
        "slotId": item["slotId"],
        "versionIds": sorted(versions.values(), key=utf16_order),
        "roundId": round_id,
        "reviewItemName": _name(item["item"]),
        "resolution": resolution_of(prior["decision"]),
        "basis": CARRIED,
    }
    if selected is not None:
        by_version = {version: name for name, version in versions.items()}
        record["candidateId"] = by_version[prior["candidateVersionIds"][selected]]
    return {"id": address(record), **record}
