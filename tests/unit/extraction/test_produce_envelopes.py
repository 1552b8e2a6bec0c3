"""What a producer may write, judged by the stricter of the two levels.

Rows proven here, of the edge cases of extraction: 82 to 90, 93 (reading) and 95. Left to
test_envelope_writing: 91, to test_run_proposals: 92 and 93 (writing), to test_run_outcomes: 94.
"""

import copy
import json

import pytest
from tests.reference.samples import load, read, stems

from survey_fast import _core
from survey_fast.errors import EnvelopeError, JsonError, SurveyError
from survey_fast.extraction.envelope_check import check_produced
from survey_fast.extraction.prepared_artifact import build_prepared_artifact
from survey_fast.limits import ImportLimits

CAPS = ImportLimits().resolve()
CURRENT = stems("traverse/envelopes")
OLDER = stems("traverse/envelopes-0.25.1")
INVALID = load("traverse/envelopes-invalid.json")
# What an import takes from others as it was sent: twins of the attacks below.
ACCEPTED_FROM_OTHERS = {"em-old-version", "em-schema-disagrees", "cov-two-for-chunk"}
FIRST = "/result/proposals/0"


def envelope(name="success-rich"):
    return load(f"traverse/envelopes/{name}.json")


def produced(document):
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    return _core.validate_envelope(raw, "produce", CAPS)


def refusal_of(document, level="produce"):
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(SurveyError) as caught:
        _core.validate_envelope(raw, level, CAPS)
    return caught.value.code, caught.value.pointer


def is_imported(document):
    try:
        _core.validate_envelope(json.dumps(document).encode(), "import", CAPS)
    except SurveyError:
        return False
    return True


def mutated(mutation):
    document = envelope(mutation["basis"])
    *path, last = mutation["path"]
    place = document
    for step in path:
        place = place[step]
    if mutation["op"] == "set":
        place[last] = mutation["value"]
    else:
        del place[last]
    return document


def test_row_82_the_published_envelope_keeps_its_bytes():
    text = read("portable-extraction-result.v1.json").removesuffix(b"\n")
    assert produced(text) == text


@pytest.mark.parametrize("name", CURRENT)
def test_row_83_valid_envelopes_keep_their_bytes(name):
    text = read(f"traverse/envelopes/{name}.json")
    assert produced(text) == text
    assert produced(json.dumps(json.loads(text), indent=1).encode()) == text
    check_produced(text)


def test_row_83_all_of_the_envelopes_are_read():
    assert len(CURRENT) == 22


@pytest.mark.parametrize("mutation", INVALID["mutations"], ids=lambda one: one["name"])
def test_row_84_each_mutation_is_refused(mutation):
    assert produced(envelope(mutation["basis"]))
    document = mutated(mutation)
    code, pointer = refusal_of(document)
    assert code.startswith("envelope-")
    assert pointer is not None
    assert is_imported(document) == (mutation["name"] in ACCEPTED_FROM_OTHERS)


@pytest.mark.parametrize(
    ("name", "code", "pointer"),
    [
        ("em-old-version", "envelope-invalid-value", FIRST + "/evidenceMatch/checkerVersion"),
        ("em-schema-disagrees", "envelope-inconsistent", FIRST + "/evidenceMatch/schema"),
        ("cov-two-for-chunk", "envelope-inconsistent", "/result/coverage/2/chunk"),
    ],
)
def test_row_84_what_only_a_producer_is_refused_has_its_place(name, code, pointer):
    [mutation] = [one for one in INVALID["mutations"] if one["name"] == name]
    assert refusal_of(mutated(mutation)) == (code, pointer)


@pytest.mark.parametrize("case", INVALID["raw"], ids=lambda case: case["name"])
def test_row_85_what_is_no_lossless_json_is_refused(case):
    text = read(f"traverse/envelopes/{case['basis']}.json").decode()
    if case["replace"]:
        assert case["replace"][0] in text
        text = text.replace(*case["replace"], 1)
    raw = (text + case.get("append", "")).encode()
    with pytest.raises(JsonError):
        produced(raw)


def test_row_86_names_are_ordered_by_code_unit():
    document = envelope()
    proposal = document["result"]["proposals"][0]
    proposal["candidateValue"] = {"\uffff": 1, "\U0001f600": 2}
    for member in ("evidenceMatch", "valueType", "enumValues", "inferenceType"):
        proposal.pop(member, None)
    text = produced(document).decode()
    assert '"candidateValue":{"\U0001f600":2,"\uffff":1}' in text
    assert produced(text.encode()) == text.encode()


def test_row_87_a_success_may_account_for_its_chunks():
    document = envelope()
    length = document["result"]["preparedArtifact"]["contentLength"]
    document["result"]["coverage"] = [
        {"chunk": 1, "start": 0, "end": 100, "status": "complete"},
        {"chunk": 2, "start": 80, "end": length, "status": "complete"},
    ]
    assert produced(document)
    document["result"]["coverage"][1]["chunk"] = 1
    assert is_imported(document)
    assert refusal_of(document) == ("envelope-inconsistent", "/result/coverage/1/chunk")


def test_row_87_a_cut_off_tail_is_a_second_range_of_its_chunk():
    document = envelope("partial-content-truncated")
    coverage = document["result"]["coverage"]
    at = next(
        place for place, one in enumerate(coverage) if one.get("reason") == "content-truncated"
    )
    assert [one["chunk"] for one in coverage].count(coverage[at]["chunk"]) == 2
    assert produced(document)
    coverage[at]["start"] += 1
    assert is_imported(document)
    assert refusal_of(document) == ("envelope-inconsistent", f"/result/coverage/{at}/chunk")


def test_row_88_a_loss_needs_coverage_and_an_early_stop_does_not():
    lost = envelope("partial-provider-failure")
    assert produced(lost)
    del lost["result"]["coverage"]
    assert refusal_of(lost) == ("envelope-inconsistent", "/result/coverage")
    stopped = envelope("partial-max-chunks")
    stopped["result"].pop("coverage", None)
    assert produced(stopped)


def test_row_89_source_and_artifact_name_one_snapshot():
    document = envelope()
    document["source"]["snapshotRef"] = "snapshot:other"
    assert refusal_of(document) == ("envelope-inconsistent", "/source/snapshotRef")


def test_row_90_a_resolution_is_of_the_artifact_beside_it():
    document = envelope()
    own = document["result"]["preparedArtifact"]["ref"]
    state = {"status": "available", "requestedRef": own, "canonicalRef": own}
    document["result"]["preparedArtifactState"] = state
    assert produced(document)
    other = build_prepared_artifact("another text", mode="text", version="1")["ref"]
    state |= {"requestedRef": other, "canonicalRef": other}
    code, pointer = refusal_of(document)
    assert (code, pointer) == (
        "envelope-inconsistent",
        "/result/preparedArtifactState/canonicalRef",
    )


@pytest.mark.parametrize(("length", "is_valid"), [(128, True), (129, False)])
def test_row_93_a_failure_code_has_at_most_128_characters(length, is_valid):
    document = envelope("failure-provider")
    document["result"]["providerFailures"][0]["code"] = "C" * length
    if is_valid:
        assert produced(document)
    else:
        expected = ("envelope-invalid-value", "/result/providerFailures/0/code")
        assert refusal_of(document) == expected


@pytest.mark.parametrize("name", OLDER)
def test_row_95_older_envelopes_are_valid(name):
    document = load(f"traverse/envelopes-0.25.1/{name}.json")
    assert produced(document) == _core.validate_envelope(
        json.dumps(document).encode(), "import", CAPS
    )


def edited(place, name, value):
    document = envelope()
    inner = document["result"]["proposals"][0]
    for step in place:
        inner = inner[step]
    if value is None:
        del inner[name]
    else:
        inner[name] = value
    return document


@pytest.mark.parametrize(
    ("place", "name", "value", "expected"),
    [
        ((), "valueType", None, ("envelope-missing-member", "/valueType")),
        ((), "candidateValue", "Other", ("envelope-inconsistent", "/evidenceMatch/valueInExcerpt")),
        ((), "candidateValue", 5, ("envelope-inconsistent", "/evidenceMatch/schema")),
        (
            ("evidenceMatch",),
            "valueInExcerpt",
            "mismatch",
            ("envelope-inconsistent", "/evidenceMatch/valueInExcerpt"),
        ),
        (
            (),
            "valueNormalization",
            {"kind": "string-to-number", "from": "4"},
            ("envelope-unexpected-member", "/valueNormalization"),
        ),
        (
            (),
            "inferenceType",
            "inferred",
            ("envelope-inconsistent", "/evidenceMatch/valueInExcerpt"),
        ),
    ],
    ids=["no-type", "other-value", "other-kind", "flipped", "rewritten", "inferred"],
)
def test_annotations_that_do_not_hold_are_refused_when_written_and_carried_when_read(
    place, name, value, expected
):
    document = edited(place, name, value)
    assert is_imported(document)
    code, pointer = expected
    assert refusal_of(document) == (code, FIRST + pointer)


def test_a_proposal_may_lack_its_annotation():
    assert produced(edited((), "evidenceMatch", None))


def test_the_instant_of_extraction_has_a_zone():
    document = envelope()
    for text in ("yesterday", "2026-10-02", "2026-10-02T09:30:00", "2026-02-30T09:30:00Z"):
        document["result"]["extractedAt"] = text
        assert is_imported(document)
        assert refusal_of(document) == ("envelope-invalid-value", "/result/extractedAt")
    document["result"]["extractedAt"] = "2026-10-02T09:30:00+02:00"
    assert produced(document)


def test_every_evidence_verdict_of_the_vectors_can_be_written():
    document = envelope()
    first = copy.deepcopy(document["result"]["proposals"][0])
    for case in load("traverse/evidence-match.json")["valueInExcerpt"]:
        one = copy.deepcopy(first)
        units = len(case["excerpt"].encode("utf-16-le")) // 2
        one |= {"candidateValue": case["value"], "valueType": case["type"]}
        one["enumValues"] = case.get("enumValues") or []
        one.pop("inferenceType")
        if case["inferenceType"]:
            one["inferenceType"] = case["inferenceType"]
        one["provenance"] |= {"excerpt": case["excerpt"], "locator": f"chars:0-{units}"}
        one["provenance"]["occurrence"]["selected"]["end"] = units
        one["evidenceMatch"]["valueInExcerpt"] = case["expected"]
        document["result"]["proposals"] = [one]
        assert produced(document)


def test_a_level_that_is_none_is_misuse():
    with pytest.raises(ValueError, match="level"):
        _core.validate_envelope(b"{}", "strict", CAPS)
    with pytest.raises(EnvelopeError):
        produced({})
