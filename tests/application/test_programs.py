"""What the built-in applications send and compute, against what their algorithms are known to."""

from __future__ import annotations

import heapq
from collections import Counter
from math import ceil, prod

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.message_passing import Message, Run

from schedlab.application import APPLICATIONS, cartesian, dims_create, load
from schedlab.application.programs.master_worker import task_seconds
from schedlab.application.programs.summa import dealt
from schedlab.errors import InputError

NEEDS_TWO = ("ping-pong", "master-worker")
COLLECTIVES = list(APPLICATIONS)[1:11]


def run(text: str, ranks: int, **options) -> Run:
    return Run(load(text).program, ranks, **options)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_application_ends_on_any_number_of_ranks(name):
    few = {"summa": "(n=100)", "master-worker": "(tasks=9)"}.get(name, "")
    for ranks in (1, 2, 3, 5, 8, 12):
        if ranks == 1 and name in NEEDS_TWO:
            continue
        runs = [run(name + few, ranks, run_time=3.0, buffered=each) for each in (True, False)]
        assert not runs[0].unreceived
        assert not runs[1].unreceived
        assert Counter(runs[0].messages) == Counter(runs[1].messages)
        assert runs[0].calls == runs[1].calls


@pytest.mark.parametrize("name", [name for name in APPLICATIONS if name != "time-keeper"])
def test_iterations_do_the_same_again(name):
    few = {"summa": "n=100, ", "master-worker": "tasks=9, "}.get(name, "")
    once, thrice = (run(f"{name}({few}iterations={n}, compute=0.5)", 6) for n in (1, 3))
    stops = 5 if name == "master-worker" else 0
    assert len(thrice.messages) - stops == 3 * (len(once.messages) - stops)
    assert sum(m.bytes for m in thrice.messages) == 3 * sum(m.bytes for m in once.messages)
    assert sorted(thrice.calls) == sorted(3 * once.calls)
    assert sum(thrice.computed) == pytest.approx(3 * sum(once.computed))
    if name != "master-worker":
        assert thrice.computed == pytest.approx([1.5] * 6)


def test_time_keeper_keeps_the_recorded_time():
    assert run("time-keeper", 3, run_time=12.5).clocks == [12.5] * 3
    assert run("time-keeper(seconds=2)", 3, run_time=12.5).clocks == [2.0] * 3
    with pytest.raises(InputError, match="job 9: has no run time"):
        run("time-keeper", 1, job=9)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives_are_called_as_asked(name):
    rooted = name in ("bcast", "reduce", "gather", "scatter")
    sized = "" if name == "barrier" else "bytes=1k, "
    done = run(f"{name}({sized}{'root=2, ' if rooted else ''}algorithm=linear)", 5)
    assert len(done.calls) == 1
    call = done.calls[0]
    assert call.name == name.replace("-", "_")
    assert call.members == tuple(range(5))
    assert (call.bytes, call.root) == (1024 if sized else 0, 2 if rooted else 0)
    assert call.algorithm == "linear"


def test_ping_pong_and_even_odd_and_ring():
    assert run("ping-pong(second=3, bytes=9)", 5).messages == [
        Message(0, 3, 9, 0),
        Message(3, 0, 9, 0),
    ]
    pairs = {(m.sender, m.receiver, m.bytes) for m in run("even-odd(bytes=7)", 7).messages}
    assert pairs == {(rank, rank ^ 1, 7) for rank in range(6)}
    forward = [(rank, (rank + 1) % 5) for rank in range(5)]
    assert sorted(m[:2] for m in run("ring", 5).messages) == forward
    both = sorted(m[:2] for m in run("ring(both=true)", 5).messages)
    assert both == sorted(forward + [pair[::-1] for pair in forward])
    assert len(run("ring(both=true)", 2).messages) == 4


@examples(25)
@given(st.integers(1, 60), st.integers(0, 9))
def test_random_pairs_are_a_perfect_matching(ranks, seed):
    messages = run(f"random-pairs(seed={seed})", ranks).messages
    partners = {m.sender: m.receiver for m in messages}
    assert len(messages) == len(partners) == ranks // 2 * 2
    assert all(partners[other] == rank != other for rank, other in partners.items())


def test_random_pairs_differ_by_seed_and_stay():
    found = [{m[:2] for m in run(f"random-pairs(seed={s})", 32).messages} for s in (1, 2, 1)]
    assert found[0] == found[2] != found[1]
    first = sorted(pair for pair in found[0] if pair[0] < pair[1])[:3]
    assert first == [(0, 2), (1, 23), (3, 14)]  # the same on every machine


@examples(25)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=3), st.booleans())
def test_stencils_send_to_each_neighbour(dims, periodic):
    ranks, text = prod(dims), "x".join(map(str, dims))
    flag = str(periodic).lower()
    done = run(f"stencil-{len(dims)}d(bytes=5, dims={text}, periodic={flag})", ranks)
    expected: Counter[tuple[int, int]] = Counter()
    for rank in range(ranks):
        place = cartesian(FixedRank(rank, ranks), dims, periodic)
        for dimension in (d for d, extent in enumerate(dims) if extent > 1):
            expected.update((rank, to) for to in place.shift(dimension) if to is not None)
    assert Counter(m[:2] for m in done.messages) == expected
    per_rank = [2 if periodic else 2 * (extent - 1) / extent for extent in dims if extent > 1]
    assert len(done.messages) == round(ranks * sum(per_rank))
    assert {m.bytes for m in done.messages} <= {5}


class FixedRank:
    def __init__(self, rank, size):
        self.rank, self.size = rank, size


def test_transpose_goes_along_rows_then_columns():
    calls = run("transpose(dims=2x3, bytes=100)", 6).calls
    rows = [("alltoall", (0, 1, 2), 34), ("alltoall", (3, 4, 5), 34)]
    columns = [("alltoall", (n, n + 3), 50) for n in range(3)]
    assert sorted(call[:3] for call in calls) == sorted(rows + columns)


@examples(25)
@given(st.integers(1, 90), st.integers(1, 20), st.integers(1, 4), st.integers(1, 4))
def test_summa_moves_and_computes_what_the_paper_says(n, block, p, q):
    done = run(f"summa(n={n}, block={block}, dims={p}x{q})", p * q)
    assert sum(dealt(n, block, place, p) for place in range(p)) == n
    received = sum(call.bytes * (len(call.members) - 1) for call in done.calls)
    assert received == 8 * n * n * (p + q - 2)
    assert len(done.calls) == ceil(n / block) * (p + q)
    assert sum(counts[1] for counts in done.counts) == 2 * n**3


def test_summa_owners_of_panels_take_turns():
    calls = run("summa(n=40, block=10, dims=2x2, operations=false)", 4).calls
    along_row = [call.root for call in calls if call.members == (0, 1)]
    assert along_row == [0, 1, 0, 1]
    assert {call.bytes for call in calls} == {8 * 20 * 10}


@examples(25)
@given(st.integers(1, 12), st.integers(12, 500), st.integers(1, 9))
def test_conjugate_gradient_with_allgather(ranks, n, nonzeros):
    done = run(f"conjugate-gradient(n={n}, nonzeros={nonzeros}, exchange=allgather)", ranks)
    assert [call.name for call in done.calls] == ["allgather", "allreduce", "allreduce"]
    sizes = done.calls[0].bytes
    total = sum(sizes) if isinstance(sizes, list) else sizes * ranks
    assert total == 8 * n
    assert sum(counts[1] for counts in done.counts) == n * (2 * nonzeros + 10)
    assert sum(counts[2] for counts in done.counts) == n * (12 * nonzeros + 104)


def test_conjugate_gradient_with_halos():
    done = run("conjugate-gradient(n=216000, algorithm=ring)", 27)
    assert dims_create(27, 3) == (3, 3, 3)
    assert len(done.messages) == 27 * 3 * 2 * 2 // 3
    assert {m.bytes for m in done.messages} == {8 * 20 * 20}
    assert [(c.name, c.bytes, c.algorithm) for c in done.calls] == [("allreduce", 8, "ring")] * 2
    assert done.computed == [0.0] * 27


@pytest.mark.parametrize(("p", "q", "blocks"), [(1, 1, 4), (3, 2, 1), (4, 5, 7), (1, 6, 10)])
def test_sweep_is_a_pipeline(p, q, blocks):
    text = f"sweep(dims={p}x{q}, blocks={blocks}, octants={{}}, compute={{}})"
    one = run(text.format(1, blocks), p * q)
    assert len(one.messages) == blocks * ((p - 1) * q + p * (q - 1))
    # One part takes a second. The last rank begins p - 1 + q - 1 later, and has them all.
    assert max(one.clocks) == blocks + p - 1 + q - 1
    assert one.clocks[0] == blocks
    two = run(text.format(2, 2 * blocks), p * q)
    assert max(two.clocks) == 2 * blocks + p - 1 + q - 1  # from the same corner: no gap
    everything = run(text.format(8, 8 * blocks), p * q)
    assert len(everything.messages) == 8 * len(one.messages)
    assert everything.computed == [8 * blocks] * (p * q)


@examples(25)
@given(
    st.integers(2, 9),
    st.integers(1, 40),
    st.sampled_from(["constant", "uniform", "exponential"]),
    st.integers(0, 5),
)
def test_master_worker_is_list_scheduling(ranks, tasks, distribution, seed):
    text = f"master-worker(tasks={tasks}, distribution={distribution}, seed={seed}, compute=2)"
    done = run(text, ranks)
    lengths = task_seconds(tasks, 2.0, distribution, seed)
    free = [(0.0, worker) for worker in range(1, ranks)]
    for length in lengths:
        heapq.heappush(free, (heapq.heappop(free)[0] + length, 0))
    assert max(done.clocks) == pytest.approx(max(time for time, _ in free))
    assert done.computed[0] == 0.0
    assert sum(done.computed) == pytest.approx(sum(lengths))
    (workers,) = done.returned[0]
    assert Counter(workers) == Counter({w: n for w, n in enumerate(done.returned[1:], 1) if n})
    sizes = Counter((m.sender == 0, m.bytes) for m in done.messages)
    assert sizes == {(True, 1024): tasks, (False, 1024): tasks, (True, 0): ranks - 1}


def test_lengths_of_tasks_have_the_mean_and_are_the_same_everywhere():
    for distribution in ("constant", "uniform", "exponential"):
        assert sum(task_seconds(20_000, 3.0, distribution, 1)) / 20_000 == pytest.approx(
            3, rel=0.02
        )
    assert task_seconds(1, 1.0, "uniform", 0) == pytest.approx((1.6888437030500962,))


def test_checkpoint_writes_all_states():
    alone = run("checkpoint(bytes=10)", 7)
    assert [file[1] for file in alone.files] == [10] * 7
    assert [call.name for call in alone.calls] == ["barrier"]
    grouped = run("checkpoint(bytes=10, writers=3)", 7)
    assert sum(file[1] for file in grouped.files) == 70
    gathers = [call for call in grouped.calls if call.name == "gather"]
    assert [call.members for call in gathers] == [(0, 1, 2), (3, 4), (5, 6)]
    assert [rank for rank, file in enumerate(grouped.files) if file[1]] == [0, 3, 5]
