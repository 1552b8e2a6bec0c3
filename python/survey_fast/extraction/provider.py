"""What the run asks of anything that proposes values, and what it gets back.

1. A provider answers one request about one chunk of text. It is called from a thread of its own
   and may be called from several at once, as far as its capabilities allow.
2. It proposes and never places: a proposal names an excerpt, the run finds where that stands.
3. A call that fails raises. :mod:`survey_fast.extraction.failure` says what kind of failure that
   was. A :class:`~survey_fast.errors.SurveyError` ends the run instead of losing one chunk.
4. Proposals are plain data that nobody has checked; the run checks them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias

from survey_fast.canon import data_digest
from survey_fast.model.names import PrefixedSha256

__all__ = [
    "CAPABILITIES",
    "BatchProvider",
    "Cancellation",
    "Capabilities",
    "Capability",
    "ContentType",
    "DraftProposal",
    "ExtractionProvider",
    "ExtractionRequest",
    "MalformedItems",
    "ModelSource",
    "Outcome",
    "ProviderOutput",
    "Raw",
    "capabilities_of",
    "draft",
    "request_digest",
]

Capability: TypeAlias = Literal[
    "structured-output", "exact-excerpts", "task-specifications", "usage", "warnings"
]
CAPABILITIES: Final[tuple[Capability, ...]] = (
    "structured-output",
    "exact-excerpts",
    "task-specifications",
    "usage",
    "warnings",
)
ContentType: TypeAlias = Literal["text", "html", "transcript", "pdf", "png", "jpeg"]
"""What the source was before it was prepared."""
ModelSource: TypeAlias = Literal["provider-reported", "configured"]

DraftProposal: TypeAlias = "dict[str, Any]"
"""One proposal as plain data: ``fieldPath``, ``candidateValue``, ``extractor``,
``provenance: {excerpt}``, perhaps ``confidence`` and ``occurrenceHint``."""


class Cancellation(Protocol):
    """What tells a provider to stop; a ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether the run was cancelled."""
        ...

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the cancellation, ``timeout`` seconds at most; whether it came."""
        ...


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider declares about itself.

    Attributes:
        supported: names out of ``CAPABILITIES``. A run needs ``structured-output`` and
            ``exact-excerpts``, and ``task-specifications`` when a task is given.
        max_concurrency: calls it takes at once; ``None`` leaves that to the run.
        max_batch_size: requests of one ``extract_batch``; ``None`` leaves that to the run.
    """

    supported: frozenset[str]
    max_concurrency: int | None = None
    max_batch_size: int | None = None


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """One chunk to be read.

    Attributes:
        content: the text of the chunk, as it is sent.
        content_type: what the source was before it was prepared.
        target_schema: the target fields, checked, as plain data.
        field_hints: a hint for some field paths.
        task_spec: the task spec, checked, as plain data.
        cancel: the sign to stop, if the run can be cancelled.
        chunk_index: place of the chunk, from 0; for correlation only.
        run_id: the run; for correlation only.
        reserve_call: asked before every further attempt of the same request. It takes one more
            call from the run's budget, or answers False when there is none left. ``None``: the
            run counts no attempts, and none is counted.
        shown_again: how many UTF-16 code units at the end of the content the next chunk begins
            with; ``None`` when the text ends here. So a line that its chunk cuts can be told.
        start: where the content begins in the prepared text, in UTF-16 code units; for telling
            places only.
    """

    content: str
    content_type: ContentType
    target_schema: Sequence[Mapping[str, Any]]
    field_hints: Mapping[str, str] | None = None
    task_spec: Mapping[str, Any] | None = None
    cancel: Cancellation | None = field(default=None, compare=False)
    chunk_index: int = 0
    run_id: str = ""
    reserve_call: Callable[[], bool] | None = field(default=None, compare=False, repr=False)
    shown_again: int | None = field(default=None, compare=False)
    start: int = field(default=0, compare=False)

    def is_cancelled(self) -> bool:
        """Whether the sign to stop was given."""
        return self.cancel is not None and self.cancel.is_set()


@dataclass(frozen=True, slots=True)
class Raw:
    """What came back besides the proposals; only the number of tokens ever leaves the process.

    Attributes:
        response: the text that was answered.
        model: the model that answered, as it is reported or configured.
        model_source: which of the two; ``None`` when there is no model.
        tokens_used: tokens of the call as the provider counts them; ``None`` when unknown.
    """

    response: str = field(default="", repr=False)
    model: str | None = None
    model_source: ModelSource | None = None
    tokens_used: int | float | None = None


@dataclass(frozen=True, slots=True)
class MalformedItems:
    """``dropped`` of ``total`` items of an answer were no proposals at all."""

    dropped: int
    total: int


@dataclass(frozen=True, slots=True)
class ProviderOutput:
    """One answer.

    Attributes:
        proposals: a list of :data:`DraftProposal`; unchecked, so anything may be in it.
        raw: what came back besides.
        warnings: notes for the people who run it. Their text decides nothing.
        truncated: the answer stopped at the output cap.
        missing_tool_call: the model answered without calling the tool.
        unusable: the tool was called, but no proposal could be read from the call.
        malformed_items: how many items were left out, when some were.
    """

    proposals: Sequence[Any]
    raw: Raw | None = None
    warnings: tuple[str, ...] = ()
    truncated: bool = False
    missing_tool_call: bool = False
    unusable: bool = False
    malformed_items: MalformedItems | None = None


Outcome: TypeAlias = "ProviderOutput | Exception"
"""One answer of a batch, or why there is none."""


class ExtractionProvider(Protocol):
    """Anything that proposes values for fields of a text."""

    @property
    def name(self) -> str:
        """A stable identity; the envelope's ``provider``."""
        ...

    @property
    def capabilities(self) -> Capabilities | None:
        """What it declares; ``None`` declares nothing and is accepted."""
        ...

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """Answer one request. Whatever it raises is a failed call of that chunk.

        Raises:
            CancelledCallError: the request was cancelled before the answer came.
            ProviderCallError: the call failed, with facts about why.
            SurveyError: the run cannot go on at all.
        """
        ...


class BatchProvider(ExtractionProvider, Protocol):
    """A provider that answers several requests in one physical call."""

    def extract_batch(self, requests: Sequence[ExtractionRequest]) -> Sequence[Outcome]:
        """One outcome for each request, in their order. Raising fails the whole group."""
        ...


def capabilities_of(provider: ExtractionProvider) -> Capabilities | None:
    """What a provider declares; one that says nothing about it declares nothing."""
    return getattr(provider, "capabilities", None)


def draft(
    field_path: str, value: object, excerpt: str, *, extractor: str, **rest: object
) -> DraftProposal:
    """A proposal as plain data; ``rest`` is ``confidence`` and ``occurrenceHint``, if any."""
    return {
        "fieldPath": field_path,
        "candidateValue": value,
        "extractor": extractor,
        "provenance": {"excerpt": excerpt},
        **rest,
    }


def request_digest(request: ExtractionRequest) -> PrefixedSha256:
    """What was asked, as a digest: content, its type, fields, hints and task.

    Where and when it was asked is left out, so the same question has the same digest in
    every run.

    Raises:
        JsonError: the content or the task cannot be written as JSON.
    """
    asked: dict[str, Any] = {
        "content": request.content,
        "contentType": request.content_type,
        "targetSchema": [dict(one) for one in request.target_schema],
    }
    if request.field_hints is not None:
        asked["fieldHints"] = dict(request.field_hints)
    if request.task_spec is not None:
        asked["taskSpec"] = dict(request.task_spec)
    return PrefixedSha256("sha256:" + data_digest(asked))
