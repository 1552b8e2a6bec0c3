"""Help that teaches, and starts quickly because it loads little."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from typing import get_args

import click
import pytest

from survey_fast.cli import cli
from survey_fast.cli.command import SurveyCommand
from survey_fast.cli.contents import SECTIONS
from survey_fast.cli.importing import SOURCE_KINDS
from survey_fast.model.item import SourceKind

COMMANDS = [entry.name for entries in SECTIONS.values() for entry in entries]


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_every_command_under_its_section(run, flag):
    result = run(flag)
    assert result.exit_code == 0
    places = [result.stdout.index(f"{title}:") for title in SECTIONS]
    assert places == sorted(places)
    for name in COMMANDS:
        assert f"\n  {name} " in result.stdout


def test_a_family_lists_its_commands_and_no_others(run):
    result = run("session", "--help")
    assert result.exit_code == 0
    for name in COMMANDS:
        assert (f"\n  {name} " in result.stdout) is name.startswith("session ")


@pytest.mark.parametrize("wrong", [["session"], ["session", "dance"], ["session", "--json"]])
def test_a_family_without_a_command_of_its_own_is_wrong_usage(run, wrong):
    assert run(*wrong).exit_code == 2


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["verfy"], "Did you mean verify?"),
        (["Verify"], "Did you mean verify?"),
        (["shw"], "Did you mean session show?"),
        (["validate"], "Did you mean bundle validate?"),
        (["sesion", "new"], "Did you mean session?"),
        (["session", "shw"], "Did you mean show?"),
        (["bundle", "reprot"], "Did you mean report?"),
    ],
)
def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(run, words, meant):
    result = run(*words)
    assert result.exit_code == 2
    assert meant in result.stderr
    assert meant in json.loads(run(*words, "--json").stdout)["error"]["message"]


@pytest.mark.parametrize("word", ["dance", "", "x" * 10_000, "\x1b[31m"])
def test_a_word_like_none_is_answered_with_no_command(run, word):
    result = run(word)
    assert result.exit_code == 2
    assert "Did you mean" not in result.stderr
    assert "\x1b" not in result.stderr


def test_without_a_command_the_contents_are_shown_and_the_exit_is_usage(run):
    result = run()
    assert result.exit_code == 2
    assert "Start here:" in result.stderr


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_shows_an_example_and_its_exit_codes(run, name, flag):
    result = run(*name.split(), flag)
    assert result.exit_code == 0
    assert f"survey-fast {name}" in result.stdout.split("Example", 1)[1]
    codes = result.stdout.split("Exit codes:", 1)[1]
    assert [f"\n  {code}  " in codes for code in (0, 1, 2)] == [True, True, True]
    assert "--json" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_is_explained(name):
    command = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert isinstance(command, SurveyCommand)
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    assert list(command.arguments) == [one.metavar for one in arguments]
    assert all(one.help for one in command.params if isinstance(one, click.Option))


def test_the_version_is_the_installed_one(run):
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"survey-fast {version('survey-fast')}\n"


def test_help_loads_neither_the_core_nor_what_draws_tables():
    code = (
        "import sys\n"
        "from survey_fast.cli import cli\n"
        "cli.main(['--help'], 'survey-fast', standalone_mode=False)\n"
        "heavy = {'rich', 'pydantic', 'survey_fast._core', 'survey_fast.imports'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_source_kinds_are_those_of_the_model():
    assert get_args(SourceKind) == SOURCE_KINDS
