"""``python -m survey_fast`` is ``survey-fast``."""

try:
    from survey_fast.cli import main

    main()
except KeyboardInterrupt:
    raise SystemExit(130) from None
