"""The report of a run, read back: what it may be, what it is about, and who can rely on it."""

import copy
import json

import pytest
from tests.unit.extraction.running import Scripted, answer, propose
from tests.unit.runs.samples import (
    Extracted,
    Forged,
    Sample,
    conflict,
    decided,
    example,
    many,
    nothing,
    partial,
    refused,
    rival_misquoted,
    sample_of,
    stays_refused,
    task_document,
)

from survey_fast.canon import data_json
from survey_fast.cli.extract_summary import tell_lost
from survey_fast.cli.output import Output
from survey_fast.errors import SurveyError
from survey_fast.runs.export.describe import describe_run
from survey_fast.runs.export.export import export_run
from survey_fast.runs.make import Made
from survey_fast.runs.opened import open_run
from survey_fast.runs.stored_report import NO_REPORT, read_report
from survey_fast.runs.verify import verify_run

MISMATCH = "RUN_EXTRACTION_MISMATCH"
GONE = object()
VALUES = [
    GONE, None, True, 0, -1, 1.5, 10**15, "", "x", "a" * 64, [], {}, [1], [None], [{}], {"a": 1},
    {"elements": 1, "chars": 2},
]  # fmt: skip


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def dropping():
    """An extraction that left out, repeated and did not find something."""
    script = answer(
        propose("city", "Basel", "City: Basel"),
        propose("city", "Basel", "City: Basel"),
        propose("other", "1", "Fee: 48000"),
        propose("fee", "1", "not in the text"),
    )
    return sample_of(task_document("fee", "city"), "City: Basel\nFee: 48000\n", Scripted(script))


SAMPLES = [conflict, rival_misquoted, partial, nothing, dropping, example, lambda: many(3)]


@pytest.mark.parametrize("make", SAMPLES)
def test_what_an_extraction_writes_is_read_as_it_is(make):
    report = make().extracted.report
    assert read_report(report) == json.loads(report)


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    for step, one in enumerate(value) if isinstance(value, list) else inner:
        yield from places(one, (*path, step))


def changed(report, path, value):
    """The report with another value at a place, or without what stands there."""
    if not path:
        return {} if value is GONE else value
    holder = report = copy.deepcopy(report)
    for step in path[:-1]:
        holder = holder[step]
    if value is GONE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return report


def full():
    """A report in which every member has something in it."""
    report = json.loads(dropping().extracted.report)
    assert report["dropped"]
    assert report["identities"]
    return report | {
        "prunedText": {"elements": 1, "chars": 2},
        "truncatedAt": 3,
        "notFound": ["fee"],
        "cueOffsets": [{"start": 0, "end": 1, "cueStart": 0, "cueEnd": 1000}],
    }


def is_report(report):
    """The same said once more, slowly."""

    def count(value, least=0):
        return type(value) is int and value >= least

    def counts(value, *names):
        return type(value) is dict and set(value) == set(names) and all(map(count, value.values()))

    def every(value, holds):
        return type(value) is list and all(map(holds, value))

    def text(value):
        return type(value) is str and value != ""

    def dropped(one):
        return (
            type(one) is dict
            and set(one) == {"reason", "fieldPath", "chunk", "count"}
            and text(one["reason"])
            and (one["fieldPath"] is None or type(one["fieldPath"]) is str)
            and count(one["chunk"], 1)
            and count(one["count"], 1)
        )

    def identity(one):
        return (
            type(one) is dict
            and set(one) == {"proposalIndex", "slotId", "versionId"}
            and count(one["proposalIndex"])
            and text(one["slotId"])
            and text(one["versionId"])
        )

    checks = {
        "format": lambda one: one == "survey-fast-extraction-report",
        "schemaVersion": lambda one: type(one) is int and one == 1,
        "runId": text,
        "envelopeDigest": lambda one: type(one) is str and len(one) == 64 and int(one, 16) > 0,
        "preparedLength": lambda one: one is None or count(one),
        "truncatedAt": lambda one: one is None or count(one),
        "prunedText": lambda one: one is None or counts(one, "elements", "chars"),
        "dropped": lambda one: every(one, dropped),
        "duplicates": count,
        "malformedToolItems": count,
        "identities": lambda one: every(one, identity),
        "notFound": lambda one: every(one, lambda path: type(path) is str),
        "cueOffsets": lambda one: every(
            one, lambda cue: counts(cue, "start", "end", "cueStart", "cueEnd")
        ),
    }
    if report == {}:
        return True
    if type(report) is not dict or not set(checks) - {"notFound", "cueOffsets"} <= set(report):
        return False
    return all(name in checks and checks[name](one) for name, one in report.items())


def test_a_report_is_closed_and_every_member_of_its_type():
    report, taken = full(), 0
    assert is_report(report)
    cases = [(path, value) for path in places(report) for value in [*VALUES]]
    for path, value in [*cases, (("more",), 1), (("dropped", 0, "more"), 1)]:
        one = changed(report, path, value)
        text = data_json(one)
        if is_report(one):
            taken += 1
            assert read_report(text) == one
        else:
            assert refused(MISMATCH, read_report, text).details["path"] == "extraction-report.json"
    assert taken > 50


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        (("dropped",), None, "/dropped"),
        (("dropped", 0, "count"), "2", "/dropped/0/count"),
        (("dropped", 0, "chunk"), 0, "/dropped/0/chunk"),
        (("duplicates",), GONE, "/duplicates"),
        (("truncatedAt",), "3", "/truncatedAt"),
        (("notFound",), {}, "/notFound"),
        (("notFound", 0), 7, "/notFound/0"),
        (("identities", 0, "slotId"), GONE, "/identities/0/slotId"),
        (("format",), "another", "/format"),
        (("schemaVersion",), 2, "/schemaVersion"),
        (("a/b",), 1, "/a~1b"),
        ((), [], ""),
    ],
)
def test_where_a_report_is_wrong(path, value, pointer):
    found = refused(MISMATCH, read_report, data_json(changed(full(), path, value)))
    assert found.pointer == pointer
    assert found.message.startswith("extraction-report.json: ")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b'{"a":1,"a":1}', b"null"], ids=repr)
def test_what_is_no_report(text):
    assert refused(MISMATCH, read_report, text).details["path"] == "extraction-report.json"


# In a run


def forged(path, change):
    """A run whose report was changed, with every digest brought up to date."""
    one = Forged(path)
    one.report = change(one.report)
    one.reseal().save(rechain=True)
    return path


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("runId", "traverse-extraction-run:00000000-0000-4000-8000-000000000009"),
        ("envelopeDigest", "0" * 64),
        ("preparedLength", 7),
        ("preparedLength", None),
        ("dropped", None),
    ],
)
def test_a_report_that_is_another_one_is_refused_by_who_reads_it(root, member, value):
    path = decided(root, conflict())
    forged(path, lambda report: {**report, "duplicates": 1})
    assert open_run(path).manifest.extraction is not None
    forged(path, lambda report: {**report, member: value})
    for call in (open_run, verify_run, export_run):
        found = stays_refused(MISMATCH, path, call)
        assert found.pointer == f"/{member}"
        assert found.details["path"] == str(path / "extraction-report.json")
    assert len(describe_run(path).claims) == 2
    refused("RUN_EXISTS_DIFFERENT", conflict().create, root)


def test_a_report_tells_of_no_proposal_that_is_not_there(root):
    path = decided(root, conflict())

    def one_more(report):
        more = {**report["identities"][-1], "proposalIndex": 3}
        return {**report, "identities": [*report["identities"], more]}

    found = stays_refused(MISMATCH, forged(path, one_more), open_run)
    assert found.pointer == "/identities/3/proposalIndex"


def test_a_report_may_leave_proposals_out(root):
    path = decided(root, conflict())
    forged(path, lambda report: {**report, "identities": report["identities"][1:]})
    assert verify_run(path).run.proposal_count == 3


def without_report(sample):
    one = sample.extracted
    return Sample(sample.order, Extracted(one.envelope, one.prepared, b"{}"))


def test_a_run_that_was_made_without_a_report_says_nothing_of_what_was_left_out(root, capsys):
    created = without_report(conflict()).create(root)
    again = without_report(conflict()).create(root)
    assert (created.is_reused, again.is_reused) == (False, True)
    assert read_report(again.run.artifacts.report) == NO_REPORT
    body = Made(again, None, ()).to_json()
    assert not {"dropped", "duplicates", "notFound", "malformedToolItems"} & body.keys()
    tell_lost(Output(as_json=False), body)
    assert "left out" not in capsys.readouterr().out


def test_no_report_that_is_read_keeps_a_run_from_being_told(root, capsys):
    """Whatever a report may be, the run that is there already is told, or refused with a code."""
    created = conflict().create(root)
    told = 0
    for path in places(full()):
        for value in VALUES:
            text = data_json(changed(full(), path, value))
            try:
                report = read_report(text)
            except SurveyError:
                continue
            body = Made(created, None, ()).to_json() | dict(report)
            tell_lost(Output(as_json=False), body)
            told += 1
    assert told > 50
    assert "Traceback" not in capsys.readouterr().err
