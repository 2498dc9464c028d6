"""Collectives: every algorithm gives every rank what it must have, with the textbook's messages."""

from __future__ import annotations

import math

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import collectives
from oracles.collectives import Call, Step, check, steps

from schedlab import _engine
from schedlab.errors import InputError

ALGORITHMS = {
    "barrier": ["reduce_bcast", "linear", "recursive_doubling"],
    "bcast": ["binomial", "linear", "scatter_allgather"],
    "reduce": ["binomial", "linear", "rabenseifner"],
    "allreduce": ["reduce_bcast", "recursive_doubling", "ring", "rabenseifner"],
    "gather": ["binomial", "linear"],
    "scatter": ["binomial", "linear"],
    "allgather": ["gather_bcast", "linear", "recursive_doubling", "ring", "bruck"],
    "alltoall": ["linear", "pairwise", "bruck"],
    "reduce_scatter": ["recursive_halving", "ring", "pairwise"],
    "scan": ["linear", "recursive_doubling"],
}
PAIRS = [(kind, algorithm) for kind, names in ALGORITHMS.items() for algorithm in names]
ROOTED = ("bcast", "reduce", "gather", "scatter")
WITH_COUNTS = ("gather", "scatter", "allgather", "alltoall", "reduce_scatter")

NEEDS_COMMUTING = [
    ("reduce", "binomial"),
    ("allreduce", "reduce_bcast"),
    ("allreduce", "ring"),
    ("reduce_scatter", "recursive_halving"),
    ("reduce_scatter", "ring"),
    ("reduce_scatter", "pairwise"),
]
"""Whose operands do not come in the order of ranks: joined in another order, nothing is missing."""

EVERYBODY_WITH_EVERYBODY = [
    ("bcast", "scatter_allgather"),
    ("allreduce", "ring"),
    ("allgather", "linear"),
    ("allgather", "ring"),
    ("alltoall", "linear"),
    ("alltoall", "pairwise"),
    ("reduce_scatter", "ring"),
    ("reduce_scatter", "pairwise"),
]
"""Who send about size * size messages, which are the most work to carry out."""


def textbook(kind: str, algorithm: str, n: int) -> tuple[int, int, float]:
    """Returns rounds, messages, and blocks that the rank sends which sends most, n per vector."""
    log = math.ceil(math.log2(n))
    power = 1 << n.bit_length() - 1  # the largest power of two
    low = n.bit_length() - 1
    extra = n - power  # ranks that are folded in
    folds = 2 if extra else 0
    half = 1 << max(log - 1, 0)
    tree = (log, n - 1)
    everybody = n * (n - 1)
    folded = 2 * extra + power * low
    bruck_blocks = sum(sum(1 for j in range(n) if j & bit) for bit in (1 << k for k in range(log)))
    doubled_blocks = sum(min(2 << k, (1 << k) + extra) for k in range(low))
    return {
        ("barrier", "reduce_bcast"): (2 * log, 2 * (n - 1), 0),
        ("barrier", "linear"): (2, 2 * (n - 1), 0),
        ("barrier", "recursive_doubling"): (log, n * log, 0),
        ("bcast", "binomial"): (*tree, log * n),
        ("bcast", "linear"): (1, n - 1, (n - 1) * n),
        ("bcast", "scatter_allgather"): (log + n - 1, n - 1 + everybody, 2 * (n - 1)),
        ("reduce", "binomial"): (*tree, n),
        ("reduce", "linear"): (1, n - 1, n),
        ("reduce", "rabenseifner"): (
            2 * low + folds // 2,
            extra + power * low + power - 1,
            n * (power - 1) / power + n / 2,
        ),
        ("allreduce", "reduce_bcast"): (2 * log, 2 * (n - 1), log * n),
        ("allreduce", "recursive_doubling"): (low + folds, folded, (low + folds / 2) * n),
        ("allreduce", "ring"): (2 * (n - 1), 2 * everybody, 2 * (n - 1)),
        ("allreduce", "rabenseifner"): (
            2 * low + folds,
            2 * extra + 2 * power * low,
            (2 * (power - 1) / power + folds / 2) * n,
        ),
        ("gather", "binomial"): (*tree, max(min(half, n - half), half // 2)),
        ("gather", "linear"): (1, n - 1, 1),
        ("scatter", "binomial"): (*tree, n - 1),
        ("scatter", "linear"): (1, n - 1, n - 1),
        ("allgather", "gather_bcast"): (2 * log, 2 * (n - 1), log * n),
        ("allgather", "linear"): (1, everybody, n - 1),
        ("allgather", "recursive_doubling"): (
            low + folds,
            folded,
            doubled_blocks + (n - 1 if extra else 0),
        ),
        ("allgather", "ring"): (n - 1, everybody, n - 1),
        ("allgather", "bruck"): (log, n * log, n - 1),
        ("alltoall", "linear"): (1, everybody, n - 1),
        ("alltoall", "pairwise"): (n - 1, everybody, n - 1),
        ("alltoall", "bruck"): (log, n * log, bruck_blocks),
        ("reduce_scatter", "recursive_halving"): (low + folds, folded, n if extra else n - 1),
        ("reduce_scatter", "ring"): (n - 1, everybody, n - 1),
        ("reduce_scatter", "pairwise"): (n - 1, everybody, n - 1),
        ("scan", "linear"): (n - 1, n - 1, n),
        ("scan", "recursive_doubling"): (log, n * log - (1 << log) + 1, log * n),
    }[kind, algorithm]


@pytest.mark.parametrize(("kind", "algorithm"), PAIRS)
def test_every_size_gives_the_right_data_with_the_messages_of_the_textbook(kind, algorithm):
    sizes = range(1, 71)
    if (kind, algorithm) in EVERYBODY_WITH_EVERYBODY:
        sizes = [*range(1, 27), 37, 64]
    for size in sizes:
        root = size // 3 if kind in ROOTED else 0
        block = 64  # bytes, so that a vector can be cut into powers of two
        by_rank = kind in ("gather", "scatter", "allgather", "alltoall")
        call = Call(kind, algorithm, size, block if by_rank else block * size, root)
        done = check(call, NEEDS_COMMUTING)
        messages, most = sum(map(len, done.sent)), max(map(sum, done.sent))
        if size == 1:
            assert (done.rounds, messages) == (0, 0)
        else:
            assert (done.rounds, messages, most / block) == textbook(kind, algorithm, size), size


@st.composite
def calls(draw: st.DrawFn) -> Call:
    kind, algorithm = draw(st.sampled_from(PAIRS))
    size = draw(st.integers(1, 33))
    counts = None
    if kind in WITH_COUNTS and draw(st.booleans()):
        blocks = size * size if kind == "alltoall" else size
        few = draw(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=9))
        counts = tuple(few[block % len(few)] for block in range(blocks))
    return Call(
        kind,
        algorithm,
        size,
        draw(st.one_of(st.integers(0, 3 * size), st.integers(0, 1 << 50))),
        draw(st.integers(0, size - 1)) if kind in ROOTED else 0,
        counts,
    )


@examples(120)
@given(calls())
def test_any_root_any_bytes_and_blocks_of_different_bytes(call):
    check(call, NEEDS_COMMUTING)


@pytest.mark.parametrize(("kind", "algorithm"), NEEDS_COMMUTING)
def test_operands_out_of_order_are_said_to_be(kind, algorithm):
    with pytest.raises(AssertionError, match=r"block \d+ of rank \d+ is"):
        check(Call(kind, algorithm, 6, 100))


@pytest.mark.parametrize("size", [2, 8, 64, 1024])
def test_the_reference_takes_trees_by_the_highest_bit(size):
    found = [steps(Call("allreduce", "reduce_bcast", size, 128), rank) for rank in range(size)]
    wanted: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    halves = [1 << k for k in range(size.bit_length() - 1)]
    for m in reversed(halves):
        for rank in range(m):
            wanted[rank].append((-1, rank + m))
            wanted[rank + m].append((rank, -1))
    for m in halves:
        for rank in range(m):
            wanted[rank].append((rank + m, -1))
            wanted[rank + m].append((-1, rank))
    assert [[(step.to, step.source) for step in of_rank] for of_rank in found] == wanted
    assert {max(step.send_bytes, step.receive_bytes) for rank in found for step in rank} == {128}


def test_linear_algorithms_wait_once():
    assert [step.wait for step in steps(Call("bcast", "linear", 5, 8, 2), 2)] == [False] * 3 + [
        True
    ]
    assert [step.wait for step in steps(Call("alltoall", "linear", 4, 8), 1)] == [False] * 2 + [
        True
    ]


def swapped(found: list[Step]) -> list[Step]:
    return [found[1], found[0], *found[2:]] if len(found) > 1 else found


FAULTS = {
    "wait for ever": lambda rank, found: [] if rank == 1 else found,
    "sends what it has not": lambda rank, found: swapped(found) if rank == 2 else found,
    "Step": lambda rank, found: [step._replace(send_bytes=9) for step in found],
    "block 0 of rank": lambda rank, found: [step._replace(combine=False) for step in found],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_interpreter_sees_faults(fault, monkeypatch):
    kind = "reduce" if "block" in fault else "bcast"
    monkeypatch.setattr(
        collectives, "steps", lambda call, rank: FAULTS[fault](rank, steps(call, rank))
    )
    with pytest.raises(AssertionError, match=fault):
        check(Call(kind, "binomial", 8, 80), NEEDS_COMMUTING)


def test_names():
    assert {kind: _engine.collective_algorithms(kind) for kind in ALGORITHMS} == ALGORITHMS
    with pytest.raises(InputError, match="no collective 'sum': take one of barrier, bcast"):
        _engine.collective_algorithms("sum")
    with pytest.raises(InputError, match="bcast has no algorithm 'ring': take standard or one of"):
        steps(Call("bcast", "ring", 4), 0)
    with pytest.raises(InputError, match="ask standard_algorithm"):
        steps(Call("bcast", "standard", 4), 0)
    with pytest.raises(InputError, match="must be below the size, 4"):
        steps(Call("bcast", "binomial", 4, 8, 4), 0)


def test_blocks_that_do_not_fit():
    with pytest.raises(InputError, match="gather of 3 ranks needs the bytes of 3 blocks, not of 2"):
        steps(Call("gather", "binomial", 3, counts=(1, 2)), 0)
    with pytest.raises(InputError, match="needs the bytes of 9 blocks, not of 3"):
        steps(Call("alltoall", "bruck", 3, counts=(1, 2, 3)), 0)
    with pytest.raises(InputError, match="scan has no blocks of different bytes"):
        steps(Call("scan", "linear", 2, counts=(1, 2)), 0)
    with pytest.raises(InputError, match="more than 2"):
        steps(Call("gather", "linear", 2, counts=(2**64 - 1, 1)), 0)


@pytest.mark.parametrize("rules", ["reference", "tuned"])
@pytest.mark.parametrize("kind", ALGORITHMS)
def test_standards_exist(kind, rules):
    for size in (1, 2, 7, 8, 100, 1024):
        for volume in (0, 1, 2048, 2049, 1 << 20, 2**64 - 1):
            assert _engine.standard_algorithm(kind, size, volume, rules) in ALGORITHMS[kind]


def test_standards():
    def taken(rules, kind, *cases):
        return [_engine.standard_algorithm(kind, size, volume, rules) for size, volume in cases]

    large = 1 << 30
    assert taken("reference", "allreduce", (7, 8), (8, large)) == ["reduce_bcast"] * 2
    assert taken("reference", "alltoall", (7, 8), (8, large)) == ["pairwise", "bruck"]
    kib = 1024
    assert taken("tuned", "bcast", (7, large), (8, 12 * kib - 1), (8, 12 * kib)) == [
        "binomial",
        "binomial",
        "scatter_allgather",
    ]
    assert taken("tuned", "allreduce", (8, 2 * kib), (8, 2 * kib + 1), (5000, 4095)) == [
        "recursive_doubling",
        "rabenseifner",
        "recursive_doubling",
    ]
    assert taken("tuned", "allgather", (8, 64 * kib - 1), (8, 64 * kib), (10, 8 * kib)) == [
        "recursive_doubling",
        "ring",
        "ring",
    ]
    assert taken("tuned", "allgather", (10, 8 * kib - 1)) == ["bruck"]
    assert taken("tuned", "alltoall", (8, 256), (8, 257), (8, 32 * kib + 1)) == [
        "bruck",
        "linear",
        "pairwise",
    ]
    with pytest.raises(InputError, match="no rules 'best' for collectives: take reference or"):
        taken("best", "scan", (8, 8))
