"""The collector waits for bulk work, one caller at a time, and always goes on afterwards."""

import gc
import threading

import pytest

from survey_fast.canon.collector import collector_paused


@pytest.fixture(autouse=True)
def collecting():
    assert gc.isenabled()
    yield
    gc.enable()


def test_no_cycle_is_searched_for_inside_and_every_one_afterwards():
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_refusal_inside_starts_the_collector_again():
    with pytest.raises(ValueError, match="refused"), collector_paused():
        raise ValueError("refused")
    assert gc.isenabled()


def test_a_block_inside_a_block_neither_ends_nor_prolongs_the_pause():
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_second_thread_does_not_prolong_the_pause_of_the_first():
    entered, leave, seen = threading.Event(), threading.Event(), []

    def other():
        with collector_paused():
            entered.set()
            leave.wait(10)
            seen.append(gc.isenabled())

    thread = threading.Thread(target=other)
    with collector_paused():
        thread.start()
        assert entered.wait(10)
    leave.set()
    thread.join()
    assert seen == [True]


def test_a_collector_that_its_owner_switched_off_stays_off():
    gc.disable()
    with collector_paused():
        assert not gc.isenabled()
    assert not gc.isenabled()
