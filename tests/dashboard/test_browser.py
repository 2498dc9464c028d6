"""The page in a real browser: finished runs."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from dashboard.browsing import (
    gantt_loads,
    gantt_view,
    names,
    serve,
    wait_until_drawn,
)

import schedlab as sl
from schedlab.analysis.raster import job_colours


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


def test_gantt_names_its_jobs(open_page, address, results):
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
    colours = page.evaluate(
        "async jobs => { const { colour } = await import('/static/colours.js');"
        " return jobs.map(colour); }",
        jobs,
    )
    expected = [f"rgb({red},{green},{blue})" for red, green, blue in job_colours(np.array(jobs))]
    assert colours == expected


def test_jobs_are_searched(open_page, address):
    page = open_page(f"{address}#/run/easy")
    page.wait_for_selector("#jobs tbody tr")
    assert len(page.query_selector_all("#jobs tbody tr")) == 50
    page.fill("#jobs input", "17")
    page.wait_for_function("() => document.querySelectorAll('#jobs tbody tr').length === 1")
    page.fill("#jobs input", "seventeen")
    assert "is not a job number" in page.wait_for_selector("#jobs .error").inner_text()


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


def test_names_stars_and_columns(open_page, results, tmp_path):
    long = "a-study-of-backfilling-with-names-that-are-far-too-long-for-any-column-of-a-table-"
    for name in ("easy", "fifo", "mixed"):
        shutil.copytree(results / name, tmp_path / name)
    for name in ("one", "two"):
        middle = f"{long}variant-{name}-of-the-two-with-the-same-end-as-all-of-the-others/01"
        shutil.copytree(results / "easy", tmp_path / middle)
    process, url = serve(tmp_path)
    try:
        page = open_page(url)
        page.set_viewport_size({"width": 1400, "height": 900})
        page.wait_for_selector("tr[data-run='easy']")
        shown = [link.inner_text() for link in page.query_selector_all("tr[data-run] a.whole")]
        assert len(set(shown)) == len(shown) == 5
        width, room = page.eval_on_selector(
            ".scroll", "element => [element.scrollWidth, element.clientWidth]"
        )
        assert width <= room  # no column is cut off
        page.click("#choose-all")
        page.click("#compare")
        page.wait_for_selector(".plots .boxlayer")
        marked = page.eval_on_selector_all(
            "#comparison tr[data-run]",
            "rows => rows.map((row) => [row.dataset.run, row.innerText])",
        )
        assert "★" not in dict(marked)["mixed"]  # the only one of its workload
        assert any("★" in text for _, text in marked)
        assert "same workload and system" in page.inner_text("#comparison .bar")
        options = [one.inner_text() for one in page.query_selector_all("#one option")]
        assert len(set(options)) == 5
    finally:
        process.terminate()
        process.wait()


def test_the_toolbar_covers_neither_curves_nor_legend(open_page, address):
    page = open_page(f"{address}#/run/easy")
    wait_until_drawn(page)
    page.hover("#curves")
    page.wait_for_selector("#curves .modebar-group")
    bar = page.locator("#curves .modebar").bounding_box()
    for other in ("#curves .legend", "#curves .cartesianlayer .xy"):
        box = page.locator(other).first.bounding_box()
        apart = bar["y"] + bar["height"] <= box["y"] + 1 or bar["x"] >= box["x"] + box["width"]
        assert apart, (other, bar, box)


def test_the_form_says_which_policies_it_starts(open_page, address):
    page = open_page(f"{address}#/new")
    page.wait_for_selector("#field-scheduler")
    assert "Only built-in policies can be started here" in page.inner_text(".launch")
