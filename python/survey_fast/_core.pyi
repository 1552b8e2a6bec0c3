"""The native extension. Private: the packages around it give these calls their meaning.

Every function takes whole documents as UTF-8 bytes. ``caps`` are, in this order: bytes of an
envelope or record, bytes of a queue, items, candidates of an item. ``threads`` is 0 for as many
as the machine offers; the answer never depends on it.
"""

from typing import Final, TypeAlias, final

__all__ = [
    "StoredQueue",
    "audit_draw",
    "build_profile",
    "canonical_digest",
    "canonical_json",
    "chained_lines",
    "check_envelope",
    "check_record",
    "check_snapshot",
    "compare_names",
    "compare_queue",
    "disclosure_corpus",
    "disclosures",
    "excluded_proposals",
    "import_envelope",
    "json_text",
    "member_texts",
    "plain_canonical",
    "proposal_identities",
    "queue_outline",
    "record_items",
    "refusal_codes",
    "require_plain",
    "resolution_base",
    "resolve_proposals",
    "sha256_hex",
    "sort_names",
    "span_matches",
    "stored_queue",
    "validate_envelope",
]

_Caps: TypeAlias = tuple[int, int, int, int]
_Fact: TypeAlias = tuple[str, str | None, str, str | None]

build_profile: Final[str]

def canonical_json(
    raw: bytes, profile: str, lossless: bool, max_bytes: int, threads: int = 0
) -> bytes: ...
def canonical_digest(
    raw: bytes, profile: str, lossless: bool, max_bytes: int, threads: int = 0
) -> str: ...
def member_texts(
    raw: bytes, names: list[str], max_bytes: int, threads: int = 0
) -> list[bytes | None]: ...
def sha256_hex(raw: bytes) -> str: ...
def json_text(data: object) -> bytes: ...
def plain_canonical(data: object, lossless: bool) -> bytes: ...
def require_plain(data: object) -> None: ...
def audit_draw(names: list[str], rate: float, seed: str, threads: int = 0) -> list[int]: ...
def compare_names(left: list[str], right: list[str]) -> tuple[list[str], list[str], list[str]]: ...
def disclosures(raw: bytes, most: int, max_bytes: int) -> list[tuple[str, str, bool, str]]: ...
def disclosure_corpus() -> tuple[str, list[str]]: ...
def chained_lines(
    data: bytes, offset: int, end: int, count: int, head: str
) -> tuple[tuple[int, int, str, bytes] | None, tuple[int, int, str] | None]: ...

@final
class StoredQueue:
    @property
    def digest(self) -> str: ...
    @property
    def outline(self) -> bytes: ...
    @property
    def rest(self) -> bytes: ...
    @property
    def text(self) -> bytes: ...
    def holds(self, items: bytes) -> bool: ...

def stored_queue(raw: bytes, max_bytes: int, threads: int = 0) -> StoredQueue: ...
def sort_names(names: list[str]) -> list[str]: ...
def import_envelope(
    envelope: bytes,
    source_kind: str,
    targets: bytes,
    targets_by: str,
    import_name: str | None,
    producer_namespace: str | None,
    artifact: bytes | None,
    bound_status: bytes | None,
    caps: _Caps,
    threads: int = 0,
) -> tuple[bytes, bytes]: ...
def check_envelope(envelope: bytes, caps: _Caps, threads: int = 0) -> int: ...
def check_record(record: bytes, caps: _Caps, threads: int = 0) -> bytes: ...
def record_items(record: bytes, caps: _Caps, threads: int = 0) -> bytes: ...
def excluded_proposals(record: bytes, caps: _Caps) -> list[int]: ...
def resolution_base(record: bytes, index: int, caps: _Caps) -> str: ...
def resolve_proposals(prepared: bytes, drafts: bytes, caps: _Caps, threads: int = 0) -> bytes: ...
def validate_envelope(envelope: bytes, level: str, caps: _Caps, threads: int = 0) -> bytes: ...
def proposal_identities(
    envelope: bytes, keys: bytes | None, caps: _Caps, threads: int = 0
) -> list[tuple[str, str]]: ...
def span_matches(prepared: str, spans: list[tuple[int, int, str]]) -> list[bool]: ...
def compare_queue(
    queue: bytes, record: bytes, caps: _Caps, threads: int = 0
) -> tuple[list[_Fact], str | None, str | None, bool, tuple[int, int] | None]: ...
def check_snapshot(snapshot: bytes, caps: _Caps, threads: int = 0) -> None: ...
def queue_outline(
    queue: bytes, profile: str, caps: _Caps, threads: int = 0
) -> tuple[str | None, list[str], tuple[str, str, str] | None, int]: ...
def refusal_codes() -> list[str]: ...
