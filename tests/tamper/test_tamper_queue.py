"""Tampering with a stored round: a legal step, an attack, the refusal, and nothing moved.

A round is three documents that belong together: the queue, the binding taken when it was opened,
and the import record it derives from. Each story starts from a round that passes; ``attacked``
asserts that, and that judging the attack changed neither side.
"""

import copy
from typing import Any, NamedTuple

import pytest
from tests.unit.attest.samples import (
    KEY,
    SESSION,
    bound,
    codes,
    edited,
    imported,
    names_of,
    opened,
    reversed_members,
)

from survey_fast import (
    SurveyError,
    assert_review_queue_against_extraction_import,
    assert_review_queue_binding,
    attest_review_queue_extraction,
    review_items,
    validate_import,
    validate_review_queue_binding,
)


class Round(NamedTuple):
    """What is stored."""

    queue: Any
    binding: Any
    record: Any


HASH = ["snapshot-hash-mismatch"]
DIVERGES = ["item-diverges-from-extraction"]
PRODUCER = ("metadata", "producer", KEY)


@pytest.fixture(scope="module")
def stored():
    result = imported()
    queue = opened(result)
    return Round(queue, bound(queue), result.record)


def verdict(stored):
    """Codes against the binding, codes against the import; the asserting forms say the same."""
    binding = codes(
        validate_review_queue_binding(stored.binding, stored.queue, session_name=SESSION)
    )
    extraction = codes(attest_review_queue_extraction(stored.queue, stored.record).issues)
    assert binding[:1] == refusal_of(assert_review_queue_binding, stored.binding, stored.queue)
    told = refusal_of(assert_review_queue_against_extraction_import, stored.queue, stored.record)
    assert told == extraction[:1] or extraction == ["import-invalid"]
    return binding, extraction


def refusal_of(act, *documents):
    try:
        act(*documents)
    except SurveyError as refusal:
        return [refusal.code]
    return []


def attacked(stored, **changes):
    """The verdict on a changed round, after a legal one; nothing moves in either."""
    attack = stored._replace(**changes)
    before = copy.deepcopy((stored, attack))
    assert verdict(stored) == ([], [])
    found = verdict(attack)
    assert (stored, attack) == before
    assert verdict(stored) == ([], [])
    return found


def items(stored, *changed):
    """The queue with other items."""
    return {**stored.queue, "items": list(changed)}


def test_value_edited(stored):
    first, *rest = stored.queue["items"]
    attack = edited(first, "spec", "candidates", 0, "value", value=48001)
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


def test_value_spelled_as_text(stored):
    first, *rest = stored.queue["items"]
    attack = edited(first, "spec", "candidates", 0, "value", value="48000")
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


def test_confidence_raised(stored):
    first, *rest = stored.queue["items"]
    attack = edited(first, "spec", "candidates", 1, "confidence", value=1)
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


def test_excerpt_edited(stored):
    *rest, last = stored.queue["items"]
    attack = edited(last, "spec", "candidates", 0, "locator", "excerpt", value="tvo")
    assert attacked(stored, queue=items(stored, *rest, attack)) == (HASH, DIVERGES)


def test_item_removed(stored):
    _, *rest = stored.queue["items"]
    expected = (["item-removed", *HASH], ["item-missing-from-queue"])
    assert attacked(stored, queue=items(stored, *rest)) == expected


def test_every_item_removed(stored):
    binding, extraction = attacked(stored, queue=items(stored))
    assert binding == ["empty-queue", *["item-removed"] * 3, *HASH]
    assert extraction == ["empty-queue"]


def test_item_added(stored):
    first, *rest = stored.queue["items"]
    attack = edited(first, "metadata", "name", value="extraction-envelope.0")
    expected = (["item-added", *HASH], ["item-not-in-extraction"])
    assert attacked(stored, queue=items(stored, attack, first, *rest)) == expected


def test_two_names_exchanged(stored):
    first, second, *rest = stored.queue["items"]
    name, other = names_of([first, second])
    attack = [
        edited(first, "metadata", "name", value=other),
        edited(second, "metadata", "name", value=name),
    ]
    assert attacked(stored, queue=items(stored, *attack, *rest)) == (HASH, DIVERGES * 2)


def test_queue_bound_again_after_an_edit(stored):
    first, *rest = stored.queue["items"]
    attack = items(stored, edited(first, "spec", "target", value="other"), *rest)
    assert attacked(stored, queue=attack, binding=bound(attack)) == ([], DIVERGES)


def test_queue_bound_again_after_a_removal(stored):
    attack = items(stored, *stored.queue["items"][1:])
    expected = ([], ["item-missing-from-queue"])
    assert attacked(stored, queue=attack, binding=bound(attack)) == expected


def test_names_of_the_binding_edited_to_fit(stored):
    attack = items(stored, *stored.queue["items"][1:])
    binding = edited(stored.binding, "spec", "itemNames", value=sorted(names_of(attack)))
    expected = (HASH, ["item-missing-from-queue"])
    assert attacked(stored, queue=attack, binding=binding) == expected


def test_canonicalization_of_the_binding_dropped(stored):
    attack = copy.deepcopy(stored.binding)
    del attack["spec"]["canonicalization"]
    assert attacked(stored, binding=attack) == (HASH, [])


def test_excluded_rival_entry_deleted(stored):
    first, *rest = stored.queue["items"]
    assert first["metadata"]["producer"][KEY]["excludedProposals"][0]["value"] == 61000
    attack = edited(first, *PRODUCER, "excludedProposals", value=[])
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


def test_excluded_rival_made_a_candidate(stored):
    first, *rest = stored.queue["items"]
    rival = edited(first["spec"]["candidates"][1], "id", value="extraction-envelope.0.proposed")
    candidates = [*first["spec"]["candidates"], {**rival, "value": 61000}]
    attack = edited(first, "spec", "candidates", value=candidates)
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


def test_candidates_reordered(stored):
    first, *rest = stored.queue["items"]
    attack = edited(first, "spec", "candidates", value=first["spec"]["candidates"][::-1])
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


def test_candidate_dropped_so_that_a_conflict_looks_settled(stored):
    first, *rest = stored.queue["items"]
    attack = edited(first, "spec", "candidates", value=first["spec"]["candidates"][:1])
    attack["spec"]["candidateSetStatus"] = "needs-review"
    attack["status"]["observedCandidateCount"] = 1
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


def test_same_value_entry_dropped(stored):
    first, *rest = stored.queue["items"]
    attack = copy.deepcopy(first)
    block = attack["spec"]["candidates"][0]["producer"][KEY]
    assert [entry["proposalIndex"] for entry in block.pop("sameValueProposals")] == [2]
    assert attacked(stored, queue=items(stored, attack, *rest)) == (HASH, DIVERGES)


@pytest.mark.parametrize("genuine_first", [False, True])
def test_duplicate_name_edited_and_genuine(stored, genuine_first):
    first, *rest = stored.queue["items"]
    pair = [edited(first, "spec", "target", value="other"), first]
    attack = items(stored, *(pair[::-1] if genuine_first else pair), *rest)
    expected = (["ambiguous-item-identity", *HASH], ["ambiguous-item-identity"])
    assert attacked(stored, queue=attack) == expected


def test_round_of_another_session(stored):
    attack = edited(stored.binding, "spec", "sessionName", value="round-2")
    issues = validate_review_queue_binding(attack, stored.queue, session_name=SESSION)
    assert codes(issues) == ["session-name-mismatch"]


# The record


def test_proposal_of_the_record_edited(stored):
    place = ("spec", "envelope", "result", "proposals", 0, "candidateValue")
    found = attacked(stored, record=edited(stored.record, *place, value=1))
    assert found == ([], DIVERGES)


def test_state_of_the_record_forged(stored):
    record = edited(stored.record, "status", "state", value="unresolved")
    assert attacked(stored, record=record) == ([], ["import-invalid"])


def test_mismatch_of_the_record_moved(stored):
    record = edited(stored.record, "status", "diagnostics", 0, "proposalIndex", value=1)
    assert attacked(stored, record=record) == ([], ["import-invalid"])


def test_diagnostics_of_the_record_removed(stored):
    # The limit that the documentation states: such a record is coherent with itself. The stored
    # queue betrays it, a queue derived from it does not; only storing the record safely helps.
    record = edited(stored.record, "status", "diagnostics", value=[])
    assert validate_import(record) == record
    assert attacked(stored, record=record) == ([], DIVERGES)
    queue = opened(review_items(record))
    assert verdict(Round(queue, bound(queue), record)) == ([], [])
    assert attacked(stored, queue=queue, record=record) == (HASH, [])


def test_record_and_queue_rewritten_together(stored):
    place = ("spec", "envelope", "result", "proposals", 1, "candidateValue")
    record = edited(stored.record, *place, value=1)
    queue = opened(review_items(record))
    assert attacked(stored, queue=queue, record=record) == (HASH, [])
    assert verdict(Round(queue, bound(queue), record)) == ([], [])


# What is no attack


def test_members_turned_round(stored):
    queue, binding, record = map(reversed_members, stored)
    assert attacked(stored, queue=queue, binding=binding, record=record) == ([], [])


def test_items_in_another_order(stored):
    # The set of items is the same; only the binding covers their order.
    attack = items(stored, *stored.queue["items"][::-1])
    assert attacked(stored, queue=attack) == (HASH, [])
