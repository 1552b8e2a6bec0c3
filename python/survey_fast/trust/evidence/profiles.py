"""Names of the reviewed-evidence format, as they stand in documents."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["CHOICE", "EMBEDDED", "KEY", "PROFILES", "REFERENCE", "EvidenceProfile"]

EvidenceProfile: TypeAlias = Literal[
    "surface.reviewed-extraction-evidence/v1",
    "surface.reviewed-extraction-evidence/v2",
    "surface.reviewed-extraction-evidence/v3",
]
"""Which of the three layouts an item of evidence has."""

EMBEDDED: Final = "surface.reviewed-extraction-evidence/v1"
"""The whole import record in every item; one candidate. Read here, written only on request."""
REFERENCE: Final = "surface.reviewed-extraction-evidence/v2"
"""The digest of the record and the proposal that is cited; one candidate."""
CHOICE: Final = "surface.reviewed-extraction-evidence/v3"
"""As the reference, for an item of several candidates, with the choice that was made."""
PROFILES: Final[tuple[EvidenceProfile, ...]] = (EMBEDDED, REFERENCE, CHOICE)

KEY: Final = "survey.kontourai.io/extraction-envelope"
"""Where items and candidates name the import they come from."""
