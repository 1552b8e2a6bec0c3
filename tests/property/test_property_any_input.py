"""Any input at all gives a value or a ``SurveyError``, and whatever is read is read for good."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.extractions import extractions
from tests.property.strategies import any_bytes, damaged, damaged_bytes, outcome, respelled, values
from tests.unit.attest.samples import SESSION, bound, imported, opened
from tests.unit.trust.bundles import whole

from survey_fast import (
    attest_review_queue_extraction,
    bind_review_queue,
    draw_random_audit_sample,
    import_envelope,
    open_review_queue,
    resolution_identity,
    review_items,
    validate_import,
    validate_review_queue_binding,
)
from survey_fast.canon import canonical_digest, canonical_json
from survey_fast.errors import CODES, SurveyError
from survey_fast.imports import span_matches
from survey_fast.trust.report import build_trust_report
from survey_fast.trust.status import derive_claim_statuses
from survey_fast.trust.validation import validate_trust_bundle

TARGETS = {"fee": {}}
RESULT = imported()
SNAPSHOT = opened(RESULT)
BINDING = bound(SNAPSHOT)
NOW = "2026-10-01T09:00:00.000Z"
AT = {"session_name": SESSION, "bound_at": "2026-10-01T09:00:00.000Z"}

READERS = {
    "canonical": canonical_json,
    "collated": lambda document: canonical_json(document, "collated"),
    "as stored": lambda document: canonical_json(document, "as-stored", lossless=True),
    "digest": canonical_digest,
    "import": lambda document: import_envelope(
        document, source_kind="web-page", claim_targets=TARGETS
    ),
    "record": validate_import,
    "items": review_items,
    "bind": lambda document: bind_review_queue(document, **AT),
    "bound snapshot": lambda document: validate_review_queue_binding(BINDING, document),
    "binding": lambda document: validate_review_queue_binding(document, SNAPSHOT),
    "open": lambda document: open_review_queue(document, reviewed_at="t", actor_id="a"),
    "attested queue": lambda document: attest_review_queue_extraction(document, RESULT),
    "attested record": lambda document: attest_review_queue_extraction(SNAPSHOT, document),
    "queue alone": attest_review_queue_extraction,
    "bundle": validate_trust_bundle,
    "written bundle": lambda document: validate_trust_bundle(document, version="2", writing=True),
    "statuses": lambda document: derive_claim_statuses(document, now=NOW),
    "exact statuses": lambda document: derive_claim_statuses(document, now=NOW, version="4"),
    "report": lambda document: build_trust_report(document, now=NOW, version="2"),
}
GENUINE = {
    "import": st.deferred(lambda: extractions(2)).map(lambda one: one.envelope),
    "record": st.just(RESULT.record),
    "binding": st.just(BINDING),
    "queue": st.sampled_from([SNAPSHOT, RESULT.review_items]),
    "bundle": st.sampled_from([whole(5), whole(9)]),
}


def value_or_refusal(act, document, *more):
    """Anything but a ``SurveyError`` with a known code escapes and fails the test."""
    try:
        act(document, *more)
    except SurveyError as refusal:
        told = refusal
    else:
        return
    offset = told.details.get("offset", 0)
    assert told.code in CODES
    assert told.message.strip()
    assert 0 <= offset <= (len(document) if isinstance(document, bytes) else offset)


def read_everywhere(document):
    for read in READERS.values():
        value_or_refusal(read, document)


@given(any_bytes)
def test_any_bytes(document):
    read_everywhere(document)


@given(values().filter(lambda value: not isinstance(value, str)))
def test_any_plain_data(document):
    read_everywhere(document)


@given(st.text(max_size=30) | st.text('\ud800\udfff"{[:,]}0', max_size=8))
def test_any_text(document):
    read_everywhere(document)


@given(st.data(), st.sampled_from(list(GENUINE)))
def test_damaged_documents_of_every_kind(data, kind):
    genuine = data.draw(GENUINE[kind])
    broken = data.draw(damaged(genuine, values()))
    read_everywhere(data.draw(damaged_bytes(respelled(genuine, 3))))
    if not isinstance(broken, str):
        read_everywhere(broken)


@given(any_bytes)
def test_what_was_read_is_read_again_as_itself(document):
    for profile in ("jcs", "as-stored"):
        written = outcome(canonical_json, document, profile)
        if isinstance(written, bytes):
            assert canonical_json(written, profile, lossless=True) == written


@given(
    st.lists(st.text("a\ud800\U0001f600", max_size=2), max_size=3),
    st.floats() | st.integers(),
    st.text(max_size=3),
)
def test_any_options_of_a_draw(names, rate, seed):
    def act(names):
        draw_random_audit_sample(names, rate=rate, seed=seed)

    value_or_refusal(act, names)


@given(st.integers() | st.integers(-2, 9))
def test_any_proposal_index(index):
    def act(record):
        resolution_identity(record, index, new_uuid=lambda: "u")

    value_or_refusal(act, RESULT)


@given(
    st.text("a\u00e9\U0001f600", max_size=5),
    st.integers(-3, 9) | st.integers(),
    st.integers(-3, 9) | st.integers(),
    st.text("a\u00e9\U0001f600", max_size=3),
)
def test_any_span(text, start, end, excerpt):
    if not 0 <= start <= end <= 2 * len(text):
        assert span_matches(text, start, end, excerpt) is False
    else:
        assert span_matches(text, start, end, excerpt) in {True, False}


def test_numbers_that_are_no_rate():
    for rate in (math.nan, math.inf, 10**400):
        with pytest.raises(SurveyError, match="audit-options-invalid"):
            draw_random_audit_sample([], rate=rate, seed="s")
