"""Statuses of claims under the three versions of the rules.

Proves rows S1 to S30 of the trust part (the refusal of S21 stands in test_bundle_validation.py, the
gap of S26 in test_trust_report.py), and every composed status vector in every version.

One deviation, by name: ``v4-no-offset`` under version 3 derives ``stale``. The reference system
reads a time without an offset in the zone of the machine; here it is no time in any version.
"""

from __future__ import annotations

import copy

import pytest
from tests.unit.trust.bundles import (
    ABSENT,
    AT,
    HACHURE,
    NOW,
    STATUS,
    base,
    edited,
    refused,
    stored,
    whole,
)

from survey_fast.canon import canonical_json
from survey_fast.trust.status import derive_claim_statuses
from survey_fast.trust.validation import validate_trust_bundle

VERSIONS = ("2", "3", "4")
DEVIATIONS = {("v4-no-offset", "3"): {"c": "stale"}}


def statuses(bundle, now=NOW, claim="c"):
    """The status of one claim in each version; the bundle is left as it was."""
    before = copy.deepcopy(bundle)
    found = [derive_claim_statuses(bundle, now=now, version=one)[claim] for one in VERSIONS]
    assert bundle == before
    return found


def event(status, at=AT, **members):
    return {
        **base()["events"][0],
        "id": f"{status}.{at}",
        "status": status,
        "createdAt": at,
    } | members


def with_events(*events, **members):
    return base() | {"events": list(events)} | members


def with_evidence(*items, **members):
    """Evidence ``e0``, ``e1``, … that differs from the base's as told; the event lists it all."""
    first = base()["evidence"][0]
    made = [{**first, "id": f"e{at}"} | item for at, item in enumerate(items)]
    bundle = base() | {"evidence": made} | members
    bundle["events"][0]["evidenceIds"] = [item["id"] for item in made]
    return bundle


def trace(**members):
    return {
        "id": "t",
        "subject": {"subjectType": "person", "subjectId": "j"},
        "actorRef": "judge",
        "authorityType": "role",
        "authorityRef": "role:judge",
        "sourceRef": "hr",
        "observedAt": AT,
    } | members


def resolved(at="2026-06-05T00:00:00.000Z", **members):
    return event("verified", at, actor="judge", resolvesDispute=True) | members


DISPUTED_LATER = event("disputed", "2026-06-06T00:00:00.000Z")


# Vectors


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", list(STATUS))
def test_every_composed_vector(name, version):
    vector = STATUS[name]
    expected = DEVIATIONS.get((name, version), vector["expect"][version])
    found = derive_claim_statuses(vector["input"], now=vector["now"], version=version)
    assert found == expected
    text = canonical_json(vector["input"])
    assert derive_claim_statuses(text, now=vector["now"], version=version) == expected


def test_the_vectors_deviate_where_it_is_said():
    vectors = [STATUS[name]["expect"][version] for name, version in DEVIATIONS]
    assert vectors == [{"c": "verified"}]
    assert derive_claim_statuses(STATUS["v4-no-offset"]["input"], now=NOW) == {"c": "stale"}


@pytest.mark.parametrize("name", HACHURE)
def test_the_published_vectors_of_version_2(name):
    vector = stored(f"hachure-0.15-vectors/{name}")
    assert validate_trust_bundle(vector["input"], version="2")
    found = derive_claim_statuses(vector["input"], now=vector["now"], version="2")
    assert found == vector["expect"]["statusByClaimId"]


# Rows


def test_row_s1_verified_with_what_the_policy_requires():
    assert statuses(base()) == ["verified"] * 3


def test_row_s2_without_a_policy_nothing_is_verified_from_version_3_on():
    assert statuses(base() | {"policies": []}) == ["verified", "proposed", "proposed"]


def test_row_s3_a_policy_that_requires_nothing_is_none_from_version_3_on():
    bundle = edited(
        base(), ("/policies/0/requiredEvidence", []), ("/policies/0/requiredMethods", [])
    )
    assert statuses(bundle) == ["verified", "proposed", "proposed"]
    corroborated = edited(bundle, ("/policies/0/requiresCorroboration", True))
    assert statuses(corroborated) == ["proposed"] * 3


def test_row_s4_a_required_method_is_a_requirement():
    bundle = edited(
        base(),
        ("/policies/0/requiredEvidence", []),
        ("/policies/0/requiredMethods", ["extraction"]),
    )
    assert statuses(bundle) == ["verified"] * 3
    assert statuses(edited(bundle, ("/evidence/0/method", "validation"))) == ["proposed"] * 3


def test_row_s5_a_cited_failure_is_not_seen():
    failed = {"supportStrength": "cited", "passing": False, "blocking": True}
    assert statuses(with_evidence(failed)) == ["proposed"] * 3
    assert statuses(with_evidence({}, failed)) == ["verified"] * 3


def test_row_s6_a_failure_blocks_unless_it_says_otherwise():
    assert statuses(with_evidence({"passing": False})) == ["disputed"] * 3
    assert statuses(with_evidence({"passing": False, "blocking": True})) == ["disputed"] * 3


def test_row_s7_a_failure_that_does_not_block_still_meets_a_requirement():
    failed = {"passing": False, "blocking": False}
    assert statuses(with_evidence(failed, {"passing": True})) == ["verified"] * 3
    assert statuses(with_evidence(failed)) == ["verified"] * 3


def test_row_s8_a_blocking_failure_and_a_missing_requirement():
    bundle = with_evidence({"evidenceType": "attestation", "passing": False})
    assert statuses(bundle) == ["proposed", "disputed", "disputed"]


@pytest.mark.parametrize("kind", ["test_output", "calculation_trace", "runtime_observation"])
def test_row_s9_a_required_check_has_to_have_passed_from_version_3_on(kind):
    policies = edited(base(), ("/policies/0/requiredEvidence", [kind]))["policies"]
    bundle = with_evidence({"evidenceType": kind}, policies=policies)
    assert statuses(bundle) == ["verified", "proposed", "proposed"]
    assert statuses(edited(bundle, ("/evidence/0/passing", True))) == ["verified"] * 3


def test_row_s10_a_dispute_one_millisecond_later():
    later = event("disputed", "2026-06-01T00:00:00.001Z")
    assert statuses(with_events(event("verified"), later)) == ["disputed"] * 3
    assert statuses(with_events(later, event("verified"))) == ["disputed"] * 3


def test_row_s11_a_dispute_at_the_same_instant_that_stands_later():
    assert statuses(with_events(event("verified"), event("disputed"))) == ["verified"] * 3


def test_row_s12_a_dispute_at_the_same_instant_that_stands_earlier():
    assert statuses(with_events(event("disputed"), event("verified"))) == ["disputed"] * 3
    elsewhere = event("disputed", "2026-06-01T02:00:00+02:00")
    assert statuses(with_events(elsewhere, event("verified"))) == ["disputed"] * 3


def test_row_s13_what_was_revoked_is_stale():
    revoked = event("revoked", "2026-06-02T00:00:00Z")
    assert statuses(with_events(event("verified"), revoked)) == ["stale"] * 3


@pytest.mark.parametrize(
    ("status", "derived"),
    [
        ("verified", "stale"),
        ("assumed", "stale"),
        ("revoked", "stale"),
        ("unknown", "stale"),
        ("rejected", "rejected"),
        ("superseded", "superseded"),
        ("disputed", "disputed"),
    ],
)
def test_row_s14_an_invalidation_never_makes_a_claim_good(status, derived):
    assert statuses(with_events(event(status, type="invalidation"))) == [derived] * 3
    assert statuses(with_events(event("verified", type="verification"))) == ["verified"] * 3


def test_row_s15_what_the_producer_says_of_a_claim_raises_nothing():
    bundle = edited(with_events(event("proposed")), ("/claims/0/status", "verified"))
    assert statuses(bundle) == ["proposed"] * 3
    assert statuses(edited(bundle, ("/events", []))) == ["proposed"] * 3


def test_row_s16_an_assumption_outlasts_every_window_and_needs_no_policy():
    bundle = edited(
        with_events(event("assumed", "2001-01-01T00:00:00Z"), policies=[]),
        ("/claims/0/ttlSeconds", 1),
        ("/claims/0/expiresAt", AT),
    )
    assert statuses(bundle) == ["assumed"] * 3


def test_row_s17_a_window_that_ends_now_is_open_and_one_millisecond_earlier_is_not():
    rule = {"kind": "duration", "durationDays": 9}
    bundle = edited(base(), ("/policies/0/validityRule", rule))
    assert statuses(bundle) == ["verified"] * 3
    assert statuses(bundle, "2026-06-10T00:00:00.001Z") == ["stale"] * 3
    assert statuses(bundle, "2026-06-10T01:00:00.000+01:00") == ["verified"] * 3


def test_row_s18_an_expiry_counts_before_a_time_to_live():
    bundle = edited(
        base(), ("/claims/0/expiresAt", "2026-07-01T00:00:00Z"), ("/claims/0/ttlSeconds", 1)
    )
    assert statuses(bundle) == ["verified"] * 3
    assert statuses(edited(bundle, ("/claims/0/expiresAt", ABSENT))) == ["stale"] * 3
    assert statuses(bundle, "2026-07-01T00:00:00.001Z") == ["stale"] * 3


def test_row_s19_a_time_to_live_runs_from_the_verification():
    bundle = edited(
        base(),
        ("/claims/0/ttlSeconds", 3600),
        ("/events/0/verifiedAt", "2026-06-09T23:30:00.000Z"),
    )
    assert statuses(bundle) == ["verified"] * 3
    assert statuses(bundle, "2026-06-10T00:30:00.001Z") == ["stale"] * 3
    assert statuses(edited(bundle, ("/events/0/verifiedAt", ABSENT))) == ["stale"] * 3


COMMIT = edited(
    base(),
    ("/policies/0/validityRule", {"kind": "commit"}),
    ("/claims/0/currentIntegrityRef", "sha256:aa"),
    ("/evidence/0/integrityRef", "sha256:aa"),
)


def test_row_s20_evidence_of_the_commit_counts_only_where_the_event_lists_it():
    assert statuses(COMMIT) == ["verified"] * 3
    assert statuses(edited(COMMIT, ("/events/0/evidenceIds", []))) == ["stale"] * 3
    assert statuses(edited(COMMIT, ("/evidence/0/integrityRef", "sha256:bb"))) == ["stale"] * 3


def test_row_s21_a_commit_rule_without_a_commit_is_stale_from_version_3_on():
    bundle = edited(COMMIT, ("/claims/0/currentIntegrityRef", ABSENT))
    assert statuses(bundle) == ["verified", "stale", "stale"]


@pytest.mark.parametrize("status", ["verified", "rejected", "assumed", "revoked", "unknown"])
def test_row_s22_an_authorised_resolution_stands_against_a_later_dispute(status):
    events = [resolved(status=status), DISPUTED_LATER]
    assert statuses(with_events(*events, authorityTrace=[trace()])) == [status] * 3


def test_row_s22_without_a_policy_a_resolution_verifies_nothing_from_version_3_on():
    bundle = with_events(resolved(), authorityTrace=[trace()], policies=[])
    assert statuses(bundle) == ["verified", "proposed", "proposed"]


def test_row_s23_without_a_trace_nobody_settles_anything():
    events = [resolved(), DISPUTED_LATER]
    assert statuses(with_events(*events)) == ["disputed"] * 3
    others = [trace(actorRef="jury"), trace(authorityRef="role:clerk")]
    events[0] |= {"authorityRef": "role:judge"}
    assert statuses(with_events(*events, authorityTrace=others)) == ["disputed"] * 3
    assert statuses(with_events(*events, authorityTrace=[trace()])) == ["verified"] * 3


def test_row_s24_a_blocking_failure_after_a_resolution_opens_it_again():
    failed = {"passing": False, "observedAt": "2026-06-05T00:00:00.001Z"}
    bundle = with_evidence({}, failed, events=[resolved()], authorityTrace=[trace()])
    assert statuses(bundle) == ["disputed"] * 3
    same = edited(bundle, ("/evidence/1/observedAt", "2026-06-05T00:00:00.000Z"))
    assert statuses(same) == ["verified"] * 3


def test_row_s25_a_trace_revoked_at_the_instant_of_the_event_in_another_spelling():
    def bundle(revoked):
        events = [resolved(), DISPUTED_LATER]
        return with_events(*events, authorityTrace=[trace(revokedAt=revoked)])

    assert statuses(bundle("2026-06-05T02:00:00+02:00")) == ["verified", "disputed", "disputed"]
    assert statuses(bundle("2026-06-05T00:00:00.000Z")) == ["disputed"] * 3
    assert statuses(bundle("2026-06-05T00:00:00.001Z")) == ["verified"] * 3


def derived(*own, edges):
    """Claims ``c0``, ``c1``, … with one event of the given status, derived as ``edges`` says."""
    first = base()
    bundle = first | {"claims": [], "evidence": [], "events": []}
    for at, status in enumerate(own):
        name = f"c{at}"
        members = {"derivedFrom": [f"c{one}" for one in edges[at]]} if at in edges else {}
        bundle["claims"].append({**first["claims"][0], "id": name} | members)
        bundle["evidence"].append({**first["evidence"][0], "id": f"e{at}", "claimId": name})
        one = {**first["events"][0], "id": f"v{at}", "claimId": name, "evidenceIds": [f"e{at}"]}
        bundle["events"].append({**one, "status": status})
    return bundle


def test_row_s26_a_cycle_costs_nothing_by_itself():
    bundle = derived("verified", "verified", edges={0: [1], 1: [0]})
    assert statuses(bundle, claim="c0") == statuses(bundle, claim="c1") == ["verified"] * 3


def test_row_s27_a_derived_claim_is_no_better_than_its_input():
    bundle = derived("verified", "disputed", edges={0: [1]})
    assert statuses(bundle, claim="c0") == ["disputed"] * 3


def test_row_s28_a_fraction_of_a_day_is_exact():
    rule = {"kind": "duration", "durationDays": 0.7}
    bundle = edited(base(), ("/policies/0/validityRule", rule))
    assert statuses(bundle, "2026-06-01T16:48:00.000Z") == ["verified"] * 3
    assert statuses(bundle, "2026-06-01T16:48:00.001Z") == ["stale"] * 3


def test_row_s29_a_fraction_of_a_millisecond_counts_in_version_4():
    events = [
        event("verified", "2026-06-01T00:00:00.0001Z"),
        event("disputed", "2026-06-01T00:00:00.0009Z"),
    ]
    assert statuses(with_events(*events)) == ["verified", "verified", "disputed"]


def test_row_s30_a_leap_second_is_the_second_that_follows():
    leap = event("disputed", "2016-12-31T23:59:60Z")
    next_year = event("verified", "2017-01-01T00:00:00Z")
    assert statuses(with_events(leap, next_year)) == ["disputed"] * 3
    assert statuses(with_events(next_year, leap)) == ["verified"] * 3
    nothing = event("disputed", "2016-12-31T23:58:60Z")
    assert statuses(with_events(nothing, event("verified", "1969-01-01T00:00:00Z"))) == [
        *("disputed", "disputed", "verified")
    ]


# What no row says


def test_a_named_policy_that_is_not_there():
    bundle = edited(base(), ("/claims/0/verificationPolicyId", "zz"))
    assert statuses(bundle) == ["verified", "proposed", "proposed"]


def test_the_first_policy_of_a_type_counts_and_parents_lead_nowhere():
    first = {**base()["policies"][0], "requiredEvidence": ["attestation"]}
    assert statuses(base() | {"policies": [first, *base()["policies"]]}) == ["proposed"] * 3
    child = {**base()["policies"][0], "claimType": "other", "parentType": "lease-field"}
    typed = edited(base() | {"policies": [child]}, ("/claims/0/claimType", "third"))
    assert statuses(typed) == ["verified", "proposed", "proposed"]


def test_corroboration_takes_two():
    policies = edited(base(), ("/policies/0/requiresCorroboration", True))["policies"]
    assert statuses(with_evidence({}, policies=policies)) == ["proposed"] * 3
    assert statuses(with_evidence({}, {}, policies=policies)) == ["verified"] * 3
    cited = {"supportStrength": "cited"}
    assert statuses(with_evidence({}, cited, policies=policies)) == ["proposed"] * 3


def test_evidence_alone_proposes_and_nothing_is_unknown():
    assert statuses(with_events()) == ["proposed"] * 3
    assert statuses(with_events(evidence=[])) == ["unknown"] * 3
    assert statuses(with_events(policies=[])) == ["proposed"] * 3
    other = edited(with_events(), ("/evidence/0/evidenceType", "attestation"))
    assert statuses(other) == ["unknown"] * 3
    assert statuses(with_events(evidence=[], policies=[])) == ["unknown"] * 3


def test_what_cannot_be_evaluated_is_stale_from_version_3_on():
    stale = ["verified", "stale", "stale"]
    assert statuses(edited(base(), ("/claims/0/expiresAt", "soon"))) == stale
    assert statuses(edited(base(), ("/claims/0/expiresAt", None))) == stale
    assert statuses(edited(base(), ("/claims/0/ttlSeconds", -1))) == stale
    assert statuses(edited(base(), ("/claims/0/ttlSeconds", "1"))) == stale
    assert statuses(edited(base(), ("/claims/0/ttlSeconds", float("inf")))) == stale
    assert statuses(edited(base(), ("/claims/0/ttlSeconds", 10**400))) == stale
    for rule in ({}, {"kind": "weekly"}, {"kind": "duration"}, {"kind": []}):
        assert statuses(edited(base(), ("/policies/0/validityRule", rule))) == stale
    negative = {"kind": "duration", "durationDays": -1}
    assert statuses(edited(base(), ("/policies/0/validityRule", negative))) == stale
    unread = edited(base(), ("/claims/0/ttlSeconds", 10**9), ("/events/0/createdAt", "then"))
    assert statuses(unread) == stale


def test_bounds_of_an_authority_that_cannot_be_read():
    def bundle(*traces, at="2026-06-05T00:00:00.000Z"):
        return with_events(resolved(at), DISPUTED_LATER, authorityTrace=list(traces))

    broken = trace(validUntil="never")
    assert statuses(bundle(broken))[1:] == ["verified", "disputed"]
    assert statuses(bundle(broken, trace()))[1:] == ["verified", "verified"]
    assert statuses(bundle(trace(), at="some day"))[1:] == ["verified", "disputed"]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"validFrom": "2026-06-05T00:00:00.000Z"}, "verified"),
        ({"validFrom": "2026-06-05T00:00:00.001Z"}, "disputed"),
        ({"validUntil": "2026-06-05T00:00:00.000Z"}, "verified"),
        ({"validUntil": "2026-06-04T23:59:59.999Z"}, "disputed"),
        ({"validUntil": "2026-06-06T00:00:00.000Z", "revokedAt": AT}, "disputed"),
    ],
)
def test_the_ends_of_an_authority(members, expected):
    events = [resolved(), DISPUTED_LATER]
    bundle = with_events(*events, authorityTrace=[trace(**members)])
    assert statuses(bundle) == [expected] * 3
    # Another trace, of another time, changes nothing.
    past = trace(id="u", validUntil="2026-01-01T00:00:00.000Z")
    assert statuses(bundle | {"authorityTrace": [past, trace(**members)]}) == [expected] * 3


def test_evidence_observed_at_no_time_opens_a_resolution_in_version_4():
    failed = {"passing": False, "observedAt": "some day"}
    bundle = with_evidence({}, failed, events=[resolved()], authorityTrace=[trace()])
    assert statuses(bundle) == ["verified", "verified", "disputed"]


@pytest.mark.parametrize(
    ("own", "edges", "expected"),
    [
        (["verified", "superseded", "unknown"], {0: [1, 2]}, "superseded"),
        (["verified", "verified", "rejected"], {0: [1], 1: [2]}, "rejected"),
        (["rejected", "disputed"], {0: [1]}, "rejected"),
        (["verified", "assumed", "verified"], {0: [1, 2], 2: [0]}, "assumed"),
        (["verified", "proposed"], {0: [1, 1]}, "proposed"),
    ],
)
def test_the_weakest_of_all_a_claim_rests_on_decides(own, edges, expected):
    assert statuses(derived(*own, edges=edges), claim="c0") == [expected] * 3


def test_an_input_that_is_no_claim_is_unknown():
    bundle = edited(base(), ("/claims/0/derivedFrom", ["zz"]))
    assert statuses(bundle) == ["unknown"] * 3
    edges = edited(base(), ("/claims/0/derivationEdges", [{"inputClaimId": "zz"}]))
    assert statuses(edges) == ["unknown"] * 3


def test_a_chain_and_a_cycle_of_any_length():
    count = 5_000
    own = ["verified"] * (count - 1) + ["disputed"]
    chain = derived(*own, edges={at: [at + 1] for at in range(count - 1)})
    assert set(derive_claim_statuses(chain, now=NOW).values()) == {"disputed"}
    cycle = derived(*["verified"] * count, edges={at: [(at + 1) % count] for at in range(count)})
    assert set(derive_claim_statuses(cycle, now=NOW).values()) == {"verified"}


def test_very_many_resolutions_and_traces():
    count = 3_000
    events = [
        resolved(f"2026-06-05T{at // 60 % 24:02}:{at % 60:02}:00.{at % 1000:03}Z", id=f"r{at}")
        for at in range(count)
    ]
    traces = [
        trace(id=f"t{at}", revokedAt=f"2026-05-01T00:00:00.{at % 1000:03}Z") for at in range(count)
    ]
    bundle = with_events(*events, DISPUTED_LATER, authorityTrace=traces)
    assert statuses(bundle) == ["disputed"] * 3


def test_a_fraction_of_very_many_digits():
    long = "0" * 100_000
    events = [
        event("verified", f"2026-06-01T00:00:00.{long}1Z"),
        event("disputed", f"2026-06-01T00:00:00.{long}2Z"),
    ]
    assert statuses(with_events(*events)) == ["verified", "verified", "disputed"]


# Arguments and documents


def test_statuses_come_in_the_order_of_the_claims():
    found = derive_claim_statuses(derived(*["verified"] * 5, edges={4: [0]}), now=NOW)
    assert list(found) == ["c0", "c1", "c2", "c3", "c4"]
    assert derive_claim_statuses(whole(), now=NOW) == {"c": "unknown", "d": "unknown"}


@pytest.mark.parametrize("now", ["", "now", "2026-06-10", "2026-06-10T00:00:00.0001Z"])
def test_a_time_that_is_none_is_refused(now):
    for version in VERSIONS:
        found = refused(derive_claim_statuses, base(), now=now, version=version)
        assert found == ("bad-time", None)


def test_arguments_of_another_type_are_misuse():
    with pytest.raises(TypeError, match="now"):
        derive_claim_statuses(base(), now=0)
    for version in ("1", 3, None, []):
        with pytest.raises(ValueError, match="status version"):
            derive_claim_statuses(base(), now=NOW, version=version)
    with pytest.raises(TypeError):
        derive_claim_statuses(object(), now=NOW)


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        ("/claims", ABSENT, "missing-array"),
        ("/events", {}, "missing-array"),
        ("/authorityTrace", {}, "missing-array"),
        ("/claims/0", [], "bad-type"),
        ("/claims/0/id", ABSENT, "missing-string"),
        ("/claims/0/derivedFrom", "c", "missing-array"),
        ("/claims/0/derivationEdges", [{}], "missing-string"),
        ("/claims/0/verificationPolicyId", [], "missing-string"),
        ("/evidence/0/claimId", {}, "missing-string"),
        ("/evidence/0/evidenceType", [], "missing-string"),
        ("/events/0/status", "good", "bad-enum"),
        ("/events/0/evidenceIds", [[]], "missing-string"),
        ("/policies/0/validityRule", "manual", "bad-type"),
        ("/policies/0/requiredEvidence", None, "null-member"),
    ],
)
def test_what_no_status_could_be_derived_from_is_refused(pointer, value, code):
    at = {
        "/claims/0/derivationEdges": "/claims/0/derivationEdges/0/inputClaimId",
        "/events/0/evidenceIds": "/events/0/evidenceIds/0",
    }.get(pointer, pointer)
    broken = edited(base(), (pointer, value))
    assert refused(derive_claim_statuses, broken, now=NOW) == (code, at)


def test_two_claims_with_one_id_have_no_status():
    bundle = edited(base(), ("/claims/1", base()["claims"][0]))
    assert refused(derive_claim_statuses, bundle, now=NOW) == ("duplicate-id", "/claims/1/id")
