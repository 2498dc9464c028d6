"""Ctrl-C names the code that does not return: class, line and simulated time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import schedlab as sl

MODULE = """
import itertools, os, time
import schedlab as sl

def reached():
    open("reached", "w").close()

class Endless(sl.Scheduler):
    def schedule(self, state):
        reached()
        while True:
            pass

class Sleeping(sl.Scheduler):
    def schedule(self, state):
        reached()
        time.sleep(1000)
        yield

class Slow(sl.Scheduler):
    def __init__(self):
        self.calls = 0

    def get_state(self):
        return {"calls": self.calls}

    def set_state(self, state):
        self.calls = state["calls"]

    def schedule(self, state):
        self.calls += 1
        if self.calls == 1 and not os.path.exists("again"):
            reached()
            time.sleep(2)
        yield from (job for job in state.queue if state.machine.fits(job))

class Stubborn(sl.Scheduler):
    def schedule(self, state):
        while True:
            try:
                reached()
                while True:
                    pass
            except:
                pass

class Native(sl.Scheduler):
    def schedule(self, state):
        reached()
        sum(itertools.count())

class Place(sl.Allocator):
    def place(self, job, machine):
        reached()
        while True:
            pass

class Data(sl.AdditionalData):
    def update(self, state):
        reached()
        while True:
            pass

class Read(sl.Reader):
    def jobs(self):
        yield sl.Job(1, 0, 1)
        yield sl.Job(2, 5, 1)
        reached()
        while True:
            pass

def factory(job):
    reached()
    while True:
        pass

def order(job):
    reached()
    while True:
        pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "their.py").write_text(textwrap.dedent(MODULE))
    sl.write_swf(tmp_path / "w.swf", [(i, 7, -1, 10, 1, -1, -1, 1, 20) + (-1,) * 9 for i in (1, 2)])
    (tmp_path / "s.toml").write_text("[groups.all]\nnodes = 1\nresources = { core = 1 }\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupted(folder, *options, signals=1, number=signal.SIGINT, command="run"):
    """Sends signals once the code is reached; returns the exit code and what was printed."""
    # A signal that is ignored here (nohup: SIGHUP) would be ignored there too.
    default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", command, "w.swf", "--system", "s.toml", *options],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(number, default),
    )
    for _ in range(signals):
        while not os.path.exists("reached") and process.poll() is None:
            time.sleep(0.01)
        if os.path.exists("reached"):
            os.unlink("reached")
        time.sleep(0.2)
        process.send_signal(number)
    return process.wait(120), process.stderr.read()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--scheduler", "their:Endless"], "in Endless.schedule() (their.py:) at 7 s"),
        (["--scheduler", "their:Sleeping"], "in Sleeping.schedule() (their.py:) at 7 s"),
        (["--allocator", "their:Place"], "in Place.place() (their.py:) at 7 s"),
        (["--data", "their:Data"], "in Data.update() (their.py:) at 7 s"),
        (["--reader", "their:Read"], "in Read.jobs() (their.py:) at"),
        (["--job-factory", "their:factory"], "in factory() (their.py:)"),
        (["--scheduler", "easy(order=their:order)"], "in order() (their.py:) at 7 s"),
    ],
)
def test_the_call_is_named(folder, options, expected):
    code, printed = interrupted(folder, *options)
    assert code == 1
    call, _, rest = expected.partition("their.py:")
    assert f"{call}their.py:" in printed, printed
    assert rest.partition(")")[2] in printed, printed
    assert "nothing was kept" in printed


def test_what_ended_is_kept(folder):
    code, printed = interrupted(folder, "--scheduler", "their:Endless", "--out", "run")
    assert (code, "what ended so far is in run" in printed) == (1, True)
    assert sl.Result.load("run").run["status"] == "interrupted"


def test_a_second_time_nothing_can_be_caught(folder):
    code, printed = interrupted(folder, "--scheduler", "their:Stubborn", signals=2)
    assert code == 1
    assert "interrupted in Stubborn.schedule() (their.py:" in printed


def test_code_in_c_is_named_when_the_process_is_quit(folder):
    code, printed = interrupted(folder, "--scheduler", "their:Native", number=signal.SIGQUIT)
    assert code == -signal.SIGQUIT
    assert 'their.py", line' in printed
    assert "in schedule" in printed


def test_runs_of_an_experiment_are_named_and_ended(folder):
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "schedlab", "compare", "w.swf", "--system", "s.toml"),
            *("--schedulers", "fifo,their:Endless", "--out", "out", "--no-report"),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    while not os.path.exists("reached") and process.poll() is None:
        time.sleep(0.01)
    time.sleep(4)  # it is named after two seconds
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 1
    assert "in Endless.schedule() (their.py:" in process.stderr.read()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_other_signals_do_what_ctrl_c_does(folder, number, code):
    ended, printed = interrupted(
        folder, "--scheduler", "their:Endless", "--out", "run", number=number
    )
    assert (ended, "ended by a signal in Endless.schedule()" in printed) == (code, True), printed
    assert "what ended so far is in run" in printed
    assert sl.Result.load("run").run["status"] == "interrupted"
    assert sorted(os.listdir("run")) == ["jobs.csv", "run.json", "timeline.csv"]


def test_sigterm_writes_a_checkpoint_where_there_are_checkpoints(folder):
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "schedlab", "run", "w.swf", "--system", "s.toml"),
            *("--pause", "--checkpoint-every", "1h", "--out", "run"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    while not os.path.exists("run/timeline.csv.part") and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    assert "continue with: schedlab run --resume run\n" in process.stderr.read()
    assert sorted(os.listdir("run")) == ["checkpoint.state", "jobs.csv.part", "timeline.csv.part"]
    sl.resume("run")
    whole = sl.simulate("w.swf", system="s.toml")
    assert sl.compare_schedules("run", whole).identical


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_first_signal_waits_for_a_call_where_there_are_checkpoints(folder, number):
    options = ["--scheduler", "their:Slow", "--checkpoint-every", "1h", "--out", "a run"]
    code, printed = interrupted(folder, *options, number=number)
    assert code == (143 if number == signal.SIGTERM else 1)
    assert "continue with: schedlab run --resume 'a run' --trust-code\n" in printed, printed
    assert sorted(os.listdir("a run")) == ["checkpoint.state", "jobs.csv.part", "timeline.csv.part"]
    (folder / "again").touch()
    sl.resume("a run", trust_code=True)
    whole = sl.simulate("w.swf", system="s.toml", scheduler="their:Slow")
    assert sl.compare_schedules("a run", whole).identical


def test_a_second_signal_does_not_wait(folder):
    options = ["--scheduler", "their:Sleeping", "--checkpoint-every", "1h", "--out", "run"]
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", "run", "w.swf", "--system", "s.toml", *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    while not os.path.exists("reached") and process.poll() is None:
        time.sleep(0.01)
    for _ in range(2):
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    assert "ended by a signal in Sleeping.schedule()" in process.stderr.read()


def test_a_call_that_takes_long_is_not_waited_for(folder):
    options = ["--scheduler", "their:Endless", "--checkpoint-every", "1h", "--out", "run"]
    code, printed = interrupted(folder, *options, number=signal.SIGTERM)
    assert (code, "ended by a signal in Endless.schedule()" in printed) == (143, True), printed
    assert "what ended so far is in run" in printed


def test_hanging_up_is_ignored_under_nohup(folder):
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "schedlab", "run", "w.swf", "--system", "s.toml"),
            *("--scheduler", "their:Sleeping"),
        ],
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    while not os.path.exists("reached") and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143


def test_sigterm_leaves_an_earlier_file_and_nothing_else(folder):
    (folder / "x.csv").write_text("earlier")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "schedlab", "workload", "convert", "w.swf", "x.csv"),
            *("--reader", "their:Read", "--force"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    while not os.path.exists("reached") and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    assert "ended by SIGTERM" in process.stderr.read()
    assert (folder / "x.csv").read_text() == "earlier"
    assert not [name for name in os.listdir() if name.startswith(".")]


def test_an_experiment_that_is_terminated_leaves_no_parts(folder):
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "schedlab", "compare", "w.swf", "--system", "s.toml"),
            *("--schedulers", "their:Sleeping", "--out", "out", "--no-report"),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    while not os.path.exists("reached") and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    assert "the same command resumes from there" in process.stderr.read()
    left = [str(one) for one in folder.glob("out/runs/*/*/*")]
    assert left == [str(folder / "out/runs/Sleeping+first-fit/01/experiment-run.json")]
