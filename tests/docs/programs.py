"""Commands of schedlab in this process: to start Python for each of them took most of the time."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from typing import NamedTuple

import pytest

from schedlab.cli import app


class Done(NamedTuple):
    """A command that has ended."""

    code: int
    printed: str
    complaints: str


def run_program(command: str) -> Done:
    """Runs a command as it is typed into a shell.

    Args:
        command: `schedlab` and its arguments.
    """
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    assert program == "schedlab", f"{command}: is not a command of schedlab"
    printed, complaints = io.StringIO(), io.StringIO()
    sys.argv = [program, *arguments]  # some files say which command made them
    for name, module in list(sys.modules.items()):  # a program reads the files of the folder anew
        if (getattr(module, "__file__", None) or "").startswith(os.getcwd()):
            del sys.modules[name]
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(complaints),
        pytest.raises(SystemExit) as left,
    ):
        app(arguments, prog_name="schedlab")
    return Done(int(left.value.code or 0), printed.getvalue(), complaints.getvalue())
