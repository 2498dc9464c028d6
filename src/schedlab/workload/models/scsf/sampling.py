"""Jobs drawn from a model: cores, requested time and run time, in blocks of one size.

Each variable has random numbers of its own, and blocks are whole whatever is asked for. So the
first thousand jobs of a seed are the same in a workload of a thousand and of a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars

from schedlab.errors import InputError
from schedlab.workload.models.scsf.distribution import sample_places, values_of
from schedlab.workload.random_numbers import generator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from schedlab.workload.models.scsf.distribution import EmpiricalDistribution
    from schedlab.workload.models.scsf.model import SizeClass, WorkloadModel

BLOCK = 8192
RUN_TIMES = ("paired", "distribution", "accuracy")
"""Where run times of jobs come from that are not drawn whole; see `GenerationSettings`."""


class JobBlock(NamedTuple):
    """Some jobs, as columns."""

    cores: NDArray[np.float64]
    requested: NDArray[np.float64]
    run: NDArray[np.float64]


class ArrivalTimes:
    """Times of submission from 0 on, in blocks."""

    def __init__(self, model: WorkloadModel, seed: str) -> None:
        self._gaps, self._week = model.variables["interarrival"], model.week
        self._random = generator(seed, "interarrival")
        self._total = 0.0

    def block(self) -> NDArray[np.float64]:
        """Returns the next times, in order."""
        times = self._total + np.cumsum(self._gaps.sample(self._random.random(BLOCK)))
        self._total = float(times[-1])
        return times if self._week is None else np.floor(self._week.time(times))

    def __iter__(self) -> Iterator[float]:
        while True:
            yield from self.block().tolist()


class JobSampler:
    """Draws jobs of a model.

    Args:
        model: Of which.
        seed: Of the random numbers.
        run_times: One of RUN_TIMES.
        most_cores: Jobs with more are not drawn; None: all are.
        most_work: Jobs with more core-seconds are not drawn; None: all are.

    Raises:
        InputError: The model has no job as small.
    """

    def __init__(
        self,
        model: WorkloadModel,
        seed: str,
        run_times: str = "paired",
        most_cores: float | None = None,
        most_work: float | None = None,
    ) -> None:
        self._run_times, self._most_work = run_times, most_work
        names = ("cores", "requested", "run", "accuracy", "pairs", "jobs")
        self._random = {name: generator(seed, name) for name in names}
        self._variables = model.variables
        self._cores: EmpiricalDistribution | None = model.variables["cores"]
        self._classes = model.classes
        self._table = None if model.jobs is None else _values(model)
        if most_cores is not None:
            self._cores = model.variables["cores"].up_to(most_cores)
            if self._table is not None and self._table["cores"].to_numpy().max() > most_cores:
                self._table = self._table.filter(polars.col("cores") <= most_cores)
        if self._cores is None:
            raise InputError(
                f"the smallest jobs of the model have {model.variables['cores'].values[0]:g} "
                f"processors; the machine has {most_cores:g}"
            )
        if self._table is not None:
            self._columns = JobBlock(*(self._table[name].to_numpy() for name in JobBlock._fields))
            self._cumulative = np.cumsum(self._table["count"].to_numpy())

    @property
    def has_work(self) -> bool:
        """Whether any job takes core-seconds at all."""
        if self._table is not None:
            return bool(self._columns.run.max() > 0)
        return bool(self._variables["run"].values[-1] > 0)

    def block(self) -> JobBlock:
        """Returns the next jobs; where large ones are left out, fewer, but at least one.

        Raises:
            InputError: Hundreds of thousands of jobs were drawn, and all had too much work.
        """
        if self._most_work is None:
            return self._drawn()
        for _ in range(64):
            block = self._drawn()
            kept = block.cores * block.run <= self._most_work
            if kept.any():
                return JobBlock(*(column[kept] for column in block))
        raise InputError(f"most_work: no job takes at most {self._most_work:g} core-seconds")

    def _drawn(self) -> JobBlock:
        if self._table is not None:
            places = sample_places(self._cumulative, self._draw("jobs"))
            return JobBlock(*(column[places] for column in self._columns))
        assert self._cores is not None
        cores = self._cores.sample(self._draw("cores"))
        draws = {name: self._draw(name) for name in ("requested", "run", "accuracy", "pairs")}
        requested, run = np.empty(BLOCK), np.empty(BLOCK)
        for part, times in self._parts(cores):
            drawn = {name: numbers[part] for name, numbers in draws.items()}
            requested[part], run[part] = self._times(times, drawn)
        return JobBlock(cores, requested, run)

    def _draw(self, name: str) -> NDArray[np.float64]:
        return self._random[name].random(BLOCK)

    def _parts(
        self, cores: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.bool_], SizeClass | dict[str, EmpiricalDistribution]]]:
        """Yields which jobs have their times from where."""
        if not self._classes:
            yield np.ones(len(cores), np.bool_), self._variables
            return
        numbers = np.searchsorted([one.largest for one in self._classes], cores, "left")
        for number, one in enumerate(self._classes):
            yield numbers == number, one

    def _times(
        self,
        source: SizeClass | dict[str, EmpiricalDistribution],
        draws: dict[str, NDArray[np.float64]],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        of = source if isinstance(source, dict) else vars(source)
        requested: NDArray[np.float64] = of["requested"].sample(draws["requested"])
        if self._run_times == "accuracy":
            return requested, np.round(of["accuracy"].sample(draws["accuracy"]) * requested)
        run: NDArray[np.float64] = of["run"].sample(draws["run"])
        if self._run_times == "paired":
            requested = paired(requested, run, draws["pairs"])
        return requested, run


def residual_seconds(
    model: WorkloadModel, run_times: str, most_cores: float | None, most_work: float | None
) -> float:
    """Returns how long work that runs has still to go, on average over the machine.

    At a random moment a job is met the more likely the longer it runs, and halfway through: that is
    E[c r^2] / (2 E[c r]) over jobs of c cores and r seconds. It is taken of a sample of 131,072
    jobs, always the same, because what is left out depends on all variables of a job.
    """
    known: dict[tuple[object, ...], float] = model.__dict__.setdefault("_residuals", {})
    key = (run_times, most_cores, most_work)
    if key not in known:
        sampler = JobSampler(model, "residual", run_times, most_cores, most_work)
        work = squares = 0.0
        for _ in range(16):
            block = sampler.block()
            work += float(block.cores @ block.run)
            squares += float(block.cores @ (block.run * block.run))
        known[key] = squares / (2 * work) if work else 0.0
    return known[key]


def _values(model: WorkloadModel) -> polars.DataFrame:
    """Returns the table of whole jobs with values in place of bins."""
    assert model.jobs is not None
    columns = []
    for name in JobBlock._fields:
        of = model.variables[name]
        bins = model.jobs[name].to_numpy()
        columns.append(polars.Series(name, values_of(bins, of.bin_size, of.value)))
    return polars.DataFrame([*columns, model.jobs["count"]])


def paired(
    requested: NDArray[np.float64], run: NDArray[np.float64], uniforms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the requested times in another order, such that each covers the run time beside it.

    Drawn by themselves, every third job of HPC2N would run longer than it asked for, which hardly
    any does. Of all orders in which none does, one is chosen, each as likely as any other: the
    longest job takes one of the requests that cover it, then the next longest one of the rest, and
    so on. Where none is left that covers a job, it takes the longest that is left. Both
    distributions stay what they are.

    Args:
        requested: As many as `run`.
        run: Of each job.
        uniforms: As many random numbers from 0 up to, not including, 1.
    """
    left = np.sort(requested).tolist()
    runs = run.tolist()
    chosen = [0.0] * len(runs)
    covering: list[float] = []
    draws = uniforms.tolist()
    for job in np.argsort(-run, kind="stable").tolist():
        seconds = runs[job]
        while left and left[-1] >= seconds:
            covering.append(left.pop())
        if covering:
            place = int(draws[job] * len(covering))
            chosen[job] = covering[place]
            covering[place] = covering[-1]
            covering.pop()
        else:
            chosen[job] = left.pop()
    return np.array(chosen)
