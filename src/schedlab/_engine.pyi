from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload


class Source:
    """Jobs on their way into one simulation."""

    @property
    def dependencies(self) -> bool:
        """Whether it honours dependencies that an SWF file has."""

    @property
    def attribute_names(self) -> list[str]: ...

    @property
    def comments(self) -> list[str]:
        """Lines of the header that come before the first row."""

def swf_source(input: object, *, name: str, processors: str, memory: str, types: Sequence[str], processor: Sequence[int], memory_type: int, missing_estimate: str, fixed_estimate: object, estimate_covers_run: bool, skip_zero_run: bool, substitute_unusable: bool, dependencies: str, strict: bool, sort: bool, tasks_per_node: int, whole_nodes: bool, attributes: Sequence[str]) -> Source:
    """
    Jobs of an SWF file: a path, or a function that opens it and returns a function for the next chunk.
    """

class SwfRows:
    """The rows of an SWF file as they are."""

    def __init__(self, input: object, name: str) -> None: ...

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

def job_source(jobs: object | None, *, strict: bool, types: Sequence[str], processor: Sequence[int], texts: dict[str, Any]) -> Source:
    """Jobs of any Python iterable of schedlab.Job, or of a Reader."""

def factory_source(source: Source, factory: object, *, name: str, types: Sequence[str], processor: Sequence[int], texts: dict[str, Any]) -> Source:
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

    def lower_line(self, variables: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
        """
        The ends of a line that the result does not fall below while each variable goes straight from one value to another; not numbers if none is known, or the result may not be a number.
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
    def fewest_nodes(self) -> int:
        """Nodes of the empty machine that can hold it."""

    @property
    def resources(self) -> dict[str, int]:
        """What each task asks for."""

    @property
    def licenses(self) -> dict[str, int]:
        """What it takes of each license."""

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
        """
        How many of its attempts ended early so far: nodes failed, or the scheduler requeued it.
        """

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
        The jobs, in order, that have room on the machine as it is when each is reached, without those that would delay the reserved job for their size and length alone; or, given a number, those that could do with that many free processors. Blocks of the queue that have none are skipped.
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
    def free_licenses(self) -> dict[str, int]:
        """How many of each license are free."""

    @property
    def free(self) -> dict[str, int]: ...

    def node_capacity(self, node: int) -> dict[str, int]: ...

    def node_free(self, node: int) -> dict[str, int]: ...

    def power(self, node: int) -> float:
        """W that the node draws now."""

    def added_power(self, node: int, job: JobView, tasks: int = 1) -> float:
        """
        W by which the node's power grows if N of the job's tasks start there; a node at rest wakes for them.
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

    def carried(self) -> list[float]:
        """
        Bytes that each link of the network carried up to now, in the order of the topology; empty where jobs run no applications.
        """

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

    def __init__(self, *, types: Sequence[str], groups: Sequence[tuple[str, int, Sequence[int]]], processor: Sequence[int], source: Source, dispatcher: dict[str, Any], estimate: object, data: Sequence[object], enforce_limits: bool, event_by_event: bool, dependencies: bool, refuse_impossible: bool, windows: Sequence[tuple[object, object, int, int | None]], window_nodes: Sequence[Sequence[tuple[int, int]]], window_rules: Sequence[str], queues: Sequence[tuple[int, str | None, float | None, int]], queue_field: str | None, partitions: Sequence[tuple[str, float, Sequence[tuple[int, int]], object, int | None, int | None, bool, int]], partition_lists: object, preemption: Sequence[tuple[int, bool, object, object]], needs: object | None, licenses: Sequence[tuple[str, int]], asked_licenses: object | None, platform: dict[str, Any] | None = None, conditions: dict[str, Any] | None = None, network: dict[str, Any] | None = None) -> None: ...

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

    def stop(self) -> None:
        """
        Ends it where it is: stop() of additional data is called, unless it was.
        """

    def return_soon(self) -> None:
        """
        Lets `advance` return after the time point that is being handled; for code that it calls.
        """

    def advance(self, time_points: int, until: object | None = None, to_decision: bool = False) -> bool:
        """
        Handles at most N time points, none after `until`, or up to where the scheduler must decide; False when it stopped before.
        """

    @property
    def at_decision(self) -> bool:
        """Whether it stands where the scheduler must decide."""

    def decide(self, scheduler: object | None = None) -> None:
        """
        Lets the scheduler decide, or another one instead, and continues to the next decision of this time, or its end.
        """

    def look(self, function: Any) -> Any:
        """What the function returns, given the state as policies see it."""

    def decide_all(self) -> int:
        """
        Continues to the end, stopping at every decision: how many they were. To measure what that costs.
        """

    def next_time(self) -> float | None:
        """When the next time point will be; None when nothing is left to happen."""

    def fork(self) -> Simulation:
        """
        A second simulation that continues from this moment, without recorders.
        """

    def policies(self) -> list[Any]:
        """
        Scheduler, allocator, estimator and additional data, as far as they are Python objects; else None.
        """

    def save(self) -> bytes:
        """Everything that changes while it runs."""

    def load(self, state: bytes) -> None:
        """Continues from where a simulation of the same parts was saved."""

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

    @property
    def rank_ends(self) -> list[int]:
        """
        Picoseconds from the start to the end of each rank of the application that ended last.
        """

    @property
    def rank_nodes(self) -> list[int]:
        """The node of each rank of the application that started last."""

    @property
    def application_events(self) -> int: ...

    @property
    def application_errors(self) -> list[str]: ...

    def carried(self) -> list[float]:
        """Bytes that each link of the network carried."""

    def counts(self) -> dict[str, int]: ...

    def rejections(self) -> dict[str, dict[str, Any]]:
        """By reason: how many jobs, the first of them, and what that one lacked."""

    def metrics(self) -> dict[str, Any]: ...

    def workload_report(self) -> dict[str, Any]: ...

    def found_in_rows(self) -> dict[str, int] | None: ...

    def unheeded_predecessors(self) -> dict[str, tuple[int, int, int]]:
        """
        By why: how many predecessors jobs were not held for, the first such job, and whom it named.
        """

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
    def most_reserved(self) -> int:
        """How many jobs had reservations at once, where no depth limits that."""

    @property
    def dispatch_seconds(self) -> float: ...

    @property
    def first_submit(self) -> float | None: ...

    @property
    def last_end(self) -> float | None: ...

class Topology:
    """Nodes, routers and links of a network, and the ways over them."""

    def __init__(self, network: dict[str, Any]) -> None: ...

    @property
    def nodes(self) -> int: ...

    @property
    def routers(self) -> int: ...

    @property
    def links(self) -> list[tuple[int, int, str, int, float, float]]:
        """
        From, to, kind, ports, bytes per second of a port, and seconds of delay, link by link. Links of the kind "host out" begin at a node and those of the kind "host in" end at one; all other ends are routers.
        """

    @property
    def kinds(self) -> list[str]: ...

    @property
    def fixed_routes(self) -> bool: ...

    @property
    def extents(self) -> list[int]: ...

    @property
    def dimension_names(self) -> list[str]: ...

    def coordinates(self, node: int) -> list[int]: ...

    def route(self, from_node: int, to_node: int, seed: int = 0, backlog: Sequence[float] = []) -> list[int]:
        """
        Numbers of the links from a node to another one. `seed` is that of what is drawn; `backlog` says how long (in picoseconds) a byte would wait at each link, for routing that adapts.
        """

    def hops(self, from_node: int, to_node: int) -> int:
        """Links between routers on the way; of a drawn one with the seed 0."""

class Operation:
    """What a rank does next; a program yields it."""

class Received:
    """What came of a receive."""

    @property
    def value(self) -> Any: ...

    @property
    def source(self) -> int: ...

    @property
    def tag(self) -> int: ...

    @property
    def bytes(self) -> int: ...

class Communicator:
    """Ranks that talk among themselves, as one of them sees it."""

    ANY: int = -1

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def now(self) -> float:
        """Seconds since the job began."""

    @property
    def job(self) -> int:
        """The job's number."""

    @property
    def run_time(self) -> float | None:
        """The job's recorded run time in seconds, if it has one."""

    @property
    def repetitions(self) -> int:
        """How many iterations fill the recorded run time."""

    @property
    def random(self) -> Any:
        """The rank's own random.Random."""

    def compute(self, seconds: float) -> Operation:
        """Computes for so long."""

    def operations(self, integer: float = 0.0, floating: float = 0.0, memory: float = 0.0, threads: int = 1) -> Operation:
        """
        Computes that many operations, and moves that many bytes of memory, on the cores of the system.
        """

    def read(self, bytes: object) -> Operation:
        """Reads from the shared file system."""

    def write(self, bytes: object) -> Operation:
        """Writes to the shared file system."""

    def send(self, to: object | None, bytes: object, tag: int = 0, value: object | None = None) -> Operation:
        """Sends, and waits until it arrived."""

    def isend(self, to: object | None, bytes: object, tag: int = 0, value: object | None = None) -> Operation:
        """Sends; gives a request to wait for."""

    def recv(self, source: object | None = -1, tag: int = -1) -> Operation:
        """Waits for a message; gives a Received."""

    def irecv(self, source: object | None = -1, tag: int = -1) -> Operation:
        """Receives; gives a request to wait for."""

    def sendrecv(self, to: object | None, bytes: object, source: object | None = -1, tag: int = 0, value: object | None = None) -> Operation:
        """Sends and receives at the same time; gives a Received."""

    def wait(self, request: object) -> Operation:
        """Waits for a request; gives a Received, or None of a send."""

    def waitall(self, requests: object) -> Operation:
        """Waits for all of them; gives a list."""

    def split(self, colour: object | None, key: int = 0) -> Operation:
        """
        Gives a communicator of the ranks of the same colour, in the order of their keys; None for colour None.
        """

    def create(self, ranks: Sequence[int]) -> Operation:
        """Gives a communicator of these ranks, in this order; None to others."""

    def dup(self) -> Operation:
        """Gives another communicator of the same ranks."""

    def barrier(self, algorithm: str = 'standard') -> Operation:
        """Waits until all ranks of the communicator are here."""

    def bcast(self, bytes: object, root: object = 0, value: object | None = None, algorithm: str = 'standard') -> Operation:
        """Gives the root's value to all."""

    def reduce(self, bytes: object, root: object = 0, value: object | None = None, op: object = 'sum', algorithm: str = 'standard') -> Operation:
        """Combines the values of all at the root."""

    def allreduce(self, bytes: object, value: object | None = None, op: object = 'sum', algorithm: str = 'standard') -> Operation:
        """Combines the values of all, for all."""

    def gather(self, bytes: object, root: object = 0, value: object | None = None, algorithm: str = 'standard') -> Operation:
        """Gives the root a list of the values of all."""

    def scatter(self, bytes: object, root: object = 0, values: object | None = None, algorithm: str = 'standard') -> Operation:
        """Gives each rank its entry of the root's list."""

    def allgather(self, bytes: object, value: object | None = None, algorithm: str = 'standard') -> Operation:
        """Gives all a list of the values of all."""

    def alltoall(self, bytes: object, values: object | None = None, algorithm: str = 'standard') -> Operation:
        """Gives each rank its entry of everybody's list."""

    def reduce_scatter(self, bytes: object, values: object | None = None, op: object = 'sum', algorithm: str = 'standard') -> Operation:
        """Combines everybody's lists, and gives each rank its entry."""

    def scan(self, bytes: object, value: object | None = None, op: object = 'sum', algorithm: str = 'standard') -> Operation:
        """Combines the values of the ranks up to this one."""

def pattern(application: Any, ranks: int, collectives: str = 'reference', run_seconds: float = -1.0) -> list[tuple[float, float, list[tuple[int, int, int, int]]]]:
    """
    What one pass of an application sends, phase by phase: seconds of computing, bytes of files, and messages as (from, to, how many, bytes).
    """

def collective_steps(kind: str, algorithm: str, size: int, rank: int, bytes: int, root: int = 0, counts: list[int] | None = None) -> list[tuple[int, int, int, int, tuple[int, int, int], tuple[int, int, int], bool, bool]]:
    """
    What a rank does, as (to, from, bytes sent, bytes received, blocks sent, blocks received, combine, wait); blocks as (first, count, bit), -1 for nobody.
    """

def collective_algorithms(kind: str) -> list[str]:
    """Names of the algorithms that a collective has."""

def standard_algorithm(kind: str, size: int, bytes: int, rules: str) -> str:
    """
    The name of the algorithm that the rules, "reference" or "tuned", take where none is named.
    """

class Transport:
    """
    Messages on a network that nothing else is on. Ticks are picoseconds, and never decrease.
    """

    def __init__(self, network: dict[str, Any], fidelity: str, accuracy: float = 0.02, seed: int = 0) -> None: ...

    def send(self, message: int, from_node: int, to_node: int, bytes: int, tick: int) -> int:
        """
        Sends a message under a number of the caller's; returns its hops between routers.
        """

    def next_time(self) -> int | None:
        """
        The tick at which something happens next; None while nothing is on its way.
        """

    def advance(self, tick: int) -> list[tuple[int, bool]]:
        """
        Handles what happens up to a tick, but no more than the first tick at which messages arrive: their numbers, with False where the message was delivered and True where its sender knows.
        """

    def drop(self, message: int) -> None:
        """Nothing will be heard of the message again."""

    def shift(self, by: int) -> None:
        """All ticks are less by that much from now on."""

    @property
    def events(self) -> int: ...

    def carried(self) -> list[float]:
        """Bytes that each link carried, headers and replies included."""

    def fork(self) -> Transport:
        """A second transport that continues from this moment."""

    def save(self) -> bytes:
        """Everything that changes while it runs."""

    def load(self, state: bytes) -> None:
        """Continues from where a transport of the same network was saved."""

def orders() -> list[tuple[str, str, str, str, str]]:
    """
    The orders that have a name: other names for each, with blanks between them; which job is first, the one with ...; an attribute of jobs that it reads; the score expression that it is.
    """

def node_order(network: dict[str, Any] | None, nodes: int, order: str) -> list[int]:
    """
    The nodes of a system in an order such as "xzy"; the network as Topology takes it.
    """

def place(simulation: Simulation, job_id: int) -> list[tuple[int, int]]:
    """
    Nodes and tasks that the allocator would give a waiting job now, in the order of its ranks; without regard to windows and reservations. Empty where it finds none.
    """

class PhaseModel:
    """
    Jobs that repeat patterns on a network. A pattern is a list of phases (compute seconds, file bytes, flows), a flow (from rank, to rank, messages, bytes). Times are nanoseconds.
    """

    def __init__(self, network: dict[str, Any], tolerance: float = 0.002) -> None: ...

    def start(self, slot: int, pattern: Sequence[tuple[float, float, Sequence[tuple[int, int, int, int]]]], repeats: float, nodes: Sequence[int], now: int) -> None: ...

    def stop(self, slot: int, now: int) -> None: ...

    def next_time(self) -> int | None:
        """When the next job ends; None where none will."""

    def advance(self, now: int) -> list[int]:
        """The jobs that end up to a time, in the order of their ends."""

    def speed(self, slot: int) -> float: ...

    def traffic(self, slot: int) -> dict[str, float]: ...

    def forget(self, slot: int) -> None: ...

    def carried(self, now: int) -> list[float]:
        """Bytes that each link carried."""

    def iteration_seconds(self, pattern: Sequence[tuple[float, float, Sequence[tuple[int, int, int, int]]]], nodes: Sequence[int]) -> float:
        """Seconds of one pass alone."""

    def fork(self) -> PhaseModel: ...

    def save(self) -> bytes: ...

    def load(self, state: bytes) -> None:
        """Continues from where a model of the same network was saved."""

def traffic_pattern(catalogue: Any, ranks: int, collectives: str, seed: int = 0) -> tuple[bytes, bytes, bytes, bytes]:
    """
    What the ranks of application 1 of a catalogue send, in phases, in order: sender, receiver and number of messages (each 32 bits wide) and bytes (64 bits). Of iterations that fill a run time, one.
    """

def leave(entry: object, error: object) -> None:
    """
    Raises an error of this class at every line of the code of a frame, and of what it calls, until it is left.
    """

build_type: str = 'release'

validates: bool = False

compiler: str = 'GNU 12.2.0'

compiler_flags: str = '-O3 -DNDEBUG'
