"""The terminal monitor as tests drive it, through textual's pilot."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest

pytest.importorskip("textual")


from schedlab.watch import open_run
from schedlab.watch.terminal.app import WatchApp

from .conftest import SECONDS


async def until(pilot, what):
    """Waits until something is true of the screen."""
    deadline = monotonic() + SECONDS
    while not what():
        assert monotonic() < deadline, "it did not happen"
        await pilot.pause(0.01)


def screen_text(app: WatchApp) -> str:
    """All that the screen shows, line by line."""
    height = app.size.height
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in line) for line in lines[:height])


def watching(path: str, size=(120, 40)):
    """Runs a test of the monitor of a run."""

    def run(check) -> None:
        async def main() -> None:
            app = WatchApp(open_run(path))
            async with app.run_test(size=size, notifications=True) as pilot:
                await until(pilot, lambda: app.frame is not None)
                await check(app, pilot)
                app.stopped = True

        asyncio.run(main())

    return run
