"""The whole import against the slow one, and what its ids do not depend on."""

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.property.extractions import extractions
from tests.property.strategies import fewer, outcome, respelled
from tests.reference import importing
from tests.reference.canonical import canonical
from tests.reference.identity import resolution_base as slow_resolution_base
from tests.reference.samples import without_messages

from survey_fast import (
    excluded_indices,
    export_import,
    import_envelope,
    import_from_bound_status,
    reimport,
    resolution_identity,
    review_items,
    validate_import,
)
from survey_fast.canon import canonical_json

seeds = st.integers(0, 2**32)


def silent(record):
    return {**record, "status": without_messages(record["status"])}


def fast(extraction, **changes):
    return outcome(import_envelope, extraction.envelope, **{**extraction.options, **changes})


def slow(extraction):
    return outcome(importing.import_envelope, extraction.envelope, **extraction.options)


@given(extractions())
def test_import_is_what_the_reference_imports(extraction):
    expected, found = slow(extraction), fast(extraction)
    if isinstance(expected, str):
        assert found == expected
        return
    record, items = expected
    assert canonical(silent(found.record)) == canonical(silent(record))
    assert found.items_bytes == canonical(items)
    assert all(entry["message"].strip() for entry in found.status["diagnostics"])
    # What is handed out is canonical already, and both forms of it agree.
    assert canonical_json(found.record_bytes) == found.record_bytes == canonical(found.record)
    assert canonical(found.review_items) == found.items_bytes


@given(extractions(), seeds)
def test_no_id_depends_on_the_spelling_of_the_envelope(extraction, seed):
    found = fast(extraction)
    text = respelled(extraction.envelope, seed)
    shuffled = {"claim_targets": json.loads(respelled(extraction.options["claim_targets"], seed))}
    for envelope in (text, text.decode(), json.loads(text)):
        again = fast(extraction._replace(envelope=envelope), **shuffled)
        assert again == found


@given(extractions(), seeds)
def test_a_record_survives_its_storage(extraction, seed):
    found = fast(extraction)
    if isinstance(found, str):
        return
    text = respelled(found.record, seed)
    assert export_import(text) == found.record_bytes
    assert validate_import(text) == reimport(found.record_bytes) == found.record
    assert review_items(text) == found.review_items
    assert excluded_indices(text) == importing.excluded_indices(found.record)


@given(extractions())
@fewer(2)
def test_a_bound_status_stands_for_the_text(extraction):
    found = fast(extraction)
    if isinstance(found, str):
        return
    options = {name: one for name, one in extraction.options.items() if name != "artifact"}
    rebuilt = import_from_bound_status(extraction.envelope, found.status, **options)
    assert rebuilt == found


@given(extractions())
@fewer(2)
def test_resolution_identities_are_those_of_the_reference(extraction):
    found = fast(extraction)
    if isinstance(found, str):
        return
    for index in range(len(extraction.proposals)):
        base = slow_resolution_base(found.record, index)
        identity = resolution_identity(found, index, new_uuid=lambda: "u")
        assert identity.evidence_id == f"survey.extraction.{base}.resolution-evidence.u"
        assert identity.event_id == f"survey.extraction.{base}.resolution-event.u"


@given(extractions())
@fewer(2)
def test_items_hold_every_proposal_once(extraction):
    found = fast(extraction)
    if isinstance(found, str) or not found.is_grounded:
        return
    key = "survey.kontourai.io/extraction-envelope"
    held = []
    for item in found.review_items:
        block = item["metadata"]["producer"][key]
        held += block["proposalIndices"]
        leads = [one["producer"][key] for one in item["spec"]["candidates"]]
        same = [entry for lead in leads for entry in lead.get("sameValueProposals", [])]
        indices = [entry["proposalIndex"] for entry in (*leads, *same)]
        assert sorted(indices) == block["proposalIndices"]
    assert sorted([*held, *excluded_indices(found)]) == list(range(len(extraction.proposals)))
