"""Allocators in Python that place jobs where they cannot be, and what is not an allocator."""

from __future__ import annotations

import pytest
from dispatch.naive_allocators import First
from dispatch.policies import FOUR, starts

import schedlab
from schedlab import (
    Allocator,
    Blocking,
    Conservative,
    Easy,
    Greedy,
    InputError,
    Job,
    Simulation,
    SimulationError,
)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (7, r"give a list of nodes, one for each task, or a dict .* not 7"),
        ([0], r"1 tasks? .*placed"),
        ([], r"0 tasks were placed"),
        ({}, r"0 tasks were placed"),
        ([0, 0, 1], r"3 tasks were placed"),
        ([0] * 1000, r"1000 tasks on node 0|tasks on node 0, which has room for"),
        ([0, 2], r"no node 2; the machine has nodes 0 to 1"),
        ([0, -1], r"no node -1"),
        ([0, 2**31], "no node 2147483648"),
        ([0, 2**64], "no node 18446744073709551616"),
        ([0, "1"], "no node '1'"),
        ([0, 1.5], r"no node 1\.5"),
        ([0, None], "no node None"),
        ("01", "no node '0'"),
        ({0: 3}, r"3 tasks on node 0, which has room for 2: node 0 has free core 2"),
        ({0: 0, 1: 2}, "node 0 would get 0 tasks"),
        ({0: -1, 1: 3}, "node 0 would get -1 tasks"),
        ({0: 2**62}, r"4611686018427387904 tasks on node 0"),
        ({0: 2**63}, "must be a whole number"),
        ({0: 2**62, 1: 2**62}, "tasks on node"),
        ({0: 1.5}, "must be a whole number"),
        ({0: "2"}, "must be a whole number"),
        ({0: None}, "must be a whole number"),
        ({"all": 2}, "no node 'all'"),
    ],
)
def test_invalid_placements(nodes, message):
    class Wrong(Allocator):
        def place(self, job, machine):
            return nodes

    simulation = Simulation([Job(5, 3, 10, 2)], system=FOUR, allocator=Wrong())
    before = r"invalid nodes for job 5 at 3\.0+ s, which asks for 2 tasks of core 1: .*"
    with pytest.raises(SimulationError, match=before + f"({message})"):
        simulation.run()
    with pytest.raises(SimulationError, match="cannot continue after an error"):
        simulation.run()


class Stubborn(Allocator):
    """All tasks on node 0, whatever is there."""

    def place(self, job, machine):
        return [0] * job.processors


def test_nodes_that_are_in_use():
    simulation = Simulation([Job(1, 0, 9), Job(2, 0, 9, 2)], system=FOUR, allocator=Stubborn())
    with pytest.raises(SimulationError, match=r"2 tasks on node 0, which has room for 1.*core 1"):
        simulation.run()


def test_more_than_a_node_may_get():
    jobs = [Job(1, 0, 9, 2, tasks_per_node=1)]
    with pytest.raises(SimulationError, match=r"at most 1 on a node.*which has room for 1"):
        Simulation(jobs, system=FOUR, allocator=Stubborn()).run()
    jobs = [Job(1, 0, 9), Job(2, 0, 9, whole_nodes=True)]
    with pytest.raises(SimulationError, match=r"job 2 .*on whole nodes.*which has room for 0"):
        Simulation(jobs, system=FOUR, allocator=Stubborn()).run()


def test_a_choice_that_a_window_forbids_is_no_error():
    """The allocator need not know of windows; its job waits."""
    windows = [schedlab.Window(5, 20, "0")]
    for scheduler in (Blocking(), Greedy(), Easy(), Easy(reservations=2)):
        choices = {"scheduler": scheduler, "allocator": Stubborn(), "windows": windows}
        got = starts([Job(1, 0, 9)], FOUR, **choices)
        assert got == {1: 20}, scheduler


def test_a_choice_that_a_window_forbids_under_conservative():
    """Its reservation is due, but not on those nodes: an error that says so."""
    windows = [schedlab.Window(5, 20, "0")]
    simulation = Simulation(
        [Job(1, 0, 9)],
        system=FOUR,
        scheduler=Conservative(),
        allocator=Stubborn(),
        windows=windows,
    )
    with pytest.raises(SimulationError, match=r"job 1\b.*allocator"):
        simulation.run()


def test_the_machine_of_an_allocator_is_that_of_the_call():
    class Keeping(First):
        def place(self, job, machine):
            self.kept = (job, machine)
            return super().place(job, machine)

    keeping = Keeping()
    Simulation([Job(1, 0, 9)], system=FOUR, allocator=keeping).run()
    job, machine = keeping.kept
    with pytest.raises(SimulationError, match="job 1 was used after the call"):
        job.processors  # noqa: B018
    with pytest.raises(SimulationError, match="outside the call"):
        machine.free_processors  # noqa: B018
    with pytest.raises(SimulationError, match="call"):
        machine.room(0, job)


@pytest.mark.parametrize("given", [First, 3, None, object(), "first_fit"])
def test_what_is_no_allocator(given):
    with pytest.raises(InputError, match="allocator"):
        Simulation([Job(1, 0, 9)], system=FOUR, allocator=given)


def test_an_allocator_without_place():
    with pytest.raises(NotImplementedError, match=r"Allocator must define place\(job, machine\)"):
        Simulation([Job(1, 0, 9)], system=FOUR, allocator=Allocator()).run()
