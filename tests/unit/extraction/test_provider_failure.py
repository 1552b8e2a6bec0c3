"""What kind of failure a failed call was, and which names are identities.

Proven: row 57 of the extraction's edge table, and D2 (a status decides, no wording does).
"""

import httpx
import pytest

from survey_fast.extraction.failure import ProviderCallError, classify, cut_text
from survey_fast.extraction.identity import as_identity, is_identity


class ForeignError(Exception):
    def __init__(self, text="", **facts):
        super().__init__(text)
        self.__dict__.update(facts)


class HostileError(Exception):
    @property
    def status(self):
        raise RuntimeError

    def __str__(self):
        raise RuntimeError


CASES = [
    (ForeignError(status=401), "authentication", False),
    (ForeignError(status_code=403), "authentication", False),
    (ForeignError(code="invalid_auth", status=429), "authentication", False),
    (ForeignError(status=429), "rate-limit", True),
    (ForeignError(code="rate_limited", status=408), "rate-limit", True),
    (ForeignError(status=408), "timeout", True),
    (ForeignError("Request TIMEOUT"), "timeout", True),
    (ForeignError(code="connect_timeout", status=500), "timeout", True),
    (ForeignError(code="invalid_request_error"), "invalid-request", False),
    (ForeignError(status=422), "invalid-request", False),
    (ForeignError(status=500), "unavailable", True),
    (ForeignError(code="service_unavailable"), "unavailable", True),
    (TimeoutError(), "timeout", True),
    (ConnectionRefusedError(), "unavailable", True),
    (httpx.ReadTimeout("x"), "timeout", True),
    (httpx.ConnectError("x"), "unavailable", True),
    (ValueError("invalid configuration"), "unknown", False),
    (ForeignError(status=True, code=7, retryable="yes"), "unknown", False),
    (ForeignError(status="401"), "unknown", False),
    (ForeignError(status=500, retryable=False), "unavailable", False),
    (ForeignError(retryable=True), "unknown", True),
    (ProviderCallError("x", status=401, kind="unknown"), "unknown", False),
    (HostileError(), "unknown", False),
]


@pytest.mark.parametrize(("error", "kind", "retryable"), CASES, ids=range(len(CASES)))
def test_kinds_of_failure(error, kind, retryable):
    failure = classify(error)
    assert (failure.kind, failure.retryable) == (kind, retryable)


def test_defect_02_a_status_decides_and_no_wording_does():
    assert classify(ForeignError("invalid API key", status=401)).kind == "authentication"
    assert classify(ForeignError("invalid text", status=503)).kind == "unavailable"


@pytest.mark.parametrize(
    ("code", "kept"),
    [("c" * 128, True), ("c" * 129, False), ("two words", False), ("sk-abc", False), ("", False)],
)
def test_a_code_is_kept_when_it_is_an_identity(code, kept):
    assert classify(ForeignError(code=code)).code == (code if kept else None)


def test_row_057_error_text_is_cut_at_500_units():
    assert cut_text("x" * 500) == "x" * 500
    assert cut_text("x" * 501).startswith("x" * 500 + "\u2026")
    assert "501" in cut_text("x" * 501)
    pair = cut_text("x" * 499 + "\U0001f600y")
    assert pair.startswith("x" * 499 + "\u2026")
    assert cut_text("x" * 498 + "\U0001f600") == "x" * 498 + "\U0001f600"
    assert cut_text("x" * 498 + "\U0001f600y").startswith("x" * 498 + "\U0001f600\u2026")
    assert classify(ForeignError("y" * 501)).text == cut_text("y" * 501)


def test_halves_of_pairs_in_an_error_are_replaced():
    assert cut_text("a\ud800b") == "a\ufffdb"
    assert cut_text("\ud800" * 600).encode()


GOOD = ["a", "9", "A.b_c:d@e/f+g~h-i", "x" * 256, "skate", "asian-llm", "ghost", "a@b:1", "key"]
BAD = [
    "",
    "-a",
    "a b",
    "a\n",
    "\u00e9",
    "x" * 257,
    "ghp_x",
    "ghr_",
    "sk-a",
    "AKIAX",
    "ASIA1",
    "eyJhbGc.eyJ",
    "x:Authorization:y",
    "https://u:p@h/",
    "https:u@h",
    "urn://u@h",
    None,
    7,
]


@pytest.mark.parametrize("text", GOOD, ids=range(len(GOOD)))
def test_identities(text):
    assert is_identity(text)


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_is_no_identity(text):
    assert not is_identity(text)


def test_characters_outside_identities_are_replaced():
    assert as_identity("a b\u00e9[1]") == "a-b--1-"
    assert len(as_identity("x" * 300)) == 256
