"""Damaged envelopes and records: the verdict of the reference, whatever was done to them."""

from hypothesis import given
from hypothesis import strategies as st
from tests.property.extractions import WORDS, envelopes, extractions, texts
from tests.property.strategies import damaged, damaged_bytes, outcome, respelled
from tests.reference import importing
from tests.reference.canonical import canonical, parse
from tests.reference.envelope import validate_envelope
from tests.reference.samples import load, stems

from survey_fast import ImportLimits, _core, import_envelope, validate_import
from survey_fast.canon import data_json

CAPS = ImportLimits().resolve()
PUBLISHED = [load(f"traverse/envelopes/{stem}.json") for stem in stems("traverse/envelopes")]

# Values that sit on an edge of some rule of the format.
EDGES = st.sampled_from(
    [
        *(None, True, False, 0, 1, -1, 1.5, 2**53 - 1, 2**53, 10**20, -0.0, 1e-7, "", " ", [], {}),
        *("chars:0-5", "chars:00-5", "chars:0-5\n", "success", "partial", "failure", "unread"),
        *("sha256:" + "0a" * 32, "0a" * 32, "A" * 64, "p" * 256, "p" * 257, "-x", "a b"),
        *("ghp_x", "sk-x", "sk-", "AKIAB", "eyJa.eyJb", "Authorization: x", "Bearer abc", "bearer"),
        *("urn:x?token=1", "https://u:p@h.test", "https://h.test/?sig=1", "mailto:u:p@x"),
        *("available", "storage-error", "max-chunks", "max-anything", "number", "explicit"),
        {"index": 0, "start": 0, "end": 5},
        {"status": "success"},
        {"start": 0, "end": 1},
        "\u00e9",
        "\ufeff",
        "\x1f",
    ]
)


def check(document):
    _core.check_envelope(data_json(document), CAPS)
    return "accepted"


def slow_check(document):
    validate_envelope(document)
    return "accepted"


# Where one change breaks two rules, the two sides may name either. A union is told apart by its
# status, which the reference judges before the other members; a status without provenance is told
# so here before its other members are looked at. And an artifact of another format or version is
# an unsupported one here, an invalid value there.
EITHER = {
    ("envelope-missing-member", "envelope-unexpected-member"),
    ("envelope-invalid-value", "envelope-missing-member"),
    ("envelope-missing-member", "import-provenance-missing"),
    ("envelope-unexpected-member", "import-provenance-missing"),
    ("envelope-invalid-value", "envelope-unsupported-version"),
}


def agree(expected, found):
    if not isinstance(expected, str) or not isinstance(found, str):
        return not isinstance(found, str) and canonical(found) == canonical(expected)
    pair = (expected.removeprefix("refused: "), found.removeprefix("refused: "))
    return expected == found or pair in EITHER


@given(st.data(), texts.flatmap(envelopes))
def test_a_damaged_envelope_gets_the_verdict_of_the_reference(data, envelope):
    assert outcome(check, envelope) == outcome(slow_check, envelope) == "accepted"
    broken = data.draw(damaged(envelope, EDGES))
    assert agree(outcome(slow_check, broken), outcome(check, broken))


@given(st.data(), st.sampled_from(PUBLISHED))
def test_a_damaged_published_envelope_gets_it_too(data, envelope):
    broken = data.draw(damaged(envelope, EDGES))
    assert agree(outcome(slow_check, broken), outcome(check, broken))


def check_text(text):
    _core.check_envelope(text, CAPS)
    return "accepted"


@given(st.data(), texts.flatmap(lambda text: envelopes(text, 3)), st.integers(0, 2**32))
def test_damaged_bytes_of_an_envelope_get_it_too(data, envelope, seed):
    text = data.draw(damaged_bytes(respelled(envelope, seed)))
    found = outcome(check_text, text)
    expected = outcome(lambda text: slow_check(parse(text, lossless=True)), text)
    # A repeated name is seen when its object ends, so a later fault of it may be told first.
    is_repeated = expected == "refused: json-duplicate-member" and found != "accepted"
    assert is_repeated or agree(expected, found)


def imported(extraction):
    result = outcome(import_envelope, extraction.envelope, **extraction.options)
    return None if isinstance(result, str) else result


@given(st.data(), extractions(4))
def test_a_damaged_record_gets_the_verdict_of_the_reference(data, extraction):
    result = imported(extraction)
    if result is None:
        return
    broken = data.draw(damaged(result.record, EDGES))
    expected = outcome(importing.validate_import, broken)
    assert agree(expected, outcome(validate_import, broken))


STATUS_EDGES = EDGES | st.sampled_from(
    [
        *("excerpt-mismatch", "artifact-unavailable", "digest-mismatch", "extraction-failed"),
        *("verified", "unverified", "grounded", "unresolved", "not-found", "invalid-artifact"),
        *WORDS[:3],
    ]
)


@given(st.data(), extractions(4))
def test_a_forged_status_gets_the_verdict_of_the_reference(data, extraction):
    result = imported(extraction)
    if result is None:
        return
    status = data.draw(damaged(result.status, STATUS_EDGES))
    if data.draw(st.booleans()):
        status = data.draw(damaged(status, STATUS_EDGES)) if status else status
    forged = {**result.record, "status": status}
    expected = outcome(importing.validate_import, forged)
    assert agree(expected, outcome(validate_import, forged))


# References that carry a credential

PIECES = (
    *("https:", "http:", "HTTPS:", "file:", "ftp:", "urn:", "mailto:", "x:", "javascript:"),
    *("//", "/", "\\", "\\\\", "@", ":", "?", "#", "&", "=", "%", ";", ".", "..", "a", "1", "+"),
    *(" ", "\t", "\n", "\x00", "\u00a0", "\u3000", "\u00e9", "\u017f", "\u212a"),
    *("user", "pw", "h.test", "[::1]", "[", "]", "1.2.3.4", "0x7f.1", "999", ":80", ":99999"),
    *("token", "access_token", "api%5Fkey", "api-key", "apikey", "X-Amz-Signature", "sig"),
    *("secret", "password", "credential", "authorization", "Authorization:", "Bearer ", "tokens"),
    *("%40", "%3A", "%2F%2F", "%3F", "%3D", "%26", "%25", "%zz", "%FF", "bearer\u00a0a"),
)
references = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join)
ENVELOPE = load("traverse/envelopes/success-no-proposals.json")


@given(references)
def test_references_are_judged_like_the_reference_judges_them(text):
    envelope = {**ENVELOPE, "source": {"ref": text}}
    assert outcome(check, envelope) == outcome(slow_check, envelope)


@given(references)
def test_identities_are_judged_like_the_reference_judges_them(text):
    envelope = {**ENVELOPE, "result": {**ENVELOPE["result"], "provider": text}}
    assert outcome(check, envelope) == outcome(slow_check, envelope)
