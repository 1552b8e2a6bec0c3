"""Whether a history is sound, seen natively over the lines of its log, against walking through it.

Sound is said of exactly the histories in which the walk finds nothing; and what follows a valid
history is judged alike with and without that history at hand.
"""

import copy

from hypothesis import event as seen_event
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.strategies import any_bytes, damaged_bytes
from tests.property.test_property_replay import FEW, ITEMS, events_under, good_decisions, streams
from tests.unit.review.sessions import UPSTREAM_KEY, blind, event, history, session, stamped
from tests.unit.review.test_decision_samples import AUDIT
from tests.unit.review.test_shape import EVENT_PLACES, SNAPSHOT, SNAPSHOT_PLACES, STREAM, changed

from survey_fast import _core
from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.errors import SurveyError
from survey_fast.limits import resolved
from survey_fast.review.apply import foreign_issues
from survey_fast.review.fold import Fold
from survey_fast.review.replay import are_edits_fit, follows, history_issues
from survey_fast.review.shape import check_events, check_snapshot
from survey_fast.runs.caps import RAISED
from survey_fast.runs.stored_round import StoredRound
from survey_fast.storage.chain import empty_view, extended

SESSION = "s1"
CAPS = resolved(RAISED)
EMPTY = empty_view(sha256_hex(b"root"))


def logged(events):
    """The view of a log with these events, where they can be in one."""
    try:
        return extended(EMPTY, events) if events else EMPTY
    except SurveyError:
        return None


def is_sound_at_once(snapshot, view, session_name=SESSION):
    stored = StoredRound.read(canonical_json(snapshot))
    try:
        edits = stored.edits_of_sound(view.text, session_name)
        return edits is not None and are_edits_fit(stored.outline, view.events, edits)
    except SurveyError:
        return False


def is_sound(snapshot, events, session_name=SESSION):
    """The same by the walk."""
    try:
        check_snapshot(snapshot)
        found = foreign_issues(check_events(events), session_name)
    except SurveyError:
        return False
    return not found and not history_issues(snapshot, events)


# An item with a candidate that stands on it twice is never told natively.
TOLD = [item for item in ITEMS if item["metadata"]["name"] != "twice"]
SNAPSHOTS = [session(*TOLD), blind(*TOLD), session(*FEW)]


@st.composite
def told_streams(draw, *, only_good=False):
    snapshot = draw(st.sampled_from(SNAPSHOTS))
    conditions = AUDIT if "sampling" in snapshot else None
    one = good_decisions(conditions) if only_good else events_under(conditions)
    stream = draw(st.lists(one, max_size=5))
    for at, member in enumerate(stream):
        if draw(st.booleans()):
            key = {"key": UPSTREAM_KEY} if draw(st.booleans()) else {}
            stream[at] = stamped(member, **key)
    stream = history(*stream)
    if not only_good and draw(st.integers(0, 9)) == 0:
        stream = draw(st.permutations(stream))
    return snapshot, stream


@given(told_streams() | told_streams(only_good=True) | streams())
@example((SNAPSHOTS[0], []))
def test_a_history_is_seen_to_be_sound_exactly_when_the_walk_finds_nothing(stream):
    snapshot, events = stream
    view = logged(events)
    found = is_sound_at_once(snapshot, view)
    expected = is_sound(snapshot, view.events)
    seen_event("sound" if expected else "not sound")
    if snapshot in SNAPSHOTS:
        assert found == expected
    else:
        assert not found or expected


def test_any_wrong_value_anywhere_in_an_event_is_seen_as_the_walk_sees_it():
    values = [None, True, 1, "text", "", [], ["x"], {}, {"x": 1}, "a", "c-1", "verified", ...]
    assert is_sound_at_once(SNAPSHOT, logged(STREAM))
    sound = 0
    for path in EVENT_PLACES:
        for value in values:
            view = logged(changed(STREAM, path, value)) if len(path) > 1 else None
            if view is None:
                continue
            expected = is_sound(SNAPSHOT, view.events)
            assert is_sound_at_once(SNAPSHOT, view) == expected, (path, value)
            sound += expected
    assert sound > 50


def test_any_wrong_value_anywhere_in_a_snapshot_is_not_seen_as_sound():
    view = logged(STREAM)
    values = [None, True, 1, "text", [], ["x"], {}, {"x": 1}, [{}], ...]
    for path in SNAPSHOT_PLACES:
        for value in values:
            snapshot = changed(SNAPSHOT, path, value)
            outlined = StoredRound.read(canonical_json(snapshot))
            if is_sound_at_once(snapshot, view):
                assert history_issues(check_snapshot(outlined.outline), view.events) == []


def test_an_outline_is_refused_or_taken_as_the_check_of_snapshots_does_it():
    for path in SNAPSHOT_PLACES:
        for value in (None, True, 1, "text", [], ["x"], {}, {"x": 1}, [{}], ...):
            text = canonical_json(changed(SNAPSHOT, path, value))
            assert outlined(text) == outlined_slowly(text), (path, value)


def outlined(text):
    try:
        return StoredRound.read(text).outline
    except SurveyError as refused:
        return refused.pointer


def outlined_slowly(text):
    stored = StoredRound.read(text)
    stored.names = None
    try:
        return stored.outline
    except SurveyError as refused:
        return refused.pointer


def test_events_of_another_session_are_not_sound():
    view = logged(STREAM)
    assert is_sound_at_once(SNAPSHOT, view)
    assert not is_sound_at_once(SNAPSHOT, view, "s2")
    assert not is_sound_at_once(SNAPSHOT, view, 's1"')


def test_a_name_that_is_spelled_with_escapes_is_a_name():
    snapshot, events = copy.deepcopy((SNAPSHOT, STREAM))
    name = 'a"\\\n\u2028\U0001f600'
    snapshot["items"][0]["metadata"]["name"] = name
    for one in events:
        for member in ("reviewItemName", "activeItemName"):
            if one["spec"].get(member) == "a":
                one["spec"][member] = name
        one["spec"]["sessionName"] = name
    assert is_sound_at_once(snapshot, logged(events), name)
    assert is_sound(snapshot, events, name)


def test_texts_are_measured_as_they_are_not_as_they_are_spelled():
    # Spelled out, this note is longer than allowed: the walk has the last word.
    note = event("note-changed", "a", rationale="\n" * 40_000)
    view = logged(history(note))
    assert not is_sound_at_once(SNAPSHOT, view)
    assert is_sound(SNAPSHOT, view.events)


@given(told_streams() | told_streams(only_good=True) | streams())
def test_what_follows_a_valid_history_is_judged_without_it(stream):
    snapshot, events = stream
    for known in range(len(events) + 1):
        if history_issues(snapshot, events[:known]):
            break
        fold = Fold(snapshot).apply(events[:known])
        for end in range(known, len(events) + 1):
            found = follows(fold, events[known:end], known=known)
            rest = events[:end]
            issues = history_issues(snapshot, rest, known=known) if known else None
            issues = history_issues(snapshot, rest) if issues is None else issues
            is_completed = any(
                one["spec"]["eventType"] == "session-completed" for one in events[:end]
            )
            assert not found or not issues
            assert found or issues or is_completed


STORED = StoredRound.read(canonical_json(SNAPSHOT))
LOG = logged(STREAM).text


@given(any_bytes | damaged_bytes(LOG) | any_bytes.map(lambda text: LOG[:900] + text))
def test_any_bytes_are_lines_of_a_sound_history_or_none(lines):
    edits = STORED.edits_of_sound(lines, SESSION)
    assert edits is None or all(0 <= place < lines.count(b"\n") + 1 for place in edits)


@given(any_bytes, any_bytes, st.none() | any_bytes)
def test_any_bytes_are_a_derived_round_or_none(queue, envelope, prepared):
    names = ("web-page", b"{}", "name", "namespace")
    status = b"{}" if prepared is None else None
    assert _core.derived_round(queue, envelope, prepared, *names, status, CAPS) is None


@given(any_bytes | damaged_bytes(LOG), st.integers(0, 2000))
def test_any_bytes_are_lines_or_refused(lines, start):
    try:
        events = _core.line_events(lines, start)
    except TypeError:
        return
    assert events.startswith(b"[")
    assert events.endswith(b"]")


@given(told_streams(only_good=True) | streams())
def test_a_fold_remembers_the_completion_of_a_host(stream):
    snapshot, events = stream
    if history_issues(snapshot, events):
        return
    found = [
        one["spec"]["sequence"]
        for one in events
        if one["spec"]["eventType"] == "session-completed" and "producer" in one["metadata"]
    ]
    assert Fold(snapshot).apply(events).completed == (found[0] if found else None)
