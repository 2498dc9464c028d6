"""The terminal monitor of finished runs."""

from __future__ import annotations

import os
import subprocess
import sys

import polars
import pytest

pytest.importorskip("textual")

from textual.widgets import Input, OptionList

import schedlab as sl
from schedlab.errors import InputError
from schedlab.watch import terminal
from schedlab.watch.terminal import watch_in_terminal
from schedlab.watch.terminal.dialogs import Ask, FactsDialog, Help, Nodes
from schedlab.watch.terminal.job_tables import QueueTable, RunningTable
from schedlab.watch.terminal.node_map import NodeMap
from schedlab.watch.terminal.panels import Heading, Overview, short
from schedlab.watch.terminal.player import SPEEDS, YEAR, ReplayPlayer

from .screens import screen_text, until, watching


def test_a_replay_plays_pauses_steps_and_ends(finished):
    @watching(finished)
    async def check(app, pilot):
        player = app.player
        assert isinstance(player, ReplayPlayer)
        assert not player.paused
        await until(pilot, lambda: app.frame.moment.time > player.view.first + 100)
        await pilot.press("space")
        assert player.paused
        assert player.speed == pytest.approx((player.view.last - player.view.first) / 120)
        place = player.time()
        await pilot.press("s")
        assert player.time() == player.view.next_time(place)
        await pilot.press("right", "left")
        assert player.time() == player.view.next_time(place)
        await pilot.press("end")
        await until(pilot, lambda: app.frame.moment.time == player.view.last)
        assert "at the end" in screen_text(app)
        await pilot.press("s")
        assert player.time() == player.view.last
        await pilot.press("home")
        await until(pilot, lambda: app.frame.moment.time == player.view.first)
        await pilot.press("end", "space")  # plays from the start again
        assert not player.paused
        assert player.time() < player.view.last / 2


def test_a_replay_stops_at_its_end(finished):
    @watching(finished)
    async def check(app, pilot):
        app.player.set_speed(YEAR)
        await until(pilot, lambda: app.player.paused)
        await until(pilot, lambda: app.frame.moment.time == app.player.view.last)


def test_speeds_go_up_and_down(finished):
    @watching(finished)
    async def check(app, pilot):
        player = app.player
        await pilot.press("space")
        place, before = player.time(), player.speed
        await pilot.press("plus")
        assert player.speed == min(speed for speed in SPEEDS if speed > before)
        await pilot.press("minus")
        assert player.speed == max(speed for speed in SPEEDS if speed < before)
        assert player.time() == place
        for _ in SPEEDS:
            await pilot.press("minus")
        assert player.speed == 1
        for _ in SPEEDS:
            await pilot.press("plus")
        assert player.speed == YEAR


def test_jumping_in_a_replay(finished):
    @watching(finished)
    async def check(app, pilot):
        assert not app.player.paused
        await pilot.press("j")
        await until(pilot, lambda: "from here: +2h, -2h" in screen_text(app))
        assert isinstance(app.screen, Ask)
        app.screen.query_one(Input).value = "never"
        await pilot.press("enter")
        await until(pilot, lambda: "is not a time" in screen_text(app))
        app.screen.query_one(Input).value = "900d"
        await pilot.press("enter")
        await until(pilot, lambda: "the run goes from" in screen_text(app))
        app.screen.query_one(Input).value = "2024-01-01 12:00"
        await pilot.press("enter")
        await until(pilot, lambda: app.frame.moment.time == 43_200)
        await until(pilot, lambda: "2024-01-01 12:00:00" in screen_text(app))
        assert app.player.paused  # it stays there, though it played before
        assert "paused, then" in screen_text(app)
        await pilot.press("j")
        app.screen.query_one(Input).value = "-2h"
        await pilot.press("enter")
        await until(pilot, lambda: app.frame.moment.time == 36_000)


def test_what_the_screen_shows_is_the_moment(finished):
    @watching(finished)
    async def check(app, pilot):
        await pilot.press("space")
        app._jump_to("50000")
        await until(pilot, lambda: app.frame.moment.time == 50_000)
        moment = app.player.view.at(50_000)
        await pilot.pause()
        shown = screen_text(app)
        assert f"{moment.counts['queued']} queued" in shown
        assert f"{moment.counts['running']} running" in shown
        assert f"of {short(1024)}" in shown
        running, queue = app.query_one(RunningTable), app.query_one(QueueTable)
        assert set(running.ids) == set(moment.running["job_id"])
        assert queue.ids == moment.queue["job_id"].to_list()


def test_a_job_is_picked_in_a_table(finished):
    @watching(finished)
    async def check(app, pilot):
        await pilot.press("space")
        app._jump_to("50000")
        await until(pilot, lambda: app.frame.moment.time == 50_000)
        table = app.query_one(RunningTable)
        await pilot.press("down", "down")
        picked = table.ids[2]
        assert table.selected == picked
        await pilot.press("enter")
        assert isinstance(app.screen, FactsDialog)
        await until(pilot, lambda: f"job {picked}" in screen_text(app))
        row, shown = app.player.view.job(picked), screen_text(app)
        assert f"{row['start']:,.0f} s" in shown
        assert "expected end" in shown
        await pilot.press("escape", "tab", "enter")  # the first one of the queue
        assert isinstance(app.screen, FactsDialog)
        await until(pilot, lambda: "has waited" in screen_text(app))
        await pilot.press("escape")
        app.player.jump(app.player.view.last)
        app._again()
        await until(pilot, lambda: not table.ids)
        await pilot.press("shift+tab", "enter")  # nothing there to pick
        assert not isinstance(app.screen, FactsDialog)


def test_a_job_is_found_by_its_number(finished):
    @watching(finished)
    async def check(app, pilot):
        await pilot.press("space", "f")
        app.screen.query_one(Input).value = "99999"
        await pilot.press("enter")
        await until(pilot, lambda: "has no such job" in screen_text(app))
        app.screen.query_one(Input).value = "17"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, FactsDialog))
        await until(pilot, lambda: "job 17" in screen_text(app))


def test_a_node_is_picked_in_the_map(finished):
    @watching(finished)
    async def check(app, pilot):
        await pilot.press("space")
        app._jump_to("50000")
        await until(pilot, lambda: app.frame.moment.time == 50_000)
        await pilot.press("shift+tab", "right", "down", "left")
        node_map = app.query_one(NodeMap)
        assert node_map.has_focus
        assert node_map.cursor == app.frame.layout.per_row
        await pilot.press("enter")
        assert isinstance(app.screen, Nodes)
        await until(pilot, lambda: f"node {node_map.cursor}" in screen_text(app))
        here = app.frame.held.filter(polars.col("node") == node_map.cursor)
        options = app.screen.query_one(OptionList)
        listed = [options.get_option_at_index(i).id for i in range(options.option_count)]
        assert set(listed) == set(map(str, here["job_id"])) != set()
        await pilot.press("enter")
        await until(pilot, lambda: type(app.screen) is FactsDialog)
        await until(pilot, lambda: f"job {listed[0]}" in screen_text(app))


def test_the_map_shows_other_resources(finished):
    @watching(finished)
    async def check(app, pilot):
        assert app.frame.kind == "core"
        await pilot.press("r")
        await until(pilot, lambda: app.frame.kind == "mem")
        assert (app.frame.picture.place < 0).all()  # no job of a trace takes any
        await until(pilot, lambda: "64 nodes by mem" in screen_text(app))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (60, 16)])
def test_it_fits_any_terminal(finished, size):
    @watching(finished, size)
    async def check(app, pilot):
        await pilot.press("space")
        app._jump_to("50000")
        await until(pilot, lambda: app.frame.moment.time == 50_000)
        node_map = app.query_one(NodeMap)

        def fits():
            layout, room = app.frame.layout, node_map.content_size
            wide = layout.label + layout.per_row * (layout.bar + layout.gap)
            return layout.rows <= room.height and wide - layout.gap <= room.width

        await until(pilot, fits)
        shown = screen_text(app)
        assert "2024-01-01 13:53:20" in shown
        assert "q quit" in shown
        assert all(len(line) <= size[0] for line in shown.splitlines())
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)


def test_a_terminal_that_becomes_small(finished):
    @watching(finished, (200, 60))
    async def check(app, pilot):
        await pilot.press("space")
        await pilot.resize_terminal(80, 24)
        node_map = app.query_one(NodeMap)
        await until(pilot, lambda: node_map.content_size.width < 40)
        await until(pilot, lambda: app.maker.size == tuple(node_map.content_size))
        await until(pilot, lambda: app.frame.layout.rows <= node_map.content_size.height)
        await until(pilot, lambda: app.query_one(Overview).curve_width == app.maker.bins)
        await until(pilot, lambda: app.frame.curves.height == app.maker.bins)


def test_a_run_of_one_job(tmp_path):
    machine = {"groups": {"n": {"nodes": 1, "resources": {"core": 8}}}}
    sl.simulate([sl.Job(1, submit=0, run=100)], system=machine, out=tmp_path)

    @watching(str(tmp_path), (80, 24))
    async def check(app, pilot):
        await pilot.press("space", "home")
        await until(pilot, lambda: app.query_one(RunningTable).ids == [1])
        await until(pilot, lambda: "1 node by core" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: "1 node: 0" in screen_text(app))


def test_a_run_in_which_nothing_ran(tmp_path):
    machine = {"groups": {"n": {"nodes": 1, "resources": {"core": 1}}}}
    sl.simulate([sl.Job(1, submit=5, run=1, processors=9)], system=machine, out=tmp_path)

    @watching(str(tmp_path), (80, 24))
    async def check(app, pilot):
        await until(pilot, lambda: "1 rejected" in screen_text(app))
        await pilot.press("space", "s", "left", "enter", "tab", "enter", "home", "end", "plus")
        assert app.player.paused or app.player.time() == app.player.view.last


def test_it_needs_a_terminal(finished, monkeypatch):
    done = subprocess.run(
        [sys.executable, "-m", "schedlab", "watch", finished],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "needs a terminal; schedlab status" in done.stderr
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(InputError, match="schedlab status"):
        watch_in_terminal(finished)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(terminal, "_has_colours", lambda: False)
    with pytest.raises(InputError, match="needs a terminal with colours; schedlab status"):
        watch_in_terminal(finished)
    monkeypatch.setattr(terminal, "_has_colours", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    with pytest.raises(InputError, match="NO_COLOR"):
        watch_in_terminal(finished)


def test_it_needs_textual(finished):
    script = """if True:
        import sys
        sys.modules["textual"] = None
        sys.stdin.isatty = sys.stdout.isatty = lambda: True
        from schedlab.cli import main
        main()"""
    done = subprocess.run(
        [sys.executable, "-c", script, "watch", finished],
        env={**os.environ, "TERM": "xterm", "NO_COLOR": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "schedlab watch needs textual: pip install 'schedlab[watch]'" in done.stderr


def test_texts_of_files_are_no_commands(finished):
    """Textual reads `[@click=app.quit]` in a text as something to do."""
    text = "folder [@click=app.quit]quit[/] [/nothing]: is gone"

    @watching(finished)
    async def check(app, pilot):
        app._say_unreadable(InputError(text))
        await until(pilot, lambda: "[@click=app.quit]quit[/]" in " ".join(screen_text(app).split()))


def test_text_of_a_run_does_not_steer_the_terminal(finished):
    @watching(finished)
    async def check(app, pilot):
        app.player.view.run["system"]["name"] = "\x1b[31mred\x1b]0;title\x07 \x9b2J\u202eend"
        app.query_one(Heading).refresh()
        await until(pilot, lambda: "red" in screen_text(app))
        assert "[31mred]0;title 2Jend" in screen_text(app)
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(screen_text(app))
