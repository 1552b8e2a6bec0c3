"""Spans are UTF-16 code units: an excerpt stands at its span or it does not."""

from hypothesis import example, given
from hypothesis import strategies as st

from survey_fast import _core
from survey_fast.imports import span_matches

# Long enough to cross what an index of the text may remember.
pieces = st.sampled_from(
    [
        "a",
        "\u00e9",
        "\U0001f600",
        "\uffff",
        "ab " * 50,
        "\u00e9" * 127,
        "\U00010000" * 70,
        "x" * 128,
    ]
)
documents = st.lists(pieces, max_size=8).map("".join)


def units(text):
    return text.encode("utf-16-le")


def stands(text, start, end, excerpt):
    return units(text)[2 * start : 2 * end] == units(excerpt) and end - start == len(excerpt) + sum(
        character > "\uffff" for character in excerpt
    )


@given(documents.filter(bool), st.data())
def test_an_excerpt_taken_from_the_text_stands_at_its_span(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    excerpt = text[start : data.draw(st.integers(start + 1, len(text)))]
    begin = len(units(text[:start])) // 2
    end = begin + len(units(excerpt)) // 2
    assert span_matches(text, begin, end, excerpt)
    for shift in (-1, 1):
        if begin + shift >= 0:
            expected = stands(text, begin + shift, end + shift, excerpt)
            assert span_matches(text, begin + shift, end + shift, excerpt) == expected
    assert not span_matches(text, begin, end + 1, excerpt)
    assert not span_matches(text, begin, end, excerpt + "!")


@given(documents, st.integers(0, 600), st.integers(1, 4), pieces)
@example("\U0001f600", 1, 1, "a")
@example("x" * 127 + "\U0001f600" + "y", 128, 1, "y")
@example("x" * 127 + "\U0001f600" + "y", 129, 1, "y")
def test_any_span_is_judged_like_a_slice(text, start, length, excerpt):
    for end in (start + length, start + len(units(excerpt)) // 2):
        assert span_matches(text, start, end, excerpt) == stands(text, start, end, excerpt)


@given(documents, st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300), pieces)))
def test_many_spans_are_judged_like_each(text, spans):
    each = [span_matches(text, start, end, excerpt) for start, end, excerpt in spans]
    assert _core.span_matches(text, spans) == each


def test_a_span_that_cuts_a_pair_never_matches():
    text = "a\U0001f600b"
    assert span_matches(text, 1, 3, "\U0001f600")
    for start, end in ((1, 2), (2, 3), (2, 4), (0, 2)):
        for excerpt in ("a", "b", "\U0001f600", "\ufffd", ""):
            assert not span_matches(text, start, end, excerpt)
