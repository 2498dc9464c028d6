"""What applications send, phase by phase, and the times that the phase model makes of it."""

from __future__ import annotations

import pytest
from oracles.message_engine import Ended, rows, simulation, text_of
from oracles.message_passing import Run

from schedlab import Job, _engine
from schedlab.application import Application, load
from schedlab.application.cartesian import dims_create


def flows_of(text: str, ranks: int, **options) -> list[list[tuple[int, int, int, int]]]:
    return [flows for _, _, flows in _engine.pattern(load(text), ranks, **options)]


def test_a_stencil_has_one_phase():
    pattern = _engine.pattern(load("stencil-3d(bytes=100, iterations=7, compute=0.5)"), 24)
    (seconds, files, flows), *rest = pattern
    assert rest in ([], [(0.0, 0.0, [])])
    assert (seconds, files) == (0.5, 0.0)
    assert dims_create(24, 3) == (4, 3, 2)
    assert sum(messages for _, _, messages, _ in flows) == 24 * 6
    assert len(flows) == 24 * 5  # in a dimension of two, both neighbours are the same
    assert {(messages, size) for _, _, messages, size in flows} == {(1, 100), (2, 200)}


def test_an_allreduce_goes_up_and_down_the_tree():
    expected = [
        [(rank + distance, rank, 1, 8) for rank in range(distance)] for distance in (4, 2, 1)
    ]
    expected += [[(to, source, 1, 8) for source, to, *_ in flows] for flows in expected[::-1]]
    assert flows_of("allreduce(bytes=8)", 8) == expected
    doubling = flows_of("allreduce(bytes=8, algorithm=recursive_doubling)", 8)
    assert doubling == [[(rank, rank ^ bit, 1, 8) for rank in range(8)] for bit in (1, 2, 4)]


def test_a_sweep_goes_over_the_diagonals():
    phases = flows_of("sweep", 12)
    sent = sum(messages for flows in phases for _, _, messages, _ in flows)
    assert sent == len(Run(load("sweep").program, 12).messages)
    senders = {source for source, *_ in phases[0]}
    assert senders == {0}
    assert len(phases) >= sum(dims_create(12, 2)) - 2


def test_phases_of_ranks_that_talk_to_themselves():
    def program(mpi):
        for _ in range(3):
            yield mpi.sendrecv(mpi.rank, 1000, source=mpi.rank)

    pattern = _engine.pattern(Application("own", {}, program), 2)
    assert [flows for _, _, flows in pattern][:3] == [[(0, 0, 1, 1000), (1, 1, 1, 1000)]] * 3
    assert len(pattern) <= 4


def test_files_and_computing_by_phase():
    def program(mpi):
        yield mpi.compute(1.0 + mpi.rank)
        yield mpi.write(100)
        yield mpi.barrier(algorithm="linear")
        yield mpi.compute(0.25)
        yield mpi.compute(0.25)

    pattern = _engine.pattern(Application("own", {}, program), 3)
    assert pattern[0][:2] == (3.0, 300.0)
    assert max(seconds for seconds, _, _ in pattern[1:]) == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "stencil-3d(bytes=1M, iterations=5, compute=1e-3)",
        "allreduce(bytes=64k, iterations=5)",
        "alltoall(bytes=4k, iterations=3, algorithm=pairwise)",
        "sweep(iterations=3, compute=1e-4)",
        "checkpoint(iterations=2, compute=0.1)",
    ],
)
def test_the_phase_model_takes_about_as_long(text):
    lengths = {
        fidelity: float(Ended(text, 16, per_node=1, fidelity=fidelity).job["end"])
        for fidelity in ("fluid", "phase")
    }
    assert lengths["phase"] == pytest.approx(lengths["fluid"], rel=0.35)


def test_jobs_of_one_application_have_their_own_times():
    """The pattern of an application that looks at its job is another job's of no use."""

    def own(mpi):
        yield mpi.compute(mpi.job + mpi.random.random() * 0.1)

    with text_of(own) as (text, _):
        jobs = [Job(i, 0, 10.0 * i, 4, application="time-keeper") for i in (1, 2, 3)]
        jobs += [Job(10 + i, 0, 1, 4, application=text) for i in (1, 2)]
        for fidelity in ("phase", "analytic"):
            table = rows(simulation(jobs, fidelity=fidelity))
            ends = {int(row["job_id"]): float(row["end"]) for row in table}
            assert [ends[i] for i in (1, 2, 3)] == [10.0, 20.0, 30.0]
            assert 11 <= ends[11] < 11.1
            assert 12 <= ends[12] < 12.1
