"""The audit draw against the slow one, and the properties that make a sample of it."""

from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import texts
from tests.reference.draw import draw
from tests.unit.attest.samples import names_of

from survey_fast import draw_random_audit_sample

names = st.lists(texts.filter(bool), unique=True, max_size=12)
rates = st.floats(0, 1, exclude_min=True) | st.sampled_from([1, 0.5, 0.25, 2**-52])
seeds = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]{0,9}", fullmatch=True)


@given(names, rates, seeds)
def test_the_draw_is_the_reference_draw(some, rate, seed):
    assert draw_random_audit_sample(some, rate=rate, seed=seed) == draw(some, rate=rate, seed=seed)


@given(names, rates, seeds, st.randoms())
def test_order_does_not_matter(some, rate, seed, chance):
    sample = draw_random_audit_sample(some, rate=rate, seed=seed)
    shuffled = chance.sample(some, len(some))
    found = draw_random_audit_sample(shuffled, rate=rate, seed=seed)
    assert found == [name for name in shuffled if name in sample]


@given(names, rates, seeds, st.data())
def test_the_draw_over_a_part_is_the_part_of_the_draw(some, rate, seed, data):
    part = [name for name in some if data.draw(st.booleans())]
    sample = draw_random_audit_sample(some, rate=rate, seed=seed)
    found = draw_random_audit_sample(part, rate=rate, seed=seed)
    assert found == [name for name in part if name in sample]


@given(names, rates, rates, seeds)
def test_a_larger_rate_takes_no_name_away(some, rate, other, seed):
    smaller, larger = (
        draw_random_audit_sample(some, rate=one, seed=seed) for one in sorted((rate, other))
    )
    assert set(smaller) <= set(larger)


@given(names, rates, seeds)
def test_items_are_drawn_by_their_names(some, rate, seed):
    items = [{"metadata": {"name": name}, "at": at} for at, name in enumerate(some)]
    sample = draw_random_audit_sample(items, rate=rate, seed=seed)
    assert names_of(sample) == draw_random_audit_sample(some, rate=rate, seed=seed)
    assert all(items[one["at"]] is one for one in sample)
