"""The naive simulator of sockets is right: by hand, and by what any right run fulfils."""

from __future__ import annotations

import itertools
import math

import pytest
from conftest import examples
from hypothesis import given
from oracles import contention, simulate
from oracles.contention import I5_7500, I5_7500_POWER, NPB
from oracles.model import Job, Machine
from oracles.platform_cases import Case, cases, i5_7500, platform_of
from oracles.platform_simulator import SECOND, PlatformJob
from oracles.platform_simulator import simulate as run

CORE, SHARED = I5_7500_POWER[3.4]


def npb(number: int, name: str, submit: float = 0, **shape: int) -> PlatformJob:
    instructions, ipc, volume = NPB[name]
    return PlatformJob(
        number,
        round(submit * SECOND),
        instructions=instructions,
        ipc=ipc,
        memory_volume=volume,
        **shape,
    )


def seconds(nanoseconds: int) -> float:
    return nanoseconds / SECOND


def one_socket(k: float = 1.0) -> dict:
    return platform_of(i5_7500(k), sockets=[[0]])


def test_alone_it_takes_its_time():
    found = run(one_socket(), [1], [npb(1, "cg")])
    alone = 60.31e10 / (1.10 * 3.4e9)
    record = found.jobs[1]
    assert seconds(record.end) == pytest.approx(alone, abs=2e-9)
    assert record.speed == pytest.approx(1)
    assert record.energy == pytest.approx(alone * (CORE + SHARED))
    assert found.energy == {"jobs": pytest.approx(record.energy), "idle": 0}


@pytest.mark.parametrize("k", [1.0, 0.6])
@pytest.mark.parametrize("name", sorted(NPB))
def test_four_copies(name, k):
    found = run(one_socket(k), [1], [npb(i, name) for i in (1, 2, 3, 4)])
    instructions, ipc, volume = NPB[name]
    alone = instructions / (ipc * 3.4e9)
    rate = volume / alone
    factor = contention.speed(I5_7500._replace(k=k), rate, 4 * rate, 3)
    for record in found.jobs.values():
        assert seconds(record.end) == pytest.approx(alone / factor)
        assert record.speed == pytest.approx(factor)
        assert record.energy == pytest.approx(alone / factor * (CORE + SHARED / 4))
    assert found.power[0] == (0, pytest.approx(30.15))


def test_a_job_of_four_tasks_is_four_jobs():
    together = run(one_socket(), [1], [npb(1, "lu", tasks=4)])
    apart = run(one_socket(), [1], [npb(i, "lu") for i in (1, 2, 3, 4)])
    assert together.jobs[1].end == apart.jobs[3].end
    assert together.jobs[1].energy == pytest.approx(4 * apart.jobs[3].energy)


def test_what_remains_is_rescaled_when_a_neighbour_comes_and_goes():
    """Two of speed 1/2 side by side from 4 s on; each is alone before and after."""
    half = (-1.0, 10.0, 0.0, 0.0, 1.0, 0.0, 1.0)  # beyond 10 MB/s all at once on the floor 1/2
    kind = {**i5_7500(), "contention": half}
    jobs = [
        PlatformJob(1, 0, run=10 * SECOND, memory_volume=100.0),
        PlatformJob(2, 4 * SECOND, run=10 * SECOND, memory_volume=100.0),
    ]
    found = run(platform_of(kind, sockets=[[0]]), [1], jobs)
    # The first has 6 s of work left at 4 s, done at 16 s; the second then has 4 s left.
    assert [seconds(found.jobs[i].end) for i in (1, 2)] == [16, 20]
    assert [found.jobs[i].speed for i in (1, 2)] == [10 / 16, 10 / 16]
    assert found.speeds == [(0, 1), (4 * SECOND, 0.5), (16 * SECOND, 1)]


def test_a_finished_share_idles_until_the_last_one_ends():
    """On a fast and a slow node; the fast one's share is done in half of the time."""
    fast, slow = i5_7500(), {**i5_7500(), "operations_per_second": 1.7e9}
    job = PlatformJob(1, 0, tasks=8, instructions=34e9)
    after = PlatformJob(2, 0, run=SECOND)
    found = run(platform_of(fast, slow, sockets=[[0], [1]]), [1, 1], [job, after])
    assert found.jobs[1].nodes == ((0, 4), (1, 4))
    assert seconds(found.jobs[1].end) == 20
    assert seconds(found.jobs[2].start) == 20  # cores of a finished share are not free
    full, idle = 4 * CORE + SHARED, 0.05 * SHARED
    assert found.jobs[1].energy == pytest.approx(30 * full)
    assert found.power == [
        (0, pytest.approx(2 * full)),
        (10 * SECOND, pytest.approx(full + idle)),
        (20 * SECOND, pytest.approx(CORE + SHARED + idle)),
        (21 * SECOND, pytest.approx(2 * idle)),
    ]
    assert found.energy["idle"] == pytest.approx(11 * idle)


def test_sockets_fill_in_order_and_a_task_may_straddle():
    platform = platform_of(i5_7500(), sockets=[[0, 0]], base=10.0)
    jobs = [PlatformJob(1, 0, run=SECOND, cores=6), PlatformJob(2, 0, run=SECOND)]
    found = run(platform, [1], jobs)
    # Socket 0: four cores of job 1. Socket 1: two of them and job 2. Half of the base on each.
    assert found.jobs[1].energy == pytest.approx(
        4 * (CORE + (SHARED + 5) / 4) + 2 * (CORE + (SHARED + 5) / 3)
    )
    assert found.jobs[2].energy == pytest.approx(CORE + (SHARED + 5) / 3)
    assert found.energy["idle"] == 0


def test_a_lower_step_stretches_time_and_draws_its_own_power():
    kind = i5_7500()
    kind["steps"].append((1.7, 2.31, 1.59, 0.08))
    found = run(platform_of(kind, sockets=[[0]]), [1], [npb(1, "ep")], step=1)
    alone = 80.94e10 / (1.16 * 3.4e9)
    assert seconds(found.jobs[1].end) == pytest.approx(2 * alone)
    assert found.jobs[1].speed == pytest.approx(0.5)
    assert found.jobs[1].energy == pytest.approx(2 * alone * (2.31 + 1.59))


def test_ends_are_rounded_up():
    kind = {**i5_7500(), "operations_per_second": 3e9}
    found = run(platform_of(kind, sockets=[[0]]), [1], [PlatformJob(1, 0, instructions=1.0)])
    assert found.jobs[1].end == 1


def test_jobs_without_work_end_at_once_and_free_their_cores():
    jobs = [PlatformJob(i, 5, tasks=4) for i in (1, 2, 3)]
    found = run(one_socket(), [1], jobs)
    assert {(r.start, r.end, r.speed) for r in found.jobs.values()} == {(5, 5, 1.0)}


def test_a_job_that_never_fits_is_refused():
    with pytest.raises(ValueError, match="job 7 does not fit"):
        run(one_socket(), [2], [PlatformJob(7, 0, cores=5)])


def check(case: Case):
    """Asserts what holds of every run, and returns it."""
    found = run(*case)
    assert found.jobs.keys() == {job.id for job in case.jobs}
    for shares in found.work.values():
        assert all(done == alone for done, alone in shares)
    integral = math.fsum(
        watts * (after - time) / SECOND
        for (time, watts), (after, _) in itertools.pairwise(found.power)
    )
    assert sum(found.energy.values()) == pytest.approx(integral, rel=1e-9, abs=1e-9)
    starts = [found.jobs[job.id].start for job in case.jobs]
    assert starts == sorted(starts)  # FIFO
    for job in case.jobs:
        record = found.jobs[job.id]
        assert job.submit <= record.start <= record.end
        assert sum(tasks for _, tasks in record.nodes) == job.tasks
        assert 0 < record.speed <= 1 + 1e-9
    return found


@examples(120)
@given(cases())
def test_work_is_conserved_and_energy_closes(case):
    check(case)


@examples(120)
@given(cases(contending=False))
def test_without_contention_it_is_the_other_oracle(case):
    found = check(case)
    assert not found.ambiguous
    kinds, groups = case.platform["processors"], case.platform["groups"]
    machine = Machine(
        tuple(
            (sum(kinds[index]["cores"] for index in group["sockets"]),)
            for group, count in zip(groups, case.nodes, strict=True)
            for _ in range(count)
        )
    )
    jobs = [
        Job(
            *(job.id, job.submit, job.run, job.run, job.tasks),
            request=(job.cores,),
            whole_nodes=job.whole_nodes,
        )
        for job in case.jobs
    ]
    expected = simulate(jobs, machine, order="fifo", discipline="blocking", allocator="first-fit")
    actual = {i: (record.start, record.end, record.nodes) for i, record in found.jobs.items()}
    assert actual == {i: (record.start, record.end, record.nodes) for i, record in expected.items()}
