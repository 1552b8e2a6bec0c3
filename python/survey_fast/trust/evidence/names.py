"""Identities and references that evidence may carry: stable, and free of credentials.

1. What bears authorization is decided by the core, by the same rule as at import. It is asked
   only about texts that could; most cannot, for want of a colon or of a word.
2. An identity is stricter here than at import: a word that names a secret, followed by a colon or
   an equals sign, may not stand in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from survey_fast import _core, limits
from survey_fast.canon import data_json
from survey_fast.errors import EnvelopeError, refusal
from survey_fast.trust.evidence.shape import EVIDENCE

__all__ = ["check_identity", "check_reference"]

_IDENTITY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]{0,255}")
_LONGEST: Final = 256
_TOKEN: Final = re.compile(r"gh[pousr]_|sk-[A-Za-z0-9]|A[KS]IA[A-Z0-9]|eyJ[^.]*\.eyJ")
_SECRET: Final = re.compile(
    r"(?:token|secret|password|passwd|api[-_]?key|authorization|signature|credential)[:=]",
    re.IGNORECASE | re.ASCII,
)
_HEADER: Final = re.compile("authorization|bearer", re.IGNORECASE | re.ASCII)
_CAPS: Final = limits.DEFAULT.resolve()


def check_identity(value: object, pointer: str) -> str:
    """``value`` if it is a stable identity.

    Raises EvidenceError: ``evidence-malformed`` for another shape, ``evidence-identity-unsafe``
    for one that carries a credential.
    """
    if not isinstance(value, str) or len(value) > _LONGEST or not _is_identity(value):
        message = "a stable identity belongs here: letters, digits and . _ : @ / + ~ -, no spaces"
        raise EVIDENCE.refuse(message, pointer)
    if _is_unsafe_identity(value):
        message = "the identity carries or resembles a credential; name who it is instead"
        raise refusal("evidence-identity-unsafe", message, pointer)
    return value


# The same few identities stand on every proposal and decision of an import.


@lru_cache(maxsize=1024)
def _is_identity(text: str) -> bool:
    return _IDENTITY.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _is_unsafe_identity(text: str) -> bool:
    return bool(_TOKEN.match(text) or _SECRET.search(text)) or _is_bearing(text)


def check_reference(value: object, pointer: str) -> str:
    """``value`` if it is a reference that authorises nobody.

    Raises EvidenceError: ``evidence-malformed`` unless it is text, ``evidence-reference-unsafe``
    for one that carries authorization.
    """
    if not isinstance(value, str) or not value:
        message = "a reference that is not empty belongs here"
        raise EVIDENCE.refuse(message, pointer)
    if _is_bearing(value):
        message = "the reference carries authorization; refer to the source without it"
        raise refusal("evidence-reference-unsafe", message, pointer)
    return value


def _is_bearing(text: str) -> bool:
    could_be_url = ":" in text and ("@" in text or "?" in text)
    return (could_be_url or _HEADER.search(text) is not None) and _asked(text)


@lru_cache(maxsize=256)
def _asked(text: str) -> bool:
    """The core's answer, by way of the smallest envelope that holds the text as its source."""
    probe = data_json(
        {
            "format": "traverse-extraction-result",
            "version": 1,
            "source": {"ref": text},
            "result": {
                "proposals": [],
                "provider": "probe",
                "runId": "traverse-extraction-run:00000000-0000-4000-8000-000000000000",
                "raw": {},
                "outcome": {"status": "success"},
                "extractedAt": "-",
                "providerCalls": 0,
                "totalTokensUsed": 0,
            },
        }
    )
    try:
        _core.check_envelope(probe, _CAPS)
    except EnvelopeError:
        return True
    return False
