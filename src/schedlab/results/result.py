"""The result of a run."""

from __future__ import annotations

import os

from schedlab.calling import explained
from schedlab.errors import written_error
from schedlab.results.notices import rejection_lines

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    import matplotlib.figure
    import polars


class Result:
    """A run folder, read when asked.

    Attributes:
        path: The folder.
        run: What run.json holds, as nested dicts.
    """

    def __init__(
        self, path: str, run: dict[str, Any], keep: object = None, sound: tuple[str, ...] = ()
    ) -> None:
        self.path = path
        self.run = run
        self._keep = keep  # a temporary folder lives as long as this
        self._checked = {*sound}  # tables that need no look at each cell

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, _sound: tuple[str, ...] = ()) -> Result:
        """Returns the result in a run folder.

        Args:
            path: The folder.

        Raises:
            InputError: There is no whole run in it, or run.json is damaged.
        """
        from schedlab.results.publishing import finish_if_left
        from schedlab.results.run_shape import read_run
        from schedlab.results.tables_check import refuse_resized

        folder = os.fsdecode(path)
        finish_if_left(folder)
        run = read_run(folder)
        refuse_resized(folder, run)
        return cls(folder, run, sound=_sound)

    @property
    def counts(self) -> dict[str, int]:
        """Number of jobs by state, and of all submitted."""
        counts: dict[str, int] = self.run["counts"]
        return counts

    @property
    def metrics(self) -> dict[str, Any]:
        """Metrics of the jobs that ran."""
        metrics: dict[str, Any] = self.run["metrics"]
        return metrics

    @property
    def summary(self) -> Summary:
        """Counts and metrics; printed as a table."""
        return Summary(self.run)

    @property
    def jobs(self) -> polars.LazyFrame:
        """The jobs, one row each, read lazily from jobs.csv or jobs.parquet."""
        return self._scan("jobs")

    @property
    def timeline(self) -> polars.LazyFrame:
        """The time points, one row each, read lazily from timeline.csv or timeline.parquet."""
        return self._scan("timeline")

    @property
    def states(self) -> polars.LazyFrame | None:
        """The times during which a node was not simply on, such as down; None: they all were."""
        return self._scan("states") if "states.csv" in self.run["files"] else None

    @property
    def interruptions(self) -> polars.LazyFrame | None:
        """The attempts of jobs that ended early, one row each; None: none could."""
        return self._scan("interruptions") if "interruptions.csv" in self.run["files"] else None

    @property
    def links(self) -> polars.LazyFrame | None:
        """What each link of the network carried, one row each; None: no job ran an application."""
        return self._scan("links") if "links.csv" in self.run["files"] else None

    @explained
    def plot(
        self, name: str, file: str | os.PathLike[str] | None = None, **options: Any
    ) -> matplotlib.figure.Figure:
        """Returns a figure of this run, such as `result.plot("gantt", "gantt.png")`.

        Args:
            name: Of the plot, as in `schedlab plot --list`, or a Plot.
            file: Where to write it: .png, .svg or .pdf.
            options: Of `schedlab.plot`: size, dpi, title.

        Raises:
            InputError: There is no such plot, or the run lacks a table that it needs.
        """
        import schedlab

        return schedlab.plot(name, self, file, **options)

    def phase(self, name: str) -> Result:
        """Returns what one phase of a generated workload came to, as a result of its own.

        Its jobs are those submitted in the phase, its timeline is that of the time it lasted, and
        counts and metrics are of these; so plots and tables leave out the others.

        Args:
            name: fill, stabilization, experiment or drain.

        Raises:
            InputError: The workload has no such phase, or the run lacks a table.
        """
        from schedlab.results.part_of_run import PartOfRun

        return PartOfRun(self, name)

    def _scan(self, name: str) -> polars.LazyFrame:
        from schedlab.results.stored_tables import check_table, scan_table
        from schedlab.results.tables_check import refuse_changed

        for file in self.run["files"]:
            if file.partition(".")[0] == name:
                refuse_changed(self.path, self.run, file)
        path = os.path.join(self.path, f"{name}.parquet")
        if not os.path.lexists(path):
            path = os.path.join(self.path, f"{name}.csv")
        frame = scan_table(path)
        if name not in self._checked:
            check_table(frame, name, self.run, path)
            self._checked.add(name)
        if self._keep is not None:  # the frame may outlive the temporary folder
            return frame.collect().lazy()
        return frame

    def _repr_html_(self) -> str:
        """Returns the summary, for notebooks."""
        return self.summary._repr_html_(None if self._keep is not None else self.path)

    def __repr__(self) -> str:
        return f"Result({self.path!r}, {self.run['scheduler']}, {self.run['status']})"


def to_parquet(source: str, target: str) -> None:
    """Writes the table of a CSV file as Parquet, without loading it whole."""
    from schedlab.results.stored_tables import scan_table

    # Level 1 takes a quarter less time than the default, and the file is hardly larger.
    try:
        scan_table(source).sink_parquet(target, compression="zstd", compression_level=1)
    except Exception as error:
        raise written_error(error, target) from None


class Summary:
    """Counts and metrics of a run, printed as a table."""

    def __init__(self, run: dict[str, Any]) -> None:
        self._run = run

    def rows(self) -> list[tuple[str, ...]]:
        """Returns the table: a heading, then name, mean, median, 95th and max of each metric."""
        metrics = self._run["metrics"]
        table: list[tuple[str, ...]] = [("", "mean", "median", "95th", "max")]
        for name in ("wait", "slowdown", "bounded_slowdown", "turnaround"):
            values = metrics[name] or {}
            cells = (_number(values.get(key)) for key in ("mean", "median", "p95", "max"))
            unit = " (s)" if name in ("wait", "turnaround") else ""
            table.append((name.replace("_", " ") + unit, *cells))
        return table

    def lines(self) -> list[str]:
        """Returns the facts beside the table, a line each."""
        from schedlab.results.measures import platform_lines  # for those who look at them

        run, metrics = self._run, self._run["metrics"]
        counts = ", ".join(f"{n:,} {state}" for state, n in run["counts"].items() if n)
        use = ", ".join(f"{kind} {share:.1%}" for kind, share in metrics["utilization"].items())
        simulator, conditions = run["simulator"], run.get("conditions")
        lines = [
            f"{run['scheduler']} + {run['allocator']} on {run['system']['name']}",
            *([f"conditions   {conditions['text']}"] if conditions else []),
            f"jobs         {counts or 'none'}",
            *(f"rejected     {line}" for line in rejection_lines(run)),
            f"utilization  {use}",
            f"makespan     {metrics['makespan']:,.0f} s, "
            f"{metrics['throughput_per_hour']:,.2f} jobs/h",
            *platform_lines(run),
            f"simulator    {simulator['cpu_seconds']:.3f} s CPU, "
            f"{simulator['peak_memory_bytes'] / 1e6:.1f} MB peak",
        ]
        for reason, rows in run["workload"]["skipped"].items():
            first = f" (first in line {rows['first_line']:,})" if rows["first_line"] else ""
            lines.append(f"skipped      {rows['rows']:,} rows: {reason}{first}")
        if run["status"] != "complete":
            ended = f"failed: {run['error']}" if "error" in run else f"was {run['status']}"
            lines.insert(0, f"PARTIAL RESULT: the run {ended}")
        return lines

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        table = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]
        warnings = [f"warning      {text}" for text in self._run.get("warnings", ())]
        return "\n".join([*self.lines(), *warnings, "", *table])

    __repr__ = __str__

    def _repr_html_(self, folder: str | None = None) -> str:
        """Returns the same for notebooks, with where it is, if that is given."""
        from schedlab import notebook_html

        heads, *rows = self.rows()
        title, *lines = self.lines()
        where = [notebook_html.note(f"folder: {folder}")] if folder else []
        pairs = []
        for line in lines:
            label, gap, text = line.partition("  ")
            pairs.append((label, text.strip()) if gap else ("", line))
        return notebook_html.block(
            title, notebook_html.facts(pairs), notebook_html.table(heads, rows), *where
        )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.2f}"
