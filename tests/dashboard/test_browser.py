"""The page in a real browser: everything a person does with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from time import sleep
from urllib.parse import urlsplit

import numpy as np
import pytest
from dashboard.conftest import write_inputs

import schedlab as sl
from schedlab.analysis.raster import job_colours

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
if not os.path.exists(CHROMIUM):
    pytest.skip("there is no chromium", allow_module_level=True)

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


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
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
    """Opens pages; at the end looks that none complained or asked anybody else."""
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


def test_list_is_sorted_and_filtered(open_page, address):
    page = open_page(address)
    page.wait_for_selector("tr[data-run='easy']")
    assert page.inner_text("#total") == "6 runs"
    assert "trial" in page.inner_text(".experiments")
    page.click("th button:has-text('mean wait')")
    page.wait_for_selector("th[aria-sort=ascending]:has-text('mean wait')")
    ascending = names(page)
    page.click("th button:has-text('mean wait')")
    page.wait_for_selector("th[aria-sort=descending]")
    known = [name for name in ascending if name != "broken"]
    assert [name for name in names(page) if name != "broken"] == known[::-1]
    page.fill("input[type=search]", "mixed fifo")
    page.wait_for_function("() => document.querySelectorAll('tr[data-run]').length === 1")
    assert names(page) == ["trial/runs/one"]
    page.fill("input[type=search]", "")
    page.click(".experiments a:has-text('trial')")
    page.wait_for_function("() => document.querySelectorAll('tr[data-run]').length === 2")


def test_empty_folder(open_page, tmp_path):
    process, url = serve(tmp_path)
    try:
        page = open_page(url)
        assert "There are no runs here yet" in page.wait_for_selector(".message").inner_text()
        page.click("nav >> text=New simulation")
        assert "There are no workloads" in page.wait_for_selector(".message.warning").inner_text()
    finally:
        process.terminate()
        process.wait()


def test_slider_and_events(open_page, address, results):
    page = open_page(f"{address}#/run/easy")
    wait_until_drawn(page)
    page.click("button[title='To the end']")
    page.wait_for_function(
        "() => document.querySelector('[data-count=completed] strong').textContent === '400'"
    )
    assert "core: 0 of 1,024" in page.inner_text(".maps h3")
    page.click("button[title='To the beginning']")
    page.wait_for_function(
        "() => document.querySelector('[data-count=completed] strong').textContent === '0'"
    )
    before = page.inner_text("#clock")
    page.focus("#time")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "text => document.querySelector('#clock').textContent !== text", arg=before
    )
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "text => document.querySelector('#clock').textContent === text", arg=before
    )
    box = page.locator("#time").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function(
        "() => document.querySelector('[data-count=completed] strong').textContent !== '0'"
    )
    shown = int(page.inner_text("[data-count=running] strong"))
    assert len(page.query_selector_all(".two > div:last-child tbody tr")) == min(shown, 100)
    page.keyboard.press("Space")  # plays
    assert "Pause" in page.inner_text("#play")
    clock = page.inner_text("#clock")
    page.wait_for_function(
        "text => document.querySelector('#clock').textContent !== text", arg=clock
    )
    page.keyboard.press("Space")
    assert "Play" in page.inner_text("#play")


def test_go_to_a_time(open_page, address, results):
    run = sl.Result.load(results / "easy").run
    page = open_page(f"{address}#/run/easy")
    wait_until_drawn(page)
    page.fill("#to", "2024-01-02 12:30")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('#clock').textContent.startsWith('2024-01-02 12:30:00')"
    )
    page.fill("#to", "9999d")
    page.click("#go-to")
    page.wait_for_function("() => document.querySelector('#to-note').textContent")
    assert page.inner_text("#to-note").startswith("The run ends at 2024-")
    assert float(page.input_value("#time")) == run["time"]["now"]
    page.fill("#to", "tomorrow")
    page.click("#go-to")
    page.wait_for_selector("#to[aria-invalid=true]")
    assert "is not a time" in page.inner_text("#to-note")


def test_node_map_shows_each_resource_and_its_jobs(open_page, address):
    page = open_page(f"{address}#/run/mixed")
    page.wait_for_selector("canvas.map")
    assert [text.split(":")[0] for text in page.locator(".maps h3").all_inner_texts()] == [
        "core",
        "mem",
        "gpu",
    ]
    job = page.wait_for_selector(".two > div:last-child tbody tr button").inner_text()
    page.hover("canvas.map >> nth=0", position={"x": 8, "y": 25})
    assert "node 0, gpu" in page.inner_text(".maps .tip")
    page.click(".two > div:last-child tbody tr button")
    page.wait_for_selector("#panel dl")
    assert page.inner_text("#panel h2") == f"Job {job}"
    assert page.inner_text("#panel dl dd >> nth=0") == "running"  # at the moment that is shown
    assert "will end" in page.locator("#panel dt.coming").all_inner_texts()
    page.click("button[title='To the end']")  # the panel goes along
    page.wait_for_function("() => !document.querySelector('#panel .coming')")
    assert page.inner_text("#panel dl dd >> nth=0") == "completed"
    page.focus("#panel .close")
    page.keyboard.press("Escape")
    assert not page.is_visible("#panel")


def test_gantt_zooms(open_page, address):
    page = open_page(f"{address}#/run/easy", height=1600)
    wait_until_drawn(page)
    whole = gantt_view(page)
    box = page.locator("canvas.gantt").bounding_box()
    x, y = box["x"] + box["width"] * 0.6, box["y"] + 120
    loads = gantt_loads(page)
    page.mouse.move(x, y)
    for _ in range(6):
        page.mouse.wheel(0, -200)
    page.wait_for_function(
        "([first, last]) => { const data = document.querySelector('canvas.gantt').dataset;"
        " return data.last - data.first < (last - first) / 4; }",
        arg=[whole["first"], whole["last"]],
    )
    page.wait_for_function(
        "loads => Number(document.querySelector('canvas.gantt').dataset.loads) > loads", arg=loads
    )
    zoomed = gantt_view(page)
    assert whole["first"] < zoomed["first"] < zoomed["last"] < whole["last"]
    assert (zoomed["top"], zoomed["bottom"]) == (0, 64)
    page.mouse.move(x, y)  # a box of some nodes
    page.mouse.down()
    page.mouse.move(x + 100, y + 60, steps=4)
    page.mouse.up()
    boxed = gantt_view(page)
    assert boxed["last"] - boxed["first"] < zoomed["last"] - zoomed["first"]
    assert 0 < boxed["top"] < boxed["bottom"] < 64
    page.dblclick("canvas.gantt", position={"x": 300, "y": 60})
    page.wait_for_function(
        "last => Number(document.querySelector('canvas.gantt').dataset.last) === last",
        arg=whole["last"],
    )
    page.keyboard.press("+")
    assert gantt_view(page)["last"] - gantt_view(page)["first"] == pytest.approx(
        (whole["last"] - whole["first"]) / 2
    )


def test_gantt_tells_its_jobs(open_page, address, results):
    page = open_page(f"{address}#/run/mixed", height=1600)
    wait_until_drawn(page)
    jobs = sl.Result.load(results / "mixed").jobs.collect()
    view = gantt_view(page)
    box = page.locator("canvas.gantt").bounding_box()
    width = box["width"] - 58
    for row in jobs.head(40).iter_rows(named=True):
        if row["nodes"].startswith("0") and row["end"] - row["start"] > 200:
            middle = (row["start"] + row["end"]) / 2
            break
    x = 58 + (middle - view["first"]) / (view["last"] - view["first"]) * width
    page.hover("canvas.gantt", position={"x": x, "y": 10})
    tip = page.inner_text("#gantt .tip")
    assert re.match(r"job \d+, node 0, ", tip)
    page.click("canvas.gantt", position={"x": x, "y": 10})
    page.wait_for_selector("#panel dl")
    assert page.inner_text("#panel h2").lower() == tip.partition(",")[0]


def test_colours_are_those_of_the_plots(open_page, address):
    page = open_page(address)
    page.wait_for_selector("tr[data-run]")
    jobs = [0, 1, 2, 17, 1000, 123_456, 2**31, 2**32 + 5, 2**40 + 3]
    told = page.evaluate(
        "async jobs => { const { colour } = await import('/static/colours.js');"
        " return jobs.map(colour); }",
        jobs,
    )
    expected = [f"rgb({red},{green},{blue})" for red, green, blue in job_colours(np.array(jobs))]
    assert told == expected


def test_jobs_are_searched(open_page, address):
    page = open_page(f"{address}#/run/easy")
    page.wait_for_selector("#jobs tbody tr")
    assert len(page.query_selector_all("#jobs tbody tr")) == 50
    page.fill("#jobs input", "17")
    page.wait_for_function("() => document.querySelectorAll('#jobs tbody tr').length === 1")
    page.fill("#jobs input", "seventeen")
    assert "is no job number" in page.wait_for_selector("#jobs .error").inner_text()


def test_compare(open_page, address, results):
    page = open_page(address)
    page.wait_for_selector("tr[data-run='easy']")
    assert page.is_disabled("#compare")
    for name in ("fifo", "easy"):
        page.check(f"tr[data-run='{name}'] input")
    page.click("#compare")
    page.wait_for_selector(".plots .boxlayer")
    page.wait_for_selector("#pairs .plot-container")
    rows = page.locator("#comparison tbody tr")
    assert rows.count() == 2
    waits = {n: sl.Result.load(results / n).metrics["wait"]["mean"] for n in ("fifo", "easy")}
    best = min(waits, key=waits.get)
    row = rows.filter(has=page.locator(f"a:text-is('{best}')"))
    assert "best" in row.locator("td").nth(1).get_attribute("class")
    assert "Of 400 jobs that ran in both" in page.inner_text("#pairs")
    assert set(page.locator(".plots .legendtext").all_text_contents()) == {"fifo", "easy"}
    page.reload()  # what was chosen stays chosen
    page.wait_for_selector("#comparison tbody tr")


@pytest.fixture
def workshop(tmp_path):
    """A server of a folder with a workload and a system, in which simulations can be started."""
    write_inputs(tmp_path, jobs=3000)
    process, url = serve(tmp_path)
    yield tmp_path, url
    process.terminate()
    process.wait()


def test_start_watch_pause_step_and_replay(open_page, workshop):
    folder, url = workshop
    page = open_page(f"{url}#/new")
    page.fill("#field-name", "../out")
    page.click("button.primary")
    page.wait_for_selector("#error-name:not(:empty)")
    page.fill("#field-name", "mine")
    page.fill("#field-scheduler", "esy")
    page.click("button.primary")
    assert (
        'did you mean "easy"' in page.wait_for_selector("#error-scheduler:not(:empty)").inner_text()
    )
    page.fill("#field-scheduler", "easy(order=shortest)")
    page.select_option("#field-speed", "pause")
    page.click("button.primary")
    page.wait_for_selector("#pause[data-mode=pause]")
    assert page.inner_text("[data-count=submitted] strong") == "0"
    page.click("#step-100")
    page.wait_for_function(
        "() => Number(document.querySelector('[data-count=submitted] strong').textContent) > 20"
    )
    page.select_option("#speed", "86400")  # goes on at a pace
    page.wait_for_selector("#pause[data-mode=run]")
    first = float(page.get_attribute(".run", "data-time"))
    for _ in range(3):  # and advances by itself
        page.wait_for_function(
            "time => Number(document.querySelector('.run').dataset.time) > time + 10000", arg=first
        )
        first = float(page.get_attribute(".run", "data-time"))
    page.wait_for_selector("#curves .plot-container")
    page.click("#pause")
    page.wait_for_selector("#pause[data-mode=pause]")
    held = page.inner_text("#clock")
    page.fill("#until", "2024-01-12 00:00")
    page.click("#go-until")
    page.wait_for_function(
        "text => document.querySelector('#clock').textContent !== text", arg=held
    )
    assert page.inner_text("#clock") < "2024-01-12 00:00:01"
    page.fill("#until", "tomorrow")
    page.click("#go-until")
    page.wait_for_selector("#until[aria-invalid=true]")
    assert "is not a time" in page.inner_text("#until-note")
    page.fill("#until", "2024-01-01 01:00")
    page.click("#go-until")
    page.wait_for_selector("#until-note:has-text('cannot go back')")
    page.click("nav >> text=Runs")
    page.wait_for_selector("tr[data-run=mine] .badge.live")
    page.click("tr[data-run=mine] a")
    page.wait_for_selector("#pause[data-mode=pause]")
    page.select_option("#speed", "")
    page.wait_for_selector("#play")  # over: it has become the replay
    wait_until_drawn(page)
    assert page.inner_text("[data-count=completed] strong") == "3,000"  # at its end
    result = sl.Result.load(folder / "mine")
    assert result.counts["completed"] == 3000
    assert result.run["scheduler"] == "easy(order=shortest)"


def test_a_page_that_is_closed_is_no_error(open_page, paused, tmp_path_factory):
    folder, _ = paused
    log = tmp_path_factory.mktemp("log") / "server.txt"
    with open(log, "w") as file:
        server, url = serve(folder, stderr=file)
        try:
            for _ in range(3):
                page = open_page(f"{url}#/run/live")
                page.wait_for_selector("#pause[data-mode=pause]")
                page.click("#step-100")
                page.close()
            sleep(1.5)  # the server notices within some looks
        finally:
            server.terminate()
            server.wait()
    assert log.read_text() == ""


def test_a_killed_run_says_so(open_page, paused):
    folder, process = paused
    server, url = serve(folder)
    try:
        page = open_page(url)
        page.wait_for_selector("tr[data-run=live] .badge.live")
        page.click("tr[data-run=live] a")
        page.wait_for_selector("#pause[data-mode=pause]")
        process.kill()
        process.wait()
        text = page.wait_for_selector(".message.error").inner_text()
        assert "stopped before its end" in text
        assert page.inner_text(".title .badge") == "stopped"
        assert page.is_disabled("#pause")
    finally:
        server.terminate()
        server.wait()


def test_token_refused_and_accepted(open_page, results):
    process, url = serve(results, SCHEDLAB_TOKEN=TOKEN)
    try:
        bare = url.partition("?")[0]
        page = open_page(bare)
        assert "asks for its token" in page.inner_text("form")
        page.fill("input[name=token]", "wrong")
        page.click("button")
        page.wait_for_selector("text=This is not the token.")
        page.fill("input[name=token]", TOKEN)
        page.click("button")
        page.wait_for_selector("tr[data-run='easy']")
        assert TOKEN not in page.url
        other = open_page(url)  # with the token in the address
        other.wait_for_selector("tr[data-run='easy']")
        assert TOKEN not in other.url
    finally:
        process.terminate()
        process.wait()


def test_paths_that_lead_out_are_refused(open_page, address):
    page = open_page(address)
    for name in ("..", "../secret", "/etc", "way-out", "nothing"):
        page.goto(f"{address}#/run/{name.replace('/', '%2F')}")
        text = page.wait_for_selector(".view-run .message.error").inner_text()
        assert "folder" in text
        page.goto(f"{address}#/compare")
        page.wait_for_selector(".view-compare h1")
    for query in ("path=../secret&name=run.json", "path=easy&name=../../secret/run.json"):
        status = page.evaluate("async q => (await fetch(`/api/file?${q}`)).status", query)
        assert status == 400


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [800, 1280])
def test_nothing_is_wider_than_the_page(open_page, address, scheme, width):
    page = open_page(f"{address}#/run/mixed", width=width, color_scheme=scheme)
    wait_until_drawn(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    for place in ("", "#/new", "#/compare"):
        page.goto(f"{address}{place}")
        page.wait_for_selector("h1")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
