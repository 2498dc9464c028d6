"""The terminal monitor of runs in progress."""

from __future__ import annotations

import os
import shutil

import pytest

pytest.importorskip("textual")

from textual.widgets import Input

from schedlab.watch.terminal.dialogs import ChoiceDialog
from schedlab.watch.terminal.panels import Heading
from schedlab.watch.terminal.player import YEAR, LivePlayer, ReplayPlayer, StoppedRunError

from .conftest import SECONDS
from .screens import screen_text, until, watching


def test_a_live_run_is_paused_stepped_and_sped_up(start):
    process = start()

    @watching(process.path)
    async def check(app, pilot):
        player = app.player
        assert isinstance(player, LivePlayer)
        assert player.paused
        await pilot.press("s")
        await until(pilot, lambda: app.player.view.run["time"]["time_points"] == 1)
        await pilot.press("right", "right")
        await until(pilot, lambda: app.player.view.run["time"]["time_points"] == 3)
        await pilot.press("minus")
        assert player.speed == YEAR
        while player.speed != 3600:
            await pilot.press("minus")
        await until(pilot, lambda: "paused, then 1 h/s" in screen_text(app))
        await pilot.press("plus")
        await until(pilot, lambda: "paused, then 6 h/s" in screen_text(app))
        await pilot.press("minus")
        await pilot.press("space")
        assert not player.paused
        await until(pilot, lambda: (player.run.mode, player.run.speed) == ("run", 3600.0))
        before = app.frame.moment.time
        await until(pilot, lambda: app.frame.moment.time > before)
        await pilot.press("space")
        await until(pilot, lambda: player.run.mode == "pause")
        await until(pilot, lambda: "paused" in screen_text(app))
        await pilot.press("left")  # which it cannot
        assert isinstance(app.player, LivePlayer)


def test_a_live_run_goes_to_a_time_and_stays_there(start):
    process = start()

    @watching(process.path)
    async def check(app, pilot):
        assert "paused, then as fast as it can" in screen_text(app)
        await pilot.press("j")
        await until(pilot, lambda: "from here: +2h" in screen_text(app))
        assert "-2h" not in screen_text(app)
        app.screen.query_one(Input).value = "50000"
        await pilot.press("enter")
        await until(pilot, lambda: app.frame.moment.time > 49_000)
        await until(pilot, lambda: app.player.until is None)
        assert app.frame.moment.time <= 50_000
        assert app.player.paused
        await pilot.press("j")
        app.screen.query_one(Input).value = "10000"
        await pilot.press("enter")
        await until(pilot, lambda: "already" in screen_text(app))
        await pilot.press("escape", "enter")
        await until(pilot, lambda: "expected end" in screen_text(app))


def test_a_live_run_ends_while_it_is_watched(start):
    process = start()

    @watching(process.path)
    async def check(app, pilot):
        await pilot.press("space")
        await until(pilot, lambda: isinstance(app.player, ReplayPlayer))
        await until(pilot, lambda: app.frame.moment.counts["completed"] == 300)
        await until(pilot, lambda: "REPLAY" in screen_text(app))
        assert app.player.paused
        assert app.frame.moment.time == app.player.view.last
        await pilot.press("home", "s")
        await until(pilot, lambda: app.frame.moment.time < app.player.view.last)

    assert process.process.wait(SECONDS) == 0


def test_a_live_run_is_killed_while_it_is_watched(start):
    process = start()

    @watching(process.path)
    async def check(app, pilot):
        process.kill()
        await until(pilot, lambda: app.stopped)
        await until(pilot, lambda: "STOPPED" in screen_text(app))
        await until(pilot, lambda: "stopped before its end" in screen_text(app))
        await pilot.press("space", "s", "plus", "r")  # nothing can be done any more
        assert app.query_one(Heading).ended == "STOPPED"
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


def test_a_killed_run_is_not_taken_for_the_one_before_it(start, finished):
    process = start()
    player = LivePlayer(process.open())
    shutil.copy(os.path.join(finished, "run.json"), process.path)
    player.look_for_the_end()  # it is still there
    process.kill()
    with pytest.raises(StoppedRunError):
        player.look_for_the_end()


def test_a_run_that_leaves_nothing_to_replay(start):
    process = start(300, "--jobs", "none", "--timeline", "none")

    @watching(process.path)
    async def check(app, pilot):
        await pilot.press("space")
        await until(pilot, lambda: app.stopped)
        await until(pilot, lambda: "has no jobs to show" in " ".join(screen_text(app).split()))


def test_quitting_asks_what_becomes_of_a_paused_run(start):
    process = start()

    @watching(process.path)
    async def check(app, pilot):
        await pilot.press("q")
        assert isinstance(app.screen, ChoiceDialog)
        await pilot.press("escape")
        assert app.is_running
        await pilot.press("q", "down", "down", "enter")  # stay
        assert app.is_running
        await pilot.press("q", "down", "enter")  # leave it paused
        await until(pilot, lambda: not app.is_running)

    assert process.process.poll() is None

    @watching(process.path)
    async def check_again(app, pilot):
        assert app.player.paused
        await pilot.press("q", "enter")  # let it continue
        await until(pilot, lambda: not app.is_running)

    assert process.process.wait(SECONDS) == 0
