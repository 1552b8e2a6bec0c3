"""The reference page of refusals says what the code says."""

from pathlib import Path

import pytest
from tests.docs.errors_page import page

from survey_fast import _core
from survey_fast.errors import CODES, SurveyError, refusal

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run: python -m tests.docs.errors_page > docs/errors.md"
    )


def test_the_page_lists_every_code_once():
    # What follows belongs to the command line and to no exception.
    exceptions = PAGE.read_text(encoding="utf-8").split("## The command line alone")[0]
    written = exceptions.splitlines()
    rows = [line.split("|")[1:5] for line in written if line.startswith("| `")]
    listed = {code.strip(" `"): [cell.strip() for cell in cells] for code, *cells in rows}
    assert len(listed) == len(rows)
    assert set(listed) == set(CODES)
    for code, (meaning, exit_code, http_status) in listed.items():
        one = refusal(code, "")
        assert meaning == CODES[code]
        assert (int(exit_code), int(http_status)) == (one.exit_code, one.http_status)


def test_the_page_names_every_class():
    text = PAGE.read_text(encoding="utf-8")
    for code in CODES:
        assert f"\n## {type(refusal(code, '')).__name__}\n" in text


def test_every_code_of_the_core_has_a_class():
    assert set(_core.refusal_codes()) <= set(CODES)
    for code in CODES:
        one = refusal(code, "why", "/a", {"offset": 1})
        assert isinstance(one, SurveyError)
        assert (one.code, one.message, one.pointer, one.details) == (
            *(code, "why", "/a"),
            {"offset": 1},
        )
    with pytest.raises(KeyError):
        refusal("no-such-code", "why")
