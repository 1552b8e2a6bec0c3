"""What is compared with what, and the bounds. The one list of the rows that the report prints.

A bound is on the ratio of ours to the baseline, so lower is better; a row without one informs.
Names of measurements are names of the functions in `bench_*.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ROWS", "Kind", "Row"]

Kind: TypeAlias = Literal["time", "time-per-item", "memory"]
RAW = "raw SHA-256"
ORJSON = "orjson + hashlib"
RFC8785 = "rfc8785 + hashlib"
FOLD = "naive fold of the events"
DUMPS = "sha256(json.dumps(...)) an item and decision"
REFERENCE = "pure Python, 1,000 items"


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison.

    Attributes:
        work: what was done, with its input.
        ours: the measurement of ours.
        against: the baseline: one that took turns with ours, or else a measurement of its own;
            for memory, the member of `extra_info` that the peak is divided by.
        baseline: how the baseline is called.
        bound: the highest ratio of ours to the baseline, or None.
        kind: which figure of the measurements counts.
    """

    work: str
    ours: str
    against: str
    baseline: str
    bound: float | None = None
    kind: Kind = "time"


def _growth(work: str, ours: str, bound: float = 1.3) -> Row:
    return Row(f"{work}: per item", ours, "tenth", "per item, 1,000 items", bound, "time-per-item")


def _hostile(source: str) -> Row:
    work = f"prepare {source}, 100,000"
    return Row(work, f"test_prepare_hostile[{source}]", "tenth", "10,000 of them", 20)


def _memory(work: str, bound: float | None, test: str = "test_memory") -> Row:
    return Row(
        f"{work}: peak memory",
        f"{test}[{work}]",
        "queue_bytes",
        "bytes of the queue",
        bound,
        "memory",
    )


RUN_WORK = (
    ("open and verify a run", "test_open_run"),
    ("decide one item, new process", "test_append_anew"),
    ("decide one item, run open", "test_append_warm"),
    ("export a decided run", "test_export_run"),
)


def _run_growth(work: str, ours: str) -> Row:
    small, large = f"{ours}[1000]", f"{ours}[10000]"
    return Row(f"{work}: per item", large, small, "per item, 1,000 items", None, "time-per-item")


ROWS = (
    Row("digest, canonical", "test_digest[canonical]", "raw", RAW, 3),
    Row("digest, stored order", "test_digest[stored]", "raw", RAW, 3),
    Row("digest, shuffled members", "test_digest[shuffled]", "raw", RAW, 3),
    Row("digest, spaced", "test_digest[spaced]", "raw", RAW, 3),
    Row("digest, indented", "test_digest[indented]", "raw", RAW, 3),
    Row("digest, canonical", "test_digest[canonical]", "test_digest_orjson", ORJSON),
    Row("digest, canonical", "test_digest[canonical]", "test_digest_rfc8785", RFC8785),
    Row("digest, 1,000 items", "test_digest_1k", "test_digest_reference_1k", REFERENCE),
    Row("import with excerpts", "test_import", "raw", f"{RAW} of the items", 12),
    Row("import with excerpts", "test_import", "test_import_orjson", f"{ORJSON}, items only"),
    Row("import with excerpts", "test_import", "test_import_rfc8785", f"{RFC8785}, items only"),
    Row("import, 1,000 items", "test_import_1k", "test_import_reference_1k", REFERENCE),
    Row(
        "queue against import, canonical",
        "test_attest[canonical]",
        "raw",
        f"{RAW} of the queue",
        15,
    ),
    Row(
        "queue against import, stored order",
        "test_attest[stored]",
        "raw",
        f"{RAW} of the queue",
        15,
    ),
    Row(
        "queue against import, canonical",
        "test_attest[canonical]",
        "test_attest_orjson",
        f"{ORJSON}, queue only",
    ),
    Row(
        "queue against import, canonical",
        "test_attest[canonical]",
        "test_attest_rfc8785",
        f"{RFC8785}, queue only",
    ),
    Row(
        "queue against import, 1,000 items",
        "test_attest_1k",
        "test_attest_reference_1k",
        REFERENCE,
    ),
    Row("draw from names", "test_draw", "dumps", "sha256(json.dumps(...)) a name", 1 / 10),
    Row("draw from names", "test_draw", "encoder", "the same, one encoder"),
    Row("draw from names", "test_draw", "test_draw_reference", "pure Python"),
    Row("apply, parsed data", "test_apply_from_parsed_data[10000]", "test_naive_fold[10000]", FOLD),
    Row("apply, bytes", "test_apply_from_bytes[10000]", "test_naive_fold[10000]", FOLD),
    Row(
        "apply: per item",
        "test_apply_from_parsed_data[10000]",
        "test_apply_from_parsed_data[1000]",
        "per item, 1,000 items",
        1.3,
        "time-per-item",
    ),
    _growth("digest", "test_digest[canonical]"),
    _growth("import", "test_import"),
    _growth("queue against import", "test_attest[canonical]"),
    _growth("draw", "test_draw"),
    Row("look up excerpts in 2 MiB", "test_resolve", "second", "1 s", 1),
    Row("look up excerpts in 2 MiB", "test_resolve", "naive", "str.find an excerpt", 1),
    _growth("look up excerpts", "test_resolve", 2),
    _growth("look up one excerpt, repeated", "test_resolve_repeated", 2),
    _growth("run an extraction", "test_extract", 2),
    _hostile("html, open brackets"),
    _hostile("html, open tags"),
    _hostile("html, scripts"),
    _hostile("html, paragraphs"),
    _hostile("vtt, open brackets"),
    _hostile("vtt, arrows"),
    Row("open and verify a run", "test_open_run[10000]", "bound", "0.5 s", 1),
    Row("open and verify a run", "test_open_run[10000]", "raw", f"{RAW} of the queue"),
    Row("decide one item, new process", "test_append_anew[10000]", "bound", "0.6 s", 1),
    Row("decide one item, run open", "test_append_warm[10000]", "bound", "60 ms", 1),
    Row("export a decided run", "test_export_run[10000]", "bound", "3 s", 1),
    *(_run_growth(work, ours) for work, ours in RUN_WORK),
    Row("project, prove and validate", "test_bundle", "bound", "1.5 s", 1),
    Row("project, prove and validate", "test_bundle", "dumps", DUMPS),
    _growth("project, prove and validate", "test_bundle", 1.5),
    Row("ground claims in evidence", "test_grounding", "bound", "0.6 s", 1),
    Row("ground claims in evidence", "test_grounding", "dumps", DUMPS),
    _growth("ground claims in evidence", "test_grounding", 1.5),
    _memory("attest", 8),
    _memory("digest", 8),
    _memory("import", None),
    _memory("open a run", None, "test_memory_of_a_run"),
    _memory("export", 12, "test_memory_of_a_run"),
    Row("survey-fast --help", "test_start", "test_start_interpreter", "python -c pass"),
)
