"""Labels from runs: of what is decided, and of nothing while a blind round is not over."""

import pytest
from tests.unit.extraction.running import Scripted, answer, propose
from tests.unit.runs.exporting import chosen, made
from tests.unit.runs.samples import TEXT, sample_of, task_document

from survey_fast.audit.calibration import derive_calibration
from survey_fast.runs.labels import labels_of_run
from survey_fast.runs.opened import open_run


def scored():
    """Two rival fees and a city, each with a confidence."""
    provider = Scripted(
        answer(
            propose("fee", "48000", "Fee: 48000", confidence=0.9),
            propose("fee", "52000", "Fee: 52000", confidence=0.4),
            propose("city", "Basel", "City: Basel", confidence=0.8),
        )
    )
    return sample_of(task_document("fee", "city"), TEXT, provider)


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def test_what_is_decided_in_a_run_is_labelled_and_a_choice_gives_both_sides(root):
    path = scored().create(root).path
    assert labels_of_run(open_run(path)).judgements == []
    made(root, scored(), ("fee", "select", chosen(path, "fee", "52000")), ("city", "accept"))
    labels = labels_of_run(open_run(path))
    found = derive_calibration(labels)
    assert labels.origin == "run"
    assert (found.sample_count, found.overall.correct_count) == (3, 2)
    assert [one.to_json()["origin"] for one in found.origins] == ["run"]


def test_a_blind_round_says_nothing_before_it_is_over(root):
    path = made(root, scored().with_order(score_blind=True), ("city", "accept"))
    labels = labels_of_run(open_run(path))
    found = derive_calibration(labels)
    assert (found.sample_count, found.skipped) == (0, {"blind-round-open": 1})
    assert all(not one.predictions for one in labels.judgements)
