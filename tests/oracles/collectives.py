"""Collectives carried out: the steps of all ranks, with real data, on a network without buffers.

A rank posts the messages of its steps up to one that waits, and continues when all are done.
A message is done when both its ends are posted; the n-th message from one rank to another meets the
n-th receive there. It takes one unit of time, whatever it carries, so that the last end is the
number of rounds.

Operands are tuples of ranks and the operator joins them. A result in the order of ranks is right
for every associative operator, one in another order only for those that commute, too. In a barrier
messages carry, as bits, who is known to have come.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from schedlab import _engine

REDUCING = ("reduce", "allreduce", "reduce_scatter", "scan")
BY_RANK = ("gather", "scatter", "allgather")


class Call(NamedTuple):
    kind: str
    algorithm: str
    size: int
    bytes: int = 0
    root: int = 0
    counts: tuple[int, ...] | None = None

    @property
    def parts(self) -> int:
        """How many blocks the data is cut into."""
        return 1 << self.size.bit_length() - 1 if self.algorithm == "rabenseifner" else self.size

    def block_bytes(self) -> list[int]:
        """Bytes of each block; of a vector that cannot be cut evenly, the first ones have more."""
        if self.counts is not None:
            return list(self.counts)
        if self.kind in BY_RANK:
            return [self.bytes] * self.size
        if self.kind == "barrier":
            return [0] * self.size
        each, more = divmod(self.bytes, self.parts)
        return [each + (block < more) for block in range(self.parts)]

    def pair_bytes(self, giver: int, getter: int) -> int:
        """Bytes that a rank gives to another in an alltoall."""
        return self.bytes if self.counts is None else self.counts[giver * self.size + getter]


class Step(NamedTuple):
    to: int
    source: int
    send_bytes: int
    receive_bytes: int
    sent: tuple[int, int, int]
    received: tuple[int, int, int]
    combine: bool
    wait: bool


class Execution(NamedTuple):
    data: list[list[Any]]
    """What each rank holds in the end, by block."""
    rounds: int
    sent: list[list[int]]
    """Bytes of each message of each rank."""


def steps(call: Call, rank: int) -> list[Step]:
    """Returns what the engine says that a rank does."""
    kind, algorithm, size, volume, root, counts = call
    given = None if counts is None else list(counts)
    found = _engine.collective_steps(kind, algorithm, size, rank, volume, root, given)
    return [Step(*step) for step in found]


def places(blocks: tuple[int, int, int], parts: int) -> list[int]:
    """Returns the numbers of an interval of blocks that may wrap around."""
    first, count, bit = blocks
    assert 0 <= first < parts
    assert 0 < count <= parts
    if bit:
        return [(first + j) % parts for j in range(count) if j & bit]
    if first + count <= parts:
        return list(range(first, first + count))
    return [*range(first, parts), *range(first + count - parts)]


def given(call: Call, rank: int) -> list[Any]:
    """Returns what a rank holds at first, by block; None for what it has not."""
    kind, parts = call.kind, call.parts
    if kind in REDUCING:
        return [(rank,)] * parts
    if kind == "barrier":
        return [1 << rank] * parts
    if kind == "alltoall":
        return [(rank, getter) for getter in range(parts)]
    has_all = kind in ("bcast", "scatter") and rank == call.root
    has_own = kind in ("gather", "allgather")
    return [block if has_all or (has_own and block == rank) else None for block in range(parts)]


class _Rank:
    """A rank on its way through its steps."""

    def __init__(self, call: Call, number: int) -> None:
        self.call = call
        self.number = number
        self.steps = steps(call, number)
        self.held = given(call, number)
        # What an alltoall brings lies beside what it takes, but under Bruck's algorithm.
        beside = call.kind == "alltoall" and call.algorithm != "bruck"
        self.got = [(number, number)] * call.parts if beside else self.held
        self.next = 0
        self.now = 0
        self.ends: list[int] = []  # of the messages it waits for
        self.open = 0
        self.arrived: list[list[Any]] = []  # of each receive: the step, what came

    def take(self, step: Step, values: list[Any]) -> None:
        """Puts what came where it belongs."""
        kind, got = self.call.kind, self.got
        for place, value in zip(places(step.received, self.call.parts), values, strict=True):
            if kind == "barrier":
                got[place] |= value
            elif not step.combine:
                got[place] = value
            elif step.source < self.number:
                got[place] = value + got[place]
            else:
                got[place] = got[place] + value


def execute(call: Call) -> Execution:
    """Carries a collective out.

    Raises:
        AssertionError: Ends of a message do not agree, a rank sends what it does not have, or
            ranks wait for ever.
    """
    ranks = [_Rank(call, number) for number in range(call.size)]
    sizes = call.block_bytes() if call.kind != "alltoall" else []
    sends: dict[tuple[int, int], deque[Any]] = defaultdict(deque)
    receives: dict[tuple[int, int], deque[Any]] = defaultdict(deque)
    sent: list[list[int]] = [[] for _ in ranks]
    ready = deque(ranks)

    def meet(pair: tuple[int, int]) -> None:
        if not sends[pair] or not receives[pair]:
            return
        out, values, since = sends[pair].popleft()
        step, arrival, until = receives[pair].popleft()
        if call.kind != "alltoall":
            assert out.sent == step.received, (call, pair, out, step)
        assert out.send_bytes == step.receive_bytes, (call, pair, out, step)
        arrival.append(values)
        for end in pair:
            rank = ranks[end]
            rank.open -= 1
            rank.ends.append(max(since, until) + 1)
            if rank.open == 0 and rank not in posting:
                ready.append(rank)

    posting: list[_Rank] = []
    while ready:
        rank = ready.popleft()
        if rank.open:
            continue
        for step, values in rank.arrived:
            rank.take(step, values)
        rank.now = max([rank.now, *rank.ends])
        rank.arrived, rank.ends = [], []
        posting = [rank]
        while rank.next < len(rank.steps):
            step = rank.steps[rank.next]
            rank.next += 1
            assert step.to >= 0 or step.source >= 0, f"{call}: a step without a message"
            if step.to >= 0:
                values = [rank.held[place] for place in places(step.sent, call.parts)]
                assert None not in values, f"{call}: rank {rank.number} sends what it has not"
                if call.kind == "alltoall":
                    expected = sum(call.pair_bytes(*value) for value in values)
                else:
                    expected = sum(sizes[place] for place in places(step.sent, call.parts))
                assert step.send_bytes == expected, (call, rank.number, step)
                sent[rank.number].append(step.send_bytes)
                rank.open += 1
                sends[rank.number, step.to].append((step, values, rank.now))
                meet((rank.number, step.to))
            if step.source >= 0:
                arrival: list[Any] = [step]
                rank.arrived.append(arrival)
                rank.open += 1
                receives[step.source, rank.number].append((step, arrival, rank.now))
                meet((step.source, rank.number))
            if step.wait:
                break
        posting = []
        if rank.open == 0 and (rank.ends or rank.next < len(rank.steps)):
            ready.append(rank)
    stuck = [rank.number for rank in ranks if rank.open]
    assert not stuck, f"{call}: ranks {stuck} wait for ever"
    assert all(rank.next == len(rank.steps) for rank in ranks)
    return Execution([rank.got for rank in ranks], max(rank.now for rank in ranks), sent)


def expected(call: Call, rank: int) -> dict[int, Any]:
    """Returns what a rank must hold in the end, by block; others may hold anything."""
    everybody, blocks = tuple(range(call.size)), range(call.parts)
    match call.kind:
        case "barrier":
            return dict.fromkeys(blocks, (1 << call.size) - 1)
        case "allreduce":
            return dict.fromkeys(blocks, everybody)
        case "reduce":
            return dict.fromkeys(blocks, everybody) if rank == call.root else {}
        case "scan":
            return dict.fromkeys(blocks, everybody[: rank + 1])
        case "reduce_scatter":
            return {rank: everybody}
        case "scatter":
            return {rank: rank}
        case "gather":
            return {block: block for block in blocks} if rank == call.root else {}
        case "alltoall" if call.algorithm == "bruck":  # place j after the rank: of the j-th before
            return {(2 * rank - giver) % call.size: (giver, rank) for giver in blocks}
        case "alltoall":
            return {giver: (giver, rank) for giver in blocks}
        case _:
            return {block: block for block in blocks}


def check(call: Call, needs_commuting: Sequence[tuple[str, str]] = ()) -> Execution:
    """Carries a collective out and compares what all ranks hold with what they must."""
    done = execute(call)
    any_order = (call.kind, call.algorithm) in needs_commuting
    for rank, data in enumerate(done.data):
        for block, wanted in expected(call, rank).items():
            found = data[block]
            if any_order:
                found = tuple(sorted(found))
            assert found == wanted, f"{call}: block {block} of rank {rank} is {found}"
    return done
