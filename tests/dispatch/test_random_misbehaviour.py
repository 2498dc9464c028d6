"""Random actions of schedulers and random answers of allocators never crash."""

from __future__ import annotations

import math

import pytest
from conftest import examples
from dispatch.misbehaviour import jobs
from dispatch.policies import FOUR, GreedyWalk
from hypothesis import given
from hypothesis import strategies as st

from schedlab import (
    Allocator,
    Job,
    RejectJob,
    SchedlabError,
    Scheduler,
    Simulation,
    SimulationError,
    StartJob,
    WakeAt,
    Window,
)

ACTIONS = st.tuples(
    st.sampled_from(
        [
            "start",
            "start",
            "start-on",
            "reject",
            "wake",
            "reserve",
            "allows",
            "plan",
            "plan-reserve",
            "plan-allows",
            "earliest",
            "walk",
            "fitting",
            "behind",
            "next",
            "item",
            "fits",
            "room",
            "with-room",
            "attribute",
            "keep",
            "use-kept",
            "running",
            "node-free",
            "data",
        ]
    ),
    st.integers(-2, 9),
    st.integers(-2, 5),
)


class Fuzzed(Scheduler):
    """Does what a list says, each time it is called; errors of the package are caught."""

    def __init__(self, actions, lenient):
        self.actions = actions
        self.lenient = lenient
        self.kept = []
        self.walks = []

    def schedule(self, state):
        held = {"plan": None, "reservation": None}
        for name, first, second in self.actions:
            try:
                decision = self.act(state, held, name, first, second)
            except (SimulationError, IndexError, KeyError, StopIteration, TypeError):
                continue
            if decision is not None:
                yield decision
        if self.lenient:
            yield from state.queue.fitting()

    def act(self, state, held, name, first, second):
        if name == "next":
            next(self.walks[first])
            return None
        if name == "walk":
            self.walks.append(iter(state.queue))
            return None
        if name == "running":
            self.kept.extend(state.running)
            return None
        if name == "node-free":
            state.machine.node_free(first)
            return None
        if name == "data":
            state.data("load")
            return None
        if name == "plan":
            held["plan"] = state.plan()
            return None
        job = self.kept[first] if name == "use-kept" else state.queue[first]
        if name == "keep":
            self.kept.append(job)
        elif name in ("start", "use-kept"):
            within = state.machine.fits(job)
            if held["reservation"] is not None:
                within = within and held["reservation"].allows(job)
            if held["plan"] is not None:
                within = within and held["plan"].allows(job)
            return job if within or not self.lenient else None
        elif name == "start-on":
            return StartJob(job, [second] * job.processors) if not self.lenient else None
        elif name == "reject":
            return RejectJob(job)
        elif name == "wake":
            return WakeAt(state.now + abs(second) + 0.5)
        elif name == "reserve":
            held["reservation"], held["plan"] = state.reserve(job), None
        elif name == "allows":
            held["reservation"].allows(job) if held["reservation"] else None
        elif name == "plan-reserve":
            held["plan"].reserve(job) if held["plan"] else None
        elif name == "plan-allows":
            held["plan"].allows(job) if held["plan"] else None
        elif name == "earliest":
            held["plan"].earliest(job) if held["plan"] else None
        elif name == "fitting":
            list(state.queue.fitting(second))
        elif name == "behind":
            list(state.queue.fitting(behind=job))
        elif name == "fits":
            state.machine.fits(job)
        elif name == "room":
            state.machine.room(second, job)
        elif name == "with-room":
            state.machine.nodes_with_room(job)
        elif name == "attribute":
            job["power"]
        return None


@examples(300)
@given(
    actions=st.lists(ACTIONS, max_size=25),
    lenient=st.booleans(),
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=12),
    window=st.none() | st.integers(0, 20),
    mixed=st.booleans(),
    allocator=st.sampled_from(["first-fit", "best-fit", "random"]),
)
def test_random_actions_never_crash(actions, lenient, sizes, window, mixed, allocator):
    workload = [
        Job(
            i,
            i // 3,
            1 + i % 4,
            size,
            1 + i % 5,
            tasks_per_node=1 + i % 2 if mixed and size < 3 else None,
            attributes={"power": i},
        )
        for i, size in enumerate(sizes)
    ]
    windows = [] if window is None else [Window(window, window + 5, "0")]
    simulation = Simulation(
        workload,
        system=FOUR,
        scheduler=Fuzzed(actions, lenient),
        windows=windows,
        allocator=allocator,
    )
    try:
        simulation.run(until=60)
    except SchedlabError as error:
        assert str(error)  # noqa: PT017
        with pytest.raises(SimulationError):
            simulation.run()
    counts = simulation.counts
    assert counts["submitted"] <= len(sizes)
    fork = None
    try:
        fork = simulation.fork()
    except SimulationError as error:
        assert "cannot be copied" in str(error) or "after an error" in str(error)  # noqa: PT017
    del simulation, fork


@examples(100)
@given(
    lies=st.lists(
        st.sampled_from([None, 0, -1, 3.5, "x", [], {}, [0], {0: 1}, math.nan, 2**40]), max_size=6
    ),
    scheduler=st.sampled_from(["fifo", "easy", "conservative", GreedyWalk()]),
)
def test_random_answers_of_an_allocator_never_crash(lies, scheduler):
    answers = iter(lies)

    class Lying(Allocator):
        def place(self, job, machine):
            return next(answers, machine.nodes_with_room(job)[:1] * job.processors)

        def _copy(self):
            return self

    simulation = Simulation(jobs(6, 1), system=FOUR, scheduler=scheduler, allocator=Lying())
    try:
        simulation.run()
    except SchedlabError as error:
        assert "job" in str(error)  # noqa: PT017
