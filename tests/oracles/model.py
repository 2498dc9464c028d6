"""What the oracles simulate: jobs, the machine, and the record each job leaves.

Times and durations are plain integers of any one unit. Where a rule speaks of "one
second", the functions that apply it take the length of a second in that unit.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Job:
    """One job as submitted.

    Attributes:
        id: Unique number of the job.
        submit: Time of submission.
        run: Real run time; no discipline looks at it.
        estimate: Run time the dispatcher believes.
        tasks: Number of equal tasks, all placed at once.
        limit: Longest run time allowed, applied only when limits are enforced.
        request: Amount of each resource type that one task needs. Types beyond the
            end of the tuple are not needed.
        tasks_per_node: Most tasks of this job on one node, or None for no bound.
        whole_nodes: Whether the job needs idle nodes and takes everything on them.
        user: Number of the submitting user, -1 when unknown.
        predecessors: Jobs that must have ended before this one may be queued.
        think: Time between the end of the last predecessor and the queueing.
        nodes: Indices of the only nodes that it may use, or None for all.
        choices: Several such sets, if there are: it may use any one of them, and takes the
            first in which it can start; `nodes` is one of them.
        licenses: Amount of each license that the whole job takes. Licenses beyond the
            end of the tuple are not needed.
    """

    id: int
    submit: int
    run: int
    estimate: int
    tasks: int
    limit: int | None = None
    request: tuple[int, ...] = (1,)
    tasks_per_node: int | None = None
    whole_nodes: bool = False
    user: int = -1
    predecessors: tuple[int, ...] = ()
    think: int = 0
    nodes: frozenset[int] | None = None
    choices: tuple[frozenset[int], ...] = ()
    licenses: tuple[int, ...] = ()

    def parts(self) -> list["Job"]:
        """Return the job as it is in each of the sets that it may use, in its order."""
        return [replace(self, nodes=nodes) for nodes in self.choices] or [self]

    def may_use(self, node: int) -> bool:
        """Return whether any task may be on the node."""
        return self.nodes is None or node in self.nodes


@dataclass(frozen=True)
class Record:
    """What became of one job.

    Attributes:
        start: Time it started, None when rejected.
        end: Time it ended, None when rejected.
        state: "completed", "killed" (at its limit) or "rejected".
        nodes: (node index from 0, tasks there), ascending by node index.
    """

    start: int | None
    end: int | None
    state: str
    nodes: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Machine:
    """The machine: for each node, how much it has of each resource type; and the licenses."""

    capacity: tuple[tuple[int, ...], ...]
    licenses: tuple[int, ...] = ()


@dataclass(frozen=True)
class Window:
    """A time during which some nodes are kept for some jobs, or for none.

    Attributes:
        start: Time it begins.
        end: Time it is over, `math.inf` for never.
        nodes: Indices of its nodes.
        admits: Ids of the jobs that may use its nodes all the same.
    """

    start: int
    end: float
    nodes: frozenset[int]
    admits: frozenset[int] = frozenset()

    def bars(self, job: Job, node: int, start: int, end: float) -> bool:
        """Return whether the job must not be on the node during [start, end)."""
        overlaps = start < self.end and self.start < end
        return overlaps and node in self.nodes and job.id not in self.admits


@dataclass(frozen=True)
class Running:
    """A started job. Disciplines may read everything here but `end` and `state`.

    Attributes:
        job: The job.
        start: Time it started.
        end: Time it will really end.
        state: State it will end in, "completed" or "killed".
        nodes: Where it runs, as in `Record`.
    """

    job: Job
    start: int
    end: int
    state: str
    nodes: tuple[tuple[int, int], ...]


@dataclass
class Held:
    """A job held for its predecessors.

    Attributes:
        job: The job.
        waiting_for: Predecessors that have not ended.
        ready: Earliest time to queue it, as far as the ended ones say.
    """

    job: Job
    waiting_for: set[int]
    ready: int
