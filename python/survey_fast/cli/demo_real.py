"""The first half of the demonstration: one published extraction, step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from survey_fast.attest import attest_review_queue_extraction, validate_review_queue_binding
from survey_fast.canon import Json, canonical_json
from survey_fast.cli.import_summary import PRODUCER_KEY
from survey_fast.cli.importing import Opening, round_documents
from survey_fast.cli.output import Output, quoted
from survey_fast.imports import ImportResult, available_artifact, import_envelope

__all__ = ["TARGETS", "RealExample", "misquoted", "run_real", "tell_real"]

TARGETS: Final[dict[str, Any]] = {
    "fee": {
        "subjectType": "vendor",
        "subjectId": "vendor-1",
        "facet": "vendor.contract",
        "claimType": "vendor.field",
        "impactLevel": "medium",
    }
}


@dataclass(frozen=True, slots=True)
class RealExample:
    """What is read, and what comes of it; ``rivalled`` is the variant with a made-up excerpt."""

    envelope: bytes
    prepared: str
    imported: ImportResult
    rivalled: ImportResult
    snapshot: bytes
    binding: bytes
    is_bound: bool
    state: str

    @property
    def proposals(self) -> list[dict[str, Any]]:
        """What was extracted."""
        proposals: list[dict[str, Any]] = json.loads(self.envelope)["result"]["proposals"]
        return proposals

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        item = self.imported.review_items[0]
        excluded = _excluded(self.rivalled)
        return {
            "proposals": len(self.proposals),
            "status": self.imported.status,
            "items": len(self.imported.review_items),
            "itemName": item["metadata"]["name"],
            "values": [candidate["value"] for candidate in item["spec"]["candidates"]],
            "excludedInVariant": excluded,
            "bound": self.is_bound,
            "attestation": self.state,
        }


def run_real(opening: Opening) -> RealExample:
    """Import, open, bind and attest the bundled extraction."""
    data = files("survey_fast.cli").joinpath("demo_data")
    envelope = data.joinpath("vendor-fee.envelope.json").read_bytes()
    prepared = data.joinpath("vendor-fee.prepared.txt").read_bytes().decode()
    imported = _imported(envelope, prepared)
    snapshot, binding = round_documents(imported, opening)
    if snapshot is None or binding is None:
        message = "the bundled extraction has something to review"
        raise AssertionError(message)
    differences = validate_review_queue_binding(
        binding, snapshot, session_name=opening.session_name
    )
    return RealExample(
        envelope=envelope,
        prepared=prepared,
        imported=imported,
        rivalled=_imported(misquoted(envelope, 2, "52000", "58000", 58000), prepared),
        snapshot=snapshot,
        binding=binding,
        is_bound=not differences,
        state=attest_review_queue_extraction(snapshot, imported).state,
    )


def misquoted(envelope: bytes, index: int, words: str, instead: str, value: Json = None) -> bytes:
    """The envelope with other words in the excerpt of one proposal, and perhaps another value.

    ``words`` and ``instead`` have the same length, so that only the text itself can tell.
    """
    document = json.loads(envelope)
    proposal = document["result"]["proposals"][index]
    provenance = proposal["provenance"]
    provenance["excerpt"] = provenance["excerpt"].replace(words, instead)
    if value is not None:
        proposal["candidateValue"] = value
    return canonical_json(document)


def _imported(envelope: bytes, prepared: str) -> ImportResult:
    return import_envelope(
        envelope,
        source_kind="uploaded-document",
        claim_targets=TARGETS,
        artifact=available_artifact(prepared),
    )


def _excluded(result: ImportResult) -> list[dict[str, Any]]:
    producer = result.review_items[0]["metadata"]["producer"][PRODUCER_KEY]
    excluded: list[dict[str, Any]] = producer.get("excludedProposals", [])
    return excluded


def tell_real(output: Output, example: RealExample) -> None:
    """The example in plain language."""
    _tell_extraction(output, example)
    _tell_import(output, example)
    _tell_variant(output, example)
    _tell_attestation(output, example)


def _tell_extraction(output: Output, example: RealExample) -> None:
    output.line("1. What was extracted", "heading")
    output.line()
    output.paragraph(f"The document, all {len(example.prepared)} characters of it:")
    output.line()
    output.paragraph(quoted(example.prepared), indent="    ")
    output.line()
    output.paragraph(
        "A model was asked for the fee. It gave three answers, and with each the words it read "
        "and the place where they stand:"
    )
    output.line()
    rows = [
        (
            str(place),
            proposal["fieldPath"],
            quoted(proposal["candidateValue"]),
            quoted(proposal["provenance"]["excerpt"]),
            proposal["provenance"]["locator"],
        )
        for place, proposal in enumerate(example.proposals, 1)
    ]
    output.table(("answer", "field", "value", "words", "place"), rows)


def _tell_import(output: Output, example: RealExample) -> None:
    item = example.imported.review_items[0]
    output.line()
    output.line("2. Import: do these words really stand there?", "heading")
    output.line()
    status = example.imported.status
    output.paragraph(
        "Every quotation was looked up at its place in the document, to the letter. All three "
        f"stand there, so the import is {status['provenance']}; and as there is something to "
        f"review, it is {status['state']}."
    )
    output.paragraph(
        "Its three proposals for one field make one item for a person to review. Equal values "
        "count once, so two stand against each other:"
    )
    output.line()
    output.line(f"    {item['metadata']['name']}   {item['spec']['candidateSetStatus']}")
    for candidate in item["spec"]["candidates"]:
        same = candidate["producer"][PRODUCER_KEY].get("sameValueProposals", [])
        places = [candidate["locator"]["locator"], *(one["locator"] for one in same)]
        output.line(f"      {quoted(candidate['value'])}   read at {' and '.join(places)}")


def _tell_variant(output: Output, example: RealExample) -> None:
    excluded = _excluded(example.rivalled)[0]
    start, end = map(int, excluded["locator"].removeprefix("chars:").split("-"))
    # No character of this text counts two units.
    stands = example.prepared[start:end]
    output.line()
    output.paragraph(
        "And had the model made something up? Here is the same extraction, but its third answer "
        f"claims {quoted(excluded['value'])} and quotes words that the document does not have:"
    )
    output.line()
    output.line(
        f"    excluded   {quoted(excluded['value'])}   quotes {quoted(excluded['excerpt'])} at "
        f"{excluded['locator']}, where {quoted(stands)} stands",
        "bad",
    )
    output.line()
    output.paragraph(
        "Such an answer becomes an excluded rival: the reviewer sees that it was given, and "
        "cannot choose it."
    )


def _tell_attestation(output: Output, example: RealExample) -> None:
    spec = json.loads(example.binding)["spec"]
    output.line()
    output.line("3. Bind and attest: is this still the queue that was opened?", "heading")
    output.line()
    output.paragraph(
        "The items are opened as a queue. Its binding notes once which items there are and the "
        "SHA-256 of the whole queue:"
    )
    output.line()
    output.line(f"    {spec['snapshotHash']}   {len(spec['itemNames'])} item")
    output.line()
    output.paragraph("From now on two checks can be made, by anyone who has the files:")
    output.line()
    bound = "the queue is the bound one" if example.is_bound else "the queue differs"
    output.pairs(
        [
            ("against its binding", bound),
            ("against its import", f"{example.state}: all its items are derived anew, and equal"),
        ],
        indent="    ",
    )
