"""Forks and state files: whatever was saved continues as if it had never stopped."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap

import pytest
from simulation.random_jobs import SYSTEM, jobs
from stateful_policies import BY_SIZE, Doubled, LastFit, Moody, Use, backwards, by_size

import schedlab as sl
from schedlab.dispatch.allocators import ON_ANY_MACHINE
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.simulation import state_file


def records(simulation: sl.Simulation, path) -> str:
    simulation.record_jobs(path)
    simulation.run()
    return path.read_text().partition("\n")[2]


def check_going_on(tmp_path, make, steps: int, again=None) -> None:
    """A simulation that is saved and loaded ends with the rows of one that is not."""
    whole = records(make(), tmp_path / "whole.csv")
    first = make()
    first.record_jobs(tmp_path / "first.csv")
    for _ in range(steps):
        if not first.step():
            break
    first._recorder.sync()
    first.save(tmp_path / "state")
    before = (tmp_path / "first.csv").read_text().partition("\n")[2]
    given = again() if again else {}
    loaded = sl.Simulation.load(tmp_path / "state", trust_code=True, **given)
    assert loaded.now == first.now
    assert loaded.counts == first.counts
    after = records(loaded, tmp_path / "second.csv")
    assert before + after == whole
    forked = records(first.fork(), tmp_path / "fork.csv")
    assert before + forked == whole


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("scheduler", [*SCHEDULERS, "easy(reservations=3)", "easy(score=-wait)"])
def test_every_scheduler_goes_on(tmp_path, scheduler, mixed):
    work = jobs(mixed=mixed)
    check_going_on(
        tmp_path,
        lambda: sl.Simulation(work, system=SYSTEM, scheduler=scheduler, allocator="random", seed=5),
        random.Random(scheduler).randint(1, 250),
        lambda: {"workload": work},
    )


@pytest.mark.parametrize("allocator", [*ON_ANY_MACHINE, "high-core"])
@pytest.mark.parametrize("estimate", ["requested", "exact", "history"])
def test_every_allocator_and_estimate_goes_on(tmp_path, allocator, estimate):
    work = jobs(mixed=True)
    check_going_on(
        tmp_path,
        lambda: sl.Simulation(
            work, system=SYSTEM, scheduler="easy", allocator=allocator, estimate=estimate
        ),
        100,
        lambda: {"workload": work},
    )


def own_policies(work) -> sl.Simulation:
    return sl.Simulation(
        work,
        system=SYSTEM,
        scheduler=Moody(),
        allocator=LastFit(),
        estimate=Doubled(),
        data=[Use()],
        windows=[sl.Window(40, 60, "0-1", when="user == 2"), sl.Window(100, 110)],
        queues=[sl.Queue("small", 2, "processors <= 3"), sl.Queue("rest", 1)],
    )


@pytest.mark.parametrize("steps", [0, 1, 17, 150, 10_000])
def test_own_policies_go_on(tmp_path, steps):
    work = jobs(mixed=True)
    check_going_on(tmp_path, lambda: own_policies(work), steps, lambda: {"workload": work})


def test_parts_may_be_given_again_by_their_names(tmp_path):
    work, module = jobs(mixed=True), "stateful_policies"
    named = {
        "workload": work,
        "scheduler": f"{module}:Moody",
        "allocator": f"{module}:LastFit",
        "estimate": f"{module}:Doubled",
        "data": [f"{module}:Use"],
    }
    check_going_on(tmp_path, lambda: own_policies(work), 150, lambda: named)
    for wrong in ({"data": []}, {"estimate": "exact"}, {"scheduler": "fifo"}):
        with pytest.raises(sl.InputError, match="was saved with"):
            sl.Simulation.load(tmp_path / "state", trust_code=True, **{**named, **wrong})


ORDERS = {
    "of a scheduler": {"scheduler": sl.Easy(order=by_size)},
    "of a scheduler by name": {"scheduler": "greedy(order=stateful_policies:by_size)"},
    "fixed, by name": {"scheduler": "easy(order=stateful_policies:BY_SIZE)"},
    "of nodes": {"allocator": sl.FirstFit(order=backwards)},
    "of nodes by name": {"allocator": "first-fit(order=stateful_policies:backwards)"},
    "a list of nodes": {"allocator": sl.FirstFit(order=[3, 1, 4, 2, 0])},
    "fixed": {"scheduler": sl.Easy(order=BY_SIZE)},
}


@pytest.mark.parametrize("case", ORDERS)
def test_functions_as_orders_go_on(tmp_path, case):
    work, part = jobs(), ORDERS[case]
    again = part if case == "fixed" else {}
    check_going_on(
        tmp_path,
        lambda: sl.Simulation(work, system=SYSTEM, **part),
        90,
        lambda: {"workload": work, **again},
    )
    if case == "fixed":
        with pytest.raises(sl.InputError, match=r"scheduler: was a Python object .* again"):
            sl.Simulation.load(tmp_path / "state", workload=work, trust_code=True)


def test_the_file_has_the_run_and_what_no_run_says(tmp_path):
    work = jobs(mixed=True)
    simulation = own_policies(work)
    simulation.run(until=50)
    simulation.save(tmp_path / "state")
    description, _ = state_file.read(str(tmp_path / "state"))
    assert {*description} == {
        *("spec", "requested_spec", "code", "names", "now", "applications", "needs", "licenses"),
        "partition_lists",
        "swf_attributes",
    }
    assert description["requested_spec"] == simulation.spec.to_data()
    assert description["code"] == {
        "scheduler": "stateful_policies:Moody",
        "allocator": "stateful_policies:LastFit",
        "estimator": "stateful_policies:Doubled",
        "data": ["stateful_policies:Use"],
    }
    loaded = sl.Simulation.load(tmp_path / "state", workload=work, trust_code=True)
    assert (loaded.names, loaded.options) == (simulation.names, simulation.options)


def test_expressions_over_additional_data_go_on(tmp_path):
    work = jobs()
    check_going_on(
        tmp_path,
        lambda: sl.Simulation(
            work, system=SYSTEM, scheduler="easy(score=data.use[user] - wait)", data=[Use()]
        ),
        120,
        lambda: {"workload": work},
    )


def test_another_process_goes_on(tmp_path):
    """With a trace from a file, nothing need be given again."""
    rows = [
        [n, n // 2, -1, 5 + n % 7, 2, -1, -1, 2, 20, -1, 1, n % 3, 1, -1, 1, -1, -1, -1]
        for n in range(1, 500)
    ]
    sl.write_swf(tmp_path / "trace.swf.gz", rows)
    (tmp_path / "own.py").write_text(
        textwrap.dedent("""
        import schedlab as sl

        class Shy(sl.Scheduler):
            def __init__(self, most=3):
                self.most = most
                self.calls = 0

            def schedule(self, state):
                self.calls += 1
                for job in state.queue.fitting():
                    if len(state.running) < self.most + self.calls % 2:
                        yield job
        """)
    )
    script = """
        import sys, schedlab as sl
        command, scheduler = sys.argv[1:]
        if command == "whole":
            simulation = sl.Simulation("trace.swf.gz", system={"groups": {"n": {"nodes": 4,
                "resources": {"core": 4}}}}, scheduler=scheduler)
            simulation.record_jobs("whole.csv")
            simulation.run()
        elif command == "save":
            simulation = sl.Simulation("trace.swf.gz", system={"groups": {"n": {"nodes": 4,
                "resources": {"core": 4}}}}, scheduler=scheduler)
            simulation.record_jobs("first.csv")
            simulation.run(until=111)
            simulation.save("state")
        else:
            own = scheduler.startswith("own:")
            simulation = sl.Simulation.load("state", trust_code=own)
            simulation.record_jobs("second.csv")
            simulation.run()
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(script))
    for scheduler in ("easy", "conservative", "own:Shy(most=2)"):
        for command in ("whole", "save", "load"):
            subprocess.run(
                [sys.executable, "script.py", command, scheduler], cwd=tmp_path, check=True
            )
        whole, first, second = (
            (tmp_path / f"{name}.csv").read_text() for name in ("whole", "first", "second")
        )
        assert first + second.partition("\n")[2] == whole


# ------------------------------------------------------------------------------ other policies


def test_a_fork_can_have_another_dispatcher():
    work = jobs(mixed=True)
    simulation = sl.Simulation(work, system=SYSTEM, scheduler="fifo")
    simulation.run(until=200)
    ends = {}
    for scheduler in (*SCHEDULERS[:-1], Moody(), "easy(reservations=2)"):
        fork = simulation.fork(scheduler=scheduler, allocator=LastFit())
        assert fork.counts == simulation.counts
        fork.run()
        ends[str(scheduler)] = fork.metrics["wait"]["mean"]
        assert fork.counts["queued"] == 0
    simulation.run()
    assert (
        simulation.metrics["wait"]["mean"]
        == sl.simulate(work, system=SYSTEM, scheduler="fifo").metrics["wait"]["mean"]
    )
    assert len(set(ends.values())) > 3


def test_a_fork_to_the_same_scheduler_changes_nothing(tmp_path):
    for name in ("fifo", "easy", "sjf", "greedy", "easy(order=wfp3)"):
        simulation = sl.Simulation(jobs(mixed=True), system=SYSTEM, scheduler=name)
        simulation.run(until=150)
        same = records(simulation.fork(scheduler=name), tmp_path / "same.csv")
        assert same == records(simulation.fork(), tmp_path / "fork.csv")


def test_forks_have_policies_of_their_own():
    simulation = own_policies(jobs(mixed=True))
    simulation.run(until=100)
    fork = simulation.fork()
    assert fork.scheduler is not simulation.scheduler
    assert fork.scheduler.starts == simulation.scheduler.starts
    fork.run()
    assert fork.scheduler.starts != simulation.scheduler.starts
    assert fork.data[0].seen > simulation.data[0].seen
