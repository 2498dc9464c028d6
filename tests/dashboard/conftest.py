"""A folder of runs, and clients that ask for them."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from dashboard.browsing import ARGUMENTS, TIMEOUT, serve

import schedlab as sl
from schedlab.workload import write_swf
from schedlab.workload.models import synthetic

pytest.importorskip("fastapi")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette announces another client
    from starlette.testclient import TestClient

from schedlab.dashboard import create_app

MIXED = {
    "name": "mixed",
    "groups": {
        "gpu": {"nodes": 4, "resources": {"core": 8, "mem": 64, "gpu": 2}},
        "thin": {"nodes": 6, "resources": {"core": 4, "mem": 32}},
    },
}
SYSTEM = """name = "small"
start_time = 1704067200
[groups.node]
nodes = 64
resources = { core = 16 }
"""


def mixed_jobs(count: int = 150) -> list[sl.Job]:
    draw, jobs, submit = random.Random(1), [], 0
    for number in range(1, count + 1):
        submit += draw.randint(0, 60)
        amounts = {"core": draw.randint(1, 3), "mem": draw.choice([1, 4, 16])}
        if draw.random() < 0.3:
            amounts["gpu"] = 1
        plain = draw.random() < 0.3
        jobs.append(
            sl.Job(
                number,
                submit=submit,
                run=draw.randint(1, 2000),
                processors=draw.randint(1, 4),
                requested_time=3000,
                user=draw.randint(1, 5),
                resources=None if plain else amounts,
                whole_nodes=plain and draw.random() < 0.3,
            )
        )
    return jobs


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    """A workload, a system, three runs, an experiment of two, and files that are not runs."""
    folder = tmp_path_factory.mktemp("dashboard") / "results"
    folder.mkdir()
    write_inputs(folder)
    for name in ("fifo", "easy"):
        sl.simulate(
            folder / "workload.swf",
            system=folder / "system.toml",
            scheduler=name,
            out=folder / name,
            timeline="csv",
        )
    sl.simulate(mixed_jobs(), system=MIXED, scheduler="easy", out=folder / "mixed", timeline="csv")
    trial = folder / "trial"
    for name in ("one", "two"):
        sl.simulate(
            mixed_jobs(),
            system=MIXED,
            scheduler={"one": "fifo", "two": "easy"}[name],
            out=trial / "runs" / name,
            jobs="parquet",
            timeline="none",
        )
    (trial / "experiment.json").write_text(json.dumps({"format": 1}))
    (folder / "broken").mkdir()
    (folder / "broken" / "run.json").write_text("{")
    (folder / "notes.txt").write_text("nothing")
    (folder.parent / "secret").mkdir()
    (folder.parent / "secret" / "run.json").write_text("secret")
    (folder / "way-out").symlink_to(folder.parent / "secret")
    return folder


def write_inputs(folder: Path, jobs: int = 400) -> None:
    rows = synthetic.synthetic_rows(jobs, 1)
    write_swf(folder / "workload.swf", rows, synthetic.header_lines(jobs, 1))
    (folder / "system.toml").write_text(SYSTEM)


@pytest.fixture(scope="session")
def client(results) -> TestClient:
    return client_of(results)


def client_of(folder: Path, token: str | None = None, **options) -> TestClient:
    """Returns a client that asks as a page on this machine would."""
    app = create_app(folder, token, **options)
    headers = {"x-schedlab": "test"}
    return TestClient(
        app, base_url="http://127.0.0.1", headers=headers, raise_server_exceptions=False
    )


def live_address(run: str) -> str:
    # The client would ask a host of its own otherwise, which is refused.
    return f"ws://127.0.0.1/api/live?run={run}"


PAUSED = """
import sys
import schedlab as sl
folder = sys.argv[1]
sl.simulate(folder + "/workload.swf", system=folder + "/system.toml", scheduler="easy",
            out=folder + "/live", timeline="csv", pause=True)
"""


@pytest.fixture
def paused(tmp_path):
    """A folder with a run in progress that begins paused."""
    write_inputs(tmp_path)
    process = subprocess.Popen([sys.executable, "-c", PAUSED, str(tmp_path)])
    yield tmp_path, process
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def browser():
    """Chromium; skips the test where it or playwright is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
    if not os.path.exists(path):
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(results):
    process, url = serve(results)
    yield url
    process.terminate()
    process.wait()


@pytest.fixture
def open_page(browser):
    """Opens pages; at the end looks that none complained or asked anyone else."""
    pages, complaints, hosts = [], [], set()

    def listen(message):
        # The browser itself notes every refused request; those are meant.
        if message.type == "error" and "Failed to load resource" not in message.text:
            complaints.append(message.text)

    def opened(url, width=1280, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
        page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).netloc))
        page.goto(url)
        pages.append((context, urlsplit(url).netloc))
        return page

    yield opened
    own = {netloc for _, netloc in pages}
    for context, _ in pages:
        context.close()
    assert complaints == []
    assert hosts - {""} <= own  # "" is of images that the page made itself
