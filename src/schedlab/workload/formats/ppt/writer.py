"""The nine columns of a job's specification, with its application, as CSV."""

from __future__ import annotations

import polars

from schedlab.workload.formats.accounting.log_names import names_by_number
from schedlab.workload.formats.ppt.job_specification import COLUMNS, SCHED_ARGS
from schedlab.workload.formats.tables.csv import CsvWriter
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import APPLICATION, PREDECESSORS, TASK, extra_columns

ORDER = (
    *("job_id", "job_size", "submit_time", "request_time", "app_name", "app_args", "run_time"),
    *("queue_name", "sched_args"),
)
COPIED = ("job", "submit", "requested_time", "run")


class SpecificationWriter(CsvWriter):
    """Rows as CSV with the nine columns; further numbers of jobs become `sched_args`."""

    def begin(self, columns: list[str]) -> None:
        super().begin(list(ORDER))
        self._queues = names_by_number(self.header.get("Queue", ""))

    def add(self, table: polars.DataFrame) -> None:
        extra = [
            name
            for name in extra_columns(table)
            if name not in ("tasks", PREDECESSORS) and not name.startswith(TASK)
        ]
        size = polars.col("requested_processors")
        size = polars.when(size > 0).then(size).otherwise(polars.col("allocated_processors"))
        rows = table.with_columns(size.alias("job_size"))
        calls = table[APPLICATION].to_list() if APPLICATION in table.columns else []
        calls = calls or [""] * table.height
        queues = [self._queue(number) for number in table["queue"].to_list()]
        arguments = [
            ", ".join(f"{key}={value:.17g}" for key, value in row.items() if value != -1)
            for row in table.select(extra).iter_rows(named=True)
        ] or [""] * table.height
        made = rows.select(
            *(polars.col(ours).alias(theirs) for ours, theirs in COLUMNS.items() if ours in COPIED),
            polars.col("job_size"),
        ).with_columns(
            polars.Series("app_name", [call.partition("(")[0] for call in calls], polars.String),
            polars.Series("app_args", [_arguments(call) for call in calls], polars.String),
            polars.Series("queue_name", queues, polars.String),
            polars.Series(SCHED_ARGS, arguments, polars.String),
        )
        times = polars.col("request_time", "run_time")
        made = made.with_columns(polars.when(times >= 0).then(times).name.keep())
        super().add(made.select(ORDER))
        self._count_losses(table)

    def _queue(self, number: float) -> str:
        if number < 0:
            return ""
        return self._queues.get(int(number)) or f"{number:g}"

    def _count_losses(self, table: polars.DataFrame) -> None:
        kept = {*COLUMNS, "allocated_processors", APPLICATION}
        for name, kind in table.schema.items():
            column = polars.col(name)
            if name == PREDECESSORS:
                self.losses[name] += table.filter(column.list.len() > 0).height
            elif kind == polars.String and name not in kept:
                self.losses[name] += table.filter(column != "").height
            elif (name in FIELDS or name == "tasks" or name.startswith(TASK)) and name not in kept:
                self.losses[name] += table.filter(column != -1).height
        self.losses += type(self.losses)()  # drops those that nobody lost


def _arguments(call: str) -> str:
    return call.partition("(")[2].removesuffix(")")
