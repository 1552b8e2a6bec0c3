"""Task specs and target fields.

Proven: 110, 111, 112, 113, 114 of the extraction's edge table, each as far as the check itself
goes; that no provider is called then is proven with the run. Beside them: the fields' own rules.
"""

import copy
import json
from pathlib import Path

import pytest

from survey_fast.errors import ExtractionError, JsonError, refusal
from survey_fast.extraction.target_schema import check_target_schema
from survey_fast.extraction.task_spec import (
    build_task_spec,
    check_task_spec,
    example_digest,
    task_digest,
)

VECTORS = Path(__file__).parents[2] / "vectors" / "traverse"
SPECS = {one["name"]: one for one in json.loads((VECTORS / "task-specs.json").read_text())["specs"]}
LEGACY = VECTORS / "upstream" / "legacy-locale-digest-task-spec.en-US.json"
META = [{"path": "meta", "type": "object"}]


def as_it_is(content, content_type):
    assert content_type == "text"
    return content


def check(spec, **options):
    schema = options.pop("schema") if "schema" in options else spec["targetSchema"]
    return check_task_spec(spec, schema, prepare=as_it_is, **options)


def whole():
    return copy.deepcopy(SPECS["with-example"]["spec"])


def again(spec):
    """The same task with digests that hold."""
    for example in spec.get("examples", []):
        example["digest"] = example_digest(example)
    spec["digest"] = task_digest(spec)
    return spec


def refused(spec, pointer, **options):
    assert check(whole()).task_digest
    with pytest.raises(ExtractionError) as caught:
        check(spec, **options)
    assert (caught.value.code, caught.value.pointer) == ("INVALID_TASK", pointer)


@pytest.mark.parametrize("name", [name for name in SPECS if "spec" in SPECS[name]])
def test_pinned_digests_hold(name):
    spec = SPECS[name]["spec"]
    checked = check(spec)
    assert checked.task_digest == spec["digest"]
    assert checked.example_digests == tuple(one["digest"] for one in spec.get("examples", []))
    assert checked.legacy == ()


def test_row_110_key_order_does_not_count():
    pinned = next(one for one in SPECS.values() if "draft" in one)
    draft = pinned["draft"]
    built = build_task_spec(
        version=draft["version"],
        target_schema=draft["targetSchema"],
        examples=draft["examples"],
    )
    assert built["digest"] == pinned["expectedDigest"]
    assert built["examples"][0]["digest"] == pinned["expectedExampleDigest"]
    turned = copy.deepcopy(built)
    example = turned["examples"][0]
    value = example["proposals"][0]["candidateValue"]
    example["proposals"][0]["candidateValue"] = dict(reversed(value.items()))
    assert check(turned).task_digest == pinned["expectedDigest"]


def test_row_111_empty_guidance_is_not_absent():
    empty, absent = SPECS["empty-guidance-counts"]["spec"], SPECS["schema-only"]["spec"]
    assert {k: v for k, v in empty.items() if k not in {"guidance", "digest"}} == {
        k: v for k, v in absent.items() if k != "digest"
    }
    assert check(empty).task_digest != check(absent).task_digest
    refused({**absent, "guidance": ""}, "/digest", schema=absent["targetSchema"])


@pytest.mark.parametrize(
    ("member", "value"),
    [("excerpt", "Dues: 13"), ("excerpt", ""), ("candidateValue", "12"), ("fieldPath", "due")],
    ids=["excerpt absent", "excerpt empty", "value of another type", "unknown path"],
)
def test_row_112_an_example_that_does_not_hold(member, value):
    spec = whole()
    spec["examples"][0]["proposals"][0][member] = value
    refused(again(spec), f"/examples/0/proposals/0/{member}")


def test_row_113_schema_compared_canonically():
    spec = SPECS["with-example"]["spec"]
    schema = [dict(reversed(spec["targetSchema"][0].items()))]
    assert check(spec, schema=schema).spec == spec
    both = [*spec["targetSchema"], {"path": "b", "type": "string"}]
    two = again({**whole(), "targetSchema": both})
    assert check(two)
    refused(two, "/targetSchema", schema=list(reversed(both)))


def test_row_114_all_zero_digest_is_refused():
    refused({**whole(), "digest": f"sha256:{'0' * 64}"}, "/digest")


def test_the_first_fault_in_the_fixed_order_counts():
    spec = whole()
    spec["version"] = " \t"
    spec["examples"][0]["proposals"][0]["excerpt"] = "Dues: 13"
    refused(spec, "/version", schema=META)
    spec["version"] = "1"
    refused(spec, "/targetSchema", schema=META)
    refused(spec, "/digest")
    spec["digest"] = task_digest(spec)
    refused(spec, "/examples/0/digest")


def test_a_locale_digest_is_refused_unless_accepted_and_then_named():
    spec = json.loads(LEGACY.read_text())
    refused(spec, "/digest")
    checked = check(spec, accept_legacy_digest=True)
    assert checked.legacy == ("/digest", "/examples/0/digest")
    assert checked.task_digest == spec["digest"]
    assert check(whole(), accept_legacy_digest=True).legacy == ()


def test_accepting_old_digests_accepts_nothing_else():
    spec = whole()
    spec["examples"][0]["proposals"][0]["excerpt"] = "Dues: 13"
    refused(spec, "/examples/0/proposals/0/excerpt", accept_legacy_digest=True)


def test_an_example_that_cannot_be_prepared():
    def fails(_content, _type):
        raise refusal("INVALID_SOURCE", "no text")

    spec = whole()
    assert check(spec)
    with pytest.raises(ExtractionError) as caught:
        check_task_spec(spec, spec["targetSchema"], prepare=fails)
    assert (caught.value.code, caught.value.pointer) == ("INVALID_TASK", "/examples/0/content")


def test_an_excerpt_is_looked_for_in_the_first_32000_units_of_an_example():
    spec = whole()
    example = spec["examples"][0]
    example["content"] = "\U0001f600" * 15_996 + "Dues: 12"
    assert check(again(spec))
    example["content"] = "\U0001f600" * 15_997 + "Dues: 12"
    refused(again(spec), "/examples/0/proposals/0/excerpt")


def test_an_empty_content_type_counts_as_none():
    example = whole()["examples"][0]
    assert example_digest({**example, "contentType": ""}) == example["digest"]
    assert example_digest({**example, "contentType": "text"}) != example["digest"]


def test_members_outside_the_rule_are_not_covered():
    spec = {**whole(), "note": 1}
    assert check(spec).task_digest == whole()["digest"]


@pytest.mark.parametrize(
    ("spec", "pointer"),
    [
        ([], ""),
        ({}, ""),
        ({"version": 1, "targetSchema": [], "digest": ""}, "/version"),
        ({"version": "1", "targetSchema": [], "digest": "sha256:0"}, "/digest"),
        ({"version": "1", "targetSchema": [], "digest": None}, "/digest"),
        ({"version": "1", "targetSchema": [], "digest": "0" * 64}, "/digest"),
    ],
    ids=["array", "empty", "version", "short digest", "null digest", "bare digest"],
)
def test_a_task_of_another_shape(spec, pointer):
    refused(spec, pointer, schema=[])


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("content", 1),
        ("contentType", "pdf"),
        ("proposals", {}),
        ("digest", "sha256:" + "A" * 64),
    ],
)
def test_an_example_of_another_shape(member, value):
    spec = whole()
    spec["examples"][0][member] = value
    refused(spec, f"/examples/0/{member}")


def test_a_task_that_is_no_lossless_json():
    text = json.dumps(whole())
    assert check_task_spec(text, whole()["targetSchema"], prepare=as_it_is)
    for number in ("-0", "NaN", "9007199254740993"):
        with pytest.raises(JsonError):
            check_task_spec(
                text.replace('"candidateValue": 12', f'"candidateValue": {number}'),
                whole()["targetSchema"],
                prepare=as_it_is,
            )


FIELD = {"path": "a", "type": "enum", "enumValues": ["x"], "description": "d", "required": True}


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({}, ""),
        ([1], "/0"),
        ([{"path": "a"}], "/0"),
        ([{**FIELD, "more": 1}], "/0"),
        ([{**FIELD, "path": "\u00a0"}], "/0/path"),
        ([{**FIELD, "path": None}], "/0/path"),
        ([{**FIELD, "type": "text"}], "/0/type"),
        ([{**FIELD, "type": ["string"]}], "/0/type"),
        ([{**FIELD, "enumValues": ["x", 1]}], "/0/enumValues/1"),
        ([{**FIELD, "enumValues": "x"}], "/0/enumValues"),
        ([{**FIELD, "description": None}], "/0/description"),
        ([{**FIELD, "required": 1}], "/0/required"),
        ([{**FIELD, "inferenceType": "guess"}], "/0/inferenceType"),
        ([FIELD, {"path": "a", "type": "string"}], "/1/path"),
        ([{"path": f"p{n}", "type": "string"} for n in range(129)], ""),
    ],
    ids=range(15),
)
def test_fields_that_are_refused(schema, pointer):
    assert check_target_schema([FIELD, {"path": "b", "type": "object"}])
    with pytest.raises(ExtractionError) as caught:
        check_target_schema(schema)
    assert (caught.value.code, caught.value.pointer) == ("INVALID_TASK", pointer)


def test_128_fields_and_none_at_all_are_fields():
    assert check_target_schema([]) == []
    assert len(check_target_schema([{"path": f"p{n}", "type": "date"} for n in range(128)])) == 128
