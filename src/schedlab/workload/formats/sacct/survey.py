"""What must be known of a whole dump of sacct before its first job can be given."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from schedlab.workload.formats.accounting.log_names import Names
from schedlab.workload.formats.accounting.records import Records
from schedlab.workload.formats.accounting.text import MISSING
from schedlab.workload.formats.accounting.times import Moments
from schedlab.workload.formats.sacct.jobs import Jobs, readable

if TYPE_CHECKING:
    from schedlab.workload.formats.sacct.reader import SacctReader

NAMED = {
    "user": ("user", "uid"),
    "group": ("group", "gid", "account"),
    "executable": ("jobname",),
    "queue": ("qos",),
    "partition": ("partition",),
    "account": ("account",),
}
"""Columns of the table that are numbers of names, and where the names are."""

GPU_COLUMNS = ("alloctres", "reqtres", "allocgres", "reqgres")

ROWS = 8192
"""Rows whose times are read together."""


class Survey:
    """What must be known of a whole dump before its first job can be given."""

    def __init__(self, reader: SacctReader) -> None:
        self.columns = columns = reader._columns()
        self._reader = reader
        choice = {**NAMED, "queue": (reader._queue,)}
        named = {column: columns.first_of(*names) for column, names in choice.items()}
        self._named = {column: name for column, name in named.items() if name is not None}
        kinds = {"executable": "job", "queue": "qos" if reader._queue == "qos" else "partition"}
        self.names = {column: Names(kinds.get(column, column)) for column in self._named}
        numbers = {column: names.numbers for column, names in self.names.items()}
        self.moments = Moments(reader._zone)
        self.jobs = Jobs(columns, self.moments, reader._submit, numbers, self._named)
        self.strays: dict[str, tuple[float, float]] = {}
        self.arrays = False
        self.shaped = bool(reader._resources)
        self._clusters: dict[str, None] = {}
        self.records = Records(*self._pass(), reader._requeued == "last")
        for each in self.names.values():
            each.number()

    def _pass(self) -> tuple[array[int], array[float]]:
        """Returns number and moment of each record, in the order of the file."""
        reader, columns, current = self._reader, self.columns, ""
        numbers, came = array("q"), array("d")
        meet = [(columns.place[name], self.names[to].meet) for to, name in self._named.items()]
        gpus = [columns.place[name] for name in GPU_COLUMNS if name in columns.place]
        look_for_gpus = reader._resources is None
        cluster = columns.place.get("cluster")
        rows: list[list[str]] = []
        for fields, text, found in reader._rows(columns, lambda reason: None):
            if found is None:
                if text != current:
                    self._stray(fields, text)
                continue
            current = text
            numbers.append(-1 if found.job is None else found.job)
            self.arrays = self.arrays or found.array_job >= 0
            for place, met in meet:
                met(fields[place].strip())
            if look_for_gpus and any("gpu" in fields[place] for place in gpus):
                self.shaped, look_for_gpus = True, False
            if cluster is not None and len(self._clusters) < 100:
                self._clusters.setdefault(fields[cluster].strip())
            rows.append(fields)
            if len(rows) == ROWS:
                came.extend(self.jobs.came(rows).tolist())
                rows = []
        came.extend(self.jobs.came(rows).tolist())
        return numbers, came

    def _stray(self, fields: list[str], job: str) -> None:
        """Takes note of what a step used that does not follow its job."""
        memory, seconds = self.jobs.used_memory(fields), self.jobs.cpu_seconds(fields)
        if memory == memory and seconds == seconds:
            most, sum_of = self.strays.get(job, (MISSING, MISSING))
            sum_of = max(sum_of, 0.0) + seconds if seconds >= 0 else sum_of
            self.strays[job] = max(most, memory), sum_of

    def header(self) -> dict[str, str]:
        """Returns the header of the workload, by the names of SWF's."""
        reader, header = self._reader, {}
        clusters = [readable(name) for name in self._clusters if name]
        if clusters:
            header["Computer"] = ", ".join(clusters)
        if self.records.start:
            header["UnixStartTime"] = str(int(self.records.start))
        header["TimeZoneString"] = reader._zone_name
        header["MaxRecords"] = str(self.records.used)
        keys = {"queue": "Queue", "partition": "Partition"}
        if reader._names_in_header:
            keys |= {"user": "User", "group": "Group", "account": "Account"}
        for column, key in keys.items():
            if column in self.names and (lines := self.names[column].lines()):
                header[key] = readable(lines)
        return header
