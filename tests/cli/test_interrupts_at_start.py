"""Ctrl-C from the first line of the program to the last: one line, an exit code, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

import schedlab as sl

BEGUN = """
import os, sys
from schedlab import early_interrupts

install = early_interrupts.leave_when_interrupted

def begin():
    install()
    os.write(int(sys.argv.pop(1)), b"x")

early_interrupts.leave_when_interrupted = begin
from schedlab.__main__ import main
main()
"""
"""The program as its script calls it; it says when it has begun. What comes before is Python's."""

COMMANDS = {
    "version": ["--version"],
    "run": ["run", "w.swf", "--system", "s.toml", "--out", "out", "--force"],
    "compare": ["compare", "w.swf", "--system", "s.toml", "--out", "all", "--force"],
    "inspect": ["workload", "inspect", "w.swf"],
    "convert": ["workload", "convert", "w.swf", "w.parquet", "--force"],
    "status": ["status", "."],
    "doctor": ["doctor"],
    "dashboard": ["dashboard", ".", "--port", "0"],
}
DELAYS = [0.001, 0.04, 0.09, 0.15, 0.3]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    sl.write_swf(tmp_path / "w.swf", [(i, 7, -1, 10, 1, -1, -1, 1, 20) + (-1,) * 9 for i in (1, 2)])
    (tmp_path / "s.toml").write_text("[groups.all]\nnodes = 1\nresources = { core = 1 }\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupted(command: list[str], seconds: float) -> tuple[int, str]:
    """Interrupts a command so long after it began; returns the exit code and what it said."""
    sign, say = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", BEGUN, str(say), *command],
        pass_fds=[say],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    ) as process:
        os.close(say)
        assert os.read(sign, 1) == b"x"
        os.close(sign)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=120)[1].decode()
    return process.returncode, errors


@pytest.mark.parametrize("command", COMMANDS)
def test_no_traceback_at_any_time(folder, command):
    for seconds in DELAYS:
        code, errors = interrupted(COMMANDS[command], seconds)
        assert "Traceback" not in errors, errors
        assert "internal error" not in errors, errors
        assert "Exception ignored" not in errors, errors
        # 0: it was done before; the signal itself: while the interpreter ends, without a word.
        assert code in (0, 1, -signal.SIGINT), (code, errors)
        if code == 1:
            assert "interrupted" in errors, errors
        assert not [name for name in os.listdir() if ".part" in name or ".schedlab-" in name]


def test_what_python_does_before_the_program_begins_is_all_that_shows(folder):
    """Signals from the start of the process on: whatever is raised then is raised in Python."""
    for milliseconds in range(1, 120, 12):
        process = subprocess.Popen(
            [sys.executable, "-m", "schedlab", "--version"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=120)[1].decode()
        ours = [line for line in errors.splitlines() if os.sep + "schedlab" + os.sep in line]
        begun = [line for line in ours if not line.strip().split('"')[1].endswith(EARLY)]
        assert not begun, errors


EARLY = ("schedlab/__init__.py", "schedlab/__main__.py", "schedlab/early_interrupts.py")


def test_where_interrupts_are_ignored_they_stay_so(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", "--version"],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as a shell does for &
    )
    for _ in range(20):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    assert process.communicate(timeout=120)[0].startswith("schedlab ")
    assert process.returncode == 0
