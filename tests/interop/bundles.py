"""The bundles that the published package is asked about, all of them exported by this one.

Beside them one that must be refused, so that a validator which takes everything is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.interop.published import contested, decided_session, last_candidate, published

from survey_fast.canon import canonical_json
from survey_fast.cli.demo_decide import generated_session
from survey_fast.cli.demo_scale import run_scale
from survey_fast.cli.importing import Opening
from survey_fast.review.session_file import SessionDocument
from survey_fast.trust.reviewed_export import bundle_text
from survey_fast.trust.session_export import export_session
from survey_fast.trust.status import derive_claim_statuses

OPENED_AT = "2026-01-31T09:00:00.000Z"
REASON = "neither document says which of the two counts"
MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class Case:
    """A bundle as it is written, and what this package derives from it; nothing when it is bad."""

    name: str
    text: bytes
    now: str
    statuses: dict[str, str] | None


def cases(items: int) -> Iterator[Case]:
    """Every case, the generated one with so many claims last."""
    opening = Opening(OPENED_AT)
    choice = {"decision": "select", "candidateId": last_candidate(published())}
    chosen = export_session(decided_session(published(), choice, opening))
    yield _case("demo", chosen.export.bundle, chosen.generated_at)
    yield _session("dispute", decided_session(contested(), {"decision": "accept"}, opening))
    unconfirmed = {"decision": "could-not-confirm", "note": REASON}
    for name, decision in (("conflict", unconfirmed), ("rejected", {"decision": "reject"})):
        yield _session(name, decided_session(published(), decision, opening))
    yield _spoilt(chosen.export.bundle, chosen.generated_at)
    yield _session("generated", generated_session(run_scale(items, opening), opening))


def _session(name: str, document: SessionDocument) -> Case:
    made = export_session(document)
    return _case(name, made.export.bundle, made.generated_at)


def _case(name: str, bundle: dict, now: str) -> Case:
    text = bundle_text(bundle, max_bytes=MOST_BYTES)
    return Case(name, text, now, derive_claim_statuses(bundle, now=now, version="2"))


def _spoilt(bundle: dict, now: str) -> Case:
    """An event that rests on evidence which is not there."""
    spoilt = json.loads(canonical_json(bundle))
    spoilt["events"][0]["evidenceIds"] = ["nowhere"]
    return Case("spoilt", canonical_json(spoilt), now, None)
