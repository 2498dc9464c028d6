"""From the rows of a log to the counts that a model is made of, batch by batch."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.errors import InputError
from schedlab.workload.header import leading_number, unix_start
from schedlab.workload.models.scsf.distribution import ROUNDING, check_bin, merged
from schedlab.workload.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

VARIABLES = ("interarrival", "cores", "requested", "run", "accuracy", "wait")

BIN_SIZES = {"interarrival": 1.0, "requested": 60.0, "run": 60.0, "accuracy": 0.001, "wait": 60.0}
"""Seconds, and shares; that of cores is the number of cores of a node."""

BIN_VALUES = {
    **{"interarrival": "upper", "cores": "upper", "requested": "upper"},
    **{"run": "middle", "accuracy": "middle", "wait": "middle"},
}
"""Times in logs are whole seconds, requests whole minutes and nodes: their upper edges are what was
there. The others map to mid-values, as in the paper."""

JOB = ["cores", "requested", "run"]

WHOLE_NODES = 0.9
"""Share of jobs with whole nodes from which nodes count as not shared."""
HEADER_FIELDS = ("Computer", "Installation", "MaxNodes", "MaxProcs")


class Counted:
    """Counts of everything that a model needs, of rows that are added table by table.

    Attributes:
        rows: How many were added.
        rounded_up: Jobs whose cores do not fill the last bin, so that they become larger.
        dropped: Rows that lack something, by what.
    """

    def __init__(self, bin_sizes: dict[str, float], missing_requested: str) -> None:
        if missing_requested not in ("drop", "run"):
            raise InputError(f"missing_requested: must be drop or run, not {missing_requested!r}")
        self._sizes, self._missing_requested = bin_sizes, missing_requested
        self.rows = self.rounded_up = 0
        self.dropped: Counter[str] = Counter()
        self._jobs: list[polars.DataFrame] = []
        self._accuracies: list[polars.DataFrame] = []
        self._waits: list[polars.DataFrame] = []
        self._submits: list[NDArray[np.float64]] = []

    def add(self, table: polars.DataFrame) -> None:
        """Counts the rows of a complete job table."""
        self.rows += table.height
        wanted, taken = polars.col("requested_processors"), polars.col("allocated_processors")
        requested = polars.col("requested_time")
        if self._missing_requested == "run":
            requested = polars.when(requested > 0).then(requested).otherwise(polars.col("run"))
        rows = table.select(
            "submit",
            "wait",
            "run",
            polars.when(wanted > 0).then(wanted).otherwise(taken).alias("cores"),
            requested.alias("requested"),
        )
        for reason, usable in (
            ("no submit time", polars.col("submit") >= 0),
            ("no run time", polars.col("run") >= 0),
            ("no processors", polars.col("cores") > 0),
            ("no requested time", polars.col("requested") > 0),
            ("a number beyond 2^53", polars.all_horizontal(polars.all() <= 2.0**53)),
        ):
            kept = rows.filter(usable)
            if kept.height < rows.height:
                self.dropped[reason] += rows.height - kept.height
            rows = kept
        self._submits.append(rows["submit"].to_numpy())
        parts = polars.col("cores") % self._sizes["cores"] != 0
        self.rounded_up += rows.select(parts.sum()).item()
        binned = rows.with_columns(
            (polars.col("run") / polars.col("requested")).alias("accuracy")
        ).select("wait", *(self._bins(name) for name in (*JOB, "accuracy")))
        self._jobs.append(_counted(binned, JOB))
        self._accuracies.append(_counted(binned, ["cores", "accuracy"]))
        waited = binned.filter(polars.col("wait") >= 0).select(self._bins("wait"))
        self._waits.append(_counted(waited, ["wait"]))
        if len(self._jobs) > 16:  # so that a long log takes no more memory than its variety
            self._jobs = [self.jobs]
            self._accuracies, self._waits = [self.accuracies], [self.waits]

    def _bins(self, name: str) -> polars.Expr:
        bins = (polars.col(name) / self._sizes[name] - ROUNDING).ceil()
        return bins.cast(polars.Int64).alias(name)

    @property
    def jobs(self) -> polars.DataFrame:
        """How many jobs had which cores, requested time and run time, as numbers of bins."""
        return merged(self._jobs, JOB)

    @property
    def accuracies(self) -> polars.DataFrame:
        """How many jobs had which cores and accuracy, as numbers of bins."""
        return merged(self._accuracies, ["cores", "accuracy"])

    @property
    def waits(self) -> polars.DataFrame:
        """How many jobs waited how long, as numbers of bins; nothing where the log does not say."""
        return merged(self._waits, ["wait"])

    @property
    def submits(self) -> NDArray[np.float64]:
        """When the jobs were submitted, in order."""
        return np.sort(np.concatenate(self._submits))


def _counted(rows: polars.DataFrame, keys: list[str]) -> polars.DataFrame:
    return rows.group_by(keys).len(name="count").cast({"count": polars.Int64})


def tables_of(source: Any) -> tuple[Iterator[polars.DataFrame], Reader | None, str]:
    """Returns the tables of a file, Reader, table or several tables, the reader, and a name."""
    from schedlab.workload.formats import open_reader

    if isinstance(source, (str, os.PathLike)):
        source = open_reader(source)
    if isinstance(source, Reader):
        return source.tables(), source, os.path.basename(source.path or str(source))
    if isinstance(source, polars.DataFrame):
        return iter([source]), None, "a table"
    try:
        return iter(source), None, "tables"
    except TypeError:
        kind = type(source).__name__
        raise InputError(f"a model is made of a file, a Reader or tables, not of {kind}") from None


def peeked(
    tables: Iterator[polars.DataFrame], reader: Reader | None
) -> tuple[dict[str, str], polars.DataFrame | None, Iterable[polars.DataFrame]]:
    """Returns the header, which is known once the first table was read, that table, and all."""
    from itertools import chain

    first = next(tables, None)
    header = {} if reader is None else reader.header
    return header, first, tables if first is None else chain([first], tables)


def node_cores(header: Mapping[str, str], first: polars.DataFrame | None) -> int:
    """Returns the cores of a node, where a header describes a machine of equal nodes; else 1.

    Where jobs of the first table ask for parts of nodes, users share nodes: whole nodes would be
    other sizes than the log's, and it is 1 as well.
    """
    from schedlab.workload.table import complete

    processors, nodes = (leading_number(header.get(key)) for key in ("MaxProcs", "MaxNodes"))
    if not processors or not nodes or processors % nodes:
        return 1
    cores = processors // nodes
    if first is not None:
        wanted, taken = polars.col("requested_processors"), polars.col("allocated_processors")
        sizes = complete(first).select(polars.when(wanted > 0).then(wanted).otherwise(taken))
        whole = sizes.filter(polars.nth(0) > 0).select((polars.nth(0) % cores == 0).mean()).item()
        if whole is not None and whole < WHOLE_NODES:
            return 1
    return cores


def bins_from(
    given: Mapping[str, Any] | None, defaults: Mapping[str, Any], what: str
) -> dict[str, Any]:
    """Returns the defaults with what was given in their place; raises InputError."""
    for name in given or {}:
        if name not in VARIABLES:
            raise InputError(f"{what}: unknown variable {name!r}; known: {', '.join(VARIABLES)}")
    return {**defaults, **(given or {})}


def check_bins(sizes: Mapping[str, float], values: Mapping[str, str]) -> None:
    """Raises InputError where sizes of bins, or what they stand for, are wrong."""
    for name in VARIABLES:
        size = sizes[name]
        if isinstance(size, bool) or not isinstance(size, (int, float)):
            raise InputError(f"{name}: the size of a bin must be a number, not {size!r}")
        check_bin(size, values[name], name)


def count(
    tables: Iterable[polars.DataFrame],
    counted: Counted,
    progress: Callable[[int], None] | None,
) -> None:
    """Adds all tables, completed."""
    from schedlab.workload.table import complete

    for table in tables:
        counted.add(complete(table))
        if progress is not None:
            progress(counted.rows)


def unix_times(submits: NDArray[np.float64], header: Mapping[str, str]) -> NDArray[np.float64]:
    """Returns submissions as Unix times; where the log has no start, time 0 is a Monday, 00:00."""
    from schedlab.workload.models.scsf.weekly import FIRST_MONDAY

    start = unix_start(dict(header))
    return submits + float(FIRST_MONDAY if start is None else start)
