"""The run folder: files are written under another name and appear when they are whole."""

from __future__ import annotations

import os

import schedlab
from schedlab import _engine
from schedlab.errors import InputError
from schedlab.results.json_text import to_json
from schedlab.results.result import Result
from schedlab.workload.header import header_fields

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation import Simulation

FORMAT = 1
"""Version of run.json and of the columns beside it."""

NAMES = ("jobs.csv", "timeline.csv", "run.json")


class RunFolder:
    """Writes a run's files; as a context manager it removes what was not published."""

    def __init__(self, path: str | os.PathLike[str] | None, simulation: Simulation) -> None:
        self._simulation = simulation
        self._temporary: object = None  # lives as long as the result
        if path is None:
            import tempfile

            temporary = tempfile.TemporaryDirectory(prefix="schedlab-")
            self._temporary, path = temporary, temporary.name
        self.path = os.fsdecode(path)
        try:
            os.makedirs(self.path, exist_ok=True)
        except FileExistsError:
            raise InputError(f"{self.path}: cannot be a run folder: it is a file") from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be a run folder: {error.strerror}") from None
        self._lock = _lock(self.path)
        self._recorders: dict[str, _engine.CsvJobs | _engine.CsvTimeline] = {}

    def _partial(self, name: str) -> str:
        return os.path.join(self.path, name + ".part")

    def record_jobs(self) -> None:
        """Lets the simulation write jobs.csv while it runs."""
        recorder = _engine.CsvJobs(self._partial("jobs.csv"))
        self._simulation.engine.record_jobs(recorder)
        self._recorders["jobs.csv"] = recorder

    def record_timeline(self) -> None:
        """Lets the simulation write timeline.csv while it runs."""
        types = self._simulation.system.resource_types
        recorder = _engine.CsvTimeline(self._partial("timeline.csv"), types)
        self._simulation.engine.record_timeline(recorder)
        self._recorders["timeline.csv"] = recorder

    def publish(self, status: str, wall_seconds: float, cpu_seconds: float) -> Result:
        """Makes the files whole and returns the result; run.json appears last."""
        for recorder in self._recorders.values():
            recorder.close()
        run = describe(self._simulation, status, tuple(self._recorders), wall_seconds, cpu_seconds)
        self._write("run.json", to_json(run) + "\n")
        self._remove("run.json")  # from here on the folder is not that of an earlier run
        for name in NAMES:
            if name in self._recorders or name == "run.json":
                os.replace(self._partial(name), os.path.join(self.path, name))
            else:
                self._remove(name)
        return Result(self.path, run, self._temporary)

    def _write(self, name: str, text: str) -> None:
        path = self._partial(name)
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            error.filename = path  # Python leaves it out where a write fails
            raise

    def _remove(self, name: str) -> None:
        path = os.path.join(self.path, name)
        if os.path.exists(path):
            os.unlink(path)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        for name in NAMES:
            self._remove(name + ".part")
        if self._lock is not None:
            os.close(self._lock)


def _lock(path: str) -> int | None:
    """Returns an open folder that no other run can have meanwhile; None where there are no locks.

    The lock goes with the process, however that ends, and leaves nothing in the folder.

    Raises:
        InputError: Another run is writing there.
    """
    try:
        import fcntl
    except ImportError:
        return None
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(folder)
        raise InputError(f"{path}: another run is writing to this folder; choose another") from None
    except OSError:  # a file system without locks
        os.close(folder)
        return None
    return folder


def _system(simulation: Simulation) -> dict[str, Any]:
    """Returns the machine as it was simulated, with a checksum of its definition.

    Not of the file: that may be gone by now, or may have been a pipe.
    """
    system = simulation.system
    groups = {g.name: {"nodes": g.nodes, "resources": g.resources} for g in system.groups}
    definition = {
        "name": system.name,
        "start_time": system.start_time,
        "processor": system.processor,
        "groups": groups,
    }
    checksum = _engine.Checksum()
    checksum.add(to_json(definition).encode())
    return {
        "path": simulation.system_path,
        "checksum": checksum.hex(),
        **definition,
        "nodes": system.nodes,
        "capacity": system.capacity,
    }


def describe(
    simulation: Simulation,
    status: str,
    files: tuple[str, ...],
    wall_seconds: float,
    cpu_seconds: float,
) -> dict[str, Any]:
    """Returns what run.json holds."""
    engine = simulation.engine
    report = engine.workload_report()
    comments = report.pop("comments")
    source = simulation.input
    if status != "complete":
        report.pop("checksum")  # of a part of the workload only
    return {
        "format": FORMAT,
        "status": status,
        "schedlab": schedlab.__version__,
        "scheduler": str(simulation.scheduler),
        "allocator": str(simulation.allocator),
        "rules": simulation.rules,
        "options": simulation.options,
        "workload": {
            "path": source.path if source else None,
            **report,
            "header": header_fields(comments),
        },
        "system": _system(simulation),
        "counts": engine.counts(),
        "metrics": engine.metrics(),
        "time": {
            "first_submit": engine.first_submit,
            "last_end": engine.last_end,
            "now": engine.now,
            "time_points": engine.time_points,
        },
        "files": [*files],
        "simulator": {
            "cpu_seconds": cpu_seconds,
            "wall_seconds": wall_seconds,
            "dispatch_seconds": engine.dispatch_seconds if "timeline.csv" in files else None,
            "peak_memory_bytes": _engine.peak_resident_bytes(),
        },
    }
