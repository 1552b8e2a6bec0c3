"""Sessions as files, for every test of the commands that read and write them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from survey_fast.canon import canonical_json, sha256_hex

Json = dict[str, Any]
KEY = "survey.kontourai.io/extraction-envelope"
STAMP = "survey-fast/review-attribution"
AT = "2026-01-31T09:00:00.000Z"
SENTINEL = "sentinel-5d1f"


@dataclass(frozen=True)
class Stored:
    """A session on disk: its file and its log."""

    path: Path

    @property
    def log(self) -> Path:
        return self.path.with_name(f"{self.path.stem}.events.jsonl")

    @property
    def document(self) -> Json:
        return json.loads(self.path.read_bytes())

    @property
    def items(self) -> list[Json]:
        return self.document["snapshot"]["items"]

    @property
    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.items]

    @property
    def events(self) -> list[Json]:
        return [json.loads(line)["event"] for line in self.log.read_bytes().splitlines()]

    def bytes(self) -> list[bytes]:
        """Everything that stands in its folder, by name."""
        folder = self.path.parent
        return [
            f"{one.relative_to(folder)}".encode() + one.read_bytes()
            for one in sorted(folder.rglob("*"))
            if one.is_file()
        ]

    def edit(self, change: Callable[[Json], None]) -> None:
        """The file with a change; what follows from it is not brought up to date."""
        document = self.document
        change(document)
        self.path.write_bytes(canonical_json(document) + b"\n")

    def chain(self, events: list[Json]) -> None:
        """The log as a forger writes it who knows its form: one append of these events."""
        previous = sha256_hex(self.path.read_bytes())
        lines = []
        for place, event in enumerate(events, 1):
            line = {
                "event": event,
                "previous": previous,
                "remaining": len(events) - place,
                "sequence": place,
            }
            lines.append(canonical_json(line) + b"\n")
            previous = sha256_hex(lines[-1])
        self.log.write_bytes(b"".join(lines))


def candidate(name: str, value: Any, role: str = "proposed", **members: Any) -> Json:
    return {
        "id": name,
        "role": role,
        "value": value,
        "source": {"sourceRef": "file:contract.txt"},
        "locator": {"scheme": "text-span", "locator": "chars:0-5", "excerpt": f"reads {value}"},
        "extraction": {"target": "fee"},
        "claimTarget": {
            "subjectType": "vendor",
            "subjectId": "vendor-1",
            "facet": "vendor.contract",
            "claimType": "vendor.field",
            "fieldOrBehavior": "fee",
            "impactLevel": "medium",
        },
        **members,
    }


def review_item(name: str, target: str, *candidates: Json, **spec: Any) -> Json:
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewItem",
        "metadata": {"name": name},
        "spec": {
            "target": target,
            "candidateSetStatus": "conflict" if len(candidates) > 1 else "needs-review",
            "candidates": list(candidates),
            **spec,
        },
    }


def plain_items() -> list[Json]:
    """A single value, a conflict, a value that stands beside one proposed, and a twin field."""
    return [
        review_item("single", "fee", candidate("s-1", 48000)),
        review_item("rivals", "term", candidate("r-1", 12), candidate("r-2", 24)),
        review_item("kept", "vendor", candidate("k-1", "Old", "current"), candidate("k-2", "New")),
        review_item("twin-1", "city", candidate("t-1", "Basel")),
        review_item("twin-2", "city", candidate("t-2", "Bern")),
    ]


def scored_items() -> list[Json]:
    """The same with a mark wherever a score or a verifier's word can stand."""
    items = plain_items()
    for item in items:
        item["metadata"]["producer"] = {"scorer": {"rank": f"{SENTINEL}-item"}}
        for one in item["spec"]["candidates"]:
            one["confidence"] = 0.5123987
            one["sourceRank"] = 0.5123987
            one["extraction"]["confidence"] = 0.5123987
            one["verifications"] = [{"result": f"{SENTINEL}-verifier"}]
            one["producer"] = {
                KEY: {"evidenceMatch": {"valueInExcerpt": SENTINEL, "tokenBoundary": SENTINEL}},
                "scorer": SENTINEL,
            }
    return items


def write_json(path: Path, document: object) -> Path:
    path.write_bytes(canonical_json(copy.deepcopy(document)))
    return path


def named(change, *words):
    """The change under a name that tells it from the others."""
    change.__name__ = "-".join(str(word)[:40] for word in words)
    return change


def drop(*path):
    def change(document):
        *parents, last = path
        for name in parents:
            document = document[name]
        del document[last]

    return named(change, "without", *path)


def put(value, *path):
    def change(document):
        *parents, last = path
        for name in parents:
            document = document[name]
        document[last] = value

    return named(change, *path, "is", value)


COMMANDS = {
    "show": ["session", "show", "s/round.json"],
    "decide": ["session", "decide", "s/round.json", "--item", "twin-2", "accept"],
    "complete": ["session", "complete", "s/round.json"],
    "apply": ["session", "apply", "s/round.json"],
    "attest": ["session", "attest", "s/round.json"],
    "audit": ["session", "audit", "s/round.json", "s/a.json", "--rate", "1", "--seed", "s"],
    "pack": ["session", "pack", "s/round.json", "s/p.json"],
}
"""Every command on the session of the fixtures that checks it."""
