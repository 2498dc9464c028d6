"""What Batsim's and IRMaSim's files share: a list of jobs, profiles by name, and further fields."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import polars

from schedlab.errors import InputError
from schedlab.workload.formats.json_files.stream import WRITTEN_AS, members
from schedlab.workload.reader import Reader
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import BATCH, NAME, PREDECESSORS, TEXTS, complete
from schedlab.workload.workload_names import KEYS, PEOPLE
from schedlab.workload.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SWF_HEADER = "swf_header"
"""The member that has the header; Batsim and IRMaSim pass over it."""

LARGEST = 1e300
PART = 4096

NUMBERED = ("user", "group", "executable", "queue", "partition")
"""Fields in which a text is taken as a name, numbered in order of first appearance."""

NAMES_IN_HEADER = tuple(name for name in NUMBERED if name in KEYS and name not in PEOPLE)
"""Those whose names are in the header."""


class Skipped(Exception):  # noqa: N818 - no error: the row is counted
    """A job that cannot be used, with the reason."""


class JobListReader(Reader):
    """Jobs of the list `jobs`, in two passes, because profiles may follow the jobs.

    The first pass takes profiles, the header and what further fields there are. The second makes
    the rows. Numbers in fields that the format does not know become columns of these names.
    """

    in_submit_order = False  # both simulators sort them

    TAKEN: tuple[str, ...] = ()
    """Fields of a job that the format knows."""

    ADDED: tuple[str, ...] = ()
    """Columns beyond SWF's that the format always gives."""

    def row(self, job: dict[str, Any]) -> dict[str, float]:
        """Returns the columns that the format's own fields give.

        Raises:
            Skipped: The job cannot be used.
        """
        raise NotImplementedError

    def tables(self) -> Iterator[polars.DataFrame]:
        self._survey()
        assert self.path is not None
        rows: list[dict[str, Any]] = []
        parts: list[polars.DataFrame] = []
        position = 0
        with self.content() as file:
            for member in members(file, self.path):
                if not member.is_item:
                    continue
                position += 1
                self.line = member.line
                try:
                    rows.append(self._row(member.value, position))
                except Skipped as reason:
                    self.skip(str(reason))
                if len(rows) == PART:  # objects take far more room than columns
                    parts.append(self._table(rows))
                    rows = []
                    if len(parts) == BATCH // PART:
                        yield polars.concat(parts)
                        parts = []
        yield polars.concat([*parts, self._table(rows)])

    def _table(self, rows: list[dict[str, Any]]) -> polars.DataFrame:
        columns = []
        for name in (*FIELDS, *(name for name in self._columns if name not in FIELDS)):
            kind: Any = polars.Float64
            if name in (*TEXTS, PREDECESSORS):
                kind = polars.String if name in TEXTS else polars.List(polars.Int64)
            values = [row.get(name) for row in rows]
            columns.append(polars.Series(name, values, kind, strict=False))
        return complete(polars.DataFrame(columns))

    def _survey(self) -> None:
        """Takes all but the jobs, and what the jobs have."""
        assert self.path is not None
        self.profiles: dict[str, Any] = {}
        self._header: dict[str, str] = {}
        self._names: dict[str, dict[str, int]] = {field: {} for field in NUMBERED}
        self._columns = dict.fromkeys(self.ADDED)
        self._settled = {"id", *self.TAKEN} - {"dependencies"}
        self._numbered = True
        found_jobs, ours, processors = False, False, ""
        with self.content() as file:
            for member in members(file, self.path):
                found_jobs = found_jobs or member.key == "jobs"
                if member.is_item:
                    if isinstance(member.value, dict):
                        identifier = member.value.get("id")
                        self._numbered = self._numbered and number_in(identifier) is not None
                        self._take_columns(member.value)
                        self._take_names(member.value)
                elif member.key == "jobs" and member.value != []:
                    raise InputError(f"{self.path}:{member.line}: jobs: must be a list")
                elif member.key == "profiles":
                    if not isinstance(member.value, dict):
                        raise InputError(f"{self.path}:{member.line}: profiles: must be an object")
                    self.profiles = member.value
                elif member.key == SWF_HEADER and isinstance(member.value, dict):
                    self._header.update({key: str(text) for key, text in member.value.items()})
                elif member.key == WRITTEN_AS:
                    ours = True
                elif member.key == "nb_res" and _is_number(member.value):
                    processors = f"{member.value:g}"
        if processors and not ours:  # where it is, the header gives all
            self._header["MaxProcs"] = processors
        self.numbered_names = tuple(name for name, known in self._names.items() if known)
        for name in NAMES_IN_HEADER:
            if known := self._names[name]:
                self._header[KEYS[name]] = "\n".join(f"{n} {text}" for text, n in known.items())
        if not found_jobs:
            raise InputError(f"{self.path}: jobs: is missing; it must be a list")
        # Jobs keep their numbers if all of them have one, and are counted from 1 otherwise.
        self._number_of: dict[Any, int] = {}
        if not self._numbered:
            self._columns[NAME] = None
            if PREDECESSORS in self._columns:
                self._count_jobs()

    def _count_jobs(self) -> None:
        """Gives jobs whose ids are texts numbers by which others depend on them.

        Ids that no job has get those after the last job's, as in tables: they hold no job, and are
        counted where jobs are simulated or inspected.
        """
        assert self.path is not None
        position = 0
        named: list[Any] = []
        with self.content() as file:
            for member in members(file, self.path):
                if member.is_item:
                    position += 1
                    job = member.value if isinstance(member.value, dict) else {}
                    if isinstance(identifier := job.get("id"), (str, int)):
                        self._number_of.setdefault(identifier, position)
                    if isinstance(wanted := job.get("dependencies"), list):
                        named += wanted
        for identifier in named:
            if isinstance(identifier, (str, int)) and identifier not in self._number_of:
                position += 1
                self._number_of[identifier] = position

    def _take_columns(self, job: dict[str, Any]) -> None:
        if job.keys() <= self._settled and "extra_data" not in job:
            return
        for name, value in self._further(job).items():
            if name not in self._settled and _fits(name, value):
                self._columns[name] = None
                self._settled.add(name)
        if "dependencies" in job:
            self._columns[PREDECESSORS] = None

    def _take_names(self, job: dict[str, Any]) -> None:
        """Numbers the names of a job, so that the header can name them before the first row."""
        further = self._further(job) if "extra_data" in job else job
        for name in NUMBERED:
            value = further.get(name)
            if isinstance(value, str) and name not in self.TAKEN:
                known = self._names[name]
                known.setdefault(value, len(known) + 1)

    def _further(self, job: dict[str, Any]) -> dict[str, Any]:
        """Returns the fields that the format does not know; Batsim 5 has them in `extra_data`."""
        more = job.get("extra_data")
        if isinstance(more, str):
            try:
                more = json.loads(more)
            except (ValueError, RecursionError):
                more = None
        further = {name: value for name, value in job.items() if name not in self.TAKEN}
        return {**more, **further} if isinstance(more, dict) else further

    def _row(self, job: object, position: int) -> dict[str, Any]:
        if not isinstance(job, dict):
            raise Skipped("no object")
        row: dict[str, Any] = {"submit": number(job, "subtime"), **self.row(job)}
        further = self._further(job) if "extra_data" in job else job
        for name in self._columns.keys() & further.keys():
            if name in self.TAKEN:
                continue
            value = further[name]
            if _is_number(value) or name in TEXTS:
                row[name] = value
            elif name in NUMBERED and isinstance(value, str):
                known = self._names[name]
                row[name] = known.setdefault(value, len(known) + 1)
        row["job"] = position
        if self._numbered:
            row["job"] = number_in(job.get("id"))
        elif job.get("id") is not None:
            row[NAME] = str(job["id"])
        if PREDECESSORS in self._columns:
            row[PREDECESSORS] = self._predecessors(job.get("dependencies"))
        return row

    def _predecessors(self, given: object) -> list[int]:
        numbers = []
        if given is not None and not isinstance(given, list):
            raise Skipped("dependencies are not a list")
        for identifier in given or ():
            found = number_in(identifier) if self._numbered else None
            if not self._numbered and isinstance(identifier, (str, int)):
                found = self._number_of.get(identifier)
            if found is None:
                raise Skipped("depends on an unknown job")
            numbers.append(found)
        return numbers

    @property
    def header(self) -> dict[str, str]:
        return dict(self.__dict__.get("_header", {}))


def number_in(identifier: object) -> int | None:
    """Returns the number of a job: 7, "7", or what follows the workload's name in "w0!7"."""
    if isinstance(identifier, str):
        digits = identifier.rpartition("!")[2]
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 16):
            return None
        identifier = int(digits)
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return identifier if abs(identifier) <= 2**53 else None
    return None


def number(job: dict[str, Any], field: str, least: float = -math.inf) -> float:
    """Returns the number in a field.

    Raises:
        Skipped: There is none, or it is below the least.
    """
    value = job.get(field)
    if value is None:
        raise Skipped(f"no {field}")
    if not _is_number(value) or not least <= value:
        raise Skipped(
            f"{field} is not a number" if not _is_number(value) else f"{field} below {least}"
        )
    return float(value)


def profile_of(reader: JobListReader, job: dict[str, Any]) -> dict[str, Any]:
    """Returns the profile of a job.

    Raises:
        Skipped: It names none that is there.
    """
    name = job.get("profile")
    name = str(name) if isinstance(name, int) else name
    found = reader.profiles.get(name) if isinstance(name, str) else None
    if not isinstance(found, dict):
        raise Skipped("no profile" if name is None else "profile is not defined")
    return found


def _is_number(value: object) -> bool:
    kind = type(value)  # what JSON gives is of no other types
    if kind is not int and kind is not float:
        return False
    return -LARGEST < value < LARGEST  # type: ignore[operator]  # infinity and NaN are not numbers of jobs


def _fits(name: str, value: object) -> bool:
    """Returns whether a further field can be a column."""
    if name in (PREDECESSORS, "dependencies", "id", "job", "extra_data"):
        return False
    if name in TEXTS:
        return isinstance(value, str)
    return (_is_number(value) or (name in NUMBERED and isinstance(value, str))) and (
        name.isidentifier()
    )


class JobListWriter(Writer):
    """Jobs one a line, then the members that are known when all jobs are."""

    FORMAT = ""
    """The name of the format."""

    def job(self, row: dict[str, Any]) -> dict[str, Any]:
        """Returns a job without its id; takes from `row` what the job then says.

        What is left in the row and not missing is written in fields of these names.
        """
        raise NotImplementedError

    def last_members(self) -> dict[str, Any]:
        """Returns the members after the jobs."""
        raise NotImplementedError

    def begin(self, columns: list[str]) -> None:
        header = json.dumps(self.header)
        begin = f'{{"{WRITTEN_AS}": "{self.FORMAT}", "{SWF_HEADER}": {header},\n"jobs": ['
        self.file.write(begin.encode())
        self._between = "\n"

    def add(self, table: polars.DataFrame) -> None:
        lines = []
        for row in table.iter_rows(named=True):
            job = {"id": str(plain(row.pop("job"))), **self.job(row)}
            before = row.pop(PREDECESSORS, None)
            if before:
                job["dependencies"] = [str(number) for number in before]
            for name, value in row.items():
                if value != -1 and value != "":
                    job[name] = plain(value)
            lines.append(json.dumps(job))
        if lines:
            self.file.write((self._between + ",\n".join(lines)).encode())
            self._between = ",\n"

    def end(self) -> None:
        self.file.write(b"\n]")
        for key, value in self.last_members().items():
            self.file.write(f",\n{json.dumps(key)}: {_spread(value)}".encode())
        self.file.write(b"}\n")


def plain(value: Any) -> Any:
    """Returns a number as it is written in JSON: whole ones without a fraction."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{value} is not a number that JSON can hold")
        if value.is_integer():
            return int(value)
    return value


def _spread(value: Any) -> str:
    """Returns a member as JSON, objects with one entry a line."""
    if not isinstance(value, dict):
        return json.dumps(value)
    entries = [f"\n{json.dumps(key)}: {json.dumps(entry)}" for key, entry in value.items()]
    return "{" + ",".join(entries) + "}"
