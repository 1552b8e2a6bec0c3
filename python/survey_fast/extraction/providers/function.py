"""A Python function as a provider.

The function gets the request and returns what it proposes: a list, or a mapping with
``proposals`` and perhaps ``raw``, ``warnings``, ``truncated``, ``missingToolCall``, ``unusable``
and ``malformedToolItems``, or a :class:`ProviderOutput`. A proposal may be written shortly as
``{fieldPath, candidateValue, excerpt}``; the number of a row stands in its path, as in
``lineItems[0]``. An extractor that is left out is the provider's name. Members that nobody reads
are named in a warning. Whatever else it returns is an answer from which nothing can be read, never
a crash. A coroutine is run to its end, in an event loop of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, TypeAlias, get_args

from survey_fast.errors import refusal
from survey_fast.extraction.identity import as_identity, is_identity
from survey_fast.extraction.provider import (
    Capabilities,
    ExtractionRequest,
    MalformedItems,
    ModelSource,
    ProviderOutput,
    Raw,
)

__all__ = ["ExtractionFunction", "FunctionProvider", "output_of"]

ExtractionFunction: TypeAlias = Callable[[ExtractionRequest], object]
_SOURCES: Final = get_args(ModelSource)
_READ: Final = frozenset(
    {
        *("fieldPath", "candidateValue", "excerpt", "provenance"),
        *("extractor", "confidence", "occurrenceHint"),
    }
)
_OF_A_RUN: Final = frozenset(
    {
        *("inferenceType", "valueType", "enumValues"),
        *("producedBy", "evidenceMatch", "valueNormalization", "locator"),
    }
)
"""Members of a finished proposal, which the run writes itself."""
_KNOWN: Final = _READ | _OF_A_RUN
_MOST_NAMES: Final = 5
_NAME_CHARACTERS: Final = 40
_ROW: Final = "pathIndices"


class FunctionProvider:
    """Asks a function, from as many threads as the run uses.

    Args:
        function: takes an ExtractionRequest. What it raises is a failed call.
        name: the provider's name; made from the function's unless given.
        capabilities: what the function declares, if anything.

    Raises:
        ExtractionError: ``provider-options-invalid``: the name is no stable identity.
        TypeError: not callable.
    """

    def __init__(
        self,
        function: ExtractionFunction,
        *,
        name: str | None = None,
        capabilities: Capabilities | None = None,
    ) -> None:
        _require_callable(function)
        own = getattr(function, "__qualname__", type(function).__name__)
        self.name: str = as_identity(f"function:{own}") if name is None else name
        if not is_identity(self.name):
            message = "the name of a provider is letters, digits and . _ : @ / + ~ -"
            raise refusal("provider-options-invalid", message)
        self.capabilities: Capabilities | None = capabilities
        self._function = function

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """What the function returns, as an answer."""
        returned = self._function(request)
        if isinstance(returned, Coroutine):
            returned = _awaited(returned)
        return output_of(returned, self.name)


def _awaited(coroutine: Coroutine[Any, Any, object]) -> object:
    try:
        return asyncio.run(coroutine)
    finally:
        # Where a loop runs already none can be started, and the coroutine was never begun.
        coroutine.close()


def _require_callable(function: object) -> None:
    if not callable(function):
        message = f"a provider's function is callable, not {type(function).__name__}"
        raise TypeError(message)


def output_of(returned: object, name: str) -> ProviderOutput:
    """An answer made of what a function returned; never raises.

    Args:
        returned: a list of proposals, a mapping, or a ProviderOutput.
        name: the extractor of proposals that name none.
    """
    if isinstance(returned, ProviderOutput):
        return returned
    if isinstance(returned, Mapping):
        return _of_mapping(returned, name)
    if _is_list(returned):
        return ProviderOutput(_proposals(returned, name), warnings=_unread(returned))
    what = f"the function returned {type(returned).__name__}"
    return _unusable(f"{what}, not a list of proposals or a mapping that holds one")


def _of_mapping(returned: Mapping[Any, Any], name: str) -> ProviderOutput:
    stored = returned.get("proposals")
    raw = _raw(returned.get("raw"))
    warnings = (*_warnings(returned.get("warnings")), *_unread(stored))
    is_usable = _is_list(stored) and returned.get("unusable") is not True
    return ProviderOutput(
        _proposals(stored, name) if _is_list(stored) else [],
        raw,
        warnings,
        truncated=returned.get("truncated") is True,
        missing_tool_call=returned.get("missingToolCall") is True,
        unusable=not is_usable and returned.get("missingToolCall") is not True,
        malformed_items=_malformed(returned.get("malformedToolItems")),
    )


def _unusable(note: str) -> ProviderOutput:
    return ProviderOutput([], None, (note,), unusable=True)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _proposals(stored: object, name: str) -> list[object]:
    listed: Sequence[object] = stored if isinstance(stored, list | tuple) else []
    return [_proposal(one, name) if isinstance(one, dict) else one for one in listed]


def _proposal(one: dict[Any, Any], name: str) -> dict[Any, Any]:
    written = {"extractor": name, **one}
    if "provenance" not in written and "excerpt" in written:
        written["provenance"] = {"excerpt": written.pop("excerpt")}
    return written


def _unread(stored: object) -> tuple[str, ...]:
    """A note about members of proposals that change nothing, or nothing."""
    listed: Sequence[object] = stored if isinstance(stored, list | tuple) else []
    names: dict[str, None] = {}
    for one in listed:
        if isinstance(one, dict):
            # The name of a member may be of a class of its own, with code of its own.
            unread = [name for name in one if type(name) is str and name not in _KNOWN]
            names.update(dict.fromkeys(unread))
    if not names:
        return ()
    shown = [_shortened(name) for name in list(names)[:_MOST_NAMES]]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    note = f"members of proposals that nobody reads: {', '.join(shown)}{more}"
    row = "; the number of a row stands in its fieldPath, as in lineItems[0]"
    return (f"{note}{row if _ROW in names else ''}",)


def _shortened(name: str) -> str:
    return name if len(name) <= _NAME_CHARACTERS else f"{name[: _NAME_CHARACTERS - 1]}…"


def _warnings(notes: object) -> tuple[str, ...]:
    listed = notes if isinstance(notes, list | tuple) else ()
    return tuple(one for one in listed if isinstance(one, str))


def _raw(stored: object) -> Raw | None:
    if isinstance(stored, Raw):
        return stored
    if not isinstance(stored, Mapping):
        return None
    response, model = stored.get("response"), stored.get("model")
    source, tokens = stored.get("modelSource"), stored.get("tokensUsed")
    has_tokens = isinstance(tokens, int | float) and not isinstance(tokens, bool)
    return Raw(
        response if isinstance(response, str) else "",
        model if isinstance(model, str) and model else None,
        source if source in _SOURCES else None,
        tokens if has_tokens else None,
    )


def _malformed(stored: object) -> MalformedItems | None:
    if isinstance(stored, MalformedItems):
        return stored
    if not isinstance(stored, Mapping):
        return None
    dropped, total = stored.get("dropped"), stored.get("total")
    if not isinstance(dropped, int) or not isinstance(total, int):
        return None
    if isinstance(dropped, bool) or isinstance(total, bool) or not 0 < dropped <= total:
        return None
    return MalformedItems(dropped, total)
