"""Monitors show power, energy so far, and nodes that are off or down, where a run has them."""

from __future__ import annotations

import json
import zlib

import polars
import pytest
from analysis.platform_runs import CONDITIONS, run_of, with_failures

from schedlab.dashboard.gantt import GanttIndex
from schedlab.dashboard.gantt_shares import ChartPart
from schedlab.dashboard.moments import moment_data
from schedlab.dashboard.runs import description
from schedlab.watch import open_run
from schedlab.watch.machine_now import energy_until, last_numbers, machine_words
from schedlab.watch.status import answers, moment_of, split_queries


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Path of a run with a cap and switching off."""
    folder = tmp_path_factory.mktemp("run")
    run_of(folder, count=60, conditions=CONDITIONS)
    return str(with_failures(folder).path)


def test_a_moment_knows_power_and_the_energy_so_far(run):
    view = open_run(run)
    total = view.run["metrics"]["energy"]["total"]
    assert view.at(view.last).numbers["energy"] == pytest.approx(total, rel=1e-9)
    half = view.at((view.first + view.last) / 2).numbers
    assert 0 < half["energy"] < total
    assert half["cap"] == 900
    assert {"power", "nodes_off", "clock", "speed"} <= set(half)
    assert view.at(view.first - 1).numbers == {}


def test_an_attempt_that_a_failure_ended_ran_and_did_not_wait(run):
    view = open_run(run)
    (row,) = view.at(5500.0).running.filter(polars.col("job_id") == 9).iter_rows(named=True)
    assert (row["start"], row["end"], row["nodes"]) == (5000.0, 6000.0, "2*8")
    assert 9 not in view.at(5500.0).queue["job_id"].to_list()
    assert view.attempts().height == 2
    picture = GanttIndex(polars.concat([view.jobs(), view.attempts()]), view.run)
    assert 9 in picture.at(5500.0, 2)


def test_energy_is_not_known_without_power(run):
    timeline = open_run(run).timeline()
    assert energy_until(timeline.drop("power"), 100.0) is None


def test_words_leave_out_what_is_not_there():
    assert machine_words({}) == []
    assert machine_words({"power": 812.0, "cap": 0.0}) == [("power", "812 W")]
    numbers = {"power": 812.0, "cap": 1000.0, "energy": 7.2e6, "nodes_down": 2, "hottest": 61.23}
    assert machine_words(numbers) == [
        ("power", "812 W of 1.00 kW"),
        ("energy", "2.00 kWh"),
        ("nodes down", "2"),
        ("hottest", "61.2 °C"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("time,power,memory_bytes\n", {}),
        ("time,power,memory_bytes\n1,5,9\n2,7", {"power": 5.0}),
        ("time,power,memory_bytes\n1,5,9\n2,7.5,9\n", {"power": 7.5}),
    ],
)
def test_a_timeline_that_is_being_written_gives_its_last_whole_row(tmp_path, text, found):
    (tmp_path / "timeline.csv.part").write_text(text)
    assert last_numbers(str(tmp_path / "timeline.csv.part")) == found
    assert last_numbers(str(tmp_path / "nothing")) == {}


def test_status_answers_and_prints_it(run):
    view = open_run(run)
    answered = answers(view, moment_of(view), split_queries(["machine"]))
    assert answered["machine"]["energy"] == pytest.approx(view.run["metrics"]["energy"]["total"])


def test_pages_get_words_bands_and_lines_of_the_summary(run):
    view = open_run(run)
    machine = dict(moment_data(view.at(view.last), view.run)["machine"])
    assert machine["power"].endswith("of 900 W")
    assert [label for label, _ in description(view)["machine"]] == [
        *("energy", "cap", "failures", "node-hours"),
    ]
    part = ChartPart(0.0, 10_000.0, 0, 15, 50, 15)
    content = zlib.decompress(GanttIndex(view.jobs(), view.run, view.states()).picture(part))
    head = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert [0, "down", 1000.0, 4000.0] in head["bands"]
    assert [5, "sleeping", 500.0, 10_000.0] in head["bands"]  # cut to what is visible
    assert GanttIndex(view.jobs(), view.run)._bands(part) == []


def test_the_terminal_shows_it(run):
    pytest.importorskip("textual")
    from .screens import screen_text, until, watching

    @watching(run)
    async def check(app, pilot):
        await pilot.press("end")
        await until(pilot, lambda: app.frame.moment.time == app.player.view.last)
        text = screen_text(app)
        assert "of 900 W" in text
        assert "nodes off" in text
