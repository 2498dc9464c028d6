"""Plain command lines: read as typer reads them, or left to it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from schedlab.cli import COMMANDS
from schedlab.cli.declaring import Argument, Group, parameters_of
from schedlab.cli.reading import arguments_of, call_of
from schedlab.cli.run import run
from schedlab.cli.typed import typed


def leaves(group: Group, *names: str) -> Iterator[tuple[str, Callable[..., None]]]:
    for name in group.homes:
        found = group.load(name)
        if isinstance(found, Group):
            yield from leaves(found, *names, name)
        else:
            yield " ".join([*names, name]), found


LEAVES = dict(leaves(COMMANDS))


class ReadByTyper:
    """A command that keeps what typer hands to it."""

    def __init__(self, command: Callable[..., None]) -> None:
        def keep(**arguments: Any) -> None:
            self._arguments = arguments

        keep.parameters = parameters_of(command)  # type: ignore[attr-defined]
        made = typer.Typer(add_completion=False)
        made.command("x")(typed(keep))
        self._command = typer.main.get_command(made)

    def __call__(self, words: list[str]) -> dict[str, Any] | None:
        """Returns the arguments; None where typer refuses the words, or shows help."""
        self._arguments: dict[str, Any] | None = None
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                self._command.main(words, prog_name="x", standalone_mode=False)
            except Exception as error:
                if not hasattr(error, "format_message"):  # of a usage error
                    raise
        return self._arguments


READ_BY_TYPER = {name: ReadByTyper(command) for name, command in LEAVES.items()}
VALUES = ("", "a", "-", "7", "-3", "0", "99999999", "2.5", "1e3", "1_0", " 4", "٣", "--json", "nan")
NAMES = st.sampled_from([name for name in LEAVES for _ in parameters_of(LEAVES[name])])


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A command and words for it: flags of its own with values of any kind, and other words."""
    name = draw(NAMES)
    flags = [flag for one in parameters_of(LEAVES[name]) for flag in one.flags if flag[:1] == "-"]
    words: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        value = draw(st.sampled_from(VALUES))
        flag = draw(st.sampled_from([*flags, "--", "--nothing", "-h"]))
        words += draw(st.sampled_from([[flag], [flag, value], [f"{flag}={value}"], [value]]))
    return name, words


@given(command_lines())
def test_what_is_plain_is_what_typer_reads(line):
    name, words = line
    plain = arguments_of(parameters_of(LEAVES[name]), words)
    if plain is not None:
        read = READ_BY_TYPER[name](words)
        assert read is not None
        assert {one: (type(value), value) for one, value in plain.items()} == {
            one: (type(value), value) for one, value in read.items()
        }


def test_most_of_what_typer_reads_is_plain():
    """Of each command, each option and each argument."""
    for name, command in LEAVES.items():
        parameters = parameters_of(command)
        words = []
        for one in parameters:
            value = {int: ["7"], float: ["2.5"], bool: []}.get(one.kind, ["a"])
            words += value if isinstance(one.declaration, Argument) else [one.flags[0], *value]
        plain = arguments_of(parameters, words)
        assert plain is not None, name
        assert plain == READ_BY_TYPER[name](words)


@pytest.mark.parametrize(
    "words", [[], ["--version"], ["nothing"], ["run", "-h"], ["workload"], ["workload", "-h"]]
)
def test_what_needs_an_answer_is_not_plain(words):
    assert call_of(COMMANDS, words) is None


def test_groups_on_the_way_are_returned():
    groups, command, arguments = call_of(COMMANDS, ["workload", "generate", "lublin", "--out", "x"])
    assert [next(iter(group.homes)) for group in groups] == ["demo", "inspect", "accasim"]
    assert (command, arguments["out"]) == (LEAVES["workload generate lublin"], "x")
    assert call_of(COMMANDS, ["run", "w.swf"])[1] is run
