"""Jobs that can never start are found when they are submitted; no other job is."""

from __future__ import annotations

import math

import pytest
from conftest import examples
from hypothesis import assume, given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.workload import Job

watts = st.floats(0, 40).map(lambda value: round(value, 2))


@st.composite
def processors(draw: st.DrawFn) -> dict:
    def power() -> dict:
        return {name: draw(watts) for name in ("core", "shared", "idle")}

    found = {"cores": draw(st.integers(1, 4)), "clock": 2.0, "power": power()}
    if draw(st.booleans()):
        found["steps"] = [{"clock": 1.0, **power()}]
    return found


@st.composite
def machines(draw: st.DrawFn, groups: int = 1) -> dict:
    kinds = {f"p{n}": draw(processors()) for n in range(groups)}
    types, found = {}, {}
    for n in range(groups):
        rest = {"down_seconds": 1, "down_power": draw(watts), "up_seconds": 1}
        types[f"n{n}"] = {
            "processors": {f"p{n}": draw(st.integers(1, 2))},
            "power": {"base": draw(watts), "off": draw(watts)},
            "transitions": {"off": {**rest, "up_power": draw(watts)}},
        }
        found[f"g{n}"] = {"nodes": draw(st.integers(1, 3)), "type": f"n{n}"}
    return {"processors": kinds, "node_types": types, "groups": found}


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    return Job(
        *(1, draw(st.sampled_from((0, 100))), 10, draw(st.integers(1, 6))),
        resources={"core": draw(st.integers(1, 3))},
        tasks_per_node=draw(st.none() | st.integers(1, 2)),
        whole_nodes=draw(st.booleans()),
    )


def became(job: Job, system: dict, **given: object) -> tuple[str, str | None]:
    """Returns the job's state, and why it was rejected."""
    row = sl.simulate([job], system=system, **given).jobs.collect().row(0, named=True)
    return row["state"], row["reason"]


def most_power(job: Job, system: dict, **given: object) -> float:
    """Returns the highest power while the job runs without a cap; the job must fit."""
    result = sl.simulate([job], system=system, timeline="csv", **given)
    assume(result.counts["completed"])
    row = result.jobs.collect().row(0, named=True)
    points = result.timeline.collect()
    during = points.filter((points["time"] >= row["start"]) & (points["time"] < row["end"]))
    return max(during["power"])


@examples(150)
@given(machines(), jobs())
def test_on_nodes_that_are_alike_the_bound_is_exact(system, job):
    """First fit packs as densely as can be: what it takes is the least."""
    kind = system["processors"]["p0"]["power"]
    assume(kind["shared"] >= kind["idle"])  # else two sockets may take less than one
    needed = most_power(job, system)
    idle = system["groups"]["g0"]["nodes"] * _idle_watts(system)
    assume(needed - 0.01 > idle)
    assert became(job, system, conditions={"caps": [{"watts": needed}]})[0] == "completed"
    too_low = {"caps": [{"watts": needed - 0.01}]}
    assert became(job, system, conditions=too_low) == ("rejected", "power-cap")


def _idle_watts(system: dict) -> float:
    kind = system["node_types"]["n0"]
    idle = system["processors"]["p0"]["power"]["idle"]
    return kind["power"]["base"] + kind["processors"]["p0"] * idle


@examples(150)
@given(
    machines(groups=2),
    jobs(),
    st.sampled_from(["refuse", "slow"]),
    st.booleans(),
    st.sampled_from(["first-fit", "best-fit", "least-added-power"]),
)
def test_no_job_is_rejected_that_runs(system, job, action, switch_off, allocator):
    """Whatever power it takes on its way: a cap of that power does not make it impossible."""
    steps = all("steps" in kind for kind in system["processors"].values())
    assume(action == "refuse" or steps)
    conditions = {"switch_off": {"after": 5}} if switch_off else {}
    needed = most_power(job, system, allocator=allocator, conditions=conditions or None)
    cap = {"watts": needed + 1e-6, "action": action}
    try:
        _, reason = became(job, system, conditions={**conditions, "caps": [cap]})
    except sl.InputError:  # the cap is below what idle nodes draw
        return
    except sl.SimulationError:  # refused for other reasons, such as the power of waking
        return
    assert reason != "power-cap"


def machine(nodes: int = 2) -> dict:
    """Nodes of four cores: 10 W each, 2 W at half the clock."""
    steps = [{"clock": 1.0, "core": 2, "shared": 0, "idle": 0}]
    power = {"core": 10, "shared": 0, "idle": 0}
    return {
        "processors": {"p": {"cores": 4, "clock": 2.0, "power": power, "steps": steps}},
        "node_types": {"n": {"processors": {"p": 1}}},
        "groups": {"a": {"nodes": nodes, "type": "n"}, "b": {"nodes": nodes, "type": "n"}},
    }


def test_caps_over_time_count_from_the_submission_on():
    early = {"times": [0, 50], "values": [100, 30]}
    late = {"times": [0, 50], "values": [30, 100]}
    again = {"times": [0, 50], "values": [100, 30], "every": 200}
    job = Job(1, 60, 10, 8)
    for cap, state in ((early, "rejected"), (late, "completed"), (again, "completed")):
        assert became(job, machine(), conditions={"caps": [{"watts": cap}]})[0] == state
    assert became(job.replace(submit=10), machine(), conditions={"caps": [{"watts": early}]})[
        0
    ] == ("completed")


def test_caps_of_groups_frequency_steps_and_schedulers_that_slow_nodes():
    wide = Job(1, 0, 10, 16)  # all of both groups: 40 W each
    cap = {"watts": 39, "group": "b"}
    assert became(wide, machine(), conditions={"caps": [{**cap, "watts": 80}]})[0] == "completed"
    assert became(wide, machine(), conditions={"caps": [cap]}) == ("rejected", "power-cap")
    half = wide.replace(processors=8)  # group a is not capped
    assert became(half, machine(), conditions={"caps": [cap]})[0] == "completed"
    slow = {"caps": [{**cap, "action": "slow"}]}
    assert became(wide, machine(), conditions=slow)[0] == "completed"

    class Slow(sl.Scheduler):
        def schedule(self, state):
            yield sl.SetClock([0, 1, 2, 3], 1)
            yield from list(state.queue)

    assert became(wide, machine(), scheduler=Slow(), conditions={"caps": [cap]})[0] == "completed"


def test_a_run_with_an_impossible_job_goes_on():
    jobs = [Job(1, 0, 10, 4), Job(2, 1, 10, 16), Job(3, 2, 10, 4)]
    result = sl.simulate(jobs, system=machine(), conditions={"caps": [{"watts": 100}]})
    assert result.counts["completed"] == 2
    assert result.run["rejections"] == {
        "power-cap": {
            "jobs": 1,
            "first_job": 2,
            "because": "with it, the machine draws 160.0 W or more, and the power cap is never "
            "above 100.0 W from its submission on",
        }
    }


@pytest.mark.parametrize(
    ("job", "text"),
    [
        (Job(2, 5, 10, 17), r"asks for 17 tasks of 1 core, and the machine has room for 16"),
        (Job(2, 5, 10, 16), r"draws 160\.0 W or more, and the power cap is never above 100\.0 W"),
        (Job(2, 5, 10, resources={"core": 5}), r"needs 5 core of one node, and a node has 4 core"),
    ],
)
def test_with_stop_it_is_an_error_at_once_and_what_ended_is_kept(tmp_path, job, text):
    jobs = [Job(1, 0, 4, 4), job, Job(3, 9, 10, 4)]
    conditions = {"caps": [{"watts": 100}]}
    match = rf"job 2, submitted at 5\.0+ s, can never start: .*{text}"
    with pytest.raises(sl.SimulationError, match=match):
        sl.simulate(
            jobs, system=machine(), conditions=conditions, impossible="stop", out=tmp_path / "run"
        )
    result = sl.Result.load(tmp_path / "run")
    assert result.run["status"] == "failed"
    assert "job 2" in result.run["error"]
    assert result.jobs.collect()["job_id"].to_list() == [1]
    assert "PARTIAL RESULT: the run failed: job 2" in str(result.summary)


def test_state_files_and_forks_keep_the_reasons(tmp_path):
    jobs = [Job(1, 0, 10, 4), Job(2, 1, 10, 16), Job(3, 50, 10, 16), Job(4, 51, 10, 99)]
    given = {"system": machine(), "conditions": {"caps": [{"watts": 100}]}}
    expected = sl.simulate(jobs, **given).run["rejections"]
    simulation = sl.Simulation(jobs, **given)
    simulation.run(until=20)
    simulation.save(tmp_path / "state")
    again = sl.Simulation.load(tmp_path / "state", workload=jobs)
    for other in (simulation.fork(), again):
        other.run()
        assert other.engine.rejections() == expected
    assert math.fsum(of["jobs"] for of in expected.values()) == 3
