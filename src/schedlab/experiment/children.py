"""Child processes of an experiment: one for each run."""

from __future__ import annotations

import os
import tempfile
from time import monotonic
from typing import Any

from schedlab.experiment.objects import pickled
from schedlab.experiment.plan import PlannedRun
from schedlab.experiment.starting import Starter
from schedlab.results.json_text import from_json, to_json
from schedlab.results.publishing import remove_unpublished
from schedlab.workload.header import ZONE_FIELDS

OUTPUT = "output.txt"


class Child:
    """A run in a process of its own, and what it reported last.

    Attributes:
        name: Of the run.
        run: The run.
        reports: The open end of its reports.
        outcome: Its last report, ["done"] or ["failed", kind, reason]; empty before.
        share: Part of its workload that was read, or None if it is not known.
        jobs: That ended so far.
        jobs_per_second: Of real time.
        time: Of the simulation, in the workload's own clock.
        start_time: Unix time of the workload's time 0; 0: not known.
        zone: Fields of the trace's header that give its time zone.
        stalled: Which code of the user's does not return: class, line, simulated time; else empty.
    """

    def __init__(self, name: str, folder: str, run: PlannedRun, starter: Starter) -> None:
        self.name, self.run = name, run
        self._folder, self._output = folder, os.path.join(folder, OUTPUT)
        self._rest = b""
        self._began = monotonic()
        self.outcome: list[Any] = []
        self.share: float | None = None
        self.jobs, self.jobs_per_second = 0, 0.0
        self.time, self.start_time = 0.0, 0
        self.zone: dict[str, str] = {}
        self.stalled = ""
        with (
            tempfile.TemporaryFile() as plan,
            tempfile.TemporaryFile() as objects,
            open(self._output, "wb") as output,
        ):
            handed = objects if run.objects else None
            if handed is not None:
                handed.write(pickled(run.objects))
                handed.seek(0)
            number = None if handed is None else handed.fileno()
            plan.write(to_json(_plan(folder, run, number)).encode())
            plan.seek(0)
            self.reports, report_to = os.pipe()
            try:
                self._process = starter.start(plan, output, report_to, handed)
            finally:
                os.close(report_to)

    def read(self) -> bool:
        """Takes in what was reported; False when nothing more can come.

        That is after the last report, too: what a policy has started may keep the pipe open.
        """
        data = os.read(self.reports, 1 << 16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            report = from_json(line.decode())
            if report[0] == "in":
                self.stalled = report[1]
                continue
            if report[0] != "at":
                self.outcome = report
                continue
            self.stalled = ""
            _, self.share, self.jobs, self.time, self.start_time, *zone = report
            self.zone = dict(zip(ZONE_FIELDS, zone, strict=True))
            self.jobs_per_second = self.jobs / max(1e-9, monotonic() - self._began)
        return bool(data) and not self.outcome

    def last_words(self) -> str:
        """Returns the last line that it printed."""
        try:
            with open(self._output, "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - 2000))
                lines = file.read().decode("utf-8", "replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def wait(self) -> int:
        """Waits for its end and returns the exit code, or minus the signal that killed it."""
        code = self._process.wait()
        os.close(self.reports)
        if self.outcome != ["done"]:
            remove_unpublished(self._folder)
        if os.path.exists(self._output) and not os.path.getsize(self._output):
            os.unlink(self._output)  # nearly all print nothing
        return code

    def kill(self) -> None:
        """Ends the process."""
        self._process.kill()
        self.wait()


def _plan(folder: str, run: PlannedRun, objects: int | None) -> dict[str, Any]:
    return {
        "out": folder,
        "parent": os.getpid(),
        "spec": run.spec.to_data(),
        "requested_spec": run.requested_spec.to_data(),
        "output": run.output,
        "objects": objects,
    }
