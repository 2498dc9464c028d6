"""Job tables as what `sacct -P` would say of such jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from schedlab.workload.formats.accounting.log_names import name_text, names_by_number, one_line
from schedlab.workload.formats.accounting.text import (
    duration_text,
    first_moment,
    lost_shapes,
    number_text,
    require_known_times,
)
from schedlab.workload.table import NAME, TEXTS, extra_columns
from schedlab.workload.writer import Writer, text_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = (
    "JobID|JobIDRaw|User|Group|Account|JobName|Partition|QOS|State|Submit|Start|End|Elapsed|"
    "Timelimit|ReqCPUS|AllocCPUS|NNodes|ReqMem|AllocTRES|TotalCPU|MaxRSS|NTasks"
)

STATES = {1: "COMPLETED", 0: "FAILED", 5: "CANCELLED"}

HELD = frozenset(
    ("account", "array_job", "array_task", "tasks", "tasks_per_node", "task_core", "task_gpu")
)
"""Columns after those of SWF that a dump has a place for."""

KINDS = {"user": "User", "group": "Group", "account": "Account", "queue": "Queue"}


class SacctWriter(Writer):
    """Rows as a dump, whose times are Unix times (as with SLURM_TIME_FORMAT=%s).

    The names of users, groups, accounts, queues and partitions are those of the header; a number
    without one becomes a name that the reader turns into the same number: `user7`.
    """

    def begin(self, columns: list[str]) -> None:
        self._start = first_moment(self.header)
        self._known = {
            column: names_by_number(self.header.get(key, ""))
            for column, key in {**KINDS, "partition": "Partition"}.items()
        }
        self._lost = set(extra_columns(polars.DataFrame(schema=columns))) - HELD
        self.file.write(f"{COLUMNS}\n".encode())

    def add(self, table: polars.DataFrame) -> None:
        require_known_times(table, self._start, self.path)
        self.file.write(text_bytes("".join(map(self._job, table.iter_rows(named=True)))))
        for name in sorted(self._lost):
            held = polars.col(name)
            if name == "predecessors":
                has = held.list.len() > 0
            elif name in TEXTS:
                has = held != ""
            else:
                has = held > 0 if name == "whole_nodes" else held != -1
            self.losses[name] += table.filter(has).height
        for name in ("preceding_job", "think_time"):
            self.losses[name] += table.filter(polars.col(name) != -1).height
        shapes = lost_shapes(table)
        del shapes["whole_nodes"]  # lost with GPUs, too, and counted above
        self.losses.update(shapes)
        self.losses["status"] += table.filter(
            ~polars.col("status").is_in([-1.0, 0.0, 1.0, 5.0])
        ).height
        self.losses += type(self.losses)()  # drops those that nobody lost

    def _job(self, row: Mapping[str, float]) -> str:
        """Returns the lines of one job: its own and, where it is known what it used, a step."""
        number = number_text(row["job"])
        array = row.get("array_job", -1)
        shown = number
        if array >= 0:
            task = row.get("array_task", -1)
            shown = f"{array:.0f}_{f'{task:.0f}' if task >= 0 else '[0]'}"
        run, wait, submit = row["run"], row["wait"], row["submit"] + self._start
        started = run >= 0 or wait >= 0
        wait = wait if row["submit"] >= 0 else -1.0
        start = number_text(submit + wait) if wait >= 0 else "Unknown"
        end = number_text(submit + wait + run) if wait >= 0 and run >= 0 else "Unknown"
        allocated, requested = row["allocated_processors"], row["requested_processors"]
        processors = allocated if allocated > 0 else max(requested, 1)
        state = STATES.get(int(row["status"]), "" if run >= 0 else "PENDING")
        gpus, nodes = self._gpus(row)
        tres = [f"cpu={processors:.0f}"] if gpus and allocated > 0 else []
        tres += [f"gres/gpu={gpus:.0f}"] if gpus else []
        memory = row["requested_memory"]
        fields = [
            shown,
            number,
            self._name("user", row),
            self._name("group", row),
            self._name("account", row),
            self._job_name(row),
            self._name("partition", row),
            self._name("queue", row),
            state,
            number_text(submit) if row["submit"] >= 0 else "Unknown",
            start,
            end,
            duration_text(run) if run >= 0 else "",
            duration_text(row["requested_time"]) if row["requested_time"] >= 0 else "UNLIMITED",
            number_text(max(requested, 0)),
            number_text(max(allocated, 0)),
            f"{nodes:.0f}" if nodes else "",
            f"{number_text(memory)}Kc" if memory > 0 else "",
            ",".join(tres),
            duration_text(row["cpu_time"] * processors) if row["cpu_time"] >= 0 else "",
            "",
            "",
        ]
        lines = "|".join(fields) + "\n"
        if row["used_memory"] >= 0 and started:
            step = [f"{shown}.batch", f"{number}.batch", *[""] * 3, "batch", *[""] * 14]
            lines += "|".join(step) + f"|{number_text(row['used_memory'] * processors)}K|1\n"
        return lines

    def _gpus(self, row: Mapping[str, float]) -> tuple[float, float]:
        """Returns the GPUs of a job and its nodes; 0 for neither."""
        of_task, tasks = row.get("task_gpu", 0), row.get("tasks", 0)
        if of_task <= 0 or tasks <= 0:
            return 0, 0
        if row.get("tasks_per_node", 1) != 1:
            self.losses["number of tasks, which becomes one a node,"] += 1
        per_node = max(1.0, row.get("tasks_per_node", 1))
        return of_task * tasks, -(-tasks // per_node)

    def _name(self, column: str, row: Mapping[str, float]) -> str:
        kind = "qos" if column == "queue" else column
        name = name_text(kind, row.get(column, -1), self._known[column])
        return one_line(name, "|")

    def _job_name(self, row: Mapping[str, object]) -> str:
        name = row.get(NAME)
        number = row["executable"]
        assert isinstance(number, float)
        return one_line(str(name), "|") if name else name_text("job", number, {})
