"""Ending the round of a run: only when it is done, only once, and only as it was looked at."""

import shutil

import pytest
from tests.unit.runs.exporting import chosen, decide, made
from tests.unit.runs.samples import (
    ANA,
    AT,
    HOST,
    LATER,
    conflict,
    decided,
    items_of,
    nothing,
    refused,
    stays_refused,
)
from tests.unit.runs.test_import_run import Upstream, unbound
from tests.unit.runs.test_labels import scored

from survey_fast.audit.calibration import derive_calibration
from survey_fast.errors import SessionError
from survey_fast.review.stream import completion
from survey_fast.runs import complete
from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.complete import complete_run
from survey_fast.runs.export.export import export_run
from survey_fast.runs.import_run import import_run
from survey_fast.runs.labels import labels_of_run
from survey_fast.runs.opened import open_run
from survey_fast.runs.verify import verify_run


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


@pytest.fixture
def blind(root):
    """A score-blind run of which everything is decided."""
    return decided(root, conflict().with_order(score_blind=True))


def test_a_blind_run_is_exported_once_its_round_is_over(blind):
    stays_refused("scores-withheld", blind, export_run)
    before = open_run(blind).log
    done = complete_run(blind, HOST)
    assert (done.added, len(done.events)) == (1, before.count + 1)
    assert open_run(blind).revision == done.revision
    assert export_run(blind).is_whole
    assert verify_run(blind).run.revision == done.revision


def test_the_event_says_who_ended_it_and_when(blind):
    complete_run(blind, Host(ANA, LATER))
    event = open_run(blind).log.events[-1]
    assert event["spec"]["eventType"] == "session-completed"
    assert (event["spec"]["actor"]["id"], event["spec"]["occurredAt"]) == ("ana", LATER)
    assert completion(open_run(blind).log.events, stamped=True) == open_run(blind).log.count


def test_a_blind_run_gives_samples_once_its_round_is_over(root):
    path = scored().with_order(score_blind=True).create(root).path
    decide(path, ("fee", "select", chosen(path, "fee", "52000")), ("city", "accept"))
    assert derive_calibration(labels_of_run(open_run(path))).sample_count == 0
    complete_run(path, HOST)
    assert derive_calibration(labels_of_run(open_run(path))).sample_count == 3


def test_a_sighted_run_may_be_ended_and_its_claims_stay_what_they_were(root):
    path = decided(root, conflict())
    claims = export_run(path).document["bundle"]["claims"]
    complete_run(path, HOST)
    assert export_run(path).document["bundle"]["claims"] == claims


def test_what_is_open_is_counted_and_named(root):
    path = made(root, conflict(), ("city", "accept"))
    found = stays_refused("unresolved-review-item", path, complete_run, HOST)
    assert isinstance(found, SessionError)
    names = items_of(open_run(path))
    assert found.details == {
        "open": 1,
        "items": 2,
        "itemNames": [names["fee"]["metadata"]["name"]],
    }


def test_a_decision_that_was_taken_back_is_open(root):
    path = decided(root, conflict())
    decide(path, ("city", None))
    assert stays_refused("unresolved-review-item", path, complete_run, HOST).details["open"] == 1
    decide(path, ("city", "reject"))
    assert complete_run(path, HOST).added == 1


def test_a_round_ends_once_and_nothing_is_decided_after(blind):
    done = complete_run(blind, HOST)
    found = stays_refused("event-after-completion", blind, complete_run, HOST)
    assert found.details["revision"] == done.revision
    name = open_run(blind).state["items"][0]["metadata"]["name"]
    request = [{"item": name, "decision": "reject"}]
    for options in ({}, {"replace_decided": True}, {"keep_going": True}):
        found = stays_refused("INVALID_EVENTS", blind, decide_run, request, HOST, **options)
        assert found.details["issues"][0]["code"] == "event-after-completion"
        assert found.details["revision"] == done.revision
    # A batch that was stored before is passed over: nothing would be added.
    assert decide_run(blind, request, HOST, skip_decided=True).committed == 0


def test_a_revision_that_is_not_the_runs_is_a_conflict(blind):
    before = open_run(blind).revision
    other = f"{before.partition(':')[0]}:{'0' * 64}"
    found = stays_refused("REVIEW_CONFLICT", blind, complete_run, HOST, expected_revision=other)
    assert found.details["revision"] == before
    assert complete_run(blind, HOST, expected_revision=before).added == 1


def test_what_somebody_decides_meanwhile_keeps_the_round_open(blind, monkeypatch):
    opened = complete.open_run

    def and_meanwhile(path, **options):
        run = opened(path, **options)
        decide(path, ("city", None))
        return run

    monkeypatch.setattr(complete, "open_run", and_meanwhile)
    before = open_run(blind).log.count
    refused("REVIEW_CONFLICT", complete_run, blind, HOST)
    after = open_run(blind).log
    assert after.count > before
    assert completion(after.events, stamped=True) is None


def test_a_round_without_items_can_be_ended(root):
    path = nothing().create(root).path
    assert complete_run(path, HOST).added == 1


def test_a_run_that_takes_no_decision_is_refused_for_that(blind, root, tmp_path):
    closed = import_run(unbound(Upstream(tmp_path / "theirs")), tmp_path / "others")
    stays_refused("RUN_ENVELOPE_UNBOUND", closed.artifacts.path, complete_run, HOST)
    renamed = shutil.move(blind, root / "another-name")
    stays_refused("INVALID_RUN", renamed, complete_run, HOST)
    refused("RUN_NOT_FOUND", complete_run, root / "nowhere", HOST)


def test_who_ends_it_is_somebody_that_can_be_stamped():
    with pytest.raises(ValueError, match="canonical"):
        Host(ANA, "today")
    assert Host(ANA, AT).now == AT
