"""The line that shows how far a run is."""

from __future__ import annotations

from time import monotonic
from types import SimpleNamespace

import pytest

from schedlab.cli import progress
from schedlab.cli.progress import ProgressLine, busy


@pytest.fixture
def line(monkeypatch):
    """Returns a function that makes a line, whose texts are kept instead of shown."""
    monkeypatch.setattr(progress, "SECONDS_BEFORE_FIRST", 0.0)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_UPDATES", 0.0)
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)

    def make(**options):
        made = ProgressLine(**options)
        made.texts = []
        made._update = lambda share, text: made.texts.append(text)
        return made

    return make


def simulation(**more):
    counts = {"completed": 5, "killed": 1, "failed": 0, "rejected": 2}
    facts = {
        "share_read": 0.5,
        "now": 3600,
        "start_time": 1_000_000_000,
        "paused": False,
        "header": {},
    }
    return SimpleNamespace(**{"counts": counts} | facts | more)


@pytest.mark.parametrize(("long", "terminal"), [(True, True), (False, True), (True, False)])
def test_what_takes_its_time_is_shown_on_a_terminal(monkeypatch, capsys, long, terminal):
    monkeypatch.setattr(progress, "SECONDS_BEFORE_FIRST", 0.0 if long else 60.0)
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    shown = ""
    with busy("drawing [gantt]"):
        until = monotonic() + (5 if long and terminal else 0.1)
        while monotonic() < until and "[gantt]" not in shown:
            shown += capsys.readouterr().err
    assert ("[gantt]" in shown) == (long and terminal)


def test_a_run_that_goes_on_shows_jobs_date_speed_and_time_left(line):
    shown = line()
    shown(simulation())
    share, jobs, date, speed, left = shown.texts[0].split(" · ")
    assert (share, jobs, date) == ("50%", "8 jobs", "2001-09-09 02:46")
    assert speed.endswith(" jobs/s")
    assert left.endswith(" left")


def test_a_paused_run_shows_how_to_go_on(line):
    shown = line(folder="my results/easy")
    shown(simulation(paused=True))
    assert shown.texts == [
        "2001-09-09 02:46 · paused, continue with: schedlab watch 'my results/easy'"
    ]


def test_the_time_of_a_pause_counts_in_no_speed(line, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    shown = line()
    now[0] = 2.0
    shown(simulation())
    for _ in range(100):  # a hundred seconds of pause
        now[0] += 1
        shown(simulation(paused=True))
    now[0] += 1
    shown(simulation())
    assert "4 jobs/s" in shown.texts[0]
    assert "2 jobs/s" in shown.texts[-1]  # 8 jobs in 2 + 1 + 1 seconds
