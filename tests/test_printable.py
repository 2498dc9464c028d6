"""Text of files never steers a terminal: in errors, on standard output and error, in tables."""

from __future__ import annotations

import ast
import io
import json
import sys
import unicodedata
from pathlib import Path

import pytest
from fuzz.harness import require_printable, run_command
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.cli.streams import PrintableStream
from schedlab.cli.terminal import Console
from schedlab.errors import InputError
from schedlab.printable import printable

RED = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202e"
JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
SOURCES = Path(schedlab.__file__).parent


def test_every_character_that_steers_is_written_out() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        steers = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if steers and character not in "\n\t" + JOINERS:
            assert printable(character).isascii(), hex(code)
            assert printable(character).isprintable()
            assert json.loads(f'"{printable(character)}"') == character
        elif unicodedata.category(character) != "Cn":
            assert printable(character) == character, hex(code)


@given(st.text())
def test_what_is_printable_stays_so(text: str) -> None:
    require_printable(printable(text))
    assert printable(printable(text)) == printable(text)
    assert not text.isprintable() or printable(text) == text


def test_errors_can_be_printed() -> None:
    assert str(InputError(f"{RED}: no such file")).startswith(r"\u001b[31mred")
    with pytest.raises(InputError) as caught:
        schedlab.simulate([], system=f"{RED}.toml")
    require_printable(str(caught.value))


def test_print_and_consoles_write_nothing_that_steers() -> None:
    file = io.StringIO()
    print(RED, file=PrintableStream(file))
    Console(file=file, force_terminal=True, color_system=None, highlight=False).print(RED)
    require_printable(file.getvalue())
    assert file.getvalue().count(r"\u001b[31mred") == 2


def test_colours_of_our_own_reach_the_terminal() -> None:
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="standard").print("x", style="red")
    assert file.getvalue() == "\x1b[31mx\x1b[0m\n"


def test_commands_print_no_escape_sequences_of_files(tmp_path: Path) -> None:
    log = tmp_path / "a.swf"
    log.write_text(f"; Computer: {RED}\n; Queue: 1 {RED}\n1 0 0 9 1 9 9 1 9 9 1 1 1 1 1 1 -1 -1\n")
    assert r"\u001b[31mred" in run_command("workload", "inspect", str(log))
    with pytest.raises(InputError, match="u001b"):
        run_command("workload", "inspect", str(tmp_path / f"{RED}.swf"))


def test_commands_print_on_our_console_alone() -> None:
    """A console of rich's, made elsewhere, would print escape sequences of files."""
    for path in (SOURCES / "cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module in ("rich", "rich.console"):
                names = {name.name for name in node.names}
                assert not names & {"Console", "print"} or path.name == "terminal.py", path
