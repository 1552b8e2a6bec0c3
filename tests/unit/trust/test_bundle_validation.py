"""Validation of trust bundles.

Proves rows V1 to V12 of the trust part, every composed validation vector, and that every published
example is read. S21 is half here (version 2 refuses) and half in test_status_vectors.py.
Leaves none of the V rows.

Where a vector's verdicts and this package differ, it is by name in ``DEVIATIONS``:

- ``schemaVersion 4``: the schemas start at 5, but versions 2 to 4 are read;
- ``schemaVersion 8``, ``schemaVersion 9``: newer than the release that was measured;
- ``two events share an id``: nobody refused duplicate ids of events; they are refused here.
"""

from __future__ import annotations

import copy
import json

import pytest
from tests.unit.trust.bundles import (
    ABSENT,
    AT,
    BUNDLES,
    EXAMPLES,
    VALIDATION,
    base,
    edited,
    refused,
    stored,
    vector_input,
    whole,
)

from survey_fast.canon import canonical_json
from survey_fast.errors import SurveyError
from survey_fast.trust.schema_version import smallest_schema_version
from survey_fast.trust.validation import validate_trust_bundle
from survey_fast.trust.warnings import bundle_warnings

DEVIATIONS = {
    "schemaVersion 4": True,
    "schemaVersion 8": True,
    "schemaVersion 9": True,
    "two events share an id": False,
}


def is_accepted(bundle):
    before = copy.deepcopy(bundle)
    try:
        validate_trust_bundle(bundle)
    except SurveyError:
        return False
    finally:
        assert bundle == before
    return True


def check(pointer, value, code, at=None, version=5):
    """A whole bundle is accepted; with this one edit it is refused with the code, at the place."""
    bundle = whole(version)
    validate_trust_bundle(bundle)
    broken = edited(bundle, (pointer, value))
    before = copy.deepcopy(broken)
    assert refused(validate_trust_bundle, broken) == (code, pointer if at is None else at)
    assert broken == before
    assert refused(validate_trust_bundle, canonical_json(broken)) == (code, at or pointer)


@pytest.mark.parametrize("name", list(VALIDATION))
def test_what_either_verdict_refuses_is_refused(name):
    vector = VALIDATION[name]
    verdicts = [
        vector["surface320"]["accepted"],
        vector["schema320"],
        vector.get("newestSurface", True),
    ]
    assert is_accepted(vector_input(vector)) is DEVIATIONS.get(name, all(verdicts))
    assert name not in DEVIATIONS or all(verdicts) is not DEVIATIONS[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_published_example_is_read(name):
    text = (BUNDLES / "examples" / name).read_bytes()
    bundle = validate_trust_bundle(text)
    assert bundle == validate_trust_bundle(json.loads(text)) == validate_trust_bundle(text.decode())
    assert len(bundle["claims"]) == len(json.loads(text)["claims"])


@pytest.mark.parametrize(
    "name", ["composed-target-bundle.json", "composed-survey-bundle.survey-3.0.0.json"]
)
def test_projected_bundles_are_in_order_as_they_are(name):
    assert validate_trust_bundle(stored(name), writing=True) == stored(name)


@pytest.mark.parametrize("version", range(5, 10))
def test_every_member_a_version_knows_is_accepted(version):
    bundle = whole(version)
    assert validate_trust_bundle(bundle) == bundle
    assert list(validate_trust_bundle(bundle))[:2] == ["schemaVersion", "source"]


# Rows


@pytest.mark.parametrize("version", [10, 1, 0, -5, "5", 5.5, True, [], {}, ABSENT])
def test_row_v1_another_schema_version_is_refused(version):
    check("/schemaVersion", version, "schema-version")


def test_row_v1_a_version_spelled_with_a_fraction_of_zero_is_an_integer():
    bundle = validate_trust_bundle(edited(base(), ("/schemaVersion", 5.0)))
    assert bundle["schemaVersion"] == 5
    assert isinstance(bundle["schemaVersion"], int)


@pytest.mark.parametrize(
    "pointer",
    [
        "/events/0/notes",
        "/events/0/verifiedAt",
        "/evidence/0/sourceLocator",
        "/claims/0/status",
        "/claims/0/derivedFrom",
        "/claims/0/derivedFrom/0",
        "/claims/0/metadata",
        "/policies/0/validityRule/durationDays",
        "/producerId",
        "/source",
        "/claims",
        "/identityLinks",
    ],
)
def test_row_v2_null_is_not_absent(pointer):
    check(pointer, None, "null-member")


def test_row_v2_null_inconclusive_is_null_too():
    check("/evidence/0/inconclusive", None, "null-member", version=9)


def test_row_v3_a_null_value_is_a_value_and_no_value_is_none():
    assert validate_trust_bundle(edited(base(), ("/claims/0/value", None)))
    check("/claims/0/value", ABSENT, "bad-type")


@pytest.mark.parametrize(
    "pointer", ["/events/0/notes", "/claims/0/facet", "/source", "/claims/0/id"]
)
def test_row_v4_an_empty_string_is_refused(pointer):
    check(pointer, "", "missing-string")


def test_row_v5_an_event_has_no_review_mode():
    check("/events/0/reviewMode", "blind", "unknown-member")


@pytest.mark.parametrize("name", ["reviewedGrounding", "id", "generatedAt", "summary", "a/b~"])
def test_row_v6_the_root_is_closed(name):
    broken = base() | {name: {}}
    pointer = "/" + name.replace("~", "~0").replace("/", "~1")
    assert refused(validate_trust_bundle, broken) == ("unknown-member", pointer)


@pytest.mark.parametrize(
    "kind",
    [
        *("claims", "evidence", "policies", "events"),
        *("identityLinks", "claimGroups", "authorityTrace"),
    ],
)
def test_row_v7_two_records_of_a_kind_with_one_id_are_refused(kind):
    bundle = whole()
    at = len(bundle[kind])
    other = {**bundle[kind][0], "id": "fresh"}
    assert validate_trust_bundle(edited(bundle, (f"/{kind}/{at}", other)))
    check(f"/{kind}/{at}", bundle[kind][0], "duplicate-id", at=f"/{kind}/{at}/id")


def test_row_v7_two_requirements_of_a_group_with_one_id_are_refused():
    requirement = whole()["claimGroups"][0]["requirements"][0]
    place = "/claimGroups/0/requirements/1"
    check(place, requirement, "duplicate-id", at=f"{place}/id")


def test_row_v7_identity_links_without_an_id_are_never_duplicates():
    link = edited(whole()["identityLinks"][0], ("/id", ABSENT))
    assert validate_trust_bundle(whole() | {"identityLinks": [link, link]})


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/events/0/evidenceIds/0", "zz"),
        ("/events/0/claimId", "zz"),
        ("/evidence/0/claimId", "zz"),
        ("/claims/0/verificationPolicyId", "zz"),
        ("/claims/0/derivedFrom/0", "zz"),
        ("/claims/0/derivationEdges/0/inputClaimId", "zz"),
        ("/claimGroups/0/claimIds/0", "zz"),
        ("/claimGroups/0/requirements/0/claimIds/1", "zz"),
        ("/claimGroups/0/rollupPolicy/requiredRequirementIds/0", "zz"),
        ("/claimGroups/0/rollupPolicy/optionalRequirementIds/0", "zz"),
        ("/authorityTrace/0/claimIds/0", "zz"),
        ("/authorityTrace/0/evidenceIds/0", "zz"),
    ],
)
def test_row_v8_an_id_that_leads_nowhere_is_refused(pointer, value):
    check(pointer, value, "unknown-reference")


@pytest.mark.parametrize(
    "pointer", ["/claims/0/derivedFrom/0", "/claims/0/derivationEdges/0/inputClaimId"]
)
def test_a_claim_is_never_derived_from_itself(pointer):
    check(pointer, "c", "self-derivation")


@pytest.mark.parametrize(
    ("pointer", "value", "at"),
    [
        ("/evidence/0/passing", True, "/evidence/0/passing"),
        ("/evidence/0/passing", False, "/evidence/0/passing"),
        ("/evidence/0/supportStrength", "entails", "/evidence/0/supportStrength"),
        ("/evidence/0/supportStrength", ABSENT, "/evidence/0/supportStrength"),
        ("/evidence/0/inconclusive/detail", ABSENT, "/evidence/0/inconclusive/detail"),
        ("/evidence/0/inconclusive/detail", "", "/evidence/0/inconclusive/detail"),
        ("/evidence/0/inconclusive/detail", "\u00a0\ufeff \n", "/evidence/0/inconclusive/detail"),
        ("/evidence/0/inconclusive/detail", None, "/evidence/0/inconclusive/detail"),
        ("/evidence/0/inconclusive/reason", "tired", "/evidence/0/inconclusive/reason"),
        ("/evidence/0/inconclusive/reason", ABSENT, "/evidence/0/inconclusive/reason"),
        ("/evidence/0/inconclusive/a~b", 1, "/evidence/0/inconclusive/a~0b"),
        ("/evidence/0/inconclusive", "other", "/evidence/0/inconclusive"),
    ],
)
def test_row_v9_inconclusive_evidence_is_cited_undecided_and_says_why(pointer, value, at):
    check(pointer, value, "inconclusive-shape", at, version=9)


def test_row_v9_a_reason_other_than_other_needs_no_detail():
    assert validate_trust_bundle(
        edited(whole(9), ("/evidence/0/inconclusive", {"reason": "timeout"}))
    )


@pytest.mark.parametrize("member", ["inconclusive", "collectedByKind"])
def test_row_v9_what_version_9_added_is_refused_before_it(member):
    item = {"inconclusive": {"reason": "timeout"}, "collectedByKind": "human"}[member]
    assert validate_trust_bundle(whole(9))
    check(f"/evidence/0/{member}", item, "version-too-low", version=8)


def test_row_v10_who_collected_is_accepted_and_changes_nothing():
    bundle = edited(base(), ("/schemaVersion", 9), ("/evidence/0/collectedByKind", "model"))
    assert validate_trust_bundle(bundle) == bundle


def test_row_v11_a_value_needs_its_calibration_from_version_8_on():
    assert validate_trust_bundle(whole(5))["claims"][0]["conclusionConfidence"]["value"] == 0.5
    place = "/claims/0/conclusionConfidence/calibration"
    check(place, ABSENT, "confidence-shape", version=8)
    known = whole(8)["claims"][0]["conclusionConfidence"]["calibration"]
    check(place, known, "version-too-low", version=7)


@pytest.mark.parametrize(
    ("member", "value", "at"),
    [
        ("value", 0.9, "/value"),
        ("value", 0.1, "/value"),
        ("interval/low", -0.1, "/interval/low"),
        ("interval/high", 1.1, "/interval/high"),
        ("interval", {"low": 0.6, "high": 0.4}, "/interval"),
    ],
)
def test_row_v11_a_value_lies_in_its_interval_from_version_8_on(member, value, at):
    place = "/claims/0/conclusionConfidence"
    assert validate_trust_bundle(edited(whole(7), (f"{place}/{member}", value)))
    check(f"{place}/{member}", value, "confidence-shape", f"{place}{at}", version=8)


@pytest.mark.parametrize("value", [2, -0.5])
def test_a_confidence_outside_0_to_1_is_refused_in_every_version(value):
    check("/claims/0/conclusionConfidence/value", value, "confidence-shape", version=5)


def test_row_v12_a_policy_does_not_say_when_to_collect():
    check("/policies/0/collectWhen", ["stale"], "unknown-member")


def test_row_s21_version_2_refuses_a_commit_rule_without_a_commit():
    commit = edited(base(), ("/policies/0/validityRule", {"kind": "commit"}))
    assert validate_trust_bundle(commit)
    assert validate_trust_bundle(commit, version="3")
    named = edited(commit, ("/claims/0/currentIntegrityRef", "sha256:aa"))
    assert validate_trust_bundle(named, version="2")
    place = "/claims/0/currentIntegrityRef"
    assert refused(validate_trust_bundle, commit, version="2") == ("missing-string", place)
    proposed = edited(commit, ("/events/0/status", "proposed"))
    assert validate_trust_bundle(proposed, version="2")


# Types of members


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        ("/claims/0", 3, "bad-type"),
        ("/claims/0/id", 3, "missing-string"),
        ("/claims/0/metadata", [], "bad-type"),
        ("/claims/0/qualifiers", {"a": 1}, "bad-type"),
        ("/claims/0/qualifiers", [], "bad-type"),
        ("/claims/0/subjectAliases/0/subjectId", ABSENT, "missing-string"),
        ("/claims/0/ttlSeconds", 1.5, "bad-number"),
        ("/claims/0/ttlSeconds", -1, "bad-number"),
        ("/claims/0/ttlSeconds", True, "bad-number"),
        ("/claims/0/freshness/stale", 0, "bad-type"),
        ("/claims/0/derivationEdges/0/sensitivity/basis", ABSENT, "missing-string"),
        ("/claims/0/derivationEdges/0/sensitivity/low", "1", "bad-number"),
        ("/evidence/0/evidenceType", "hearsay", "bad-enum"),
        ("/evidence/0/method", ["extraction"], "bad-enum"),
        ("/evidence/0/passing", "true", "bad-type"),
        ("/evidence/0/execution/exitCode", 1.5, "bad-number"),
        ("/evidence/0/execution/label", ABSENT, "missing-string"),
        ("/evidence/0/excerptOrSummary", "", "missing-string"),
        ("/events/0/resolvesDispute", False, "bad-enum"),
        ("/events/0/resolvesDispute", 1, "bad-enum"),
        ("/events/0/evidenceIds", ABSENT, "missing-array"),
        ("/policies/0/validityRule/durationDays", ABSENT, "bad-number"),
        ("/policies/0/validityRule/kind", ABSENT, "bad-enum"),
        ("/policies/0/validityRule", ABSENT, "bad-type"),
        ("/policies/0/acceptanceCriteria/0", "", "missing-string"),
        ("/policies/0/incompatibleValues/0/values", [1], "missing-array"),
        ("/policies/0/incompatibleStatuses/0/statuses/2", "stale", "missing-array"),
        ("/identityLinks/0/subjects", [], "missing-array"),
        ("/authorityTrace/0/subject", ABSENT, "bad-type"),
        ("/proof", [], "bad-type"),
        ("/proof/x", 1, "unknown-member"),
        ("/proof/anchors/0/kind", "seal", "bad-enum"),
        ("/claims", {}, "missing-array"),
        ("/events", ABSENT, "missing-array"),
        ("/claimGroups", {}, "missing-array"),
    ],
)
def test_a_member_of_another_type_is_refused_where_it_stands(pointer, value, code):
    at = {
        "/policies/0/incompatibleStatuses/0/statuses/2": pointer.removesuffix("/2"),
    }.get(pointer, pointer)
    check(pointer, value, code, at)


def test_a_sample_size_is_a_whole_number_of_one_or_more():
    place = "/claims/0/conclusionConfidence/calibration/sampleSize"
    assert validate_trust_bundle(edited(whole(8), (place, 2.0)))
    for size in (0, 1.5, "9"):
        check(place, size, "bad-number", version=8)


@pytest.mark.parametrize(
    "time",
    [
        "2026-06-01T00:00:00Z",
        "2026-06-01T00:00:00.1Z",
        "2026-06-01T00:00:00.123456789012345678901234567890Z",
        "2026-06-01T23:59:59+23:59",
        "2026-06-01T00:00:00-00:00",
        "2024-02-29T00:00:00Z",
        "2000-02-29T00:00:00Z",
        "0000-02-29T00:00:00Z",
        "9999-12-31T23:59:59.999Z",
    ],
)
def test_a_time_with_date_time_and_zone_is_accepted(time):
    assert validate_trust_bundle(edited(base(), ("/claims/0/createdAt", time)))


@pytest.mark.parametrize(
    "time",
    [
        "2026-06-01",
        "2026-06-01T00:00:00",
        "2026-06-01T00:00Z",
        "2026-06-01t00:00:00Z",
        "2026-06-01T00:00:00z",
        "2026-06-01 00:00:00Z",
        "2026-06-01T00:00:00+0200",
        "2026-06-01T00:00:00+02",
        "2026-06-01T00:00:00+24:00",
        "2026-06-01T00:00:00+02:60",
        "2026-06-01T00:00:00.Z",
        "2026-06-01T00:00:00,5Z",
        "2026-06-01T24:00:00Z",
        "2026-06-01T23:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-02-30T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-06-00T00:00:00Z",
        "+02026-06-01T00:00:00Z",
        "2026-06-01T00:00:00Z\n",
        "\u0662\u0660\u0662\u0666-06-01T00:00:00Z",
        "2026-W23-1T00:00:00Z",
        0,
    ],
)
def test_what_is_no_time_is_refused(time):
    check("/claims/0/createdAt", time, "bad-time")
    check("/authorityTrace/0/revokedAt", time, "bad-time")


# Order of checks


@pytest.mark.parametrize(
    ("edits", "code", "pointer"),
    [
        ([("/schemaVersion", 1), ("/source", "")], "schema-version", "/schemaVersion"),
        ([("/source", ""), ("/claims", {})], "missing-string", "/source"),
        ([("/producerId", ""), ("/proof", 1)], "missing-string", "/producerId"),
        ([("/proof", 1), ("/events", ABSENT)], "bad-type", "/proof"),
        ([("/events", ABSENT), ("/claims/0/id", "")], "missing-array", "/events"),
        ([("/claims/1/id", ""), ("/evidence/0/id", "")], "missing-string", "/claims/1/id"),
        ([("/claims/0/x", 1), ("/claims/0/id", "")], "unknown-member", "/claims/0/x"),
        ([("/claims/0/claimType", ""), ("/claims/0/createdAt", "")], "missing-string", None),
        ([("/claims/0/updatedAt", ""), ("/claims/0/status", "x")], "bad-time", None),
        ([("/events/0/notes", ""), ("/claims/0/derivedFrom/0", "zz")], "missing-string", None),
        (
            [("/claims/0/derivedFrom/0", "zz"), ("/events/0/claimId", "zz")],
            "unknown-reference",
            None,
        ),
        ([("/events/0/claimId", "zz"), ("/extra", 1)], "unknown-reference", None),
        ([("/extra", 1), ("/events/1", base()["events"][0])], "unknown-member", None),
    ],
)
def test_the_first_fault_is_the_one_that_is_named(edits, code, pointer):
    broken = edited(whole(), *edits)
    assert refused(validate_trust_bundle, broken) == (code, pointer or edits[0][0])


# Documents


@pytest.mark.parametrize("document", [b"3", b"[]", b"null", "true", [], None, 7, 0.5])
def test_what_is_no_object_is_no_bundle(document):
    assert refused(validate_trust_bundle, document) == ("bundle-not-object", "")


@pytest.mark.parametrize(
    "value", [{1, 2}, (1,), object(), b"x", {1: 2}], ids=["set", "tuple", "object", "bytes", "name"]
)
def test_what_is_no_plain_data_is_misuse(value):
    with pytest.raises(TypeError):
        validate_trust_bundle(edited(base(), ("/claims/0/value", value)))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (float("nan"), "json-number-range"),
        (10**400, "json-number-range"),
        ("\ud800", "json-lone-surrogate"),
    ],
    ids=["nan", "large", "surrogate"],
)
def test_what_no_text_can_hold_is_refused_in_plain_data(value, code):
    broken = edited(base(), ("/claims/0/value", [value]))
    assert refused(validate_trust_bundle, broken) == (code, "/claims/0/value/0")


def test_deep_data_is_refused_and_does_not_end_the_process():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    broken = base()
    broken["claims"][0]["value"] = deep
    assert refused(validate_trust_bundle, broken)[0] == "json-depth"


def test_a_number_whose_digits_no_double_holds_is_refused():
    for beyond in (2**53 + 1, 2**60):
        broken = edited(whole(), ("/evidence/0/execution/durationMs", beyond))
        assert refused(validate_trust_bundle, broken)[0] == "json-number-range"
    kept = edited(whole(), ("/evidence/0/execution/durationMs", 2**53))
    assert validate_trust_bundle(kept)


def test_a_cap_bounds_text():
    text = canonical_json(base())
    assert validate_trust_bundle(text, max_bytes=len(text))
    assert refused(validate_trust_bundle, text, max_bytes=len(text) - 1)[0] == "json-size"
    with pytest.raises(ValueError, match="cap"):
        validate_trust_bundle(base(), max_bytes=0)


def test_an_unknown_status_version_is_misuse():
    for version in ("1", "5", 3, ""):
        with pytest.raises(ValueError, match="status version"):
            validate_trust_bundle(base(), version=version)


# Versions 2 to 4


def test_the_old_name_of_a_facet_is_read_and_the_input_left_alone():
    old = edited(
        base(), ("/schemaVersion", 4), ("/claims/0/facet", ABSENT), ("/claims/0/surface", "x")
    )
    before = copy.deepcopy(old)
    claim = validate_trust_bundle(old)["claims"][0]
    assert old == before
    assert (claim["facet"], "surface" in claim) == ("x", False)
    both = validate_trust_bundle(edited(old, ("/claims/0/facet", "y")))["claims"][0]
    assert (both["facet"], "surface" in both) == ("y", False)
    broken = edited(old, ("/claims/0/surface", ""))
    assert refused(validate_trust_bundle, broken) == ("missing-string", "/claims/0/surface")
    check("/claims/0/surface", "x", "unknown-member")


def test_a_time_to_live_may_be_a_fraction_before_version_5():
    old = edited(base(), ("/schemaVersion", 3), ("/claims/0/ttlSeconds", 1.5))
    assert validate_trust_bundle(old)["claims"][0]["ttlSeconds"] == 1.5


# Writing


def test_nothing_is_written_before_version_5():
    old = edited(base(), ("/schemaVersion", 4))
    assert validate_trust_bundle(old)
    assert refused(validate_trust_bundle, old, writing=True) == ("schema-version", "/schemaVersion")


def test_an_event_that_cites_evidence_of_another_claim_is_read_and_not_written():
    bundle = base()
    bundle["claims"].append({**bundle["claims"][0], "id": "d"})
    bundle["evidence"].append({**bundle["evidence"][0], "id": "f", "claimId": "d"})
    assert validate_trust_bundle(bundle, writing=True)
    bundle["events"][0]["evidenceIds"].append("f")
    assert validate_trust_bundle(bundle)
    place = "/events/0/evidenceIds/1"
    assert refused(validate_trust_bundle, bundle, writing=True) == ("unknown-reference", place)
    assert [(one["code"], one["pointer"]) for one in bundle_warnings(bundle)] == [
        ("foreign-evidence", place)
    ]


@pytest.mark.parametrize(
    ("edits", "needed"),
    [
        ([], 5),
        ([("/evidence/0/evidenceType", "runtime_observation")], 7),
        ([("/policies/0/requiredEvidence/0", "runtime_observation")], 7),
        (
            [
                (
                    "/evidence/0/execution",
                    {"runner": "mcp", "label": "l", "environment": "production"},
                )
            ],
            7,
        ),
        (
            [
                (
                    "/claims/0/conclusionConfidence",
                    {"calibration": {"tableRef": "t", "tableVersion": "1"}},
                )
            ],
            8,
        ),
        ([("/evidence/0/collectedByKind", "human")], 9),
    ],
)
def test_the_smallest_version_that_holds_the_content_is_written(edits, needed):
    bundle = edited(base(), *edits, ("/schemaVersion", needed))
    assert smallest_schema_version(validate_trust_bundle(bundle, writing=True)) == needed
    lower = edited(bundle, ("/schemaVersion", max(5, needed - 1)))
    if needed > 5:
        assert refused(validate_trust_bundle, lower, writing=True)[0] == "version-too-low"


# Warnings


def test_a_plain_bundle_has_no_warning():
    assert bundle_warnings(base()) == []


def test_events_of_one_claim_at_one_instant_are_warned_of_however_it_is_spelled():
    event = {**base()["events"][0], "id": "w", "createdAt": "2026-06-01T02:00:00+02:00"}
    bundle = edited(base(), ("/events/1", event))
    assert base()["events"][0]["createdAt"] == AT
    found = bundle_warnings(validate_trust_bundle(bundle))
    assert [(one["code"], one["pointer"]) for one in found] == [
        ("same-instant-events", "/events/1/createdAt")
    ]
    later = edited(bundle, ("/events/1/createdAt", "2026-06-01T00:00:00.0001Z"))
    assert bundle_warnings(validate_trust_bundle(later)) == []


def test_a_trace_that_lists_claims_and_a_policy_that_requires_nothing_are_warned_of():
    bundle = edited(
        whole(), ("/policies/0/requiredEvidence", []), ("/policies/0/requiredMethods", [])
    )
    found = bundle_warnings(validate_trust_bundle(bundle))
    assert [one["code"] for one in found] == ["unscoped-authority", "nothing-required"]
