"""The trust report: what is derived, what is missing, and the shape of both.

Proves the gap of row S26. Leaves of the specified gaps those that only a bundle that does not
validate could have: ``unresolved-verification-policy``, ``derived-missing``, ``input-missing``.
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
    NOW,
    base,
    edited,
    refused,
    stored,
    whole,
)
from tests.unit.trust.schemas import bundle_schema, report_schema

from survey_fast.trust.report import build_trust_report

WAIVERS = ("waiverValidityByClaimId", "waiverValidityFunctionVersion")


def report(bundle, version="3", now=NOW):
    before = copy.deepcopy(bundle)
    found = build_trust_report(bundle, now=now, version=version)
    assert bundle == before
    report_schema().validate(found)
    assert found["summary"]["totalClaims"] == len(bundle["claims"])
    return found


def gaps(bundle, version="3", now=NOW):
    """Ends of the ids of the gaps of claim ``c``."""
    found = report(bundle, version, now)["transparencyGaps"]
    return [one["id"].removeprefix("c.gap.") for one in found]


# Against what was measured


def test_the_report_of_the_composed_bundle_without_its_waivers():
    expected = stored("composed-target-report.surface-3.2.0.json")
    for member in WAIVERS:
        del expected[member]
    bundle = stored("composed-target-bundle.json")
    found = build_trust_report(bundle, now=NOW, version="2", report_id="oracle")
    assert found == expected
    assert list(found) == list(expected)
    report_schema().validate(found)


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_has_a_report_that_the_schema_accepts(name, version):
    text = (BUNDLES / "examples" / name).read_bytes()
    found = build_trust_report(text, now=NOW, version=version)
    report_schema().validate(found)
    assert found["statusFunctionVersion"] == version
    assert len(found["claims"]) == len(json.loads(text)["claims"])


def test_a_report_is_no_bundle():
    assert bundle_schema("composed-v9").is_valid(base())
    assert refused(build_trust_report, report(base()), now=NOW)[0] == "unknown-member"


# Claims


def test_a_claim_carries_its_status_and_what_the_producer_said_where_that_differs():
    assert report(base())["claims"][0] == base()["claims"][0] | {
        "status": "verified",
        "freshness": {"asOf": NOW, "stale": False},
    }
    said = edited(base(), ("/claims/0/status", "rejected"))
    assert report(said)["claims"][0]["producerStatus"] == "rejected"
    agreed = edited(
        base(), ("/claims/0/status", "verified"), ("/claims/0/producerStatus", "unknown")
    )
    assert "producerStatus" not in report(agreed)["claims"][0]


def test_freshness_names_the_end_of_a_claims_own_window():
    def freshness(*edits):
        return report(edited(base(), *edits))["claims"][0]["freshness"]

    own = freshness(("/claims/0/expiresAt", "2026-07-01T00:00:00+02:00"))
    assert own == {"asOf": NOW, "stale": False, "expiresAt": "2026-07-01T00:00:00+02:00"}
    relative = freshness(
        ("/claims/0/ttlSeconds", 60), ("/events/0/verifiedAt", "2026-06-02T00:00:00Z")
    )
    assert relative == {"asOf": NOW, "stale": True, "expiresAt": "2026-06-02T00:01:00.000Z"}
    unverified = freshness(
        ("/claims/0/ttlSeconds", 1),
        ("/claims/0/updatedAt", "2026-06-03T00:00:00Z"),
        ("/events/0/status", "proposed"),
    )
    assert unverified == {"asOf": NOW, "stale": False, "expiresAt": "2026-06-03T00:00:01.000Z"}
    assert "expiresAt" not in freshness(("/claims/0/ttlSeconds", 10**15))


def test_the_time_of_the_report_is_written_in_its_canonical_form():
    found = report(base(), now="2026-06-10T02:00:00+02:00")
    assert found["generatedAt"] == found["claims"][0]["freshness"]["asOf"] == NOW
    assert found["id"] == "surface-1781049600000"


# Gaps


def test_a_claim_in_order_has_no_gap():
    for version in ("2", "3", "4"):
        assert gaps(base(), version) == []


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([("/policies", [])], ["no-verification-policy"]),
        (
            [("/policies", []), ("/evidence", []), ("/events/0/evidenceIds", [])],
            ["provenance-gap"],
        ),
        ([("/policies/0/requiredEvidence", [])], ["verification-policy-requires-nothing"]),
        ([("/evidence/0/evidenceType", "attestation")], ["provenance-gap"]),
        ([("/policies/0/requiredMethods", ["anchoring"])], ["policy-violation"]),
        ([("/policies/0/requiresCorroboration", True)], ["corroboration-absent"]),
        ([("/evidence/0/supportStrength", "cited")], ["provenance-gap", "unsupported-inference"]),
        (
            [
                ("/evidence/0/evidenceType", "test_output"),
                ("/policies/0/requiredEvidence", ["test_output"]),
            ],
            ["check-result-missing-test_output"],
        ),
        ([("/claims/0/expiresAt", AT)], ["freshness-breach"]),
        (
            [("/policies/0/validityRule", {"kind": "commit"})],
            ["freshness-breach", "unevaluable-validity-rule"],
        ),
        (
            [("/policies/0/validityRule", {"kind": "duration", "durationDays": -1})],
            ["freshness-breach", "unevaluable-validity-rule"],
        ),
        ([("/evidence/0/passing", False)], ["evidence-e"]),
        (
            [("/evidence/0/passing", False), ("/evidence/0/supportStrength", "cited")],
            ["provenance-gap", "unsupported-inference", "evidence-e"],
        ),
    ],
)
def test_each_gap_is_reported(edits, expected):
    assert gaps(base()) == []
    assert gaps(edited(base(), *edits)) == expected


def test_version_2_asks_for_less():
    assert gaps(edited(base(), ("/policies/0/requiredEvidence", [])), "2") == []
    checked = edited(
        base(),
        ("/evidence/0/evidenceType", "test_output"),
        ("/policies/0/requiredEvidence", ["test_output"]),
    )
    assert gaps(checked, "2") == []
    unnamed = report(base() | {"policies": []}, "2")["transparencyGaps"]
    assert [(one["id"], one["blocking"]) for one in unnamed] == [
        ("c.gap.no-verification-policy", False)
    ]


def test_a_gap_says_what_where_and_how_bad():
    bundle = edited(
        base(), ("/claims/0/materiality", "high"), ("/evidence/0/evidenceType", "attestation")
    )
    (gap,) = report(bundle)["transparencyGaps"]
    assert gap.pop("message")
    assert gap == {
        "id": "c.gap.provenance-gap",
        "claimId": "c",
        "type": "provenance_gap",
        "severity": "medium",
        "createdAt": NOW,
        "materiality": "high",
        "policyId": "p",
        "metadata": {"missingEvidenceTypes": ["source_excerpt"]},
    }
    severe = edited(bundle, ("/claims/0/impactLevel", "critical"))
    assert report(severe)["transparencyGaps"][0]["severity"] == "critical"
    inherited = edited(
        bundle, ("/claims/0/impactLevel", ABSENT), ("/policies/0/impactLevel", "low")
    )
    assert report(inherited)["transparencyGaps"][0]["severity"] == "low"


def test_a_failed_check_blocks_as_it_says():
    for blocking in (True, False):
        bundle = edited(base(), ("/evidence/0/passing", False), ("/evidence/0/blocking", blocking))
        (gap,) = report(bundle)["transparencyGaps"]
        assert gap["blocking"] is blocking


def test_what_had_no_outcome_is_no_inference():
    cited = edited(base(), ("/schemaVersion", 9), ("/evidence/0/supportStrength", "cited"))
    assert "unsupported-inference" in gaps(cited)
    inconclusive = edited(cited, ("/evidence/0/inconclusive", {"reason": "timeout"}))
    assert gaps(inconclusive) == ["provenance-gap"]


def test_hints_of_a_producer_become_gaps_and_stand_for_the_inference():
    hint = {"type": "unsupported_inference", "message": "read from a chart"}
    bundle = edited(
        base(),
        ("/evidence/0/supportStrength", "cited"),
        ("/evidence/0/metadata", {"transparencyGapHints": [{"type": "other"}, hint, 3]}),
    )
    found = report(bundle)["transparencyGaps"]
    assert [one["id"] for one in found] == ["c.gap.provenance-gap", "c.gap.hint-e-1"]
    assert found[1]["message"] == hint["message"]
    odd = edited(bundle, ("/evidence/0/metadata/transparencyGapHints", {"type": []}))
    assert gaps(odd) == ["provenance-gap", "unsupported-inference"]


def pair(**members):
    """Two claims on one subject, under the base's policy with more members."""
    first = base()
    bundle = first | {"policies": [first["policies"][0] | members]}
    for kind in ("claims", "evidence", "events"):
        bundle[kind] = [*first[kind], {**first[kind][0], "id": "z"}]
    bundle["evidence"][1]["claimId"] = bundle["events"][1]["claimId"] = "z"
    bundle["events"][1]["evidenceIds"] = ["z"]
    return bundle


def test_incompatible_values_on_one_subject_contradict_one_another():
    rule = {"values": [{"a": 1, "b": 2}, None], "message": "one or the other"}
    bundle = edited(
        pair(incompatibleValues=[rule]),
        ("/claims/0/value", None),
        ("/claims/1/value", {"b": 2, "a": 1.0}),
    )
    (gap,) = report(bundle)["transparencyGaps"]
    assert gap["id"] == "z.c.gap.contradiction-values"
    assert (gap["type"], gap["message"]) == ("contradiction", "one or the other")
    assert gaps(edited(bundle, ("/claims/1/value", {"a": 1}))) == []
    elsewhere = edited(bundle, ("/claims/1/subjectId", "acme-2"))
    assert gaps(elsewhere) == []
    alias = [{"subjectType": "contract", "subjectId": "acme-2"}]
    assert len(gaps(edited(elsewhere, ("/claims/0/subjectAliases", alias)))) == 1


def test_incompatible_statuses_are_those_that_were_derived():
    rule = {"statuses": ["verified", "disputed"]}
    bundle = edited(pair(incompatibleStatuses=[rule]), ("/claims/1/status", "disputed"))
    assert gaps(bundle) == []
    assert gaps(edited(bundle, ("/events/1/status", "disputed"))) == [
        "c.z.gap.contradiction-statuses"
    ]


def test_contradictions_grow_with_the_claims_and_not_with_their_square():
    bundle = pair(incompatibleStatuses=[{"statuses": ["verified", "verified"]}])
    first = bundle["claims"][0]
    bundle["claims"] = [{**first, "id": f"c{at}"} for at in range(200)]
    bundle["evidence"] = []
    bundle["events"] = [
        {**bundle["events"][0], "id": f"v{at}", "claimId": f"c{at}", "evidenceIds": []}
        for at in range(200)
    ]
    bundle["policies"][0]["requiredEvidence"] = []
    found = [one for one in gaps(bundle, "2") if "contradiction" in one]
    assert len(found) == 2 * 199


def crowd(values, pairs):
    """Verified claims ``c0``, ``c1``, … on one subject, and the pairs of values that contradict."""
    bundle = pair(incompatibleValues=[{"values": list(one)} for one in pairs])
    first, event = bundle["claims"][0], bundle["events"][0]
    bundle["claims"] = [{**first, "id": f"c{at}", "value": one} for at, one in enumerate(values)]
    bundle["evidence"] = []
    bundle["events"] = [
        {**event, "id": f"v{at}", "claimId": f"c{at}", "evidenceIds": []}
        for at, _ in enumerate(values)
    ]
    return bundle


def contradicted(bundle):
    found = report(bundle)["transparencyGaps"]
    return [one["metadata"]["claimIds"] for one in found if one["type"] == "contradiction"]


def test_every_claim_that_is_contradicted_is_named_and_a_pair_said_twice_counts_once():
    bundle = crowd([0, 0, 1, 1, 2], [(0, 1), (1, 0), (0, 1), (2, 0), (3, 4)])
    assert contradicted(bundle) == [["c0", "c2"], ["c0", "c3"], ["c1", "c2"], ["c4", "c0"]]
    assert contradicted(crowd([0, 0], [(0, 0)])) == [["c0", "c1"], ["c1", "c0"]]
    assert contradicted(crowd([0, 2], [(0, 1)])) == []


def test_contradictions_do_not_grow_with_claims_times_pairs():
    values = [0] * 300 + list(range(1, 301))
    bundle = crowd(values, [(0, one) for one in range(1, 301)] * 2)
    found = contradicted(bundle)
    assert len(found) == 300 + 299
    assert {name for names in found for name in names} == {f"c{at}" for at in range(600)}


# Derivation


def chain(status="verified"):
    """``c`` is derived from ``d``, which has the status."""
    bundle = pair()
    bundle["claims"][0]["derivedFrom"] = ["z"]
    bundle["events"][1]["status"] = status
    return bundle


@pytest.mark.parametrize(
    ("status", "kind", "action"),
    [
        ("stale", "input-stale", "recompute"),
        ("superseded", "input-superseded", "recompute"),
        ("disputed", "input-disputed", "review"),
        ("assumed", "input-assumed", "review"),
        ("rejected", "input-rejected", "blocked"),
    ],
)
def test_what_became_of_an_input_asks_for_something(status, kind, action):
    assert report(chain())["changeRecords"] == []
    found = report(chain(status))
    assert found["changeRecords"] == [
        {
            "id": f"c.change.{kind}",
            "claimId": "c",
            "type": kind,
            "action": action,
            "inputClaimIds": ["z"],
            "createdAt": NOW,
        }
    ]
    assert found["claims"][0]["status"] == status
    expected = ["c"] if action == "recompute" else []
    assert found["summary"]["recomputeNeededClaims"] == expected


def test_row_s26_a_cycle_is_a_gap_of_each_claim_on_it():
    bundle = edited(chain(), ("/claims/1/derivationEdges", [{"inputClaimId": "c"}]))
    third = {**bundle["claims"][0], "id": "t", "derivedFrom": ["c"]}
    bundle["claims"].append(third)
    found = report(bundle)
    looped = [one["claimId"] for one in found["transparencyGaps"] if "cycle" in one["id"]]
    assert looped == ["c", "z"]
    assert [one["id"] for one in found["changeRecords"]] == [
        "c.change.derivation-cycle",
        "z.change.derivation-cycle",
    ]


def test_a_weak_edge_is_a_gap():
    edge = {"inputClaimId": "z", "supportStrength": "weak"}
    assert gaps(edited(chain(), ("/claims/0/derivationEdges", [edge]))) == ["weak-derivation"]


# Groups


def test_subjects_that_links_join_are_one_group():
    bundle = edited(pair(), ("/claims/1/subjectId", "acme-0"))
    assert [one["canonicalKey"] for one in report(bundle)["subjectGroups"]] == [
        *("contract::acme-1", "contract::acme-0")
    ]
    subjects = [{"subjectType": "contract", "subjectId": f"acme-{at}"} for at in (1, 7, 0)]
    (group,) = report(bundle | {"identityLinks": [{"subjects": subjects}]})["subjectGroups"]
    assert group["canonicalKey"] == "contract::acme-0"
    assert group["claimIds"] == ["c", "z"]
    assert [one["subjectId"] for one in group["members"]] == ["acme-0", "acme-1", "acme-7"]


def test_subjects_are_sorted_by_utf_16_unit():
    subjects = [{"subjectType": "s", "subjectId": one} for one in ("\ufffd", "\U0001f600")]
    bundle = edited(base(), ("/claims/0/subjectType", "s"), ("/claims/0/subjectId", "\ufffd"))
    (group,) = report(bundle | {"identityLinks": [{"subjects": subjects}]})["subjectGroups"]
    assert group["canonicalKey"] == "s::\U0001f600"


@pytest.mark.parametrize(
    ("statuses", "mode", "expected"),
    [
        (["verified", "verified"], "all-required", "verified"),
        (["verified", "assumed"], "all-required", "assumed"),
        (["verified", "superseded"], "all-required", "stale"),
        (["stale", "disputed"], "all-required", "disputed"),
        (["rejected", "disputed"], "all-required", "rejected"),
        (["verified", "disputed"], "any-required", "verified"),
        (["assumed", "disputed"], "any-required", "disputed"),
    ],
)
def test_a_group_is_what_its_requirements_are(statuses, mode, expected):
    bundle = pair()
    for event, status in zip(bundle["events"], statuses, strict=True):
        event["status"] = status
    group = {"id": "g", "title": "t", "kind": "framework", "rollupPolicy": {"mode": mode}}
    group["requirements"] = [{"id": name, "title": name, "claimIds": [name]} for name in ("c", "z")]
    (rollup,) = report(bundle | {"claimGroups": [group]})["claimGroupRollups"]
    assert rollup["status"] == expected
    shown = ["stale" if one == "superseded" else one for one in statuses]
    assert [one["status"] for one in rollup["requirements"]] == shown


def test_optional_requirements_do_not_count():
    bundle = edited(pair(), ("/events/1/status", "rejected"))
    group = {"id": "g", "title": "t", "kind": "framework"}
    group["requirements"] = [
        {"id": "c", "title": "c", "claimIds": ["c"]},
        {"id": "z", "title": "z", "claimIds": ["z"], "required": False},
        {"id": "none", "title": "n", "claimIds": []},
    ]

    def rolled(policy):
        one = group if policy is None else group | {"rollupPolicy": policy}
        return report(bundle | {"claimGroups": [one]})["claimGroupRollups"][0]

    assert rolled(None)["status"] == "unknown"
    optional = {"mode": "all-required", "optionalRequirementIds": ["none"]}
    assert rolled(optional)["status"] == "verified"
    required = {"mode": "all-required", "requiredRequirementIds": ["z"]}
    assert rolled(required)["status"] == "rejected"


def test_a_group_without_requirements_stands_for_its_claims():
    group = {"id": "g", "title": "t", "kind": "claimGroup", "claimIds": ["c", "z"]}
    (rollup,) = report(pair() | {"claimGroups": [group]})["claimGroupRollups"]
    assert (rollup["status"], rollup["requirements"]) == ("verified", [])
    unknown = edited(
        pair(), ("/events/0/status", "unknown"), ("/evidence/0/evidenceType", "attestation")
    )
    (rollup,) = report(unknown | {"claimGroups": [group]})["claimGroupRollups"]
    assert rollup["status"] == "proposed"


# Summary


def test_the_summary_counts_and_lists():
    bundle = edited(
        pair(),
        ("/claims/0/facet", ABSENT),
        ("/claims/0/impactLevel", "high"),
        ("/events/0/status", "proposed"),
        ("/events/1/status", "disputed"),
    )
    summary = report(bundle)["summary"]
    assert summary["byStatus"] == dict.fromkeys(summary["byStatus"], 0) | {
        "proposed": 1,
        "disputed": 1,
    }
    assert summary["byFacet"] == {"unknown": 1, "lease.terms": 1}
    assert summary["highImpactUnsupported"] == ["c"]
    assert (summary["staleClaims"], summary["disputedClaims"]) == ([], ["z"])


def test_confidence_is_tallied_whatever_stands_there():
    bases = [
        {
            "sourceQuality": "strong",
            "extractionConfidence": 0.5,
            "corroborationCount": 2,
            "conflictCount": 1,
            "freshnessRemainingDays": 3,
        },
        {
            "sourceQuality": ["strong"],
            "extractionConfidence": 1.5e308,
            "corroborationCount": True,
            "conflictCount": None,
            "freshnessRemainingDays": "3",
        },
    ]
    bundle = edited(
        pair(), ("/claims/0/confidenceBasis", bases[0]), ("/claims/1/confidenceBasis", bases[1])
    )
    assert report(bundle)["summary"]["confidenceBasis"] == {
        "sourceQuality": {"strong": 1},
        "reviewerAuthority": {},
        "evidenceStrength": {},
        "corroboratedClaims": 1,
        "averageExtractionConfidence": 0.5,
        "freshnessAtRisk": ["c"],
        "conflictedClaims": ["c"],
    }


def test_a_whole_bundle_has_a_report_in_every_version():
    for schema_version in (5, 7, 8, 9):
        for version in ("2", "3", "4"):
            assert report(whole(schema_version), version)["source"] == "composed"


# Arguments


def test_a_bundle_that_does_not_validate_has_no_report():
    broken = edited(base(), ("/evidence/0/claimId", "zz"))
    assert refused(build_trust_report, broken, now=NOW) == (
        "unknown-reference",
        "/evidence/0/claimId",
    )
    commit = edited(base(), ("/policies/0/validityRule", {"kind": "commit"}))
    assert report(commit)["claims"][0]["status"] == "stale"
    assert refused(build_trust_report, commit, now=NOW, version="2") == (
        "missing-string",
        "/claims/0/currentIntegrityRef",
    )


def test_arguments_are_checked_before_the_bundle():
    assert refused(build_trust_report, {}, now="then") == ("bad-time", None)
    with pytest.raises(TypeError, match="now"):
        build_trust_report({}, now=None)
    with pytest.raises(ValueError, match="status version"):
        build_trust_report({}, now=NOW, version="1")
    with pytest.raises(TypeError, match="report_id"):
        build_trust_report({}, now=NOW, report_id=3)
