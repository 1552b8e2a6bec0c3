"""The work grows with what is given: twice as many items, twice as many steps, no more."""

import pytest
from tests.unit.imports.samples import proposal
from tests.unit.rounds.samples import (
    TEXT,
    candidates,
    decision,
    entry,
    entry_of,
    imported,
    misquoted,
    prior,
    slot,
    verification,
)

from survey_fast.rounds import (
    build_decision_supersession,
    carry,
    derive_field_states,
    field_states,
    items,
    records,
    reference,
    slots,
    split_round_for_carry_forward,
)

SEAMS = [
    (field_states, "fold_candidate_verifications"),
    (field_states, "read_decision"),
    (field_states, "read_slot"),
    (field_states, "review_items"),
    (field_states, "validate_carry_forward"),
    (field_states, "validate_import"),
    (items, "canonical_json"),
    (items, "read_decision"),
    (items, "sequence_argument"),
    (records, "canonical_digest"),
    (reference, "canonical_digest"),
    (reference, "canonical_json"),
    (slots, "canonical_json"),
    (carry, "sort_names"),
]


@pytest.fixture
def calls(monkeypatch):
    """How often each step was taken since the counts were last cleared."""
    counts = {}

    def counted(name, act):
        def count(*arguments, **options):
            counts[name] = counts.get(name, 0) + 1
            return act(*arguments, **options)

        return count

    for module, name in SEAMS:
        label = f"{module.__name__.rpartition('.')[2]}.{name}"
        monkeypatch.setattr(module, name, counted(label, getattr(module, name)))
    return counts


class Visited(list):
    """A list that counts how many of its elements are handed out."""

    visits = 0

    def __iter__(self):
        for one in super().__iter__():
            type(self).visits += 1
            yield one


def test_field_states(calls):
    def steps(count):
        fields = [f"field-{number}" for number in range(count)]
        left_out = [misquoted(f"gone-{number}") for number in range(count)]
        proposals = [proposal(field, 48000, TEXT, "48000") for field in fields]
        result = imported(*proposals, *left_out)
        review = result.review_items
        priors = [prior(entry_of(one)) for one in review]
        made = [one["decision"] for one in priors]
        said = [verification(candidates(one)[0]) for one in review]
        superseded = [
            build_decision_supersession(prior=one, new=prior(entry_of(item), "reject"))
            for one, item in zip(priors, review, strict=True)
        ]
        new = [{name: one[name] for name in one if name != "decision"} for one in priors]
        for at, (item, old) in enumerate(zip(new, priors, strict=True)):
            item["slotId"] = old["slotId"] = f"slot-{at}"
        carried = split_round_for_carry_forward(
            round_id="r", items=new, prior_decisions=priors
        ).carried_forward
        expected = [slot(f"unread-{number}") for number in range(count)]
        calls.clear()
        found = derive_field_states(
            [(result, expected)],
            decisions=made[: count // 2],
            verifications=said,
            supersessions=superseded,
            carry_forwards=carried,
        )
        assert len(found) == 3 * count
        return dict(calls)

    few, many = steps(20), steps(40)
    assert few["field_states.fold_candidate_verifications"] == 20
    assert few["field_states.review_items"] == few["field_states.validate_import"] == 1
    assert few["slots.canonical_json"] == 20  # of the expected fields alone
    growing = {name: few[name] for name in few if few[name] > 1}
    assert {name: many[name] for name in growing} == {name: 2 * few[name] for name in growing}


def test_a_split(calls):
    def steps(count):
        names = [f"item-{number}" for number in range(count)]
        new = [entry(name, slot_id=f"slot:{name}") for name in names]
        old = [prior(entry(f"old-{name}", slot_id=f"slot:{name}")) for name in names]
        gone = [prior(entry(f"gone-{name}", slot_id=f"slot:{name}")) for name in names]
        replaced = [
            build_decision_supersession(prior=before, new=after)
            for before, after in zip(gone, old, strict=True)
        ]
        calls.clear()
        found = split_round_for_carry_forward(
            round_id="r", items=new, prior_decisions=old + gone, supersessions=replaced
        )
        assert len(found.carried_forward) == count
        return dict(calls)

    few, many = steps(20), steps(40)
    assert few["items.canonical_json"] == few["items.read_decision"] == 2 * 20
    growing = {name: few[name] for name in few if few[name] > 2}
    assert {name: many[name] for name in growing} == {name: 2 * few[name] for name in growing}


def test_an_item_reads_its_own_replacedonly():
    result = imported(*[proposal(f"field-{at}", 48000, TEXT, "48000") for at in range(30)])
    review = result.review_items
    verifications = Visited(verification(candidates(one)[0]) for one in review)
    decisions = Visited(decision(one) for one in review)
    derive_field_states([(result, ())], decisions=decisions, verifications=verifications)
    assert Visited.visits == 2 * 30
