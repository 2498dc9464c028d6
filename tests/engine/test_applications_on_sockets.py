"""Applications on sockets that contend: two models of execution carry one job."""

from __future__ import annotations

import pytest
from conftest import examples
from hypothesis import event, given
from hypothesis import strategies as st
from oracles.everything_on import CONDITIONS
from oracles.everything_on import SYSTEM as CONTENDING
from oracles.message_engine import rows, text_of

from schedlab import Job, Simulation, simulate
from schedlab.errors import InputError

FIDELITIES = ("analytic", "fluid", "packet", "phase")
NETWORK = {
    "topology": "torus",
    "dimensions": [2, 2],
    "nodes_per_router": 2,
    "bandwidth": 4e10,
    "delay": 1e-7,
    "host_bandwidth": 8e10,
    "host_delay": 5e-7,
}
SYSTEM = {**CONTENDING, "network": NETWORK}
"""8 nodes of two contending sockets with 4 cores each, on a network."""

VOLUME, LARGER_VOLUME = {"memory_volume": 200_000.0}, {"memory_volume": 1e7}
"""MB of each core."""

NANOSECONDS_OFF = 20
"""What remains to compute is rounded to a picosecond at every change of speed, and to a float."""


RATES = st.sampled_from([0, 300, 6000, 15_000, 30_000])
"""MB/s of each core; contention begins at 32,000 of a socket."""


def volumes(jobs: list[tuple[int, int, int, int]]) -> list[dict]:
    """What jobs of (submit, run, tasks, MB/s of each core) have in common in both ways to run."""
    return [
        {
            "id": number,
            "submit": submit,
            "run": run,
            "processors": tasks,
            "requested_time": 10 * run,
            "attributes": {"memory_volume": float(rate * run)},
        }
        for number, (submit, run, tasks, rate) in enumerate(sorted(jobs), 1)
    ]


def ends(made: Simulation) -> dict[str, tuple[float, float]]:
    return {row["job_id"]: (float(row["start"]), float(row["end"])) for row in rows(made)}


@examples(25)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 60),
            st.integers(1, 90),
            st.just(1),
            RATES,
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(FIDELITIES),
)
def test_what_only_computes_takes_as_long_as_the_same_work_on_sockets(jobs, fidelity):
    """Jobs of one core: of others, the parts on sockets that are faster end before the job does."""
    compare(jobs, fidelity)


@examples(25)
@given(st.integers(1, 90), st.integers(2, 64), RATES, st.sampled_from(FIDELITIES))
def test_the_slowest_socket_says_when_a_wide_one_ends(run, tasks, rate, fidelity):
    compare([(0, run, tasks, rate)], fidelity)


def compare(jobs: list[tuple[int, int, int, int]], fidelity: str) -> None:
    common = volumes(jobs)
    options = {"system": SYSTEM, "scheduler": "easy", "fidelity": fidelity}
    recorded = ends(Simulation([Job(**one) for one in common], **options))
    lengths = [end - start for start, end in recorded.values()]
    event("contended" if lengths != [one["run"] for one in common] else "alone")
    applications = [
        Job(**one, application=f"oracles.message_engine:compute_for(seconds={one['run']})")
        for one in common
    ]
    found = ends(Simulation(applications, **options))
    assert found.keys() == recorded.keys()
    for number, (start, end) in recorded.items():
        assert found[number][0] == pytest.approx(start, abs=NANOSECONDS_OFF * 1e-9)
        assert found[number][1] == pytest.approx(end, abs=NANOSECONDS_OFF * 1e-9)


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_neighbour_slows_what_computes_and_not_what_is_sent(fidelity):
    def program(mpi):
        for _ in range(20):
            yield mpi.compute(1.0)
            yield mpi.allreduce(1_000_000)

    def run(neighbours: int) -> tuple[float, float, float]:
        with text_of(program) as (text, _):
            jobs = [
                Job(1, 0, 20, 16, tasks_per_node=2, application=text, attributes=VOLUME),
                *(
                    Job(9 + i, 0, 500, 48, tasks_per_node=6, attributes=LARGER_VOLUME)
                    for i in range(neighbours)
                ),
            ]
            made = Simulation(jobs, system=SYSTEM, scheduler="fifo", fidelity=fidelity)
            row = next(row for row in rows(made) if row["job_id"] == "1")
        times = (row["compute"], row["communication"], row["speed"])
        return tuple(float(value) for value in times)  # type: ignore[return-value]

    alone, crowded = run(0), run(1)
    assert crowded[0] > 1.05 * alone[0]
    assert crowded[1] == pytest.approx(alone[1], rel=0.02)
    assert crowded[2] < alone[2] / 1.05


def test_power_is_drawn_while_it_runs_and_energy_closes():
    jobs = [
        Job(1, 0, 50, 16, application="stencil-2d(iterations=50, compute=1)"),
        Job(2, 10, 100, 20),
    ]
    result = simulate(jobs, system=SYSTEM, timeline="csv")
    energy = result.metrics["energy"]
    table = result.jobs.collect()
    assert table["energy"].sum() == pytest.approx(energy["jobs"], rel=1e-9)
    assert (table["energy"] > 0).all()
    timeline = result.timeline.collect()
    lengths = timeline["time"].diff().drop_nulls()
    integral = (timeline["power"].head(len(lengths)) * lengths).sum()
    assert integral == pytest.approx(energy["total"], rel=1e-9)


def mixed(count: int = 60) -> list[Job]:
    names = [None, "stencil-3d(iterations=40, compute=2)", "random-pairs(iterations=50, compute=3)"]
    return [
        Job(
            number,
            40 * number,
            100 + number,
            (1, 2, 4, 8, 16)[number % 5] * (2 if names[number % 3] else 1),
            requested_time=4000,
            attributes={"memory_volume": 2000.0 * (number % 7)},
            application=names[number % 3],
        )
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize("fidelity", ["analytic", "phase"])
@pytest.mark.parametrize("scheduler", ["fifo", "easy", "conservative"])
def test_with_failures_caps_heat_and_nodes_that_sleep(scheduler, fidelity, tmp_path):
    options = {
        "system": SYSTEM,
        "scheduler": scheduler,
        "conditions": CONDITIONS,
        "fidelity": fidelity,
    }
    whole = Simulation(mixed(), **options)
    whole.record_jobs(tmp_path / "whole.csv")
    whole.run()
    energy = whole.engine.metrics()["energy"]
    parts = [energy[name] for name in ("jobs", "idle", "transitions", "sleeping", "off")]
    assert sum(parts) == pytest.approx(energy["total"], rel=1e-9)
    assert whole.engine.counts()["completed"] == 60

    saved = Simulation(mixed(), **options)
    saved.run(until=1500)
    fork = saved.fork()
    saved.save(tmp_path / "middle.state")
    loaded = Simulation.load(tmp_path / "middle.state", workload=mixed())
    text = (tmp_path / "whole.csv").read_text().splitlines()
    for name, other in (("fork", fork), ("loaded", loaded)):
        other.record_jobs(tmp_path / f"{name}.csv")
        other.run()
        rest = (tmp_path / f"{name}.csv").read_text().splitlines()[1:]
        assert len(rest) > 10
        assert text[-len(rest) :] == rest
        assert other.engine.metrics() == whole.engine.metrics()


def test_a_limit_ends_it_and_an_error_fails_it():
    def wrong(mpi):
        yield mpi.compute(3.0)
        raise ValueError("no more")

    with text_of(wrong) as (text, _):
        jobs = [
            Job(1, 0, 50, 4, requested_time=10, application="stencil-2d(iterations=50, compute=1)"),
            Job(2, 0, 50, 4, requested_time=10, application=text),
        ]
        made = Simulation(jobs, system=SYSTEM, enforce_limits=True, application_errors="fail")
        states = {row["job_id"]: (row["state"], float(row["end"])) for row in rows(made)}
        assert states["1"] == ("killed", 10.0)
        assert states["2"][0] == "failed"
        assert states["2"][1] == pytest.approx(3.0, abs=1e-6)
        with pytest.raises(InputError, match="no more"):
            Simulation(jobs[1:], system=SYSTEM).run()


STENCIL = "stencil-2d(iterations=4, compute=1)"


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_job_whose_nodes_never_woke_ran_no_application(fidelity):
    """Also where its place among the jobs was that of one which did."""
    jobs = [
        Job(1, 0, 10, 4, application=STENCIL),
        Job(2, 400, 10, 64, application=STENCIL),  # given up while nodes wake
    ]
    conditions = {
        "switch_off": {"after": 100},
        "failure_trace": {"outages": [[5, 450, 600]]},
        "resubmission": {"from": "start", "limit": 1},
    }
    made = Simulation(jobs, system=SYSTEM, conditions=conditions, fidelity=fidelity)
    first, second = rows(made)
    assert (first["state"], second["state"]) == ("completed", "failed")
    assert float(first["compute"]) == 4
    assert second["compute"] == second["communication"] == ""
    assert made.metrics["network"]["jobs"] == 1


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_node_fails_where_an_application_ran(fidelity, tmp_path):
    """The outage has the place that the job had, and nothing else of it."""
    jobs = [Job(1, 0, 10, 4, application=STENCIL), Job(2, 100, 10, 64, application=STENCIL)]
    conditions = {"failure_trace": {"outages": [[5, 50, 200]]}}
    made = Simulation(jobs, system=SYSTEM, conditions=conditions, fidelity=fidelity)
    made.run(until=60)
    made.save(tmp_path / "middle.state")
    loaded = Simulation.load(tmp_path / "middle.state", workload=jobs)
    made.run()
    loaded.run()
    assert loaded.metrics == made.metrics
    assert made.counts["completed"] == 2
