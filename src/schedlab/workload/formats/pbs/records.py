"""Lines of a PBS accounting log as records, and records of one job as what became of it."""

from __future__ import annotations

from functools import lru_cache
from math import isnan
from typing import NamedTuple

from schedlab.workload.formats.accounting.log_names import array_number, whole_number
from schedlab.workload.formats.accounting.text import (
    EARLIEST,
    LATEST,
    MISSING,
    OPEN,
    UNREADABLE,
    Meanings,
    duration,
    kilobytes,
    plain_number,
)
from schedlab.workload.formats.accounting.times import Moments
from schedlab.workload.formats.pbs.resources import (
    ResourceRequest,
    hosts,
    predecessors,
    request_of,
    virtual_nodes,
)

REMEMBERED_REQUESTS = 65_536
"""Requests whose meaning is kept: users ask for the same again and again."""

USED = frozenset("QSEDARTC")
"""Kinds of records that say something of jobs; others, of which there are many, are ignored."""


READ = ("ctime", "qtime", "etime", "start", "end", "walltime", "cput", "mem",
        "resources_used.walltime", "exec_host", "Exit_status")  # fmt: skip
"""What is read of a job, for messages."""

NO_STATUS = -1e9


class Record(NamedTuple):
    """A line: when it was written, of what kind it is, the job's name, and what it says."""

    moment: float
    kind: str
    job: str
    message: str


class Ended(NamedTuple):
    """A job as its log has it; -1 where it does not."""

    submit: float
    start: float
    end: float
    allocated: float
    seconds_of_processors: float
    memory: float  # KB in all that were used
    request: ResourceRequest
    limit: float
    status: float
    names: dict[str, str]
    predecessors: list[str]


def record_of(line: str, moments: Moments) -> Record | None:
    """Returns the record of a line `03/01/2024 08:00:00;E;123.server;user=...`; None if it is none.

    A time may have fractions of a second, which are dropped.
    """
    parts = line.split(";", 3)
    if len(parts) != 4 or len(parts[1]) != 1 or not parts[2]:
        return None
    date, blank, clock = parts[0].partition(" ")
    month, _, rest = date.partition("/")
    day, _, year = rest.partition("/")
    if not blank or len(date) != 10:
        return None
    moment = moments[f"{year}-{month}-{day}T{clock[:8]}"]
    return Record(moment, parts[1], parts[2], parts[3]) if moment >= 0 else None


def fields_of(message: str) -> dict[str, str]:
    """Returns the `name=value` of a message; a value continues until the next name."""
    fields: dict[str, str] = {}
    last = ""
    for word in message.split(" "):
        name, equals, value = word.partition("=")
        if equals and name and name[0].isalpha():
            fields[name] = value
            last = name
        elif last and word:
            fields[last] += " " + word
    return fields


def number_of(job: str) -> tuple[int | None, int, int] | None:
    """Returns the number of `123.server` or `123[4].server`, its array and task; None for none.

    The number itself is None where one must be found that is free. The array itself, `123[]`, has
    the number of its job and no task.
    """
    sequence = job.partition(".")[0]
    number = whole_number(sequence)
    if number is not None:
        return number, -1, -1
    first, bracket, rest = sequence.partition("[")
    base = whole_number(first)
    if base is None or not bracket or not rest.endswith("]"):
        return None
    if rest == "]":
        return base, base, -1
    task = whole_number(rest[:-1])
    return None if task is None else (array_number(base, task), base, task)


def ended(fields: dict[str, str], record: Record, submit: str) -> Ended | str:
    """Returns what a record of a job's end, or any other, says about it; or what is wrong with it.

    Args:
        fields: Of the record, perhaps with those of earlier ones of the job.
        record: Where they are from.
        submit: `ctime`, `qtime` or `etime`: which of the times is that of submission.
    """
    get = fields.get
    ctime, qtime, etime = UNIX[get("ctime", "")], UNIX[get("qtime", "")], UNIX[get("etime", "")]
    start, end = UNIX[get("start", "")], UNIX[get("end", "")]
    requested, used = {}, {}
    for name, value in fields.items():
        if name.startswith("Resource_List."):
            requested[name[14:]] = value.strip('"')
        elif name.startswith("resources_used."):
            used[name[15:]] = value
    if "schedselect" in fields and "select" not in requested:
        requested["select"] = fields["schedselect"]
    limit = DURATIONS[requested.pop("walltime", "")]
    request = _request(tuple(requested.items()))
    if request is None:
        return "unreadable Resource_List"
    cpu, memory = DURATIONS[used.get("cput", "")], SIZES[used.get("mem", "")]
    spent = DURATIONS[used.get("walltime", "")]
    allocated, exit_status = _allocated(fields, used), _exit_status(get("Exit_status", ""))
    values = (ctime, qtime, etime, start, end, limit, cpu, memory, spent, allocated, exit_status)
    if isnan(sum(values)):
        return f"unreadable {next(n for n, v in zip(READ, values, strict=True) if isnan(v))}"
    given = {"ctime": ctime, "qtime": qtime, "etime": etime}[submit]
    came = next((moment for moment in (given, qtime, ctime) if moment >= 0), MISSING)
    if end < 0 and record.kind == "E":
        end = record.moment
    if start < 0 and spent >= 0 and end >= 0:
        start = end - spent
    named = {
        "user": fields.get("user", ""),
        "group": fields.get("group", ""),
        "executable": fields.get("jobname", ""),
        "queue": fields.get("queue", ""),
        "account": fields.get("account", "") or fields.get("project", ""),
    }
    status = MISSING if exit_status == NO_STATUS else 1.0 if exit_status == 0 else 0.0
    after = predecessors(fields.get("depend", ""))
    return Ended(came, start, end, allocated, cpu, memory, request, limit, status, named, after)


def _exit_status(text: str) -> float:
    if text.lower() in OPEN:
        return NO_STATUS
    value = plain_number(text.removeprefix("-"))
    return -value if text.startswith("-") else value


def _allocated(fields: dict[str, str], used: dict[str, str]) -> float:
    """Returns the processors that a job had."""
    if fields.get("exec_vnode", ""):
        processors, _ = virtual_nodes(fields["exec_vnode"])
        if processors != 0:  # NaN, too
            return processors
    if fields.get("exec_host", ""):
        return hosts(fields["exec_host"])[0]
    return plain_number(used["ncpus"]) if used.get("ncpus") else MISSING


def _unix(text: str) -> float:
    """Returns a Unix time; PBS writes them so whatever the zone."""
    if text.lower() in OPEN or text == "0":
        return MISSING
    value = plain_number(text)
    return value if EARLIEST <= value < LATEST else UNREADABLE


def _size(text: str) -> float:
    return kilobytes(text, "B")


@lru_cache(REMEMBERED_REQUESTS)
def _request(resources: tuple[tuple[str, str], ...]) -> ResourceRequest | None:
    return request_of(dict(resources))


UNIX, DURATIONS, SIZES = Meanings(_unix), Meanings(duration), Meanings(_size)
