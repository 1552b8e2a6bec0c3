"""Who proposes: the provider that ``--provider`` and the options beside it name.

What a module of the user prints goes to standard error: standard output is the command's.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import click

from survey_fast.extraction.provider import ExtractionProvider
from survey_fast.extraction.task import Task

__all__ = [
    "OFFLINE",
    "OPENAI",
    "PATTERN",
    "REPRODUCIBLE",
    "ProviderOptions",
    "chosen_provider",
    "described_provider",
]

OFFLINE: Final = "offline"
PATTERN: Final = "pattern"
OPENAI: Final = "openai"
REPRODUCIBLE: Final = frozenset({OFFLINE, PATTERN})
"""Providers that are functions of what they are given."""
_MODE: Final = "tools"


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """The options of providers that have some."""

    model: str | None
    base_url: str | None
    key_env: str | None
    has_key: bool
    mode: str
    timeout: float | None
    retries: int
    allow_plain_http: bool = False


def chosen_provider(name: str, task: Task, options: ProviderOptions) -> ExtractionProvider:
    """The provider of that name.

    Raises:
        click.UsageError: no provider has that name, or it lacks an option.
        ExtractionError: its options cannot work, or an optional part is not installed.
    """
    provider: ExtractionProvider
    if name == OFFLINE:
        from survey_fast.extraction.providers.offline import OfflineProvider

        provider = OfflineProvider(task.projections)
    elif name == PATTERN:
        from survey_fast.extraction.providers.every_label import EveryLabelProvider

        provider = EveryLabelProvider(task.projections)
    elif name == OPENAI:
        provider = _openai(options)
    else:
        provider = _own(name)
    if not options.retries:
        return provider
    from survey_fast.extraction.providers.retrying import RetryingProvider

    return RetryingProvider(provider, sleep=time.sleep, further_attempts=options.retries)


def _openai(options: ProviderOptions) -> ExtractionProvider:
    from survey_fast.extraction.providers.openai import OpenAIOptions, OpenAIProvider

    if options.model is None:
        message = "--provider openai needs --model"
        raise click.UsageError(message)
    told: dict[str, Any] = {"model": options.model, "mode": options.mode}
    if options.base_url is not None:
        told["base_url"] = options.base_url
    if options.timeout is not None:
        told["timeout_seconds"] = options.timeout
    told["allow_plain_http"] = options.allow_plain_http
    if not options.has_key:
        told["key_env"] = None
    elif options.key_env is not None:
        told["key_env"] = options.key_env
    return OpenAIProvider(OpenAIOptions(**told), os.environ)


def _own(name: str) -> ExtractionProvider:
    """A function or provider of the user's, from the working folder or from what is installed."""
    module_name, colon, attribute = name.partition(":")
    if not (module_name and colon and attribute):
        message = f"{name!r} is no provider: offline, pattern, openai or MODULE:NAME"
        raise click.UsageError(message)
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        with redirect_stdout(sys.stderr):
            found: Any = import_module(module_name)
            for part in attribute.split("."):
                found = getattr(found, part)
    except KeyboardInterrupt:
        raise
    # A script that was not written to be imported may well call sys.exit.
    except BaseException as fault:
        message = f"{name!r} cannot be loaded: {type(fault).__name__}: {fault}"
        raise click.UsageError(message) from fault
    if isinstance(found, type):
        message = f"{name!r} is a class; name a function, or an instance that has extract(request)"
        raise click.UsageError(message)
    if callable(getattr(found, "extract", None)):
        provider: ExtractionProvider = found
        return provider
    if not callable(found):
        message = f"{name!r} is neither a function nor a provider"
        raise click.UsageError(message)
    from survey_fast.extraction.providers.function import FunctionProvider

    return FunctionProvider(found)


def described_provider(
    name: str, options: ProviderOptions, provider: ExtractionProvider
) -> dict[str, Any]:
    """What a run keeps of a provider, ``{kind, name, model?, options}``; never a key.

    Kept is what can change an answer and is not the default: which server and how it is asked, or
    which function. How long to wait and how often to try again is not.
    """
    if name in REPRODUCIBLE:
        return {"kind": name, "name": provider.name, "options": {}}
    if name != OPENAI:
        return {"kind": "python", "name": provider.name, "options": {"function": name}}
    told = {} if options.base_url is None else {"baseUrl": options.base_url}
    if options.mode != _MODE:
        told["mode"] = options.mode
    return {"kind": OPENAI, "name": provider.name, "model": options.model, "options": told}
