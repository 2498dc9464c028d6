"""A workload model: distributions of a log's variables, from which more of its kind is made."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.errors import InputError
from schedlab.workload.models.scsf import fitting
from schedlab.workload.models.scsf.distribution import EmpiricalDistribution
from schedlab.workload.models.scsf.weekly import WeeklyRate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from schedlab.workload.models.scsf.generating import GeneratedWorkload
    from schedlab.workload.models.scsf.settings import GenerationSettings
    from schedlab.workload.reader import Reader

JOINTS = ("independent", "size", "jobs")
"""What is drawn together: nothing, the times of one class of sizes, or whole jobs."""

ARRIVALS = ("independent", "weekly")


@dataclass(frozen=True, eq=False)
class SizeClass:
    """Times of the jobs of one class of sizes.

    Attributes:
        largest: The most cores a job of the class has.
        requested: Distribution of the requested times.
        run: Of the run times.
        accuracy: Of run over requested time.
    """

    largest: float
    requested: EmpiricalDistribution
    run: EmpiricalDistribution
    accuracy: EmpiricalDistribution


@dataclass(frozen=True, eq=False)
class WorkloadModel:
    """Distributions of the variables of a log (ScSF, section 3.1).

    Attributes:
        variables: Distributions of interarrival, requested, run and wait (seconds), cores, and
            accuracy (run over requested time). `wait` is missing where the log has none.
        joint: What is drawn together: "independent", each variable by itself, as in the paper;
            "size", requested and run time by class of sizes; "jobs", all three as they were.
        arrivals: "independent", as in the paper, or "weekly", by the hour of the week.
        classes: Of sizes, ascending, with joint="size".
        jobs: With joint="jobs", columns cores, requested and run (numbers of bins) and count.
        week: The rate of submissions with arrivals="weekly".
        source: Of what it was made: name, rows, dropped, span_seconds, header.
    """

    variables: dict[str, EmpiricalDistribution]
    joint: str = "independent"
    arrivals: str = "independent"
    classes: tuple[SizeClass, ...] = ()
    jobs: polars.DataFrame | None = None
    week: WeeklyRate | None = None
    source: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        source: str | os.PathLike[str] | Reader | polars.DataFrame | Iterable[polars.DataFrame],
        *,
        cores_per_node: int | None = None,
        bins: Mapping[str, float] | None = None,
        values: Mapping[str, str] | None = None,
        joint: str = "independent",
        arrivals: str = "independent",
        missing_requested: str = "drop",
        progress: Callable[[int], None] | None = None,
    ) -> WorkloadModel:
        """Returns the model of a log.

        Rows without submit time, run time, processors or requested time are left out, counted in
        `source`. Other rows that skew a model, such as flurries, are `schedlab workload clean`'s.

        Args:
            source: A file of any format, a Reader, or job tables.
            cores_per_node: Size of the bins of cores; by default MaxProcs / MaxNodes of the
                header, where nine in ten jobs ask for whole nodes, else 1. Jobs become whole nodes.
            bins: Sizes of bins by variable; the others are those of the paper: 60 s, of
                interarrival 1 s, of accuracy 0.001.
            values: What a bin stands for by variable: "upper" or "middle".
            joint: "independent", "size" or "jobs".
            arrivals: "independent" or "weekly".
            missing_requested: "drop" rows without a requested time, or take the "run" time for it.
            progress: Called with the number of rows read so far.

        Raises:
            InputError: The file cannot be read, an option is wrong, or no row can be used.
        """
        for name, word, words in (("joint", joint, JOINTS), ("arrivals", arrivals, ARRIVALS)):
            if word not in words:
                raise InputError(f"{name}: must be one of {', '.join(words)}, not {word!r}")
        tables, reader, name = fitting.tables_of(source)
        header, first, every = fitting.peeked(tables, reader)
        cores = fitting.node_cores(header, first) if cores_per_node is None else cores_per_node
        sizes = fitting.bins_from(bins, {**fitting.BIN_SIZES, "cores": cores}, "bins")
        stands_for = fitting.bins_from(values, fitting.BIN_VALUES, "values")
        fitting.check_bins(sizes, stands_for)
        counted = fitting.Counted(sizes, missing_requested)
        fitting.count(every, counted, progress)
        header = header if reader is None else reader.header
        made = _Parts(counted, sizes, stands_for, name)
        week, distances = made.arrivals(arrivals, header)
        jobs = counted.jobs
        variables = {"interarrival": distances, **made.marginals(jobs)}
        described = {
            "name": name,
            "rows": counted.rows,
            "dropped": dict(counted.dropped),
            **({"rounded_up": counted.rounded_up} if counted.rounded_up else {}),
            "span_seconds": float(made.submits[-1] - made.submits[0]),
            "header": {k: header[k] for k in fitting.HEADER_FIELDS if k in header},
        }
        return cls(
            variables,
            joint,
            arrivals,
            made.classes(jobs) if joint == "size" else (),
            jobs if joint == "jobs" else None,
            week,
            described,
        )

    @cached_property
    def node_cores(self) -> float:
        """Size of the bins of cores."""
        return self.variables["cores"].bin_size

    def generate(
        self, seed: str | int, settings: GenerationSettings | None = None, **options: Any
    ) -> GeneratedWorkload:
        """Returns a workload of this model; see `GenerationSettings` for the options.

        Nothing is drawn before its tables are asked for.

        Args:
            seed: The same seed gives the same bytes, another one another sample.
            settings: All options at once, such as `tune` found.
            options: In place of those of `settings`.
        """
        from schedlab.workload.models.scsf.generating import GeneratedWorkload
        from schedlab.workload.models.scsf.settings import GenerationSettings

        given = (settings or GenerationSettings()).replaced(**options)
        return GeneratedWorkload(self, str(seed), given)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a readable file: JSON, a line per variable."""
        from schedlab.whole_file import write_text
        from schedlab.workload.models.scsf.model_files import model_text

        write_text(os.fsdecode(path), model_text(self))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> WorkloadModel:
        """Returns the model of a file.

        Raises:
            InputError: With file, path of the field, what is wrong and what to do.
        """
        from schedlab.workload.models.scsf.model_files import load_model

        return load_model(os.fsdecode(path))

    def __repr__(self) -> str:
        used = self.variables["cores"].total
        return f"WorkloadModel({self.source.get('name')}: {used:,} jobs, joint={self.joint})"


class _Parts:
    """The parts of a model, out of counts."""

    def __init__(
        self,
        counted: fitting.Counted,
        sizes: Mapping[str, float],
        values: Mapping[str, str],
        name: str,
    ) -> None:
        self._counted, self._sizes, self._values = counted, sizes, values
        self.submits = counted.submits
        if len(self.submits) < 2:
            lost = ", ".join(f"{rows:,} rows: {why}" for why, rows in counted.dropped.items())
            raise InputError(
                f"{name}: a model needs at least two jobs with submit time, run time, processors "
                f"and requested time; of {counted.rows:,} rows {len(self.submits)} can be used"
                + (f" ({lost})" if lost else "")
                + ("; missing_requested=run takes run times for them" if "no requ" in lost else "")
            )

    def arrivals(
        self, arrivals: str, header: Mapping[str, str]
    ) -> tuple[WeeklyRate | None, EmpiricalDistribution]:
        """Returns the week, where one is wanted, and the distribution of gaps."""
        size, value = self._sizes["interarrival"], self._values["interarrival"]
        if arrivals == "independent":
            return None, EmpiricalDistribution.of(np.diff(self.submits), size, value)
        times = fitting.unix_times(self.submits, header)
        week = WeeklyRate.of(times)
        gaps = np.diff(week.busy_time(times))
        return week, EmpiricalDistribution.of(np.maximum(gaps, 0.0), size, value)

    def marginals(self, jobs: polars.DataFrame) -> dict[str, EmpiricalDistribution]:
        """Returns the distributions of all variables but the gaps."""
        found = {name: self._distribution(name, jobs) for name in fitting.JOB}
        found["accuracy"] = self._distribution("accuracy", self._counted.accuracies)
        waits = self._counted.waits
        if waits.height:
            found["wait"] = self._distribution("wait", waits)
        return found

    def classes(self, jobs: polars.DataFrame) -> tuple[SizeClass, ...]:
        """Returns the classes of sizes: up to 1, 2, 4, 8, ... bins of cores."""
        accuracies, classes = self._counted.accuracies, []
        below, most = 0, 1
        while below < jobs["cores"].max():  # type: ignore[operator]
            inside = polars.col("cores").is_between(below, most, closed="right")
            part = jobs.filter(inside)
            if part.height:
                classes.append(
                    SizeClass(
                        most * self._sizes["cores"],
                        self._distribution("requested", part),
                        self._distribution("run", part),
                        self._distribution("accuracy", accuracies.filter(inside)),
                    )
                )
            below, most = most, 2 * most
        return tuple(classes)

    def _distribution(self, name: str, counts: polars.DataFrame) -> EmpiricalDistribution:
        return EmpiricalDistribution.counted(
            counts[name], counts["count"], self._sizes[name], self._values[name]
        )
