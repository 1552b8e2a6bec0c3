"""Wilson's bound: the published vectors, and what is no share."""

import pytest

from survey_fast.audit.calibration import wilson_interval, wilson_lower_bound

VECTORS = {
    (30, 30): 0.9173,
    (51, 51): 0.9496,
    (52, 52): 0.9505,
    (60, 60): 0.9569,
    (99, 100): 0.9564,
    (98, 100): 0.9414,
    (95, 100): 0.9008,
    (1, 1): 0.2699,
    (0, 10): 0,
}


@pytest.mark.parametrize(("share", "bound"), VECTORS.items(), ids=str)
def test_the_bound_is_the_published_one(share, bound):
    assert round(wilson_lower_bound(*share), 4) == bound


def test_both_ends_mirror_each_other():
    low, high = wilson_interval(98, 100)
    other_low, other_high = wilson_interval(2, 100)
    assert (low, high) == pytest.approx((1 - other_high, 1 - other_low))
    assert wilson_interval(5, 5)[1] == pytest.approx(1.0)


@pytest.mark.parametrize("share", [(0, 0), (-1, 5), (6, 5)], ids=str)
def test_what_is_no_share_is_misuse(share):
    with pytest.raises(ValueError, match="no share"):
        wilson_lower_bound(*share)


@pytest.mark.parametrize("share", [(1.0, 2), (True, 2), (1, "2")], ids=str)
def test_counts_are_whole_numbers(share):
    with pytest.raises(TypeError):
        wilson_lower_bound(*share)
