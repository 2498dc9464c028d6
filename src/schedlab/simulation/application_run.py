"""One application alone on a machine: how long it takes, and what it does on the network."""

from __future__ import annotations

from time import process_time

from schedlab import decode
from schedlab.calling import explained
from schedlab.errors import InputError, SimulationError
from schedlab.fields import by_name
from schedlab.simulation.core import Simulation
from schedlab.system import load_system
from schedlab.workload.job import Job

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from schedlab.application import Application
    from schedlab.dispatch import Allocator, BuiltInAllocator
    from schedlab.simulation.core import SystemSource
    from schedlab.system import System
    from schedlab.system.network.links import KindUse

PICOSECOND = 1e-12


class ApplicationRun:
    """What came of an application that had the machine to itself.

    Attributes:
        application: Its text, all ways to write the same being one.
        system: The machine.
        allocator: What chose the nodes.
        options: All options of the run, such as fidelity, accuracy, mapping and seed.
        state: "completed", or "killed" at its limit.
        nodes: The node of each rank.
        seconds: From its start to the end of the last rank.
        rank_seconds: The same for each rank; empty where the fidelity does not know ranks (phase).
        compute: Seconds that a rank computes, on average;
        communication: that it spends in messages, collectives and waits;
        file_access: and in files.
        messages: How many were sent.
        bytes: In them, without headers.
        mean_hops: Links between routers on the way of a message, on average; None: no messages.
        hop_bytes: Sum over messages of bytes times hops.
        events: That were handled.
        link_bytes: That each link carried, headers and acknowledgements included, in the order of
            `schedlab.system.network.links.Links`.
        cpu_seconds: That the simulator took.
    """

    def __init__(self, simulation: Simulation, application: str, cpu_seconds: float) -> None:
        engine = simulation.engine
        traffic = engine.metrics()["network"]
        self.application = application
        self.system: System = simulation.system
        self.allocator: str = simulation.names["allocator"]
        self.options: dict[str, Any] = simulation.options
        self.state = "killed" if engine.counts()["killed"] else "completed"
        self.nodes = tuple(engine.rank_nodes)
        ends = engine.rank_ends if self.state == "completed" else []
        self.rank_seconds = tuple(end * PICOSECOND for end in ends)
        self.seconds: float = max(self.rank_seconds, default=engine.metrics()["makespan"])
        self.compute: float = traffic["compute"]
        self.communication: float = traffic["communication"]
        self.file_access: float = traffic["file_access"]
        self.messages = int(traffic["messages"])
        self.bytes = int(traffic["bytes"])
        self.mean_hops: float | None = traffic["mean_hops"]
        self.hop_bytes = int(traffic["hop_bytes"])
        self.events = engine.application_events
        self.link_bytes = tuple(engine.carried())
        self.cpu_seconds = cpu_seconds

    @property
    def ranks(self) -> int:
        """How many there are."""
        return len(self.nodes)

    def link_use(self) -> list[KindUse]:
        """Returns how much links were used, kind by kind."""
        assert self.system.network is not None
        return self.system.network.links().by_kind(self.link_bytes, self.seconds)

    def described(self) -> dict[str, Any]:
        """Returns all of it as plain data, without the bytes of each link."""
        plain = ("seconds", "compute", "communication", "file_access", "messages", "bytes")
        more = ("mean_hops", "hop_bytes", "events", "cpu_seconds", "state")
        options = ("fidelity", "accuracy", "mapping", "seed")
        return {
            "application": self.application,
            "system": self.system.name,
            "ranks": self.ranks,
            "allocator": self.allocator,
            **{name: self.options[name] for name in options},
            **{name: getattr(self, name) for name in (*plain, *more)},
            "nodes": list(self.nodes),
            "rank_seconds": list(self.rank_seconds),
            "links": [by_name(use) for use in self.link_use()],
        }

    def __repr__(self) -> str:
        return (
            f"ApplicationRun({self.application}, {self.ranks} ranks on {self.system.name}, "
            f"{self.seconds:.6g} s)"
        )


@explained
def run_application(
    application: str | Application | Callable[..., Any],
    *,
    ranks: int,
    system: SystemSource,
    allocator: str | Allocator | BuiltInAllocator = "first-fit",
    ranks_per_node: int | None = None,
    run_time: float | str = 0,
    limit: float | str | None = None,
    progress: Callable[[Simulation], None] | None = None,
    **options: Any,
) -> ApplicationRun:
    """Runs one application alone and returns what came of it.

    Args:
        application: A text such as "stencil-3d(bytes=64k, iterations=10)", an `Application`, or a
            program: a generator function, with its default arguments.
        ranks: How many; each takes a processor.
        system: As for `Simulation`; a machine with a network.
        allocator: Likewise.
        ranks_per_node: At most N; None: as many as a node has room for.
        run_time: That a trace would give, in seconds or as "1h30m", for `iterations=run` and the
            time keeper.
        limit: Time after which it is killed, likewise; None: never.
        progress: Called some thirty times a second.
        **options: As for `Simulation`: fidelity, accuracy, mapping, seed.

    Raises:
        InputError: Something given is wrong, the application goes wrong, or the machine is too
            small.
    """
    made = _made(application)
    machine = load_system(system)
    if machine.network is None:
        raise InputError(
            f"{machine.name}: has no network for applications to run on; add [network] to its file"
        )
    if options.get("fidelity") == "none":
        raise InputError("fidelity: must be another one than none, with which nothing would run")
    seconds, most = decode.duration(run_time, "run_time"), decode.duration(limit, "limit")
    if most is not None and not most > 0:
        raise InputError(f"limit: must be seconds above 0, not {limit!r}")
    before = process_time()
    job = Job(
        1,
        submit=0,
        run=seconds,
        processors=ranks,
        requested_time=most,
        tasks_per_node=ranks_per_node,
        application=str(made),
    )
    simulation = Simulation(
        [job], system=machine, allocator=allocator, enforce_limits=most is not None, **options
    )
    assert simulation.catalogue is not None
    simulation.catalogue.put(made)
    simulation.run(progress=progress)
    if simulation.counts["rejected"]:
        raise InputError(_too_large(machine, ranks, ranks_per_node))
    if simulation.counts["queued"]:  # pragma: no cover - allocators that place nothing
        raise SimulationError(f"allocator {simulation.names['allocator']}: never started the job")
    return ApplicationRun(simulation, str(made), process_time() - before)


def _made(given: str | Application | Callable[..., Any]) -> Application:
    from schedlab.application import Application, load

    if callable(given) and not isinstance(given, Application):
        return Application(getattr(given, "__name__", "program"), {}, given)
    return load(given)


def _too_large(system: System, ranks: int, ranks_per_node: int | None) -> str:
    placed = f" with at most {ranks_per_node} on a node" if ranks_per_node is not None else ""
    amounts = ", ".join(f"{count:,} {kind}" for kind, count in system.capacity.items())
    return (
        f"{system.name}: has no room for {ranks:,} ranks{placed}: it has {system.nodes:,} nodes "
        f"with {amounts} together"
    )
