"""Runs in processes of their own, some at a time."""

from __future__ import annotations

import os
import selectors
import signal
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import NamedTuple

from schedlab.errors import reason_of
from schedlab.experiment.children import Child
from schedlab.experiment.plan import PlannedRun
from schedlab.experiment.starting import Starter

SECONDS_BETWEEN_UPDATES = 0.1


class Failure(NamedTuple):
    """A run that came to no result.

    Attributes:
        name: Of the run.
        reason: For people.
        bad_input: Whether what the user gave was wrong.
    """

    name: str
    reason: str
    bad_input: bool


class Progress:
    """How far an experiment is; what `Experiment.run` calls its `progress` with.

    Attributes:
        total: Runs of the experiment.
        reused: Runs that were done before, and are not repeated.
        done: Runs that are done now, those included.
        running: The runs of this moment, each with `name`, `share`, `jobs`, `jobs_per_second`,
            `time`, `start_time` and `stalled`.
        finishing: How many runs are done and being put into their formats.
        failures: Runs that failed.
        writes_tables: Whether all that is left are the tables.
        began: By `time.monotonic`.
    """

    def __init__(self, total: int, reused: int) -> None:
        self.total, self.reused, self.done = total, reused, reused
        self.running: list[Child] = []
        self.finishing = 0
        self.failures: list[Failure] = []
        self.writes_tables = False
        self.began = monotonic()

    @property
    def share(self) -> float:
        """Part of all runs that is done, counting what is running in part."""
        parts = sum(child.share or 0.0 for child in self.running)
        whole = self.done + self.finishing + len(self.failures)
        return (whole + parts) / max(1, self.total)

    @property
    def seconds_left(self) -> float | None:
        """About how long it still takes; None before that can be estimated."""
        before = self.reused / max(1, self.total)
        made = self.share - before
        if made <= 0.005:
            return None
        return (monotonic() - self.began) * (1 - self.share) / made


class Workers:
    """Runs some simulations at a time, each in its own process, and finishes them in threads.

    Args:
        processes: How many at a time.
        folder_of: The folder of a run of that name.
        begin: Called before a run starts.
        finish: Called in a thread after a run is done.
    """

    def __init__(
        self,
        processes: int,
        folder_of: Callable[[str], str],
        begin: Callable[[PlannedRun], None],
        finish: Callable[[PlannedRun], None],
    ) -> None:
        self._processes, self._folder_of = processes, folder_of
        self._begin, self._finish = begin, finish
        self._finishing: dict[Future[None], PlannedRun] = {}

    def run(
        self,
        unfinished: list[PlannedRun],
        runs: list[PlannedRun],
        progress: Progress,
        show: Callable[[Progress], None] | None,
    ) -> None:
        """Finishes runs that are done, and makes the others; what fails is in `progress`.

        Raises:
            KeyboardInterrupt: After Ctrl-C; no child is left. Notes name the runs in which code of
                the user's did not return.
        """
        waiting = deque(runs)
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        selector = selectors.DefaultSelector()
        selector.register(woken, selectors.EVENT_READ)
        pool = ThreadPoolExecutor(self._processes)
        starter = Starter()

        def finish(run: PlannedRun) -> None:
            future = pool.submit(self._finish, run)
            self._finishing[future] = run
            future.add_done_callback(lambda _: os.write(wake, b"."))

        try:
            for run in unfinished:
                finish(run)
            while waiting or progress.running or self._finishing:
                while waiting and len(progress.running) + len(self._finishing) < self._processes:
                    child = self._start(waiting.popleft(), starter)
                    progress.running.append(child)
                    selector.register(child.reports, selectors.EVENT_READ, child)
                for key, _ in selector.select(SECONDS_BETWEEN_UPDATES):
                    if key.data is None:
                        os.read(woken, 1 << 16)
                        if self._count_finished(progress):
                            raise KeyboardInterrupt
                    elif not key.data.read():
                        selector.unregister(key.fileobj)
                        self._ended(key.data, progress, finish)
                progress.finishing = len(self._finishing)
                if show is not None:
                    show(progress)
        except KeyboardInterrupt as error:
            for child in progress.running:
                if child.stalled:
                    error.add_note(f"{child.name}: in {child.stalled}")
            raise
        finally:
            for child in progress.running:
                child.kill()
            progress.running.clear()
            starter.close()
            pool.shutdown()
            self._count_finished(progress)
            progress.finishing = 0
            selector.close()
            os.close(woken)
            os.close(wake)

    def _start(self, run: PlannedRun, starter: Starter) -> Child:
        self._begin(run)
        return Child(run.name, self._folder_of(run.name), run, starter)

    def _ended(
        self, child: Child, progress: Progress, finish: Callable[[PlannedRun], None]
    ) -> None:
        progress.running.remove(child)
        code = child.wait()
        if child.outcome == ["done"] and code == 0:
            finish(child.run)
        elif child.outcome and child.outcome[0] == "failed":
            _, kind, reason = child.outcome
            progress.failures.append(Failure(child.name, reason, kind == "input"))
        else:
            progress.failures.append(Failure(child.name, _end_text(code, child), False))

    def _count_finished(self, progress: Progress) -> bool:
        """Counts what threads have finished; True if Ctrl-C came to one of them.

        While polars works, it takes the signal for itself and raises the exception in its thread.
        """
        interrupted = False
        for future in [future for future in self._finishing if future.done()]:
            run = self._finishing.pop(future)
            error = future.exception()
            if error is None:
                progress.done += 1
            elif isinstance(error, KeyboardInterrupt):
                interrupted = True
            else:
                progress.failures.append(Failure(run.name, reason_of(error), False))
        return interrupted


def _end_text(code: int, child: Child) -> str:
    """Returns how a process ended that had no time to say so."""
    if code < 0:
        try:
            text = f"killed by signal {-code} ({signal.Signals(-code).name})"
        except ValueError:
            text = f"killed by signal {-code}"
    else:
        text = f"ended with exit code {code}"
    last = child.last_words()
    return f"{text}; it last printed: {last}" if last else text


def usable_cores() -> int:
    """Returns how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
