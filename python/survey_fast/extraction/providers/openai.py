"""Models behind an OpenAI-compatible server: one message, one forced call, one answer.

1. How the answer is asked for is chosen, never guessed: a tool, a JSON schema, or plain JSON for
   servers that know neither.
2. The key is taken from a mapping under the name of an environment variable. It goes into one
   header and is in no representation, no failure and no envelope. Without encryption it goes to
   this machine only, unless that is allowed explicitly.
3. A call is one request; further attempts are made by a wrapper that counts them.
4. What a server says about itself is data: model, tokens, the reason for its end. Anything that
   does not fit is left out or makes the answer unusable, and ends nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from math import isfinite
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from survey_fast.canon import data_json
from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.failure import CancelledCallError, ProviderCallError
from survey_fast.extraction.identity import as_identity, is_identity
from survey_fast.extraction.provider import (
    CAPABILITIES,
    Capabilities,
    ExtractionRequest,
    MalformedItems,
    ProviderOutput,
    Raw,
)
from survey_fast.extraction.providers.answer import ToolAnswer, read_answer
from survey_fast.extraction.providers.completion import Completion, read_completion, read_error
from survey_fast.extraction.providers.http_post import Answered, HttpPost
from survey_fast.extraction.providers.prompt import (
    TOOL_DESCRIPTION,
    TOOL_NAME,
    ToolSchema,
    prompt_text,
    tool_schema,
)

__all__ = ["CapMember", "Mode", "OpenAIOptions", "OpenAIProvider"]

Mode: TypeAlias = Literal["tools", "json_schema", "json"]
CapMember: TypeAlias = Literal["max_completion_tokens", "max_tokens"]
_MODES: Final = ("tools", "json_schema", "json")
_CAP_MEMBERS: Final = ("max_completion_tokens", "max_tokens")
_OK: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIOptions:
    """How a server is asked. No member is secret.

    Attributes:
        model: the model's name there.
        base_url: the address before ``/chat/completions``.
        key_env: name of the variable that holds the key; ``None`` sends no key.
        mode: how the answer is asked for.
        cap_member: the name under which the server takes the output cap.
        output_cap: tokens of an answer.
        timeout_seconds: for a whole call.
        strict: ask for the strict dialect of schemas, where the fields allow it.
        proxy: address of a proxy. The environment is not consulted.
        max_concurrency: calls that the server takes at once.
        allow_plain_http: send the key over http:// to a host that is not this machine.
    """

    model: str
    base_url: str = "https://api.openai.com/v1"
    key_env: str | None = "OPENAI_API_KEY"
    mode: Mode = "tools"
    cap_member: CapMember = "max_completion_tokens"
    output_cap: int = 2048
    timeout_seconds: float = 120.0
    strict: bool = True
    proxy: str | None = None
    max_concurrency: int | None = None
    allow_plain_http: bool = False


class OpenAIProvider:
    """Asks a model for proposals.

    Args:
        options: how.
        environ: where ``options.key_env`` is looked up.

    Raises:
        ExtractionError: ``extra-not-installed``: httpx is not there;
            ``provider-options-invalid``: the address, the key or the model's name cannot work, or
            everybody on the way to the server could read the key.
        ValueError: an option outside its range.
    """

    def __init__(self, options: OpenAIOptions, environ: Mapping[str, str]) -> None:
        _check_ranges(options)
        host = _host(options.base_url)
        self._options = options
        _check_key_is_safe(options)
        self._key = _key(options.key_env, environ)
        self.name: str = _name(options.model, host)
        self.capabilities: Capabilities | None = Capabilities(
            frozenset(CAPABILITIES), options.max_concurrency
        )
        self._post = HttpPost(
            options.base_url.rstrip("/") + "/chat/completions",
            {} if self._key is None else {"Authorization": f"Bearer {self._key}"},
            timeout_seconds=options.timeout_seconds,
            proxy=options.proxy,
        )

    def __repr__(self) -> str:
        return f"OpenAIProvider(name={self.name!r})"

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """Ask about one chunk.

        Raises:
            ProviderCallError: no answer, an error, or one that is no completion.
            CancelledCallError: the run was cancelled.
        """
        if request.is_cancelled():
            message = "the run was cancelled before the call"
            raise CancelledCallError(message)
        schema = tool_schema(request.target_schema, strict=self._options.strict)
        answered = self._post.send(data_json(self._body(request, schema)), request.cancel)
        if answered.status != _OK:
            raise self._refused(answered)
        # The same for every chunk of a run, so the first one tells it.
        notes = schema.notes if request.chunk_index == 0 else ()
        return self._output(read_completion(answered.body), notes)

    def _body(self, request: ExtractionRequest, schema: ToolSchema) -> dict[str, Any]:
        options = self._options
        shown = schema.parameters if options.mode == "json" else None
        body: dict[str, Any] = {
            "model": options.model,
            options.cap_member: options.output_cap,
            "messages": [{"role": "user", "content": prompt_text(request, shown)}],
        }
        parameters = dict(schema.parameters)
        if options.mode == "tools":
            function = {
                "name": TOOL_NAME,
                "description": TOOL_DESCRIPTION,
                "parameters": parameters,
                "strict": schema.is_strict,
            }
            body["tools"] = [{"type": "function", "function": function}]
            body["tool_choice"] = {"type": "function", "function": {"name": TOOL_NAME}}
        elif options.mode == "json_schema":
            named = {"name": TOOL_NAME, "schema": parameters, "strict": schema.is_strict}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        else:
            body["response_format"] = {"type": "json_object"}
        return body

    def _refused(self, answered: Answered) -> ProviderCallError:
        error = read_error(answered.body)
        message = f"the server answered {answered.status}"
        return ProviderCallError(
            self._without_key(f"{message}: {error.text}" if error.text else message),
            status=answered.status,
            code=None if error.code is None else self._without_key(error.code),
        )

    def _without_key(self, text: str) -> str:
        return text if self._key is None else text.replace(self._key, "(key)")

    def _output(self, completion: Completion, notes: tuple[str, ...]) -> ProviderOutput:
        answers, others = completion.content(), 0
        if self._options.mode == "tools":
            answers, others = completion.arguments(TOOL_NAME)
        read = [read_answer(one, self.name) for one in answers]
        if others:
            notes = (*notes, f"{others} calls of another tool left out")
        is_reported = completion.model is not None
        return ProviderOutput(
            proposals=[one for answer in read for one in answer.proposals],
            raw=Raw(
                "\n".join(one for one in answers if isinstance(one, str)),
                completion.model if is_reported else self._options.model,
                "provider-reported" if is_reported else "configured",
                completion.tokens,
            ),
            warnings=(*notes, *(note for answer in read for note in answer.notes)),
            truncated=completion.is_truncated,
            missing_tool_call=not answers,
            unusable=any(answer.is_unusable for answer in read),
            malformed_items=_malformed(read),
        )


def _malformed(read: Sequence[ToolAnswer]) -> MalformedItems | None:
    counted = [answer.malformed_items for answer in read if answer.malformed_items is not None]
    dropped = sum(one.dropped for one in counted)
    if not dropped:
        return None
    return MalformedItems(dropped, dropped + sum(len(answer.proposals) for answer in read))


def _check_ranges(options: OpenAIOptions) -> None:
    """Raises ValueError; a wrong option is a fault of the caller, not of any data."""
    if options.mode not in _MODES:
        message = f"a mode is one of {', '.join(_MODES)}, not {options.mode!r}"
        raise ValueError(message)
    if options.cap_member not in _CAP_MEMBERS:
        message = f"the output cap is called {' or '.join(_CAP_MEMBERS)}"
        raise ValueError(message)
    if options.output_cap < 1:
        message = f"the output cap is a positive number of tokens, not {options.output_cap}"
        raise ValueError(message)
    if not (isfinite(options.timeout_seconds) and options.timeout_seconds > 0):
        message = f"a timeout is a positive number of seconds, not {options.timeout_seconds}"
        raise ValueError(message)


def _invalid(message: str, about: str | None = None) -> SurveyError:
    details = None if about is None else {"about": about}
    return refusal("provider-options-invalid", message, None, details)


def _host(base_url: str) -> str:
    """Host and port of an address that can be asked."""
    try:
        base = urlsplit(base_url)
        is_complete = base.scheme in {"http", "https"} and base.hostname and base.port != 0
    except ValueError:
        raise _invalid("the base URL is no URL") from None
    if not is_complete or not base_url.isprintable() or " " in base_url:
        raise _invalid("the base URL is http:// or https:// with a host")
    if base.username is not None or base.password is not None:
        raise _invalid(
            "the base URL carries a credential; name the variable of a key instead", "key"
        )
    if base.query or base.fragment:
        raise _invalid("the base URL ends with its path; a query or fragment has no place in it")
    return base.netloc.lower()


def _check_key_is_safe(options: OpenAIOptions) -> None:
    base = urlsplit(options.base_url)
    if options.key_env is None or options.allow_plain_http or base.scheme == "https":
        return
    # A proxy sees everything that is not encrypted, wherever the server is.
    if options.proxy is not None or not _is_loopback(base.hostname or ""):
        message = (
            "over http:// the key could be read on its way to the server; use https://, send no "
            "key, or allow plain http explicitly"
        )
        raise _invalid(message, "plain-http")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _key(name: str | None, environ: Mapping[str, str]) -> str | None:
    if name is None:
        return None
    key = environ.get(name, "")
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        message = (
            f"the environment variable {name} holds no key; set it, or say that the server needs "
            "none"
        )
        raise _invalid(message, "key")
    return key


def _name(model: str, host: str) -> str:
    name = as_identity(f"openai-compatible:{model}")
    if not has_content(model) or not is_identity(name):
        raise _invalid("the model has no name that an envelope can hold")
    with_host = f"{name}@{host}"
    return with_host if is_identity(with_host) else name
