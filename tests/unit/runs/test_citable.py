"""Whether evidence can rest on a run, asked without its proposals, as of its whole record."""

import json

import pytest
from tests.unit.runs.samples import (
    Forged,
    conflict,
    decided,
    many,
    partial,
    refused,
    rival_misquoted,
)

from survey_fast.errors import SurveyError
from survey_fast.runs.citable import require_citable
from survey_fast.runs.export.describe import describe_run
from survey_fast.runs.export.export import export_run
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.runs.verify import verify_run
from survey_fast.trust.evidence.record import read_record

GONE = object()
VALUES = [
    GONE, None, True, 0, 1.5, "", "x", "not a time", "2026-01-15T07:00:00.000Z", "2026-13-01",
    "2026-01-15T07:00:00", "sha256:" + "0" * 64, [], ["x"], ["sha256:" + "0" * 64], {},
]  # fmt: skip
MEMBERS = [
    ("version",), ("format",), ("source", "ref"), ("source", "snapshotRef"),
    ("source", "mediaType"), ("result", "provider"), ("result", "model"), ("result", "runId"),
    ("result", "extractedAt"), ("result", "taskDigest"), ("result", "exampleDigests"),
    ("result", "preparedArtifactState"), ("result", "preparedArtifact", "version"),
    ("result", "preparedArtifact", "preparationMode"),
    ("result", "preparedArtifact", "preparationVersion"), ("result", "tokensUsed"),
]  # fmt: skip


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def with_envelope(path, change):
    """The run with another envelope, everything else made to fit; nothing where that cannot be."""
    forged = Forged(path)
    change(forged.envelope)
    try:
        forged.manifest["extraction"]["importStatus"] = forged.rederive().status
        forged.reseal().save(rechain=True)
        return open_run(path)
    except (SurveyError, KeyError, TypeError):
        return None


def found(call, argument):
    try:
        call(argument)
    except SurveyError as fault:
        return fault.code, (fault.pointer or "").removeprefix("/spec/envelope")
    return None


@pytest.mark.parametrize("make", [conflict, rival_misquoted, partial, lambda: many(2)])
@pytest.mark.parametrize("opened", [open_run, open_metadata])
def test_what_is_made_is_citable(root, make, opened):
    run = opened(make().create(root).path)
    require_citable(run)
    read_record(run.imported)


@pytest.mark.parametrize("member", MEMBERS, ids="/".join)
def test_it_is_refused_as_its_record_is(root, member):
    path = conflict().create(root).path
    before = {one.name: one.read_bytes() for one in path.iterdir()}
    for value in VALUES:
        for name, text in before.items():
            (path / name).write_bytes(text)

        def change(envelope, value=value):
            holder = envelope
            for step in member[:-1]:
                holder = holder[step]
            if value is GONE:
                holder.pop(member[-1], None)
            else:
                holder[member[-1]] = value

        run = with_envelope(path, change)
        if run is not None:
            assert found(require_citable, run) == found(read_record, run.imported)


def timeless(envelope):
    envelope["result"]["extractedAt"] = "not a time"


def test_a_run_that_was_made_all_the_same_is_verified_and_described_and_never_exported(root):
    path = decided(root, conflict())
    forged = Forged(path)
    timeless(forged.envelope)
    forged.manifest["extraction"]["importStatus"] = forged.rederive().status
    forged.events = forged.events[:2]
    forged.reseal().save(rechain=True)
    run = verify_run(path).run
    assert refused("evidence-record-invalid", require_citable, run).pointer == "/result/extractedAt"
    refused("evidence-record-invalid", export_run, path)
    told = {one.field_path: (one.state, one.reasons) for one in describe_run(path).claims}
    assert sorted(told.values()) == [
        ("excluded", ("evidence-record-invalid",)),
        ("undecided", ("EXPORT_UNDECIDED",)),
    ]


def test_rows_of_such_a_run_say_where_they_stand(root):
    path = many(3).create(root).path
    assert with_envelope(path, timeless) is not None
    assert json.loads((path / "extraction-envelope.json").read_bytes())["result"]["proposals"]
    assert [one.path_indices for one in describe_run(path).claims] == [(0,), (1,), (2,)]
