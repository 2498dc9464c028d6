"""The columns of a dump of sacct: which it has, and what the texts in them mean."""

from __future__ import annotations

from typing import NamedTuple

from schedlab.errors import InputError
from schedlab.node_lists import range_of
from schedlab.workload.formats.accounting.log_names import array_number, whole_number
from schedlab.workload.formats.accounting.text import (
    MISSING,
    OPEN,
    UNREADABLE,
    count,
    kilobytes,
    plain_number,
)

COMPLETE = (
    "JobID,JobIDRaw,Cluster,User,Group,Account,JobName,Partition,QOS,State,Submit,Eligible,Start,"
    "End,ElapsedRaw,Timelimit,ReqCPUS,AllocCPUS,ReqNodes,NNodes,ReqMem,ReqTRES,AllocTRES,"
    "TotalCPU,MaxRSS,NTasks,TRESUsageInTot"
)
"""What to ask sacct for with -o: all that is read, and no more."""

OTHER_NAMES = {"tresreq": "reqtres", "tresalloc": "alloctres", "qosraw": "qos"}
"""Columns that older versions, and sites, call otherwise."""

FREE_TEXT = frozenset(
    "jobname comment admincomment systemcomment workdir submitline reason constraints extra "  # noqa: SIM905
    "licenses reservation container wckey stdin stdout stderr failednode".split()
)
"""Columns that may hold anything, the separator too: sacct does not escape it."""

STATUS = {
    "COMPLETED": 1, "CD": 1,
    "FAILED": 0, "F": 0, "TIMEOUT": 0, "TO": 0, "NODE_FAIL": 0, "NF": 0, "DEADLINE": 0, "DL": 0,
    "OUT_OF_MEMORY": 0, "OOM": 0, "BOOT_FAIL": 0, "BF": 0, "LAUNCH_FAILED": 0,
    "CANCELLED": 5, "CA": 5, "PREEMPTED": 5, "PR": 5, "REVOKED": 5, "RV": 5,
    "REQUEUED": 5, "RQ": 5,
}  # fmt: skip
"""Status of SWF by Slurm's state: 1 completed, 0 failed, 5 cancelled (by whomever)."""

UNFINISHED = -2.0
"""In place of a status: the record is of a job that has not come to its end."""

UNFINISHED_STATES = frozenset(
    "PENDING PD RUNNING R SUSPENDED S COMPLETING CG CONFIGURING CF RESIZING RS REQUEUE_HOLD RH "  # noqa: SIM905
    "REQUEUE_FED RF RESV_DEL_HOLD RD SIGNALING SI SPECIAL_EXIT SE STAGE_OUT SO STOPPED ST".split()
)


class Identity(NamedTuple):
    """Whose row it is: number of the job, None for one too large; its array, -1 for none."""

    job: int | None
    array_job: int
    array_task: int


class DumpColumns:
    """The columns that a dump's first line names.

    Args:
        line: The first line.
        path: Of the file, for messages.

    Raises:
        InputError: It is not such a line, or it lacks columns without which there are no jobs.
    """

    def __init__(self, line: str, path: str) -> None:
        names = [self._name(text) for text in line.split("|")]
        self.place = {name: number for number, name in reversed(list(enumerate(names))) if name}
        self.names, self.titles = names, [text.strip() for text in line.split("|")]
        if "jobid" not in self.place and "jobidraw" not in self.place:
            raise InputError(
                f"{path}: is not a dump of sacct: its first line has no column JobID between signs "
                f"|; run sacct with -P and without -n: sacct -a -D -P -o {COMPLETE}"
            )
        self.id = self.place.get("jobid", self.place.get("jobidraw", 0))
        self.raw = self.place.get("jobidraw")
        free = [number for number, name in enumerate(names) if name in FREE_TEXT]
        self._free = free[0] if len(free) == 1 else None

    @staticmethod
    def _name(text: str) -> str:
        name = text.strip().partition("%")[0].lower()
        return OTHER_NAMES.get(name, name)

    def first_of(self, *names: str) -> str | None:
        """Returns the first of some columns that the dump has."""
        return next((name for name in names if name in self.place), None)

    def split(self, line: str) -> list[str] | None:
        """Returns the fields of a row; None if they are not as many as the columns.

        If just one column can hold any text, a row with more fields has the rest of it there.
        """
        fields = line.split("|")
        surplus = len(fields) - len(self.names)
        if surplus == 0:
            return fields
        if surplus < 0 or self._free is None:
            return None
        end = self._free + surplus + 1
        return [*fields[: self._free], "|".join(fields[self._free : end]), *fields[end:]]

    def is_first_line(self, line: str) -> bool:
        """Returns whether it names columns: dumps may be one after the other in a file."""
        fields = line.split("|", self.id + 1)
        name = fields[self.id] if len(fields) > self.id else ""
        return name[:5].lower() == "jobid" and self._name(name) in ("jobid", "jobidraw")

    def same(self, line: str) -> bool:
        """Returns whether a further first line names these columns."""
        return [self._name(text) for text in line.split("|")] == self.names


def identity(text: str, raw: str | None) -> Identity | None:
    """Returns the job of `123`, `123_4`, `123_[5-9%2]` or `123+1`; None for anything else.

    Args:
        text: JobID. The components of a heterogeneous job, `123+1`, have numbers that follow the
            first one's, as Slurm gives them. Tasks of an array that wait together are one row.
        raw: JobIDRaw, which numbers them all, or None where there is no such column.
    """
    array_job = array_task = -1
    number = whole_number(text)
    if number is None:
        first, underscore, task = text.partition("_")
        if underscore:
            base = whole_number(first)
            index = whole_number(task)
            if base is None or (index is None and not task.startswith("[")):
                return None
            array_job, array_task = base, -1 if index is None else index
            number = base if index is None else array_number(base, index)
        else:
            first, plus, offset = text.partition("+")
            base, index = whole_number(first), whole_number(offset)
            if not plus or base is None or index is None:
                return None
            number = base + index
    if raw is not None:
        number = whole_number(raw.strip())
        if number is None:
            return None
    return Identity(number, array_job, array_task)


def state(text: str) -> float:
    """Returns the status of SWF, UNFINISHED, or -1 for a state that says nothing of either."""
    word = text.strip().upper().partition(" ")[0]  # "CANCELLED by 1000"
    if word.endswith("+"):  # cut off to the column's width
        known = [name for name in (*STATUS, *UNFINISHED_STATES) if name.startswith(word[:-1])]
        word = known[0] if known else word
    return UNFINISHED if word in UNFINISHED_STATES else float(STATUS.get(word, MISSING))


def constraint(text: str) -> str:
    """Returns what the nodes of a job must have; "" where it asked for nothing."""
    return "" if text.strip() in ("(null)", "Unknown") else text.strip()


def memory(text: str) -> float:
    """Returns the KB of ReqMem, whatever they are for: 16Gn, 4000Mc or 64G."""
    return kilobytes(text.strip().rstrip("nc"), "M")


def memory_is_for(text: str) -> float:
    """Returns what ReqMem is for: 0 for the job, 1 for each core, 2 for each node."""
    return {"c": 1.0, "n": 2.0}.get(text.strip()[-1:], 0.0)


def tres(text: str, name: str, unit: str = "M") -> float:
    """Returns an amount of a list such as `cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=32G,node=1`.

    Args:
        text: The list; an empty one says nothing.
        name: `cpu`, `node`, `mem` (in KB) or `gres/gpu`, for which types are added up if the list
            has no total.
        unit: Of memory that has none.
    """
    text = text.strip()
    if text.lower() in OPEN:
        return MISSING
    total, of_types = MISSING, 0.0
    for item in text.split(","):
        key, equals, amount = item.partition("=")
        if not equals:
            return UNREADABLE
        if key == name:
            total = kilobytes(amount, unit) if name == "mem" else count(amount)
        elif key.startswith(name + ":"):
            of_types += count(amount)
    return total if total != MISSING else of_types


def gres_gpus(text: str) -> float:
    """Returns the GPUs of AllocGRES or ReqGRES: `gpu:2`, `gpu:tesla:2(S:0-1),craynetwork:1`."""
    text = text.strip()
    if text.lower() in OPEN:
        return MISSING
    gpus = 0.0
    for item in text.replace("gres/", "").replace("gres:", "").split(","):
        kind, *parts = item.partition("(")[0].replace("=", ":").split(":")
        if kind == "gpu":
            gpus += plain_number(parts[-1]) if parts and parts[-1][:1].isdigit() else 1.0
    return gpus


def nodes_in(text: str) -> float:
    """Returns how many nodes a list such as `n[001-004,7],login1` names."""
    text = text.strip()
    if text.lower() in OPEN:
        return MISSING
    nodes, depth, inside, inner = 0.0, 0, "", 1.0
    for character in text + ",":
        if character == "[":
            depth, inside = depth + 1, ""
        elif character == "]":
            depth -= 1
            inner *= _spans(inside)
        elif depth:
            inside += character
        elif character == ",":
            nodes, inner = nodes + inner, 1.0
    return nodes if depth == 0 else UNREADABLE


def _spans(text: str) -> float:
    total = 0.0
    for span in text.split(","):
        numbers = range_of(span)
        total += numbers.stop - numbers.start if numbers else UNREADABLE
    return total
