"""Occurrences and evidence as the plain reference finds them, whatever text and values are, and
the envelopes that a producer may write."""

import json

from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.strategies import damaged, fewer
from tests.reference.envelope import validate_envelope
from tests.reference.extraction import resolve
from tests.reference.producing import faults
from tests.reference.refusal import Refused
from tests.reference.samples import load, stems

from survey_fast import _core
from survey_fast.canon import data_json
from survey_fast.errors import SurveyError
from survey_fast.extraction.evidence import evidence_match
from survey_fast.extraction.occurrence import resolve_drafts, visible_window

PUBLISHED = [load(f"traverse/envelopes/{stem}.json") for stem in stems("traverse/envelopes")]
TYPES = ("string", "number", "boolean", "date", "enum", "array", "object")

# Few pieces, so that excerpts repeat, overlap and begin one another.
letters = st.sampled_from(["a", "ab", "aa", "\u00e9", "\U0001f600", " ", "b\U0001f600"])
texts = st.lists(letters, max_size=14).map("".join)
excerpts = st.lists(letters, max_size=4).map("".join)
hints = st.none() | st.integers(-1, 5) | st.sampled_from([2.0, 1.5, "2", True, [], 1e300])
windows = st.none() | st.tuples(st.integers(0, 16), st.integers(0, 16)).map(list)


@st.composite
def drafts(draw):
    draft = {
        "fieldPath": draw(st.sampled_from("fg")),
        "value": draw(st.sampled_from([1, "a", None, {"x": [1]}])),
        "excerpt": draw(excerpts),
    }
    optional = {
        "hint": draw(hints),
        "window": draw(windows),
        "pathIndices": draw(st.none() | st.just([1])),
    }
    return draft | {name: value for name, value in optional.items() if value is not None}


@given(texts, st.lists(drafts(), max_size=10))
@example("aaa", [{"fieldPath": "f", "value": 1, "excerpt": "aa"}] * 3)
@example("aaa", [{"fieldPath": "f", "value": 1, "excerpt": "aa", "window": [1, 3], "hint": 1}])
def test_occurrences_are_those_of_the_reference(text, asked):
    assert resolve_drafts(text, asked) == resolve(text, asked)


@given(texts, st.integers(-1, 16), texts)
def test_a_window_is_a_part_of_the_text(text, start, visible):
    whole, part = text.encode("utf-16-le"), visible.encode("utf-16-le")
    stands = start >= 0 and whole[2 * start : 2 * start + len(part)] == part
    found = visible_window(text, start, visible)
    # Nothing stands beyond the end, and what is cut out of a pair is no text.
    if found is None:
        assert not visible or not stands
    else:
        assert stands
        assert found == (start, start + len(part) // 2)


words = st.sampled_from(
    [
        *("no", "not", "No. ", "no: ", "never", "Don't ", "n\u2019t", "without", "nor"),
        *("yes", "true", "false", "open", "C++", "C#", "A-", "+", "#", "%", "(", ")", ".", ","),
        *("5", "45", "4,250", "1,23", "0.5", "-", "\u2212", "$", "\u20ac ", "/", ":", "\uff15"),
        *("million", "bn", "June", "jun.", "sept", "9", "9th", "2026", "2026-06-09", "30"),
        *("303", "555", "1234", "\u00e9", "e\u0301", "\u03a3", "\u0663", "\u00bd", "x", "_"),
        *(" ", " ", " ", " ", "\u00a0", "\ufeff", "\n", "\u0085", "\U0001f600"),
    ]
)
phrases = st.lists(words, min_size=1, max_size=8).map("".join)
sentences = st.lists(words, min_size=1, max_size=8).map(" ".join)
# Characters that this interpreter's tables know too.
anything = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cn", "Co"]), min_size=1, max_size=8
)
readable = phrases | sentences | anything
scalars = (
    readable
    | st.sampled_from([5, 45, 4250, 0.5, -5, 9, 2026, 0, 1.0])
    | st.booleans()
    | st.sampled_from(["2026-06-09", "2026-06", "2026-02-30", "2026-06-09T10:30Z", "0000-02-29"])
)
values = scalars | st.sampled_from([None, [], {}, ["a"]])


def declared(value):
    """The type that a value is most likely declared as."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "string"


@st.composite
def comparisons(draw):
    value, excerpt = draw(values), draw(readable)
    if draw(st.booleans()) and isinstance(value, str):
        excerpt = draw(readable) + draw(st.sampled_from(["", " "])) + value + draw(readable)
    kind = draw(st.just(declared(value)) | st.sampled_from(TYPES))
    draft = {"fieldPath": "f", "value": value, "excerpt": excerpt, "valueType": kind}
    if draw(st.integers(0, 9)):
        draft["inferenceType"] = "explicit"
    if draw(st.booleans()):
        draft["enumValues"] = draw(st.lists(scalars.filter(lambda one: isinstance(one, str))))
    return draft


@given(comparisons(), readable, readable)
def test_evidence_is_that_of_the_reference(draft, before, after):
    text = before + draft["excerpt"] + after
    assert resolve_drafts(text, [draft]) == resolve(text, [draft])


@given(comparisons())
def test_what_a_producer_may_write_is_what_was_computed(draft):
    found = evidence_match(
        draft["value"],
        draft["excerpt"],
        value_type=draft["valueType"],
        enum_values=draft.get("enumValues", ()),
        explicit="inferenceType" in draft,
    )
    [expected] = resolve(draft["excerpt"], [draft])
    del expected["evidenceMatch"]["tokenBoundary"]
    assert found == expected["evidenceMatch"]


@fewer(20)
@given(st.lists(drafts(), min_size=1, max_size=6), st.integers(2, 8))
def test_threads_change_nothing(few, threads):
    # Enough text and drafts for several threads to have a share.
    text = ("aab\U0001f600 " * 7 + "ab" * 9 + "\u00e9") * 8000
    prepared = text.encode()
    many = json.dumps([{**one, "valueType": "string"} for one in few] * (1500 // len(few))).encode()
    caps = (1 << 26, 1 << 26, 2000, 1)
    alone = _core.resolve_proposals(prepared, many, caps, 1)
    assert _core.resolve_proposals(prepared, many, caps, threads) == alone


# Changes that an import takes as they were sent, and others that it may refuse.
edges = st.sampled_from(
    [
        *("match", "mismatch", "not-evaluated", "not-applicable", "ok", "type-mismatch"),
        *("number", "string", "date", "enum", "boolean", "explicit", "inferred", "c1"),
        *("2026-10-02T09:30Z", "2026-10-02", "content-truncated", "not-dispatched", "unread"),
        *(48, 48.5, 1, 2, 0, 12000, True, None, "Open", "48", "2027-06-09", ["a"]),
        {"kind": "date-to-iso", "from": "x"},
    ]
)


def faulted(document):
    """The faults that the reference finds; ``None`` when an import refuses the document."""
    try:
        validate_envelope(document)
    except Refused:
        return None
    return faults(document)


def refused(document):
    """Code and pointer of the refusal, or nothing."""
    try:
        _core.validate_envelope(data_json(document), "produce", (1 << 26, 1 << 26, 10_000, 256))
    except SurveyError as refusal:
        return [(refusal.code, refusal.pointer)]
    return []


@given(st.data(), st.sampled_from(PUBLISHED), st.sampled_from([None, "valueNormalization"]))
def test_a_producer_is_refused_what_the_reference_faults(data, envelope, extra):
    assert refused(envelope) == faults(envelope) == []
    broken = data.draw(damaged(envelope, edges))
    proposals = broken["result"]["proposals"] if is_whole(broken) else []
    if extra and proposals:
        proposals[0] = {**proposals[0], extra: {"kind": "date-to-iso", "from": "x"}}
    expected, found = faulted(broken), refused(broken)
    if expected is None:
        assert found
    else:
        assert bool(found) == bool(expected)
        assert set(found) <= set(expected)


def is_whole(document):
    result = document.get("result") if isinstance(document, dict) else None
    proposals = result.get("proposals") if isinstance(result, dict) else None
    return isinstance(proposals, list) and all(isinstance(one, dict) for one in proposals)
