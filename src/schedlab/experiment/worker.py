"""One run of an experiment, in a process of its own.

It imports no more than a plain simulation needs, so that the memory that a run reports is its own.
"""

from __future__ import annotations

import os
import sys
from _signal import SIG_IGN, SIGINT, signal  # type: ignore[import-not-found]  # `signal` is slow
from _thread import get_ident, start_new_thread
from time import monotonic, sleep

from schedlab.errors import InputError, SchedlabError, reason_of
from schedlab.job_states import ENDED
from schedlab.results.folder_lock import lock_folder
from schedlab.results.json_text import from_json, to_json
from schedlab.simulation import RunSpec
from schedlab.workload.header import ZONE_FIELDS

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.simulation import Simulation

SECONDS_BETWEEN_REPORTS = 0.1
SECONDS_BETWEEN_LOOKS = 0.1
SECONDS_BEFORE_STALLED = 2.0
PATIENCE_SECONDS = 10
"""How long a lock is waited for: a run that lost its parent notices soon, and ends."""

DONE, FAILED = 0, 1


def main() -> None:
    """The program: a plan comes on standard input, reports go to standard output, a line each."""
    reports = os.dup(1)
    os.dup2(2, 1)  # what policies print must not come between the reports
    sys.stdout = sys.stderr  # which holds nothing back: lines stay in their order
    sys.exit(work(from_json(sys.stdin.read()), reports))


def work(plan: dict[str, Any], reports: int) -> int:
    """Simulates what a plan asks for and returns the exit code.

    Args:
        plan: `out`, `parent` (a process id), `spec` (the run as plain data), `requested_spec`
            (likewise, as run.json says it), `output` (how results are written) and perhaps
            `objects`: an open file with parts of the run that no plain data stands for, pickled.
        reports: An open file for lines of JSON: ["at", share, jobs, time, start_time, *zone], where
            code of the user's does not return ["in", which], and last ["done"] or ["failed",
            kind, reason].
    """
    signal(SIGINT, SIG_IGN)  # Ctrl-C is the parent's to handle; it ends its children
    parent = _Parent(reports)
    start_new_thread(_watch, (plan["parent"], parent, get_ident()))
    try:
        spec = RunSpec.from_data(plan["spec"], trust_code=True)  # the parent's plan is the person's
        if plan.get("objects") is not None:
            import pickle

            with open(plan["objects"], "rb") as objects:
                spec = spec.replace(**pickle.load(objects))
        os.makedirs(plan["out"], exist_ok=True)
        _wait_for(plan["out"])
        spec.simulate(
            **plan["output"],
            out=plan["out"],
            progress=parent,
            force=True,
            # Handed on to Simulation.
            _spec=RunSpec.from_data(plan["requested_spec"], trust_code=True),
        )
    except BaseException as error:
        kind = "input" if isinstance(error, InputError) else "failure"
        parent.report("failed", kind, reason_of(error))  # before a full disk takes what is printed
        if not isinstance(error, SchedlabError):
            import traceback

            traceback.print_exc()
        return FAILED
    parent.report("done")
    return DONE


def _wait_for(out: str) -> None:
    """Waits until nobody writes to a folder: a child of a killed experiment may be about to end."""
    lock = lock_folder(out, "run", PATIENCE_SECONDS)
    if lock is not None:
        os.close(lock)


def _watch(parent: int, reports: _Parent, thread: int) -> None:
    """Reports calls that do not return, and ends the process soon after its parent.

    That is so whatever a policy is busy with, and nobody keeps the folder locked when an
    experiment that was killed continues.
    """
    while os.getppid() == parent:
        sleep(SECONDS_BETWEEN_LOOKS)
        reports.report_stalled(thread)
    os._exit(FAILED)


class _Parent:
    """The experiment that the run is of; as `progress` of a simulation it hears how far it is."""

    def __init__(self, reports: int) -> None:
        self._reports = reports
        self._next = 0.0
        self._start_time: int | None = None
        self._heard = monotonic()
        self._zone: list[str] = []  # the fields of the header that give it

    def __call__(self, simulation: Simulation) -> None:
        self._heard = monotonic()
        if monotonic() < self._next:
            return
        self._next = monotonic() + SECONDS_BETWEEN_REPORTS
        if self._start_time is None:
            self._start_time, header = simulation.start_time or 0, simulation.header
            self._zone = [header.get(key, "") for key in ZONE_FIELDS]
        counts = simulation.counts
        jobs = sum(counts[state] for state in ENDED)
        now = float(simulation.now)
        self.report("at", simulation.share_read, jobs, now, self._start_time, *self._zone)

    def report_stalled(self, thread: int) -> None:
        """Reports which of the user's code a thread is in that has not come here for some time."""
        if monotonic() - self._heard < SECONDS_BEFORE_STALLED:
            return
        from schedlab.simulation.user_code_position import of_thread

        if (where := of_thread(thread)) is not None:
            self.report("in", str(where))

    def report(self, *values: object) -> None:
        os.write(self._reports, (to_json(values) + "\n").encode())


if __name__ == "__main__":
    main()
