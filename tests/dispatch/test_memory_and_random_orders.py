"""The orders random, low-mem and low-mem-bw: what they go by, and that they are the same again."""

from __future__ import annotations

import random

import pytest
from conftest import examples
from dispatch.policies import CHOICES, FOUR, SETH, schedule, starts
from hypothesis import given
from hypothesis import strategies as st
from oracles.placement import SplitMix64

import schedlab as sl
from schedlab import Blocking, Conservative, Easy, Greedy, InputError, Job, Order

DISCIPLINES = st.sampled_from([Blocking, Greedy, Easy, Conservative])

MEMORY = {"groups": {"all": {"nodes": 2, "resources": {"core": 3, "mem": 12}}}}


def attribute(job, name):
    """Returns what a job says; 0 where it says nothing, or -1 as SWF does."""
    try:
        return max(0, job[name])
    except KeyError:
        return 0


def cores(job):
    return job.processors * job.resources["core"]


def memory(job):
    amount = job.resources.get("mem", 0)
    return amount * job.processors if amount else attribute(job, "requested_memory") * cores(job)


def bandwidth(job):
    volume = attribute(job, "memory_volume") * cores(job)
    return volume / job.requested_time if volume else 0


TWINS = {"low-mem": memory, "low-mem-bw": bandwidth}


@st.composite
def workloads(draw):
    """Jobs for MEMORY, of which some say what they need in one way, some in another."""
    jobs, submit = [], 0
    for number in range(1, draw(st.integers(2, 14))):
        submit += draw(st.integers(0, 3))
        size = draw(st.integers(1, 2))
        resources = {"core": draw(st.integers(1, 3)), "mem": draw(st.integers(0, 5))}
        names = ("requested_memory", "memory_volume")
        attributes = {name: draw(st.integers(-1, 4)) for name in names if draw(st.booleans())}
        plain = draw(st.booleans())
        run, requested = draw(st.integers(0, 9)), draw(st.integers(1, 20))
        kept = {kind: amount for kind, amount in resources.items() if amount}
        jobs.append(
            Job(
                number,
                submit,
                run,
                size,
                requested,
                resources=None if plain else kept,
                attributes=attributes or None,
            )
        )
    return jobs


@examples(100)
@given(
    jobs=workloads(),
    name=st.sampled_from(sorted(TWINS)),
    discipline=DISCIPLINES,
    choices=st.fixed_dictionaries(CHOICES),
)
def test_an_order_equals_its_twin(jobs, name, discipline, choices):
    expected = schedule(
        jobs, MEMORY, scheduler=discipline(Order(TWINS[name], fixed=True)), **choices
    )
    assert schedule(jobs, MEMORY, scheduler=discipline(name), **choices) == expected


def one_after_the_other(jobs, system, **choices):
    """Returns the ids in the order of their starts."""
    return [job for _, job in sorted((s, j) for j, s in starts(jobs, system, **choices).items())]


def drawn(count, seed):
    """Returns the numbers from 1 in the order in which the seed lets jobs go."""
    stream = SplitMix64(SplitMix64(seed ^ 0x6F72646572).next())
    keys = [stream.next() >> 11 for _ in range(count)]
    return sorted(range(1, count + 1), key=lambda number: keys[number - 1])


SAME = [Job(i, 0, 5, 4, attributes={"requested_memory": 7 - i}) for i in range(1, 31)]
"""All at once, each with the whole machine."""


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
@pytest.mark.parametrize("discipline", ["blocking", "greedy", "easy", "conservative"])
def test_random_is_drawn_from_the_seed(seed, discipline):
    policy = f"{discipline}(order=random)"
    assert one_after_the_other(SAME, FOUR, scheduler=policy, seed=seed) == drawn(30, seed)


def test_random_gives_every_job_every_place():
    """Over 400 seeds each of 6 jobs is first about 67 times: within 5 standard deviations."""
    first = [drawn(6, seed)[0] for seed in range(400)]
    assert all(abs(first.count(job) - 400 / 6) < 5 * (400 * 5 / 36) ** 0.5 for job in range(1, 7))
    # The order of jobs does not depend on that of nodes, though both are drawn from one seed.
    places = [SplitMix64(seed).below(6) + 1 for seed in range(400)]
    same = sum(one == other for one, other in zip(first, places, strict=True))
    assert abs(same - 400 / 6) < 5 * (400 * 5 / 36) ** 0.5


def test_a_fork_and_a_saved_state_go_on_in_the_same_random_order(tmp_path):
    draw = random.Random(4)
    jobs = [Job(i, i // 4, draw.randint(1, 9), draw.randint(1, 4)) for i in range(60)]
    simulation = sl.Simulation(jobs, system=FOUR, scheduler="easy(order=random)", seed=5)
    simulation.run(until=30)
    simulation.save(tmp_path / "state")
    fork, loaded = simulation.fork(), sl.Simulation.load(tmp_path / "state", workload=jobs)
    other = simulation.fork(scheduler="easy(order=submit)")
    for one in (simulation, fork, loaded, other):
        one.run()
    assert fork.metrics == loaded.metrics == simulation.metrics
    assert other.metrics != simulation.metrics
    back = sl.Simulation(jobs, system=FOUR, scheduler="easy", seed=5)
    back.run(until=0)
    assert back.fork(scheduler="easy(order=random)").jobs_in("queued") != back.jobs_in("queued")


def test_memory_is_of_the_whole_job_and_what_tasks_take_goes_first():
    own_memory = {"requested_memory": 1}
    jobs = [
        Job(1, 0, 5, 1, resources={"core": 3, "mem": 12}),
        Job(2, 0, 5, 2, resources={"core": 3, "mem": 5}, attributes=own_memory),  # 10, not 6
        Job(3, 0, 5, 1, resources={"core": 3}, attributes=own_memory),  # 3
        Job(4, 0, 5, 6),  # says nothing: 0
    ]
    machine = {"groups": {"all": {"nodes": 2, "resources": {"core": 3, "mem": 12}}}}
    got = starts(jobs, machine, scheduler="blocking(order=low-mem)")
    assert got == {4: 0, 3: 5, 2: 10, 1: 15}


def test_bandwidth_is_of_all_cores_over_the_requested_time():
    jobs = [
        Job(1, 0, 5, 4, 10, attributes={"memory_volume": 30}),  # 12 MB/s
        Job(2, 0, 5, 3, 10, attributes={"memory_volume": 30}),  # 9
        Job(3, 0, 5, 4, 100, attributes={"memory_volume": 200}),  # 8
        Job(4, 0, 5, 4, 0, attributes={"memory_volume": 0}),  # none, in no time
        Job(5, 0, 5, 4, 0, attributes={"memory_volume": 1}),  # without end
    ]
    assert one_after_the_other(jobs, FOUR, scheduler="blocking(order=low-mem-bw)") == [
        *(4, 3, 2, 1, 5)
    ]


def test_memory_of_an_swf_file(tmp_path):
    """Field 10 is KB for each processor; -1 and 0 say nothing."""
    rows = [
        (job, 0, -1, 5, size, -1, -1, size, 10, memory, *[-1] * 8)
        for job, size, memory in [(1, 240, 3), (2, 120, 4), (3, 240, -1), (4, 60, 1)]
    ]
    sl.write_swf(tmp_path / "t.swf", rows)
    half = {"groups": {"seth": {"nodes": 120, "resources": {"core": 2}}}}
    result = sl.simulate(tmp_path / "t.swf", system=half, scheduler="blocking(order=low-mem)")
    jobs = result.jobs.collect()
    assert "requested_memory" not in jobs.columns
    assert jobs.sort("start", "job_id")["job_id"].to_list() == [3, 2, 4, 1]


def test_a_workload_that_cannot_say_it(tmp_path):
    sl.write_swf(tmp_path / "t.swf", [(1, 0, -1, 5, 1, -1, -1, 1, 9, *[-1] * 9)])
    with pytest.raises(InputError, match='"low-mem-bw": the workload has no "memory_volume"'):
        sl.simulate(tmp_path / "t.swf", system=SETH, scheduler="easy(order=low-mem-bw)")
    simulation = sl.Simulation(tmp_path / "t.swf", system=SETH)
    with pytest.raises(InputError, match='"low-mem": the workload has no "requested_memory"'):
        simulation.fork(scheduler="blocking(order=low-mem)")
    kept = sl.Simulation(tmp_path / "t.swf", system=SETH, keep="requested_memory")
    assert kept.fork(scheduler="blocking(order=low-mem)").step()
