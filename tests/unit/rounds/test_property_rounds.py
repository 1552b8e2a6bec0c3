"""Field states and splits against the slow ones, on imports and rounds of every shape."""

import copy
import random

from hypothesis import given
from hypothesis import strategies as st
from tests.property.extractions import OBJECT_VALUES, SIMPLE_VALUES, extractions
from tests.property.strategies import fewer, outcome, shuffled
from tests.reference import rounds as slow
from tests.reference.identity import claim_slot
from tests.unit.rounds.samples import (
    KINDS,
    candidate,
    candidates,
    changed,
    decision,
    entry,
    item,
    prior,
    slot,
    states,
    verification,
)

from survey_fast import import_envelope
from survey_fast.errors import SurveyError
from survey_fast.rounds import (
    DerivedImport,
    derive_field_states,
    field_states_at_hand,
    split_round_for_carry_forward,
)
from survey_fast.rounds.carry import new_carry_forward
from survey_fast.rounds.supersession import new_supersession

RESULTS = ("contradicted", "contradicted", "not-addressed", "supported", "abstain")
ANOTHER = {"name": "another", "digest": "sha256:" + "ab" * 32}
profiles = st.sampled_from(["jcs", "collated"])
seldom = st.sampled_from([False] * 15 + [True])


# Imports and what was decided about them


@st.composite
def decisions(draw, held, kinds=tuple(KINDS)):
    """A decision about an item: any kind, with any candidate or none; now and then nonsense."""
    offered = range(len(candidates(held)))
    selected = draw(st.sampled_from([*offered, None]))
    more = {"resolution": "accepted"} if draw(seldom) else {}  # may contradict the status
    made = decision(held, draw(st.sampled_from(kinds)), candidate=selected, **more)
    if draw(seldom):
        made["metadata"]["labels"] = {"\u00e9": "no name that collated order can place"}
    return made


@st.composite
def verdicts(draw, offered):
    """What verifiers say of one candidate, or of another value; now and then edited."""
    result = draw(st.sampled_from(RESULTS))
    record = verification(offered, result, **({"value": "other"} if draw(seldom) else {}))
    return changed(record, "result", value="supported") if draw(seldom) else record


@st.composite
def carried(draw, held, old):
    """A record that an earlier decision was carried to an item; now and then edited."""
    ids = [one["id"] for one in candidates(held)]
    selected = draw(st.sampled_from([*ids, *ids, None, "another" if draw(seldom) else None]))
    members = {
        "priorDecision": named(old, draw(profiles)),
        "slotId": "slot:1",
        "versionIds": ["v-1"],
        "roundId": "round-2",
        "reviewItemName": held["metadata"]["name"],
        "resolution": draw(st.sampled_from(["accepted", "rejected", "could_not_confirm"])),
        **({} if selected is None else {"candidateId": selected}),
    }
    record = new_carry_forward(members).to_json()
    return changed(record, "resolution", value="rejected") if draw(seldom) else record


def named(made, profile="jcs"):
    """A reference; under ``jcs`` where no other is portable."""
    profile = profile if len(slow.known_digests(made)) > 1 else "jcs"
    return slow.reference(made, profile)


@st.composite
def supersessions(draw, named_decisions):
    """Records that some of the decisions no longer count."""
    chosen = (
        st.lists(st.sampled_from(named_decisions), max_size=2) if named_decisions else st.just([])
    )
    return [
        new_supersession(
            {
                "priorDecision": named(made, draw(profiles)),
                "newDecision": ANOTHER,
                "slotId": "slot:1",
                "reason": "re-reviewed",
            }
        ).to_json()
        for made in draw(chosen)
    ]


@st.composite
def imports(draw):
    """Pairs of a record and expected fields, some of which the import knows."""
    found = []
    for extraction in draw(st.lists(extractions(), min_size=1, max_size=2)):
        result = outcome(import_envelope, extraction.envelope, **extraction.options)
        if isinstance(result, str):
            continue
        pairs = zip(result.record["spec"]["claimTargets"], extraction.proposals, strict=True)
        slots = [claim_slot(target, one) for target, one in pairs]
        known = [{name: one[name] for name in one if one[name] is not None} for one in slots]
        pool = [*known, slot("fee"), slot("unread"), slot("unread", pathIndices=[0])]
        found.append((result, draw(st.lists(st.sampled_from(pool), max_size=4))))
    return found


@st.composite
def reviewed(draw):
    """Arguments of ``derive_field_states``, the imports as results."""
    found = draw(imports())
    review = [one for result, _ in found for one in result.review_items]
    offered = [one for held in review for one in candidates(held)]
    old = [decision(item(f"old-{number}"), "accept") for number in range(2)]
    made = [draw(decisions(held)) for held in review if draw(st.booleans())]
    if made and draw(seldom):
        made.append(made[0])
    return found, {
        "decisions": made + [one for one in old if draw(st.booleans())],
        "verifications": [draw(verdicts(one)) for one in offered if draw(st.integers(0, 4))]
        if draw(st.booleans())
        else [],
        "carry_forwards": [
            draw(carried(held, draw(st.sampled_from(old))))
            for held in review
            if draw(st.booleans())
        ],
        "supersessions": draw(supersessions(made + old)),
    }


def fast_states(found, records):
    derived = outcome(derive_field_states, found, **records)
    return derived if isinstance(derived, str) else [state.to_json() for state in derived]


@fewer(2)
@given(reviewed())
def test_states_are_those_of_the_reference(case):
    found, records = case
    plain = [(result.record, expected) for result, expected in found]
    assert fast_states(found, records) == outcome(slow.field_states, plain, **records)


@fewer(4)
@given(reviewed(), st.integers(0, 2**32))
def test_states_depend_on_no_order_of_records_or_members(case, seed):
    found, records = case
    expected = fast_states(found, records)
    if isinstance(expected, str):
        return
    mixed = shuffled(records, seed)
    for listed in mixed.values():
        random.Random(seed).shuffle(listed)
    assert fast_states(found, mixed) == expected


def at_hand(result, expected, records):
    derived = DerivedImport.of_record(result.record, result.review_items)
    return [state.to_json() for state in field_states_at_hand(derived, expected, **records)]


def told(act, *arguments):
    """The answer, or code and pointer of the refusal."""
    try:
        return act(*arguments)
    except SurveyError as refused:
        return refused.code, refused.pointer


@fewer(2)
@given(reviewed())
def test_an_import_at_hand_has_the_states_of_its_record(case):
    found, records = case
    before = copy.deepcopy(records)
    for result, expected in found:
        checked = told(lambda one: states(one, **records), (result, expected))
        assert told(at_hand, result, expected, records) == checked
    assert records == before


# Rounds

VALUES = st.sampled_from([*SIMPLE_VALUES[:6], *OBJECT_VALUES[:3]])
VERSIONS = ("v-1", "v-2", "\uff5e", "\U0001f600")
SOURCES = (
    {"sourceRef": "doc:1", "checksum": "a" * 64},
    {"sourceRef": "doc:1", "checksum": "a" * 64, "observedAt": "2026-10-01"},
    {"sourceRef": "doc:1"},
)
POLICIES = (
    None,
    {"carry": ["accepted", "rejected", "could_not_confirm"]},
    {"requireChecksum": True},
    {"carry": ["could_not_confirm", "could_not_confirm"], "requireChecksum": False},
    {"carry": [], "requireChecksum": True},
)


@st.composite
def offers(draw):
    """A slot's candidates by version: what both rounds would read if nothing changed."""
    versions = draw(st.lists(st.sampled_from(VERSIONS), min_size=1, max_size=3, unique=True))
    source = draw(st.sampled_from(SOURCES))
    return {version: {"value": draw(VALUES), "source": source} for version in versions}


@st.composite
def entries(draw, name, slot_id, offered):
    """An item on a slot: mostly what is offered, in any order, under any names."""
    given_ = copy.deepcopy(offered)
    if draw(st.integers(0, 4)) == 4:
        given_[draw(st.sampled_from(VERSIONS))] = {"value": draw(VALUES), "source": SOURCES[0]}
    order = draw(st.permutations(list(given_)))
    listed = [
        candidate(f"c-{at}", confidence=draw(st.sampled_from([0, 1])), **given_[version])
        for at, version in enumerate(order)
    ]
    found = entry(name, *listed, slot_id=slot_id, versions=tuple(order))
    if draw(seldom):
        found["candidateVersionIds"]["c-0"] = draw(st.sampled_from(VERSIONS))
    return found


@st.composite
def round_arguments(draw):
    slots = {f"slot-{number}": draw(offers()) for number in range(draw(st.integers(1, 3)))}
    numbered = [*enumerate(slots.items())]
    new = [draw(entries(f"new-{at}", *slot_and_offer)) for at, slot_and_offer in numbered]
    if draw(seldom):
        new[-1]["slotId"] = "slot-0"
    old = []
    for at, slot_and_offer in numbered:
        for copy_ in range(draw(st.sampled_from([1, 1, 1, 1, 2, 0]))):
            held = draw(entries(f"old-{at}-{copy_}", *slot_and_offer))
            kinds = draw(st.sampled_from([("accept", "assume"), tuple(KINDS)]))
            made = draw(decisions(held["item"], kinds))
            old.append({**prior(held), "decision": made})
    return {
        "round_id": "round-2",
        "items": new,
        "prior_decisions": draw(st.permutations(old)),
        "supersessions": draw(supersessions([one["decision"] for one in old])),
        "policy": draw(st.sampled_from(POLICIES)),
    }


def fast_split(arguments):
    found = outcome(split_round_for_carry_forward, **arguments)
    return found if isinstance(found, str) else found.to_json()


@given(round_arguments())
def test_splits_are_those_of_the_reference(arguments):
    before = copy.deepcopy(arguments)
    assert fast_split(arguments) == outcome(slow.split, **arguments)
    assert arguments == before


@fewer(4)
@given(round_arguments(), st.integers(0, 2**32))
def test_a_split_names_every_item_once(arguments, seed):
    found = fast_split(arguments)
    assert fast_split(shuffled(arguments, seed)) == found
    if isinstance(found, str):
        return
    names = [one["item"]["metadata"]["name"] for one in arguments["items"]]
    listed = [one["reviewItemName"] for part in found.values() for one in part]
    assert sorted(listed) == sorted(names)
    for part in found.values():
        order = [names.index(one["reviewItemName"]) for one in part]
        assert order == sorted(order)
