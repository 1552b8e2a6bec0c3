"""One bounded HTTP exchange: a time for all of it, a cap on the answer, a sign to stop.

1. The exchange happens in a thread of its own. The caller waits for it, for the end of its time
   or for the sign to stop, whichever comes first; a thread that nobody waits for any more ends
   with its socket's own timeout and keeps nothing.
2. The answer is taken as it comes over the line, unpacked by nobody, and left at 16 MiB.
3. No redirect is followed, and neither environment nor configuration files are read, so headers
   go to the named host only.
4. What goes wrong is a ProviderCallError in words of this module: it holds neither headers nor
   text of the answer.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from survey_fast.errors import refusal
from survey_fast.extraction.failure import CancelledCallError, ProviderCallError
from survey_fast.extraction.provider import Cancellation

__all__ = ["RESPONSE_BYTES", "Answered", "HttpPost"]

RESPONSE_BYTES: Final = 16 * 1024 * 1024
"""Bytes of an answer."""
_ERROR_BYTES: Final = 64 * 1024
"""Bytes of an answer that reports an error; more is not read."""
_FIRST_ERROR: Final = 400
_POLL_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class Answered:
    """Status and body of an answer."""

    status: int
    body: bytes


class HttpPost:
    """Posts JSON to one address, from any number of threads.

    Args:
        url: where to.
        headers: sent along; never shown.
        timeout_seconds: for the whole exchange.
        proxy: address of a proxy, if one is to be used.

    Raises:
        ExtractionError: ``extra-not-installed``: httpx is not there;
            ``provider-options-invalid``: the address or the proxy is none.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        timeout_seconds: float,
        proxy: str | None = None,
    ) -> None:
        self._httpx = _httpx()
        self._headers = {
            **headers,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
        }
        self._timeout = timeout_seconds
        try:
            self._url = self._httpx.URL(url)
            self._proxy = None if proxy is None else self._httpx.Proxy(proxy)
        except (ValueError, TypeError, self._httpx.InvalidURL):
            message = "the address of the server, or of its proxy, is no URL"
            raise refusal("provider-options-invalid", message) from None
        # Reading the certificates takes a while, and a plain address has no use for them. Were it
        # to ask for encryption all the same, a context that trusts nobody refuses.
        is_plain = self._url.scheme == "http"
        self._ssl = (
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            if is_plain
            else self._httpx.create_ssl_context(trust_env=False)
        )

    def send(self, body: bytes, cancel: Cancellation | None = None) -> Answered:
        """Post ``body`` and wait for the answer.

        Raises:
            ProviderCallError: no answer, one that breaks off, or one over the cap.
            CancelledCallError: the sign to stop came first.
        """
        exchange = _Exchange(self, body)
        exchange.start()
        try:
            self._await(exchange, cancel)
        finally:
            exchange.is_abandoned = True
        if exchange.answered is not None:
            return exchange.answered
        raise self._failure(exchange.fault)

    def _await(self, exchange: _Exchange, cancel: Cancellation | None) -> None:
        end = time.monotonic() + self._timeout
        while True:
            left = end - time.monotonic()
            if exchange.done.wait(left if cancel is None else min(left, _POLL_SECONDS)):
                return
            if cancel is not None and cancel.is_set():
                message = "the run was cancelled during the call"
                raise CancelledCallError(message)
            if left <= 0:
                raise _timed_out()

    def _failure(self, fault: BaseException | None) -> ProviderCallError:
        if isinstance(fault, ProviderCallError):
            return fault
        if isinstance(fault, self._httpx.TimeoutException):
            return _timed_out()
        name = type(fault).__name__
        if isinstance(fault, self._httpx.TransportError):
            message = f"the server was not reached, or broke off ({name})"
            return ProviderCallError(message, kind="unavailable")
        message = f"the request could not be made ({name})"
        return ProviderCallError(message, kind="unknown")

    def exchange(self, body: bytes, exchange: _Exchange) -> Answered:
        """One exchange with a connection of its own; for the thread that makes it."""
        with (
            self._httpx.Client(
                verify=self._ssl,
                trust_env=False,
                timeout=self._timeout,
                proxy=self._proxy,
                follow_redirects=False,
            ) as client,
            client.stream("POST", self._url, content=body, headers=self._headers) as response,
        ):
            status: int = response.status_code
            return Answered(status, _body(response, exchange))


class _Exchange:
    """What the caller and the thread know of one another."""

    def __init__(self, post: HttpPost, body: bytes) -> None:
        self._post = post
        self._body = body
        self.done = threading.Event()
        self.is_abandoned = False
        self.answered: Answered | None = None
        self.fault: BaseException | None = None

    def start(self) -> None:
        threading.Thread(target=self._run, name="provider-call", daemon=True).start()

    def _run(self) -> None:
        try:
            self.answered = self._post.exchange(self._body, self)
        # The caller says what it was; a thread that dies of it would say it to nobody.
        except Exception as fault:  # noqa: BLE001
            self.fault = fault
        finally:
            self.done.set()


def _body(response: Any, exchange: _Exchange) -> bytes:  # noqa: ANN401 - httpx is optional
    is_error = response.status_code >= _FIRST_ERROR
    most = _ERROR_BYTES if is_error else RESPONSE_BYTES
    announced = response.headers.get("content-length", "")
    if not is_error and announced.isdecimal() and len(announced) < 19 and int(announced) > most:  # noqa: PLR2004
        raise _too_large()
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        message = "the answer is packed, although that was not asked for"
        raise ProviderCallError(message, code="response-packed", kind="unknown", retryable=False)
    parts: list[bytes] = []
    size = 0
    for part in response.iter_raw():
        size += len(part)
        if exchange.is_abandoned:
            break
        if size > most:
            if is_error:
                break
            raise _too_large()
        parts.append(part)
    return b"".join(parts)


def _timed_out() -> ProviderCallError:
    message = "the answer did not come in the time allowed"
    return ProviderCallError(message, kind="timeout")


def _too_large() -> ProviderCallError:
    message = f"the answer has more than the {RESPONSE_BYTES} bytes allowed"
    return ProviderCallError(message, code="response-too-large", kind="unknown", retryable=False)


def _httpx() -> ModuleType:
    try:
        import httpx  # noqa: PLC0415 - an extra, needed by those who ask a model
    except ImportError:
        message = "asking a model needs httpx: pip install 'survey-fast[openai]'"
        raise refusal("extra-not-installed", message) from None
    return httpx
