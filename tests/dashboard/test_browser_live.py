"""The page in a real browser: runs in progress, and who may see what."""

from __future__ import annotations

from time import sleep

import pytest
from dashboard.browsing import TOKEN, serve, wait_until_drawn
from dashboard.conftest import write_inputs

import schedlab as sl


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
    page.select_option("#speed", "86400")  # continues at a pace
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
        assert "The terminal in which schedlab dashboard runs shows a link" in page.inner_text(
            "main"
        )
        page.fill("input[name=token]", "wrong")
        page.click("button")
        page.wait_for_selector("text=This is not the token of this dashboard.")
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
