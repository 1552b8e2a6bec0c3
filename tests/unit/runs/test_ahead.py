"""Work that is begun ahead: answered to who asks, over when the block is left, and never lost."""

import threading

import pytest

from survey_fast.runs.ahead import begun

BOTH = pytest.mark.parametrize("is_worthwhile", [True, False])


class OddError(Exception):
    """What no caller expects."""


def fails():
    raise OddError


def ahead():
    return [one for one in threading.enumerate() if one.name == "survey-fast-ahead"]


@BOTH
def test_who_asks_is_answered_in_the_block_and_behind_it(is_worthwhile):
    with begun(lambda: [1], is_worthwhile=is_worthwhile) as answer:
        pass
    assert answer() == [1]
    with begun(lambda: [2], is_worthwhile=is_worthwhile) as answer:
        assert answer() == [2]
    assert not ahead()


@BOTH
def test_what_the_work_raises_is_raised_where_it_is_asked_for(is_worthwhile):
    with begun(fails, is_worthwhile=is_worthwhile) as answer:
        pass
    for _ in range(2):
        with pytest.raises(OddError):
            answer()
    assert not ahead()


@BOTH
def test_who_does_not_ask_hears_nothing(is_worthwhile):
    with begun(fails, is_worthwhile=is_worthwhile):
        pass
    with pytest.raises(ValueError, match="mine"), begun(fails, is_worthwhile=is_worthwhile):
        raise ValueError("mine")
    assert not ahead()


def test_work_goes_on_beside_the_block_and_is_over_behind_it():
    go, done = threading.Event(), threading.Event()

    def work():
        go.wait(30)
        done.set()
        return threading.current_thread().name

    with begun(work, is_worthwhile=True) as answer:
        assert not done.is_set()
        assert len(ahead()) == 1
        go.set()
    assert done.is_set()
    assert answer() == "survey-fast-ahead"
    assert not ahead()


def test_the_work_is_over_when_the_block_is_left_by_an_exception():
    go, done = threading.Event(), threading.Event()

    def work():
        go.wait(30)
        done.set()

    def interrupted():
        with begun(work, is_worthwhile=True):
            go.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done.is_set()
    assert not ahead()


def test_small_work_is_done_when_it_is_asked_for():
    calls = []
    with begun(lambda: calls.append(1), is_worthwhile=False) as answer:
        assert calls == []
        answer()
    assert calls == [1]


def test_a_system_without_a_thread_to_give_is_made_up_for(monkeypatch):
    def refused(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with begun(lambda: 3, is_worthwhile=True) as answer:
        pass
    assert answer() == 3
