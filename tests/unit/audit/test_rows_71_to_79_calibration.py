"""Calibration: rows 71 to 79 of the edge table of surfaces, and row 53 of reviews.

Rows 72 and 73 are proven with the threshold as it is ours: the smallest confidence that was
observed in the last bin that passed, where the table names that bin's lower edge. Row 75 is
proven for reviews that name none of several values; a choice among several is labelled. Row 80 is
proven with the rule itself; left are rows 85 and 86, since nothing drafts improvements.
"""

import copy
import json
import math

import pytest
from tests.unit.audit.calibrating import AT, BLIND, Reviewed, many, offered
from tests.unit.review.sessions import decides, derived
from tests.unit.review.test_decision_samples import session
from tests.unit.trust.records import a_conflict, a_single, built, item
from tests.unit.trust.records import candidate as review_candidate

from survey_fast.audit.calibration import (
    derive_calibration,
    labels_of_session,
    labels_of_survey_input,
)
from survey_fast.audit.calibration.groups import rounded
from survey_fast.audit.calibration.labels import AUTO_ACCEPT_ACTOR
from survey_fast.errors import SurveyError
from survey_fast.review.session_file import new_session, read_session
from survey_fast.trust.projection import claims

NOW = "2026-10-01T00:00:00.000Z"


def calibrated(reviewed, **options):
    return derive_calibration(reviewed.document, **options)


def threshold(reviewed, **options):
    return calibrated(reviewed, **options).overall.suggested_threshold


def skipped(reviewed, **options):
    found = calibrated(reviewed, **options)
    assert found.skipped_count == sum(found.skipped.values())
    return found.sample_count, dict(found.skipped)


def refused(document):
    assert derive_calibration(many(1).document).sample_count == 1
    with pytest.raises(SurveyError) as caught:
        derive_calibration(document)
    return caught.value.code, caught.value.pointer


def names(calibration):
    return [(group.extractor, group.field) for group in calibration.groups]


# Rows


def test_row_53_a_blind_sample_of_the_kind_queue_is_no_audit_label():
    queue = {"presentation": {"scoreBlind": True}, "sampling": {"kind": "queue"}}
    reviewed = Reviewed().add(metadata=BLIND).add(metadata=queue)
    assert skipped(reviewed) == (2, {})
    assert skipped(reviewed, audit_samples_only=True) == (1, {"not-random-audit": 1})


def test_row_71_keeping_the_current_value_is_a_miss_of_the_proposed_one():
    reviewed = Reviewed()
    for at in range(50):
        rivals = [offered("now", role="current"), offered("new")]
        reviewed.add(0.9, "now" if at < 25 else "new", candidates=rivals)
    overall = calibrated(reviewed).overall
    assert (overall.sample_count, overall.correct_count) == (50, 25)
    assert (overall.empirical_accuracy, overall.mean_predicted_confidence) == (0.5, 0.9)
    assert overall.calibration_gap == 0.4


def test_row_72_a_bin_needs_thirty_samples():
    assert threshold(many(29), target_accuracy=0.5) is None
    found = calibrated(many(30), target_accuracy=0.5).overall
    assert found.suggested_threshold == 0.95
    assert found.bins[-1].lower_bound == 0.9


def test_row_73_the_bound_that_is_compared_is_not_rounded():
    assert threshold(many(51), min_bin_samples=1) is None
    assert threshold(many(52), min_bin_samples=1) == 0.95


@pytest.mark.parametrize("role", ["computed", "current", None])
def test_row_74_the_only_candidate_of_a_set_is_the_proposed_one(role):
    reviewed = Reviewed().add(candidates=[offered("new", role=role)])
    assert skipped(reviewed) == (1, {})


def test_row_75_a_set_that_proposes_nothing_is_skipped():
    rivals = [offered("one", role="current"), offered("two", role="computed")]
    assert skipped(Reviewed().add(picked="one", candidates=rivals)) == (0, {"no-proposed-value": 1})


def test_row_75_a_review_that_names_none_of_several_values_is_skipped():
    rivals = [offered("one"), offered("two")]
    assert skipped(Reviewed().add(picked=None, candidates=rivals)) == (0, {"no-choice": 1})
    assert skipped(Reviewed().add(picked="one", candidates=rivals)) == (2, {})


def test_row_76_names_are_never_joined():
    reviewed = Reviewed()
    for extractor, target in (("ext a", "f b"), ("ext", 'a"f b'), ("ext", "a f b"), ("*", "fee")):
        reviewed.add(extraction={"extractor": extractor, "target": target})
    found = calibrated(reviewed)
    assert names(found) == [("*", "fee"), ("ext", "a f b"), ("ext", 'a"f b'), ("ext a", "f b")]
    assert [one.extractor for one in found.by_extractor] == ["*", "ext", "ext a"]
    assert found.overall.extractor is None


def test_row_77_full_confidence_belongs_to_the_top_bin():
    assert calibrated(Reviewed().add(1.0)).overall.bins[-1].sample_count == 1


def test_row_78_a_window_needs_an_end():
    reviewed = Reviewed().add()
    assert calibrated(reviewed, window_days=300, now=NOW).sample_count == 1
    with pytest.raises(ValueError, match="needs now"):
        calibrated(reviewed, window_days=300)


def test_row_79_sighted_reviews_and_blind_queues_are_no_audit_labels():
    blind_only = {"presentation": {"scoreBlind": True}}
    sighted = {**BLIND, "presentation": {"scoreBlind": False}}
    reviewed = Reviewed().add()
    for metadata in (blind_only, sighted, {**BLIND, "sampling": {"kind": "queue"}}):
        reviewed.add(metadata=metadata)
    assert skipped(reviewed, audit_samples_only=True) == (0, {"not-random-audit": 4})
    assert calibrated(reviewed, audit_samples_only=True).overall.empirical_accuracy is None
    assert skipped(reviewed) == (4, {})


# Labels


def test_a_choice_is_one_right_value_and_a_wrong_one_for_each_passed_over():
    rivals = [
        {**offered("one"), "confidence": 0.9},
        {**offered("two"), "confidence": 0.4},
        {**offered("three"), "confidence": 0.35},
        offered("now", role="current"),
    ]
    overall = calibrated(Reviewed().add(picked="two", candidates=rivals)).overall
    assert (overall.sample_count, overall.correct_count) == (3, 1)
    assert [one.sample_count for one in overall.bins if one.sample_count] == [1, 1, 1]
    assert overall.bins[4].correct_count == 1


def test_a_candidate_with_the_chosen_value_was_not_passed_over():
    rivals = [offered("one", 12), offered("two", 12.0), offered("three", 24)]
    overall = calibrated(Reviewed().add(picked="one", candidates=rivals)).overall
    assert (overall.sample_count, overall.correct_count) == (2, 1)


def test_keeping_the_current_value_of_a_conflict_makes_every_proposed_one_wrong():
    rivals = [offered("now", role="current"), offered("one"), offered("two")]
    overall = calibrated(Reviewed().add(picked="now", candidates=rivals)).overall
    assert (overall.sample_count, overall.correct_count) == (2, 0)


@pytest.mark.parametrize(("named", "count"), [(None, 2), ("one", 1)])
def test_a_rejection_makes_wrong_what_it_names_else_every_value(named, count):
    rivals = [offered("one"), offered("two")]
    overall = calibrated(Reviewed().add(picked=named, candidates=rivals, status="rejected")).overall
    assert (overall.sample_count, overall.correct_count) == (count, 0)


def test_a_review_without_a_candidate_takes_the_one_that_the_set_selects():
    reviewed = Reviewed().add(picked=None, candidates=[offered("one"), offered("two")])
    reviewed.document["candidateSets"][0]["selectedCandidateId"] = "two"
    assert calibrated(reviewed).overall.correct_count == 1


@pytest.mark.parametrize(
    ("metadata", "right"),
    [
        ({"workbenchDecision": "accept-proposed", "editedValue": "else"}, 0),
        ({"workbenchDecision": "accept-proposed", "editedValue": None}, 0),
        ({"workbenchDecision": "accept-proposed", "editedValue": "new"}, 1),
        ({"workbenchDecision": "keep-current", "editedValue": "else"}, 1),
        ({"editedValue": "else"}, 1),
    ],
    ids=["changed", "emptied", "same", "forged", "undecided"],
)
def test_a_value_that_was_accepted_only_after_an_edit_was_not_right(metadata, right):
    overall = calibrated(Reviewed().add(metadata=metadata)).overall
    assert (overall.sample_count, overall.correct_count) == (1, right)


@pytest.mark.parametrize("value", [math.nan, math.inf, "0.9", True, None])
def test_a_confidence_that_is_none_falls_back_to_that_of_the_extraction(value):
    alone = Reviewed().add(value)
    assert skipped(alone) == (0, {"no-confidence": 1})
    both = Reviewed().add(value, extraction={"confidence": 0.25})
    assert calibrated(both).overall.mean_predicted_confidence == 0.25


@pytest.mark.parametrize(("told", "taken"), [(-3, 0.0), (1.5, 1.0), (10**400, 1.0), (0, 0.0)])
def test_a_confidence_is_brought_into_its_range(told, taken):
    assert calibrated(Reviewed().add(told)).overall.mean_predicted_confidence == taken


def test_without_a_name_the_extractor_is_unknown_and_the_field_is_that_of_the_set():
    reviewed = Reviewed().add()
    reviewed.document["extractions"] = []
    assert names(calibrated(reviewed)) == [("unknown", "fee")]


# Reviews that give no sample


def test_every_review_without_a_sample_is_counted_under_its_first_reason():
    reviewed = Reviewed().add()
    reviewed.add(status="proposed", resolution="could_not_confirm")
    reviewed.add(status="proposed")
    reviewed.add(status="assumed", actor="auto-accept-policy")
    reviewed.add(None)
    reviewed.review("set-of-someone-else")
    reviewed.add(reviewedAt="2020-01-01T00:00:00Z")
    reviewed.add(reviewedAt="yesterday")
    found = calibrated(reviewed, now=NOW, window_days=365)
    assert found.sample_count == 1
    assert found.skipped == {
        "could-not-confirm": 1,
        "no-review-time": 1,
        "outside-window": 1,
        "not-settled": 1,
        "accepted-by-rule": 1,
        "unknown-set": 1,
        "no-confidence": 1,
    }
    assert list(found.to_json()["skipped"]) == list(found.skipped)
    assert calibrated(reviewed, include_auto_accepted=True).sample_count == 4
    assert AUTO_ACCEPT_ACTOR == claims.AUTO_ACCEPT_ACTOR


def test_the_window_starts_with_its_first_instant_whatever_the_zone():
    reviewed = Reviewed().add(reviewedAt="2026-09-30T02:00:00+02:00")
    assert skipped(reviewed, now=NOW, window_days=1) == (1, {})
    assert skipped(reviewed, now=NOW, window_days=0.5) == (0, {"outside-window": 1})
    found = calibrated(reviewed, now=NOW, window_days=1).to_json()
    assert (found["windowStart"], found["windowEnd"]) == ("2026-09-30T00:00:00.000Z", NOW)


# Several reviews of one value


LATER = "2026-06-03T09:00:00+02:00"


@pytest.mark.parametrize("is_reversed", [False, True])
def test_of_several_reviews_of_one_value_the_latest_counts(is_reversed):
    reviewed = Reviewed().add().review("set-1", status="rejected", reviewedAt=LATER)
    if is_reversed:
        reviewed.document["reviewOutcomes"].reverse()
    found = calibrated(reviewed)
    assert (found.sample_count, found.overall.correct_count) == (1, 0)
    assert found.skipped == {"superseded": 1}


def test_what_could_later_not_be_confirmed_is_no_label_any_more():
    reviewed = Reviewed().add()
    reviewed.review(
        "set-1",
        status="proposed",
        resolution="could_not_confirm",
        reviewedAt="2026-07-01T00:00:00Z",
    )
    assert skipped(reviewed) == (0, {"could-not-confirm": 1, "superseded": 1})


def test_a_rule_takes_back_nothing_that_a_person_found():
    reviewed = Reviewed().add(status="rejected")
    reviewed.review("set-1", status="assumed", actor="auto-accept-policy", reviewedAt=LATER)
    found = calibrated(reviewed)
    assert (found.sample_count, found.overall.correct_count) == (1, 0)


def test_reviews_of_one_instant_count_once_or_when_they_differ_not_at_all():
    same = Reviewed().add().review("set-1", reviewedAt="2026-06-02T11:00:00+02:00")
    assert skipped(same) == (1, {"superseded": 1})
    other = Reviewed().add().review("set-1", status="rejected")
    assert skipped(other) == (0, {"order-unknown": 2})


def test_without_times_several_reviews_count_only_where_they_agree():
    same = Reviewed().add(reviewedAt=None).review("set-1")
    assert skipped(same) == (1, {"superseded": 1})
    other = Reviewed().add(reviewedAt="2026-06-02").review("set-1", status="rejected")
    assert skipped(other) == (0, {"order-unknown": 2})


def test_reviews_of_single_candidates_replace_one_another_value_by_value():
    rivals = [offered("one"), offered("two")]
    reviewed = Reviewed().add(picked="one", candidates=rivals, status="rejected")
    reviewed.review("set-1", "two", status="rejected")
    assert calibrated(reviewed).overall.sample_count == 2
    reviewed.review("set-1", "one", reviewedAt=LATER)
    found = calibrated(reviewed).overall
    assert (found.sample_count, found.correct_count) == (2, 1)


def test_one_value_in_two_inputs_is_one_sample():
    reviewed = many(3).document
    found = derive_calibration([reviewed, copy.deepcopy(reviewed)])
    assert (found.sample_count, found.skipped) == (3, {"superseded": 3})
    (origin,) = found.origins
    assert (origin.origin, origin.input_count) == ("survey-input", 2)


# Bins and threshold


def test_fine_bins_hold_what_starts_at_their_edge():
    bins = calibrated(Reviewed().add(0.57).add(0.29), bin_count=100).overall.bins
    assert [at for at, one in enumerate(bins) if one.sample_count] == [29, 57]


def test_a_threshold_lies_where_something_was_observed_never_at_the_edge_of_a_bin():
    reviewed = many(60, 0.97)
    for one in many(60, 0.8642).document["candidateSets"]:
        reviewed.add(one["candidates"][0]["confidence"])
    assert threshold(reviewed, target_accuracy=0.9) == 0.8642
    assert threshold(many(60, 0.123456789), bin_count=1) == 0.123456789


def test_the_search_ends_at_the_first_bin_that_does_not_pass():
    reviewed = many(60, 0.95)
    for at in range(60):
        reviewed.add(0.85, status="rejected" if at < 20 else "verified")
        reviewed.add(0.75)
    assert threshold(reviewed) == 0.95


def test_an_empty_bin_ends_the_search_also_at_the_top():
    assert threshold(many(60, 0.85)) is None
    reviewed = many(60, 0.95)
    for _ in range(60):
        reviewed.add(0.75)
    assert threshold(reviewed) == 0.95


def test_bins_tell_counts_shares_bound_and_range():
    reviewed = Reviewed().add(0.91).add(0.99, status="rejected")
    top = calibrated(reviewed).to_json()["overall"]["bins"][-1]
    assert top == {
        "lowerBound": 0.9,
        "upperBound": 1.0,
        "sampleCount": 2,
        "correctCount": 1,
        "empiricalAccuracy": 0.5,
        "meanPredictedConfidence": 0.95,
        "accuracyLowerBound": 0.1209,
        "lowestConfidence": 0.91,
        "highestConfidence": 0.99,
    }


def test_without_samples_figures_are_absent_and_not_0():
    found = derive_calibration(Reviewed().document).to_json()
    assert set(found["overall"]) == {"sampleCount", "correctCount", "documentCount", "bins"}
    assert found["overall"]["bins"][0] == {
        "lowerBound": 0.0,
        "upperBound": 0.1,
        "sampleCount": 0,
        "correctCount": 0,
    }
    assert (found["byExtractor"], found["origins"][0]["sampleCount"]) == ([], 0)


def test_documents_are_counted_by_what_they_are_read_from():
    reviewed = many(3)
    assert calibrated(reviewed).overall.document_count == 3
    sources = [{"id": f"doc-{at}", "sourceRef": "file:a.txt"} for at in (1, 2, 3)]
    reviewed.document["rawSources"] = sources
    assert calibrated(reviewed).overall.document_count == 1


@pytest.mark.parametrize(
    ("number", "written"),
    [(1 / 32, 0.0313), (5 / 32, 0.1563), (0.00025, 0.0003), (-1 / 32, -0.0312), (-0.00005, 0.0)],
)
def test_a_half_is_rounded_upwards(number, written):
    assert rounded(number) == written


@pytest.mark.parametrize(
    "options",
    [
        {"target_accuracy": math.nan},
        {"target_accuracy": 0},
        {"target_accuracy": 1.01},
        {"bin_count": 0},
        {"bin_count": 1001},
        {"min_bin_samples": 0},
        {"window_days": 0, "now": NOW},
        {"window_days": math.inf, "now": NOW},
        {"window_days": 1, "now": "yesterday"},
        {"window_days": 36_525, "now": "0050-01-01T00:00:00Z"},
    ],
    ids=lambda options: "-".join(f"{name}-{value}" for name, value in options.items()),
)
def test_an_option_outside_of_its_range_is_misuse(options):
    with pytest.raises(ValueError, match=r"\w"):
        calibrated(many(1), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"target_accuracy": True},
        {"target_accuracy": "0.9"},
        {"bin_count": 2.0},
        {"min_bin_samples": True},
        {"audit_samples_only": 1},
        {"include_auto_accepted": None},
        {"window_days": "1", "now": NOW},
        {"window_days": 1, "now": 0},
    ],
    ids=lambda options: "-".join(f"{name}-{value}" for name, value in options.items()),
)
def test_an_option_of_a_wrong_type_is_misuse(options):
    with pytest.raises(TypeError):
        calibrated(many(1), **options)


# What is read


def test_bytes_text_and_plain_data_give_the_same():
    document = many(3, wrong=1).document
    text = json.dumps(document)
    expected = derive_calibration(document).to_json()
    assert derive_calibration(text).to_json() == expected
    assert derive_calibration(text.encode()).to_json() == expected
    assert derive_calibration(labels_of_survey_input(document)).to_json() == expected


@pytest.mark.parametrize("wrong", [None, 1, {1, 2}, object()])
def test_a_source_of_another_type_is_misuse(wrong):
    with pytest.raises(TypeError):
        derive_calibration(wrong)


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        (("reviewOutcomes",), None, "/reviewOutcomes"),
        (("candidateSets",), {}, "/candidateSets"),
        (("extractions", 0), 1, "/extractions/0"),
        (("reviewOutcomes", 0, "id"), 1, "/reviewOutcomes/0/id"),
        (("candidateSets", 0, "candidates"), [], "/candidateSets/0/candidates"),
        (("candidateSets", 0, "candidates"), None, "/candidateSets/0/candidates"),
        (("candidateSets", 0, "candidates"), [1], "/candidateSets/0/candidates/0"),
        (("rawSources",), "x", "/rawSources"),
    ],
    ids=lambda part: "-".join(map(str, part)) if isinstance(part, tuple) else None,
)
def test_a_broken_record_is_refused_with_a_pointer(path, value, pointer):
    document = many(1).document
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert refused(document) == ("calibration-input-invalid", pointer)


def test_an_id_stands_once():
    document = many(2).document
    document["candidateSets"][1]["id"] = "set-1"
    assert refused(document) == ("duplicate-id", "/candidateSets/1/id")
    document = many(2).document
    document["extractions"][1]["id"] = "set-1.new"
    assert refused(document) == ("duplicate-id", "/extractions/1/id")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("status", ["verified"]),
        ("candidateSetId", {}),
        ("candidateId", ["new"]),
        ("reviewedAt", 5),
        ("metadata", []),
        ("actor", {}),
        ("resolution", []),
    ],
)
def test_a_member_of_another_type_never_ends_in_anything_but_a_count(member, value):
    reviewed = many(1)
    reviewed.document["reviewOutcomes"][0][member] = value
    found = calibrated(reviewed)
    assert found.sample_count + found.skipped_count == 1


# Sessions


def three():
    return [
        item(review_candidate("c-1", 1, confidence=0.9), name="a"),
        a_conflict(1, 2, name="b"),
        item(review_candidate("c-now", 5, "current"), review_candidate("c-1", 6), name="c"),
    ]


def three_decided(**conditions):
    snapshot = session(*three(), **conditions)
    events = [
        decides("accept-proposed", "a"),
        decides("select-proposed", "b", "c-2"),
        decides("keep-current", "c", "c-now"),
    ]
    return snapshot, events


def test_an_applied_history_and_the_input_that_is_built_of_it_say_the_same():
    snapshot, events = three_decided()
    applied = derived(snapshot, *events, required="all")
    survey = built(three(), copy.deepcopy(list(applied.results)))["surveyInput"]
    of_history, of_survey = derive_calibration(applied), derive_calibration(survey)
    assert (of_history.sample_count, of_history.overall.correct_count) == (4, 2)
    assert of_history.groups == of_survey.groups
    assert [one.origin for one in of_history.origins] == ["session"]
    assert [one.origin for one in of_survey.origins] == ["survey-input"]


def test_a_history_with_issues_is_refused():
    snapshot, events = three_decided()
    applied = derived(snapshot, *events[:1], required="all")
    assert not applied.ok
    with pytest.raises(SurveyError) as caught:
        derive_calibration(applied)
    assert caught.value.code == "unresolved-review-item"


def stored(snapshot):
    return read_session(new_session(snapshot, name="s1"))


def test_a_session_that_nobody_decided_in_gives_no_sample():
    labels = labels_of_session(stored(session(a_single())))
    assert (labels.origin, list(labels.judgements)) == ("session", [])


def test_what_was_checked_comes_before_what_is_taken_at_its_word():
    snapshot, events = three_decided()
    applied = derived(snapshot, *events)
    found = derive_calibration([many(1).document, applied])
    assert [one.origin for one in found.origins] == ["session", "survey-input"]
    assert [one.sample_count for one in found.origins] == [4, 1]


def test_a_time_is_a_date_a_time_and_a_zone():
    for text in ("2026-06-02", "2026-06-02 09:00:00Z", "2026-06-02T09:00:00", 5, None, ""):
        reviewed = Reviewed().add(reviewedAt=text)
        assert skipped(reviewed, now=NOW, window_days=999) == (0, {"no-review-time": 1})
    assert skipped(Reviewed().add(reviewedAt=AT), now=NOW, window_days=999) == (1, {})


def test_names_and_values_that_no_text_can_hold_are_refused():
    reviewed = Reviewed().add(extraction={"extractor": "\ud800"}).add()
    assert refused(reviewed.document)[0] == "json-lone-surrogate"
    value = [1]
    for _ in range(200):
        value = [value]
    rivals = [offered("one", value), offered("two", value)]
    assert refused(Reviewed().add(picked="one", candidates=rivals).document)[0] == "json-depth"
