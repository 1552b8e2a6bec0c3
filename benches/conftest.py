"""Nothing is measured with a build that was not optimised."""

import pytest

from survey_fast import _core


@pytest.fixture(scope="session", autouse=True)
def optimised_build():
    """Refuse a debug build before anything is timed."""
    if _core.build_profile == "debug":
        pytest.exit("the extension is a debug build; `make setup` builds the one to measure", 2)
