"""Tuning finds pressure and fill for a wait, and says so where there are none."""

from __future__ import annotations

import pytest
from workload.models.scsf.rows import log

import schedlab as sl
from schedlab.errors import InputError
from schedlab.tuning import Trial, _SettingSearch, phases_of, tune
from schedlab.workload.models.scsf import GenerationSettings, WorkloadModel, machine_processors

SYSTEM = sl.System(groups=[sl.Group("n", 16, {"core": 4})])
MODEL = WorkloadModel.fit(log(), cores_per_node=4)
SHORT = GenerationSettings(stabilization=8 * 3600, duration=12 * 3600)


def test_processors_of_machines():
    assert machine_processors(SYSTEM) == 64
    mixed = sl.System(
        processor={"core": 2, "mem": 10},
        groups=[
            sl.Group("a", 3, {"core": 5, "mem": 100}),
            sl.Group("b", 2, {"core": 9, "mem": 25}),
        ],
    )
    assert machine_processors(mixed) == 3 * 2 + 2 * 2


def test_the_wait_is_met():
    calls = []
    found = tune(
        MODEL, SYSTEM, wait=3600, seeds=4, tolerance=0.1, settings=SHORT,
        progress=lambda done, trial: calls.append((done, trial)),
    )  # fmt: skip
    assert found.wait_met
    assert found.utilization_met
    assert found.best.wait == pytest.approx(3600, rel=0.1)
    assert found.best in found.trials
    assert [trial for _, trial in calls if trial is not None] == found.trials
    assert [done for done, _ in calls] == list(range(1, 4 * (len(found.trials) + 1) + 1))
    assert found.settings.pressure_low == found.best.pressure
    assert found.settings.fill_wait == found.best.fill_wait
    assert found.settings.processors == 64
    # The settings give what the trial says.
    waits = []
    for seed in range(1, 5):
        table = phases_of(MODEL.generate(f"tune-{seed}", found.settings), SYSTEM, "easy")
        waits.append(table["mean_wait"][-1])
    assert tuple(waits) == found.best.mean_waits
    again = tune(MODEL, SYSTEM, wait=3600, seeds=4, tolerance=0.1, settings=SHORT)
    assert again.trials == found.trials


class Runs:
    """Simulations by formula: the wait grows with both, the utilization with pressure."""

    longest_fill = 10_000

    def __init__(self, wait, utilization=lambda pressure, fill: pressure * 0.9):
        self.wait, self.utilization, self.trials = wait, utilization, []

    def trial(self, pressure, fill):
        made = Trial(
            pressure, fill, (self.wait(pressure, fill),), (self.utilization(pressure, fill),)
        )
        self.trials.append(made)
        return made


def test_search_for_the_fill():
    runs = Runs(lambda pressure, fill: 100 + (fill / 100) ** 2)
    best = _SettingSearch(runs, 2500, None, 0.02).best(1.0)
    assert best.wait == pytest.approx(2500, rel=0.02)
    assert best.pressure == 1.0
    assert len(runs.trials) <= 8


def test_search_lowers_or_raises_the_pressure():
    steep = Runs(lambda pressure, fill: 1000 * pressure + fill / 100)
    assert _SettingSearch(steep, 820, None, 0.01).best(1.0).wait == pytest.approx(820, rel=0.01)
    assert _SettingSearch(Runs(steep.wait), 1320, None, 0.01).best(1.0).wait == pytest.approx(
        1320, rel=0.01
    )


def test_search_for_the_utilization():
    runs = Runs(lambda pressure, fill: 1000 * pressure + fill / 10)
    best = _SettingSearch(runs, 1200, 0.8, 0.05).best(1.0)
    assert best.utilization == pytest.approx(0.8, abs=0.021)
    assert best.wait == pytest.approx(1200, rel=0.05)


def test_waits_that_cannot_be_had():
    with pytest.raises(InputError, match=r"no pressure from 0.5 to 1.5 .* the nearest is 2000 s"):
        _SettingSearch(Runs(lambda pressure, fill: 500 + 1000 * pressure), 9000, None, 0.05).best(
            1.0
        )
    jumping = Runs(lambda pressure, fill: 100 if pressure < 0.99 else 900)
    best = _SettingSearch(jumping, 400, None, 0.05).best(1.0)
    assert best.wait in (100, 900)  # between two pressures; tune says that it is not met


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"wait": 0}, "wait: must be above 0"),
        ({"utilization": 1.5}, "utilization: must be above 0 and at most 1"),
        ({"seeds": 0}, "seeds: must be at least 1"),
        ({"tolerance": 0}, "tolerance: must be above 0"),
        ({"settings": GenerationSettings(jobs=5)}, "jobs: tuning needs"),
        ({"settings": GenerationSettings(stabilization=0)}, "stabilization: tuning needs a phase"),
        ({"settings": GenerationSettings(stabilization=60)}, "stabilization: tuning needs a phase"),
        ({"scheduler": "eazy"}, "eazy"),
    ],
)
def test_wrong_wishes(options, message):
    with pytest.raises(InputError, match=message):
        tune(MODEL, SYSTEM, **{"wait": 3600, "seeds": 1, **options})
