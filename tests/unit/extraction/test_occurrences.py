"""Which occurrence a proposal means: the vectors, and the edge rows about occurrences.

Rows proven here, of the edge cases of extraction: 13 to 24. Left to test_run_proposals: that a
dropped proposal leaves its occurrence to its neighbour (23), and that equal spans become one
proposal (21).
"""

import json

import pytest
from tests.reference.extraction import resolve
from tests.reference.samples import load

from survey_fast import _core
from survey_fast.errors import EnvelopeError, ExtractionError, JsonError
from survey_fast.extraction.occurrence import resolve_drafts, visible_window
from survey_fast.limits import ImportLimits

VECTORS = load("traverse/occurrences.json")
MIB = 1 << 20


def draft(excerpt, **rest):
    return {"fieldPath": "f", "value": 1, "excerpt": excerpt, **rest}


def taken(text, *drafts):
    """Index and span of each draft, or why there is none; the reference has to agree."""
    found = resolve_drafts(text, drafts)
    assert found == resolve(text, list(drafts))
    return [one.get("dropped") or spot(one["occurrence"]["selected"]) for one in found]


def spot(selected):
    return selected["index"], selected["start"], selected["end"]


def asked(text, call):
    """A call of the vectors as a draft; ``None`` when what was seen is not the text."""
    one = draft(call["excerpt"], fieldPath=call["key"])
    if "hint" in call:
        one["hint"] = call["hint"]
    if "visibleText" in call:
        window = visible_window(text, call["visibleStart"], call["visibleText"])
        if window is None:
            return None
        one["window"] = list(window)
    return one


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_vectors(case):
    text, calls = case["text"], case["calls"]
    drafts = [asked(text, call) for call in calls]
    found = iter(resolve_drafts(text, [one for one in drafts if one is not None]))
    answers = [{} if one is None else next(found) for one in drafts]
    assert [one.get("occurrence") for one in answers] == [call["expected"] for call in calls]


def test_every_group_of_the_vectors_is_read():
    assert len(VECTORS["cases"]) == 13
    assert VECTORS["resolverVersion"] == "exact-occurrence-v1"


def test_row_13_occurrences_may_overlap():
    assert taken("aaa", draft("aa"), draft("aa")) == [(0, 0, 2), (1, 1, 3)]
    [found, _] = resolve_drafts("aaa", [draft("aa")] * 2)
    assert found["occurrence"]["count"] == 2
    assert found["occurrence"]["ambiguous"] is True
    assert found["locator"] == "chars:0-2"


def test_row_14_equal_proposals_take_one_after_the_other_and_then_the_last():
    assert taken("x x x", *[draft("x")] * 4) == [(0, 0, 1), (1, 2, 3), (2, 4, 5), (2, 4, 5)]


@pytest.mark.parametrize(
    "rest",
    [{"fieldPath": "g"}, {"value": 2}, {"pathIndices": [0]}],
    ids=lambda one: next(iter(one)),
)
def test_row_15_another_field_or_value_starts_over(rest):
    assert taken("x x", draft("x"), draft("x", **rest), draft("x")) == [
        (0, 0, 1),
        (0, 0, 1),
        (1, 2, 3),
    ]


def test_row_16_a_hint_names_its_occurrence():
    [found] = resolve_drafts("x x", [draft("x", hint=2)])
    assert found["occurrence"]["selected"] == {"index": 1, "start": 2, "end": 3}
    assert found["occurrence"]["selection"] == "occurrence-hint"
    assert found["occurrence"]["hintUsed"] is True


@pytest.mark.parametrize("hint", [0, 3, 1.5, "2", True, -1, None, [2], 1e300], ids=repr)
def test_row_17_what_is_no_hint_is_ignored(hint):
    [found] = resolve_drafts("x x", [draft("x", hint=hint)])
    assert found["occurrence"]["selected"]["index"] == 0
    assert found["occurrence"]["selection"] == "source-order"


def test_row_18_a_hint_may_be_written_as_a_fraction():
    assert taken("x x", draft("x", hint=2.0)) == [(1, 2, 3)]


def test_row_19_a_hint_takes_its_occurrence_away():
    assert taken("x x", draft("x", hint=1), draft("x")) == [(0, 0, 1), (1, 2, 3)]


def test_row_20_a_hint_counts_what_was_seen():
    text = "Key......Key"
    assert visible_window(text, 9, "Key") == (9, 12)
    assert taken(text, draft("Key", hint=1, window=[9, 12])) == [(1, 9, 12)]


def test_row_21_a_proposal_stays_in_its_window():
    seen = draft("Key", window=[0, 6])
    assert taken("Key...Key", seen, seen) == [(0, 0, 3), (0, 0, 3)]
    assert taken("Key...Key", draft("Key", window=[1, 9])) == [(1, 6, 9)]
    assert taken("Key...Key", draft("Key", window=[1, 8])) == ["excerpt-not-found"]


def test_row_22_what_was_seen_has_to_stand_at_its_offset():
    assert visible_window("Key; Key", 1, "Key") is None
    assert visible_window("Key; Key", 6, "Key") is None
    for start in (-1, True, 1.0, "0", None):
        assert visible_window("Key", start, "Key") is None
    assert taken("Key", draft("Key", window=[0, 4])) == ["window-invalid"]
    assert taken("\U0001f600y", draft("y", window=[1, 3])) == ["window-invalid"]
    assert taken("\U0001f600y", draft("y", window=[2, 3])) == [(0, 2, 3)]


@pytest.mark.parametrize("excerpt", ["gate 4", "Gate\n4", "Gate  4", "Gate four", "Gate 4!"])
def test_row_23_nothing_but_the_exact_words_is_found(excerpt):
    found = taken("Gate 4 opens", draft(excerpt), draft("Gate 4"), draft(""))
    assert found == ["excerpt-not-found", (0, 0, 6), "excerpt-empty"]


def test_row_24_offsets_are_utf16_code_units():
    assert taken("\U0001f600 Key \u00e9", draft("Key"), draft("\u00e9")) == [(0, 3, 6), (0, 7, 8)]
    assert taken("a\U0001f600b\U0001f600", draft("\U0001f600"), draft("\U0001f600")) == [
        (0, 1, 3),
        (1, 4, 6),
    ]


def test_composed_and_decomposed_letters_are_other_words():
    assert taken("caf\u00e9", draft("cafe\u0301"), draft("caf\u00e9")) == [
        "excerpt-not-found",
        (0, 0, 4),
    ]


def test_ten_thousand_proposals_share_a_hundred_thousand_occurrences():
    found = resolve_drafts("a" * 100_000, [draft("a")] * 10_000)
    assert [one["start"] for one in found] == list(range(10_000))


def test_a_long_excerpt_of_a_text_that_repeats_itself_is_found():
    text = "- " * (MIB // 2)
    assert taken_natively(text, draft(text[: MIB // 2], hint=2), draft("- -")) == [
        (1, 2, 2 + MIB // 2),
        (0, 0, 3),
    ]


def taken_natively(text, *drafts):
    return [spot(one["occurrence"]["selected"]) for one in resolve_drafts(text, drafts)]


def test_occurrences_beyond_measure_are_refused():
    text = "a" * MIB
    some = [draft("a" * length) for length in range(1, 21)]
    found = resolve_drafts(text, some)
    assert [one["occurrence"]["count"] for one in found] == [MIB + 1 - at for at in range(1, 21)]
    with pytest.raises(ExtractionError) as caught:
        resolve_drafts(text, [draft("a" * length) for length in range(1, 60)])
    assert caught.value.code == "extraction-too-large"


def test_caps_are_kept():
    limits = ImportLimits(items=2)
    assert len(resolve_drafts("x", [draft("x")] * 2, limits=limits)) == 2
    with pytest.raises(ExtractionError) as caught:
        resolve_drafts("x", [draft("x")] * 3, limits=limits)
    assert caught.value.code == "extraction-too-large"
    assert resolve_drafts("x" * (16 * MIB), [draft("y")]) == [{"dropped": "excerpt-not-found"}]
    with pytest.raises(ExtractionError):
        resolve_drafts("x" * (16 * MIB + 1), [draft("y")])


@pytest.mark.parametrize(
    ("broken", "code", "pointer"),
    [
        ({"fieldPath": "f", "value": 1}, "envelope-missing-member", "/1/excerpt"),
        (draft("x", locator="x"), "envelope-unexpected-member", "/1/locator"),
        (draft(5), "envelope-invalid-value", "/1/excerpt"),
        (draft("x", fieldPath=""), "envelope-invalid-value", "/1/fieldPath"),
        (draft("x", window=[0]), "envelope-invalid-value", "/1/window"),
        (draft("x", window=[0, 0.5]), "envelope-invalid-value", "/1/window/1"),
        (draft("x", valueType="text"), "envelope-invalid-value", "/1/valueType"),
        (draft("x", pathIndices=[-1]), "envelope-invalid-value", "/1/pathIndices/0"),
        ([], "envelope-invalid-value", "/1"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_draft_that_breaks_its_shape_is_refused(broken, code, pointer):
    assert taken("x", draft("x"))
    with pytest.raises(EnvelopeError) as caught:
        resolve_drafts("x", [draft("x"), broken])
    assert (caught.value.code, caught.value.pointer) == (code, pointer)


@pytest.mark.parametrize("value", [float("nan"), -0.0, "\ud83d", 2**53 + 1], ids=repr)
def test_a_value_that_does_not_survive_writing_is_refused(value):
    with pytest.raises(JsonError):
        resolve_drafts("x", [draft("x", value=value)])


def test_text_that_is_no_text_is_refused():
    with pytest.raises(JsonError):
        resolve_drafts("\ud83d", [draft("x")])
    with pytest.raises(TypeError):
        resolve_drafts(b"x", [draft("x")])
    with pytest.raises(JsonError):
        _core.resolve_proposals(b"\xff", b"[]", ImportLimits().resolve())


def test_answers_are_canonical_and_whole():
    caps = ImportLimits().resolve()
    drafts = json.dumps([draft("x", valueType="number"), draft("y")]).encode()
    found = _core.resolve_proposals(b"x1 x", drafts, caps)
    assert found == (
        b'[{"end":1,"evidenceMatch":{"checkerVersion":"evidence-match-v4","schema":"ok",'
        b'"tokenBoundary":false,"valueInExcerpt":"not-applicable"},"locator":"chars:0-1",'
        b'"occurrence":{"ambiguous":true,"count":2,"hintUsed":false,'
        b'"resolverVersion":"exact-occurrence-v1","selected":{"end":1,"index":0,"start":0},'
        b'"selection":"source-order"},"start":0},{"dropped":"excerpt-not-found"}]'
    )
    assert _core.resolve_proposals(b"", b"[]", caps) == b"[]"
