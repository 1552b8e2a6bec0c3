"""How a snapshot is spelled does not matter to its digest, and who took a binding does.

Proves row 65 of the edge table. Its half about dates has no counterpart here: a date is no plain
data, so there is nothing to compare with its text.
"""

import os
import subprocess
import sys

import pytest
from tests.reference.canonical import digest
from tests.unit.attest.samples import (
    bound,
    edited,
    findings,
    imported,
    opened,
    reversed_members,
)

from survey_fast import validate_review_queue_binding
from survey_fast.canon import canonical_digest, canonical_json, data_json
from survey_fast.errors import JsonError, QueueError
from survey_fast.limits import ImportLimits


@pytest.fixture(scope="module")
def snapshot():
    return opened(imported())


@pytest.fixture(scope="module")
def binding(snapshot):
    return bound(snapshot)


def check(binding, snapshot):
    return findings(validate_review_queue_binding(binding, snapshot))


def spellings(snapshot):
    turned = reversed_members(snapshot)
    text = data_json(turned)
    return {
        "reversed": turned,
        "text": text,
        "spaced": text.replace(b'":', b'" :\n ').replace(b",", b" ,\t"),
        "canonical": canonical_json(snapshot),
        "collated": canonical_json(snapshot, "collated"),
    }


def test_row_65_order_of_members_does_not_matter(snapshot, binding):
    for spelling in spellings(snapshot).values():
        assert bound(spelling) == binding
        assert check(binding, spelling) == []


@pytest.mark.parametrize("locale", ["C", "cs_CZ.UTF-8", "da_DK.UTF-8"])
def test_row_65_the_process_locale_does_not_matter(locale):
    # Under a Czech locale "checksum" would stand behind "fetchedAt", under a Danish one "aa" last.
    text = '{"fetchedAt":1,"checksum":2,"zz":3,"aa":4}'
    program = (
        "import locale, sys\n"
        "try:\n    locale.setlocale(locale.LC_ALL, '')\nexcept locale.Error:\n    pass\n"
        "from survey_fast import canonical_digest\n"
        "print(canonical_digest(sys.argv[1]), canonical_digest(sys.argv[1], 'collated'))\n"
    )
    environment = {**os.environ, "LC_ALL": locale, "LANG": locale}
    done = subprocess.run(
        [sys.executable, "-c", program, text], env=environment, capture_output=True, check=True
    )
    expected = [canonical_digest(text), canonical_digest(text, "collated")]
    assert done.stdout.decode().split() == expected
    assert canonical_json(text, "collated") == b'{"aa":4,"checksum":2,"fetchedAt":1,"zz":3}'


# Bindings that another program took


def foreign(snapshot, profile="collated"):
    binding = bound(snapshot)
    del binding["spec"]["canonicalization"]
    binding["spec"]["snapshotHash"] = digest(snapshot, profile)
    return binding


def test_a_binding_without_canonicalization_is_checked_in_collated_order(snapshot):
    assert canonical_digest(snapshot) != canonical_digest(snapshot, "collated")
    assert check(foreign(snapshot), snapshot) == []
    assert check(foreign(snapshot, "jcs"), snapshot) == [("snapshot-hash-mismatch", None)]
    changed = edited(snapshot, "items", 0, "spec", "target", value="x")
    assert check(foreign(snapshot), changed) == [("snapshot-hash-mismatch", None)]


@pytest.mark.parametrize("name", ["\u00e9", "a\nb", "\x7f", "\U0001f600"])
def test_an_odd_name_is_no_tamper_verdict(snapshot, binding, name):
    odd = edited(snapshot, "notesByItemName", value={name: ""})
    assert check(foreign(snapshot), odd) == [("digest-not-portable", None)]
    assert check(bound(odd), odd) == []
    assert check(binding, odd) == [("snapshot-hash-mismatch", None)]


def test_caps_are_those_of_the_caller(snapshot, binding):
    few = ImportLimits(items=1)
    with pytest.raises(QueueError, match="queue-malformed"):
        validate_review_queue_binding(binding, snapshot, limits=few)
    with pytest.raises(JsonError, match="json-size"):
        validate_review_queue_binding(binding, snapshot, limits=ImportLimits(queue_bytes=10))
