"""The provider of OpenAI-compatible servers, against a server on this machine.

Proven of the extraction's edge table, as far as one answer goes: 37 (no call), 38 (an empty
list), 39 (proposals that are no list), 41 (all items malformed, some), 43 and 44 (the end of the
answer decides, not a note), 52 (no report of tokens), D24 (a host that no name holds). What a run
makes of them is proven with the run.
"""

import json
import re
import socket
import threading

import pytest
from tests.unit.extraction.samples_providers import found, request

from survey_fast.errors import ExtractionError
from survey_fast.extraction.failure import CancelledCallError, ProviderCallError, classify
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.provider import MalformedItems
from survey_fast.extraction.providers.openai import OpenAIOptions, OpenAIProvider
from survey_fast.extraction.providers.prompt import TOOL_NAME

KEY = "k-3f9c2b7a-not-a-real-one"
ITEM = {"fieldPath": "fee", "value": 12, "excerpt": "Fee: 12"}
FEE = re.compile(r"Fee: ([0-9])\n")
MODES = ["tools", "json_schema", "json"]


def provider(server, **options):
    chosen = {"model": "test-model", "base_url": server.url, **options}
    return OpenAIProvider(OpenAIOptions(**chosen), {"OPENAI_API_KEY": KEY})


def call(arguments, name=TOOL_NAME):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function", "function": {"name": name, "arguments": text}}


def completion(message, **more):
    choice = {"index": 0, "finish_reason": more.pop("finish", "stop"), "message": message}
    return {"id": "x", "created": 1, "model": "test-model-2026", "choices": [choice], **more}


def calling(*calls, **more):
    return completion({"role": "assistant", "content": None, "tool_calls": list(calls)}, **more)


def asked(server, body, content="Fee: 12", **options):
    server.answers(body)
    return provider(server, **options).extract(request(content))


def failed(server, **options):
    """The failure of a call, after one that is answered."""
    trouble = server.respond
    server.answers(calling(call({"proposals": []})))
    one = provider(server, **options)
    assert one.extract(request("x")).proposals == []
    server.respond = trouble
    with pytest.raises(ProviderCallError) as caught:
        one.extract(request("x"))
    assert KEY not in str(caught.value) + repr(caught.value)
    return caught.value


@pytest.mark.parametrize("mode", MODES)
def test_a_good_answer_in_every_mode(server, mode):
    arguments = {"proposals": [{**ITEM, "confidence": 0.9, "occurrenceHint": 1}]}
    message = {"content": json.dumps(arguments)}
    if mode == "tools":
        message = {"content": None, "tool_calls": [call(arguments)]}
    output = asked(server, completion(message, usage={"total_tokens": 34}), mode=mode)
    name = provider(server).name
    assert output.proposals == [
        {
            "fieldPath": "fee",
            "candidateValue": 12,
            "extractor": name,
            "provenance": {"excerpt": "Fee: 12"},
            "confidence": 0.9,
            "occurrenceHint": 1,
        }
    ]
    assert output.raw.model == "test-model-2026"
    assert output.raw.model_source == "provider-reported"
    assert output.raw.tokens_used == 34
    assert json.loads(output.raw.response) == arguments
    assert (output.truncated, output.missing_tool_call, output.unusable) == (False,) * 3
    assert (output.warnings, output.malformed_items) == ((), None)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_sent_in_every_mode(server, mode):
    asked(server, completion({"content": "{}"}), mode=mode)
    (body,), ((path, headers),) = server.asked, server.headers
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["Accept-Encoding"] == "identity"
    assert (body["model"], body["max_completion_tokens"]) == ("test-model", 2048)
    assert "max_tokens" not in body
    (message,) = body["messages"]
    assert message["role"] == "user"
    assert "Fee: 12" in message["content"]
    assert ('"anyOf"' in message["content"]) is (mode == "json")
    assert ("tools" in body) is (mode == "tools")
    assert (
        body.get("response_format", {}).get("type")
        == {
            "tools": None,
            "json_schema": "json_schema",
            "json": "json_object",
        }[mode]
    )
    if mode == "tools":
        assert body["tool_choice"]["function"]["name"] == TOOL_NAME
        assert body["tools"][0]["function"]["name"] == TOOL_NAME
        assert body["tools"][0]["function"]["strict"] is True


def test_the_cap_goes_under_the_chosen_name_and_no_key_under_none(server):
    asked(
        server,
        calling(),
        cap_member="max_tokens",
        output_cap=7,
        key_env=None,
        model="m",
        strict=False,
    )
    assert server.asked[0]["max_tokens"] == 7
    assert "max_completion_tokens" not in server.asked[0]
    assert server.asked[0]["tools"][0]["function"]["strict"] is False
    assert "Authorization" not in server.headers[0][1]


def test_row_037_no_call_at_all(server):
    for message in (
        {"content": "Here is what I found: ..."},
        {"content": None, "tool_calls": []},
        {"content": None, "tool_calls": "none"},
        {"content": None, "tool_calls": [None, {"function": None}]},
        {},
    ):
        output = asked(server, completion(message))
        assert (output.missing_tool_call, output.proposals) == (True, [])
        assert not output.unusable
    for mode in ("json", "json_schema"):
        assert asked(server, completion({"content": " "}), mode=mode).missing_tool_call


def test_row_038_an_empty_list_is_a_complete_answer(server):
    output = asked(server, calling(call({"proposals": []})))
    assert (output.proposals, output.warnings) == ([], ())
    assert (output.missing_tool_call, output.unusable) == (False, False)


def test_row_039_proposals_that_are_no_list(server):
    output = asked(server, calling(call({"proposals": "none"})))
    assert (output.unusable, output.proposals, len(output.warnings)) == (True, [], 1)


@pytest.mark.parametrize(
    "arguments",
    [
        "no json",
        "",
        "[]",
        "null",
        '{"proposals":[{"fieldPath":"fee","value":NaN,"excerpt":"x"}]}',
        '{"proposals":[{"fieldPath":"fee","value":"\\ud800","excerpt":"x"}]}',
        '{"proposals":[],"proposals":[]}',
        '{"proposals":[{"fieldPath":"fee","value":9007199254740993,"excerpt":"x"}]}',
        '{"proposals":' + "[" * 200 + "]" * 200 + "}",
        '{"proposals":[{"fieldPath":"fee"',
    ],
    ids=range(10),
)
@pytest.mark.parametrize("mode", ["tools", "json"])
def test_arguments_that_cannot_be_read_are_unusable(server, mode, arguments):
    if mode == "tools":
        output = asked(server, calling(call(arguments)))
    else:
        output = asked(server, completion({"content": arguments or "x"}), mode="json")
    assert (output.unusable, output.proposals) == (True, [])
    assert not output.missing_tool_call
    assert all("9007199254740993" not in note for note in output.warnings)


def test_prose_around_json_is_unusable(server):
    text = f"Sure! ```json\n{json.dumps({'proposals': [ITEM]})}\n```"
    assert asked(server, completion({"content": text}), mode="json").unusable


def test_arguments_that_a_server_parsed_already(server):
    parsed = {"function": {"name": TOOL_NAME, "arguments": {"proposals": [ITEM]}}}
    assert found(asked(server, calling(parsed))) == [("fee", 12, "Fee: 12")]


def test_a_call_of_another_tool_is_no_call_and_told(server):
    output = asked(server, calling(call({"proposals": [ITEM]}, name="run_shell")))
    assert (output.missing_tool_call, output.proposals) == (True, [])
    assert len(output.warnings) == 1
    assert "run_shell" not in output.warnings[0]


def test_proposals_spread_over_several_calls_are_all_taken(server):
    other = {**ITEM, "fieldPath": "state"}
    output = asked(server, calling(call({"proposals": [ITEM]}), call({"proposals": [other]})))
    assert [path for path, *_ in found(output)] == ["fee", "state"]
    half = asked(server, calling(call({"proposals": [ITEM]}), call("broken")))
    assert (half.unusable, len(half.proposals)) == (True, 1)


def test_row_041_malformed_items_are_dropped_and_counted(server):
    bad = [1, None, {}, {**ITEM, "fieldPath": " "}, {**ITEM, "excerpt": None}]
    without = {name: value for name, value in ITEM.items() if name != "value"}
    null = {**ITEM, "value": None}
    output = asked(server, calling(call({"proposals": [*bad, ITEM, without, null]})))
    assert found(output) == [("fee", 12, "Fee: 12"), ("fee", None, "Fee: 12")]
    assert output.malformed_items == MalformedItems(6, 8)
    assert not output.unusable
    every = asked(server, calling(call({"proposals": bad})))
    assert (every.unusable, every.malformed_items) == (True, MalformedItems(5, 5))


@pytest.mark.parametrize(
    ("member", "value", "kept", "told"),
    [
        ("confidence", None, False, False),
        ("confidence", "high", False, True),
        ("confidence", True, False, True),
        ("confidence", 1.4, True, False),
        ("occurrenceHint", 2, True, False),
        ("occurrenceHint", 1.5, False, False),
        ("occurrenceHint", "2", False, False),
        ("occurrenceHint", True, False, False),
        ("locator", "chars:0-1", False, False),
        ("producedBy", {}, False, False),
    ],
    ids=range(10),
)
def test_optional_members_of_an_item(server, member, value, kept, told):
    output = asked(server, calling(call({"proposals": [{**ITEM, member: value}]})))
    (proposal,) = output.proposals
    assert (member in proposal) is kept
    assert bool(output.warnings) is told


def test_rows_043_and_044_the_reason_of_the_end_decides(server):
    good = call({"proposals": [ITEM]})
    assert asked(server, calling(good, finish="length")).truncated
    assert not asked(server, calling(good, finish="stop")).truncated
    cut = asked(server, calling(call('{"proposals":[{"fieldPath'), finish="length"))
    assert (cut.truncated, cut.unusable) == (True, True)


def test_row_052_tokens_as_they_are_reported(server):
    for usage, tokens in (
        ({"total_tokens": 9, "prompt_tokens": 1}, 9),
        ({"prompt_tokens": 3, "completion_tokens": 4}, 7),
        ({"total_tokens": -1, "prompt_tokens": 2.5}, 0),
        ({"total_tokens": True}, 0),
        ("many", 0),
        (None, 0),
    ):
        assert asked(server, calling(usage=usage)).raw.tokens_used == tokens


def test_a_model_that_is_not_reported_is_the_configured_one(server):
    for reported in ("", None, 7):
        raw = asked(server, {**calling(), "model": reported}).raw
        assert (raw.model, raw.model_source) == ("test-model", "configured")


@pytest.mark.parametrize(
    ("status", "error", "kind", "retryable", "code"),
    [
        (
            401,
            {"code": "invalid_api_key", "message": f"wrong key {KEY}"},
            "authentication",
            False,
            "invalid_api_key",
        ),
        (403, {}, "authentication", False, None),
        (
            429,
            {"type": "insufficient_quota", "code": None},
            "rate-limit",
            True,
            "insufficient_quota",
        ),
        (408, {}, "timeout", True, None),
        (
            400,
            {"code": "context_length_exceeded"},
            "invalid-request",
            False,
            "context_length_exceeded",
        ),
        (404, "no such model", "invalid-request", False, None),
        (500, {"code": KEY}, "unavailable", True, None),
        (503, {"code": "x" * 129, "message": ["?"]}, "unavailable", True, None),
        (302, {}, "unknown", False, None),
    ],
    ids=[401, 403, 429, 408, 400, 404, 500, 503, 302],
)
def test_statuses_are_classified(server, status, error, kind, retryable, code):
    server.answers({"error": error}, status=status, headers={"Location": "http://127.0.0.1:1/"})
    failure = classify(failed(server))
    assert (failure.kind, failure.retryable, failure.code) == (kind, retryable, code)
    assert str(status) in failure.text
    assert KEY not in repr(failure)


def test_an_error_page_that_never_ends_is_left(server):
    def endless(handler):
        handler.send_response(500)
        handler.end_headers()
        for _ in range(20):
            handler.wfile.write(b"<html>" * 4096)

    server.respond = endless
    assert classify(failed(server)).kind == "unavailable"


def claims(length):
    def respond(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", length)
        handler.end_headers()
        handler.wfile.write(b"{")

    return respond


def floods(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(17):
        handler.wfile.write(b" " * 1024 * 1024)


def huge_header(handler):
    handler.send_response(200)
    for number in range(300):
        handler.send_header(f"X-{number}", "y" * 1024)
    handler.end_headers()


def packed(handler):
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Length", "4")
    handler.end_headers()
    handler.wfile.write(b"\x1f\x8b\x08\x00")


def garbage(handler):
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.7\r\n")


@pytest.mark.parametrize(
    ("trouble", "kind", "code"),
    [
        (claims(200 * 1024 * 1024), "unknown", "response-too-large"),
        (floods, "unknown", "response-too-large"),
        (claims(10), "unavailable", None),
        (claims("9" * 5000), "unavailable", None),
        (claims("many"), "unavailable", None),
        (huge_header, "unavailable", None),
        (packed, "unknown", "response-packed"),
        (garbage, "unavailable", None),
        (lambda handler: handler.connection.shutdown(socket.SHUT_RDWR), "unavailable", None),
    ],
    ids=["claim", "flood", "cut", "absurd", "no length", "header", "packed", "garbage", "hang up"],
)
def test_answers_that_are_none(server, trouble, kind, code):
    server.respond = trouble
    failure = classify(failed(server))
    assert (failure.kind, failure.code) == (kind, code)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"<html>busy</html>",
        b'{"choices":[{"message":{}}],"logprob":-Infinity}',
        b'{"choices":[{"message":{"content":"\\ud800"}}]}',
        b'{"choices":[],"choices":[]}',
        b'{"choices":[]}',
        b'{"choices":{"0":1}}',
        b'{"choices":[{"message":null}]}',
        b"[" * 100_000,
    ],
    ids=range(13),
)
def test_a_body_that_is_no_completion(server, body):
    server.answers(body, headers={"Content-Type": "text/html"})
    failure = classify(failed(server))
    assert (failure.kind, failure.code, failure.retryable) == (
        "unknown",
        "response-malformed",
        False,
    )


def test_a_completion_of_another_content_type_is_read(server):
    raw = json.dumps(calling(call({"proposals": [ITEM]}))).encode()
    server.answers(raw, headers={"Content-Type": "text/plain"})
    assert found(provider(server).extract(request("Fee: 12"))) == [("fee", 12, "Fee: 12")]


def test_a_server_that_holds_its_answer_times_out(server):
    server.holds()
    failure = classify(failed(server, timeout_seconds=0.2))
    assert (failure.kind, failure.retryable) == ("timeout", True)


def test_a_server_that_drips_does_not_outlast_the_timeout(server):
    def drips(handler):
        handler.send_response(200)
        handler.end_headers()
        while not server.release.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    server.respond = drips
    assert classify(failed(server, timeout_seconds=0.4)).kind == "timeout"


def test_a_server_that_is_not_there():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        one = OpenAIProvider(OpenAIOptions(model="m", base_url=url, key_env=None), {})
        with pytest.raises(ProviderCallError) as caught:
            one.extract(request("x"))
    failure = classify(caught.value)
    assert (failure.kind, failure.retryable) == ("unavailable", True)


def test_cancelling_ends_a_call_at_once(server):
    server.holds()
    cancel = threading.Event()
    raised = []

    def ask():
        try:
            provider(server).extract(request("x", cancel=cancel))
        except CancelledCallError as stopped:
            raised.append(stopped)

    thread = threading.Thread(target=ask)
    thread.start()
    assert server.arrived.wait(10)
    cancel.set()
    thread.join(10)
    assert len(raised) == 1
    assert not server.release.is_set()


def test_a_request_that_is_cancelled_already_is_not_sent(server):
    server.answers(calling())
    cancel = threading.Event()
    assert provider(server).extract(request("x", cancel=cancel))
    cancel.set()
    with pytest.raises(CancelledCallError):
        provider(server).extract(request("x", cancel=cancel))
    assert len(server.asked) == 1


def test_calls_from_several_threads_do_not_mix(server):
    server.mirrors(
        lambda body: calling(
            call(
                {
                    "proposals": [
                        {**ITEM, "value": int(FEE.search(body["messages"][0]["content"])[1])}
                    ]
                }
            )
        )
    )
    one = provider(server)
    outputs = [None] * 8

    def ask(place):
        outputs[place] = one.extract(request(f"Fee: {place}"))

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [output.proposals[0]["candidateValue"] for output in outputs] == list(range(8))


def test_the_key_is_in_no_representation(server):
    one = provider(server)
    server.answers(calling())
    output = one.extract(request("x"))
    shown = f"{one!r}{one}{one.name}{output!r}{OpenAIOptions(model='m')!r}{one.capabilities!r}"
    assert KEY not in shown


def test_a_proxy_of_the_environment_is_not_asked(server, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert asked(server, calling(call({"proposals": [ITEM]}))).proposals


@pytest.mark.parametrize(
    ("model", "base_url", "name"),
    [
        ("gpt-5", "https://api.openai.com/v1", "openai-compatible:gpt-5@api.openai.com"),
        ("gpt-5", "http://LOCALHOST:11434/v1/", "openai-compatible:gpt-5@localhost:11434"),
        ("llama 3 (8b)", "http://h/v1", "openai-compatible:llama-3--8b-@h"),
        ("m", "http://[::1]:8080/v1", "openai-compatible:m"),
        ("m", "http://b\u00fccher.example/v1", "openai-compatible:m"),
        ("//u", "http://h/v1", "openai-compatible://u"),
    ],
    ids=range(6),
)
def test_defect_24_names_are_identities(model, base_url, name):
    options = OpenAIOptions(model=model, base_url=base_url, key_env=None)
    one = OpenAIProvider(options, {})
    assert one.name == name
    assert is_identity(one.name)


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "https://u:p@h/v1"},
        {"base_url": "https://u@h/v1"},
        {"base_url": "ftp://h/v1"},
        {"base_url": "h/v1"},
        {"base_url": "https:///v1"},
        {"base_url": "https://h/v1?key=1"},
        {"base_url": "https://h/v1#x"},
        {"base_url": "https://h:99999/v1"},
        {"base_url": "https://[::1/v1"},
        {"base_url": "https://h/ v1"},
        {"base_url": "https://h/v1\r\nX: 1"},
        {"proxy": "nothing"},
        {"model": " "},
        {"key_env": "NOT_SET"},
        {"key_env": "BLANK"},
        {"key_env": "TWO_LINES"},
        {"key_env": "WIDE"},
    ],
    ids=range(17),
)
def test_options_with_which_no_call_can_succeed(options):
    environ = {"K": KEY, "BLANK": "", "TWO_LINES": f"{KEY}\r\nX: 1", "WIDE": f"{KEY}\u00e9"}
    good = {"model": "m", "key_env": "K"}
    assert OpenAIProvider(OpenAIOptions(**good), environ)
    with pytest.raises(ExtractionError) as caught:
        OpenAIProvider(OpenAIOptions(**{**good, **options}), environ)
    assert caught.value.code == "provider-options-invalid"
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "guess"},
        {"cap_member": "tokens"},
        {"output_cap": 0},
        {"timeout_seconds": 0},
        {"timeout_seconds": float("nan")},
    ],
    ids=range(5),
)
def test_options_out_of_range_are_misuse(options):
    with pytest.raises(ValueError, match=r"is|positive|called"):
        OpenAIProvider(OpenAIOptions(model="m", **options), {"OPENAI_API_KEY": KEY})


def test_without_httpx_it_says_what_to_install(monkeypatch):
    options = OpenAIOptions(model="m", key_env=None)
    assert OpenAIProvider(options, {})
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(ExtractionError) as caught:
        OpenAIProvider(options, {})
    assert caught.value.code == "extra-not-installed"


ENVIRON = {"OPENAI_API_KEY": "sesame"}
PLAIN = ["http://example.com/v1", "http://10.0.0.7:8000/v1", "http://localhost.example.com/v1"]
LOOPBACK = [
    "http://localhost:1/v1",
    "http://127.0.0.1:1/v1",
    "http://127.8.9.1/v1",
    "http://[::1]/v1",
]


@pytest.mark.parametrize("url", [*PLAIN, "HTTP://example.com/v1", "http://2130706433/v1"])
def test_a_key_is_not_sent_in_the_clear_to_another_machine(url):
    made = OpenAIProvider(OpenAIOptions(model="m", base_url="https://example.com/v1"), ENVIRON)
    assert made.name == "openai-compatible:m@example.com"
    with pytest.raises(ExtractionError) as caught:
        OpenAIProvider(OpenAIOptions(model="m", base_url=url), ENVIRON)
    assert caught.value.code == "provider-options-invalid"
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("url", [*LOOPBACK, *PLAIN])
def test_without_a_key_or_when_it_is_allowed_plain_http_is_asked(url):
    assert OpenAIProvider(OpenAIOptions(model="m", base_url=url, key_env=None), {})
    assert OpenAIProvider(OpenAIOptions(model="m", base_url=url, allow_plain_http=True), ENVIRON)
    if url in LOOPBACK:
        assert OpenAIProvider(OpenAIOptions(model="m", base_url=url), ENVIRON)


def test_a_proxy_could_read_a_key_that_stays_on_this_machine():
    options = OpenAIOptions(model="m", base_url=LOOPBACK[0], proxy="http://proxy.example:3128")
    with pytest.raises(ExtractionError) as caught:
        OpenAIProvider(options, ENVIRON)
    assert caught.value.code == "provider-options-invalid"
