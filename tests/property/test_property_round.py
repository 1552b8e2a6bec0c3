"""A round in one pass, and plain data held to strict JSON, against slow readings of the same."""

import json

from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.strategies import names, outcome, texts, values
from tests.reference.canonical import canonical
from tests.reference.round import stored_queue

from survey_fast import _core
from survey_fast.canon import canonical_json, data_json
from survey_fast.canon.document import require_plain

MEMBERS = [
    "actorId",
    "candidates",
    "candidateSetStatus",
    "confidence",
    "editable",
    "id",
    "items",
    "labels",
    "metadata",
    "name",
    "role",
    "spec",
    "target",
    "value",
    "valueDescriptor",
]
parts = values(st.sampled_from(MEMBERS))
candidates = st.lists(
    st.dictionaries(st.sampled_from(MEMBERS), parts, max_size=4) | parts, max_size=3
)
specs = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(MEMBERS, parts) | {"candidates": candidates}
)
items = st.fixed_dictionaries(
    {},
    optional={
        "kind": texts,
        "metadata": st.fixed_dictionaries({}, optional={"name": texts, "labels": parts}) | parts,
        "spec": specs | parts,
    },
)
snapshots = st.fixed_dictionaries(
    {}, optional={"actorId": texts, "items": st.lists(items | parts, max_size=3) | parts}
)


@given(snapshots | parts, st.booleans())
def test_a_round_is_outlined_as_the_slow_reading_does(snapshot, as_stored):
    text = json.dumps(snapshot).encode()
    stored = snapshot.get("items") if isinstance(snapshot, dict) else None
    expected = canonical(stored) if as_stored and stored is not None else b"[]"
    found = outcome(read, text, expected)
    assert found == outcome(stored_queue, text, expected)


def read(text, items):
    queue = _core.stored_queue(text, 1 << 20)
    return queue.digest, queue.holds(items), queue.outline, queue.rest, queue.text


NOT_STRICT = st.sampled_from(
    [float("nan"), float("-inf"), 2**53 + 1, -(2**60), 10**400, "\ud800", {"\udfff": 1}]
)
plain = st.recursive(
    values() | NOT_STRICT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


@given(plain)
@example([2**53, -(2**53), 10**20, 10**22, 1e300, True])
@example([2**63, 2**64, 10**21, -(10**21)])
def test_plain_data_is_held_to_what_its_text_would_be(value):
    def written(data):
        canonical_json(data_json(data))

    # Of two faults the writer may meet the other one first: it writes before anything is read.
    found, expected = outcome(require_plain, value), outcome(written, value)
    assert (found is None) == (expected is None)


@given(value=plain, lossless=st.booleans())
@example(value=[-0.0, {"b": 1, "a": {"\ue000": 1, "\U0001f600": 2}}], lossless=False)
@example(value=[-0.0], lossless=True)
def test_canonical_text_of_plain_data_in_one_walk(value, lossless):
    def in_two(data):
        return canonical_json(data_json(data), lossless=lossless)

    found, expected = outcome(_core.plain_canonical, value, lossless), outcome(in_two, value)
    assert isinstance(found, str) == isinstance(expected, str)
    if not isinstance(found, str):
        assert found == expected


def test_nesting_is_refused_at_the_depth_of_texts():
    def nested(depth):
        value = 0
        for _ in range(depth):
            value = [value]
        return value

    assert outcome(require_plain, nested(128)) is None
    assert outcome(require_plain, nested(129)) == "refused: json-depth"
    assert outcome(require_plain, nested(100_000)) == "refused: json-depth"
