"""One extraction: a source and fields in, an envelope and what belongs to it out.

1. What can be wrong before any work is checked first; then the source is prepared, cut into
   chunks, and the provider is asked.
2. Answers are folded in the order of the text. When calls came back, which of them ran together
   and how they were batched changes nothing in the result.
3. A run always ends in an envelope, also when it failed; how is the envelope's outcome. A refusal
   is raised only when the provider says that the run cannot go on, or when no valid envelope can
   be made of what it gave.
4. Nothing is read from a clock or drawn by lot: the run id and the instant are arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from survey_fast.canon import canonical_json
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError
from survey_fast.extraction.chunk import Window, Windows, chunk_windows
from survey_fast.extraction.coverage import ChunkRange, State, covered
from survey_fast.extraction.dispatch import Asked, Dispatched, dispatch
from survey_fast.extraction.duplicates import collapse
from survey_fast.extraction.envelope import RunFacts, write_envelope
from survey_fast.extraction.extraction import Extraction
from survey_fast.extraction.fold import Folded, fold
from survey_fast.extraction.grounding import Grounded
from survey_fast.extraction.locator import locator_start
from survey_fast.extraction.options import RunOptions, Stamp
from survey_fast.extraction.outcome import SUCCESS, Ended, RunFailedError, Work, judge
from survey_fast.extraction.plan import UNIDENTIFIED, Plan, Wanted, check_name, plan_run
from survey_fast.extraction.prepare import Prepared, prepare
from survey_fast.extraction.prepared_artifact import build_prepared_artifact
from survey_fast.extraction.proposal_identity import identities_of
from survey_fast.extraction.provider import (
    ContentType,
    ExtractionProvider,
    ExtractionRequest,
    request_digest,
)
from survey_fast.extraction.report import LeftOut, build_report, prepared_facts
from survey_fast.extraction.units import Units
from survey_fast.extraction.warned import Warned, of_preparation, warned

__all__ = ["extract"]


def extract(
    source: Prepared | bytes | str,
    *,
    wanted: Wanted,
    provider: ExtractionProvider,
    stamp: Stamp,
    options: RunOptions | None = None,
) -> Extraction:
    """Extract from one source.

    Args:
        source: a prepared text, or bytes or characters to prepare.
        wanted: the fields, or a task.
        provider: who proposes.
        stamp: run id, instant and names.
        options: how; every default when left out.

    Returns:
        The envelope, also of a failed run; ``outcome`` says which.

    Raises:
        ExtractionError: the provider refused to go on (``EXTRACTION_FAILED`` and others).
        EnvelopeError: the stamp, or what the provider gave, makes no valid envelope.
        ImportRefusedError: there are more proposals than any reader takes.
        TypeError, ValueError: misuse.
    """
    return _Run(provider, stamp, options or RunOptions()).run(source, wanted)


class _Run:
    def __init__(self, provider: ExtractionProvider, stamp: Stamp, options: RunOptions) -> None:
        self.provider = provider
        self.stamp = stamp
        self.options = options
        self.name = UNIDENTIFIED
        self.plan: Plan | None = None
        self.prepared: Prepared | None = None
        self.warnings: list[Warned] = []
        self.left_out = LeftOut()

    def run(self, source: Prepared | bytes | str, wanted: Wanted) -> Extraction:
        # A stamp that no envelope takes is refused here, before anything is asked and paid for.
        write_envelope(self._facts(Ended(SUCCESS)), wire=self.options.wire)
        try:
            self.name = check_name(self.provider)
            plan = plan_run(self.provider, wanted, self.options.budgets, _example_text)
            self.plan = plan
            _check_content(self.options.max_content)
            _check_hints(self.options.field_hints)
            prepared = self._prepare(source)
        except RunFailedError as failed:
            cause = failed.__cause__
            refused = cause if isinstance(cause, SurveyError) else None
            return self._extraction(self._facts(Ended(failed.outcome)), refused, failed.message)
        artifact = build_prepared_artifact(
            prepared.text,
            mode=prepared.mode,
            version=prepared.version,
            source_snapshot_ref=self.stamp.snapshot_ref,
        )
        self.prepared = prepared
        self._warn_before(plan, prepared, artifact)
        return self._read(plan, prepared, artifact)

    def _prepare(self, source: Prepared | bytes | str) -> Prepared:
        if isinstance(source, Prepared):
            return source
        options = self.options
        try:
            return prepare(
                source,
                content_type=options.content_type,
                prep=options.prep,
                charset=options.charset,
                errors=options.errors,
                truncate=options.truncate,
            )
        except SurveyError as error:
            raise RunFailedError("content-preparation-failure", error.message) from error

    def _warn_before(self, plan: Plan, prepared: Prepared, artifact: Mapping[str, Any]) -> None:
        if plan.task is not None and plan.task.legacy:
            places = ", ".join(plan.task.legacy)
            message = f"digests of an older producer were believed: {places}"
            self.warnings.append(warned("legacy-task-digest", message))
        self.warnings += map(of_preparation, prepared.warnings)
        if self.options.keep_prepared is None:
            return
        try:
            self.options.keep_prepared(artifact, prepared.text)
        except Exception:  # noqa: BLE001 - the caller's storage; its text goes no further
            message = "the prepared text could not be kept"
            self.warnings.append(warned("prepared-artifact-storage-failed", message))

    def _read(self, plan: Plan, prepared: Prepared, artifact: Mapping[str, Any]) -> Extraction:
        options = self.options
        chunks = chunk_windows(
            prepared.text,
            chunk_size=options.chunk_size,
            chunk_overlap=options.chunk_overlap,
            max_chunks=options.max_chunks,
        )
        ranges = [self._range(one) for one in (*chunks.read, *chunks.capped)]
        request = self._requests(plan, chunks.read, ranges)
        try:
            dispatched = dispatch(
                Asked(len(chunks.read), request),
                self.provider,
                options.budgets,
                cancel=options.cancel,
                on_answer=self._telling(len(chunks.read)),
            )
        except SurveyError as refused:
            _tell_line(refused, prepared.text)
            raise
        if dispatched.stop is not None:
            message = f"the run stopped early: {dispatched.stop}"
            self.warnings.append(warned("partial-stop", message))
        # Not while calls are made: those may take minutes.
        with collector_paused():
            folded = fold(
                prepared.text,
                ranges[: len(chunks.read)],
                dispatched.answers,
                plan.fields,
                self.left_out,
                lambda place: request_digest(request(place, _no_further_call)),
            )
            self.warnings += folded.warnings
            return self._end(chunks, ranges, dispatched, folded, artifact)

    def _range(self, chunk: Window) -> ChunkRange:
        """The part of a chunk that is sent ends where the limit is, and splits no pair."""
        most = self.options.max_content
        if chunk.end - chunk.start <= most:
            return ChunkRange(chunk.number, chunk.start, chunk.end, chunk.end)
        sent = Units(chunk.text).whole(most) or most + 1
        return ChunkRange(chunk.number, chunk.start, chunk.end, chunk.start + sent)

    def _requests(
        self, plan: Plan, chunks: Sequence[Window], ranges: Sequence[ChunkRange]
    ) -> Callable[[int, Callable[[], bool]], ExtractionRequest]:
        task = None if plan.task is None else plan.task.spec

        def request(place: int, reserve: Callable[[], bool]) -> ExtractionRequest:
            chunk, sent = chunks[place], ranges[place]
            following = ranges[place + 1] if place + 1 < len(ranges) else None
            content = chunk.text
            if sent.sent_end < sent.end:
                content = Units(content).slice(0, sent.sent_end - sent.start)
            return ExtractionRequest(
                content=content,
                content_type=self.options.content_type,
                target_schema=plan.schema,
                field_hints=self.options.field_hints,
                task_spec=task,
                cancel=self.options.cancel,
                chunk_index=place,
                run_id=self.stamp.run_id,
                reserve_call=reserve,
                shown_again=_shown_again(sent, following),
                start=sent.start,
            )

        return request

    def _telling(self, total: int) -> Callable[[int], object] | None:
        tell = self.options.on_answer
        return None if tell is None else lambda asked: tell(asked, total)

    def _end(
        self,
        chunks: Windows,
        ranges: Sequence[ChunkRange],
        dispatched: Dispatched,
        folded: Folded,
        artifact: Mapping[str, Any],
    ) -> Extraction:
        beyond: list[tuple[ChunkRange, State]] = [
            (one, "not-dispatched") for one in ranges[len(chunks.read) :]
        ]
        coverage = covered([*folded.states, *beyond])
        undone = sum(state == "not-dispatched" for _, state in folded.states)
        uncut = self._windows_lost_to_a_cut(len(ranges))
        ended = judge(
            Work(
                stop=dispatched.stop,
                completed=len(chunks.read) - undone,
                remaining=undone + len(beyond) + uncut,
                is_capped=bool(beyond) or uncut > 0,
                answered=folded.answered,
                raised=len(folded.failures),
                overshoot=dispatched.overshoot,
                coverage=coverage,
            )
        )
        proposals = self._kept(folded, len(chunks.read)) if folded.answered else []
        if beyond or uncut:
            message = f"{len(beyond) + uncut} chunks are beyond the cap and were not read"
            self.warnings.append(warned("max-chunks", message))
        facts = replace(
            self._facts(ended),
            proposals=[one.to_json() for one in proposals],
            model=folded.model,
            tokens=folded.tokens,
            calls=dispatched.calls,
            total_tokens=dispatched.tokens,
            coverage=coverage,
            failures=folded.failures,
            artifact=artifact,
            page_offsets=self.prepared.page_offsets if self.prepared else None,
        )
        return self._extraction(facts)

    def _windows_lost_to_a_cut(self, have: int) -> int:
        """Chunks that the part of the source would have made that a cut left out."""
        whole = self.prepared.truncated_from if self.prepared else None
        if whole is None:
            return 0
        size = max(1, self.options.chunk_size)
        step = size - max(0, min(self.options.chunk_overlap, size - 1))
        return max(1, -(-(whole - size) // step) + 1 - have)

    def _kept(self, folded: Folded, chunk_count: int) -> list[Grounded]:
        collapsed = collapse(folded.proposals)
        self.left_out.duplicates = collapsed.duplicates
        if collapsed.duplicates:
            message = f"{collapsed.duplicates} proposals said what an earlier one had said"
            self.warnings.append(warned("proposal-normalization", message))
        for one in collapsed.kept:
            if one.draft.rewrite is not None:
                message = f"a value was rewritten without loss: {one.draft.rewrite.kind}"
                self.warnings.append(warned("proposal-normalization", message))
        if chunk_count > 1:
            message = f"the text was read in {chunk_count} chunks"
            self.warnings.append(warned("content-chunking", message))
        return collapsed.kept

    def _facts(self, ended: Ended) -> RunFacts:
        task = None if self.plan is None else self.plan.task
        return RunFacts(
            source_ref=self.stamp.source_ref,
            run_id=self.stamp.run_id,
            extracted_at=self.stamp.extracted_at,
            provider=self.name,
            ended=ended,
            warnings=self.warnings,
            task_digest=None if task is None else task.task_digest,
            example_digests=() if task is None else task.example_digests,
            snapshot_ref=self.stamp.snapshot_ref,
            limits=self.options.limits,
        )

    def _extraction(
        self, facts: RunFacts, refused: SurveyError | None = None, message: str = ""
    ) -> Extraction:
        envelope, document = write_envelope(facts, wire=self.options.wire)
        report = build_report(
            envelope,
            document,
            self.left_out,
            prepared_facts(self.prepared),
            identities=identities_of(
                envelope, document, key=self.options.row_key, limits=self.options.limits
            ),
            declared=None if self.plan is None else list(self.plan.fields),
        )
        return Extraction(
            envelope=envelope,
            document=document,
            report=report,
            outcome=facts.ended.outcome,
            prepared=self.prepared,
            warnings=tuple(facts.warnings),
            failures=tuple(facts.failures),
            refused=refused,
            message=message,
        )


def _tell_line(refused: SurveyError, text: str) -> None:
    """Add the line, from 1, to a refusal about a place in the prepared text."""
    start = locator_start(refused.details.get("locator"))
    if start is None or "line" in refused.details:
        return
    units = Units(text)
    if start <= units.length:
        place = units.character(units.whole(start))
        refused.details["line"] = text.count("\n", 0, place) + 1


def _check_content(most: object) -> None:
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        message = "what is sent of a chunk is a whole number of characters from 1"
        raise RunFailedError("invalid-extract-config", message)


def _check_hints(hints: Mapping[str, str] | None) -> None:
    """They stand in the digest of every request, so they are written before any is made."""
    try:
        canonical_json(dict(hints or {}))
    except SurveyError as error:
        raise RunFailedError("invalid-extract-config", str(error)) from error


def _shown_again(sent: ChunkRange, following: ChunkRange | None) -> int | None:
    """How much of the end of what is sent the next chunk begins with; none when nothing follows."""
    if following is None:
        return None if sent.sent_end == sent.end else 0
    return max(0, sent.sent_end - following.start)


def _no_further_call() -> bool:
    return False


def _example_text(content: str, content_type: ContentType) -> str:
    return prepare(content, content_type=content_type).text
