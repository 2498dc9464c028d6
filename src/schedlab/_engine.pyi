from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload


class Source:
    """Jobs on their way into one simulation."""

    @property
    def dependencies(self) -> bool:
        """Whether it honours dependencies that an SWF file tells."""

    @property
    def attribute_names(self) -> list[str]: ...

def swf_source(input: object, *, name: str, processors: str, memory: str, types: Sequence[str], processor: Sequence[int], memory_type: int, missing_estimate: str, fixed_estimate: object, estimate_covers_run: bool, skip_zero_run: bool, substitute_unusable: bool, dependencies: str, strict: bool, sort: bool, tasks_per_node: int, whole_nodes: bool, attributes: Sequence[str]) -> Source:
    """
    Jobs of an SWF file: a path, or a function that opens it and returns a function for the next chunk.
    """

class SwfRows:
    """The rows of an SWF file as they are."""

    def __init__(self, input: object) -> None: ...

    def next(self) -> tuple[int, list[float] | None] | None:
        """(line number, 18 numbers or None if malformed); None at the end."""

    def block(self, most: int) -> tuple[list[bytes | list[list[int]]], list[int]]:
        """
        The next rows by column, and the numbers of the malformed lines among them.
        """

    @property
    def extra_fields(self) -> list[str]: ...

    @property
    def bytes_read(self) -> int: ...

    @property
    def comments(self) -> list[str]: ...

def swf_text(columns: Sequence[bytes | Sequence[str]], rows: int) -> bytes:
    """Rows as lines: columns of numbers, as bytes, or of texts."""

class Checksum:
    """XXH64 of bytes."""

    def __init__(self) -> None: ...

    def add(self, data: bytes) -> None: ...

    def hex(self) -> str: ...

def job_source(jobs: object | None, *, strict: bool, types: Sequence[str], processor: Sequence[int]) -> Source:
    """Jobs of any Python iterable of schedlab.Job, or of a Reader."""

def factory_source(source: Source, factory: object, *, name: str, types: Sequence[str], processor: Sequence[int]) -> Source:
    """
    Jobs of another source, as a function makes them; those for which it returns None are left out.
    """

class Expression:
    """A score expression; refuses wrong text with InputError."""

    def __init__(self, text: str, variables: Sequence[str], tables: Sequence[str] = [], open: bool = False) -> None: ...

    @property
    def text(self) -> str: ...

    @property
    def variables(self) -> list[str]:
        """Names of the variables in use."""

    @property
    def tables(self) -> list[str]:
        """Names of the tables in use."""

    def evaluate(self, columns: Mapping[str, Sequence[float]], tables: Mapping[str, Mapping[int, float]] = {}) -> list[float]:
        """
        A result for each row of the columns; a single one if the expression uses no variable.
        """

class JobView:
    """A job as a policy sees it, valid during the call."""

    @property
    def id(self) -> int: ...

    @property
    def user(self) -> int: ...

    @property
    def processors(self) -> int:
        """Number of tasks."""

    @property
    def submit(self) -> float: ...

    @property
    def wait(self) -> float:
        """Time since it was submitted, of a running job until it started."""

    @property
    def estimate(self) -> float:
        """What is known of its run time."""

    @property
    def requested_time(self) -> float: ...

    @property
    def tasks_per_node(self) -> int | None: ...

    @property
    def whole_nodes(self) -> bool: ...

    @property
    def resources(self) -> dict[str, int]:
        """What each task asks for."""

    @property
    def state(self) -> str: ...

    @property
    def start(self) -> float | None:
        """When it started; None while it waits."""

    @property
    def elapsed(self) -> float:
        """For how long it has been running."""

    @property
    def expected_end(self) -> float:
        """By the estimate; of a waiting job if it started now."""

    @property
    def interruptions(self) -> int:
        """How often a node that failed has ended it so far."""

    @property
    def nodes(self) -> dict[int, int]:
        """Tasks on each node of a running job."""

    def __getitem__(self, name: str) -> float:
        """An attribute beyond these, such as queue or what a job factory added."""

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class QueueIterator:
    def __iter__(self) -> QueueIterator: ...

    def __next__(self) -> JobView: ...

class QueueView:
    """The waiting jobs, in order."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, index: int) -> JobView: ...

    @overload
    def __getitem__(self, index: slice) -> list[JobView]: ...

    def __iter__(self) -> QueueIterator: ...

    def fitting(self, processors: int | None = None, *, behind: JobView | None = None) -> QueueIterator:
        """
        The jobs, in order, that have room on the machine as it is when each is reached; or, given a number, those that could do with so many free processors. Blocks of the queue that have none are skipped.
        """

class RunningView:
    """The running jobs, by expected end."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[JobView]: ...

class MachineView:
    """The machine as it is now."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""

    @property
    def processors(self) -> int: ...

    @property
    def nodes_down(self) -> int:
        """
        How many nodes failed and are not repaired yet; nothing is free on them.
        """

    @property
    def free_processors(self) -> int: ...

    @property
    def capacity(self) -> dict[str, int]: ...

    @property
    def free(self) -> dict[str, int]: ...

    def node_capacity(self, node: int) -> dict[str, int]: ...

    def node_free(self, node: int) -> dict[str, int]: ...

    def power(self, node: int) -> float:
        """W that the node draws now."""

    def added_power(self, node: int, job: JobView, tasks: int = 1) -> float:
        """
        W by which the node's power grows if so many of the job's tasks start there; a node at rest wakes for them.
        """

    def state(self, node: int) -> str:
        """
        "on", "stopping", "sleeping", "off", "booting", or "down" while it is broken.
        """

    def up_since(self, node: int) -> float | None:
        """
        When the node was repaired last, or the simulation began; None while it is down.
        """

    def temperature(self, node: int) -> float:
        """Degrees Celsius of the node at the last update."""

    def throttled(self, node: int) -> bool:
        """Whether the node is slowed down because it was too hot."""

    def gflops(self, node: int) -> float:
        """
        10^9 operations per second of a core, at the clock and the mean speed factor of its socket: of the best socket with a free core, 0 where none has one.
        """

    def bandwidth(self, node: int) -> float:
        """
        MB/s of memory traffic that what runs leaves over: of the best socket with a free core, minus infinity where none has one.
        """

    def fits(self, job: JobView) -> bool:
        """Whether the job has room now."""

    def fill(self, job: JobView, nodes: Iterable[int]) -> dict[int, int] | None:
        """
        Puts as many tasks as may go there on each of these nodes, one after the other, until all have a place; None where they do not suffice. What reservations and windows forbid is left out.
        """

    def room(self, node: int, job: JobView) -> int:
        """How many of the job's tasks may be put on the node now."""

    def nodes_with_room(self, job: JobView) -> list[int]:
        """The nodes that may take a task of the job now, by number."""

class Reservation:
    """A blocked job's reservation, kept for the rest of the call."""

    @property
    def start(self) -> float | None:
        """When the job can start by the estimates; None if never."""

    def allows(self, job: JobView) -> bool:
        """Whether the job has room now and does not delay the reserved one."""

class Plan:
    """What is free on which node when, by the estimates."""

    def earliest(self, job: JobView) -> float | None:
        """
        The earliest time at which the job can start and stay for its estimate.
        """

    def reserve(self, job: JobView) -> float | None:
        """
        Keeps nodes for the job from its earliest time on, and returns that time.
        """

    def allows(self, job: JobView) -> bool:
        """Whether the job can start now without touching a reservation."""

class State:
    """Everything a policy sees, valid during the call."""

    @property
    def now(self) -> float:
        """The time, in the workload's own clock."""

    @property
    def queue(self) -> QueueView:
        """The waiting jobs, in order."""

    @property
    def running(self) -> RunningView:
        """The running jobs, by expected end."""

    @property
    def machine(self) -> MachineView:
        """The machine."""

    def data(self, name: str) -> Any:
        """What additional data published under this name: a number, or a dict."""

    def reserve(self, job: JobView) -> Reservation:
        """
        Finds the earliest time at which a waiting job can start by the estimates, and protects it: for the rest of the call, other jobs are put only where they leave it enough room.
        """

    def plan(self) -> Plan:
        """
        A plan of all nodes from now on, with the running jobs in it. For the rest of the call, jobs that are started leave its reservations alone.
        """

class CsvJobs:
    """Writes a row for each job that ended or was rejected."""

    def __init__(self, path: str, resource_types: Sequence[str], kept: Sequence[str], resume_at: int | None = None, facts: Sequence[str] = []) -> None: ...

    def flush(self) -> None:
        """Lets others read what was written so far."""

    def sync(self) -> int:
        """Writes everything out and returns the size of the file."""

    def close(self) -> None: ...

class CsvTimeline:
    """Writes a row for each time point."""

    def __init__(self, path: str, resource_types: Sequence[str], data: Sequence[str], resume_at: int | None = None) -> None: ...

    def flush(self) -> None:
        """Lets others read what was written so far."""

    def sync(self) -> int:
        """Writes everything out and returns the size of the file."""

    def close(self) -> None: ...

class CsvStates:
    """Writes a row for each time during which a node was not simply on."""

    def __init__(self, path: str, resume_at: int | None = None) -> None: ...

    def flush(self) -> None:
        """Lets others read what was written so far."""

    def sync(self) -> int:
        """Writes everything out and returns the size of the file."""

    def close(self) -> None: ...

class CsvInterruptions:
    """Writes a row for each attempt that a failure ended."""

    def __init__(self, path: str, resume_at: int | None = None) -> None: ...

    def flush(self) -> None:
        """Lets others read what was written so far."""

    def sync(self) -> int:
        """Writes everything out and returns the size of the file."""

    def close(self) -> None: ...

def peak_resident_bytes() -> int:
    """Peak memory of this process; 0 where it is not known."""

class Simulation:
    """Clock, jobs, machine and the event loop."""

    def __init__(self, *, types: Sequence[str], groups: Sequence[tuple[str, int, Sequence[int]]], processor: Sequence[int], source: Source, dispatcher: dict[str, Any], estimate: object, data: Sequence[object], enforce_limits: bool, event_by_event: bool, dependencies: bool, windows: Sequence[tuple[object, object, Sequence[tuple[int, int]], int | None]], window_rules: Sequence[str], queues: Sequence[tuple[int, str | None, float | None]], queue_field: str | None, platform: dict[str, Any] | None = None, conditions: dict[str, Any] | None = None) -> None: ...

    def record_jobs(self, recorder: CsvJobs) -> None: ...

    def record_timeline(self, recorder: CsvTimeline) -> None: ...

    def record_states(self, recorder: CsvStates) -> None: ...

    def record_interruptions(self, recorder: CsvInterruptions) -> None: ...

    def record_open_states(self) -> None:
        """
        Records the states in which nodes still are, up to now: the last thing that is done with a run.
        """

    def step(self) -> bool:
        """Handles the next time point; False when nothing is left to happen."""

    def advance(self, time_points: int, until: object | None = None) -> bool:
        """
        Handles at most so many time points, none after `until`; False when it stopped before the count.
        """

    def next_time(self) -> float | None:
        """When the next time point will be; None when nothing is left to happen."""

    def fork(self) -> Simulation:
        """A second simulation that goes on from this moment, without recorders."""

    def policies(self) -> list[Any]:
        """
        Scheduler, allocator, estimator and additional data, as far as they are Python objects; else None.
        """

    def save(self) -> bytes:
        """Everything that changes while it runs."""

    def load(self, state: bytes) -> None:
        """Goes on from where a simulation of the same parts was saved."""

    def replace_order(self, function: object, changes: bool) -> None:
        """Sorts the queue by the same function of another object."""

    def set_dispatcher(self, dispatcher: dict[str, Any]) -> None:
        """Lets other policies decide from now on."""

    def set_speed(self, job_id: int, speed: float) -> None: ...

    def jobs_in(self, state: str) -> list[int]: ...

    def jobs_in_flight(self, most_queued: int) -> str:
        """
        The running jobs, then the first of the queue in its order, as rows of jobs.csv.
        """

    def used(self) -> list[int]:
        """What is in use of each resource type."""

    def nodes(self) -> list[tuple[float, ...]]:
        """
        Of a platform, per node: number, joules, those of its idle time, seconds of active cores, and seconds on, off, sleeping, in transitions, down.
        """

    def temperatures(self) -> list[tuple[float, ...]]:
        """
        Per node, where there is a thermal model: number, degrees Celsius at the last update, the most ever, the mean over time, and seconds that it was throttled.
        """

    @property
    def published(self) -> list[str]:
        """Names of the numbers on the board, which the timeline has columns for."""

    def counts(self) -> dict[str, int]: ...

    def metrics(self) -> dict[str, Any]: ...

    def workload_report(self) -> dict[str, Any]: ...

    @property
    def now(self) -> float: ...

    @property
    def bytes_read(self) -> int: ...

    @property
    def broken(self) -> bool:
        """Whether an error left it in the middle of something."""

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
