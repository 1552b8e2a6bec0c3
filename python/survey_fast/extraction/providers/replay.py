"""Recorded answers, found by what was asked.

The same content, type, fields, hints and task get the same answer as before; a question that was
never recorded fails its call, so a run over a changed text does not pass for a complete one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from survey_fast.errors import refusal
from survey_fast.extraction.failure import ProviderCallError
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.provider import (
    CAPABILITIES,
    Capabilities,
    ExtractionRequest,
    ProviderOutput,
    request_digest,
)

__all__ = ["REPLAY_NAME", "ReplayProvider"]

REPLAY_NAME: Final = "replay:v1"


class ReplayProvider:
    """Answers from records.

    Args:
        outputs: recorded answers by request digest (``sha256:`` and 64 hex digits).
        name: the provider's name: that of the recorded one, to write the envelope it wrote.

    Raises:
        ExtractionError: ``provider-options-invalid``: the name is no stable identity.
    """

    capabilities: Capabilities | None = Capabilities(frozenset(CAPABILITIES))

    def __init__(self, outputs: Mapping[str, ProviderOutput], *, name: str = REPLAY_NAME) -> None:
        if not is_identity(name):
            message = "the name of a provider is letters, digits and . _ : @ / + ~ -"
            raise refusal("provider-options-invalid", message)
        self.name: str = name
        self._outputs = dict(outputs)

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """The recorded answer. Raises ProviderCallError, code ``not-recorded``."""
        output = self._outputs.get(request_digest(request))
        if output is None:
            message = "no answer to this request is recorded"
            raise ProviderCallError(message, code="not-recorded", kind="unknown", retryable=False)
        return output
