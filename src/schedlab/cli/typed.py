"""The command line as typer has it: help, completion, and what is said of mistakes.

It is made of the same declarations by which plain command lines are read (`reading.py`).
"""

from __future__ import annotations

import inspect
import sys
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from schedlab.cli.declaring import Argument, Group, Parameter, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INTERRUPTED = 130
"""What typer makes of Ctrl-C."""


class CommandGroup(TyperGroup):
    """The commands; called as typer's are, they are run as the program runs them."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        """Runs a command and leaves with its exit code."""
        from schedlab.cli import run_words

        run_words(sys.argv[1:] if args is None else args)

    def call(self, words: Sequence[str]) -> int:
        """Does what words say and returns the exit code; raises what typer says of mistakes."""
        try:
            # Errors become messages and exit codes in one place, which is not typer's.
            code = super().main(list(words), prog_name="schedlab", standalone_mode=False)
        except typer.Abort:
            raise KeyboardInterrupt from None
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0


def call(words: Sequence[str]) -> int:
    """Does what a command line says and returns the exit code."""
    group = typer.main.get_command(app())
    assert isinstance(group, CommandGroup)
    return group.call(words)


@cache
def app() -> typer.Typer:
    """Returns all commands."""
    from schedlab.cli import COMMANDS

    made = typer.Typer(
        cls=CommandGroup,
        name="schedlab",
        context_settings={"help_option_names": ["-h", "--help"]},
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        epilog="Start with: schedlab demo",
    )
    made.callback(help=COMMANDS.meaning)(_whole)
    return _filled(made, COMMANDS)


def _whole(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version and exit.",
            callback=lambda wanted: _print_version(wanted),
            is_eager=True,
        ),
    ] = False,
) -> None:
    _require_command(context)


def _print_version(wanted: bool) -> None:
    if wanted:
        from schedlab import __version__

        print(f"schedlab {__version__}")
        raise typer.Exit


def _require_command(context: typer.Context) -> None:
    """Shows the help of a group that was called without one of its commands."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(2)


def _filled(made: typer.Typer, group: Group) -> typer.Typer:
    """Returns what was given, with the commands of a group."""
    for name in group.homes:
        found = group.load(name)
        if isinstance(found, Group):
            inner = typer.Typer(invoke_without_command=True, epilog=_example(found))
            inner.callback(help=found.meaning)(_begin(found))
            made.add_typer(_filled(inner, found), name=name)
        else:
            made.command(name, epilog=_example(found), help=inspect.getdoc(found))(typed(found))
    return made


def _example(found: Group | Callable[..., None]) -> str:
    """Returns the last line of --help, which each module of a command has."""
    if isinstance(found, Group):
        assert found.example is not None
        return _example(found.load(found.example))
    return str(sys.modules[found.__module__].EXAMPLE)


def _begin(group: Group) -> Callable[[typer.Context], None]:
    def begin(context: typer.Context) -> None:
        if group.begin is not None:
            group.begin()
        _require_command(context)

    return begin


def typed(command: Callable[..., None]) -> Callable[..., None]:
    """Returns a command as typer wants to see it."""

    def called(**arguments: Any) -> None:
        command(**arguments)

    called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if one.default is ... else one.default,
                annotation=Annotated[one.annotation, _declaration(one)],
            )
            for one in parameters_of(command)
        ]
    )
    return called


def _declaration(one: Parameter) -> Any:
    said = one.declaration
    if isinstance(said, Argument):
        return typer.Argument(metavar=said.metavar, help=said.help, show_default=said.show_default)
    return typer.Option(
        *said.flags,
        metavar=said.metavar,
        help=said.help,
        rich_help_panel=said.panel,
        autocompletion=_completion(said.words) if said.words else None,
        show_default=said.show_default,
        min=said.least,
        max=said.largest,
    )


def _completion(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]
