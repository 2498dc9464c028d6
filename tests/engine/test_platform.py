"""The engine equals the naive simulator of sockets: times, speeds, energy, the power curve."""

from __future__ import annotations

import itertools
import math

import pytest
from conftest import examples
from hypothesis import event, given
from oracles.contention import NPB
from oracles.platform_cases import Case, cases, i5_7500, platform_of
from oracles.platform_engine import EngineRun, engine_run
from oracles.platform_simulator import SECOND, PlatformJob, Run, simulate

NANOSECONDS_OFF = 8
"""What remains of a task is a float in the engine: an end may be a few nanoseconds off."""


def integral(power: list[tuple[int, float]]) -> float:
    """Returns the joules under a curve of steps."""
    return math.fsum(
        watts * (after - time) / SECOND for (time, watts), (after, _) in itertools.pairwise(power)
    )


def check_energy(actual: EngineRun) -> None:
    """Asserts that energy closes: by job, by node, by bucket, and under the power curve."""
    energy = actual.energy
    total = energy["total"]

    def close(value: float) -> bool:
        return value == pytest.approx(total, rel=1e-9, abs=1e-6)

    assert close(integral(actual.power))
    assert close(sum(actual.nodes))
    buckets = ("jobs", "idle", "transitions", "sleeping", "off")
    assert close(math.fsum(energy[name] for name in buckets))
    by_job = math.fsum(record.energy for record in actual.jobs.values())
    assert energy["jobs"] == pytest.approx(by_job, rel=1e-9, abs=1e-6)


def check_same(expected: Run, actual: EngineRun, off: int) -> None:
    """Asserts that both are the same, up to N nanoseconds."""
    assert actual.jobs.keys() == expected.jobs.keys()
    for number, right in expected.jobs.items():
        found = actual.jobs[number]
        assert found.nodes == right.nodes
        assert abs(found.start - right.start) <= off
        assert abs(found.end - right.end) <= off
        assert found.energy == pytest.approx(right.energy, rel=1e-6, abs=1e-6)
        if right.end > right.start:
            assert found.speed == pytest.approx(right.speed, rel=1e-6)
    assert actual.core_seconds == pytest.approx(expected.core_seconds, rel=1e-6, abs=1e-6)
    for bucket, joules in expected.energy.items():
        assert actual.energy[bucket] == pytest.approx(joules, rel=1e-6, abs=1e-6)
    for time, watts in expected.power:
        # Steps are within a few nanoseconds: look a little later, and not where the next one is.
        later = [t for t, _ in expected.power if t > time]
        if not later or later[0] - time > 4 * off:
            there = [w for t, w in actual.power if t <= time + 2 * off]
            assert there[-1] == pytest.approx(watts, rel=1e-9, abs=1e-6)


@examples(120)
@given(cases(contending=False))
def test_without_contention_every_nanosecond_is_the_same(case):
    expected, actual = simulate(*case), engine_run(case)
    check_same(expected, actual, off=0)
    check_energy(actual)


@examples(200)
@given(cases())
def test_with_contention_and_frequency_steps(case):
    expected, actual = simulate(*case), engine_run(case)
    check_energy(actual)
    event("ambiguous" if expected.ambiguous else "compared")
    if not expected.ambiguous:  # else the schedule may differ with the last digits
        check_same(expected, actual, NANOSECONDS_OFF)


@pytest.mark.parametrize("k", [1.0, 0.6])
@pytest.mark.parametrize("name", sorted(NPB))
def test_four_copies_of_the_paper_s_jobs(name, k):
    instructions, ipc, volume = NPB[name]
    jobs = [
        PlatformJob(i, 0, instructions=instructions, ipc=ipc, memory_volume=volume)
        for i in (1, 2, 3, 4)
    ]
    case = Case(platform_of(i5_7500(k), sockets=[[0]]), [1], jobs, 0)
    check_same(simulate(*case), engine_run(case), off=1)


@examples(60)
@given(cases())
def test_a_step_is_a_processor_of_that_clock(case):
    """Rates follow the clock: slower cores are the same, whether by a step or by their type."""
    case = case._replace(step=1, jobs=[job for job in case.jobs if job.instructions is not None])
    kinds = []
    for kind in case.platform["processors"]:
        lower = kind["steps"][1]
        operations = kind["operations_per_second"] * lower[0] / kind["clock"]
        kinds.append(
            {**kind, "clock": lower[0], "operations_per_second": operations, "steps": [lower]}
        )
    slow = Case({**case.platform, "processors": kinds}, case.nodes, case.jobs, 0)
    if simulate(*slow).ambiguous:
        return
    by_step, by_type = engine_run(case), engine_run(slow)
    for number, record in by_type.jobs.items():
        assert by_step.jobs[number].nodes == record.nodes
        assert abs(by_step.jobs[number].end - record.end) <= NANOSECONDS_OFF
    assert by_step.energy["total"] == pytest.approx(by_type.energy["total"], rel=1e-6, abs=1e-6)


@pytest.mark.unsanitized
def test_a_mix_on_the_paper_s_cluster():
    """Five hundred jobs on fifteen nodes: every job where and when the oracle has it."""
    names = sorted(NPB)
    jobs = []
    for i in range(1, 501):
        instructions, ipc, volume = NPB[names[i * i % 7]]
        jobs.append(PlatformJob(i, 0, instructions=instructions, ipc=ipc, memory_volume=volume))
    case = Case(platform_of(i5_7500(0.6), sockets=[[0]]), [15], jobs, 0)
    expected, actual = simulate(*case), engine_run(case)
    assert actual.power[0][1] == pytest.approx(452.25)
    check_same(expected, actual, NANOSECONDS_OFF)
    check_energy(actual)
