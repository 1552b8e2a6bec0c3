"""``run.json``: closed, canonical, and what it says of itself holds.

Every member of the manifest is left out, exchanged for values of every other type, and joined by
one that nobody knows. A twin of each edit, with and without a log that follows, is in
``tests/tamper/test_tamper_run.py``.
"""

import copy
import json

import pytest
from tests.unit.runs.samples import conflict, refused

from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.runs.create import run_files
from survey_fast.runs.identity import OFFLINE, run_identity
from survey_fast.runs.manifest import manifest_bytes, read_manifest

SAMPLE = conflict()
RAW = run_files(SAMPLE.order, SAMPLE.order.identity(), SAMPLE.extracted)["run.json"]
GOOD = json.loads(RAW)


def edited(change):
    document = copy.deepcopy(GOOD)
    change(document)
    return canonical_json(document) + b"\n"


def put(value, *path):
    def change(document):
        *parents, last = path
        for name in parents:
            document = document[name]
        document[last] = value

    return change


def invalid(raw):
    return refused("INVALID_RUN", read_manifest, raw).pointer


def members(value=GOOD, path=()):
    """Every place that the manifest's own shape reaches; what lies below has another owner."""
    for name, one in value.items():
        yield (*path, name)
        is_own = name in {"source", "provider", "preparedArtifact", "extraction", "round"}
        if is_own:
            yield from members(one, (*path, name))


PLACES = list(members())
OPTIONAL = {("extraction",)}
# Whether an empty queue is empty, and a text that long, is for the other files to say.
OF_THE_SHAPE = {
    (("round", "binding"), "None"),
    (("preparedArtifact", "contentLength"), "0"),
    (("preparedArtifact", "ref"), "'x'"),
    (("provider", "options"), "{}"),
}


def pointer_of(path):
    return "".join(f"/{name}" for name in path)


def test_it_reads_what_it_wrote():
    manifest = read_manifest(RAW)
    assert manifest_bytes(manifest.document) == manifest.raw == RAW
    assert (manifest.run_id, manifest.created_at) == (SAMPLE.run_id, SAMPLE.order.created_at)
    assert manifest.resource == f"survey-fast-run:v1:own-task:{SAMPLE.run_id}"
    assert manifest.import_name == f"survey-fast-import:own-task:{SAMPLE.run_id}"
    assert manifest.binding["spec"]["snapshotHash"] == manifest.round["snapshotHash"]
    assert manifest.task.canonical == SAMPLE.order.task.canonical


@pytest.mark.parametrize("path", PLACES, ids=pointer_of)
def test_no_member_may_be_missing(path):
    def drop(document):
        *parents, last = path
        for name in parents:
            document = document[name]
        del document[last]

    if path in OPTIONAL:
        assert read_manifest(edited(drop)).extraction is None
    else:
        assert invalid(edited(drop)) == pointer_of(path)


@pytest.mark.parametrize("path", PLACES, ids=pointer_of)
@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", " ", "x", [], {}], ids=repr)
def test_no_member_may_be_anything_else(path, value):
    if (path, repr(value)) in OF_THE_SHAPE:
        read_manifest(edited(put(value, *path)))
        return
    pointer = invalid(edited(put(value, *path)))
    assert pointer.startswith(pointer_of(path)) or pointer in {"/runId", "/runResource"}


@pytest.mark.parametrize(
    "path", [(), ("source",), ("provider",), ("preparedArtifact",), ("extraction",), ("round",)]
)
@pytest.mark.parametrize(("name", "token"), [("more", "more"), ("a/b~c", "a~1b~0c")])
def test_no_object_takes_a_member_that_nobody_knows(path, name, token):
    assert invalid(edited(put(1, *path, name))) == f"{pointer_of(path)}/{token}"


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        (("format",), "another-run", "/format"),
        (("schemaVersion",), 2, "/schemaVersion"),
        (("runId",), "0" * 16, "/runResource"),
        (("runResource",), "survey-fast-run:v1:other:0000000000000000", "/runResource"),
        (("createdAt",), "2026-01-15T07:00:00Z", "/createdAt"),
        (("createdAt",), "2026-02-30T07:00:00.000Z", "/createdAt"),
        (("files", "queue"), "elsewhere.json", "/files"),
        (("files", "more"), "more.json", "/files"),
        (("preparedArtifact", "contentLength"), 5_000_001, "/preparedArtifact/contentLength"),
        (("preparedArtifact", "contentLength"), -1, "/preparedArtifact/contentLength"),
        (("preparedArtifact", "digest"), "A" * 64, "/preparedArtifact/digest"),
        (("provider", "options"), {"again": 0}, "/provider/options"),
        (("provider", "options"), {"again": True}, "/provider/options"),
        (("provider", "options"), {"again": None}, "/provider/options"),
        (("provider", "options"), {"deep": {}}, "/provider/options"),
        (("provider", "options"), {"size": 1}, "/runId"),
        (("provider", "model"), "m", "/runId"),
        (("source", "digest"), "0" * 64, "/runId"),
        (("source", "kind"), "forage-snapshot", "/runId"),
        (("source", "kind"), "elsewhere", "/source/kind"),
        (("extraction", "importName"), "survey-fast-import:own-task:0", "/extraction/importName"),
        (("extraction", "producerNamespace"), "else", "/extraction/producerNamespace"),
        (("extraction", "sourceKind"), "api-record", "/extraction/sourceKind"),
        (("extraction", "importStatus", "provenance"), "unverified", "/extraction/importStatus"),
        (("extraction", "importStatus", "state"), [], "/extraction/importStatus"),
        (("extraction", "importStatus", "more"), 1, "/extraction/importStatus"),
        (("extraction", "importStatus", "diagnostics"), [1], "/extraction/importStatus"),
        (("round", "kind"), "second", "/round/kind"),
        (("round", "snapshotHash"), "0" * 64, "/round/binding"),
        (("round", "binding"), {}, "/round/binding"),
        (("round", "binding"), {"spec": []}, "/round/binding"),
        (("round", "transitionId"), "t", "/round/transitionId"),
        (("round", "carryForwards"), [], "/round/carryForwards"),
        (("task", "kind"), "Other", "/task/kind"),
        (("task", "spec", "projections", 0, "pattern"), "x", "/task/spec/projections/0/pattern"),
        (("task", "spec", "projections", 0, "claim", "subjectId"), "x", "/runId"),
        (("task", "metadata", "name"), "other", "/runResource"),
    ],
)
def test_what_contradicts_is_refused_at_its_place(path, value, pointer):
    assert invalid(edited(put(value, *path))) == pointer


def test_a_recheck_says_what_it_compares():
    def recheck(document):
        document["round"] |= {"kind": "recheck", "transitionId": "t", "carryForwards": []}

    assert read_manifest(edited(recheck)).round["transitionId"] == "t"


def renamed(document, **changes):
    """The document with whatever identity its source, task and provider have now."""
    document |= changes
    identity = run_identity(document["source"], document["task"], document["provider"])
    document |= {"runId": identity.run_id, "runResource": identity.resource}
    name = document["task"]["metadata"]["name"]
    document["extraction"]["importName"] = f"survey-fast-import:{name}:{identity.run_id}"
    return document


def test_another_provider_is_another_sound_manifest():
    offline = edited(lambda document: renamed(document, provider=dict(OFFLINE)))
    again = edited(
        lambda document: renamed(document, provider={**OFFLINE, "options": {"again": 2}})
    )
    assert len({read_manifest(one).run_id for one in (RAW, offline, again)}) == 3


@pytest.mark.parametrize(
    ("source", "provider", "pointer"),
    [
        ("fieldwork-run:v1:own-task:{}", None, "/provider/kind"),
        (None, "imported", "/provider/kind"),
        ("fieldwork-run:v1:other:{}", "imported", "/source/importedFrom"),
        ("anything", "imported", "/source/importedFrom"),
    ],
)
def test_a_run_that_only_says_it_was_taken_over_is_refused(source, provider, pointer):
    def change(document):
        if source is not None:
            document["source"]["importedFrom"] = source.format(document["runId"])
        if provider is not None:
            document["provider"]["kind"] = provider

    assert invalid(edited(change)) == pointer


@pytest.mark.parametrize(
    "raw",
    [
        RAW[:-1],
        RAW + b"\n",
        b" " + RAW,
        RAW.replace(b'":', b'": ', 1),
        json.dumps(GOOD, indent=2).encode() + b"\n",
        b"\xef\xbb\xbf" + RAW,
    ],
    ids=["no line feed", "two", "a space", "a space within", "indented", "a mark"],
)
def test_it_is_compared_by_its_bytes(raw):
    refused("INVALID_RUN", read_manifest, raw)


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n", b"null\n", b"[]\n", b"1\n", b'"x"\n', b"{}\n", b'{"a":1,"a":1}\n', b"\xff\n",
     b'{"a":"\\ud800"}\n', b"[" * 200 + b"]" * 200 + b"\n"],
    ids=repr,
)  # fmt: skip
def test_what_is_no_manifest_at_all(raw):
    refused("INVALID_RUN", read_manifest, raw)


def test_a_digest_of_its_bytes_is_what_the_log_begins_with():
    assert sha256_hex(RAW) == sha256_hex(read_manifest(RAW).raw)
