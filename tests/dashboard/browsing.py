"""Servers and pages for tests in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys

ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
TIMEOUT = 20_000
TOKEN = "a-token-of-32-letters-or-so-1234"


def serve(folder, *more, stderr=None, **environment):
    """Returns a server of a folder and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", "dashboard", str(folder), "--port", "0", *more],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env={**os.environ, **environment},
    )
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found
    return process, found[0]


def names(page):
    return [row.get_attribute("data-run") for row in page.query_selector_all("tr[data-run]")]


def wait_until_drawn(page):
    page.wait_for_selector("canvas.gantt[data-loads]")
    page.wait_for_selector("#curves .plot-container")


def gantt_view(page):
    data = page.eval_on_selector("canvas.gantt", "element => ({...element.dataset})")
    return {key: float(data[key]) for key in ("first", "last", "top", "bottom")}


def gantt_loads(page):
    return int(page.get_attribute("canvas.gantt", "data-loads"))
