"""An export written record by record is the canonical text of the whole, found out piece by piece.

The disclosure scan of a whole document is the reference that findings of parts are compared with.
"""

import pytest
from tests.unit.runs.samples import refused

from survey_fast.canon import canonical_json
from survey_fast.runs.disclosure import find_disclosures
from survey_fast.runs.export.leaving import Leave
from survey_fast.runs.export.writing import written

NOTHING = Leave((), {})
HOME = "read from /home/ana/x"
MOST = 1 << 20


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


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 200])
def test_parts_come_to_the_canonical_text_of_the_whole(count):
    whole = document(count)
    text = written(whole, NOTHING, what="it", max_bytes=MOST)
    assert text == canonical_json(whole) + b"\n"


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
    found = refused("DISCLOSURE_REFUSED", written, whole, NOTHING, what="it", max_bytes=MOST)
    assert found.details["findings"] == [one.to_json() for one in expected]
    assert found.pointer == expected[0].pointer == "/bundle/claims/100"


def test_the_size_is_that_of_the_text_without_its_line_feed():
    whole = document(100)
    size = len(canonical_json(whole))
    assert len(written(whole, NOTHING, what="it", max_bytes=size)) == size + 1
    found = refused("EXPORT_TOO_LARGE", written, whole, NOTHING, what="it", max_bytes=size - 1)
    assert found.details == {"allowed": size - 1}


def test_what_cannot_be_written_has_no_text():
    refused("json-number-range", written, document(1, more=2**60 + 1), NOTHING, what="it",
            max_bytes=MOST)  # fmt: skip


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
    written(whole, leave, what="it", max_bytes=MOST)
    refused("DISCLOSURE_REFUSED", written, whole, NOTHING, what="it", max_bytes=MOST)
    listed[0]["rule"] = "/result/a/b"
    refused("DISCLOSURE_REFUSED", written, whole, leave, what="it", max_bytes=MOST)


@pytest.mark.parametrize("asked", ["path-posix@/c", "path-posix@/z", "nothing@/a", "", "@"])
def test_an_allowance_that_allows_nothing_is_refused(asked):
    refused("DISCLOSURE_REFUSED", Leave.of, ENVELOPE, [asked])
