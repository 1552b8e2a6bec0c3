"""Validation of trust bundles against the published schemas, and statuses against a slow reading.

What a schema refuses is refused here, for every ``schemaVersion`` from 5 on. The other direction
does not hold: references, empty strings and duplicate ids are beyond a schema.
"""

from __future__ import annotations

import copy

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.property.strategies import containers, damaged, fewer, outcome, places, values
from tests.unit.trust.bundles import NOW, whole
from tests.unit.trust.schemas import bundle_schema

from survey_fast.trust.derivation import STRENGTH, capped, circular
from survey_fast.trust.report import build_trust_report
from survey_fast.trust.status import derive_claim_statuses
from survey_fast.trust.validation import validate_trust_bundle

SCHEMAS = {
    **dict.fromkeys((5, 6, 7), ("surface-3.2.0", "composed-v9")),
    **dict.fromkeys((8, 9), ("composed-v9",)),
}
TIMES = (
    "2026-06-01T00:00:00Z",
    "2026-06-01t00:00:00z",
    "2026-02-30T00:00:00Z",
    "2026-06-01T24:00:00Z",
    "2016-12-31T23:59:60Z",
    "2026-06-01T00:00:00",
    "2026-06-01T00:00:00+0200",
    "2026-06-01T00:00:00+25:00",
)
ODD = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2,
    "",
    "x",
    "other",
    "verified",
    "cited",
    [],
    [[]],
    {},
    *TIMES,
)
inserts = st.sampled_from(ODD)


@st.composite
def mutated(draw, bundle):
    """A copy with one member dropped, of another type, null, or added."""
    copied = copy.deepcopy(bundle)
    act = draw(st.sampled_from(["drop", "replace", "null", "add"]))
    if act == "add":
        holder = draw(st.sampled_from([one for one in containers(copied) if isinstance(one, dict)]))
        known = sorted({step for _, step in places(whole(9)) if isinstance(step, str)})
        holder[draw(st.sampled_from([*known, "extra"]))] = draw(inserts)
        return copied
    holder, step = draw(st.sampled_from(list(places(copied))))
    if act == "drop":
        del holder[step]
    else:
        holder[step] = None if act == "null" else draw(inserts)
    return copied


def refuses_what_the_schemas_refuse(bundle):
    declared = bundle.get("schemaVersion") if isinstance(bundle, dict) else None
    if type(declared) not in (int, float) or declared not in SCHEMAS:
        assert declared in (2, 3, 4) or isinstance(outcome(validate_trust_bundle, bundle), str)
        return
    is_accepted = all(bundle_schema(folder).is_valid(bundle) for folder in SCHEMAS[declared])
    found = outcome(validate_trust_bundle, bundle)
    assert is_accepted or isinstance(found, str)


def test_the_bundles_that_are_damaged_are_in_order():
    for version, folders in SCHEMAS.items():
        assert validate_trust_bundle(whole(version)) == whole(version)
        for folder in folders:
            bundle_schema(folder).validate(whole(version))


@given(st.data(), st.sampled_from(sorted(SCHEMAS)))
def test_what_a_schema_refuses_after_one_mutation_is_refused(data, version):
    refuses_what_the_schemas_refuse(data.draw(mutated(whole(version))))


@fewer(2)
@given(st.data(), st.sampled_from(sorted(SCHEMAS)))
def test_what_a_schema_refuses_after_any_damage_is_refused(data, version):
    once = data.draw(damaged(whole(version), values()))
    assume(isinstance(once, dict) and once)
    refuses_what_the_schemas_refuse(data.draw(damaged(once)))


@given(st.data())
def test_what_validates_has_statuses_and_a_report_that_agree(data):
    bundle = data.draw(mutated(whole(data.draw(st.sampled_from([5, 9])))))
    version = data.draw(st.sampled_from(["2", "3", "4"]))
    found = outcome(validate_trust_bundle, bundle, version=version)
    assume(isinstance(found, dict))
    statuses = derive_claim_statuses(bundle, now=NOW, version=version)
    report = build_trust_report(bundle, now=NOW, version=version)
    assert {one["id"]: one["status"] for one in report["claims"]} == statuses
    gaps = [one["id"] for one in report["transparencyGaps"]]
    assert len(gaps) == len(set(gaps))


# Derivation

CLAIMS = [f"c{at}" for at in range(8)]
graphs = st.dictionaries(
    st.sampled_from(CLAIMS), st.lists(st.sampled_from([*CLAIMS, "zz"]), min_size=1, max_size=4)
)
own_statuses = st.fixed_dictionaries(dict.fromkeys(CLAIMS, st.sampled_from(STRENGTH)))


def reached(start, inputs):
    """All that a claim rests on, over at least one edge."""
    found = set()
    waiting = list(inputs.get(start, ()))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(inputs.get(name, ()))
    return found


@given(own_statuses, graphs)
def test_a_cap_is_the_weakest_of_all_that_is_reached(own, inputs):
    final = capped(own, inputs)
    for claim in CLAIMS:
        met = [own[claim], *(own.get(name, "unknown") for name in reached(claim, inputs))]
        assert final[claim] == min(met, key=STRENGTH.index)


@given(graphs)
def test_a_claim_is_circular_when_it_reaches_itself(inputs):
    assert circular(inputs) == {claim for claim in CLAIMS if claim in reached(claim, inputs)}
