"""Workloads that are drawn: streams of jobs, merged, brought to a load, numbered, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy
import polars

from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.workload.models.load_factor import load_factor
from schedlab.workload.reader import Reader
from schedlab.workload.table import BATCH, complete

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from schedlab.workload.distributions.special_functions import Array
    from schedlab.workload.models.stream import Stream

MOST_SECONDS, MOST_PROCESSORS = 4e9, 2**31 - 1
"""What an SWF file may hold (docs/reference/swf.md)."""


class DrawnFacts(NamedTuple):
    """What was generated.

    Attributes:
        jobs: How many.
        span_seconds: Between the first and the last submission.
        load: Processor seconds of all jobs over those of the machine in that time; None where no
            machine is known.
        losses: What the format cannot hold, and how many jobs have it.
        notes: What to know of the file, as sentences.
    """

    jobs: int
    span_seconds: float
    load: float | None
    losses: dict[str, int]
    notes: list[str]

    def __str__(self) -> str:
        load = f", offered load {self.load:.3f}" if self.load is not None else ""
        return f"{self.jobs:,} jobs over {self.span_seconds / DAY:,.1f} days{load}"


class StreamModel:
    """Base of models that jobs are drawn from.

    Attributes:
        streams: What it is made of.
        machine: Processors of the machine; None: not known.
        load: What the gaps are stretched or shortened for; None: they stay as they are.
        resolution: Submit times are whole multiples of N seconds.
    """

    streams: Sequence[Stream]
    machine: int | None = None
    load: float | None = None
    resolution: float = 1.0

    def header(self, jobs: int, seed: str | int) -> dict[str, str]:
        """Returns what an SWF file of it says of itself: all that is needed to make it again."""
        from schedlab import __version__

        fields = {
            "Version": "2.2",
            "Installation": "none: this workload is synthetic",
            "MaxJobs": str(jobs),
            "MaxRecords": str(jobs),
            "Preemption": "No",
        }
        if self.machine is not None:
            fields["MaxProcs"] = str(self.machine)
        load = "" if self.load is None else f", load {self.load}"
        note = f"{self}{load}, seed {seed}, by schedlab {__version__}"
        fields["Note"] = " ".join(note.split())  # a seed may be any text
        return fields

    def tables(self, jobs: int, seed: str | int = 1) -> Iterator[polars.DataFrame]:
        """Yields job tables, in order of submission.

        Args:
            jobs: How many jobs in all. The first ones are the same however many are asked for,
                unless a load is asked for.
            seed: Any text or whole number; another one gives another sample.

        Raises:
            InputError: `jobs` is not a whole number above 0, or what was drawn cannot be a job.
        """
        if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
            raise InputError(f"jobs: must be a whole number from 1 up, not {jobs!r}")
        text = isinstance(seed, str) and not any("\ud800" <= letter <= "\udfff" for letter in seed)
        if not text and (not isinstance(seed, int) or isinstance(seed, bool)):
            raise InputError(f"seed: must be a text or a whole number, not {seed!r}")
        return self._tables(jobs, seed)

    def reader(self, jobs: int, seed: str | int = 1) -> GeneratedReader:
        """Returns the jobs as a workload to simulate, without a file.

        Args:
            jobs: How many.
            seed: As for `tables`.
        """
        return GeneratedReader(self, jobs, seed)

    def write(
        self,
        path: str | os.PathLike[str],
        jobs: int,
        seed: str | int = 1,
        writer: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> DrawnFacts:
        """Writes jobs to a file, whole or not at all, and returns what they are.

        Args:
            path: The file; the end of its name says the format.
            jobs: How many.
            seed: As for `tables`.
            writer: Of the format, if the file's name does not say it.
            progress: Called with the number of jobs written so far.
        """
        from schedlab.workload.formats import write_tables

        work = first = last = 0.0

        def counted() -> Iterator[polars.DataFrame]:
            nonlocal work, first, last
            begun = False
            for table in self.tables(jobs, seed):
                if not begun:
                    begun, first = True, float(table["submit"][0])
                last = float(table["submit"][-1])
                work += float((table["run"] * table["allocated_processors"]).sum())
                yield table

        made = write_tables(path, counted(), self.header(jobs, seed), writer, progress)
        known = self.machine is not None and last > first
        load = work / ((self.machine or 1) * (last - first)) if known else None
        return DrawnFacts(jobs, last - first, load, dict(made.losses), made.notes)

    def _tables(self, jobs: int, seed: str | int) -> Iterator[polars.DataFrame]:
        factor = 1.0
        if self.load is not None:
            assert self.machine is not None
            factor = load_factor(self.streams, jobs, seed, self.machine, self.load)
        parts: list[dict[str, Array]] = []
        waiting = given = 0
        for columns in self._merged(seed, factor):
            parts.append(columns)
            waiting += len(columns["submit"])
            while waiting and (waiting >= BATCH or given + waiting >= jobs):
                whole = {name: numpy.concatenate([p[name] for p in parts]) for name in parts[0]}
                rows = min(BATCH, jobs - given, waiting)
                yield self._table({name: whole[name][:rows] for name in whole}, given)
                given += rows
                if given == jobs:
                    return
                parts = [{name: whole[name][rows:] for name in whole}]
                waiting -= rows

    def _table(self, columns: dict[str, Array], given: int) -> polars.DataFrame:
        rows = len(columns["submit"])
        if columns["submit"][-1] > MOST_SECONDS:
            late = int(numpy.argmax(columns["submit"] > MOST_SECONDS)) + given + 1
            raise InputError(
                f"job {late:,} would be submitted after {MOST_SECONDS:,.0f} s (126 years): "
                "ask for fewer jobs, or smaller gaps between them"
            )
        numbers = numpy.arange(given + 1, given + rows + 1, dtype=numpy.float64)
        return complete(polars.DataFrame({"job": numbers, **columns}))

    def _merged(self, seed: str | int, factor: float) -> Iterator[dict[str, Array]]:
        """Yields the jobs of all streams in order of submission, some at a time."""
        sources = [self._submitted(stream, seed, factor) for stream in self.streams]
        if len(sources) == 1:
            yield from (columns for _, columns in sources[0])
            return
        pending = [next(source) for source in sources]
        while True:
            # Jobs before the earliest of the last ones known cannot be preceded by unknown ones.
            until = min(exact[-1] for exact, _ in pending)
            counts = [int(numpy.searchsorted(exact, until, side="right")) for exact, _ in pending]
            exact = numpy.concatenate(
                [exact[:n] for (exact, _), n in zip(pending, counts, strict=True)]
            )
            order = numpy.argsort(exact, kind="stable")
            yield {
                name: numpy.concatenate(
                    [columns[name][:n] for (_, columns), n in zip(pending, counts, strict=True)]
                )[order]
                for name in pending[0][1]
            }
            for number, count in enumerate(counts):
                exact, columns = pending[number]
                if count == len(exact):
                    pending[number] = next(sources[number])
                else:
                    rest = {name: column[count:] for name, column in columns.items()}
                    pending[number] = exact[count:], rest

    def _submitted(
        self, stream: Stream, seed: str | int, factor: float
    ) -> Iterator[tuple[Array, dict[str, Array]]]:
        """Yields the jobs of a stream with their submit times, exactly and as given out."""
        points = moment = submit = 0.0
        for block in stream.blocks(seed):
            reached = numpy.cumsum(numpy.concatenate([[points], block.gaps * factor]))
            points = float(reached[-1])
            exact = stream.moments(reached[1:])
            if stream.drops_fractions:
                steps = numpy.diff(exact, prepend=moment)
                moment = float(exact[-1])
                exact = (
                    submit + numpy.cumsum(numpy.floor(steps / self.resolution)) * self.resolution
                )
                submit = float(exact[-1])
            given = numpy.floor(exact / self.resolution) * self.resolution
            yield exact, {"submit": given, **block.columns}


class GeneratedReader(Reader):
    """Jobs of a model, drawn while they are read."""

    def __init__(self, model: StreamModel, jobs: int, seed: str | int) -> None:
        super().__init__()
        self._model, self._jobs, self._seed = model, jobs, seed
        self._given = 0

    def tables(self) -> Iterator[polars.DataFrame]:
        self._given = 0
        for table in self._model.tables(self._jobs, self._seed):
            self._given += table.height
            yield table

    @property
    def header(self) -> dict[str, str]:
        return self._model.header(self._jobs, self._seed)

    @property
    def share_read(self) -> float | None:
        return self._given / self._jobs

    def __str__(self) -> str:
        return f"{self._jobs:,} jobs of {self._model}, seed {self._seed}"
