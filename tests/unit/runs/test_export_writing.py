"""An export written record by record is the canonical text of the whole, found out piece by piece.

The disclosure scan of a whole document is the reference that findings of parts are compared with.
"""

import sys
from copy import deepcopy
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.runs.samples import refused

from survey_fast import _core
from survey_fast.canon import canonical_json, data_json
from survey_fast.runs.disclosure import find_disclosures
from survey_fast.runs.export import writing
from survey_fast.runs.export.leaving import Leave
from survey_fast.runs.export.writing import Outgoing, written

NOTHING = Leave((), {})
HOME = "read from /home/ana/x"
MOST = 1 << 26


def document(count, **more):
    """The shape of an export, with so many records."""
    return {
        "kind": "ReviewedExport",
        "apiVersion": "survey-fast/v1",
        "reviewedGrounding": {"gaps": [], "outcome": "allowed", "dimensions": [{"a": 1.0}]},
        "bundle": {
            "source": "s",
            "evidence": [{"id": f"e{at}", "text": 'ü"\n', "n": at / 4} for at in range(count)],
            "claims": [{"value": None, "id": f"c{at}"} for at in range(count)],
            "producer": {},
            **more,
        },
        "reviewRound": {},
    }


def write(whole, leave=NOTHING, *, most=MOST):
    return written(Outgoing(whole), leave, what="it", max_bytes=most)


def refusal_of(code, whole, leave=NOTHING, *, most=MOST):
    return refused(code, written, Outgoing(whole), leave, what="it", max_bytes=most)


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 200, 5000])
def test_parts_come_to_the_canonical_text_of_the_whole(count):
    whole = document(count)
    assert write(whole).text == canonical_json(whole) + b"\n"


@pytest.mark.parametrize("sizes", [(400_000,) * 3, (1,) * 500 + (900_000, 1, 2), (3_000_000,)])
def test_records_of_any_size_make_parts(sizes):
    whole = document(2, evidence=[{"text": "word " * (size // 5)} for size in sizes])
    assert write(whole).text == canonical_json(whole) + b"\n"


@pytest.mark.parametrize("whole", [{}, {"bundle": {}}, {"a": [], "b": 1}, {"bundle": {"a": []}}])
def test_what_is_empty_is_written_as_such(whole):
    assert write(whole).text == canonical_json(whole) + b"\n"


def test_where_the_value_of_each_member_stands_is_told():
    whole = document(300)
    text, members = write(whole)
    assert sorted(members) == sorted(whole)
    for name, place in members.items():
        assert text[place] == canonical_json(data_json(whole[name]))


def test_findings_are_told_by_their_place_in_the_whole():
    whole = document(150)
    evidence = whole["bundle"]["evidence"]
    evidence[3]["text"] = evidence[64]["text"] = HOME
    evidence[149] |= {"deep": [{"a/b": HOME}], HOME: 1}
    whole["bundle"]["claims"][100] = HOME
    whole["bundle"]["producer"] = {"note": HOME}
    whole["reviewRound"]["revision"] = HOME
    expected = find_disclosures(whole)
    assert len(expected) == 7
    found = refusal_of("DISCLOSURE_REFUSED", whole)
    assert found.details["findings"] == [one.to_json() for one in expected]
    assert found.pointer == expected[0].pointer == "/bundle/claims/100"


def test_of_many_findings_the_first_thousand_of_the_whole_are_told():
    whole = document(0, claims=[HOME] * 700, evidence=[{"text": HOME}] * 5000)
    found = refusal_of("DISCLOSURE_REFUSED", whole)
    assert found.details["findings"] == [one.to_json() for one in find_disclosures(whole)]
    assert len(found.details["findings"]) == 1000


def test_the_size_is_that_of_the_text_without_its_line_feed():
    whole = document(100)
    size = len(canonical_json(whole))
    assert len(write(whole, most=size).text) == size + 1
    found = refusal_of("EXPORT_TOO_LARGE", whole, most=size - 1)
    assert found.details == {"allowed": size - 1}


def test_a_text_that_is_too_large_is_refused_as_such_whatever_is_found_in_it():
    whole = document(100, note=HOME)
    size = len(canonical_json(whole))
    refusal_of("DISCLOSURE_REFUSED", whole, most=size)
    refusal_of("EXPORT_TOO_LARGE", whole, most=size - 1)


def test_what_cannot_be_written_has_no_text():
    refusal_of("json-number-range", document(1, more=2**60 + 1))
    refusal_of("json-number-range", document(1, more=[1, float("nan")]))


def test_a_document_is_taken_once_and_not_changed():
    whole = document(200)
    before, outgoing = deepcopy(whole), Outgoing(whole)
    assert outgoing.document is whole
    written(outgoing, NOTHING, what="it", max_bytes=MOST)
    assert whole == before
    for again in (outgoing.take, lambda: outgoing.document):
        with pytest.raises(ValueError, match="written"):
            again()


def test_one_that_was_refused_is_gone_as_well():
    outgoing = Outgoing(document(1, note=HOME))
    refused("DISCLOSURE_REFUSED", written, outgoing, NOTHING, what="it", max_bytes=MOST)
    with pytest.raises(ValueError, match="written"):
        outgoing.take()


def test_each_record_is_let_go_once_it_is_text(monkeypatch):
    whole = document(500)
    evidence, held = list(whole["bundle"]["evidence"]), []
    (alone,) = [sys.getrefcount(one) for one in [{}]]

    def writes(value, *, lossless):
        # A record that is not written yet is held by a list more than the one of this test.
        held.append(sum(sys.getrefcount(one) > alone for one in evidence))
        return _core.plain_canonical(value, lossless)

    monkeypatch.setattr(writing, "_core", SimpleNamespace(plain_canonical=writes))
    outgoing = Outgoing(whole)
    del whole
    written(outgoing, NOTHING, what="it", max_bytes=MOST)
    left = sorted(set(held), reverse=True)
    assert left == [500, 500 - 64, 500 - 64 - 128, 500 - 64 - 128 - 256, 0]


words = st.sampled_from([HOME, "as it is", "ü", "/etc/passwd\n", "x" * 200, "api_key"])
records = st.lists(
    st.dictionaries(words, words | st.lists(words, max_size=2), max_size=2), max_size=4
).map(lambda some: some * 40)


@given(records, records, st.integers(0, 400))
def test_what_is_found_in_parts_is_what_is_found_in_the_whole(claims, evidence, cut):
    whole = document(3, claims=claims, evidence=evidence[cut:])
    expected = [one.to_json() for one in find_disclosures(whole)]
    if expected:
        assert refusal_of("DISCLOSURE_REFUSED", whole).details["findings"] == expected
    else:
        assert write(whole).text == canonical_json(whole) + b"\n"


ENVELOPE = canonical_json({"a": HOME, "b": {HOME: "x"}, "c": "token ghp_0123456789abcdefghij"})
TOKEN = "secret-github@/c"


def leaves(value, *asked):
    """Whether a value leaves when that is allowed."""
    body = {"value": value}
    return not Leave.of(ENVELOPE, asked).refused(canonical_json(body), body)


@pytest.mark.parametrize(
    ("value", "plain", "allowed"),
    [
        ("as it is", True, True),
        (HOME, False, True),
        (f"it says: {HOME}, twice: {HOME}.", False, True),
        (f'"{HOME}"', False, True),
        (f"{HOME}/more", False, False),
        (f"{HOME}y", False, False),
        (f"x{HOME}", False, False),
        (f"{HOME} and /etc/passwd", False, False),
        (f"{HOME} ghp_0123456789abcdefghij", False, False),
        ({HOME: 1}, False, True),
        ({f"is {HOME}": 1}, False, False),
    ],
    ids=repr,
)
def test_what_is_allowed_and_what_only_quotes_it_leaves(value, plain, allowed):
    assert leaves(value) is plain
    assert leaves(value, "path-posix@/a") is allowed


def test_an_allowance_is_for_one_rule():
    both = f"{HOME} token ghp_0123456789abcdefghij"
    assert not leaves(both, "path-posix@/a")
    assert not leaves(both, TOKEN)
    assert leaves(both, "path-posix@/a", TOKEN)


def test_the_pointers_that_an_export_lists_are_no_paths():
    leave = Leave.of(ENVELOPE, ["path-posix@/a"])
    listed = [{"rule": "path-posix", "pointer": "/result/a/b", "sha256": "0" * 64}]
    whole = document(1) | {"reviewRound": {"allowedDisclosures": listed}}
    write(whole, leave)
    refusal_of("DISCLOSURE_REFUSED", whole)
    listed[0]["rule"] = "/result/a/b"
    refusal_of("DISCLOSURE_REFUSED", whole, leave)


def test_where_some_may_leave_all_others_are_found_behind_a_thousand_of_them():
    leave = Leave.of(ENVELOPE, ["path-posix@/a"])
    evidence = [{"text": HOME, "more": f"it says: {HOME}."}] * 1500
    write(document(0, evidence=evidence), leave)
    found = refusal_of("DISCLOSURE_REFUSED", document(0, evidence=[*evidence, "/etc/x"]), leave)
    assert found.pointer == "/bundle/evidence/1500"
    many = refusal_of("DISCLOSURE_REFUSED", document(0, evidence=["/etc/x"] * 1200), leave)
    assert len(many.details["findings"]) == 1200


@pytest.mark.parametrize("asked", ["path-posix@/c", "path-posix@/z", "nothing@/a", "", "@"])
def test_an_allowance_that_allows_nothing_is_refused(asked):
    refused("DISCLOSURE_REFUSED", Leave.of, ENVELOPE, [asked])
