"""Attestation and binding against the slow ones, under any edit of any of the three documents."""

from hypothesis import given
from hypothesis import strategies as st
from tests.property.extractions import extractions
from tests.property.strategies import damaged, fewer, outcome, portable_names, respelled, scalars
from tests.reference import attest as slow
from tests.reference import importing
from tests.reference.canonical import canonical
from tests.reference.refusal import Refused
from tests.unit.attest.samples import SESSION, bound, findings, names_of, opened

from survey_fast import (
    attest_review_queue_extraction,
    import_envelope,
    validate_review_queue_against_extraction_import,
    validate_review_queue_binding,
)
from survey_fast.canon.text import is_hex
from survey_fast.errors import SurveyError

AUDITS = st.builds(
    lambda rate, seed: {"kind": "random-audit", "rate": rate, "seed": str(seed)},
    st.sampled_from([0.25, 0.5, 0.75, 1]),
    st.integers(0, 9),
)
SAMPLINGS = st.none() | st.just({"kind": "queue"}) | AUDITS


@st.composite
def rounds(draw):
    """A queue with the record it derives from: the queue of either order, or a sample of it."""
    extraction = draw(extractions(6))
    result = outcome(import_envelope, extraction.envelope, **extraction.options)
    if isinstance(result, str) or not result.review_items:
        return None
    profile = draw(st.sampled_from(["jcs", "collated"]))
    items = outcome(importing.review_items, result.record, profile)
    if isinstance(items, str):
        # An object value with an odd name, which collated order cannot place.
        items = result.review_items
    sampling = draw(SAMPLINGS)
    is_audit = sampling is not None and sampling["kind"] == "random-audit"
    if is_audit:
        drawn = slow.draw(names_of(items), rate=sampling["rate"], seed=sampling["seed"])
        items = [item for item in items if item["metadata"]["name"] in drawn]
    blind = {"scoreBlind": True} if is_audit else None
    queue = opened(items, sampling=sampling, presentation=blind)
    return queue if sampling is not None or draw(st.booleans()) else items, result.record


def expected_of(queue, record):
    """Findings and profile, or the code of the refusal."""
    try:
        comparison = slow.compare(queue, record)
    except Refused as refusal:
        return refusal.code
    if [code for code, _ in comparison.issues] == ["ambiguous-item-identity"]:
        return comparison
    twice = candidate_twice(queue)
    return comparison if twice is None else ([("ambiguous-candidate-identity", twice)], None)


def candidate_twice(queue):
    """The first item that names a candidate twice; the reference has no rule about that."""
    for item in queue["items"] if isinstance(queue, dict) else queue:
        spec = item.get("spec")
        candidates = spec.get("candidates") if isinstance(spec, dict) else None
        if isinstance(candidates, list):
            ids = [one.get("id") for one in candidates if isinstance(one, dict)]
            texts = [one for one in ids if isinstance(one, str)]
            if len(set(texts)) < len(texts):
                return item["metadata"]["name"]
    return None


def found_of(queue, record):
    try:
        attestation = attest_review_queue_extraction(queue, record)
    except SurveyError as refusal:
        return refusal.code
    issues = findings(attestation.issues)
    assert attestation.state == ("diverges" if issues else "attested")
    assert bool(attestation.message) == bool(issues or attestation.drawn)
    return issues, attestation.profile


def agree(found, expected, record):
    """Equal, but for a record with an odd name that no identity of the queue rests on.

    The reference derives the other order all the same and can name what differs; here the whole
    record has to have a place in that order, so there is no verdict. Neither attests.
    """
    proposals = record["spec"]["envelope"]["result"]["proposals"]
    values = [one["candidateValue"] for one in proposals]
    if found == ([("digest-not-portable", None)], None) and expected[0] != []:
        return outcome(canonical, values, "collated") == "refused: digest-not-portable"
    return found == expected


@given(rounds(), st.integers(0, 2**32))
@fewer(2)
def test_what_was_derived_is_attested(stored, seed):
    if stored is None:
        return
    queue, record = stored
    expected = slow.compare(queue, record)
    assert found_of(queue, record) == expected
    assert found_of(respelled(queue, seed), respelled(record, seed)) == expected
    assert expected.issues in ([], [("empty-queue", None)])


INSERTS = scalars | st.sampled_from([{}, [], {"id": "x"}, {"kind": "queue"}])


@given(st.data(), rounds())
def test_an_edited_queue_gets_the_verdict_of_the_reference(data, stored):
    if stored is None:
        return
    queue, record = stored
    for _ in range(data.draw(st.integers(1, 2))):
        if queue:
            queue = data.draw(damaged(queue, INSERTS))
    assert agree(found_of(queue, record), expected_of(queue, record), record)


@given(st.data(), rounds())
def test_moved_items_get_the_verdict_of_the_reference(data, stored):
    if stored is None:
        return
    queue, record = stored
    items = list(queue["items"] if isinstance(queue, dict) else queue)
    if items:
        kept = data.draw(st.lists(st.sampled_from(items), max_size=len(items) + 1))
        items = kept + ([{"metadata": {"name": data.draw(portable_names) + "."}}] * len(kept))[:1]
    moved = {**queue, "items": items} if isinstance(queue, dict) else items
    assert agree(found_of(moved, record), expected_of(moved, record), record)


@given(st.data(), rounds())
def test_an_edited_record_gets_the_verdict_of_the_reference(data, stored):
    if stored is None:
        return
    queue, record = stored
    broken = data.draw(damaged(record, INSERTS))
    expected = expected_of(queue, broken)
    found = found_of(queue, broken)
    if isinstance(expected, str):
        assert found == ([("import-invalid", None)], None)
        refused = outcome(validate_review_queue_against_extraction_import, queue, broken)
        assert isinstance(refused, str)
    else:
        assert agree(found, expected, broken)


@given(st.data(), rounds(), st.sampled_from(["rfc8785", None]))
@fewer(2)
def test_an_edited_snapshot_gets_the_verdict_of_the_reference(data, stored, method):
    if stored is None or not isinstance(stored[0], dict) or not stored[0]["items"]:
        return
    queue = stored[0]
    binding = bound(queue)
    digest = outcome(slow.digest, queue, "collated")
    if method is None and is_hex(digest, 64):
        del binding["spec"]["canonicalization"]
        binding["spec"]["snapshotHash"] = digest
    assert findings(validate_review_queue_binding(binding, queue, session_name=SESSION)) == []
    broken = data.draw(damaged(queue, INSERTS))
    session = data.draw(st.sampled_from([None, SESSION, "other"]))
    expected = outcome(slow.validate_binding, binding, broken, session)
    found = outcome(validate_review_queue_binding, binding, broken, session_name=session)
    if isinstance(expected, list):
        twice = candidate_twice(broken)
        found = [one for one in findings(found) if one != ("ambiguous-candidate-identity", twice)]
    assert found == expected


@given(st.data(), rounds())
@fewer(2)
def test_an_edited_binding_gets_the_verdict_of_the_reference(data, stored):
    if stored is None or not isinstance(stored[0], dict) or not stored[0]["items"]:
        return
    queue = stored[0]
    broken = data.draw(damaged(bound(queue), INSERTS))
    expected = slow.validate_binding(broken, queue, SESSION)
    found = validate_review_queue_binding(broken, queue, session_name=SESSION)
    assert findings(found) == expected
