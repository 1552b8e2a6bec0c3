"""Reviewed evidence of any import: it restores, whatever the order of members, and any change of
it ends in a refusal or a gap."""

import copy
import json

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.property.extractions import extractions
from tests.property.strategies import fewer, outcome
from tests.unit.trust import evidence_samples as samples
from tests.unit.trust.evidence_samples import KEY, decision, imported

from survey_fast import ImportResult, SurveyError, import_envelope
from survey_fast.canon import canonical_json
from survey_fast.trust.evidence import (
    RecordResolver,
    project_evidence,
    read_record,
    restore_reviewed_extraction_evidence,
    review_signals,
)
from survey_fast.trust.grounding import evaluate_grounding

ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.text(max_size=3), parts),
    max_leaves=4,
)

MIXED_FIELDS = ("refused: evidence-choice-invalid", "refused: evidence-item-mismatch")


def imported_stably(extraction):
    """The import under names, and at a time, that evidence can carry."""
    extraction.envelope["result"]["extractedAt"] = samples.AT
    names = {"import_name": "any-import", "producer_namespace": "any-producer"}
    result = outcome(import_envelope, extraction.envelope, **{**extraction.options, **names})
    assume(isinstance(result, ImportResult))
    return result


def evidence_of_round(result):
    """Evidence for each candidate of each item, in item order.

    Two fields may name one claim. Their values meet in one item, which is no evidence for either:
    a choice is between values of one field.
    """
    context = read_record(result)
    written = []
    for item in result.review_items:
        candidates = item["spec"]["candidates"]
        is_of_one_field = len({one["extraction"]["target"] for one in candidates}) == 1
        for candidate in candidates:
            index = candidate["producer"][KEY]["proposalIndex"]
            evidence_input = samples.given(item, decision(item), index)
            if is_of_one_field:
                written.append(project_evidence(context, evidence_input))
            else:
                assert outcome(project_evidence, context, evidence_input) in MIXED_FIELDS
    return context, written


def shuffled(value, random):
    """The same value, members of every object in another order."""
    if isinstance(value, dict):
        members = [(name, shuffled(one, random)) for name, one in value.items()]
        random.shuffle(members)
        return dict(members)
    return [shuffled(one, random) for one in value] if isinstance(value, list) else value


@fewer(2)
@given(extractions())
def test_every_item_of_an_import_projects_and_restores(extraction):
    result = imported_stably(extraction)
    context, written = evidence_of_round(result)
    for one in written:
        evidence = json.loads(canonical_json(one.evidence))
        found = restore_reviewed_extraction_evidence(evidence, RecordResolver([context]))
        assert found.anchors == one.derivation.anchors
        signals = review_signals(found)
        assert (signals.hidden_rivals, signals.dropped, signals.unreadable) == ([], [], None)


@fewer(2)
@given(extractions(), st.randoms(use_true_random=False))
def test_the_order_of_members_changes_no_digest(extraction, random):
    result = imported_stably(extraction)
    context, written = evidence_of_round(result)
    assert read_record(shuffled(result.record, random)).digest == context.digest
    for one in written:
        evidence_input = one.evidence["metadata"]["reviewedExtraction"]["input"]
        bare = {
            name: value
            for name, value in evidence_input.items()
            if name not in {"importRecordDigest", "proposal"}
        }
        again = project_evidence(context, shuffled(bare, random))
        assert canonical_json(again.evidence) == canonical_json(one.evidence)
        evidence = shuffled(one.evidence, random)
        restore_reviewed_extraction_evidence(evidence, RecordResolver([context]))


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for name, one in value.items():
            yield from places(one, (*path, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from places(one, (*path, index))


ROUND = imported()
CARRYING = [
    samples.evidence_of(ROUND, samples.given(ROUND.items[name]), carry_record=True)
    for name in ("area", "fee")
]
PLACES = [(at, path) for at, one in enumerate(CARRYING) for path in places(one) if path]


@fewer(2)
@given(st.sampled_from(PLACES), ANY)
def test_any_change_of_evidence_ends_in_a_refusal(place, value):
    at, path = place
    changed = copy.deepcopy(CARRYING[at])
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    policy = {"id": "p", "action": "a", "requiredClaimIds": ["claim"]}
    claims = [{"id": "claim", "value": (12, 48000)[at]}]
    assert evaluate_grounding(policy, [CARRYING[at]], claims)["outcome"] == "allowed"
    try:
        is_same = canonical_json(changed, lossless=True) == canonical_json(CARRYING[at])
    except SurveyError:
        is_same = False
    try:
        restore_reviewed_extraction_evidence(changed)
    except SurveyError:
        assert not is_same
    else:
        assert is_same
    decided = outcome(evaluate_grounding, policy, [changed], claims)
    if isinstance(decided, dict):
        assert (decided["outcome"] == "allowed") is is_same
    else:
        assert not is_same
