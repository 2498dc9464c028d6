"""Tuning: pressure and fill that give a desired wait and utilization (ScSF, section 4.1).

The authors ran sets of experiments with different configurations until the wait was a stable four
hours. This does so by itself: for one pressure it looks for the fill that gives the wait, and,
where a utilization is wanted, whether another pressure comes closer to both. A longer backlog
means more wait, but far from as much as it is long, because backfilling lets small jobs pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

import polars

from schedlab.analysis.phases import phase_table
from schedlab.errors import InputError
from schedlab.simulation import simulate
from schedlab.system import load_system
from schedlab.workload.models.scsf import GenerationSettings, machine_processors
from schedlab.workload.models.scsf.generating import fill_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Any

    from schedlab.system import System
    from schedlab.workload.models.scsf import GeneratedWorkload, WorkloadModel

LEAST_PRESSURE, MOST_PRESSURE, PRESSURE_STEP = 0.5, 1.5, 0.05
MOST_STEPS = 8
"""Simulated fills for one pressure, beside the shortest and the longest."""

UTILIZATION_TOLERANCE = 0.02


@dataclass(frozen=True)
class Trial:
    """What one setting gave, over all seeds.

    Attributes:
        pressure: The low end of job pressure.
        fill_wait: Seconds of work in the backlog that fill jobs leave.
        mean_waits: Of the jobs of the experiment phase, by seed.
        utilizations: Of the experiment phase, by seed.
    """

    pressure: float
    fill_wait: float
    mean_waits: tuple[float, ...]
    utilizations: tuple[float, ...]

    @property
    def wait(self) -> float:
        """Median of the mean waits."""
        return median(self.mean_waits)

    @property
    def utilization(self) -> float:
        """Median of the utilizations."""
        return median(self.utilizations)


@dataclass(frozen=True)
class Tuned:
    """What tuning found.

    Attributes:
        settings: To generate with.
        best: The trial of these settings.
        checked: The same with other seeds than those that it was tuned with.
        trials: All, in order.
        wait_met: Whether the wait is as near as asked for.
        utilization_met: Whether the utilization is; True where none was asked for.
    """

    settings: GenerationSettings
    best: Trial
    checked: Trial
    trials: list[Trial] = field(repr=False)
    wait_met: bool = False
    utilization_met: bool = False


def tune(
    model: WorkloadModel,
    system: str | os.PathLike[str] | dict[str, Any] | System,
    *,
    wait: float,
    utilization: float | None = None,
    scheduler: str = "easy",
    allocator: str = "first-fit",
    seeds: int = 40,
    tolerance: float = 0.05,
    settings: GenerationSettings | None = None,
    progress: Callable[[int, Trial | None], None] | None = None,
) -> Tuned:
    """Returns settings with which the experiment phase has a desired wait and utilization.

    Args:
        model: Of the workload.
        system: The machine.
        wait: Seconds that jobs of the experiment phase should wait, on average.
        utilization: Share of the machine that should be in use meanwhile; None: whatever comes. It
            is not a knob of its own: what a scheduler can reach follows from the wait.
        scheduler: Of the simulations.
        allocator: Of the simulations.
        seeds: Workloads of each trial; what counts is the median over them.
        tolerance: How near the wait must be, as a share of it.
        settings: Lengths of phases and the like, and where the search begins.
        progress: Called after each simulation with the number done, and the trial it ended, if any.

    Raises:
        InputError: Something is wrong, or no setting gives the wait.
    """
    if not 0 < wait < float("inf"):
        raise InputError(f"wait: must be above 0 s, not {wait!r}")
    if utilization is not None and not 0 < utilization <= 1:
        raise InputError(f"utilization: must be above 0 and at most 1, not {utilization!r}")
    if seeds < 1:
        raise InputError(f"seeds: must be at least 1, not {seeds!r}")
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance: must be above 0 and below 1, not {tolerance!r}")
    machine = load_system(system)
    given = settings or GenerationSettings()
    if given.jobs is not None:
        raise InputError("jobs: tuning needs an experiment phase of some duration, not of jobs")
    given = given.replaced(processors=machine_processors(machine), pressure_high=None)
    runs = _Runs(model, machine, scheduler, allocator, seeds, given, progress)
    search = _SettingSearch(runs, wait, utilization, tolerance)
    best = search.best(given.pressure_low or 1.0)
    checked = runs.trial(best.pressure, best.fill_wait, "check")
    return Tuned(
        runs.settings(best.pressure, best.fill_wait),
        best,
        checked,
        runs.trials,
        search.wait_error(best) <= tolerance,
        search.utilization_error(best) <= UTILIZATION_TOLERANCE,
    )


def phases_of(
    workload: GeneratedWorkload, system: System, scheduler: str, allocator: str = "first-fit"
) -> polars.DataFrame:
    """Returns metrics by phase of a generated workload, simulated (see `phase_table`)."""
    result = simulate(
        workload, system=system, scheduler=scheduler, allocator=allocator, timeline="csv"
    )
    return phase_table(result)


class _Runs:
    """Simulates settings with all seeds, each setting once."""

    def __init__(
        self,
        model: WorkloadModel,
        system: System,
        scheduler: str,
        allocator: str,
        seeds: int,
        settings: GenerationSettings,
        progress: Callable[[int, Trial | None], None] | None,
    ) -> None:
        self._model, self._system, self._policy = model, system, (scheduler, allocator)
        self._seeds, self._settings, self._progress = seeds, settings, progress
        self._known: dict[tuple[float, float], Trial] = {}
        self._done = 0
        self.trials: list[Trial] = []

    @property
    def longest_fill(self) -> float:
        """The longest fill whose jobs have ended when the experiment phase begins.

        Raises:
            InputError: The stabilization phase is too short for any.
        """
        stabilization = self.settings(1.0, 0).stabilization_seconds
        if stabilization > 0:
            fill = fill_of(self._model, self.settings(1.0, stabilization))
            assert fill is not None
            longest = stabilization - (fill.run_seconds - fill.wait_seconds)
            if longest > 0:
                return longest
            needed = f"{fill.run_seconds - fill.wait_seconds:.0f} s and more"
        else:
            needed = "one"
        raise InputError(
            "stabilization: tuning needs a phase in which the fill jobs end before the experiment "
            f"begins: {needed} for this model"
        )

    def settings(self, pressure: float, fill_wait: float) -> GenerationSettings:
        """Returns the settings of a trial."""
        return self._settings.replaced(pressure_low=pressure, fill_wait=fill_wait)

    def trial(self, pressure: float, fill_wait: float, purpose: str = "tune") -> Trial:
        """Returns the trial of a setting."""
        pressure, fill_wait = round(pressure, 4), round(fill_wait)
        known = self._known.get((pressure, fill_wait))
        if known is not None and purpose == "tune":
            return known
        waits, shares = [], []
        for number in range(1, self._seeds + 1):
            workload = self._model.generate(
                f"{purpose}-{number}", self.settings(pressure, fill_wait)
            )
            table = phases_of(workload, self._system, *self._policy)
            row = table.row(by_predicate=polars.col("phase") == "experiment", named=True)
            waits.append(row["mean_wait"] or 0.0)
            shares.append(row["utilization"])
            self._done += 1
            if self._progress is not None and number < self._seeds:
                self._progress(self._done, None)
        trial = Trial(pressure, fill_wait, tuple(waits), tuple(shares))
        if purpose == "tune":
            self._known[pressure, fill_wait] = trial
            self.trials.append(trial)
        if self._progress is not None:
            self._progress(self._done, trial if purpose == "tune" else None)
        return trial


class _SettingSearch:
    """Looks for pressure and fill."""

    def __init__(
        self, runs: _Runs, wait: float, utilization: float | None, tolerance: float
    ) -> None:
        self._runs, self._wait, self._utilization = runs, wait, utilization
        self._tolerance = tolerance
        self._longest = runs.longest_fill

    def wait_error(self, trial: Trial) -> float:
        """Returns how far the wait is from the desired one, as a share of it."""
        return abs(trial.wait / self._wait - 1)

    def utilization_error(self, trial: Trial) -> float:
        """Returns how far the utilization is from the desired one."""
        return 0.0 if self._utilization is None else abs(trial.utilization - self._utilization)

    def best(self, pressure: float) -> Trial:
        """Returns the best trial, from a first pressure on."""
        found, pressure = self._reachable(pressure)
        if self._utilization is None:
            return found
        short = found.utilization < self._utilization
        for direction in (1, -1) if short else (-1, 1):
            at = pressure
            while self._score(found) > 1 and LEAST_PRESSURE < at < MOST_PRESSURE:
                at += direction * PRESSURE_STEP
                other = self._with_pressure(at)
                if other is None or self._score(other) >= self._score(found):
                    break
                found = other
        return found

    def _score(self, trial: Trial) -> float:
        """Returns at most 1 where both wishes are met."""
        return max(
            self.wait_error(trial) / self._tolerance,
            self.utilization_error(trial) / UTILIZATION_TOLERANCE,
        )

    def _reachable(self, pressure: float) -> tuple[Trial, float]:
        """Returns the best fill for the first pressure with which the wait can be had."""
        pressure = min(max(pressure, LEAST_PRESSURE), MOST_PRESSURE)
        nearest: Trial | None = None
        while LEAST_PRESSURE <= round(pressure, 4) <= MOST_PRESSURE:
            found = self._with_pressure(pressure)
            if found is not None:
                return found, pressure
            nearest = min(self._runs.trials, key=self.wait_error)
            last = self._runs.trials[-1]
            pressure += PRESSURE_STEP if last.wait < self._wait else -PRESSURE_STEP
            if any(abs(trial.pressure - pressure) < 1e-6 for trial in self._runs.trials):
                return nearest, nearest.pressure  # between two pressures: one too low, one too high
        assert nearest is not None
        hint = "a longer stabilization phase allows for more fill"
        if nearest.wait > self._wait:
            hint = "jobs of this model wait longer even where the machine is half empty"
        raise InputError(
            f"wait: no pressure from {LEAST_PRESSURE:g} to {MOST_PRESSURE:g} and fill gives "
            f"{self._wait:g} s; the nearest is {nearest.wait:.0f} s, with pressure "
            f"{nearest.pressure:g} and fill {nearest.fill_wait:.0f} s; {hint}"
        )

    def _with_pressure(self, pressure: float) -> Trial | None:
        """Returns the fill that gives the wait; None where none is short or long enough."""
        short = self._runs.trial(pressure, 0)
        if self.wait_error(short) <= self._tolerance:
            return short
        if short.wait > self._wait:
            return None
        long = self._runs.trial(pressure, self._longest)
        if self.wait_error(long) <= self._tolerance:
            return long
        if long.wait < self._wait:
            return None
        for step in range(MOST_STEPS):
            # By turns where a line through both ends says, and halfway: waits grow late and fast.
            share = (self._wait - short.wait) / (long.wait - short.wait)
            share = 0.5 if step % 2 else min(max(share, 0.1), 0.9)
            fill = short.fill_wait + share * (long.fill_wait - short.fill_wait)
            trial = self._runs.trial(pressure, fill)
            if self.wait_error(trial) <= self._tolerance:
                return trial
            if trial.wait < self._wait:
                short = trial
            else:
                long = trial
        return min(short, long, key=self.wait_error)
