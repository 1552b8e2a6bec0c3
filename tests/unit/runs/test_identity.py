"""Which run it is: same source, task and provider, same run; the ids that were published hold.

Rows 4, 5 and 16 of the edge table of runs. The id of the long conformance source is proven too.
Left: none of identity.
"""

import json
import re

import pytest
from tests.unit.extraction.test_fieldwork_examples import LONG, long_source
from tests.unit.runs.samples import EXAMPLES, TEXT, example, task_document

from survey_fast.canon import sha256_hex
from survey_fast.extraction.task import read_task
from survey_fast.runs.identity import OFFLINE, local_source, run_identity

TASK = task_document("fee")
ENVELOPE_RUN = (
    r"traverse-extraction-run:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)


def source(text=TEXT, **changes):
    digest = sha256_hex(text.encode())
    made = local_source(task_name="own-task", digest=digest, content_type="text")
    return {**made, **changes}


def run_id(source=None, task=TASK, provider=OFFLINE):
    return run_identity(source or globals()["source"](), task, provider).run_id


def test_the_published_ids_are_reproduced():
    assert example().run_id == "ee0f5783bcfa2891"
    task = read_task((LONG / "task.json").read_bytes())
    digest = sha256_hex(long_source())
    long = local_source(task_name=task.name, digest=digest, content_type="text")
    assert run_id(long, task.document) == "e54ba7976b431839"


def test_row_4_the_order_of_members_makes_no_other_run():
    text = (EXAMPLES / "vendor-obligations/task.json").read_text()
    pairs = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    task = read_task(text)
    assert read_task(json.dumps(pairs)).canonical == task.canonical
    assert run_id(task=pairs) == run_id(task=task.document)


def test_row_5_another_subject_is_another_run():
    other = json.loads(json.dumps(TASK))
    other["spec"]["projections"][0]["claim"]["subjectId"] = "another"
    assert run_id(task=other) != run_id()


# Row 16: what read the text out of a document is part of what the document is.
OTHER_SOURCES = [
    source(text=TEXT + " "),
    source(contentType="html"),
    source(kind="forage-snapshot"),
    source(pdfExtractorId="reader-2"),
]


@pytest.mark.parametrize("other", OTHER_SOURCES, ids=["text", "type", "kind", "adapter"])
def test_row_16_another_source_is_another_run(other):
    assert run_id(other) != run_id()


PROVIDERS = [
    {**OFFLINE, "model": "m"},
    {**OFFLINE, "options": {"chunkSize": 100}},
    {**OFFLINE, "name": "another"},
    {**OFFLINE, "kind": "openai"},
    {**OFFLINE, "options": {"again": 2}},
    {**OFFLINE, "options": {"again": 3}},
    {**OFFLINE, "model": "m", "options": {"again": 2}},
]


def test_every_other_provider_model_option_and_repetition_is_another_run():
    assert len({run_id(), *(run_id(provider=one) for one in PROVIDERS)}) == len(PROVIDERS) + 1


def test_the_offline_provider_with_defaults_adds_nothing():
    assert run_id(provider={**OFFLINE}) == run_id(provider=dict(reversed(OFFLINE.items())))


def test_where_a_run_was_taken_from_is_no_part_of_it():
    assert run_id(source(importedFrom="elsewhere")) == run_id()


def test_the_envelope_of_an_offline_run_is_named_the_same_everywhere():
    first = run_identity(source(), TASK, OFFLINE)
    again = run_identity(source(), TASK, {**OFFLINE, "options": {"again": 2}})
    assert first == run_identity(source(), TASK, OFFLINE)
    assert first.envelope_run_id != again.envelope_run_id
    for one in (first, again):
        assert re.fullmatch(ENVELOPE_RUN, one.envelope_run_id)
        assert one.resource == f"survey-fast-run:v1:own-task:{one.run_id}"
