"""The identity of a prepared text, and finding the text again.

Rows of the edge cases of extraction proven here: 1 to 6 and 8 to 12, and of 7 that a single
artifact drops a member it does not know; that an envelope refuses it is proven with the envelopes.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey_fast.canon import sha256_hex
from survey_fast.errors import SurveyError
from survey_fast.extraction.prepared_artifact import (
    InMemoryPreparedStore,
    build_prepared_artifact,
    check_prepared_artifact,
    prepared_text_digest,
    resolve_prepared_artifact,
)

VECTORS = Path(__file__).parents[2] / "vectors/traverse"
FILE = json.loads((VECTORS / "prepared-artifacts.json").read_bytes())
CASES = {case["name"]: case for case in FILE["cases"]}
TEXT = "Alpha then Alpha"


def build(text=TEXT, mode="text", version="3", **options):
    return build_prepared_artifact(text, mode=mode, version=version, **options)


def case_artifact(name):
    options = CASES[name]["options"]
    return build_prepared_artifact(
        CASES[name]["text"],
        mode=options["preparationMode"],
        version=options["preparationVersion"],
        source_snapshot_ref=options.get("sourceSnapshotRef"),
    )


class Store:
    def __init__(self, answer):
        self.asked = []
        self._answer = answer

    def get(self, ref):
        self.asked.append(ref)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize("name", CASES)
def test_an_artifact_is_the_published_one(name):
    artifact = case_artifact(name)
    assert artifact == CASES[name]["artifact"]
    preimage = CASES[name]["bindingPreimage"].encode()
    assert artifact["ref"].removeprefix("traverse-prepared-artifact:v1:sha256:") == sha256_hex(
        preimage
    )
    assert check_prepared_artifact(artifact).status == "valid"


def test_row_1_a_character_outside_the_basic_plane_counts_two():
    assert CASES["astral"]["text"] == "a😀b"
    assert case_artifact("astral")["contentLength"] == 4


def test_row_2_another_version_changes_the_reference_and_not_the_digest():
    one, other = build(version="1"), build(version="3")
    assert one["digest"] == other["digest"]
    assert one["ref"] != other["ref"]


def test_row_3_an_absent_snapshot_is_null_in_the_identity_and_no_member():
    artifact = case_artifact("no-snapshot")
    assert "sourceSnapshotRef" not in artifact
    assert CASES["no-snapshot"]["bindingPreimage"].endswith('"sourceSnapshotRef":null}')


def test_row_4_half_of_a_pair_in_the_text_is_refused():
    assert prepared_text_digest("\U00010000")
    for refuse in (build, prepared_text_digest):
        with pytest.raises(SurveyError) as caught:
            refuse("a\ud800b")
        assert caught.value.code == "json-lone-surrogate"


def test_row_5_a_reference_of_another_form_is_invalid_and_no_store_is_asked():
    store = Store(TEXT)
    assert resolve_prepared_artifact(build(), store).status == "available"
    assert len(store.asked) == 1
    found = resolve_prepared_artifact({**build(), "ref": "sha256:" + "0" * 64}, store)
    assert (found.status, found.reason) == ("invalid-artifact", "invalid-ref")
    assert found.to_json() == {"status": "invalid-artifact", "reason": "invalid-ref"}
    assert len(store.asked) == 1


def test_row_6_a_length_that_is_off_by_one_is_another_identity():
    store = Store(TEXT)
    artifact = build()
    wrong = {**artifact, "contentLength": artifact["contentLength"] - 1}
    check = check_prepared_artifact(wrong)
    assert (check.status, check.reason, check.artifact) == ("identity-mismatch", None, wrong)
    found = resolve_prepared_artifact(wrong, store)
    assert found.to_json() == {
        "status": "identity-mismatch",
        "requestedRef": artifact["ref"],
        "canonicalRef": check.canonical_ref,
    }
    assert check.canonical_ref != artifact["ref"]
    assert store.asked == []


def test_row_7_a_member_that_is_not_of_the_format_is_dropped():
    check = check_prepared_artifact({**build(), "text": TEXT})
    assert check.status == "valid"
    assert check.artifact == build()


@pytest.mark.parametrize("store", [None, Store(OSError("secret place"))], ids=["none", "raises"])
def test_row_8_a_store_that_fails_is_named_without_its_message(store):
    found = resolve_prepared_artifact(build(), store)
    assert found.to_json() == {
        "status": "storage-error",
        "requestedRef": build()["ref"],
        "canonicalRef": build()["ref"],
    }
    assert "secret" not in repr(found)


def test_row_9_another_text_is_named_by_its_digest_and_length():
    found = resolve_prepared_artifact(build(), Store("a😀"))
    assert found.text is None
    assert found.to_json() == {
        "status": "digest-mismatch",
        "requestedRef": build()["ref"],
        "canonicalRef": build()["ref"],
        "actualDigest": prepared_text_digest("a😀"),
        "actualContentLength": 3,
    }


def test_row_10_a_text_that_is_not_there_is_unavailable():
    assert resolve_prepared_artifact(build(), InMemoryPreparedStore()).status == "unavailable"


@pytest.mark.parametrize("answer", ["\udc00", b"bytes", 5], ids=["surrogate", "bytes", "number"])
def test_row_11_what_is_no_text_is_invalid(answer):
    found = resolve_prepared_artifact(build(), Store(answer))
    assert found.to_json() == {
        "status": "invalid-artifact",
        "reason": "invalid-resolved-text",
        "canonicalRef": build()["ref"],
    }


def test_row_12_carriage_returns_count_in_the_digest():
    assert "\r\n" in CASES["crlf-kept"]["text"]
    text = CASES["crlf-kept"]["text"]
    assert case_artifact("crlf-kept")["digest"] != build(text.replace("\r", ""))["digest"]


def test_a_text_that_was_put_is_found():
    store = InMemoryPreparedStore()
    store.put(build(), TEXT)
    found = resolve_prepared_artifact(build(), store)
    assert (found.status, found.text) == ("available", TEXT)
    assert "reason" not in found.to_json()


@pytest.mark.parametrize("at", range(len(FILE["invalid"])))
def test_a_malformed_artifact_has_the_published_finding(at):
    row = FILE["invalid"][at]
    mutation = dict(row["mutate"])
    if row.get("reason") == "ill-formed-unicode":
        mutation = {"preparationVersion": "bad\ud800"}
    base = CASES["ascii"]["artifact"]
    assert check_prepared_artifact(base).status == "valid"
    check = check_prepared_artifact({**base, **mutation})
    assert check.reason == row.get("reason")
    assert check.status == row.get("status", "invalid-artifact")


@pytest.mark.parametrize("name", ["format", "version", "digest", "ref", "preparationMode"])
@pytest.mark.parametrize("value", [None, True, [], {}, 1.5])
def test_members_of_another_type_are_findings(name, value):
    assert check_prepared_artifact({**build(), name: value}).status == "invalid-artifact"


@pytest.mark.parametrize(
    ("mutation", "reason"),
    [
        ({"contentLength": True}, "invalid-content-length"),
        ({"contentLength": 2**53}, "invalid-content-length"),
        ({"contentLength": float("inf")}, "invalid-content-length"),
        ({"contentLength": float("nan")}, "invalid-content-length"),
        ({"contentLength": None}, "invalid-content-length"),
        ({"preparationVersion": "\ufeff\u00a0"}, "invalid-preparation-version"),
        ({"sourceSnapshotRef": None}, "invalid-source-snapshot-ref"),
        ({"sourceSnapshotRef": "x\ud800"}, "ill-formed-unicode"),
    ],
)
def test_the_first_rule_that_breaks_is_named(mutation, reason):
    check = check_prepared_artifact({**build(), **mutation})
    assert (check.status, check.reason) == ("invalid-artifact", reason)


def test_a_number_with_a_fraction_of_zero_is_that_number():
    artifact = {**build(), "version": 1.0, "contentLength": 16.0}
    check = check_prepared_artifact(artifact)
    assert check.status == "valid"
    assert json.dumps(check.artifact) == json.dumps(
        {name: build()[name] for name in check.artifact}
    )


@pytest.mark.parametrize("value", [None, 5, "text", True])
def test_what_is_no_object_is_a_finding(value):
    assert check_prepared_artifact(value).reason == "not-an-object"


def test_an_array_is_an_object_without_a_format():
    assert check_prepared_artifact([]).reason == "invalid-format"


@pytest.mark.parametrize(
    "options",
    [{"mode": "html"}, {"version": " "}, {"source_snapshot_ref": ""}],
    ids=["mode", "version", "snapshot"],
)
def test_options_that_make_no_artifact_are_misuse(options):
    with pytest.raises(ValueError, match="invalid"):
        build(**options)


@given(st.text(), st.sampled_from(["text", "markdown", "transcript"]), st.none() | st.just("s:1"))
def test_an_artifact_that_was_built_is_valid_and_finds_its_text(text, mode, snapshot):
    artifact = build(text, mode=mode, source_snapshot_ref=snapshot)
    assert check_prepared_artifact(artifact).artifact == artifact
    found = resolve_prepared_artifact(artifact, Store(text))
    assert (found.status, found.text) == ("available", text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ),
    st.sampled_from([*build(), "sourceSnapshotRef"]),
)
def test_no_value_of_a_member_makes_checking_raise(value, name):
    check_prepared_artifact(value)
    check_prepared_artifact({**build(), name: value})
