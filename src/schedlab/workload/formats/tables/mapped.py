"""Foreign tables as job tables: what CSV and Parquet share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars

from schedlab.errors import InputError
from schedlab.toml_text import read_toml
from schedlab.workload.compression import is_pipe
from schedlab.workload.formats.accounting.times import unknown_zone, zone_notices, zone_of
from schedlab.workload.formats.ppt import job_specification
from schedlab.workload.formats.tables.column_map import Source, source_of, zone_counts
from schedlab.workload.reader import Reader
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import NAME, PREDECESSORS, SHAPE, TASK, TEXTS, complete
from schedlab.workload.workload_names import KEYS, PEOPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBERED = ("job", "user", "group", "executable", "queue", "partition")
"""Columns in which texts stand for numbers, in order of first appearance."""

COUNTED = tuple(name for name in (*FIELDS, *SHAPE) if name not in NUMBERED and name != "status")
"""Columns that must be numbers wherever they are; foreign tables have texts as `status`."""

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "None")
"""Texts that stand for no value."""

COPIED = (*TEXTS, PREDECESSORS)
"""Columns that are not numbers, and taken as they are."""

PROCESSORS = {"requested_processors", "allocated_processors"}

LINE = "\0line"
"""The column that frames carry their rows' places in."""


class MappedReader(Reader):
    """A table whose columns are ours, or are said to be by arguments such as `run=Runtime`.

    Without such arguments all columns of numbers are taken, by their names. With them, those that
    are named, and of the others those that have the names of SWF's fields.

    Attributes:
        example: How a user says which columns are which.
    """

    example = "--reader 'csv(submit=time(Created), run=End - Start, requested_processors=Cores)'"

    def __init__(
        self,
        path: str | None,
        columns: str | None = None,
        zone: str | None = None,
        missing: str | None = None,
        names: bool = False,
        **sources: object,
    ) -> None:
        """Reads the file later.

        Args:
            path: The file.
            columns: A TOML file with any of these arguments.
            zone: Time zone of dates that give none; None: UTC, and a notice says so.
            missing: A text that stands for no value, beside the usual ones.
            names: Whether the header gives the names of users and groups, too.
            sources: What each column is made of: a column of the file, an expression, a number.

        Raises:
            InputError: The file with arguments cannot be read, or there is no such time zone.
        """
        super().__init__(path)
        given = read_toml(columns) if columns is not None else {}
        zone_in_file = given.pop("zone", None)
        self._given_zone = str(zone_in_file) if zone is None and zone_in_file is not None else zone
        self._zone = self._given_zone or "UTC"
        self._names_in_header = bool(given.pop("names", False)) or names
        if missing is None and "missing" in given:
            missing = str(given["missing"])
        given.pop("missing", None)
        self._missing = MISSING if missing is None else (*MISSING, str(missing))
        self._given = {**given, **sources}
        for name in self._given:
            if not name.isidentifier():
                raise InputError(f"{self.place}: {name!r}: must be a name without blanks and dots")
        _check_zone(self._zone, self.place)

    @property
    def place(self) -> str:
        """Where the rows are, for messages."""
        return self.path or str(self)

    def frames(self, only: list[str] | None = None) -> Iterator[polars.DataFrame]:
        """Yields the file's own columns, all alike, with the places of rows in LINE.

        Args:
            only: The columns that are needed; None: all.
        """
        raise NotImplementedError

    def tables(self) -> Iterator[polars.DataFrame]:
        self._numbers: dict[str, dict[str, int]] = {}
        self._next_job, self._origin = 1, 0.0
        self._local_times = [0, 0, 0]
        sources: dict[str, Source] | None = None
        for frame in self.frames():
            if sources is None:
                sources = self._sources(frame)
                self._survey(sources)
            self._count_local_times(frame, sources)
            yield self._table(frame, sources)

    @property
    def notices(self) -> list[str]:
        local, twice, left_out = self.__dict__.get("_local_times", (0, 0, 0))
        name = (self._text or "csv").partition("(")[0]
        return zone_notices(name, self._given_zone, local, twice, left_out)

    def _sources(self, first: polars.DataFrame) -> dict[str, Source]:
        """Returns what each of our columns is made of; the first rows show which ones are texts."""
        types = {name: kind for name, kind in first.schema.items() if name != LINE}
        if not self._given and job_specification.is_specification(types):
            sources = self._specified(types)
        else:
            sources = self._named(first, types)
        for target in NUMBERED:
            source = sources.get(target)
            if source is not None and self._given_as_text(first, source):
                text = polars.col(source.columns[0]).cast(polars.String)
                sources[target] = Source(text, source.columns, is_name=True)
        if "job" in sources and sources["job"].is_name and NAME not in sources:
            sources[NAME] = Source(sources["job"].expression, sources["job"].columns)
        places = {name: place for place, name in enumerate(types)}
        ordered = sorted(sources, key=lambda target: places.get(target, len(places)))
        return {target: sources[target] for target in ordered}

    def _specified(self, types: dict[str, polars.DataType]) -> dict[str, Source]:
        """Returns the sources of a table with applications and their arguments."""
        names: list[str] = []
        if job_specification.SCHED_ARGS in types:
            other = self._pass(strict=False)  # so that rows are counted as skipped once
            frames = other.frames([job_specification.SCHED_ARGS])
            names = job_specification.scheduling_names(self.place, frames)
        return job_specification.specification_sources(types, self._zone, names)

    def _named(
        self, first: polars.DataFrame, types: dict[str, polars.DataType]
    ) -> dict[str, Source]:
        """Returns the sources that arguments name, and of columns that have our names."""
        sources = {
            target: source_of(given, target, types, self._zone)
            for target, given in self._given.items()
            if target not in COPIED
        }
        for name, kind in types.items():
            wanted = name in FIELDS or not self._given
            if name in self._given or name in COPIED or not wanted:
                continue
            if name in NUMBERED or (name.isidentifier() and _has_numbers(first, name, kind)):
                sources[name] = source_of(name, name, types, self._zone)
            elif name in COUNTED or name.startswith(TASK):  # to leave it out would change the jobs
                raise InputError(
                    f"{self.place}: column {name}: none of its first values is a number, such as "
                    f"{first[name].drop_nulls()[0]!r}; say how to read it, as {name}=time({name}) "
                    f"or {name}=duration({name}), or leave it out with {name}=-1"
                )
        for target, made in sources.items():
            if not made.columns and not math.isfinite(polars.select(made.expression).item()):
                given = self._given[target]
                raise InputError(f"{self.place}: {target}={given}: must be a finite number")
        for target in COPIED:
            given = self._given.get(target, target)
            if given in types:
                sources[target] = Source(polars.col(str(given)), (str(given),))
            elif target in self._given:
                raise InputError(f"{self.place}: {target}={given}: must be a column of the file")
        if "submit" not in sources:
            raise InputError(
                f"{self.place}: has no column submit; say which columns are which, as in "
                f"{self.example}; its columns: {', '.join(types)}"
            )
        return sources

    def _given_as_text(self, first: polars.DataFrame, source: Source) -> bool:
        """Returns whether a column for numbers of users and the like has names instead."""
        if source.is_name or len(source.columns) != 1:
            return source.is_name
        column = first[source.columns[0]]
        if column.dtype == polars.String:
            return not _is_all_numbers(column)
        return column.dtype in (polars.Categorical, polars.Enum)

    def _survey(self, sources: dict[str, Source]) -> None:
        """Finds what must be known before the first row: names, and the moment of time 0.

        Submit times are counted from there, if they are moments.
        """
        submit = sources["submit"]
        self.numbered_names = tuple(name for name, source in sources.items() if source.is_name)
        header_names = [name for name in self.numbered_names if name in KEYS]
        if self.path is not None and is_pipe(self.path):
            header_names = []  # which can be read only once
        header_names = [
            name for name in header_names if self._names_in_header or name not in PEOPLE
        ]
        needed = dict.fromkeys(column for name in header_names for column in sources[name].columns)
        if submit.is_time:
            needed |= dict.fromkeys(submit.columns)
        if not needed:
            return
        least = math.inf
        other = self._pass(strict=False)  # so that rows are counted as skipped once
        for frame in other.frames(list(needed)):
            for name in header_names:
                self._numbered(name, frame.select(sources[name].expression).to_series())
            if submit.is_time:
                found = frame.select(submit.expression.min()).item()
                if found is not None and found == found:
                    least = min(least, found)
        self._origin = float(math.floor(least)) if math.isfinite(least) else 0.0
        self._header_names = {name: self._numbers[name] for name in header_names}

    def _count_local_times(self, frame: polars.DataFrame, sources: dict[str, Source]) -> None:
        """Counts dates without a zone: all, those that clocks show twice, those they leave out."""
        dates = [date for source in sources.values() for date in source.local]
        for date in dates:
            counts = zone_counts(date, self._zone)
            found = frame.select(count.alias(str(at)) for at, count in enumerate(counts)).row(0)
            self._local_times = [
                known + more for known, more in zip(self._local_times, found, strict=True)
            ]

    def _table(self, frame: polars.DataFrame, sources: dict[str, Source]) -> polars.DataFrame:
        numbers = {
            target: source.expression
            for target, source in sources.items()
            if not source.is_name and target not in COPIED
        }
        made = frame.select(
            polars.col(LINE),
            *(
                polars.when(expression.is_finite()).then(expression).alias(target)
                for target, expression in numbers.items()
            ),
            *(
                sources[target].expression.alias(target)
                for target in sources
                if target not in numbers
            ),
        )
        made = self._without_wrong(frame, made, {name: sources[name] for name in numbers})
        for target, source in sources.items():
            if source.is_name:
                made = made.with_columns(self._numbered(target, made[target]))
        if PREDECESSORS in sources:
            made = self._with_lists(made)
        if self._origin:
            made = made.with_columns(polars.col("submit") - self._origin)
        if "job" not in sources:
            counted = polars.Series("job", range(self._next_job, self._next_job + made.height))
            made = made.with_columns(counted)
            self._next_job += made.height
        table = made.select("job", *(target for target in sources if target != "job"))
        return complete(_with_processors(table))

    def _without_wrong(
        self, frame: polars.DataFrame, made: polars.DataFrame, sources: dict[str, Source]
    ) -> polars.DataFrame:
        """Returns the rows whose values could all be read, and counts the others."""
        wrong = {
            target: made[target].is_null()
            & frame.select(
                polars.all_horizontal(polars.col(name).is_not_null() for name in source.columns)
            ).to_series()
            for target, source in sources.items()
            if source.columns and made[target].null_count()
        }
        keep = polars.repeat(True, made.height, eager=True)
        for target, rows in wrong.items():
            for line in made.filter(rows & keep)[LINE]:
                self.skip(f"{target} cannot be read", line)
            keep &= ~rows
        return made if keep.all() else made.filter(keep)

    def _numbered(self, target: str, texts: polars.Series) -> polars.Series:
        """Returns names as numbers, in order of first appearance in the file."""
        known = self._numbers.setdefault(target, {})
        for text in texts.unique(maintain_order=True).drop_nulls():
            known.setdefault(text, len(known) + 1)
        if not known:
            return polars.repeat(-1.0, len(texts), eager=True).alias(target)
        return texts.replace_strict(known, default=-1, return_dtype=polars.Float64).alias(target)

    def _with_lists(self, made: polars.DataFrame) -> polars.DataFrame:
        """Returns the rows with lists of job numbers; texts have them with blanks between.

        Rows with words that are not numbers are counted, not taken for rows without predecessors.
        """
        given = made[PREDECESSORS]
        if given.dtype != polars.String:
            return made.with_columns(given.cast(polars.List(polars.Int64)))
        words = given.fill_null("").str.extract_all(r"[^\s,]+")
        if "job" in self._numbers:
            known = self._numbers["job"]
            lists = [[known.setdefault(word, len(known) + 1) for word in row] for row in words]
            named = polars.Series(PREDECESSORS, lists, polars.List(polars.Int64))
            return made.with_columns(named)
        # Some write whole numbers beside empty fields as 7.0.
        word, number = polars.element().str.replace(r"\.0+$", ""), polars.element()
        numbers = words.list.eval(word.cast(polars.Int64, strict=False))
        numbers = numbers.list.eval(number.filter(number.ne_missing(-1)))
        wrong = ~numbers.list.eval((number >= 0).fill_null(False)).list.all()
        for line in made.filter(wrong)[LINE]:
            self.skip(f"{PREDECESSORS} cannot be read", line)
        return made.with_columns(numbers).filter(~wrong)

    def _own_header(self) -> dict[str, str]:
        """Returns what the rows say of the header: the moment of time 0, and names."""
        header = {
            KEYS[name]: "\n".join(f"{number} {text}" for text, number in numbers.items())
            for name, numbers in self.__dict__.get("_header_names", {}).items()
            if numbers
        }
        if origin := self.__dict__.get("_origin", 0.0):
            header |= {"UnixStartTime": str(int(origin)), "TimeZoneString": self._zone}
        return header


def _with_processors(table: polars.DataFrame) -> polars.DataFrame:
    """Returns a table of tasks with their cores as processors, where the file gives no others.

    Formats and simulators that know nothing of tasks would see jobs of no size.
    """
    has_tasks = {"tasks", "task_core"}.issubset(table.columns)
    if not has_tasks or not PROCESSORS.isdisjoint(table.columns):
        return table
    tasks, cores = polars.col("tasks"), polars.col("task_core")
    known = polars.when((tasks > 0) & (cores > 0)).then(tasks * cores)
    return table.with_columns(requested_processors=known)


def _check_zone(zone: str, place: str) -> None:
    """Raises InputError for a time zone that this machine or polars, which uses it, knows not."""
    zone_of(zone, place)
    try:
        polars.Series([None], dtype=polars.Datetime("us")).dt.replace_time_zone(zone)
    except polars.exceptions.PolarsError:
        raise unknown_zone(zone, place) from None


def _has_numbers(first: polars.DataFrame, name: str, kind: polars.DataType) -> bool:
    """Returns whether a column that nobody named is one of numbers, some of which may be wrong."""
    if kind != polars.String:
        return kind.is_numeric() or kind.is_temporal() or kind == polars.Boolean
    texts = first[name].drop_nulls()
    return texts.is_empty() or _numbers(texts).null_count() < len(texts)


def _is_all_numbers(texts: polars.Series) -> bool:
    return _numbers(texts.drop_nulls()).null_count() == 0


def _numbers(texts: polars.Series) -> polars.Series:
    return texts.str.strip_chars().cast(polars.Float64, strict=False)
