"""Accounting logs of Torque, PBS Pro and OpenPBS as job tables.

docs/reference/pbs.md says where a site has them, and what becomes of them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.errors import InputError
from schedlab.workload.formats.accounting.log_files import FilesReader
from schedlab.workload.formats.accounting.text import MISSING, word_of
from schedlab.workload.formats.accounting.times import Moments, zone_notices, zone_of
from schedlab.workload.formats.pbs.jobs import NAMED, JobColumns
from schedlab.workload.formats.pbs.records import (
    USED,
    Ended,
    Record,
    ended,
    fields_of,
    number_of,
    record_of,
)
from schedlab.workload.formats.sacct.jobs import readable
from schedlab.workload.table import in_batches

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import polars

SUBMIT_TIMES = ("ctime", "qtime", "etime")


class PbsReader(FilesReader):
    """Jobs of an accounting log, in order of submission.

    A log is in order of events, so all jobs are read before the first is given: about 300 bytes
    each.

    Args:
        path: A file; a folder, of which all files are read in the order of their names (PBS names
            them by date); or a pattern such as `accounting/2024*`.
        zone: Time zone of the times at which records were written. They matter only for jobs that
            never ended or ran again; the others have Unix times. None: UTC, and a notice says so
            if such times were used.
        submit: When a job came: `qtime` (it entered its queue), `ctime` (it was created) or
            `etime` (it became eligible).
        requeued: What becomes of a job that ran several times: each run a job (`all`), or the last
            one only (`last`).
        resources: Whether tables say of what tasks jobs are; None: of jobs with GPUs, if there are.
        names: Whether the header gives the names of users, groups and accounts.

    Raises:
        InputError: An argument is none of these.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        zone: str | None = None,
        submit: str = "qtime",
        requeued: str = "all",
        resources: bool | None = None,
        names: bool = False,
    ) -> None:
        super().__init__(path)
        submit = word_of("pbs", "submit", submit, SUBMIT_TIMES)
        requeued = word_of("pbs", "requeued", requeued, ("all", "last"))
        self._zone_name, self._zone, self._submit = (
            zone or "UTC",
            zone_of(zone, "reader pbs"),
            submit,
        )
        self._each_run, self._resources, self._names_in_header = requeued == "all", resources, names
        self._header: dict[str, str] = {}
        self._local_times = 0
        self._not_followed: list[str] = []

    @property
    def header(self) -> dict[str, str]:
        return dict(self._header)

    @property
    def notices(self) -> list[str]:
        zone = None if self._zone is None else self._zone_name
        notices = zone_notices("pbs", zone, self._local_times, 0, 0)
        if count := len(self._not_followed):
            notices.append(
                f"{count:,} dependenc{'ies are' if count > 1 else 'y is'} of a kind that is not "
                f"followed; the first is {readable(self._not_followed[0])!r}"
            )
        return notices

    def tables(self) -> Iterator[polars.DataFrame]:
        jobs = JobColumns()
        self._local_times = 0
        self.numbered_names = tuple(NAMED)
        open_jobs: dict[str, _Open] = {}
        arrays: set[int] = set()
        moments = Moments(self._zone)
        read = False
        for line in self.lines("latin-1"):  # which every byte is; names are put right later
            line = line.strip("\r\n\0 ")
            if not line:
                continue
            record = record_of(line.removeprefix("ï»¿"), moments)
            if record is None:
                self.skip("no accounting record")
                continue
            read = True
            if record.kind not in USED or not record.job[0].isdigit():
                continue  # of the server, of licences, of reservations
            if number_of(record.job) is None:
                self.skip("no job number")
                continue
            if record.kind == "E":
                self._end(record, open_jobs.pop(record.job, None), jobs, arrays)
            else:
                self._happen(record, open_jobs.setdefault(record.job, _Open(self.line)), jobs)
        if not read and self.line:
            raise InputError(
                f"{self.path}: is not an accounting log of PBS: none of its {self.line:,} lines is "
                "date;kind;job;message"
            )
        self._add_open(open_jobs, jobs, arrays)
        table = jobs.table(self.skip, self._resources)
        self._not_followed = jobs.not_followed
        self._header = jobs.header(self._zone_name, self._names_in_header)
        yield from in_batches(table)

    def _end(self, record: Record, known: _Open | None, jobs: JobColumns, arrays: set[int]) -> None:
        """Adds a job that ended; the record of an array as a whole is none."""
        found = number_of(record.job)
        assert found is not None  # or its line was skipped
        _, array, task = found
        if array >= 0:
            arrays.add(array)
            if task < 0:
                return
        fields = fields_of(record.message)
        if known is not None:
            fields = {**known.fields, **fields}
        job = ended(fields, record, self._submit)
        if isinstance(job, str):
            self.skip(job)
            return
        if known is not None:
            self._local_times += job.submit < 0
            job = known.completed(job)
        jobs.add(found, job, self.line)

    def _happen(self, record: Record, known: _Open, jobs: JobColumns) -> None:
        """Takes note of what happened to a job that has not ended."""
        fields = fields_of(record.message)
        if record.kind == "Q":
            known.queued = record.moment if known.queued < 0 else known.queued
            known.fields.update(fields)
        elif record.kind in "ST":
            known.started = True
            known.fields.update(fields)
            self._local_times += "start" not in known.fields
            known.fields.setdefault("start", str(int(record.moment)))
        elif record.kind in "DA":
            known.deleted = True
        elif record.kind == "R" and (known.started or "start" in fields):
            self._requeue(record, known, fields, jobs)

    def _requeue(
        self, record: Record, known: _Open, fields: dict[str, str], jobs: JobColumns
    ) -> None:
        """Adds a run that was cut short, if each run counts; the next one comes at its end."""
        job = ended({**known.fields, **fields}, record, self._submit)
        found = number_of(record.job)
        known.started = False
        known.fields.pop("start", None)
        if isinstance(job, str) or found is None or not self._each_run:
            return
        self._local_times += 1
        job = known.completed(job)._replace(end=record.moment, status=5.0)
        jobs.add(found, job, self.line)
        known.queued_again = record.moment

    def _add_open(self, open_jobs: dict[str, _Open], jobs: JobColumns, arrays: set[int]) -> None:
        """Adds jobs that never ended: deleted, or still queued or running when the log ends."""
        for name in open_jobs:
            found = number_of(name)
            if found is not None and found[1] >= 0 and found[2] >= 0:
                arrays.add(found[1])
        for name, known in open_jobs.items():
            found = number_of(name)
            assert found is not None
            if found[1] in arrays and found[2] < 0:
                continue  # its tasks are there
            job = ended(known.fields, Record(known.queued, "Q", name, ""), self._submit)
            if isinstance(job, str):
                self.skip(job, known.line)
                continue
            self._local_times += job.submit < 0
            job = known.completed(job)._replace(
                end=MISSING, status=5.0 if known.deleted else MISSING
            )
            jobs.add(found, job, known.line)


class _Open:
    """A job that has not ended, as far as its log was read."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.fields: dict[str, str] = {}
        self.queued = self.queued_again = MISSING
        self.started = self.deleted = False

    def completed(self, job: Ended) -> Ended:
        """Returns a job with what only earlier records have."""
        if self.queued_again >= 0:
            job = job._replace(submit=self.queued_again)
        elif job.submit < 0:
            job = job._replace(submit=self.queued)
        return job._replace(status=5.0) if self.deleted else job
