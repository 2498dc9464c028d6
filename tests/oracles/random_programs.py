"""Random programs of message passing that end, and whose ranks return the same on any network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

OPERATORS = ("sum", "max", "min")
SIZES = st.sampled_from((0, 1, 8, 300, 5000, 70_000))


def _messages(draw, ranks: int) -> tuple:
    """Messages between ranks; (from, to, bytes, tag), and whether ranks wait for all at once."""
    one = st.tuples(st.integers(0, ranks - 1), st.integers(0, ranks - 1), SIZES, st.integers(0, 1))
    some = draw(st.lists(one, min_size=1, max_size=8))
    return "messages", some, draw(st.sampled_from(("all", "each", "later"))), draw(st.booleans())


def _blocking(draw, ranks: int) -> tuple:
    """Pairs that send and receive, one after the other."""
    order = draw(st.permutations(range(ranks)))
    pairs = [(order[i], order[i + 1]) for i in range(0, ranks - 1, 2)]
    return "blocking", pairs, draw(SIZES), draw(st.integers(0, 1))


def _shift(draw, ranks: int) -> tuple:
    return "shift", draw(st.integers(-2, 2)), draw(st.booleans()), draw(SIZES)


def _collective(draw, ranks: int) -> tuple:
    kinds = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather")
    kind = draw(st.sampled_from((*kinds, "alltoall", "reduce_scatter", "scan")))
    return "collective", kind, draw(SIZES), draw(st.integers(0, 99)), draw(st.booleans())


def _wildcard(draw, ranks: int) -> tuple:
    return "wildcard", draw(st.integers(0, ranks - 1)), draw(SIZES)


def _compute(draw, ranks: int) -> tuple:
    return "compute", draw(st.sampled_from((0.0, 1e-7, 1e-5)))


@st.composite
def rounds(draw: st.DrawFn, ranks: int) -> list[tuple]:
    """What all ranks do one after the other; each round on a communicator, by number."""
    kinds = (_messages, _messages, _blocking, _shift, _collective, _collective, _wildcard, _compute)
    count = draw(st.integers(1, 7))
    return [
        (draw(st.integers(0, 3)), *draw(st.sampled_from(kinds))(draw, ranks)) for _ in range(count)
    ]


def program_of(plan: list[tuple]) -> Callable:
    """The program; each rank returns all that it got."""

    def program(mpi):
        colour = None if mpi.rank % 5 == 4 else mpi.rank % 2
        several = [mpi, (yield mpi.split(colour, key=-mpi.rank)), (yield mpi.dup())]
        several.append((yield mpi.create([one for one in range(mpi.size) if one % 3 != 1][::-1])))
        got: list[Any] = [comm and (comm.rank, comm.size) for comm in several]
        later: list[Any] = []
        for number, (place, kind, *given) in enumerate(plan):
            if several[place] is not None:
                done = yield from ROUNDS[kind](several[place], mpi.rank, number, later, *given)
                got.append((number, done))
        received = yield mpi.waitall(later)
        return [*got, [as_plain_data(one) for one in received]]

    return program


def as_plain_data(received) -> tuple | None:
    """Something received as plain data."""
    if received is None:
        return None
    return received.value, received.source, received.tag, received.bytes


def messages(comm, own, number, later, some, waits, receives_first):
    requests = []
    inside = [one for one in some if one[0] < comm.size and one[1] < comm.size]

    def receive():
        for source, to, _, tag in inside:
            if to == comm.rank:
                requests.append((yield comm.irecv(source, tag)))

    if receives_first:
        yield from receive()
    for place, (source, to, size, tag) in enumerate(inside):
        if source == comm.rank:
            value = [own, number, place] if place % 2 else None
            requests.append((yield comm.isend(to, size, tag, value)))
    if not receives_first:
        yield from receive()
    if waits == "later":
        later.extend(requests)
        return None
    if waits == "all":
        return [as_plain_data(one) for one in (yield comm.waitall(requests[::-1]))]
    results = []
    for request in requests:
        results.append(as_plain_data((yield comm.wait(request))))  # noqa: PERF401
    return results


def blocking(comm, own, number, later, pairs, size, tag):
    tag += 10 + 2 * number  # before these, nobody waits for messages with their tag
    for first, second in pairs:
        if max(first, second) >= comm.size:
            continue
        if comm.rank == first:
            yield comm.send(second, size, tag, value=(own, number))
        elif comm.rank == second:
            return as_plain_data((yield comm.recv(first, tag)))
    return None


def shift(comm, own, number, later, step, around, size):
    def peer(rank):
        return rank % comm.size if around or 0 <= rank < comm.size else None

    to, source = peer(comm.rank + step), peer(comm.rank - step)
    return as_plain_data(
        (yield comm.sendrecv(to, size, source=source, tag=50 + number, value={own: "x"}))
    )


def collective(comm, own, number, later, kind, size, seed, blocks):
    root, op = seed % comm.size, OPERATORS[seed % 3]
    value = own + number
    values = [value * 100 + to for to in range(comm.size)]
    sizes: Any = size
    if blocks and kind in ("gather", "scatter", "allgather", "reduce_scatter"):
        sizes = [(size + 7 * rank) % 977 for rank in range(comm.size)]
    if blocks and kind == "alltoall":
        sizes = [[(7 * i + j) % 9 * 13 for j in range(comm.size)] for i in range(comm.size)]
    if kind == "barrier":
        return (yield comm.barrier())
    if kind == "bcast":
        return (yield comm.bcast(sizes, root, value=value))
    if kind == "reduce":
        return (yield comm.reduce(sizes, root, value=value, op=op))
    if kind in ("allreduce", "scan"):
        return (yield getattr(comm, kind)(sizes, value=value, op=op))
    if kind == "gather":
        return (yield comm.gather(sizes, root, value=value))
    if kind == "allgather":
        return (yield comm.allgather(sizes, value=value))
    if kind == "scatter":
        return (yield comm.scatter(sizes, root, values=values if comm.rank == root else None))
    if kind == "alltoall":
        return (yield comm.alltoall(sizes, values=values))
    return (yield comm.reduce_scatter(sizes, values=values, op=op))


def wildcard(comm, own, number, later, who, size):
    """All others send to one, which does not know who comes first."""
    who %= comm.size
    if comm.rank != who:
        return (yield comm.send(who, size, tag=100 + number, value=own))
    got = []
    for _ in range(comm.size - 1):
        got.append(as_plain_data((yield comm.recv(tag=100 + number))))  # noqa: PERF401
    return sorted(got)


def compute(comm, own, number, later, seconds):
    return (yield comm.compute(seconds * (own % 3)))


ROUNDS: dict[str, Callable] = {
    one.__name__: one for one in (messages, blocking, shift, collective, wildcard, compute)
}
