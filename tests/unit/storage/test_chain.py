"""The form of a log: which bytes are committed, which are a tail, and which are broken.

Compared with a slow and obvious reading wherever bytes are made up.
"""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.storage.chains import ROOT_DIGEST, events, line, lines, read_slowly

from survey_fast.canon import sha256_hex
from survey_fast.canon.lines import BrokenLineError
from survey_fast.errors import JsonError
from survey_fast.storage.chain import (
    empty_view,
    extended,
    line_count,
    read_chain,
)

EMPTY = empty_view(ROOT_DIGEST)
LOG = lines(events(1), events(3, 2), events(1, 5))
TORN = lines(events(1), events(3, 2), events(1, 5), events(3, 6))[5:]


def read(data, known=EMPTY):
    """As the slow reading answers."""
    view = view_or_fault(data, known)
    if isinstance(view, BrokenLineError):
        assert data.count(b"\n", 0, view.offset) == view.line - 1
        assert data[: view.offset].endswith(b"\n") or not view.offset
        return view.line
    assert view.text == data[: len(data) - view.tail_bytes]
    assert view.revision == f"{view.count}:{view.head}"
    return view.events, view.head, view.tail_bytes


def view_or_fault(data, known):
    try:
        return read_chain(data, known)
    except BrokenLineError as broken:
        return broken


def test_no_line_at_all():
    assert read(b"") == ([], ROOT_DIGEST, 0)
    assert EMPTY.revision == f"0:{ROOT_DIGEST}"


def test_whole_appends():
    data = b"".join(LOG)
    found, head, tail = read(data)
    assert (found, tail) == (events(5), 0)
    assert read_slowly(data) == (found, head, tail)
    assert head == sha256_hex(LOG[-1])


def test_the_writer_writes_what_the_reader_reads():
    view = EMPTY
    for size in (1, 3, 2):
        view = extended(view, events(size, view.count + 1))
    assert view.text == b"".join(lines(events(1), events(3, 2), events(2, 5)))
    assert read_chain(view.text, EMPTY) == view


def test_events_come_back_as_they_are_stored():
    written = extended(EMPTY, [{"b": 1.0, "a": [True, None, "é"], "n": -0.0}])
    assert written.events == read_chain(written.text, EMPTY).events
    assert type(written.events[0]["b"]) is int


@pytest.mark.parametrize("event", ["text", 1, None, ["a"], ("a",)])
def test_an_event_is_an_object(event):
    with pytest.raises(TypeError):
        extended(EMPTY, [event])
    if not isinstance(event, tuple):
        assert read(line(event, ROOT_DIGEST, 0, 1)) == 1


def test_an_event_that_is_too_deep_is_not_written():
    event = {"a": 1}
    for _ in range(126):
        event = {"a": event}
    view = extended(EMPTY, [event])
    assert read_chain(view.text, EMPTY) == view
    with pytest.raises(JsonError):
        extended(EMPTY, [{"a": event}])


# What an unfinished append leaves


@pytest.mark.parametrize("whole", range(3))
def test_every_cut_through_an_append_leaves_a_tail(whole):
    data = b"".join(LOG)
    before = read(data)[:2]
    torn = b"".join(TORN)
    for cut in range(len(torn)):
        assert read(data + torn[:cut]) == (*before, cut)
        assert read(data + torn[:cut] + b"\0" * whole) == (*before, cut + whole)
    assert read(data + torn)[0] == events(8)


def test_every_block_of_an_append_that_did_not_reach_the_disk_leaves_a_tail():
    data, torn = b"".join(LOG), b"".join(TORN)
    before = read(data)[:2]
    for start in range(0, len(torn), 16):
        for stop in range(start + 16, len(torn) + 16, 16):
            holed = torn[:start] + b"\0" * (min(stop, len(torn)) - start) + torn[stop:]
            assert read(data + holed) == (*before, len(torn))


def test_whatever_follows_a_nul_is_a_tail():
    data = b"".join(LOG)
    for junk in (b"\0", b"{\0}\n{}\n", b"\0\n\n\n", TORN[0] + b"x\0y\n" + TORN[1]):
        assert read(data + junk) == (*read(data)[:2], len(junk))


def test_a_whole_last_line_without_its_line_feed_is_a_tail():
    assert read(b"".join(LOG)[:-1]) == (*read(b"".join(LOG[:4]))[:2], len(LOG[4]) - 1)


# What is broken

TRUE, FALSE = True, False
CHANGED = {
    "a line that is gone": LOG[:1] + LOG[2:],
    "two lines exchanged": [LOG[0], LOG[2], LOG[1], *LOG[3:]],
    "a line twice": [LOG[0], *LOG],
    "an empty line": [LOG[0], b"\n", *LOG[1:]],
    "an empty line at the end": [*LOG, b"\n"],
    "a line that is no JSON": [*LOG, b"x\n"],
    "a tail that does not chain": [*LOG, TORN[1]],
    "a line of blanks": [*LOG, b"   \n"],
    "blanks around a line": [b" " + LOG[0], *LOG[1:]],
    "a carriage return": [LOG[0][:-1] + b"\r\n", *LOG[1:]],
    "a byte order mark": [b"\xef\xbb\xbf" + LOG[0], *LOG[1:]],
    "bytes that are no UTF-8": [LOG[0].replace(b"event 1", b"\xff"), *LOG[1:]],
    "another order of members": [
        b'{"sequence":1,"event":{},"previous":"%b","remaining":0}\n' % ROOT_DIGEST.encode()
    ],
    "a member twice": [LOG[0].replace(b'"name"', b'"name":"x","name"')],
    "a member more": [
        b'{"event":{},"more":1,"previous":"%b","remaining":0,"sequence":1}\n' % ROOT_DIGEST.encode()
    ],
    "a member less": [b'{"event":{},"previous":"%b","sequence":1}\n' % ROOT_DIGEST.encode()],
    "no object": [b"[]\n"],
    "null": [b"null\n"],
    "text": [b'"text"\n'],
    "two values in a line": [LOG[0][:-1] + b"," + LOG[1]],
    "a number not in its canonical form": [LOG[0].replace(b'"remaining":0', b'"remaining":0.0')],
    "another root": lines(events(1), root=b"other"),
    "a first sequence of 0": [line({}, ROOT_DIGEST, 0, 0)],
    "a sequence that is true": [line({}, ROOT_DIGEST, 0, TRUE)],
    "a sequence of text": [line({}, ROOT_DIGEST, 0, "1")],
    "a remaining below zero": [line({}, ROOT_DIGEST, -1, 1)],
    "a remaining that is false": [line({}, ROOT_DIGEST, FALSE, 1)],
    "a remaining of half": [line({}, ROOT_DIGEST, 0.5, 1)],
    "a remaining of text": [line({}, ROOT_DIGEST, "0", 1)],
    "a previous of null": [line({}, None, 0, 1)],
    "a previous in capitals": [line({}, ROOT_DIGEST.upper(), 0, 1)],
    "an event that is text": [line("event", ROOT_DIGEST, 0, 1)],
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
def test_a_changed_log_is_broken(changed):
    data = b"".join(changed)
    assert read(data) == read_slowly(data)
    assert isinstance(read(data), int)


@pytest.mark.parametrize("second", [0, 2, 3])
def test_remaining_counts_down(second):
    first = line({}, ROOT_DIGEST, 2, 1)
    digest = sha256_hex(first)
    assert read(first + line({}, digest, 1, 2)) == ([], ROOT_DIGEST, len(first) * 2)
    assert read(first + line({}, digest, second, 2)) == 2


def test_two_lines_that_are_one_value_are_no_two_lines():
    # Joined by a comma, as the fast reading joins them, these are one array of two entries.
    first = line({"a": []}, ROOT_DIGEST, 0, 1)
    for cut in range(1, len(first) - 1):
        assert read(first[:cut] + b"\n" + first[cut:]) == 1


def test_a_line_longer_than_any_block():
    data = b"".join(lines(events(2), [{"text": "x" * 3_000_000}, {"text": "y"}], events(2)))
    assert read(data) == read_slowly(data)
    assert read(data[:-5]) == read_slowly(data[:-5])
    assert read(data[:100]) == read_slowly(data[:100])


# Reading on from an earlier view


def test_what_is_known_is_not_read_again():
    data = b"".join(LOG)
    for known in (read_chain(b"".join(LOG[:count]), EMPTY) for count in range(6)):
        assert read(data, known) == read(data)
        assert read(data + TORN[0], known) == (*read(data)[:2], len(TORN[0]))
        assert read_chain(data, known).events is not known.events


def test_a_view_of_another_history_is_not_used():
    shorter = read_chain(b"".join(lines(events(1, 7))), EMPTY)
    longer = read_chain(b"".join(LOG) + b"".join(TORN), EMPTY)
    other = read_chain(b"".join(lines(events(2, 7), events(3, 9))), EMPTY)
    for known in (shorter, longer, other):
        assert read(b"".join(LOG), known) == read(b"".join(LOG))


def test_what_follows_the_known_part_is_checked():
    known = read_chain(b"".join(LOG[:4]), EMPTY)
    with pytest.raises(BrokenLineError) as caught:
        read_chain(b"".join(LOG[:4]) + b"x\n", known)
    assert (caught.value.line, caught.value.offset) == (5, len(known.text))


def test_lines_are_counted_up_to_the_first_nul():
    assert line_count(b"") == line_count(b"x") == line_count(b"\0\n\n") == 0
    assert line_count(b"a\nb\nc\0\n\n\n") == line_count(b"a\nb\nc") == 2


# Any bytes

FRAGMENTS = st.sampled_from([*LOG, *TORN, *CHANGED["a line twice"], b"\n", b"\0", b"x", b"{}\n"])


@given(st.lists(FRAGMENTS | st.binary(max_size=5), max_size=9).map(b"".join))
@example(b"".join(LOG))
def test_any_pieces_read_as_slowly(data):
    assert read(data) == read_slowly(data)


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_any_changed_byte_reads_as_slowly(seed, changes):
    draw = random.Random(seed)
    data = bytearray(b"".join(LOG + TORN[:2]))
    for _ in range(changes):
        data[draw.randrange(len(data))] = draw.choice([0, 10, 13, 32, 44, 48, 49, 93, 125, 255])
    assert read(bytes(data)) == read_slowly(bytes(data))
