"""Batsim's JSON workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.workload.formats.json_files.document import positive
from schedlab.workload.formats.json_files.job_list import (
    LARGEST,
    JobListReader,
    JobListWriter,
    Skipped,
    number,
    plain,
    profile_of,
)
from schedlab.workload.header import leading_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import polars

KINDS = {
    "delay": "delay",
    "DelayProfile": "delay",
    "composed": "sequence",
    "SequentialCompositionProfile": "sequence",
    "parallel": "parallel",
    "msg_par": "parallel",
    "ParallelTaskProfile": "parallel",
    "parallel_homogeneous": "homogeneous",
    "msg_par_hg": "homogeneous",
    "ParallelTaskHomogeneousProfile": "homogeneous",
    "parallel_homogeneous_total": "total",
    "msg_par_hg_tot": "total",
}
"""Types of profiles with a run time, by their names in Batsim 1 to 5."""

DEEPEST = 100
SPREAD = "DefinedAmountsSpreadUniformly"


class BatsimReader(JobListReader):
    """Jobs of a Batsim workload; the run time is that of their profiles."""

    TAKEN = ("subtime", "res", "profile", "walltime", "dependencies", "extra_data")

    def __init__(self, path: str, flops_per_second: float | None = None) -> None:
        """Reads the file later.

        Args:
            path: The file.
            flops_per_second: Speed of a resource, for profiles of computations; None: their jobs
                have no run time.
        """
        super().__init__(path)
        self._speed = flops_per_second
        if flops_per_second is not None:
            self._speed = positive("flops_per_second", flops_per_second)

    def tables(self) -> Iterator[polars.DataFrame]:
        self._seconds: dict[tuple[str, float], float | None] = {}
        return super().tables()

    def row(self, job: dict[str, Any]) -> dict[str, float]:
        processors = number(job, "res", 0)
        row = {"requested_processors": processors or -1}
        if job.get("walltime") is not None:
            row["requested_time"] = number(job, "walltime")
        if "run" not in job:
            profile_of(self, job)
            seconds = self._run(str(job["profile"]), processors, ())
            if seconds is not None and not seconds < LARGEST:
                raise Skipped("run time out of range")
            row["run"] = -1 if seconds is None else seconds
        return row

    def _run(self, name: str, processors: float, above: tuple[str, ...]) -> float | None:
        """Returns the seconds that a profile runs on N resources; None: not known."""
        profile = self.profiles.get(name)
        if not isinstance(profile, dict):
            raise Skipped("profile is not defined")
        kind = KINDS.get(str(profile.get("type")))
        if kind == "delay":
            return number(profile, "delay", 0)
        if kind == "sequence":
            # Remembered, because sequences of sequences may name one many times over.
            key = name, processors
            if key not in self._seconds:
                if name in above or len(above) > DEEPEST:
                    raise Skipped("profile holds itself, or too many others within each other")
                self._seconds[key] = self._sequence(profile, processors, (*above, name))
            return self._seconds[key]
        if kind is None or self._speed is None:
            return None
        # Computations only: what communications add depends on a network that is not in the file.
        amounts = profile.get("cpu", 0)
        if isinstance(amounts, list):
            operations = max((number({"cpu": amount}, "cpu", 0) for amount in amounts), default=0.0)
        else:
            operations = number(profile, "cpu", 0) if "cpu" in profile else 0.0
        if kind == "total" or profile.get("generation_strategy") == SPREAD:
            operations /= max(1, processors)
        return operations / self._speed

    def _sequence(
        self, profile: dict[str, Any], processors: float, above: tuple[str, ...]
    ) -> float | None:
        parts = profile.get("seq")
        if not isinstance(parts, list):
            raise Skipped("profile's seq is not a list")
        repeats = [number(profile, key, 0) for key in ("repeat", "nb") if key in profile]
        total = 0.0
        for part in parts:
            seconds = self._run(str(part), processors, above)
            if seconds is None:
                return None
            total += seconds
        return total * (repeats[0] if repeats else 1)


class BatsimWriter(JobListWriter):
    """Jobs as Batsim reads them, with a delay profile for each run time.

    What Batsim has no field for is written in further fields of the job, by the names of the
    columns, which Batsim hands on to schedulers and else passes over.
    """

    FORMAT = "batsim"

    def begin(self, columns: list[str]) -> None:
        self._runs: dict[float, str] = {}
        self._largest = 0
        super().begin(columns)

    def job(self, row: dict[str, Any]) -> dict[str, Any]:
        processors, run = row["requested_processors"], row["run"]
        job = {"subtime": plain(row.pop("submit"))}
        # A field is said again only where Batsim's own would not bring it back.
        if processors > 0:
            job["res"] = plain(row.pop("requested_processors"))
        else:
            job["res"] = plain(max(row["allocated_processors"], 0))
            job["requested_processors"] = plain(row.pop("requested_processors"))
        if run < 0:
            job["run"] = plain(run)
        del row["run"]
        job["profile"] = self._runs.setdefault(max(run, 0), f"delay_{plain(max(run, 0))}")
        if row["requested_time"] > 0:
            job["walltime"] = plain(row.pop("requested_time"))
        self._largest = max(self._largest, job["res"])
        return job

    def last_members(self) -> dict[str, Any]:
        processors = leading_number(self.header.get("MaxProcs")) or max(1, self._largest)
        return {
            "nb_res": processors,
            "profiles": {
                name: {"type": "delay", "delay": plain(run)} for run, name in self._runs.items()
            },
        }
