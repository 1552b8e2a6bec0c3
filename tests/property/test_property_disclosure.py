"""Disclosures against a second reading of the table, on texts that are nearly refused.

Parts that are scanned one after the other, in the background or not, are compared with the scan of
each by itself.
"""

import json

from hypothesis import example, given
from hypothesis import strategies as st
from tests.reference.disclosure import RULES, disclosures

from survey_fast import _core
from survey_fast.canon import canonical_json

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


PADDING = ["word " * 14_000]
"""With it a part is large enough to be scanned in the background."""


@given(st.lists(st.tuples(documents, st.booleans()), max_size=5), st.integers(0, 4))
@example([("see /home", False), ({"secret": "/etc/x"}, True), ({"secret": "/etc/x"}, False)], 4)
def test_parts_have_the_findings_that_each_has_by_itself(parts, most):
    # Each comes twice, so that what is in it is known when it comes again.
    texts = [canonical_json([value, *PADDING * is_large]) for value, is_large in parts * 2]
    scanner, found = _core.DisclosureScanner(most), []
    for text in texts:
        found += scanner.hand_in(text)
    found += scanner.rest()
    assert found == [_core.disclosures(text, most, 1 << 20) for text in texts]
    assert scanner.rest() == []
