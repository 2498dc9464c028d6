"""Child processes of an experiment: a fresh interpreter, or a fork of this one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from time import monotonic
from typing import Any

from schedlab.errors import InputError
from schedlab.experiment.plan import PlannedRun
from schedlab.experiment.worker import work
from schedlab.results.json_text import from_json, to_json

WORKER = ("-P", "-m", "schedlab.experiment.worker")
OUTPUT = "output.txt"
SECONDS_TO_END = 5


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
    """

    def __init__(self, name: str, folder: str, run: PlannedRun) -> None:
        self.name, self.run = name, run
        self.reports, self._report_to = os.pipe()
        self._output = os.path.join(folder, OUTPUT)
        self._rest = b""
        self._began = monotonic()
        self.outcome: list[Any] = []
        self.share: float | None = None
        self.jobs, self.jobs_per_second = 0, 0.0
        self.time, self.start_time = 0.0, 0

    def _plan(self, folder: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"out": folder, "parent": os.getpid(), "arguments": arguments}

    def read(self) -> bool:
        """Takes in what was reported; False when nothing more can come.

        That is after the last report, too: what a policy has started may keep the pipe open.
        """
        data = os.read(self.reports, 1 << 16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            report = from_json(line.decode())
            if report[0] != "at":
                self.outcome = report
                continue
            _, self.share, self.jobs, self.time, self.start_time = report
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
        code = self._wait()
        os.close(self.reports)
        if os.path.exists(self._output) and not os.path.getsize(self._output):
            os.unlink(self._output)  # nearly all print nothing
        return code

    def kill(self) -> None:
        """Ends the process."""
        self._kill()
        self.wait()

    def _wait(self) -> int:
        raise NotImplementedError

    def _kill(self) -> None:
        raise NotImplementedError


class SpawnedChild(Child):
    """A run in a fresh interpreter, which makes its parts of their names."""

    def __init__(self, name: str, folder: str, arguments: dict[str, Any], run: PlannedRun) -> None:
        super().__init__(name, folder, run)
        # It finds modules where this process does, and not in the current folder before them.
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        with tempfile.TemporaryFile() as plan, open(self._output, "wb") as output:
            plan.write(to_json(self._plan(folder, arguments)).encode())
            plan.seek(0)
            self._process = subprocess.Popen(
                [sys.executable, *WORKER],
                stdin=plan,
                stdout=self._report_to,
                stderr=output,
                env={**os.environ, "PYTHONPATH": path},
                process_group=0,  # Ctrl-C in a terminal goes to this process alone
            )
        os.close(self._report_to)

    def _wait(self) -> int:
        return self._process.wait()

    def _kill(self) -> None:
        self._process.kill()


class ForkedChild(Child):
    """A run in a copy of this process, for parts that are objects."""

    def __init__(
        self,
        name: str,
        folder: str,
        arguments: dict[str, Any],
        run: PlannedRun,
        locks: list[int],
    ) -> None:
        super().__init__(name, folder, run)
        import multiprocessing

        try:
            context = multiprocessing.get_context("fork")
        except ValueError:
            raise InputError(
                "objects as parts of an experiment need a system that can fork; give them as "
                "package.module:Class"
            ) from None
        with open(self._output, "wb") as output:
            self._process = context.Process(
                target=_work_forked,
                args=(
                    self._plan(folder, arguments),
                    self._report_to,
                    output.fileno(),
                    [self.reports, *locks],
                ),
            )
            self._process.start()
        os.close(self._report_to)

    def _wait(self) -> int:
        self._process.join()
        code = self._process.exitcode
        self._process.close()
        assert code is not None
        return code

    def _kill(self) -> None:
        self._process.kill()


def _work_forked(plan: dict[str, Any], reports: int, output: int, inherited: list[int]) -> None:
    for file in inherited:
        os.close(file)
    os.dup2(output, 1)
    os.dup2(output, 2)
    with open(1, "w", encoding="utf-8", errors="replace", closefd=False) as printed:
        sys.stdout = sys.stderr = printed
        code = work(plan, reports)
    os._exit(code)  # nothing of the parent's is to be tidied up here
