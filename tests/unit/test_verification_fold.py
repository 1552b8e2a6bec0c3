"""Folding the records of one candidate: 20-import.md 11.5, rows 81 and 82."""

import dataclasses
import itertools
from types import SimpleNamespace

import pytest

from survey_fast.errors import VerificationError
from survey_fast.imports.verification import (
    build_candidate_verification,
    fold_candidate_verifications,
)

EVIDENCE = [{"id": "ev-1", "excerpt": "Fee: 48000", "locator": "chars:0-10"}]
OTHER_EVIDENCE = [{"id": "ev-9", "excerpt": "Fee", "locator": "chars:50-53"}]
SUBJECT = {"candidateId": "fee.proposed", "value": 48000}
ASKED = {**SUBJECT, "evidence": EVIDENCE}
SUPPORTED = {"result": "supported"}
CONTRADICTED = {"result": "contradicted"}
TIMEOUT = {"result": "abstain", "abstainReason": "timeout"}
ERROR = {"result": "abstain", "abstainReason": "error"}


def record(verdict, version="1", **changes):
    return build_candidate_verification(
        SimpleNamespace(id="judge", version=version, method="model"),
        {**ASKED, **changes},
        verdict,
        created_at="2026-09-28T12:00:00.000Z",
    ).to_json()


def ids(records):
    return [entry.id for entry in records]


def test_row_81_a_record_about_the_text_says_nothing_about_the_number():
    fold = fold_candidate_verifications(SUBJECT, [record(SUPPORTED, value="48000")])
    assert fold.status == "not-evaluated"
    assert fold.applicable == ()
    assert [entry.reason for entry in fold.inapplicable] == ["value-changed"]


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        ([TIMEOUT, ERROR], "abstained"),
        ([TIMEOUT, SUPPORTED], "evaluated"),
        ([CONTRADICTED, SUPPORTED], "evaluated"),
        ([], "not-evaluated"),
    ],
)
def test_row_82_the_status_counts_abstentions_and_verdicts(verdicts, status):
    fold = fold_candidate_verifications(SUBJECT, [record(verdict) for verdict in verdicts])
    assert fold.status == status
    assert len(fold.applicable) == len(verdicts)


def test_a_record_about_another_value_does_not_count_towards_the_status():
    records = [record(TIMEOUT), record(SUPPORTED, value=52000)]
    assert fold_candidate_verifications(SUBJECT, records).status == "abstained"


@pytest.mark.parametrize(
    ("subject", "changes", "reason"),
    [
        (SUBJECT, {"candidateId": "other", "value": 1}, "other-candidate"),
        (ASKED, {"value": 1, "evidence": OTHER_EVIDENCE}, "value-changed"),
        (ASKED, {"evidence": OTHER_EVIDENCE}, "input-changed"),
        (ASKED, {"valueType": "number"}, "input-changed"),
        (SUBJECT, {"valueType": "number"}, None),
        (SUBJECT, {"evidence": OTHER_EVIDENCE}, None),
        (ASKED, {}, None),
        ({**SUBJECT, "value": 48000.0}, {}, None),
    ],
)
def test_the_first_difference_is_the_reason(subject, changes, reason):
    fold = fold_candidate_verifications(subject, [record(SUPPORTED, **changes)])
    assert [entry.reason for entry in fold.inapplicable] == ([] if reason is None else [reason])
    assert len(fold.applicable) == (1 if reason is None else 0)


def test_records_fold_once_and_come_out_by_id_whatever_their_order():
    about_it = [record(verdict, str(place)) for place, verdict in enumerate([SUPPORTED, TIMEOUT])]
    not_about_it = [record(SUPPORTED, value=1), record(SUPPORTED, candidateId="other")]
    folds = {
        fold_candidate_verifications(SUBJECT, [*order, *order])
        for order in itertools.permutations([*about_it, *not_about_it])
    }
    (fold,) = folds
    assert ids(fold.applicable) == sorted(entry["id"] for entry in about_it)
    assert [entry.record.id for entry in fold.inapplicable] == sorted(
        entry["id"] for entry in not_about_it
    )


def test_an_entry_that_does_not_validate_is_rejected_at_its_place():
    forged = {**record(TIMEOUT), "result": "supported"}
    del forged["abstainReason"]
    entries = [None, record(SUPPORTED), forged, "text", {**record(SUPPORTED), "score": -0.0}]
    fold = fold_candidate_verifications(SUBJECT, entries)
    assert fold.status == "evaluated"
    assert [(entry.index, entry.reason, entry.pointer) for entry in fold.rejected] == [
        (0, "verification-record-invalid", ""),
        (2, "verification-record-invalid", "/id"),
        (3, "verification-record-invalid", ""),
        (4, "json-negative-zero", "/score"),
    ]


def test_an_entry_that_holds_a_record_as_text_is_rejected():
    built = build_candidate_verification(
        SimpleNamespace(id="judge", version="1", method="human"),
        ASKED,
        SUPPORTED,
        created_at="2026-09-28T12:00:00.000Z",
    )
    fold = fold_candidate_verifications(SUBJECT, [built.model_dump_json(by_alias=True), built])
    assert [entry.index for entry in fold.rejected] == [0]
    assert fold.applicable == (built,)


def test_opposite_verdicts_stand_side_by_side():
    fold = fold_candidate_verifications(SUBJECT, [record(SUPPORTED), record(CONTRADICTED)])
    assert {entry.result for entry in fold.applicable} == {"supported", "contradicted"}


def test_a_fold_cannot_be_changed():
    fold = fold_candidate_verifications(SUBJECT, [record(SUPPORTED), record(SUPPORTED, value=1), 0])
    parts = (fold, fold.inapplicable[0], fold.rejected[0])
    for part in parts:
        for field in dataclasses.fields(part):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(part, field.name, None)
    assert isinstance(fold.applicable, tuple)


@pytest.mark.parametrize(
    ("subject", "pointer"),
    [
        ({"candidateId": "fee.proposed"}, "/value"),
        ({"value": 1}, "/candidateId"),
        ({**SUBJECT, "evidence": []}, "/evidence"),
        ({**SUBJECT, "evidence": None}, "/evidence"),
        ([], ""),
    ],
)
def test_a_subject_of_the_wrong_shape_is_refused(subject, pointer):
    with pytest.raises(VerificationError) as caught:
        fold_candidate_verifications(subject, [])
    assert (caught.value.code, caught.value.pointer) == ("verification-input-invalid", pointer)


@pytest.mark.parametrize("records", [{}, "[]", b"", None, [object()]])
def test_records_that_are_no_list_of_data_are_misuse(records):
    with pytest.raises(TypeError):
        fold_candidate_verifications(SUBJECT, records)
