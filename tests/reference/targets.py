"""Claim targets: what the caller says each proposal is about.

1. A target has a subject type and id, a facet, a claim type, a field or behaviour (all with more
   than white space in them) and an impact level. It may have a claim id, evidence type and method
   and a collector, under the same rule, and `derivedFrom`, a list of such texts, possibly empty.
2. Nothing is trimmed in storage: `fee` and `fee ` are two fields.
3. Targets come as a sequence aligned with the proposals, or as a mapping from field path, where an
   absent `fieldOrBehavior` is the path.
4. Every fault is `import-target-invalid`, at the place the target has in the record. All targets
   are found before the first one is judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.reference.canonical import checked_copy
from tests.reference.refusal import Json, Refused, join
from tests.reference.wire import require_array, require_members, require_trimmed_text, require_word

TEXTS = ("subjectType", "subjectId", "facet", "claimType", "fieldOrBehavior")
OPTIONAL_TEXTS = ("claimId", "evidenceType", "evidenceMethod", "collectedBy")
IMPACT_LEVELS = ("low", "medium", "high", "critical")
TARGETS_AT = "/spec/claimTargets"
ClaimTargets = Mapping[str, Json] | Sequence[Json]


def find_targets(claim_targets: ClaimTargets, proposals: list[Json]) -> list[Json]:
    """One checked target a proposal."""
    if isinstance(claim_targets, Mapping):
        found = [
            _mapped_target(claim_targets, proposal["fieldPath"], join(TARGETS_AT, at))
            for at, proposal in enumerate(proposals)
        ]
    else:
        found = list(claim_targets)
    safe = checked_copy(found, TARGETS_AT, lossless=True)
    check_targets(safe, len(proposals), TARGETS_AT)
    return list(safe)


def _mapped_target(targets: Mapping[str, Json], path: str, pointer: str) -> Json:
    if path not in targets:
        raise Refused(pointer, "import-target-invalid", f"no target for the field {path!r}")
    target = targets[path]
    return {"fieldOrBehavior": path, **target} if isinstance(target, dict) else target


def check_targets(targets: list[Json], count: int, pointer: str) -> None:
    """Each target in order, then their number."""
    for at, target in enumerate(targets):
        try:
            _check_target(target, join(pointer, at))
        except Refused as fault:
            raise Refused(fault.pointer, "import-target-invalid", str(fault)) from fault
    if len(targets) != count:
        raise Refused(pointer, "import-target-invalid", "not one target a proposal")


def _check_target(value: Json, pointer: str) -> None:
    target = require_members(
        value, pointer, (*TEXTS, "impactLevel"), (*OPTIONAL_TEXTS, "derivedFrom")
    )
    for name in TEXTS:
        require_trimmed_text(target[name], join(pointer, name))
    require_word(target["impactLevel"], join(pointer, "impactLevel"), IMPACT_LEVELS)
    for name in OPTIONAL_TEXTS:
        if name in target:
            require_trimmed_text(target[name], join(pointer, name))
    place = join(pointer, "derivedFrom")
    for at, origin in enumerate(require_array(target.get("derivedFrom", []), place)):
        require_trimmed_text(origin, join(place, at))
