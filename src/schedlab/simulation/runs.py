"""Whole runs: a simulation, its folder, its checkpoints."""

from __future__ import annotations

import os
from time import perf_counter, process_time

from schedlab import decode
from schedlab.calling import explained
from schedlab.errors import InputError, reason_of
from schedlab.options import check_choice
from schedlab.overwriting import refuse_run
from schedlab.simulation.core import Simulation

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from schedlab.dispatch import Allocator, BuiltInAllocator, Discipline, Scheduler
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.estimators import Estimator
    from schedlab.results import Result
    from schedlab.simulation.core import ConditionsSource, SystemSource, Workload
    from schedlab.simulation.run_folder import RunFolder
    from schedlab.system.queues import Queue
    from schedlab.system.windows import Window
    from schedlab.workload.job_factory import JobFactory


@explained
def simulate(
    workload: Workload,
    *,
    system: SystemSource,
    scheduler: str | Scheduler | Discipline = "fifo",
    allocator: str | Allocator | BuiltInAllocator = "first-fit",
    windows: str | os.PathLike[str] | Iterable[Window] = (),
    queues: str | os.PathLike[str] | Iterable[Queue] = (),
    conditions: ConditionsSource | None = None,
    data: Iterable[AdditionalData | str] = (),
    out: str | os.PathLike[str] | None = None,
    jobs: str = "csv",
    timeline: str = "none",
    checkpoint_every: float | str | None = None,
    estimate: str | Estimator | None = None,
    reader: str | None = None,
    job_factory: str | JobFactory | None = None,
    rules: str | None = None,
    progress: Callable[[Simulation], None] | None = None,
    pause: bool = False,
    force: bool = False,
    trust_code: bool = False,
    **options: Any,
) -> Result:
    """Simulates a whole workload and returns the result.

    Args:
        workload: As for `Simulation`, like system, scheduler, allocator, rules and options.
        system: Likewise.
        scheduler: Likewise.
        allocator: Likewise.
        windows: Likewise.
        queues: Likewise.
        conditions: Likewise.
        data: Likewise.
        out: Folder for run.json, jobs.csv and timeline.csv. None: a temporary folder that goes with
            the result.
        jobs: "csv", "parquet" or "none".
        timeline: "csv", "parquet" or "none".
        checkpoint_every: Real time between checkpoints, from which `resume` continues after an
            interruption: seconds, or a text such as "1h30m"; None: no checkpoints.
        estimate: Likewise.
        reader: Likewise.
        job_factory: Likewise.
        rules: Likewise.
        progress: Called some thirty times a second.
        pause: Begin paused, until a user who watches the folder lets the run continue.
        force: Replace a run that is in the folder already, once the new one is whole; else it is
            refused.
        trust_code: Likewise.
        **options: Likewise.

    Raises:
        InputError: Something given is wrong; nothing is written.
        SimulationError: The simulation cannot continue. What ended so far is in the folder, if it
            is a named one, and run.json says that the run failed, and why; as after errors in
            policies.
        KeyboardInterrupt: After Ctrl-C; what ended so far is in the folder, and run.json says
            that the run was interrupted. With checkpoints, the run can be resumed instead. A note
            says which of your own code was being called, if any was.
    """
    from schedlab.simulation.run_folder import RunFolder

    check_choice("jobs", jobs)
    check_choice("timeline", timeline)
    between = seconds_between_checkpoints(checkpoint_every)
    _check(out, progress)
    refuse_run(out, force, workload)
    if checkpoint_every is not None and out is None:
        raise InputError("checkpoint_every: needs out, the folder in which checkpoints are kept")
    if pause and out is None:
        raise InputError("pause: needs out, the folder through which the run can be watched")
    clock = _Stopwatch()
    simulation = Simulation(
        workload,
        system=system,
        reader=reader,
        scheduler=scheduler,
        allocator=allocator,
        windows=windows,
        queues=queues,
        conditions=conditions,
        data=data,
        estimate=estimate,
        job_factory=job_factory,
        rules=rules,
        trust_code=trust_code,
        **options,
    )
    with RunFolder(out) as folder:
        folder.record(simulation, jobs, timeline)
        return _run(simulation, folder, clock, between, progress, pause)


@explained
def resume(
    out: str | os.PathLike[str],
    *,
    workload: Workload | None = None,
    scheduler: str | Scheduler | Discipline | None = None,
    allocator: str | Allocator | BuiltInAllocator | None = None,
    estimate: str | Estimator | None = None,
    data: Iterable[AdditionalData | str] | None = None,
    job_factory: str | JobFactory | None = None,
    checkpoint_every: float | str | None = None,
    progress: Callable[[Simulation], None] | None = None,
    trust_code: bool = False,
) -> Result:
    """Continues with a run that was stopped, from its last checkpoint, and returns the result.

    Args:
        out: The run's folder.
        workload: As for `Simulation.load`, like all up to job_factory.
        scheduler: Likewise.
        allocator: Likewise.
        estimate: Likewise.
        data: Likewise.
        job_factory: Likewise.
        checkpoint_every: As for `simulate`, like progress.
        progress: Likewise.
        trust_code: As for `Simulation.load`.

    Raises:
        InputError: There is no checkpoint, or it does not go with what is given.
        UntrustedCodeError: It names code, and that is not trusted.
    """
    from schedlab.simulation import saving
    from schedlab.simulation.run_folder import RunFolder

    between = seconds_between_checkpoints(checkpoint_every)
    _check(out, progress)
    if not os.path.isdir(out):
        raise InputError(f"{os.fsdecode(out)}: there is no such folder")
    with RunFolder(out) as folder:
        if folder.was_left:  # all that was left to do was to publish it
            from schedlab.results import Result

            return Result.load(out)
        clock = _Stopwatch()
        checkpoint = folder.checkpoint
        folder.keep()  # what cannot be resumed now may be later, as with another option
        simulation, description = saving.load(
            checkpoint,
            workload=workload,
            scheduler=scheduler,
            allocator=allocator,
            estimate=estimate,
            data=data,
            job_factory=job_factory,
            trust_code=trust_code,
        )
        run = description["run"]
        folder.go_on(simulation, run["formats"], run["sizes"])
        clock.add(*run["seconds"])
        return _run(simulation, folder, clock, between, progress)


def seconds_between_checkpoints(
    given: float | str | None, name: str = "checkpoint_every"
) -> float | None:
    """Returns the seconds between two checkpoints; None: there are none.

    Args:
        given: What a user gave.
        name: What messages call it.

    Raises:
        InputError: It is not a duration above 0.
    """
    seconds = decode.duration(given, name)
    if seconds is None:
        return None
    return decode.number(seconds, name, above=0, maximum=decode.MAX_SECONDS)


def _check(out: object, progress: object) -> None:
    """Raises InputError for arguments that would go wrong in the middle of a run, or never."""
    if out is not None and not isinstance(out, (str, bytes, os.PathLike)):
        raise InputError(f"out: must be the name of a folder, not {out!r}")
    if progress is not None and not callable(progress):
        raise InputError(f"progress: must be a function of the simulation, not {progress!r}")


class _Stopwatch:
    """Wall and CPU seconds since it was made, and those of earlier parts of a resumed run."""

    def __init__(self) -> None:
        self._wall, self._cpu = perf_counter(), process_time()

    def add(self, wall: float, cpu: float) -> None:
        self._wall -= wall
        self._cpu -= cpu

    def seconds(self) -> tuple[float, float]:
        return perf_counter() - self._wall, process_time() - self._cpu


def _run(
    simulation: Simulation,
    folder: RunFolder,
    clock: _Stopwatch,
    checkpoint_every: float | None,
    progress: Callable[[Simulation], None] | None,
    pause: bool = False,
) -> Result:
    """Runs to the end and publishes the result."""
    last, live = perf_counter(), None
    hooks: list[Callable[[Simulation], None]] = []  # looked at between slices of work

    def save() -> None:
        from schedlab.simulation import saving

        sizes = folder.sync()
        seconds = list(clock.seconds())
        run = {"formats": folder.formats, "sizes": sizes, "seconds": seconds}
        saving.save(simulation, folder.checkpoint, run=run)
        folder.keep()

    def save_now_and_then(_: Simulation) -> None:
        nonlocal last
        if perf_counter() - last >= (checkpoint_every or 0):
            save()
            last = perf_counter()

    def let_watch(running: Simulation) -> None:
        nonlocal live
        if live is None:  # what serves watchers is loaded for the first one
            if not (pause or folder.was_watched):
                return
            from schedlab.simulation.live import Live

            live = Live(folder, clock.seconds, progress, pause)
        live(running)

    def call_all(running: Simulation) -> None:
        for hook in hooks:
            hook(running)

    if checkpoint_every is not None:
        hooks.append(save_now_and_then)
    if folder.named:
        hooks.append(let_watch)
    if progress is not None:
        hooks.append(progress)
    try:
        if pause:
            call_all(simulation)
        if checkpoint_every is None:
            simulation.run(progress=call_all if hooks else None)
        else:
            from schedlab.simulation.interrupting import BetweenSlices

            with BetweenSlices(simulation) as slices:
                hooks.insert(0, slices.check)
                simulation.run(progress=call_all)
        simulation.refuse_empty()
    except KeyboardInterrupt as error:
        _say_where(error)
        if checkpoint_every is not None and not simulation.engine.broken:
            save()
        elif not folder.can_be_resumed:  # else the last checkpoint is what can be kept
            folder.keep_part("interrupted", *clock.seconds())
            _stop(simulation, error)
        raise
    except (Exception, SystemExit) as error:
        if not folder.can_be_resumed and _is_failure(error):
            folder.keep_part("failed", *clock.seconds(), reason_of(error))
        raise
    return folder.publish("complete", *clock.seconds())


def _is_failure(error: BaseException) -> bool:
    """Whether an error is of the simulation or of code of the user's.

    Else what was given is wrong, or cannot be read or written: there is no result.
    """
    if not isinstance(error, (InputError, OSError)):
        return True
    from schedlab.simulation.user_code_position import of_error

    of_application = str(error).startswith("job ") and ", rank " in str(error)
    return of_application or of_error(error) is not None


def _stop(simulation: Simulation, interruption: KeyboardInterrupt) -> None:
    """Calls `stop` of additional data; an error there does not hide the interruption."""
    try:
        simulation.stop()
    except Exception as error:
        interruption.add_note(reason_of(error))


def _say_where(error: KeyboardInterrupt) -> None:
    """Adds a note: which code of the user's was being called, if any was."""
    from schedlab.simulation.user_code_position import of_error

    where = of_error(error)
    if where is not None and not getattr(error, "__notes__", None):
        error.add_note(f"in {where}")
