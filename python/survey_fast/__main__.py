"""``python -m survey_fast`` is ``survey-fast``."""

from survey_fast.cli import main

main()
