"""Calibration does not depend on order, its bound is monotone, and any document ends in a value."""

from __future__ import annotations

import copy
import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import damaged, outcome
from tests.unit.audit.calibrating import Reviewed, offered

from survey_fast.audit.calibration import derive_calibration, wilson_lower_bound
from survey_fast.trust.learning import derive_learning_records

CONFIDENCES = st.one_of(
    st.floats(0, 1), st.integers(0, 100).map(lambda number: number / 100), st.none()
)
TIMES = st.sampled_from(
    ["2026-06-01T00:00:00Z", "2026-06-01T02:00:00+02:00", "2026-06-02T00:00:00Z", "soon", None]
)
STATUSES = st.sampled_from(["verified", "assumed", "rejected", "proposed"])


@st.composite
def reviewed_inputs(draw):
    reviewed = Reviewed()
    for _ in range(draw(st.integers(0, 12))):
        names = draw(st.sampled_from([["new"], ["one", "two"], ["one", "two", "three"]]))
        picked = draw(st.sampled_from([*names, None]))
        extraction = {"extractor": draw(st.sampled_from(["a", "b", "\ue000", "\U0001f600"]))}
        reviewed.add(
            draw(CONFIDENCES),
            picked,
            candidates=[offered(name, draw(st.integers(0, 2))) for name in names],
            status=draw(STATUSES),
            extraction=extraction,
            reviewedAt=draw(TIMES),
        )
        for _ in range(draw(st.integers(0, 2))):
            again = draw(st.sampled_from([*names, None]))
            name = f"set-{reviewed.count}"
            reviewed.review(name, again, status=draw(STATUSES), reviewedAt=draw(TIMES))
    return reviewed.document


@given(reviewed_inputs(), st.integers(1, 20), st.randoms(use_true_random=False))
def test_the_order_of_records_never_changes_the_outcome(document, bins, chance):
    expected = derive_calibration(document, bin_count=bins, min_bin_samples=1).to_json()
    shuffled = copy.deepcopy(document)
    for records in shuffled.values():
        chance.shuffle(records)
    found = derive_calibration(shuffled, bin_count=bins, min_bin_samples=1).to_json()
    assert found == expected


@given(reviewed_inputs(), reviewed_inputs(), st.booleans())
def test_the_order_of_inputs_never_changes_the_outcome(one, other, audited):
    both = derive_calibration([one, other], audit_samples_only=audited).to_json()
    assert derive_calibration([other, one], audit_samples_only=audited).to_json() == both


def of_values(*names):
    """One review that chose the last of some values."""
    reviewed = Reviewed()
    reviewed.add(
        0.5,
        names[-1],
        candidates=[offered(name, at) for at, name in enumerate(names)],
        status="verified",
        extraction={"extractor": "a"},
        reviewedAt="2026-06-02T00:00:00Z",
    )
    return reviewed.document


@pytest.mark.parametrize("second", [("one", "three", "two"), ("four", "one", "two")])
def test_judgements_that_share_some_of_their_values_are_counted_in_any_order(second):
    """Either may be the one that counts for a value that both judge, but the same one for all."""
    inputs = [of_values("one", "two"), of_values(*second), of_values("one", "two")]
    found = [derive_calibration([*some]).to_json() for some in permutations(inputs)]
    assert found[0]["skippedCount"] > 0
    assert found.count(found[0]) == len(found)


@given(reviewed_inputs())
def test_every_sample_is_in_one_bin_and_in_one_group(document):
    found = derive_calibration(document)
    assert sum(one.sample_count for one in found.groups) == found.sample_count
    assert sum(one.sample_count for one in found.by_extractor) == found.sample_count
    for group in (found.overall, *found.groups):
        assert sum(one.sample_count for one in group.bins) == group.sample_count
        for one in group.bins:
            if one.sample_count:
                assert one.lower_bound - 0.0001 <= one.lowest_confidence
                assert one.highest_confidence <= one.upper_bound + 0.0001


@given(reviewed_inputs(), st.integers(1, 50), st.floats(0.05, 1))
def test_a_threshold_was_observed_and_all_bins_from_it_up_show_the_target(document, bins, target):
    options = {"bin_count": bins, "min_bin_samples": 1, "target_accuracy": target}
    group = derive_calibration(document, **options).overall
    if group.suggested_threshold is None:
        return
    filled = [one for one in group.bins if one.sample_count]
    above = [one for one in filled if one.highest_confidence >= group.suggested_threshold]
    assert group.suggested_threshold in [one.lowest_confidence for one in above]
    for one in above:
        assert wilson_lower_bound(one.correct_count, one.sample_count) >= target


@given(st.integers(1, 5000), st.data())
def test_the_bound_grows_with_every_success_and_with_every_sample_of_one_share(count, data):
    correct = data.draw(st.integers(0, count))
    bound = wilson_lower_bound(correct, count)
    assert 0 <= bound <= correct / count + 1e-12
    if correct < count:
        assert wilson_lower_bound(correct + 1, count) > bound - 1e-12
    assert wilson_lower_bound(2 * correct, 2 * count) > bound - 1e-12
    assert math.isfinite(bound)


SEED = Reviewed().add().add(picked="one", candidates=[offered("one"), offered("two")])


@given(damaged(SEED.document))
def test_a_damaged_survey_input_ends_in_figures_or_in_a_refusal(document):
    outcome(derive_calibration, document)
    outcome(derive_learning_records, document)
