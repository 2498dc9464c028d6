"""Measures that only some runs have: in summaries, tables, and with human units."""

from __future__ import annotations

import subprocess
import sys

import pytest
from analysis.platform_runs import CONDITIONS, platform, run_of, with_failures, with_heat
from analysis.platform_runs import jobs as jobs_of

import schedlab as sl
from schedlab.experiment.metrics_tables import metrics_row
from schedlab.results.measures import MEASURES, measures_of, platform_lines
from schedlab.units import (
    byte_text,
    delay_text,
    energy_text,
    energy_unit,
    mass_text,
    power_text,
    power_unit,
    time_text,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (power_text(0), "0.00 W"),
        (power_text(452), "452 W"),
        (power_text(999.6), "1.00 kW"),
        (power_text(12_345_678), "12.3 MW"),
        (energy_text(3600), "1.00 Wh"),
        (energy_text(26_802_138), "7.45 kWh"),
        (energy_text(-26_802_138), "-7.45 kWh"),
        (energy_text(3.6e9 * 1234), "1.23 GWh"),
        (mass_text(0.25), "250 g"),
        (mass_text(1.861), "1.86 kg"),
        (mass_text(12_400), "12.4 t"),
        (delay_text(1.0974e12), "84.7 kWh h"),
        (byte_text(999), "999 B"),
        (byte_text(65_536), "65.5 kB"),
        (byte_text(1.61e9), "1.61 GB"),
        (time_text(0), "0 s"),
        (time_text(34.192e-6), "34.192 us"),
        (time_text(0.0015), "1.5000 ms"),
        (time_text(12_345.6), "12,346 s"),
    ],
)
def test_units_are_those_people_read(text, expected):
    assert text == expected


def test_axes_have_the_unit_of_their_largest_value():
    assert power_unit(1500) == ("kW", 1000.0)
    assert energy_unit(1.0) == ("Wh", 3600.0)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A run with a cap, price and carbon, and with made-up failures and temperatures."""
    folder = tmp_path_factory.mktemp("run")
    run_of(folder, count=60, conditions={**CONDITIONS, "price": 0.25, "carbon": 300})
    with_heat(folder)
    return with_failures(folder)


def test_a_summary_has_energy_caps_failures_and_heat(everything):
    energy = everything.metrics["energy"]
    lines = platform_lines(everything.run)
    words = ["energy", "cap", "failures", "node-hours", "temperature"]
    assert [line.split()[0] for line in lines] == words
    assert f"{energy['total'] / 3600:.0f} Wh, {energy['average_power']:.0f} W on" in lines[0]
    assert f"cost {energy['cost']:.2f}" in lines[0]
    assert "never exceeded" in lines[1]
    assert "2 of nodes; 2 interruptions of 2 jobs" in lines[2]
    assert "useful 60.0%, checkpoint 2.0%, lost 3.0%, idle 30.0%, down 5.0%" in lines[3]
    assert "2.0 node-hours throttled, cooling 1.00 kWh" in lines[4]
    assert all(line in str(everything.summary) for line in lines)


def test_an_exceeded_cap_is_reported():
    cap = {"refused_starts": 3, "seconds_slowed": 0.0, "seconds_above": 60.0}
    cap |= {"energy_above": 7200.0, "most_above": 150.0}
    energy = {"total": 3.6e6, "average_power": 1.0, "peak_power": 2.0, "caps": [cap]}
    (_, line) = platform_lines({"metrics": {"energy": energy}})
    assert line == ("cap          3 starts refused, exceeded for 60 s by up to 150 W, 2.00 Wh")


def test_plain_runs_have_none_of_it():
    system = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
    run = sl.simulate([sl.Job(1, submit=0, run=9, processors=1)], system=system).run
    assert measures_of([run]) == []
    assert platform_lines(run) == []
    row = metrics_row({}, run, {"queue_mean": 0.0, "queue_max": 0})
    assert not {measure.name for measure in MEASURES} & set(row)


def test_tables_of_experiments_have_a_column_of_each(everything):
    row = metrics_row({}, everything.run, {"queue_mean": 0.0, "queue_max": 0})
    names = {measure.name for measure in measures_of([everything.run])}
    network = {"communication_share", "mean_hops", "hop_bytes", "network_slowdown"}
    ended = {"requeued", "cancelled"}  # where the scheduler may end running jobs
    assert {measure.name for measure in MEASURES} == names | network | ended
    assert names <= set(row)
    assert row["energy_kwh"] == pytest.approx(everything.metrics["energy"]["total"] / 3.6e6)
    assert row["lost_node_hours"] == pytest.approx(3.0)
    assert row["carbon_kg"] == everything.metrics["energy"]["carbon"]


def test_compare_prints_energy_in_a_table_of_its_own(tmp_path, capsys):
    from rich.console import Console

    from schedlab.cli.comparison_table import show_tables

    comparison = sl.Experiment(
        tmp_path / "compared",
        workloads={"thirty": jobs_of(30)},
        systems=platform(),
        schedulers=["fifo", "easy"],
        conditions={"price": 0.2, **CONDITIONS},
        processes=1,
    ).run()
    show_tables(Console(width=80), comparison, "dispatcher")
    printed = capsys.readouterr().out
    assert printed.count("fifo") == 2
    assert "energy-delay" in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert comparison.summary["energy_kwh"].min() > 0


def test_measures_load_nothing_heavy():
    code = "import sys, schedlab.results.measures; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "polars", "json", "dataclasses", "re"} & set(done.stdout.split())
