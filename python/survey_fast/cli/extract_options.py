"""The options that say who proposes and how, for every command that has values proposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import click
from click.core import ParameterSource

from survey_fast.cli.command import SECONDS, WORDS
from survey_fast.cli.extract_provider import OFFLINE, OPENAI, ProviderOptions, chosen_provider
from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.provider import ExtractionProvider
from survey_fast.extraction.task import Task
from survey_fast.limits import ImportLimits

__all__ = [
    "asked_provider",
    "asking_options",
    "check_provider_usage",
    "provider_option",
    "provider_options",
    "refuse_given",
    "run_settings",
    "source_options",
]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator: TypeAlias = "Callable[[Decorated], Decorated]"

_TYPES: Final = ("text", "html", "transcript", "pdf")
_LARGEST: Final = 1 << 53
_COUNT: Final = click.IntRange(1, _LARGEST)
_CALL_SECONDS: Final = type(SECONDS)(1, 3600)
_OF_OPENAI: Final = (
    *("model", "base_url", "key_env", "no_key", "allow_plain_http", "mode", "timeout"),
)


def _all(*options: Decorator[Any]) -> Decorator[Any]:
    """Several options as one decorator, in the order in which help shows them."""

    def decorated(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


provider_option: Final = click.option(
    "--provider",
    metavar="NAME",
    type=WORDS,
    default=OFFLINE,
    show_default=True,
    help="Who proposes. offline: what stands behind each label of the task at its first place in "
    "each chunk, without a network; it says what it passed over. pattern: the same at every place, "
    "so a second value is a conflict, and each place of a [] path a row. openai: a model behind an "
    "OpenAI-compatible server. MODULE:NAME: a function or provider of yours, which gets a request "
    "(request.content is the text) and returns a list with {fieldPath, candidateValue, excerpt} "
    "for each value; the number of a row stands in its path, as in lineItems[0].",
)
source_options: Final = _all(
    click.option(
        "--content-type",
        type=click.Choice(_TYPES),
        help="What the sources are, instead of going by their extension.",
    ),
    click.option(
        "--charset",
        metavar="NAME",
        type=WORDS,
        help="Character set of the sources; a byte order mark wins.  [default: what a page "
        "declares, else UTF-8]",
    ),
    click.option(
        "--errors",
        type=click.Choice(("strict", "replace")),
        default="strict",
        show_default=True,
        help="What to do with bytes that do not decode: refuse the source, or put U+FFFD and say "
        "so.",
    ),
    click.option(
        "--truncate", is_flag=True, help="Cut a text that is too long instead of refusing it."
    ),
)
asking_options: Final = _all(
    click.option("--base-url", metavar="URL", type=WORDS, help="openai: the server, up to /v1."),
    click.option(
        "--key-env",
        metavar="NAME",
        type=WORDS,
        help="openai: the environment variable that holds the key; never the key.  "
        "[default: OPENAI_API_KEY]",
    ),
    click.option("--no-key", is_flag=True, help="openai: the server takes no key."),
    click.option(
        "--allow-plain-http",
        is_flag=True,
        help="openai: send the key over http:// to another machine, where others can read it.",
    ),
    click.option(
        "--mode",
        type=click.Choice(("tools", "json_schema", "json")),
        default="tools",
        show_default=True,
        help="openai: how the answer is asked for; the last two are for servers without tools.",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=_CALL_SECONDS,
        help="openai: the longest a call may take.  [default: 120]",
    ),
    click.option(
        "--retries",
        metavar="N",
        type=click.IntRange(0, 10),
        default=0,
        show_default=True,
        help="Further attempts after a call that failed for a while; each counts as a call.",
    ),
    click.option(
        "--concurrency",
        metavar="N",
        type=click.IntRange(1, 256),
        help="Calls at once  [default: 1]",
    ),
    click.option("--max-calls", metavar="N", type=_COUNT, help="Most calls of one extraction."),
    click.option("--max-tokens", metavar="N", type=_COUNT, help="No call once so many were used."),
    click.option(
        "--max-chunks", metavar="N", type=_COUNT, help="Most chunks to read  [default: all]"
    ),
    click.option(
        "--chunk-size", metavar="N", type=_COUNT, help="Characters of a chunk.  [default: 12000]"
    ),
    click.option(
        "--chunk-overlap",
        metavar="N",
        type=click.IntRange(0, _LARGEST),
        help="Characters that two neighbouring chunks share; less than a chunk.  [default: 200]",
    ),
)


def check_provider_usage(rest: Mapping[str, Any]) -> None:
    """Refuse options of a provider that was not asked for, or of a key that is not sent.

    Raises click.UsageError.
    """
    if rest["provider"] != OPENAI:
        refuse_given(_OF_OPENAI, "needs --provider openai")
    if rest["no_key"]:
        refuse_given(("key_env", "allow_plain_http"), "is about a key, and --no-key sends none")


def refuse_given(names: Sequence[str], why: str) -> None:
    """Refuse those of ``names`` that the command line gives. Raises click.UsageError."""
    context = click.get_current_context()
    options = {one.name: one.opts[0] for one in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            message = f"{options[name]} {why}"
            raise click.UsageError(message)


def provider_options(rest: Mapping[str, Any]) -> ProviderOptions:
    """The options of a provider, out of all that the command line gives."""
    return ProviderOptions(
        model=rest["model"],
        base_url=rest["base_url"],
        key_env=rest["key_env"],
        has_key=not rest["no_key"],
        mode=rest["mode"],
        timeout=rest["timeout"],
        retries=rest["retries"],
        allow_plain_http=rest["allow_plain_http"],
    )


def asked_provider(rest: Mapping[str, Any], task: Task) -> ExtractionProvider:
    """The provider that was asked for; raises as ``chosen_provider``."""
    return chosen_provider(rest["provider"], task, provider_options(rest))


def run_settings(rest: Mapping[str, Any], caps: ImportLimits) -> dict[str, Any]:
    """Members of ``RunOptions`` that are the same for every source."""
    settings: dict[str, Any] = {
        "truncate": rest["truncate"],
        "charset": rest["charset"],
        "errors": rest["errors"],
        "max_chunks": rest["max_chunks"],
        "limits": caps,
        "budgets": Budgets(
            max_provider_calls=rest["max_calls"],
            max_total_tokens=rest["max_tokens"],
            concurrency=rest["concurrency"],
        ),
    }
    sizes = {name: rest[name] for name in ("chunk_size", "chunk_overlap")}
    return settings | {name: size for name, size in sizes.items() if size is not None}
