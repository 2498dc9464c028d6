"""Applications that go wrong: what is said, and what becomes of their job and of the others."""

from __future__ import annotations

import inspect
import re

import pytest
from oracles.message_engine import Ended, rows, simulation, text_of, with_network

from schedlab import Job
from schedlab.errors import InputError, SimulationError
from schedlab.simulation import applications


def line_of(program, text: str) -> str:
    """The place of the line of a program that holds a text."""
    lines, first = inspect.getsourcelines(program)
    return f"{__file__.rpartition('/')[2]}:{first + [text in line for line in lines].index(True)}"


def failing(statement: str, ranks: int = 4):
    """A program whose rank 2 does something that it must not."""
    text = (
        f"def program(mpi):\n    if mpi.rank == 2:\n        {statement}\n    yield mpi.barrier()\n"
    )
    names: dict = {}
    exec(compile(text, "wrong.py", "exec"), names)
    return names["program"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        (
            "yield mpi.send(4, 8)",
            "talks to rank 4, which is not there: the communicator has ranks 0",
        ),
        ("yield mpi.recv(9)", "talks to rank 9, which is not there"),
        ("yield mpi.send(-3, 8)", "to -3 is not there; ranks count from 0"),
        ("yield mpi.send(mpi.ANY, 8)", "to must be one rank, not ANY (-1)"),
        ("yield mpi.send('a', 8)", "to must be a rank, or None for no rank, not 'a'"),
        ("yield mpi.send(1, -1)", "bytes must be a whole number from 0 to 2**50, not -1"),
        ("yield mpi.send(1, 2.5)", "bytes must be a whole number from 0 to 2**50, not 2.5"),
        ("yield mpi.send(1, 8, tag=-1)", "tag must be from 0 to 2**31 - 1, not -1"),
        ("yield mpi.compute(-1.0)", "seconds must be a number from 0 up, not -1"),
        ("yield mpi.compute(float('nan'))", "seconds must be a number from 0 up, not nan"),
        (
            "mpi.send(1, 8)",
            "makes an operation that it does not yield; write `yield mpi.send(...)`",
        ),
        ("yield 7", "yields 7; a program yields operations, such as mpi.compute(1.0)"),
        ("yield", "yields None; a program yields operations"),
        ("one = mpi.compute(0.0); yield one; yield one", "yields an operation for the second time"),
        ("one = yield mpi.irecv(); yield mpi.waitall([one, one])", "request 1 is named twice"),
        (
            "r = yield mpi.isend(None, 8); yield mpi.wait(r); yield mpi.wait(r)",
            "request 1 was waited",
        ),
        (
            "r = yield mpi.isend(None, 8); a, b = mpi.wait(r), mpi.wait(r); yield a; yield b",
            "waits for request 1, which was waited for before",
        ),
        ("yield mpi.wait(77)", "request 77 was waited for before, or was never made"),
        ("yield mpi.wait('x')", "a request is what isend and irecv give, not 'x'"),
        ("yield mpi.bcast(8, root=4)", "root 4 is not there: the communicator has ranks 0 to 3"),
        ("yield mpi.allreduce(8, value=1, op='summ')", "unknown reduction"),
        (
            "yield mpi.allreduce(8, value=1, op=3)",
            "op must be a name or a function of two values, not 3",
        ),
        (
            "yield mpi.gather([1, 2], value=1)",
            "bytes must be one number, or one for each of the 4 ranks, not 2",
        ),
        ("yield mpi.bcast(8, algorithm='ring')", "ring"),
        ("yield mpi.split('a')", "colour must be a whole number from 0 up, or None, not 'a'"),
        ("yield mpi.create([1, 1])", "create: a rank is named twice"),
        (
            "yield mpi.send(1, 8, value=(i for i in ()))",
            "gives a value that cannot be copied, as messages are",
        ),
        ("raise KeyError('x')", "KeyError: 'x'"),
    ],
)
def test_what_is_said(statement, message):
    with pytest.raises(InputError) as raised:
        Ended(failing(statement), 4)
    assert str(raised.value).startswith("job 1, rank 2, at wrong.py:3: ")
    assert message in str(raised.value)


def test_ranks_that_do_not_call_the_same():
    ranks = {
        "allreduce(8)": "calls allreduce of 8 bytes where rank 0 called barrier of 0 bytes by red",
        "bcast(8, root=1)": "calls bcast(root=1) of 8 bytes where rank 0 called barrier",
        "barrier(algorithm='linear')": "by linear where rank 0 called barrier of 0 bytes by reduce",
        "split(1)": "calls split where rank 0 called barrier",
    }
    for call, message in ranks.items():
        with pytest.raises(InputError, match=re.escape(message)) as raised:
            Ended(failing(f"yield mpi.{call}"), 4)
        assert str(raised.value).startswith("job 1, rank 2, at wrong.py:3: ")

    def operators(mpi):
        yield mpi.allreduce(8, value=1, op="sum" if mpi.rank else "max")

    def members(mpi):
        yield mpi.create([0, 1] if mpi.rank else [1, 0])

    def sizes(mpi):
        yield mpi.gather([mpi.rank] * mpi.size, value=1)

    for program, message in (
        (operators, "rank 1.*where rank 0 called it with another op; all ranks of a comm"),
        (members, "rank 1.*calls create with other ranks than rank 0; all must name the same"),
        (sizes, "rank 1.*where rank 0 called it with other bytes"),
    ):
        with pytest.raises(InputError, match=message):
            Ended(program, 2)


def test_reductions_that_fail_name_the_rank_and_its_line():
    def program(mpi):
        half = yield mpi.split(mpi.rank // 2)
        value = "text" if mpi.rank == 3 else 1
        yield half.allreduce(8, value=value)

    with pytest.raises(InputError, match=r"^job 1, rank [23], at .*: TypeError: ") as raised:
        Ended(program, 4)
    assert line_of(program, "allreduce") in str(raised.value)


def test_communicators_of_others():
    seen = []

    def program(mpi):
        seen.append(mpi)
        yield seen[0].compute(0.0)

    with pytest.raises(InputError, match=r"rank 1.*an operation of another rank's communicator"):
        Ended(program, 2)


def test_deadlocks_name_who_waits_where_for_what():
    def program(mpi):
        if mpi.rank == 0:
            yield mpi.recv(1, tag=5)
        if mpi.rank == 1:
            requests = [(yield mpi.irecv()), (yield mpi.irecv(None))]
            yield mpi.waitall(requests)
        if mpi.rank == 2:
            yield mpi.send(0, 8, tag=4)
        if mpi.rank > 2:
            yield mpi.allreduce(8)

    with pytest.raises(InputError) as raised:
        Ended(program, 5)
    places = {text: line_of(program, text) for text in ("tag=5", "waitall", "allreduce")}
    assert str(raised.value).split("; ") == [
        "job 1: deadlock: 4 of 5 ranks wait for what never comes",
        f"rank 0, at {places['tag=5']}: waits for a message from rank 1 of tag 5",
        f"rank 1, at {places['waitall']}: waits for a message from any rank of any tag",
        f"rank 3, at {places['allreduce']}: waits for allreduce, for a message from rank 1",
        f"rank 4, at {places['allreduce']}: waits for allreduce, for a message from rank 0",
    ]


def test_messages_that_nobody_receives_do_not_keep_a_job_from_ending():
    def program(mpi):
        if mpi.rank == 0:
            yield mpi.send(1, 1_000_000, value="for nobody")  # rank 1 has ended
            yield mpi.isend(1, 4_000_000)
        yield mpi.irecv(tag=9)  # and nobody sends that

    found = Ended(program, 2, per_node=1)
    assert found.messages == 2
    assert found.rank_ends[1] == 0
    assert 0 < found.rank_ends[0] < 1e12 * float(found.job["end"]) - 4_000_000 / 1e10 * 1e12


def test_loops_without_time(monkeypatch):
    monkeypatch.setattr(applications, "MOST_IDLE_OPERATIONS", 1000)

    def alone(mpi):
        while True:
            yield mpi.compute(0.0)

    def together(mpi):
        while True:
            yield mpi.sendrecv(1 - mpi.rank, 0, source=1 - mpi.rank)

    timeless = with_network(messages={"memory_delay": 0.0})
    for program in (alone, together):
        message = r"^job 1, rank \d, at .*: made 1000 operations without any simulated time passing"
        with pytest.raises(InputError, match=message):
            Ended(program, 2, system=timeless)


def endless(mpi):
    while True:
        yield mpi.compute(1.0)
        yield mpi.sendrecv((mpi.rank + 1) % mpi.size, 8, source=(mpi.rank - 1) % mpi.size)


def test_programs_that_never_end_are_killed_at_their_limit():
    with text_of(endless) as (text, _):
        jobs = [Job(1, 0, 5.0, 8, requested_time=10, application=text), Job(2, 3, 4.0, 8)]
        first, second = sorted(
            rows(simulation(jobs, enforce_limits=True)), key=lambda r: r["job_id"]
        )
    assert (first["state"], float(first["end"])) == ("killed", 10.0)
    assert float(first["compute"]) == pytest.approx(10.0, abs=1e-3)
    assert (second["state"], float(second["end"])) == ("completed", 7.0)


def test_programs_that_never_end_have_no_phases():
    with text_of(endless) as (text, _):
        job = Job(1, 0, 5.0, 1, application=text)
        with pytest.raises(InputError, match="job 1: its application exchanges messages more than"):
            rows(simulation([job], fidelity="phase"))


@pytest.mark.parametrize("fidelity", ["fluid", "analytic", "packet", "phase"])
def test_errors_that_fail_their_job_alone(fidelity):
    def wrong(mpi):
        yield mpi.compute(0.5)
        yield mpi.send((mpi.rank + 1) % mpi.size, 1000)
        if mpi.rank == 1:
            raise ValueError("no more")
        yield mpi.barrier()

    with text_of(wrong) as (text, _):
        right = "stencil-2d(bytes=1M, iterations=3, compute=0.4)"
        jobs = [
            Job(1, 0, 1, 8, application=right),
            Job(2, 0, 1, 4, application=text),
            Job(3, 0, 1, 8, application=right),
            Job(4, 0, 1, 4, application="stencil-2d(iterations=run, compute=0.3)"),
            Job(5, 0, 1, 4, application="oracles.message_engine:broken(iterations=run)"),
            Job(6, 0, 0, 4, application="stencil-2d(iterations=run)"),  # once, at least
        ]
        made = simulation(jobs, fidelity=fidelity, application_errors="fail")
        table = {row["job_id"]: row for row in rows(made)}
        assert {number for number, row in table.items() if row["state"] == "failed"} == {"2", "5"}
        assert {number for number, row in table.items() if row["state"] == "completed"} == set(
            "1346"
        )
        assert float(table["4"]["end"]) == pytest.approx(0.9, abs=1e-3)
        errors = sorted(made.engine.application_errors)
        assert len(errors) == 2
        assert re.fullmatch(r"job 2, rank 1, at .*\.py:\d+: ValueError: no more", errors[0])
        assert re.fullmatch(r"job 5, rank 0, at .*: ValueError: rank 0 of job 5", errors[1])
        with pytest.raises(InputError, match="no more"):
            simulation(jobs[:3], fidelity=fidelity).run()


def test_after_an_error_nothing_goes_on():
    with text_of(failing("1 / 0")) as (text, _):
        made = simulation([Job(1, 0, 1, 4, application=text)])
        with pytest.raises(InputError):
            made.run()
        with pytest.raises(SimulationError, match="after an error"):
            made.run()


def test_programs_cannot_move_their_own_simulation():
    made = []

    def program(mpi):
        yield mpi.compute(1.0)
        made[0].fork()

    with text_of(program) as (text, _):
        made.append(simulation([Job(1, 0, 1, 2, application=text)]))
        with pytest.raises(InputError, match="from within"):
            made[0].run()
