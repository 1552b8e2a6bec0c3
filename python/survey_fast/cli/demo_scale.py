"""The second half of the demonstration: the same steps on thousands of items, timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final, TypeVar

from survey_fast.attest import (
    Issue,
    attest_review_queue_extraction,
    bind_review_queue,
    validate_review_queue_binding,
)
from survey_fast.canon import canonical_digest, canonical_json, sha256_hex
from survey_fast.cli.importing import Opening
from survey_fast.cli.output import Output
from survey_fast.cli.sample import (
    CONFLICT_EVERY,
    IMPORT_OPTIONS,
    misquoted,
    proposals_for,
    sample_extraction,
)
from survey_fast.imports import ImportResult, available_artifact, import_envelope
from survey_fast.limits import ImportLimits
from survey_fast.review import open_review_queue

__all__ = ["Scale", "Stopwatch", "run_scale", "tell_scale"]

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Stopwatch:
    """What each step took, in seconds, in the order of the steps."""

    seconds: dict[str, float] = field(default_factory=dict)

    def time(self, step: str, work: Callable[[], Answer]) -> Answer:
        """Do the work once and note how long it took."""
        begin = perf_counter()
        answer = work()
        self.seconds[step] = perf_counter() - begin
        return answer


@dataclass(frozen=True, slots=True)
class Scale:
    """A generated extraction at size, and the round opened over it, as data and as stored."""

    proposals: int
    envelope: bytes
    prepared: str
    targets: dict[str, Any]
    imported: ImportResult
    opened: dict[str, Any]
    snapshot: bytes
    binding: dict[str, Any]
    session_name: str
    caps: ImportLimits
    is_bound: bool
    state: str
    seconds: dict[str, float]

    @property
    def items(self) -> int:
        """Items in the queue."""
        return len(self.binding["spec"]["itemNames"])

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        raw = self.seconds[RAW]
        return {
            "proposals": self.proposals,
            "items": self.items,
            "envelopeBytes": len(self.envelope),
            "queueBytes": len(self.snapshot),
            "bound": self.is_bound,
            "attestation": self.state,
            "steps": [
                {"step": step, "seconds": seconds, "timesRawSha256": seconds / raw}
                for step, seconds in self.seconds.items()
            ],
        }


IMPORT: Final = "import, every excerpt looked up"
OPEN: Final = "open the queue, as Python data"
WRITE: Final = "write it as canonical JSON"
DIGEST: Final = "canonical digest of these bytes"
BIND: Final = "bind them"
CHECK: Final = "check them against the binding"
ATTEST: Final = "attest them against the import"
RAW: Final = "for comparison: bare SHA-256 of them"


def run_scale(items: int, opening: Opening) -> Scale:
    """Generate, import, open, bind and attest; one rival is made to quote what is not there."""
    count = proposals_for(items)
    caps = ImportLimits(items=count)
    envelope, prepared, targets = sample_extraction(count)
    envelope = misquoted(envelope, CONFLICT_EVERY, "amendment 1.", "amendment 9.")
    watch = Stopwatch()
    imported = watch.time(
        IMPORT,
        lambda: import_envelope(
            envelope,
            claim_targets=targets,
            artifact=available_artifact(prepared),
            limits=caps,
            **IMPORT_OPTIONS,
        ),
    )
    opened, snapshot, binding, differences = _bound(watch, imported, opening, caps)
    attestation = watch.time(
        ATTEST, lambda: attest_review_queue_extraction(snapshot, imported, limits=caps)
    )
    watch.time(RAW, lambda: sha256_hex(snapshot))
    return Scale(
        proposals=count,
        envelope=envelope,
        prepared=prepared,
        targets=targets,
        imported=imported,
        opened=opened,
        snapshot=snapshot,
        binding=binding,
        session_name=opening.session_name,
        caps=caps,
        is_bound=not differences,
        state=attestation.state,
        seconds=watch.seconds,
    )


def _bound(
    watch: Stopwatch, imported: ImportResult, opening: Opening, caps: ImportLimits
) -> tuple[dict[str, Any], bytes, dict[str, Any], list[Issue]]:
    """The snapshot as data and as stored, its binding, and what checking the two finds."""
    at, name = opening.reviewed_at, opening.session_name
    opened = watch.time(
        OPEN,
        lambda: open_review_queue(imported, reviewed_at=at, actor_id=opening.reviewer, limits=caps),
    )
    snapshot = watch.time(WRITE, lambda: canonical_json(opened))
    watch.time(DIGEST, lambda: canonical_digest(snapshot))
    binding = watch.time(
        BIND,
        lambda: bind_review_queue(snapshot, session_name=name, bound_at=at, limits=caps),
    )
    differences = watch.time(
        CHECK,
        lambda: validate_review_queue_binding(binding, snapshot, session_name=name, limits=caps),
    )
    return opened, snapshot, binding, differences


def tell_scale(output: Output, scale: Scale) -> None:
    """The table of timings."""
    output.line()
    output.line(f"5. The same with {scale.items:,} items", "heading")
    output.line()
    output.paragraph(
        f"A made-up register of contracts: {scale.proposals:,} proposals, an envelope of "
        f"{_size(len(scale.envelope))}, a queue of {_size(len(scale.snapshot))}. One of its "
        "proposals misquotes the document, and is excluded. What each step took, done once:"
    )
    output.line()
    raw = scale.seconds[RAW]
    rows = [
        (step, f"{seconds * 1000:,.0f} ms", f"{seconds / raw:,.1f} x")
        for step, seconds in scale.seconds.items()
    ]
    output.table(("step", "time", "bare SHA-256"), rows, right="time|bare SHA-256")
    output.line()
    bound = "It is the bound queue" if scale.is_bound else "It is not the bound queue"
    output.paragraph(f"{bound}, and against its import it is {scale.state}.")


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
