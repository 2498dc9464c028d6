"""Job tables as the accounting log that PBS would have written of such jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import polars

from schedlab.durations import HOUR, MINUTE
from schedlab.workload.formats.accounting.log_names import name_text, names_by_number, one_line
from schedlab.workload.formats.accounting.text import (
    first_moment,
    lost_shapes,
    number_text,
    require_known_times,
)
from schedlab.workload.table import NAME, PREDECESSORS, TEXTS, extra_columns
from schedlab.workload.writer import Writer, text_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER = "server"

HELD = frozenset(
    ("account", "array_job", "array_task", "tasks", "tasks_per_node", "whole_nodes", "task_core",
     "task_gpu", PREDECESSORS)
)  # fmt: skip
"""Columns after those of SWF that a log has a place for."""

EXIT_STATUS = {1: "0", 0: "1", 5: "271"}
"""By the status of SWF; 271 is 256 and the signal SIGTERM, as PBS has it for deleted jobs."""


class PbsWriter(Writer):
    """Rows as records: E for a job that ran, Q and D for one that never did.

    The records are in the order of the rows, not of events; their times are UTC. Names are those
    of the header; a number without one becomes a name that the reader turns into the same number:
    `user7`.
    """

    def begin(self, columns: list[str]) -> None:
        self._start = first_moment(self.header)
        keys = {"user": "User", "group": "Group", "account": "Account", "queue": "Queue"}
        self._known = {
            column: names_by_number(self.header.get(key, "")) for column, key in keys.items()
        }
        self._lost = [*(set(extra_columns(polars.DataFrame(schema=columns))) - HELD), "partition"]
        self._lost += ["preceding_job", "think_time"]

    def add(self, table: polars.DataFrame) -> None:
        require_known_times(table, self._start, self.path)
        self.losses["missing submit time, which becomes 0,"] += table.filter(
            polars.col("submit") < 0
        ).height
        lines = [line for row in table.iter_rows(named=True) for line in self._records(row)]
        self.file.write(text_bytes("".join(lines)))
        for name in sorted(self._lost):
            missing = "" if name in TEXTS else -1
            self.losses[name] += table.filter(polars.col(name) != missing).height
        self.losses.update(lost_shapes(table))
        known = polars.col("status").is_in([-1.0, 0.0, 1.0, 5.0])
        self.losses["status"] += table.filter(~known).height
        waits = (polars.col("wait") < 0) & (polars.col("run") >= 0)
        self.losses["missing wait, which becomes 0,"] += table.filter(waits).height
        self.losses += type(self.losses)()  # drops those that nobody lost

    def _records(self, row: Mapping[str, Any]) -> list[str]:
        submit = max(row["submit"], 0.0) + self._start
        wait, run = row["wait"], row["run"]
        start = submit + max(wait, 0.0) if wait >= 0 or run >= 0 else None
        status = int(row["status"])
        fields = {
            "user": self._name("user", row),
            "group": self._name("group", row),
            "account": self._name("account", row),
            "jobname": self._job_name(row),
            "queue": self._name("queue", row),
            "ctime": number_text(submit),
            "qtime": number_text(submit),
            "etime": number_text(submit),
            "depend": ":".join(["afterok", *(f"{job}.{SERVER}" for job in row[PREDECESSORS])])
            if row.get(PREDECESSORS)
            else "",
            "start": "" if start is None else number_text(start),
            **self._request(row),
        }
        allocated = row["allocated_processors"]
        if allocated > 0:
            fields["exec_host"] = f"node/0*{allocated:.0f}"
        job = _job(row)
        if start is not None and run >= 0:
            processors = allocated if allocated > 0 else max(row["requested_processors"], 1)
            fields["end"] = number_text(start + run)
            fields["Exit_status"] = EXIT_STATUS.get(status, "")
            if row["cpu_time"] >= 0:
                fields["resources_used.cput"] = number_text(row["cpu_time"] * processors)
            if row["used_memory"] >= 0:
                fields["resources_used.mem"] = f"{number_text(row['used_memory'] * processors)}kb"
            kinds = [("D", start + run, "")] if status == 5 else []
            return [_record(*event, job) for event in [*kinds, ("E", start + run, _text(fields))]]
        events = [("Q" if start is None else "S", submit, _text(fields))]
        if status == 5:
            events.append(("D", submit, "requestor=server"))
        return [_record(*event, job) for event in events]

    def _request(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Returns what the job asks for, as Resource_List has it."""
        resources: dict[str, str] = {}
        requested, memory = row["requested_processors"], row["requested_memory"]
        tasks, gpus = row.get("tasks", 0), row.get("task_gpu", 0)
        if tasks > 0 and gpus > 0:
            cores = max(row.get("task_core", 1), 1)
            resources["Resource_List.select"] = f"{tasks:.0f}:ncpus={cores:.0f}:ngpus={gpus:.0f}"
            place = "scatter" if row.get("tasks_per_node") == 1 else "free"
            excl = ":excl" if row.get("whole_nodes", 0) > 0 else ""
            resources["Resource_List.place"] = place + excl
            if requested > 0 and requested != tasks * cores:
                self.losses["requested_processors, which are those of its tasks,"] += 1
        elif requested > 0:
            resources["Resource_List.ncpus"] = f"{requested:.0f}"
        if memory > 0:
            processors = max(requested, 1) if requested > 0 else max(row["allocated_processors"], 1)
            resources["Resource_List.mem"] = f"{number_text(memory * processors)}kb"
        if row["requested_time"] >= 0:
            resources["Resource_List.walltime"] = _clock(row["requested_time"])
        return resources

    def _name(self, column: str, row: Mapping[str, Any]) -> str:
        return _word(name_text(column, row.get(column, -1), self._known[column]))

    def _job_name(self, row: Mapping[str, Any]) -> str:
        name = row.get(NAME)
        return _word(name) if name else name_text("job", row["executable"], {})


def _job(row: Mapping[str, Any]) -> str:
    array, task = row.get("array_job", -1), row.get("array_task", -1)
    if array >= 0 and task >= 0:
        return f"{array:.0f}[{task:.0f}].{SERVER}"
    return f"{number_text(row['job'])}.{SERVER}"


def _record(kind: str, moment: float, message: str, job: str) -> str:
    stamp = datetime.fromtimestamp(moment, UTC).strftime("%m/%d/%Y %H:%M:%S")
    return f"{stamp};{kind};{job};{message}\n"


def _text(fields: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in fields.items() if value)


def _word(name: str) -> str:
    """Returns a name that is one word without an equals sign, which would begin another field."""
    return one_line(name, (" ", "=", ";"))


def _clock(seconds: float) -> str:
    whole = int(seconds)
    rest = number_text(round(seconds - whole, 6))[1:] if seconds > whole else ""
    return f"{whole // HOUR:02}:{whole // MINUTE % 60:02}:{whole % MINUTE:02}{rest}"
