"""Allocators on platforms: sockets in every order, what policies see, energy, forks and states."""

from __future__ import annotations

import pytest
from dispatch.policies import schedule
from dispatch.test_irmasim_policies import NPB, PLATFORM, for_engine, some_jobs
from oracles import contention

import schedlab as sl
from schedlab import Allocator, InputError, Job, SimulationError
from schedlab.dispatch.allocators import ALLOCATORS, SOCKET_ORDERS
from schedlab.dispatch.irmasim import irmasim_policies
from schedlab.testing import SCENARIOS, Scenario, check_allocator

FAST = PLATFORM["processors"]["fast"]


def machine(nodes=1, sockets=2, **changes):
    """Returns a system of nodes with sockets of four cores."""
    processor = {key: value for key, value in {**FAST, **changes}.items() if value is not None}
    return {
        "processors": {"fast": processor},
        "node_types": {"n": {"processors": {"fast": sockets}}},
        "groups": {"g": {"nodes": nodes, "type": "n"}},
    }


def npb(number, name, submit=0, cores=1):
    """Returns a job that does on each of its cores what the benchmark does."""
    instructions, ipc, volume = contention.NPB[name]
    work = {"instructions": instructions, "ipc": ipc, "memory_volume": volume}
    return Job(number, submit, 100, 1, 9000, resources={"core": cores}, attributes=work)


def speeds(jobs, system, allocator):
    """Returns the mean speed factor of each job."""
    result = sl.simulate(jobs, system=system, allocator=allocator)
    return dict(result.jobs.collect().select("job_id", "speed").rows())


def test_neighbours_on_a_socket():
    """A quiet job joins one of heavy traffic, or sits on the other socket; a third then sees."""
    jobs = [npb(1, "cg", 0, 2), npb(2, "ep", 1), npb(3, "cg", 2)]
    alone = speeds(jobs[:1], machine(), "first-fit")[1]
    grouped = {
        order: speeds(jobs, machine(), f"first-fit(sockets={order})") for order in SOCKET_ORDERS
    }
    for order in ("by-number", "fullest"):
        assert grouped[order][1] < 0.9 * alone
    assert grouped["emptiest"][1] == pytest.approx(alone, rel=1e-6)
    assert grouped["most-bandwidth"][3] > grouped["fullest"][3]
    # Job 2 draws less than job 1, so job 3 goes beside it.
    assert grouped["least-power"] == grouped["emptiest"]


class ByView(Allocator):
    """A selection by what the machine's view says of nodes."""

    def __init__(self, fact, sign, sockets):
        self.fact = fact
        self.sign = sign
        self.sockets = sockets

    def place(self, job, machine):
        value = getattr(machine, self.fact)
        nodes = machine.nodes_with_room(job)
        nodes.sort(key=lambda node: (round(self.sign * value(node), 6), node))
        return machine.fill(job, nodes)


VIEWS = {
    "high-gflops": ("gflops", -1, "fastest"),
    "high-mem-bw": ("bandwidth", -1, "most-bandwidth"),
    "low-power": ("power", 1, "least-power"),
}


@pytest.mark.parametrize("scheduler", ["fifo", "easy(order=low-mem-bw)", "conservative"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_twin_in_python_by_the_view(name, scheduler):
    jobs = [for_engine(job) for job in some_jobs(5)]
    expected = schedule(jobs, PLATFORM, scheduler=scheduler, allocator=name)
    assert schedule(jobs, PLATFORM, scheduler=scheduler, allocator=ByView(*VIEWS[name])) == expected


def test_what_the_view_says():
    seen = []

    class Looking(sl.Scheduler):
        def schedule(self, state):
            yield from state.queue
            look = state.machine
            seen.append([(look.power(n), look.gflops(n), look.bandwidth(n)) for n in range(2)])

    jobs = [npb(1, "lu", 0, 2), npb(2, "ep", 1, 2)]
    sl.simulate(jobs, system=machine(2, 1), scheduler=Looking())
    rate = contention.NPB["lu"][2] / (contention.NPB["lu"][0] / (2.2 * 3.4e9))
    factor = contention.speed(contention.I5_7500._replace(k=0.6), rate, 2 * rate, 1)
    assert factor < 1
    first, idle = seen[0]
    assert first == pytest.approx((2 * 6.14 + 5.59, 3.4 * factor, 38400 - 2 * rate))
    assert idle == (0.28, 3.4, 38400)
    full, _ = seen[1]  # no core is free
    assert full == (pytest.approx(4 * 6.14 + 5.59), 0, float("-inf"))


@pytest.mark.parametrize("fact", ["power", "gflops", "bandwidth"])
def test_a_view_of_a_machine_that_does_not_say_it(fact):
    plain = {"groups": {"all": {"nodes": 2, "resources": {"core": 4}}}}
    with pytest.raises(SimulationError, match=rf"machine\.{fact}\(node\) is not known"):
        schedule([Job(1, 0, 5)], plain, allocator=ByView(fact, 1, None))


def test_platforms_without_power_or_bandwidth():
    mute = machine(power=None, memory_bandwidth=None)
    for name in ("low-power", "least-added-power"):
        with pytest.raises(InputError, match=f'"{name}": .* needs power of the processor types'):
            schedule([Job(1, 0, 5)], mute, allocator=name)
    with pytest.raises(InputError, match="needs memory_bandwidth of every processor type"):
        schedule([Job(1, 0, 5)], mute, allocator="high-mem-bw")
    assert schedule([Job(1, 0, 5)], mute, allocator="high-gflops")[1][3] == "0"
    with pytest.raises(SimulationError, match="power"):
        schedule([Job(1, 0, 5)], mute, allocator=ByView("power", 1, None))


def test_an_allocator_of_ones_own_with_an_unknown_order_of_sockets():
    with pytest.raises(
        InputError, match='sockets: there is no order of sockets "full"; known: by-number, fullest'
    ):
        schedule([Job(1, 0, 5)], machine(), allocator=ByView("power", 1, "full"))


def test_random_pairs_differ_between_seeds_and_repeat():
    jobs = [for_engine(job) for job in some_jobs(2)]
    for scheduler, allocator in irmasim_policies():
        if "random" not in (scheduler[len("blocking(order=") : -1], allocator):
            continue
        runs = [
            schedule(jobs, PLATFORM, scheduler=scheduler, allocator=allocator, seed=seed)
            for seed in (1, 1, 2)
        ]
        assert runs[0] == runs[1] != runs[2], (scheduler, allocator)


@pytest.mark.parametrize(
    "allocator", [*ALLOCATORS, *(f"random(sockets={o})" for o in SOCKET_ORDERS)]
)
def test_forks_and_states_go_on_the_same(allocator, tmp_path):
    jobs = [for_engine(job) for job in some_jobs(7)]
    policies = {"scheduler": "easy(order=random)", "allocator": allocator, "seed": 6}
    if allocator == "coolest":
        policies["conditions"] = {"thermal": {"resistance": 0.5, "time_constant": 300}}
    simulation = sl.Simulation(jobs, system=PLATFORM, **policies)
    simulation.run(until=2000)
    simulation.save(tmp_path / "state")
    others = [simulation.fork(), sl.Simulation.load(tmp_path / "state", workload=jobs)]
    for one in (simulation, *others):
        one.run()
    assert [one.metrics for one in others] == [simulation.metrics] * 2


@pytest.mark.parametrize("name", ["high-gflops", "high-mem-bw", "low-power", "least-added-power"])
def test_conformance(name):
    """Where nothing contends, for the suite expects jobs to run for their time."""
    jobs = [Job(i, 3 * i, 10 + 7 * i % 40, 1 + i % 5, 60) for i in range(60)]
    scenario = Scenario("sockets", machine(3, contention=None), jobs)
    report = check_allocator(name, scenarios=[scenario], skip=SCENARIOS)
    assert report.passed["works under conservative"] == 1


def energy(names, allocator):
    """Returns the joules of 200 jobs of these benchmarks that come one by one, on 15 nodes."""
    jobs = [npb(i, names[i * i % len(names)], 40 * i) for i in range(1, 201)]
    simulation = sl.Simulation(jobs, system=machine(15, 1), allocator=allocator)
    simulation.run()
    assert simulation.metrics["utilization"]["core"] < 0.5
    return simulation.metrics["energy"]["total"]


def test_grouping_saves_energy_and_literal_low_power_spreads():
    """Jobs without much traffic: a shared part less for most of them."""
    quiet = ["bt", "ep", "is"]
    grouped, spread = (energy(quiet, name) for name in ("least-added-power", "low-power"))
    assert grouped < 0.8 * spread
    assert energy(quiet, "high-core") == pytest.approx(spread, rel=0.02)


def test_grouping_what_contends_saves_less_than_leaving_it_alone():
    """Cores that wait for memory draw as much as others, for longer."""
    mixed = [*contention.NPB]
    assert len(mixed) == len(NPB)
    grouped, spread = (energy(mixed, name) for name in ("least-added-power", "low-power"))
    assert energy(mixed, "high-gflops") < 0.95 * min(grouped, spread)


def two_sockets(nodes=1):
    """Returns a system of nodes with a socket of 10 W a core and one of 20 W, of two cores each."""
    processor = {"cores": 2, "clock": 2.0}
    power = {"shared": 0, "idle": 0}
    return {
        "processors": {
            "cheap": {**processor, "power": {"core": 10, **power}},
            "dear": {**processor, "power": {"core": 20, **power}},
        },
        "node_types": {"n": {"processors": {"cheap": 1, "dear": 1}}},
        "groups": {"g": {"nodes": nodes, "type": "n"}},
    }


@pytest.mark.parametrize("order", ["by-number", "fullest", "emptiest", "fastest", "least-power"])
def test_of_equal_sockets_the_first_is_taken(order):
    result = sl.simulate(
        [Job(1, 0, 10)], system=two_sockets(), allocator=f"first-fit(sockets={order})"
    )
    assert result.jobs.collect()["energy"].to_list() == [100]


def test_the_socket_with_more_bandwidth_is_taken():
    system = two_sockets()
    system["processors"]["cheap"]["memory_bandwidth"] = 1000
    system["processors"]["dear"]["memory_bandwidth"] = 2000
    result = sl.simulate(
        [npb(1, "ep")], system=system, allocator="first-fit(sockets=most-bandwidth)"
    )
    row = result.jobs.collect().row(0, named=True)
    assert row["energy"] == pytest.approx(20 * (row["end"] - row["start"]))


@pytest.mark.parametrize("order", SOCKET_ORDERS)
def test_a_cap_counts_every_socket_that_a_job_will_have(order):
    # A job takes both sockets of a node: 60 W. Two of them are more than the cap.
    system = two_sockets(nodes=2)
    for name in ("cheap", "dear"):
        system["processors"][name]["memory_bandwidth"] = 1000
    jobs = [npb(1, "ep", cores=4), npb(2, "ep", cores=4)]
    result = sl.simulate(
        jobs,
        system=system,
        allocator=f"first-fit(sockets={order})",
        conditions={"caps": [{"watts": 110}]},
    )
    energy = result.metrics["energy"]
    assert energy["caps"][0]["most_above"] == 0
    assert energy["peak_power"] == pytest.approx(60)
    first, second = result.jobs.collect().sort("job_id").rows(named=True)
    assert second["start"] == pytest.approx(first["end"])
