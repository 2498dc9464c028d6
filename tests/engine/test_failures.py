"""Nodes that fail: against a naive twin, and what must hold under every dispatcher."""

from __future__ import annotations

import pytest
from conftest import examples, expand_nodes
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import cases
from oracles.engine import (
    DISCIPLINES,
    ORDERS,
    SECOND,
    TYPES,
    engine_result,
    records_of,
    rows_of,
    scaled,
    seconds,
)
from oracles.failures import Failing, Rule, simulate_failures
from oracles.model import Job, Machine
from oracles.preemption import Preempting, UrgentFirst

from schedlab import Scheduler
from schedlab.conditions import Conditions, FailureTrace, Resubmission


@st.composite
def outages(draw: st.DrawFn, nodes: int) -> list[tuple[int, int, int]]:
    """Up to eight, in ticks; they overlap, touch, and lie before the first job, too."""
    found = []
    for _ in range(draw(st.integers(1, 8))):
        start = draw(st.integers(-20, 400) | st.integers(-2, 40).map(lambda s: s * SECOND))
        length = draw(st.integers(1, 150) | st.integers(1, 15).map(lambda s: s * SECOND))
        found.append((draw(st.integers(0, nodes - 1)), start, start + length))
    return found


rules = st.builds(
    Rule,
    st.none() | st.integers(SECOND, 40),
    st.integers(0, 15),
    st.integers(0, 20),
    st.none() | st.integers(1, 3),
).map(lambda rule: rule if rule.interval else Rule(limit=rule.limit))


def conditions_of(trace: list[tuple[int, int, int]], rule: Rule) -> Conditions:
    again = {"limit": rule.limit}
    if rule.interval is not None:
        again |= {"from_": "checkpoint", "interval": seconds(rule.interval)}
        again |= {"cost": seconds(rule.cost), "restart": seconds(rule.restart)}
    rows = [(node, seconds(start), seconds(end)) for node, start, end in trace]
    return Conditions(
        failure_trace=FailureTrace(rows) if rows else None, resubmission=Resubmission(**again)
    )


def ticks(text: str) -> int:
    return round(float(text) * SECOND)


def check_against_oracle(
    jobs: list[Job],
    machine: Machine,
    trace: list[tuple[int, int, int]],
    rule: Rule,
    discipline: str,
    order: str = "fifo",
    limits: bool = False,
    scheduler: Scheduler | None = None,
    **arguments: int | type[Failing] | None,
) -> None:
    """Compares all there is; a scheduler of its own goes with a `kind` of simulation."""
    expected = simulate_failures(
        jobs,
        machine,
        trace,
        rule,
        discipline=discipline,
        order=order,
        second=SECOND,
        enforce_limits=limits,
        **arguments,
    )
    result = engine_result(
        jobs,
        machine,
        TYPES[: len(machine.capacity[0])],
        scheduler=scheduler or DISCIPLINES[discipline](ORDERS[order], **arguments),
        conditions=conditions_of(trace, rule),
        enforce_limits=limits,
    )
    assert records_of(result) == expected.records
    found = [
        (
            int(row["job_id"]),
            *map(ticks, (row["start"], row["end"], row["kept_seconds"], row["lost_seconds"])),
            int(row["node"]) if row["node"] else None,
            tuple(expand_nodes(row["nodes"])),
        )
        for row in rows_of(result, "interruptions")
    ]
    assert found == [
        (a.job, a.start, a.end, a.useful, a.lost, a.failed_node, a.nodes)
        for a in expected.interruptions
    ]
    attempts: dict[int, int] = {}
    for row in rows_of(result, "interruptions"):
        attempts[int(row["job_id"])] = attempts.get(int(row["job_id"]), 0) + 1
        assert int(row["attempt"]) == attempts[int(row["job_id"])]
    for row in rows_of(result, "jobs"):
        assert int(row["interruptions"]) == attempts.get(int(row["job_id"]), 0)
    hours = result.metrics["node_hours"]
    in_ticks = {name: value * 3600 * SECOND for name, value in hours.items()}
    assert in_ticks == pytest.approx({k: float(v) for k, v in expected.node_time.items()}, abs=1e-6)
    jobs_hit = {
        by: [a.job for a in expected.interruptions if a.ended_by == by]
        for by in ("failure", "requeue", "cancel")
    }
    if trace:
        failures = result.metrics["failures"]
        assert failures["interruptions"] == len(jobs_hit["failure"])
        assert failures["interrupted_jobs"] == len(set(jobs_hit["failure"]))
        assert failures["given_up"] == result.counts["failed"]
        assert failures["lost_node_seconds"] == pytest.approx(hours["lost"] * 3600)
    assert result.metrics.get("preemption") == (
        scheduler
        and {
            "requeued": len(jobs_hit["requeue"]),
            "requeued_jobs": len(set(jobs_hit["requeue"])),
            "cancelled": len(jobs_hit["cancel"]),
        }
    )
    reasons = {
        int(row["job_id"]) for row in rows_of(result, "jobs") if row["reason"] == "cancelled"
    }
    assert reasons == set(jobs_hit["cancel"])
    whole = len(machine.capacity) * result.metrics["makespan"]
    assert sum(hours.values()) * 3600 == pytest.approx(whole)


@st.composite
def plain_case(draw: st.DrawFn) -> tuple[list[Job], Machine]:
    machine = Machine(tuple((draw(st.integers(1, 4)),) for _ in range(draw(st.integers(1, 4)))))
    jobs = draw(cases.plain_jobs(machine, (1,)))
    whole = [scaled(job) for job in jobs]
    return [Job(**{**vars(job), "limit": job.estimate}) for job in whole], machine


@examples(200)
@given(st.data())
def test_counts_against_oracle(data):
    jobs, machine = data.draw(plain_case())
    trace = data.draw(outages(len(machine.capacity)))
    discipline = data.draw(st.sampled_from(sorted(DISCIPLINES)))
    arguments = {}
    if discipline in ("greedy", "conservative", "easy"):
        arguments["depth"] = data.draw(st.none() | st.integers(1, 4))
    if discipline == "easy":
        arguments["reservations"] = data.draw(st.sampled_from((1, 1, 2, None)))
    order = data.draw(st.sampled_from(("fifo", "fifo", "sjf", "largest")))
    limits = data.draw(st.booleans())
    check_against_oracle(
        jobs, machine, trace, data.draw(rules), discipline, order, limits, **arguments
    )


@examples(100)
@given(st.data())
def test_nodes_against_oracle(data):
    machine = data.draw(cases.machines())
    jobs = [scaled(job) for job in data.draw(cases.mixed_jobs(machine)) if any(job.request)]
    assume(jobs)
    trace = data.draw(outages(len(machine.capacity)))
    discipline = data.draw(st.sampled_from(sorted(DISCIPLINES)))
    arguments = {"reservations": data.draw(st.sampled_from((1, 2)))} if discipline == "easy" else {}
    check_against_oracle(jobs, machine, trace, data.draw(rules), discipline, **arguments)


@examples(200)
@given(st.data())
def test_a_scheduler_that_ends_running_jobs_against_oracle(data):
    if data.draw(st.booleans()):
        jobs, machine = data.draw(plain_case())
    else:
        machine = data.draw(cases.machines())
        jobs = [scaled(job) for job in data.draw(cases.mixed_jobs(machine)) if any(job.request)]
        assume(jobs)
    trace = data.draw(st.just([]) | outages(len(machine.capacity)))
    order = data.draw(st.sampled_from(("fifo", "sjf", "largest")))
    limits = data.draw(st.booleans()) and all(job.limit is not None for job in jobs)
    scheduler = UrgentFirst(ORDERS[order])
    rule = data.draw(rules)
    check_against_oracle(
        jobs, machine, trace, rule, "blocking", order, limits, scheduler, kind=Preempting
    )
