"""What a caller may pass to an import, and what is misuse rather than bad data."""

import copy
from collections import OrderedDict
from types import MappingProxyType

import pytest
from tests.reference.record import SOURCE_KINDS
from tests.reference.samples import VENDOR_TARGET
from tests.unit.imports.samples import (
    TARGET,
    by_path,
    candidates,
    cases,
    envelope,
    prepared_text,
    proposal,
    put,
    refused,
    run,
    text_of,
    vendor,
)

from survey_fast import ImportResult, available_artifact, import_envelope, reimport
from survey_fast.errors import EnvelopeError, ImportRefusedError
from survey_fast.imports import import_from_bound_status, span_matches

TEXT = "Fee 48000, deposit 52000, term 24."


def three_fields():
    return envelope(
        TEXT,
        proposal("fee", 48000, TEXT, "48000"),
        proposal("deposit", 52000, TEXT, "52000"),
        proposal("term", 24, TEXT, "24"),
    )


def targets_of(result):
    return result.record["spec"]["claimTargets"]


def test_names_default_to_run_and_provider():
    result = import_envelope(vendor(), source_kind="web-page", claim_targets=[TARGET] * 3)
    assert result.record["metadata"] == {
        "name": vendor()["result"]["runId"],
        "producerNamespace": vendor()["result"]["provider"],
    }
    assert result.record["spec"]["sourceKind"] == "web-page"


@pytest.mark.parametrize("kind", [*SOURCE_KINDS, "structured-file"])
def test_source_kinds(kind):
    result = run(vendor(), source_kind=kind)
    assert {one["source"]["kind"] for one in candidates(result)} == {kind}


def test_names_are_stored_as_they_are():
    result = run(vendor(), import_name=" caf\u00e9 \U0001f600 ", producer_namespace='a"\\b')
    assert result.record["metadata"] == {
        "name": " caf\u00e9 \U0001f600 ",
        "producerNamespace": 'a"\\b',
    }


def test_mapping_gives_each_proposal_the_target_of_its_path():
    own = {"deposit": {**VENDOR_TARGET, "fieldOrBehavior": "security deposit"}}
    mapping = {"fee": VENDOR_TARGET, "term": VENDOR_TARGET, "unused": VENDOR_TARGET, **own}
    result = run(three_fields(), claim_targets=mapping)
    names = [target["fieldOrBehavior"] for target in targets_of(result)]
    assert names == ["fee", "security deposit", "term"]
    assert "fieldOrBehavior" not in VENDOR_TARGET


def test_mapping_may_be_a_read_only_view():
    mapping = MappingProxyType(
        {name: MappingProxyType(VENDOR_TARGET) for name in ("fee", "deposit", "term")}
    )
    assert run(three_fields(), claim_targets=mapping) == run(three_fields())


def test_mapping_that_lacks_paths_names_them_all():
    with pytest.raises(ImportRefusedError) as caught:
        run(three_fields(), claim_targets={"deposit": VENDOR_TARGET})
    assert caught.value.code == "import-target-invalid"
    assert "fee" in caught.value.message
    assert "term" in caught.value.message
    assert "deposit" not in caught.value.message


def test_mapping_by_a_path_that_needs_escaping():
    document = put(three_fields(), "/result/proposals/0/fieldPath", 'a/b~c"d\u00e9')
    mapping = dict.fromkeys(('a/b~c"dé', "deposit", "term"), VENDOR_TARGET)
    result = run(document, claim_targets=mapping)
    assert targets_of(result)[0]["fieldOrBehavior"] == 'a/b~c"d\u00e9'
    broken = {**mapping, 'a/b~c"d\u00e9': {**VENDOR_TARGET, "facet": ""}}
    expected = ("import-target-invalid", '/a~1b~0c"d\u00e9/facet')
    assert refused(run, document, claim_targets=broken) == expected


@pytest.mark.parametrize("count", [0, 2, 4])
def test_sequence_of_another_length(count):
    expected = ("import-target-invalid", "")
    assert refused(run, vendor(), claim_targets=[TARGET] * count) == expected
    assert refused(run, vendor(), claim_targets=(TARGET,) * count) == expected


def test_sequence_stands_for_itself():
    targets = [{**TARGET, "claimId": name} for name in "abc"]
    assert targets_of(run(vendor(), claim_targets=targets)) == targets
    assert run(vendor(), claim_targets=tuple(targets)) == run(vendor(), claim_targets=targets)
    expected = ("import-target-invalid", "/0/fieldOrBehavior")
    assert refused(run, vendor(), claim_targets=[VENDOR_TARGET] * 3) == expected


def test_no_proposals_need_no_targets():
    for targets in ({}, [], (), by_path):
        assert (
            run(vendor("success-empty"), claim_targets=targets).record["spec"]["claimTargets"] == []
        )


def test_callable_is_asked_once_for_each_proposal_in_order():
    asked = []

    def choose(proposed, index):
        asked.append((index, proposed["fieldPath"], proposed["candidateValue"]))
        proposed.clear()
        return by_path({"fieldPath": "all"}, index)

    result = run(text_of(three_fields()), claim_targets=choose)
    assert asked == [(0, "fee", 48000), (1, "deposit", 52000), (2, "term", 24)]
    assert result.record["spec"]["envelope"] == three_fields()


def test_callable_is_not_asked_about_a_refused_envelope():
    def never(*_):
        raise AssertionError

    with pytest.raises(EnvelopeError):
        run(put(vendor(), "/version", 2), claim_targets=never)


def test_callable_may_raise_what_it_likes():
    def broken(proposed, _):
        raise KeyError(proposed["fieldPath"])

    with pytest.raises(KeyError, match="fee"):
        run(vendor(), claim_targets=broken)


def test_callable_may_choose_wrongly():
    def blank(_, index):
        return {**TARGET, "facet": "" if index == 1 else "f"}

    expected = ("import-target-invalid", "/1/facet")
    assert refused(run, vendor(), claim_targets=blank) == expected


@cases(
    "options",
    {
        "no targets": ({"claim_targets": None},),
        "targets as text": ({"claim_targets": "fee"},),
        "targets as bytes": ({"claim_targets": b"{}"},),
        "a number for targets": ({"claim_targets": 3},),
        "a set of targets": ({"claim_targets": {"fee"}},),
        "a sequence of text": ({"claim_targets": ["fee", "fee", "fee"]},),
        "a callable of text": ({"claim_targets": lambda _, index: str(index)},),
        "a tuple inside": ({"claim_targets": {"fee": {**TARGET, "derivedFrom": ("a",)}}},),
        "a name that is none": ({"claim_targets": {1: TARGET}},),
        "source kind": ({"source_kind": None},),
        "import name": ({"import_name": 7},),
        "namespace": ({"producer_namespace": b"a"},),
        "artifact as text": ({"artifact": "the text"},),
        "artifact as a list": ({"artifact": [1]},),
        "artifact with bytes": (
            {"artifact": {"status": "available", "text": b"", "actualDigest": ""}},
        ),
        "limits": ({"limits": {"items": 3}},),
    },
)
def test_options_of_a_wrong_type(options):
    with pytest.raises((TypeError, AttributeError)) as caught:
        run(vendor(), **options)
    assert caught.type is TypeError


class Text(str):
    __slots__ = ()


def cycle():
    inside = []
    inside.append(inside)
    return inside


@cases(
    "document",
    {
        "tuple": ((),),
        "set": ({1},),
        "object": (object(),),
        "ordered": (OrderedDict(vendor()),),
        "number as a name": ({1: 2},),
        "tuple inside": (put(vendor(), "/result/proposals", ()),),
        "text of a subclass inside": (put(vendor(), "/format", Text("x")),),
        "bytes inside": (put(vendor(), "/format", b"x"),),
        "number as a name inside": (put(vendor(), "/source", {1: 2}),),
        "cycle": (cycle(),),
    },
)
def test_documents_of_a_wrong_type(document):
    with pytest.raises(TypeError):
        run(document)


@pytest.mark.parametrize("document", [[], None, 5, True, "[]", "null", b"1"], ids=ascii)
def test_documents_that_are_no_envelope(document):
    assert refused(run, document) == ("envelope-invalid-value", "")


def test_documents_as_any_kind_of_bytes():
    raw = text_of(vendor()).encode()
    assert run(raw) == run(bytearray(raw)) == run(memoryview(raw)) == run(vendor())


def test_options_are_keywords():
    with pytest.raises(TypeError):
        import_envelope(vendor(), "web-page", [TARGET] * 3)
    with pytest.raises(TypeError):
        import_envelope(vendor())


@cases(
    "options pointer",
    {
        "import name": ({"import_name": "a\ud800"}, ""),
        "namespace": ({"producer_namespace": "\udc00"}, ""),
        "source kind": ({"source_kind": "\udc00"}, ""),
        "target": ({"claim_targets": {"fee": {**TARGET, "facet": "\ud800"}}}, "/fee/facet"),
        "artifact": (
            {"artifact": {"status": "available", "text": "\ud800", "actualDigest": ""}},
            "/text",
        ),
    },
)
def test_half_a_surrogate_pair_in_an_option(options, pointer):
    assert refused(run, vendor(), **options) == ("json-lone-surrogate", pointer)


def test_available_artifact():
    text = "a\U0001f600"
    assert available_artifact(text)["text"] == text
    assert refused(available_artifact, "\ud800") == ("json-lone-surrogate", "")
    with pytest.raises(TypeError):
        available_artifact(b"a")


def test_artifact_may_be_a_read_only_view():
    artifact = available_artifact(prepared_text())
    assert run(vendor(), artifact=MappingProxyType(artifact)).is_verified
    assert run(vendor(), artifact=copy.deepcopy(artifact)).is_verified


def test_span_matches_counts_utf16_units():
    text = "a\U0001f600b"
    assert span_matches(text, 1, 3, "\U0001f600")
    assert span_matches(text, 3, 4, "b")
    for start, end, excerpt in [(0, 2, "a"), (1, 2, "\U0001f600"), (2, 3, ""), (3, 9, "b")]:
        assert not span_matches(text, start, end, excerpt)


def test_records_of_a_wrong_type():
    for document in ({}, None, 1):
        with pytest.raises(TypeError):
            reimport(document)
    with pytest.raises(TypeError):
        import_from_bound_status(vendor(), None, source_kind="web-page", claim_targets=by_path)


def test_results_are_values():
    result = run(vendor())
    assert result == ImportResult(result.record_bytes, result.items_bytes)
    with pytest.raises(AttributeError):
        result.record_bytes = b""
