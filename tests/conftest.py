"""How hard the property tests try. ``HYPOTHESIS_PROFILE`` chooses; every check runs ``ci``."""

import os

from hypothesis import settings

# No deadline anywhere: how long an example takes is for the benchmarks to judge.
settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci", max_examples=200, derandomize=True, deadline=None, database=None, print_blob=True
)
settings.register_profile("nightly", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
