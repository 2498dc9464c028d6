from collections.abc import Sequence
from typing import Any


class Source:
    """Jobs on their way into one simulation."""

def swf_source(input: object, *, name: str, processors: str, memory: str, processor: Sequence[int], memory_type: int, missing_estimate: str, fixed_estimate: object, estimate_covers_run: bool, skip_zero_run: bool, substitute_unusable: bool, dependencies: bool, strict: bool, sort: bool, tasks_per_node: int, whole_nodes: bool) -> Source:
    """
    Jobs of an SWF file: a path, or a function that opens it and returns a function for the next chunk.
    """

class SwfRows:
    """The rows of an SWF file as they are."""

    def __init__(self, input: object) -> None: ...

    def next(self) -> tuple[int, list[float] | None] | None:
        """(line number, 18 numbers or None if malformed); None at the end."""

    @property
    def bytes_read(self) -> int: ...

    @property
    def comments(self) -> list[str]: ...

class Checksum:
    """XXH64 of bytes."""

    def __init__(self) -> None: ...

    def add(self, data: bytes) -> None: ...

    def hex(self) -> str: ...

def job_source(jobs: object, types: Sequence[str], processor: Sequence[int]) -> Source:
    """Jobs of any Python iterable of schedlab.Job."""

class CsvJobs:
    """Writes a row for each job that ended or was rejected."""

    def __init__(self, path: str) -> None: ...

    def close(self) -> None: ...

class CsvTimeline:
    """Writes a row for each time point."""

    def __init__(self, path: str, resource_types: Sequence[str]) -> None: ...

    def close(self) -> None: ...

def peak_resident_bytes() -> int:
    """Peak memory of this process; 0 where it is not known."""

class Simulation:
    """Clock, jobs, machine and the event loop."""

    def __init__(self, *, types: Sequence[str], groups: Sequence[tuple[str, int, Sequence[int]]], processor: Sequence[int], source: Source, discipline: str, order: str, depth: int | None, allocator: str, estimate: str, seed: int, enforce_limits: bool, event_by_event: bool, dependencies: bool) -> None: ...

    def record_jobs(self, recorder: CsvJobs) -> None: ...

    def record_timeline(self, recorder: CsvTimeline) -> None: ...

    def step(self) -> bool:
        """Handles the next time point; False when nothing is left to happen."""

    def advance(self, time_points: int, until: object | None = None) -> bool:
        """
        Handles at most so many time points, none after `until`; False when it stopped before the count.
        """

    def fork(self) -> Simulation:
        """A second simulation that goes on from this moment, without recorders."""

    def set_speed(self, job_id: int, speed: float) -> None: ...

    def jobs_in(self, state: str) -> list[int]: ...

    def counts(self) -> dict[str, int]: ...

    def metrics(self) -> dict[str, Any]: ...

    def workload_report(self) -> dict[str, Any]: ...

    @property
    def now(self) -> float: ...

    @property
    def bytes_read(self) -> int: ...

    @property
    def time_points(self) -> int: ...

    @property
    def dispatch_seconds(self) -> float: ...

    @property
    def first_submit(self) -> float | None: ...

    @property
    def last_end(self) -> float | None: ...

build_type: str = 'release'

validates: bool = False

compiler: str = 'GNU 12.2.0'

compiler_flags: str = '-O3 -DNDEBUG'
