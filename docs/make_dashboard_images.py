"""Writes docs/images/dashboard-*.png: the demo's runs as the dashboard shows them.

Needs the extras `dashboard` and `test`, and Chromium: python docs/make_dashboard_images.py
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

HERE = os.path.dirname(os.path.abspath(__file__))
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
SIZE = {"width": 1280, "height": 800}


def save(page: Page, name: str) -> None:
    """Writes what the page shows, in at most 128 colours, which is a third of the bytes."""
    page.mouse.move(2, 2)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path = os.path.join(HERE, "images", f"dashboard-{name}.png")
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {os.path.getsize(path) / 1000:.0f} KB")


def take(page: Page, url: str) -> None:
    """Looks at a finished run, a comparison and a run in progress."""
    page.goto(f"{url}#/run/runs%2Feasy-order-shortest%2Bfirst-fit%2F01")
    page.wait_for_selector("canvas.gantt[data-loads]")
    page.wait_for_selector("#curves .plot-container")
    page.locator("#time").fill("1120000")
    page.wait_for_function("() => document.querySelector('#clock').textContent.includes('12 d')")
    page.wait_for_timeout(800)
    save(page, "run")
    page.locator("#gantt").scroll_into_view_if_needed()
    page.click("#gantt button[title='Zoom in']")
    page.click("#gantt button[title='Zoom in']")
    page.wait_for_timeout(800)
    save(page, "gantt")
    page.goto(url)
    for name in ("fifo", "easy", "easy-order-shortest", "conservative"):
        page.check(f"tr[data-run='runs/{name}+first-fit/01'] input")
    page.click("#compare")
    page.wait_for_selector(".plots .boxlayer")
    page.wait_for_selector("#pairs .plot-container")
    page.wait_for_timeout(500)
    save(page, "compare")
    page.goto(f"{url}#/new")
    page.fill("#field-name", "watched")
    page.select_option("#field-speed", "86400")
    page.click("button.primary")
    page.wait_for_function(
        "() => Number(document.querySelector('.run')?.dataset.time) > 1000000", timeout=60_000
    )
    page.wait_for_timeout(1500)
    save(page, "live")


def main() -> None:
    """Makes the demo, serves it, and takes the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        demo = os.path.join(folder, "demo-run")
        command = [sys.executable, "-m", "schedlab"]
        subprocess.run([*command, "demo", "--out", demo], check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [*command, "dashboard", demo, "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        try:
            with sync_playwright() as running:
                browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
                take(browser.new_page(viewport=SIZE), found[0])
                # The run that was started continues; it must end before its folder does.
                page = browser.new_page()
                page.goto(f"{found[0]}#/run/watched")
                page.wait_for_selector("#pause")
                page.select_option("#speed", "")
                page.wait_for_selector("#play", timeout=60_000)
                browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
