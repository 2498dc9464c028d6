"""Event files of the Moab scheduler as job tables.

Moab writes, beside the accounting log of the resource manager under it, an event file a day. Its
"workload event format" is documented field by field. Versions of that documentation differ by one
field (number 17, the network adapter) in front of the comparison for memory; where that stands in
a line says which it is. The first 16 fields are the same in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.errors import InputError
from schedlab.workload.formats.accounting.log_files import FilesReader
from schedlab.workload.formats.accounting.text import EARLIEST, LATEST, MISSING, UNREADABLE
from schedlab.workload.formats.accounting.text import plain_number as number
from schedlab.workload.formats.pbs.jobs import NAMED, JobColumns
from schedlab.workload.formats.pbs.records import Ended, number_of
from schedlab.workload.formats.pbs.resources import LARGEST_COUNT, ResourceRequest
from schedlab.workload.table import in_batches

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import polars

LAST_EVENTS = {"JOBEND": 1.0, "JOBCANCEL": 5.0, "JOBFAILURE": 0.0, "JOBREJECT": 0.0}
"""Events after which a job is gone, with the status of SWF."""

COMPARISONS = frozenset((">", ">=", "=", "==", "<=", "<"))


class MoabReader(FilesReader):
    """Jobs of Moab's event files, in order of submission.

    A job is its last event: JOBEND, JOBCANCEL, JOBFAILURE or JOBREJECT; without such an event, the
    last one that there is, and then it has no run time.

    Args:
        path: A file, a folder of them, or a pattern such as `stats/events.*2024`.
        names: Whether the header gives the names of users, groups and accounts.
    """

    def __init__(self, path: str | os.PathLike[str], names: bool = False) -> None:
        super().__init__(path)
        self._names_in_header = names
        self._header: dict[str, str] = {}

    @property
    def header(self) -> dict[str, str]:
        return dict(self._header)

    def tables(self) -> Iterator[polars.DataFrame]:
        jobs = JobColumns()
        self.numbered_names = tuple(NAMED)
        open_jobs: dict[str, tuple[list[str], int]] = {}
        read = False
        for line in self.lines("latin-1"):
            fields = line.split()
            if not fields or fields[0].startswith("#") or line.startswith("VERSION"):
                continue
            if len(fields) < 5 or fields[0].count(":") != 2:
                self.skip("no event")
                continue
            read = True
            if fields[2].lower() != "job":
                continue  # of nodes, reservations, the scheduler
            if len(fields) < 16:
                self.skip("fewer than 16 fields")
            elif fields[4].upper() in LAST_EVENTS:
                open_jobs.pop(fields[3], None)
                self._add(fields, jobs, self.line, ended=True)
            else:
                open_jobs[fields[3]] = fields, self.line
        if not read and self.line:
            raise InputError(
                f"{self.path}: is not an event file of Moab: it has no line of an event"
            )
        for fields, at in open_jobs.values():
            self._add(fields, jobs, at, ended=False)
        table = jobs.table(self.skip, None)
        self._header = jobs.header("UTC", self._names_in_header)
        yield from in_batches(table)

    def _add(self, fields: list[str], jobs: JobColumns, line: int, ended: bool) -> None:
        name = fields[3]
        found = number_of(name) or number_of(name.rpartition(".")[2])
        if found is None:
            self.skip("no job number", line)
            return
        job = event_job(fields, ended)
        if isinstance(job, str):
            self.skip(job, line)
        else:
            jobs.add(found, job, line)


def event_job(fields: list[str], ended: bool) -> Ended | str:
    """Returns the job of an event, or what is wrong with it.

    Args:
        fields: Of the event's line; the documentation counts them from 1, this from 0.
        ended: Whether it is the last event of the job.
    """
    nodes, tasks, limit = number(fields[5]), number(fields[6]), number(fields[9])
    came, start, end = (_moment(fields[place]) for place in (12, 14, 15))
    shift = _shift(fields)
    later = dict.fromkeys(("allocated", "seconds", "each", "memory"), MISSING) | {"each": 1.0}
    account = executable = ""
    if shift is not None and len(fields) > 36 + shift:
        later = {
            name: number(fields[place + shift])
            for name, place in (("allocated", 25), ("seconds", 33), ("each", 35), ("memory", 36))
        }
        account, executable = _name(fields[29 + shift]), _name(fields[30 + shift])
    values = (nodes, tasks, limit, came, start, end, *later.values())
    if any(value != value for value in values) or max(nodes, tasks, later["each"]) > LARGEST_COUNT:
        return "unreadable field"
    each = max(later["each"], 1.0)
    memory = later["memory"] * 1024 * tasks if later["memory"] > 0 else MISSING
    request = ResourceRequest(nodes if nodes > 0 else tasks, tasks * each, 0.0, memory)
    state, event = fields[10].lower(), fields[4].upper()
    status = 5.0 if state == "removed" else LAST_EVENTS.get(event, MISSING)
    names = {
        "user": _name(fields[7]),
        "group": _name(fields[8]),
        "queue": _name(fields[11]).strip("[]").partition(":")[0],
        "account": account,
        "executable": executable,
    }
    return Ended(
        submit=came,
        start=start,
        end=end if ended else MISSING,
        allocated=later["allocated"] * each if later["allocated"] > 0 else MISSING,
        seconds_of_processors=later["seconds"] if start >= 0 and later["seconds"] > 0 else MISSING,
        memory=MISSING,
        request=request,
        limit=limit if limit > 0 else MISSING,
        status=status,
        names=names,
        predecessors=[],
    )


def _shift(fields: list[str]) -> int | None:
    """Returns how far fields after the 16th stand from where they are; None if nobody knows."""
    for shift in (0, -1):
        place = 19 + shift  # the comparison for memory; that for disk is two after it
        if len(fields) > place + 2 and {fields[place], fields[place + 2]} <= COMPARISONS:
            return shift
    return None


def _moment(text: str) -> float:
    value = number(text)
    if value == 0 or text == "-1":
        return MISSING
    return value if EARLIEST <= value < LATEST else UNREADABLE


def _name(text: str) -> str:
    return "" if text in ("-", "[NONE]", "NONE") else text
