"""Views of a session.

Proves rows 88 and 89 of the edge table. Left to surfaces: what their pages show of these views
(surfaces rows 41 to 43, 98). That a session is only closed when it is complete is proven with
the events.
"""

from __future__ import annotations

import math

import pytest
from tests.unit.review.test_decision_samples import (
    candidate,
    conflict,
    refused,
    review_item,
    session,
    single,
)

from survey_fast.canon import canonical_json
from survey_fast.review.open_items import is_complete
from survey_fast.review.views import (
    Summary,
    current_item,
    next_open,
    next_unresolved,
    queue_window,
    search_texts,
    summary,
)

RESOLVED = {"candidateSetStatus": "resolved"}
ESCALATED = {"candidateSetStatus": "escalated"}


def queue(text, decisions=None, active=None):
    """A session of items ``a``, ``b``, … : ``.`` pending, ``r`` resolved, ``e`` escalated."""
    spec = {".": {}, "r": RESOLVED, "e": ESCALATED}
    items = [single(name=name, **spec[one]) for name, one in zip("abcdefgh", text, strict=False)]
    state = session(*items, decisionsByItemName=decisions or {})
    return state if active is None else {**state, "activeItemName": active}


def many(count, **members):
    items = [single(place, name=f"item-{place}", target=f"f{place}x") for place in range(count)]
    return session(*items, **members)


@pytest.mark.parametrize(
    ("state", "unresolved", "still_open"),
    [
        (queue("..."), "b", "b"),
        (queue("...", active="b"), "c", "c"),
        (queue("...", active="c"), "a", "a"),
        (queue("...", {"b": "keep-current"}), "c", "c"),
        (queue(".re."), "d", "c"),
        (queue("...", {"b": "accept-proposed", "c": "reject-proposed"}), None, "a"),
        (queue("."), None, "a"),
        (queue("e"), None, "a"),
        (queue("r"), None, None),
        (queue("..", {"a": "reject-proposed", "b": "could-not-confirm"}), None, None),
        (queue(".r", active="b"), "a", "a"),
        # With an active item that the queue does not hold, the first one stands in, unopened.
        (queue("..", active="zz"), "b", "b"),
        (queue(".r", active="zz"), "a", "a"),
        (session(), None, None),
    ],
)
def test_what_comes_next(state, unresolved, still_open):
    assert next_unresolved(state) == unresolved
    assert next_open(state) == still_open


def test_the_summary():
    decisions = {
        "a": "accept-proposed",
        "b": "select-proposed",
        "c": "keep-current",
        "d": "reject-proposed",
        "e": "could-not-confirm",
    }
    state = queue("r....re.", decisions, active="h")
    assert summary(state) == Summary(
        accepted=3,
        kept_current=1,
        rejected=1,
        could_not_confirm=1,
        escalated=1,
        unresolved=1,
        pre_resolved=1,
    )
    assert summary(state).to_json() == {
        "accepted": 3,
        "keptCurrent": 1,
        "rejected": 1,
        "couldNotConfirm": 1,
        "escalated": 1,
        "unresolved": 1,
        "preResolved": 1,
    }


def test_a_summary_has_no_empty_extensions():
    assert summary(queue("..")).to_json() == {
        "accepted": 0,
        "keptCurrent": 0,
        "rejected": 0,
        "escalated": 0,
        "unresolved": 2,
    }


@pytest.mark.parametrize(
    ("state", "complete"),
    [
        (queue(""), True),
        (queue("r"), True),
        (queue("."), False),
        (queue("e"), False),
        (queue("e", {"a": "could-not-confirm"}), True),
        (queue("r.e", {"b": "keep-current", "c": "reject-proposed"}), True),
    ],
)
def test_a_round_is_complete_when_nothing_is_open(state, complete):
    assert is_complete(state) is complete
    assert (next_open(state) is None) is complete


def test_the_current_item():
    state = queue("...", active="b")
    assert current_item(state) is state["items"][1]
    state = queue("...", active="zz")
    assert current_item(state) is state["items"][0]
    assert refused(current_item, session()) == "empty-queue"


def test_row_88_the_last_page_and_one_field():
    state = many(1005)
    before = canonical_json(state)
    window = queue_window(state, page=10, page_size=100)
    assert (len(window.items), window.start, window.end) == (5, 1000, 1005)
    assert (window.page, window.page_count, window.total_matching) == (10, 11, 1005)
    assert list(window.items) == state["items"][1000:]
    window = queue_window(state, "F1003X")
    assert [one["metadata"]["name"] for one in window.items] == ["item-1003"]
    assert canonical_json(state) == before


@pytest.mark.parametrize(
    ("size", "used"),
    [
        *((size, 50) for size in (0, -1, 1.5, None, "7", True, math.nan, math.inf, 2**53, [])),
        (9999, 250),
        (250, 250),
        (1, 1),
        (7.0, 7),
        (2**53 - 1, 250),
    ],
)
def test_row_89_sizes_of_a_page(size, used):
    assert len(queue_window(many(300), page_size=size).items) == used


@pytest.mark.parametrize(
    ("page", "shown"),
    [(2, 2), (3, 2), (2**53, 0), (-1, 0), (0.5, 0), (None, 0), ("1", 0), (True, 0), (1.0, 1)],
)
def test_pages_stop_at_the_last(page, shown):
    window = queue_window(many(120), page=page)
    assert window.page == shown
    assert window.start == shown * 50


def test_the_page_follows_the_filter():
    window = queue_window(many(120), "item-11", page=2)
    assert (window.page, window.page_count) == (0, 1)
    assert window.total_matching == 11


def test_nothing_matches():
    window = queue_window(many(3), "nothing like it")
    assert window == queue_window(session())
    assert (window.items, window.page, window.page_count) == ((), 0, 1)
    assert (window.start, window.end, window.total_matching) == (0, 0, 0)


@pytest.mark.parametrize(
    ("disposition", "names"),
    [
        ("all", "abcdefgh"),
        ("unresolved", "gh"),
        ("accepted", "ab"),
        ("kept", "cf"),
        ("rejected", "d"),
        ("could-not-confirm", "e"),
    ],
)
def test_dispositions(disposition, names):
    decisions = {
        "a": "accept-proposed",
        "b": "select-proposed",
        "c": "keep-current",
        "d": "reject-proposed",
        "e": "could-not-confirm",
    }
    window = queue_window(queue("r....re.", decisions), disposition=disposition)
    assert [one["metadata"]["name"] for one in window.items] == list(names)


def test_a_disposition_that_is_none_is_misuse():
    with pytest.raises(ValueError, match="no disposition"):
        queue_window(session(), disposition="review")


FOUND = review_item(
    candidate("c-1", "Straße 7"), candidate("c-2", {"İ": [1.0, True]}), name="lease-7.Rent"
)
FOUND["metadata"]["producer"] = {"displayName": "Rent Desk"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("LEASE-7", True),
        (" \ufeffmonthlyrent\n", True),
        ("rent desk", True),
        ("STRASSE", True),
        ("strasse 7", True),
        ('"i\u0307": [', True),
        ("1,\n    true", True),
        ("", True),
        ("\u3000", True),
        ("c-1", False),
        ("rent  desk", False),
        ("lease-7.rentmonthlyrent", False),
    ],
)
def test_where_a_query_is_looked_for(query, found):
    state = session(FOUND)
    window = queue_window(state, query)
    assert window.total_matching == found
    texts = [search_texts(item) for item in state["items"]]
    assert queue_window(state, query, texts=texts) == window


@pytest.mark.parametrize("producer", [{}, {"displayName": 7}, {"displayName": None}])
def test_only_text_is_a_display_name(producer):
    item = single(name="a")
    item["metadata"]["producer"] = producer
    assert search_texts(item) == ("a", "monthlyrent", "48000")


def test_a_conflict_is_found_by_each_of_its_values():
    assert queue_window(session(conflict()), "52000").total_matching == 1
