"""Applications in simulations that are forked, saved, killed, and that last for months."""

from __future__ import annotations

import gc
import random
import weakref

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.message_engine import rows, simulation, text_of, with_network
from oracles.random_programs import program_of, rounds

from schedlab import Job, Simulation
from schedlab.errors import InputError, SimulationError

FIDELITIES = ("analytic", "fluid", "packet", "phase")


def everything(mpi):
    """Looks at all that a program can be given, some of it later."""
    row = yield mpi.split(mpi.rank % 2, key=-mpi.rank)
    total = 0.0
    for number in range(4):
        if mpi.now > 1e-4 * number:
            total += mpi.random.random()
        yield mpi.compute(1e-4 * mpi.random.random())
        left = mpi.rank - 1 if mpi.rank else None
        right = mpi.rank + 1 if mpi.rank < mpi.size - 1 else None
        requests = [(yield mpi.irecv(left)), (yield mpi.isend(right, 90_000, value=[total]))]
        received, sent = yield mpi.waitall(requests)
        assert sent is None
        assert (received is None) == (left is None)
        yield mpi.compute(5e-5)  # what was received is looked at only now
        if received is not None:
            received.value.append(number)
            total += sum(received.value)
        total += yield row.allreduce(8, value=total, op=lambda a, b: max(a, b))
        ordered = yield mpi.allgather(8, value=[mpi.rank])
        ordered[0].append(1)
        if mpi.rank == 0:
            for _ in range(mpi.size - 1):
                got = yield mpi.recv(tag=7)
                total += got.source * mpi.now
        else:
            yield mpi.send(0, 100 * mpi.rank, tag=7)
        yield mpi.write(int(total) % 1000)
    yield mpi.compute(total * 1e-6)
    return total


def jobs_of(text: str) -> list[Job]:
    others = ["master-worker(tasks=12, compute=1e-4)", "transpose(bytes=4k)", "sweep", None]
    jobs = [
        Job(10 + i, i * 3e-4, 2e-4, 4 + i, requested_time=1, tasks_per_node=2, application=other)
        for i, other in enumerate(others)
    ]
    return [Job(1, 0, 1e-3, 8, application=text), *jobs, Job(2, 5e-4, 1e-3, 6, application=text)]


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_forks_and_loaded_states_end_like_the_original(fidelity, tmp_path):
    with text_of(everything) as (text, _):
        jobs, options = sorted(jobs_of(text), key=lambda job: job.submit), {"fidelity": fidelity}
        whole = rows(simulation(jobs, alone=True, **options))
        assert len(whole) == len(jobs)
        for moment in (0.0, 4e-4, 7.3e-4):
            made = simulation(jobs, alone=True, **options)
            made.run(until=moment)
            done = [row for row in whole if float(row["end"]) <= moment]
            made.save(tmp_path / "state")
            fork = made.fork()
            loaded = Simulation.load(tmp_path / "state", workload=jobs)
            again = fork.fork()
            for each in (fork, loaded, again, made):
                assert done + rows(each) == whole


@examples(20)
@given(st.data(), st.integers(2, 6), st.integers(1, 40))
def test_random_programs_are_forked_anywhere(data, ranks, steps):
    plan = data.draw(rounds(ranks))
    with text_of(program_of(plan)) as (text, returned):
        whole = simulation([Job(1, 0, 1.0, ranks, application=text)])
        whole.run()
        expected, end = dict(returned), whole.now
        made = simulation([Job(1, 0, 1.0, ranks, application=text)])
        made.run(until=end * steps / 40)
        fork = made.fork()
        for each in (made, fork):
            returned.clear()
            each.run()
            assert each.now == end
            if returned:  # else it had ended before
                assert {rank: returned[rank] for rank in returned} == {
                    rank: expected[rank] for rank in returned
                }


def test_programs_that_do_not_do_the_same_again(tmp_path):
    def unsteady(mpi):
        yield mpi.compute(1.0 + random.random())
        yield mpi.compute(1.0)

    message = "job 1, rank 0: the program does not do the same when it is run again"
    begun = []

    def other(mpi):
        begun.append(mpi)
        yield mpi.compute(1.0)
        if len(begun) <= 2:
            yield mpi.compute(1.0)

    for program in (unsteady, other):
        begun.clear()
        with text_of(program) as (text, _):
            made = simulation([Job(1, 0, 1, 2, application=text)])
            made.run(until=2.0 if program is unsteady else 1.5)
            with pytest.raises(SimulationError, match=message):
                made.fork()
            made.save(tmp_path / "state")
            with pytest.raises(InputError, match=message):
                Simulation.load(tmp_path / "state", workload=[Job(1, 0, 1, 2, application=text)])


def test_values_that_cannot_be_saved(tmp_path):
    def program(mpi):
        yield mpi.isend(1 - mpi.rank, 8, value=complex(1, 2))
        yield mpi.compute(1.0)

    with text_of(program) as (text, _):
        made = simulation([Job(1, 0, 1, 2, application=text)])
        made.run(until=0.5)
        with pytest.raises(InputError, match="a value that ranks exchange is of type complex"):
            made.save(tmp_path / "state")
        made.fork().run()  # which needs no bytes


def test_operators_keep_their_numbers(tmp_path):
    """Rank 1 uses an operator before rank 0 uses its second one."""

    def program(mpi):
        row = yield mpi.split(mpi.rank % 2)
        if mpi.rank % 2:
            yield mpi.compute(1.0)
            return (yield row.allreduce(8, value=mpi.rank, op="max"))
        yield row.allreduce(8, value=1, op="prod")
        yield mpi.compute(0.5 + mpi.rank)
        return (yield row.allreduce(8, value=mpi.rank + 5, op="min"))

    def late(mpi):
        if mpi.rank == 0:
            yield mpi.allreduce(8, value=1, op="sum")
            return (yield mpi.allreduce(8, value=7, op="max"))
        if mpi.rank == 1:
            yield mpi.compute(1.0)
        yield mpi.allreduce(8, value=1, op="sum")
        return (yield mpi.allreduce(8, value=3, op="max"))

    jobs = []
    for each in (program, late):
        with text_of(each) as (text, returned):
            jobs = [Job(1, 0, 1, 4, application=text)]
            made = simulation(jobs)
            made.run(until=0.7)
            made.save(tmp_path / "state")
            made.run()
            expected = dict(returned)
            returned.clear()
            Simulation.load(tmp_path / "state", workload=jobs).run()
            assert returned == {rank: expected[rank] for rank in returned}
            assert len(returned) == 4


def test_killed_jobs_leave_the_wires_to_others():
    def heavy(mpi):
        yield mpi.send(1, 2_000_000_000) if mpi.rank == 0 else mpi.recv()

    same_router = with_network(dimensions=[2, 1, 1])
    system = {**same_router, "groups": {"all": {"nodes": 4, "resources": {"core": 2}}}}
    with text_of(heavy) as (text, _):
        # Nodes 0 and 2, on the same wires: each gets half of 5 GB/s, until one is killed.
        options = {"system": system, "mapping": "block", "fidelity": "fluid"}
        job = Job(1, 0, 1, 2, requested_time=10, tasks_per_node=1, application=text)
        (alone,) = rows(simulation([job], enforce_limits=True, **options))
        other = job.replace(id=2, requested_time=0.2)
        made = simulation([job, other], enforce_limits=True, **options)
        ends = {row["job_id"]: (row["state"], float(row["end"])) for row in rows(made)}
    length = float(alone["end"])
    assert ends["2"] == ("killed", 0.2)
    assert ends["1"][0] == "completed"
    assert ends["1"][1] == pytest.approx(length + 0.1, rel=1e-3)


def test_slots_are_used_again_after_kills():
    text = "stencil-2d(bytes=100k, iterations=50, compute=1e-4)"
    jobs = [Job(i, i * 1e-3, 1, 8, requested_time=3e-3, application=text) for i in range(20)]
    for fidelity in FIDELITIES:
        table = rows(simulation(jobs, enforce_limits=True, fidelity=fidelity))
        assert {row["state"] for row in table} == {"killed"}
        ran = [float(row["end"]) - float(row["start"]) for row in table]
        assert ran == pytest.approx([3e-3] * 20, abs=1e-9)


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_interrupted_jobs_begin_again(fidelity):
    text = "stencil-2d(bytes=4k, iterations=40, compute=0.05)"
    jobs = [Job(i, i * 0.1, 1, 8, application=text) for i in range(12)]
    failures = [{"between": "exponential(mean=15)", "repair": "fixed(seconds=1)"}]
    made = simulation(jobs, fidelity=fidelity, conditions={"failures": failures})
    table = rows(made)
    assert made.counts["completed"] == 12
    assert sum(int(row["interruptions"]) for row in table) >= 3
    for row in table:  # of the last attempt alone
        assert float(row["compute"]) == pytest.approx(2.0)
        assert float(row["messages"]) == 40 * 8 * 4
        if row["interruptions"] == "0":
            assert float(row["end"]) - float(row["start"]) == pytest.approx(2.0, abs=0.2)


DAY = 86400.0


@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize("start", [0, 1_700_000_000])
def test_jobs_that_last_for_months(fidelity, start, tmp_path):
    def months(mpi):
        for _ in range(3):
            yield mpi.compute(100 * DAY)
            yield mpi.sendrecv(mpi.rank ^ 1, 1000, source=mpi.rank ^ 1)
        yield mpi.write(10**9)
        return mpi.now

    with text_of(months) as (text, returned):
        jobs = [Job(1, start, 1, 2, application=text)]
        for i in range(1, 30):
            often = f"allreduce(bytes=1k, iterations=3, compute={2 * DAY})"
            jobs.append(Job(1 + i, start + i * 13 * DAY, 1, 4, application=often))
        jobs.append(Job(99, start + 800 * DAY, 1, 4, application="stencil-2d(compute=1.0)"))
        table = {int(row["job_id"]): row for row in rows(simulation(jobs, fidelity=fidelity))}
        assert float(table[1]["end"]) - start == pytest.approx(300 * DAY, abs=30)
        assert float(table[1]["compute"]) == pytest.approx(300 * DAY, rel=1e-9)
        assert float(table[1]["communication"]) < 1.0
        if fidelity != "phase":
            assert returned[0] == pytest.approx(300 * DAY, abs=30)
        lengths = [float(table[1 + i]["end"]) - float(table[1 + i]["start"]) for i in range(1, 30)]
        assert lengths == pytest.approx([6 * DAY] * 29, abs=1e-3)
        assert float(table[99]["end"]) - start - 800 * DAY == pytest.approx(1.0, abs=1e-3)
        made = simulation(jobs, fidelity=fidelity)
        made.run(until=start + 150 * DAY)
        made.save(tmp_path / "state")
        late = {
            int(row["job_id"]): row
            for row in rows(Simulation.load(tmp_path / "state", workload=jobs))
        }
        assert all(table[number] == row for number, row in late.items())
        assert len(late) >= 10


def test_jobs_that_end_at_once_and_together():
    def nothing(mpi):
        return
        yield

    def some(mpi):
        yield mpi.compute(1.0 + 1e-10 * (mpi.job % 3))

    with text_of(nothing) as (empty, _), text_of(some) as (text, _):
        jobs = [Job(i, 0, 1, 4, application=empty) for i in range(3)]
        jobs += [Job(10 + i, 0, 1, 4, application=text) for i in range(12)]
        table = rows(simulation(jobs))
    assert [float(row["end"]) for row in table[:3]] == [0.0] * 3
    assert {row["end"] for row in table[3:]} == {"1", "1.000000001"}
    assert len(table) == 15


def test_slices_change_nothing():
    """However few events are handled at a time."""
    text = "stencil-2d(bytes=100k, iterations=20)"
    jobs = [Job(i, 0, 1, 4, application=text) for i in range(8)]
    whole = rows(simulation(jobs))
    made = simulation(jobs)
    stepped = simulation(jobs)
    moments = [float(row["end"]) for row in whole]
    for moment in moments:
        made.run(until=moment * 0.999)
    while stepped.step():
        pass
    assert made.fork().counts == made.counts
    assert stepped.now == pytest.approx(max(moments), abs=1e-9)
    last = [row for row in whole if float(row["end"]) > max(moments) * 0.999]
    assert rows(made) == last


def test_memory_goes_with_the_job():
    class Thing:
        pass

    kept = []

    def program(mpi):
        thing = Thing()
        kept.append(weakref.ref(thing))
        row = yield mpi.split(0)
        got = yield mpi.sendrecv(mpi.rank, 8, source=mpi.rank, value=[1])
        got.value.append(2)
        yield row.allreduce(8, value=1, op=lambda a, b: (a + b) * bool(row) * bool(thing))

    with text_of(program) as (text, _):
        made = simulation([Job(i, i, 1, 4, application=text) for i in range(5)])
        made.run()
    gc.collect()
    assert len(kept) == 20
    assert [ref() for ref in kept if ref() is not None] == []
