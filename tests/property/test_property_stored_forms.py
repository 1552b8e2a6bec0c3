"""What lies in a run directory may be anything: what is read keeps its form, or is refused."""

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import any_bytes, damaged, damaged_bytes, respelled, values
from tests.unit.runs.samples import UPSTREAM, conflict, partial
from tests.unit.runs.test_stored_report import full, is_report

from survey_fast.canon import data_json
from survey_fast.errors import SurveyError
from survey_fast.runs.foreign_run import check_foreign_run
from survey_fast.runs.stored_report import read_report

RUN = json.loads((UPSTREAM / "run.json").read_bytes())
REPORTS = [full(), *(json.loads(make().extracted.report) for make in (conflict, partial))]


def refused_as(code, call, argument):
    """Whether it is refused, which it may be under this code alone."""
    try:
        call(argument)
    except SurveyError as fault:
        found = fault
    else:
        return False
    assert found.code == code
    assert found.message.strip()
    return True


@given(any_bytes)
def test_any_bytes_are_a_report_or_refused(text):
    refused_as("RUN_EXTRACTION_MISMATCH", read_report, text)


@given(st.data(), st.sampled_from(REPORTS))
def test_a_damaged_report_is_refused_unless_it_is_still_one(data, report):
    refused_as(
        "RUN_EXTRACTION_MISMATCH", read_report, data.draw(damaged_bytes(respelled(report, 3)))
    )
    broken = data.draw(damaged(report, values()))
    is_refused = refused_as("RUN_EXTRACTION_MISMATCH", read_report, data_json(broken))
    assert is_refused is not is_report(json.loads(data_json(broken)))


@given(st.data())
def test_a_damaged_run_of_the_reference_system_keeps_its_form_or_is_refused(data):
    check_foreign_run(RUN)
    broken = data.draw(damaged(RUN, values()))
    if isinstance(broken, dict) and not refused_as("INVALID_RUN", check_foreign_run, broken):
        assert broken.keys() - {"extraction"} == RUN.keys() - {"extraction"}
        assert broken["taskName"] == broken["task"]["metadata"]["name"]
        assert isinstance(broken["review"]["snapshot"]["items"], list)
