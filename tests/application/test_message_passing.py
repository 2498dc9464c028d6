"""The executor that other tests hold programs and the engine against."""

from __future__ import annotations

import pytest
from oracles.message_passing import DeadlockError, ProgramError, Received, Run

from schedlab.application import reduction
from schedlab.errors import InputError


def returned(program, ranks, **options):
    return Run(program, ranks, **options).returned


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_collectives_by_definition(ranks):
    everybody = list(range(ranks))

    def program(mpi):
        own, root = mpi.rank + 1, mpi.size - 1
        blocks = [(own, to) for to in range(mpi.size)]
        return [
            (yield mpi.barrier()),
            (yield mpi.bcast(8, root, value=own)),
            (yield mpi.reduce(8, root, value=own)),
            (yield mpi.allreduce(8, value=[own, -own], op="max")),
            (yield mpi.scan(8, value=own, op="prod")),
            (yield mpi.gather(8, root, value=own)),
            (yield mpi.allgather([8] * mpi.size, value=own)),
            (yield mpi.scatter(8, root, values=blocks if mpi.rank == root else None)),
            (yield mpi.alltoall(8, values=blocks)),
            (yield mpi.reduce_scatter(8, values=[own * 10**to for to in everybody])),
            (yield mpi.allreduce(8, value=str(own), op=lambda one, other: one + other)),
        ]

    factorial = [1, 2, 6, 24, 120]
    owns = [rank + 1 for rank in everybody]
    for rank, got in enumerate(returned(program, ranks)):
        last = rank == ranks - 1
        assert got == [
            None,
            ranks,
            sum(owns) if last else None,
            [ranks, -1],
            factorial[rank],
            owns if last else None,
            owns,
            (ranks, rank),
            [(own, rank) for own in owns],
            sum(owns) * 10**rank,
            "".join(map(str, owns)),
        ]


def test_messages_match_by_order_source_and_tag():
    def program(mpi):
        if mpi.rank == 0:
            yield mpi.send(2, 1, tag=1, value="a")
            yield mpi.send(2, 2, tag=1, value="b")
            yield mpi.send(2, 3, tag=2, value="c")
        elif mpi.rank == 1:
            yield mpi.compute(1.0)
            yield mpi.send(2, 4, tag=1, value="d")
        else:
            later = yield mpi.irecv(1)
            got = [(yield mpi.recv(0, tag=2)), (yield mpi.recv(tag=1)), (yield mpi.recv(mpi.ANY))]
            return [*got, (yield mpi.wait(later)), mpi.now, (yield mpi.recv(None))]

    assert returned(program, 3)[2] == [
        Received("c", 0, 2, 3),
        Received("a", 0, 1, 1),
        Received("b", 0, 1, 2),
        Received("d", 1, 1, 4),
        1.0,
        None,
    ]


def test_wildcards_take_what_comes_first():
    def program(mpi):
        if mpi.rank:
            yield mpi.compute(5 - mpi.rank)
            yield mpi.send(0, 0)
            return None
        sources = []
        for _ in range(mpi.size - 1):
            sources.append((yield mpi.recv()).source)  # noqa: PERF401
        return sources

    assert returned(program, 5)[0] == [4, 3, 2, 1]


def test_requests_and_exchange():
    def program(mpi):
        other = 1 - mpi.rank
        requests = [(yield mpi.isend(other, 8, value=mpi.rank)), (yield mpi.irecv(other))]
        sent, received = yield mpi.waitall(requests)
        exchanged = yield mpi.sendrecv(other, 8, source=other, value="x")
        myself = yield mpi.sendrecv(mpi.rank, 8, source=mpi.rank, value="self")
        assert (yield mpi.waitall([])) == []
        return sent, received.value, exchanged.value, myself.value

    for buffered in (True, False):
        assert returned(program, 2, buffered=buffered) == [
            (None, 1, "x", "self"),
            (None, 0, "x", "self"),
        ]


def test_communicators():
    def program(mpi):
        colour = None if mpi.rank == 4 else mpi.rank % 2
        half = yield mpi.split(colour, key=-mpi.rank)
        same = yield mpi.dup()
        chosen = yield mpi.create([3, 1])
        got = [half and (half.rank, half.size), (same.rank, same.size)]
        if half is not None:
            got.append((yield half.allgather(4, value=mpi.rank)))
        if chosen is not None:  # messages of one communicator are not seen in another
            yield same.send(same.rank, 1, value="same")
            yield chosen.send(chosen.rank, 1, value="chosen")
            got.append((yield chosen.recv()).value)
            got.append((yield same.recv()).value)
            got.append(chosen.rank)
        return got

    assert returned(program, 5) == [
        [(1, 2), (0, 5), [2, 0]],
        [(1, 2), (1, 5), [3, 1], "chosen", "same", 1],
        [(0, 2), (2, 5), [2, 0]],
        [(0, 2), (3, 5), [3, 1], "chosen", "same", 0],
        [None, (4, 5)],
    ]


def test_deadlocks_name_all_that_wait():
    def ring(mpi):
        yield mpi.recv((mpi.rank + 1) % mpi.size, tag=7)

    with pytest.raises(DeadlockError, match=r"2 of 2 .*rank 0: recv from 1 tag 7; rank 1: recv"):
        Run(ring, 2)

    def sends_first(mpi):
        yield mpi.send(1 - mpi.rank, 8)
        yield mpi.recv()

    assert Run(sends_first, 2).messages
    with pytest.raises(DeadlockError, match="rank 0: send"):
        Run(sends_first, 2, buffered=False)

    def left_out(mpi):
        if mpi.rank:
            yield mpi.barrier()

    with pytest.raises(DeadlockError, match=r"2 of 3 ranks .*rank 1: barrier; rank 2: barrier"):
        Run(left_out, 3)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (lambda mpi: mpi.send(2, 8), "rank 0: there is no rank 2 among 2"),
        (lambda mpi: mpi.recv(-3), "there is no rank -3"),
        (lambda mpi: mpi.send(1, -1), "-1 bytes"),
        (lambda mpi: mpi.send(1, 1, tag=-1), "tag -1"),
        (lambda mpi: mpi.compute(-1), "computes for -1"),
        (lambda mpi: mpi.wait(None), "not an open request"),
        (lambda mpi: mpi.bcast(8, root=2), "there is no rank 2"),
        (lambda mpi: mpi.bcast(8 + mpi.rank), "rank 1: calls .* where rank 0 calls"),
        (lambda mpi: mpi.barrier() if mpi.rank else mpi.scan(8), "rank 1: calls"),
        (lambda mpi: None, "yielded None, which is not an operation"),
    ],
)
def test_wrong_programs_are_named(operation, message):
    def program(mpi):
        yield operation(mpi)

    with pytest.raises(ProgramError, match=message):
        Run(program, 2)


def test_reductions():
    assert reduction("sum")((1, [2, 3]), (10, [20, 30])) == (11, [22, 33])
    assert reduction("and")(True, False) is False
    assert (reduction("or")(5, 2), reduction("xor")(5, 1), reduction("min")(3, 2)) == (7, 4, 2)
    assert reduction("math:gcd")(12, 18) == 6
    with pytest.raises(InputError, match='unknown reduction "summ"; did you mean "sum"'):
        reduction("summ")
    with pytest.raises(InputError, match="is not a class or function"):
        reduction("math:pi")
    with pytest.raises(InputError, match="lists of 1 and of 2 elements"):
        reduction("sum")([1], [1, 2])
