"""The task file.

Proven: rows 1, 2 (the refusal), 3 and 4 (equal tasks have equal canonical text) of the runs' edge
table. Left to the run: that no directory is made (2), run ids (4, 5), a field type with a model
(103). Beside them: a field without a projection is refused before anything is paid for.
"""

import copy
import json
from pathlib import Path

import pytest

from survey_fast.errors import ExtractionError, JsonError, SurveyError
from survey_fast.extraction.task import read_task
from survey_fast.extraction.task_spec import check_task_spec

EXAMPLES = Path(__file__).parents[2] / "vectors" / "fieldwork-examples"
TASKS = {path.parent.name: path for path in sorted(EXAMPLES.glob("*/*/task.json"))}
CAPTURE = "([^\\n]+)"


def task():
    return json.loads(TASKS["vendor-obligations"].read_text())


def put(pointer, value):
    whole = task()
    *steps, last = pointer.split("/")[1:]
    at = whole
    for step in steps:
        at = at[int(step) if isinstance(at, list) else step]
    at[int(last) if isinstance(at, list) else last] = value
    return whole


def refused(whole, pointer):
    assert read_task(task()).name == "vendor-renewal-review"
    with pytest.raises(ExtractionError) as caught:
        read_task(whole)
    assert (caught.value.code, caught.value.pointer) == ("INVALID_TASK", pointer)


@pytest.mark.parametrize("name", TASKS)
def test_published_tasks_are_read(name):
    read = read_task(TASKS[name].read_bytes())
    assert read.document == json.loads(TASKS[name].read_text())
    oracle = TASKS[name].with_name("oracle.json")
    if oracle.exists():
        stored = json.loads(oracle.read_text())
        replay = stored.get("replay") or stored.get("execution") or {}
        assert replay.get("taskDigest", read.task_spec["digest"]) == read.task_spec["digest"]


def test_the_spec_of_a_task_checks_against_its_fields():
    read = read_task(task())
    checked = check_task_spec(
        dict(read.task_spec), read.target_schema, prepare=lambda text, _: text
    )
    assert checked.task_digest == read.task_spec["digest"]
    assert checked.example_digests == ()


def test_every_field_has_a_claim_target():
    read = read_task(task())
    targets = read.claim_targets()
    assert list(targets) == [one["path"] for one in read.target_schema]
    assert targets["renewal.date"] == {
        "subjectType": "vendor-agreement",
        "subjectId": "northstar-analytics-2027",
        "facet": "renewal",
        "claimType": "field",
        "fieldOrBehavior": "renewal.date",
        "impactLevel": "high",
    }


def test_row_001_projection_for_an_undeclared_path():
    refused(put("/spec/projections/1/fieldPath", "renewal"), "/spec/projections/1/fieldPath")


def test_row_002_two_projections_with_one_path():
    refused(put("/spec/projections/1/fieldPath", "vendor.name"), "/spec/projections/1/fieldPath")


@pytest.mark.parametrize(
    "pattern",
    [
        "Status: ((a+)+)$",
        f": {CAPTURE}",
        f"Status:{CAPTURE}",
        f"Status : {CAPTURE}$",
        f"^Status: {CAPTURE}",
        f"Status: {CAPTURE}\n",
        f"St\u00e4tus: {CAPTURE}",
        f"(Status): {CAPTURE}",
        "Status: (.+)",
        "Status: ([^\n]+)",
    ],
    ids=range(10),
)
def test_row_003_patterns_outside_the_form(pattern):
    refused(put("/spec/projections/0/pattern", pattern), "/spec/projections/0/pattern")


@pytest.mark.parametrize("name", ["subjectType", "subjectId", "facet", "claimType"])
@pytest.mark.parametrize("blank", ["", " ", "\n", "\u00a0\t", "\ufeff"])
def test_a_claim_is_about_something_before_anybody_is_asked(name, blank):
    place = f"/spec/projections/1/claim/{name}"
    refused(put(place, blank), place)
    assert read_task(put(place, f"{blank}x")).projections[1].claim[name] == f"{blank}x"


def test_row_004_reordered_members_are_the_same_task():
    turned = dict(reversed(task().items()))
    turned["spec"] = dict(reversed(turned["spec"].items()))
    assert read_task(turned).canonical == read_task(task()).canonical
    other = put("/spec/projections/0/claim/subjectId", "another")
    assert read_task(other).canonical != read_task(task()).canonical


def test_a_field_without_a_projection():
    whole = task()
    del whole["spec"]["projections"][2]
    refused(whole, "/spec/traverse/targetSchema/2/path")


def test_a_label_holds_what_labels_hold():
    whole = put("/spec/projections/0/pattern", f"A z_0./-: {CAPTURE}")
    assert read_task(whole).projections[0].label == "A z_0./-"


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/apiVersion", "fieldwork.kontourai.io/v1"),
        ("/kind", "Task"),
        ("/metadata/name", "Vendor"),
        ("/metadata/name", "-a"),
        ("/metadata/name", "a" * 129),
        ("/metadata/name", "a\n"),
        ("/metadata/name", None),
        ("/spec/traverse/version", ""),
        ("/spec/traverse/version", "\u00a0"),
        ("/spec/traverse/version", "v" * 4097),
        ("/spec/traverse/version", "\U0001f600" * 2049),
        ("/spec/traverse/guidance", ""),
        ("/spec/traverse/targetSchema", []),
        ("/spec/traverse/targetSchema/0/path", "p" * 4097),
        ("/spec/traverse/targetSchema/0/path", " "),
        ("/spec/traverse/targetSchema/0/type", "text"),
        ("/spec/traverse/targetSchema/0/description", ""),
        ("/spec/traverse/targetSchema/0/enumValues", ["x"] * 257),
        ("/spec/traverse/targetSchema/1/path", "vendor.name"),
        ("/spec/projections", []),
        ("/spec/projections/0/pattern", "a" * 505 + f": {CAPTURE}"),
        ("/spec/projections/0/claim/subjectId", ""),
        ("/spec/projections/0/claim/impactLevel", "none"),
    ],
    ids=range(23),
)
def test_values_that_are_refused(pointer, value):
    refused(put(pointer, value), pointer)


def test_words_of_a_field_are_bounded():
    refused(
        put("/spec/traverse/targetSchema/3/enumValues/1", ""),
        "/spec/traverse/targetSchema/3/enumValues/1",
    )


@pytest.mark.parametrize(
    "pointer",
    [
        "",
        "/metadata",
        "/spec",
        "/spec/traverse",
        "/spec/traverse/targetSchema/0",
        "/spec/projections/0",
        "/spec/projections/0/claim",
    ],
)
def test_every_object_is_closed(pointer):
    refused(put(f"{pointer}/more", 1), pointer)


@pytest.mark.parametrize("whole", [b"[]", b"null", b'"task"', b"1"])
def test_what_is_no_task(whole):
    refused(whole, "")


def test_a_task_file_of_256_kib_and_one_byte_more():
    text = json.dumps(task()).encode()
    full = text + b" " * (262_144 - len(text))
    assert read_task(full).name
    with pytest.raises(JsonError) as caught:
        read_task(full + b" ")
    assert caught.value.code == "json-size"


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"\xff", b'{"a":1,"a":2}', b'{"a":"\\ud800"}', b"[" * 200, b'{"a":1e400}'],
    ids=range(7),
)
def test_text_that_is_no_strict_json(text):
    with pytest.raises(SurveyError):
        read_task(text)


def test_128_fields_are_the_most():
    whole = task()
    traverse, claim = whole["spec"]["traverse"], whole["spec"]["projections"][0]["claim"]

    def of(count):
        grown = copy.deepcopy(whole)
        paths = [f"p{n}" for n in range(count)]
        grown["spec"]["traverse"] = {
            **traverse,
            "targetSchema": [{"path": path, "type": "string"} for path in paths],
        }
        grown["spec"]["projections"] = [
            {"fieldPath": path, "pattern": f"{path}: {CAPTURE}", "claim": claim} for path in paths
        ]
        return grown

    assert len(read_task(of(128)).projections) == 128
    refused(of(129), "/spec/traverse/targetSchema")
