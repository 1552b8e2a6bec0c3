"""Requests and short forms that the tests of providers share."""

from survey_fast.extraction.provider import ExtractionRequest

FIELDS = [
    {"path": "state", "type": "enum", "enumValues": ["on", "off"]},
    {"path": "fee", "type": "number", "description": "Monthly fee"},
]


def request(content="", fields=FIELDS, **more):
    return ExtractionRequest(content, "text", fields, **more)


def found(output):
    """Path, value and excerpt of each proposal."""
    return [
        (one["fieldPath"], one["candidateValue"], one["provenance"]["excerpt"])
        for one in output.proposals
    ]
