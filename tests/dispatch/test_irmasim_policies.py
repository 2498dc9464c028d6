"""IRMaSim's 36 pairs of job and resource selection equal their naive twins, job for job."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from conftest import examples
from dispatch.policies import schedule, starts
from hypothesis import event, given
from hypothesis import strategies as st
from oracles import contention
from oracles.irmasim_policies import AskingJob, simulate
from oracles.platform_simulator import SECOND

from schedlab import Blocking, ByScore, InputError, Job
from schedlab.dispatch import allocator, scheduler
from schedlab.dispatch.allocators import SOCKET_ORDERS
from schedlab.dispatch.irmasim import JOB_SELECTIONS, RESOURCE_SELECTIONS, irmasim_policies
from schedlab.system import load_system, platform

ORDERS = [*JOB_SELECTIONS.values()]
PLACES = [*RESOURCE_SELECTIONS.values()]
GROUPS = [(2, 4), (2, 6)]  # nodes and cores of each
MEMORY = 16


def plain_system():
    """Returns the system file of GROUPS, without processors."""
    resources = [{"core": cores, "mem": MEMORY} for _, cores in GROUPS]
    return {
        "groups": {
            f"g{i}": {"nodes": nodes, "resources": resources[i]}
            for i, (nodes, _) in enumerate(GROUPS)
        }
    }


def plain_platform():
    """Returns GROUPS as the oracle takes them: a socket each, without contention and power."""
    kinds = [
        {
            "cores": cores,
            "operations_per_second": 1e9,
            "contention": None,
            "bandwidth": 0.0,
            "steps": [(1.0, 0.0, 0.0, 0.0)],
        }
        for _, cores in GROUPS
    ]
    groups = [{"sockets": [i], "base": 0.0} for i in range(len(GROUPS))]
    return {"processors": kinds, "groups": groups}


@st.composite
def asking_jobs(draw):
    """Jobs for GROUPS that compete for cores and memory."""
    jobs, submit = [], 0
    for number in range(1, draw(st.integers(2, 18))):
        submit += draw(st.sampled_from((0, 0, 1, 4))) * SECOND
        cores = draw(st.integers(1, 4))
        jobs.append(
            AskingJob(
                number,
                submit,
                run=draw(st.integers(1, 12)) * SECOND,
                tasks=draw(st.integers(1, 4)),
                cores=cores,
                memory_volume=draw(st.integers(0, 3)),
                requested_time=draw(st.integers(1, 12)) * SECOND,
                requested_memory=draw(st.integers(0, MEMORY // cores)),
            )
        )
    return jobs


def for_engine(job: AskingJob) -> Job:
    memory = int(job.requested_memory) * job.cores
    attributes = {"memory_volume": job.memory_volume}
    if job.instructions is not None:
        attributes |= {"instructions": job.instructions, "ipc": job.ipc}
    return Job(
        job.id,
        job.submit // SECOND,
        job.run // SECOND,
        job.tasks,
        job.requested_time // SECOND,
        resources={"core": job.cores, **({"mem": memory} if memory else {})},
        attributes=attributes,
    )


def fitting(jobs: list[AskingJob], groups=GROUPS) -> list[AskingJob]:
    """Returns the jobs with no more tasks than an idle machine of these nodes and cores holds."""
    fit = []
    for job in jobs:
        memory = int(job.requested_memory) * job.cores
        rooms = [min(c // job.cores, MEMORY // memory if memory else c) for _, c in groups]
        room = sum(n * r for (n, _), r in zip(groups, rooms, strict=True))
        fit.append(replace(job, tasks=min(job.tasks, room)))
    return fit


def test_there_are_36_pairs():
    pairs = irmasim_policies()
    assert len(set(pairs)) == 36
    for (policy, places), (order, place) in zip(
        pairs, itertools.product(ORDERS, PLACES), strict=True
    ):
        assert scheduler(policy) == Blocking(order)
        assert str(allocator(places)) == places == place


def test_the_smallest_job_is_that_of_the_fewest_cores():
    """IRMaSim's res=4 is one task of four cores here."""
    machine = {"groups": {"all": {"nodes": 1, "resources": {"core": 4}}}}
    jobs = [
        Job(1, 0, 5, 1, resources={"core": 4}),
        Job(2, 0, 5, 3, resources={"core": 1}),
        Job(3, 0, 5, 2, resources={"core": 1}),
    ]
    [smallest] = {policy for policy, _ in irmasim_policies() if "cores" in policy}
    assert starts(jobs, machine, scheduler=smallest) == {3: 0, 2: 5, 1: 10}
    assert starts(jobs, machine, scheduler="smallest") == {1: 0, 3: 5, 2: 10}


@examples(120)
@given(
    jobs=asking_jobs(),
    job_selection=st.sampled_from(ORDERS),
    resource_selection=st.sampled_from(["random", "high-core", "high-mem"]),
    seed=st.integers(0, 3),
)
def test_pairs_that_need_no_processors(jobs, job_selection, resource_selection, seed):
    jobs = fitting(jobs)
    expected = simulate(
        plain_platform(),
        [nodes for nodes, _ in GROUPS],
        jobs,
        job_selection,
        resource_selection,
        memory=MEMORY,
        seed=seed,
    )
    got = schedule(
        [for_engine(job) for job in jobs],
        plain_system(),
        scheduler=f"blocking(order={job_selection})",
        allocator=resource_selection,
        seed=seed,
    )
    assert got == rows(expected)


def rows(run):
    """Returns the oracle's records as `schedule` gives the engine's."""
    return {
        job: (record.start / SECOND, record.end / SECOND, "completed", node_text(record.nodes))
        for job, record in run.jobs.items()
    }


def node_text(nodes):
    """Returns nodes as jobs.csv has them: runs of neighbours with as many tasks each."""
    runs: list[list[int]] = []
    for node, tasks in nodes:
        if runs and runs[-1][1] == node - 1 and runs[-1][2] == tasks:
            runs[-1][1] = node
        else:
            runs.append([node, node, tasks])
    return " ".join(
        (f"{first}-{last}" if last > first else f"{first}") + (f"*{tasks}" if tasks > 1 else "")
        for first, last, tasks in runs
    )


PLATFORM = {
    "processors": {
        "fast": {
            "cores": 4,
            "clock": 3.4,
            "memory_bandwidth": 38400,
            "power": {"core": 6.14, "shared": 5.59, "idle": 0.28},
            "contention": {
                **{"b": -1.85e-5, "c": 32000, "da": 1.75},
                **{"db": 3500, "dc": 45000, "dd": 3000, "k": 0.6},
            },
        },
        "slow": {
            "like": "fast",
            "cores": 2,
            "clock": 1.7,
            "memory_bandwidth": 20000,
            "power": {"core": 2.31, "shared": 1.59, "idle": 0.08},
        },
    },
    "node_types": {
        "two": {"processors": {"fast": 2}, "resources": {"mem": MEMORY}, "power": {"base": 3}},
        "mixed": {"processors": {"slow": 1, "fast": 1}, "resources": {"mem": MEMORY}},
    },
    "groups": {"a": {"nodes": 2, "type": "two"}, "b": {"nodes": 2, "type": "mixed"}},
}
NODES = [2, 2]
CORES = [8, 6]
NPB = [*contention.NPB.values()]


@st.composite
def jobs_on_sockets(draw, most=18):
    """Sequential and parallel jobs; some of known work and traffic, some of a known time."""
    jobs, submit = [], 0
    for number in range(1, draw(st.integers(3, most))):
        submit += draw(st.sampled_from((0, 0, 0, 60, 400))) * SECOND
        cores = draw(st.sampled_from((1, 1, 2, 3, 5)))
        job = AskingJob(
            number,
            submit,
            run=draw(st.integers(100, 2000)) * SECOND,
            tasks=draw(st.sampled_from((1, 1, 2, 4))),
            cores=cores,
            memory_volume=draw(st.sampled_from((0, 1e6, 6e6))),
            requested_time=draw(st.integers(1, 40)) * 100 * SECOND,
            requested_memory=draw(st.integers(0, MEMORY // cores // 2)),
        )
        if draw(st.booleans()):
            instructions, ipc, volume = draw(st.sampled_from(NPB))
            work = {"instructions": instructions, "ipc": ipc, "memory_volume": volume}
            job = replace(job, **work)
        jobs.append(job)
    return fitting(jobs, [*zip(NODES, CORES, strict=True)])


def check_pair(jobs, job_selection, resource_selection, seed, sockets=None):
    """Compares the engine with the twin; False where rounding might swap events."""
    expected = simulate(
        platform.for_engine(load_system(PLATFORM)),
        NODES,
        jobs,
        job_selection,
        resource_selection,
        memory=MEMORY,
        seed=seed,
        sockets=sockets,
    )
    if expected.ambiguous:
        return False
    got = schedule(
        [for_engine(job) for job in jobs],
        PLATFORM,
        scheduler=f"blocking(order={job_selection})",
        allocator=f"{resource_selection}(sockets={sockets})" if sockets else resource_selection,
        seed=seed,
    )
    assert got.keys() == expected.jobs.keys()
    for job, (start, end, state, nodes) in got.items():
        record = expected.jobs[job]
        assert (state, nodes) == ("completed", node_text(record.nodes)), job
        assert start == pytest.approx(record.start / SECOND, abs=1e-6)
        assert end == pytest.approx(record.end / SECOND, abs=1e-6)
    return True


def some_jobs(seed, count=60):
    """Returns a queue that keeps PLATFORM busy for a while."""
    draw = random.Random(seed)
    jobs = []
    for number in range(1, count + 1):
        instructions, ipc, volume = draw.choice(NPB)
        cores = draw.choice((1, 1, 1, 2, 4))
        jobs.append(
            AskingJob(
                number,
                draw.randrange(4000) * SECOND,
                tasks=draw.choice((1, 1, 2, 3)),
                cores=cores,
                instructions=instructions * draw.uniform(0.5, 1.5),
                ipc=ipc,
                memory_volume=volume,
                requested_time=draw.randrange(600, 6000) * SECOND,
                requested_memory=draw.randrange(MEMORY // cores // 2),
            )
        )
    jobs.sort(key=lambda job: job.submit)
    return fitting(jobs, [*zip(NODES, CORES, strict=True)])


@pytest.mark.parametrize("resource", [*PLACES, "least-added-power"])
@pytest.mark.parametrize("job", ORDERS)
def test_every_pair_equals_its_twin(job, resource):
    assert check_pair(some_jobs(1), job, resource, seed=3)


@examples(100)
@given(
    jobs=jobs_on_sockets(),
    job_selection=st.sampled_from(ORDERS),
    resource_selection=st.sampled_from([*PLACES, "least-added-power", "first-fit"]),
    seed=st.integers(0, 3),
    sockets=st.sampled_from([None, None, *SOCKET_ORDERS]),
)
def test_pairs_equal_their_twins_on_random_jobs(
    jobs, job_selection, resource_selection, seed, sockets
):
    compared = check_pair(jobs, job_selection, resource_selection, seed, sockets)
    event(f"compared: {compared}")


@pytest.mark.parametrize("sockets", SOCKET_ORDERS)
def test_sockets_in_every_order(sockets):
    assert check_pair(some_jobs(1), "submit", "first-fit", 0, sockets)


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("high-gflops", "groups whose nodes have a type"),
        ("high-mem-bw", "groups whose nodes have a type"),
        ("low-power", "groups whose nodes have a type"),
        ("least-added-power", "groups whose nodes have a type"),
        ("high-mem", 'a resource type "mem"'),
    ],
)
def test_a_machine_that_does_not_say_it(name, missing):
    machine = {"groups": {"all": {"nodes": 2, "resources": {"core": 4}}}}
    for given_allocator in (name, ByScore(name)):
        with pytest.raises(InputError, match=f'allocator "{name}": .* needs {missing}'):
            schedule([Job(1, 0, 5)], machine, allocator=given_allocator)


def test_sockets_where_there_are_none():
    machine = {"groups": {"all": {"nodes": 2, "resources": {"core": 4}}}}
    with pytest.raises(InputError, match="sockets: the system has none"):
        schedule([Job(1, 0, 5)], machine, allocator="first-fit(sockets=fullest)")
