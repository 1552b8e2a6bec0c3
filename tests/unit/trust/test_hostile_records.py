"""Whatever stands in one place of an input ends in a bundle that validates, or in a refusal."""

import copy
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.trust.records import (
    a_conflict,
    a_single,
    built,
    claim,
    projected,
    result_of,
    survey,
)
from tests.unit.trust.test_projection import escalation, reading

from survey_fast.errors import SurveyError
from survey_fast.trust.learning import derive_learning_records
from survey_fast.trust.projection import build_survey_trust_bundle
from survey_fast.trust.validation import validate_trust_bundle

DEEP = {"a": "b"}
for _ in range(400):
    DEEP = {"a": DEEP}
HOSTILE = st.sampled_from(
    [
        *(None, True, 0, -1, 1e308, 10**400, float("nan"), "", " ", "\ud800", "a", [], [None], {}),
        *(
            {"": None},
            ["a"],
            DEEP,
            "9999-12-31T23:59:59.999Z",
            "0000-01-01T00:00:00Z",
            "2026-02-30",
        ),
    ]
)
SURVEY = survey(
    claims=[claim(derivedFrom=[], derivationEdges=[], confidenceBasis={}, metadata={"survey": {}})],
    escalations=[escalation()],
    interpretations=[reading()],
)
ITEMS = [a_single(), a_conflict(name="b", projection={"claimId": "claim.b"})]
RESULTS = [
    result_of(ITEMS[0], "accept-proposed", data={"workbenchEditedValue": 1}),
    result_of(ITEMS[1], "select-proposed", "c-2", "amended"),
]


def places(document, path=()):
    """Every place inside a document."""
    steps = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    for step, value in steps:
        yield (*path, step)
        yield from places(value, (*path, step))


def changed(document, path, value):
    result = copy.deepcopy(document)
    *steps, last = path
    place = result
    for step in steps:
        place = place[step]
    place[last] = value
    return result


def made_of(survey_input, context):
    """The bundle, or nothing where the input is refused; a bundle that is made has to be valid."""
    bundle = None
    with suppress(SurveyError):
        bundle = build_survey_trust_bundle(survey_input, projection_context_id=context)
    if bundle is not None:
        validate_trust_bundle(bundle, writing=True)


@given(st.sampled_from(list(places(SURVEY))), HOSTILE)
def test_a_survey_input(path, value):
    made_of(changed(SURVEY, path, value), "c")


@given(st.sampled_from(list(places([ITEMS, RESULTS]))), HOSTILE)
def test_items_and_results(path, value):
    items, results = changed([ITEMS, RESULTS], path, value)
    # The two arguments themselves have to be sequences.
    refusals = (SurveyError, TypeError) if len(path) == 1 else SurveyError
    made = None
    with suppress(refusals):
        made = built(items, results)
    if made is not None:
        made_of(made["surveyInput"], made["projectionContextId"])


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("\ud800", "json-lone-surrogate"),
        (10**400, "json-number-range"),
        (float("nan"), "json-number-range"),
        (DEEP, "json-depth"),
    ],
    ids=["half-a-pair", "beyond-doubles", "no-number", "deep"],
)
def test_what_no_json_text_can_hold_is_refused_where_it_stands(value, code):
    assert projected(SURVEY)
    broken = changed(SURVEY, ("candidateSets", 0, "candidates", 0, "value"), value)
    for read in (build_survey_trust_bundle, derive_learning_records):
        with pytest.raises(SurveyError) as caught:
            read(broken)
        assert caught.value.code == code
        assert caught.value.pointer.startswith("/candidateSets/0/candidates/0/value")
    for name, given_items, given_results in (
        ("items", changed(ITEMS, (1, "spec", "candidates", 1, "value"), value), RESULTS),
        ("results", ITEMS, changed(RESULTS, (1, "selectedCandidate", "value"), value)),
    ):
        with pytest.raises(SurveyError) as caught:
            built(given_items, given_results)
        assert caught.value.code == code
        assert caught.value.pointer.startswith(f"/{name}/1/")


@pytest.mark.parametrize("bad", [{1: 2}, {"metadata": {1: 2}, 3: 4}])
def test_what_is_no_plain_data_is_misuse(bad):
    assert projected(SURVEY)
    with pytest.raises(TypeError):
        build_survey_trust_bundle({**SURVEY, "rawSources": [bad]})
    with pytest.raises(TypeError):
        built([{**ITEMS[0], "spec": bad}], RESULTS[:1])


@pytest.mark.parametrize("number", [0, 1])
def test_a_long_batch_is_refused_at_the_first_fault(number):
    items = [a_single(name=f"item-{at}") for at in range(200)]
    results = [result_of(one, "accept-proposed") for one in items]
    assert len(built(items, results)["surveyInput"]["claims"]) == 200
    results[150 + number]["status"] = "rejected"
    results[170]["status"] = "rejected"
    with pytest.raises(SurveyError) as caught:
        built(items, results)
    assert caught.value.pointer == f"/results/{150 + number}/status"
