"""Reads, measures and simulates workloads that are to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from schedlab.analysis.workload_columns import Progress, WorkloadLike, labels_of, read_columns
from schedlab.analysis.workload_profile import Profile
from schedlab.calling import explained
from schedlab.dispatch import scheduler
from schedlab.errors import InputError
from schedlab.likeness.likeness import Likeness
from schedlab.likeness.machines import cores_of, given_systems, header_system, one_each
from schedlab.likeness.simulated import Watcher, simulate_all

if TYPE_CHECKING:
    from schedlab.likeness.machines import SystemLike
    from schedlab.system import System

    Performance = Mapping[str, float]


@explained
def compare_workloads(
    real: WorkloadLike,
    *generated: WorkloadLike,
    system: SystemLike | Sequence[SystemLike | None] | None = None,
    simulate: str | Iterable[str] = ("fifo", "easy"),
    performance: Performance | Sequence[Performance] | None = None,
    bins: Mapping[str, float | Sequence[float]] | None = None,
    names: Sequence[str] | None = None,
    reader: str | None = None,
    progress: Progress | None = None,
    watch: Watcher | None = None,
    trust_code: bool = False,
) -> Likeness:
    """Compares workloads with a real one: their jobs, their rhythm, and how they are scheduled.

    Args:
        real: A file of any format, a `Reader`, or a job table as a polars DataFrame.
        generated: What is compared with it, at least one.
        system: The machine to simulate on: one for all; two, for the real one and all others; or
            one for each. None: what the file's header says (MaxProcs, MaxNodes).
        simulate: Schedulers by name; () for no simulation.
        performance: GFLOP a second of one unit of each resource, such as {"core": 3.3}: one for
            all, two, or one for each, as for `system`. Work is then in GFLOP instead of
            core-seconds.
        bins: Width or edges of bins by characteristic, such as {"requested_time": 60}: both sides
            are put into them before the KS distance is taken.
        names: Of the workloads, in tables and plots; None: what the files are called.
        reader: Name of what reads the files; None: what each file is.
        progress: Called while a workload is read.
        watch: Called before each simulation.
        trust_code: Whether code runs that files name, as for `simulate`.

    Raises:
        InputError: Something given is wrong, or no machine is known to simulate on.
    """
    workloads = [real, *generated]
    if len(workloads) < 2:
        raise InputError("there is nothing to compare: give the real workload and one more")
    labels = labels_of(workloads, None if names is None else list(names))
    systems = given_systems(system, len(workloads))
    speeds = one_each("performance", performance, len(workloads), (Mapping,))
    schedulers = [simulate] if isinstance(simulate, str) else list(simulate)
    for name in schedulers:
        scheduler(name)  # an unknown one is said before all is read
    profiles = []
    for one, label, machine, speed in zip(workloads, labels, systems, speeds, strict=True):
        per_processor = machine.processor.get("core", 1) or 1 if machine else 1
        columns = read_columns(one, label, reader, per_processor, progress)
        profiles.append(Profile(columns, cores_of(machine, columns.header), speed))
    _check_performance(profiles, speeds)
    _check_bins(bins or {}, profiles)
    if schedulers:
        # All of them before the first run: what is missing must not be said after minutes.
        machines = [_machine(p, given) for p, given in zip(profiles, systems, strict=True)]
        simulated = [
            simulate_all(profile.columns, machine, schedulers, watch, trust_code)
            for profile, machine in zip(profiles, machines, strict=True)
        ]
    else:
        simulated = [{} for _ in profiles]
    return Likeness(profiles, simulated, bins or {})


def _machine(profile: Profile, given: System | None) -> System:
    columns = profile.columns
    if given is not None:
        return given
    taken = [kind for kind, values in columns.amounts.items() if (values > 0).any()]
    return header_system(columns.label, columns.header, taken)


def _check_performance(profiles: list[Profile], speeds: list[Performance | None]) -> None:
    known = sorted({kind for profile in profiles for kind in profile.columns.amounts})
    if any(speeds) and not all(speeds):
        raise InputError("performance: must be given for all workloads or for none")
    for speed in speeds:
        for kind, value in (speed or {}).items():
            if kind not in known:
                raise InputError(
                    f'performance: no workload has jobs that take "{kind}"; '
                    f"resources: {', '.join(known)}"
                )
            if not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
                raise InputError(f"performance: {kind} must be 0 or more GFLOP/s, not {value!r}")


def _check_bins(bins: Mapping[str, Any], profiles: list[Profile]) -> None:
    known = list(dict.fromkeys(name for one in profiles for name in one.characteristics))
    for name, width in bins.items():
        if name not in known:
            raise InputError(f'bins: unknown characteristic "{name}"; known: {", ".join(known)}')
        edges = [0, width] if isinstance(width, (int, float)) else list(width)
        rising = all(a < b for a, b in pairwise(edges))
        if len(edges) < 2 or not rising or edges[-1] == float("inf"):
            raise InputError(
                f"bins: {name} must be a width above 0 or two or more rising edges, not {width!r}"
            )


def look_at(
    workload: WorkloadLike, reader: str | None = None, progress: Progress | None = None
) -> Likeness:
    """Returns a workload with nothing to compare it with: for the pictures of it alone.

    Args:
        workload: As for `compare_workloads`, like reader and progress.
        reader: Likewise.
        progress: Likewise.

    Raises:
        InputError: It cannot be read.
    """
    columns = read_columns(workload, labels_of([workload])[0], reader, progress=progress)
    return Likeness([Profile(columns, cores_of(None, columns.header))], [{}], {})
