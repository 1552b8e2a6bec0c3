"""Disclosures against a second reading of the table, on texts that are nearly refused."""

import json

from hypothesis import example, given
from hypothesis import strategies as st
from tests.reference.disclosure import RULES, disclosures

from survey_fast import _core

PIECES = [
    "/", "//", "~/", "home", "etc", "month", "a", "B", " ", '"', "'", "=", "(", ":", "[", ",", "`",
    "<", "C:", "\\", "\\\\", "file://", "FILE:///", "ops/", "OPS/", ".kontourai/", ".survey-fast\\",
    "ghp_", "glpat-", "xoxb-", "npm_", "sk_live_", "AKIA", "A3TX", "0123456789ABCDEF",
    "0123456789abcdefghij", "q8Zr1LwX0vTt5Kc9YbNf3HsJ7GdPm2RuEa6WxQiO4yBn", "é", "\u00a0", "\u2028",
]  # fmt: skip
words = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
names = words | st.sampled_from(["api_key", "API-KEY", "secret", "secrets", "accessToken", "name"])
documents = st.recursive(
    words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


@given(documents)
@example("see /home")
@example("/month at the start")
@example({"a": " /x/y", "/etc/z": 'said "/b'})
def test_what_must_not_leave_is_found_where_the_table_says(value):
    text = json.dumps(value).encode()
    found = [one for one in _core.disclosures(text, 10_000, 1 << 20) if one[0] in RULES]
    assert sorted(found) == sorted(disclosures(value))
