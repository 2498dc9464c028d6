"""Draws docs/images/watch.svg: the screen of `schedlab watch` over a real run of `schedlab demo`.

Run `python docs/make_watch_images.py` after a change of what the screen shows.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from make_images import without_web_fonts, word_by_word

from schedlab.watch import open_run
from schedlab.watch.terminal.app import WatchApp

IMAGE = Path(__file__).parent / "images" / "watch.svg"
SIZE = (120, 40)
TIME = "24d"
"""Of the demo's five weeks: long jobs, short ones and a queue."""


async def screen_of(run: str) -> str:
    """Returns the screen at TIME as SVG."""
    app = WatchApp(open_run(run))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("space")
        time = app.player.clock.parse(TIME)
        app.player.jump(time)
        while app.frame is None or app.frame.moment.time != time:
            await pilot.pause(0.1)
        await pilot.pause(0.3)
        svg = app.export_screenshot(title="schedlab watch demo-run/runs/easy+first-fit/01")
        app.stopped = True
    return svg


def main() -> None:
    """Writes the picture."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        command = [sys.executable, "-m", "schedlab", "demo"]
        subprocess.run(command, check=True, capture_output=True)
        svg = asyncio.run(screen_of("demo-run/runs/easy+first-fit/01"))
        os.chdir("/")
    svg = re.sub(r"terminal-\d+-", "demo-", without_web_fonts(svg))
    IMAGE.write_text(word_by_word(svg), encoding="utf-8")


if __name__ == "__main__":
    main()
