"""Programs of ranks in the engine: the same values as by definition, in the reference's times."""

from __future__ import annotations

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.message_engine import Ended, with_network
from oracles.message_passing import Run
from oracles.random_programs import as_plain_data, program_of, rounds

from schedlab import Job, Simulation, _engine
from schedlab.application import APPLICATIONS, load

FIDELITIES = ("analytic", "fluid", "packet")
RATES = (4e9, 8e9, 5e9)


def counted(calls) -> tuple[int, int]:
    """Messages and bytes of collectives by the reference's algorithms."""
    messages = bytes_sent = 0
    for name, members, size, root, algorithm in calls:
        counts = None
        if not isinstance(size, int):
            flat = size if isinstance(size[0], int) else [one for row in size for one in row]
            counts, size = list(flat), 0
        mean = size if counts is None else sum(counts)
        if counts is not None and name != "reduce_scatter":
            mean //= len(counts)
        if algorithm == "standard":
            algorithm = _engine.standard_algorithm(name, len(members), mean, "reference")
        for rank in range(len(members)):
            steps = _engine.collective_steps(
                name, algorithm, len(members), rank, size, root, counts=counts
            )
            messages += sum(step[0] >= 0 for step in steps)
            bytes_sent += sum(step[2] for step in steps if step[0] >= 0)
    return messages, bytes_sent


def compare(program, ranks, communicators=(), **options):
    """Runs a program in the engine and by definition."""
    expected = Run(program, ranks, rates=RATES, run_time=1.0)
    found = Ended(program, ranks, **options)
    assert found.returned == expected.returned
    messages, bytes_sent = counted([*expected.calls, *communicators])
    assert found.messages == len(expected.messages) + messages
    assert found.bytes == sum(message.bytes for message in expected.messages) + bytes_sent
    assert found.job["state"] == "completed"
    return expected, found


@examples(40)
@given(st.data(), st.integers(1, 9), st.sampled_from((1, 2, 4)), st.sampled_from(FIDELITIES))
def test_random_programs_return_what_they_must(data, ranks, per_node, fidelity):
    plan = data.draw(rounds(ranks))
    everybody = tuple(range(ranks))
    made = [("allgather", everybody, 8, 0, "standard")] * 2  # split and dup
    made.append(("barrier", everybody, 0, 0, "standard"))  # create
    routing = data.draw(st.sampled_from(("dimension-order", "valiant", "adaptive")))
    compare(
        program_of(plan),
        ranks,
        communicators=made,
        per_node=per_node,
        fidelity=fidelity,
        mapping=data.draw(st.sampled_from(("block", "cyclic"))),
        system=with_network(routing=routing),
    )


@pytest.mark.parametrize("name", APPLICATIONS)
def test_every_application_sends_what_it_must(name):
    few = {"summa": "(n=100)", "master-worker": "(tasks=9, distribution=constant)"}.get(name, "")
    for place, ranks in enumerate((1, 2, 3, 7, 12)):
        if ranks == 1 and name in ("ping-pong", "master-worker"):
            continue
        made = []
        if name in ("transpose", "summa"):  # rows and columns of a grid, by split
            made = [("allgather", tuple(range(ranks)), 8, 0, "standard")] * 2
        application = load(name + few)
        expected = Run(application.program, ranks, rates=RATES, run_time=1.0)
        found = Ended(name + few, ranks, fidelity=FIDELITIES[place % 3], per_node=1 + place % 2)
        messages, bytes_sent = counted([*expected.calls, *made])
        assert found.messages == len(expected.messages) + messages
        assert found.bytes == sum(m.bytes for m in expected.messages) + bytes_sent
        computed = [a + b for a, b in zip(expected.computed, expected.counted, strict=True)]
        assert float(found.job["compute"]) == pytest.approx(sum(computed) / ranks, abs=1e-9)


@pytest.mark.parametrize(
    ("ranks", "size", "events", "last", "most"),
    [
        (64, 128, 2_940, 19.627, None),
        (64, 1024, 23_072, 23.223, None),
        (1024, 128, 58_940, 34.192, 50.198),
    ],
)
def test_reference_points(ranks, size, events, last, most):
    """Those of the public simulator that the paper's was built on (microseconds)."""
    job = Job(1, 0, 1.0, ranks, tasks_per_node=1, application=f"allreduce(bytes={size})")
    simulation = Simulation([job], system="cielo", fidelity="packet", enforce_limits=False)
    simulation.run()
    ends = simulation.engine.rank_ends
    assert simulation.engine.application_events == events
    assert round(ends[-1] / 1e6, 3) == last
    assert most is None or round(max(ends) / 1e6, 3) == most
    assert simulation.now == pytest.approx(max(ends) / 1e12, abs=1e-9)


def collectives(algorithm: int, blocks: bool):
    """Calls every collective, by the n-th algorithm of each."""

    def named(kind):
        names = _engine.collective_algorithms(kind)
        return names[algorithm % len(names)]

    def program(mpi):
        own, size, root = mpi.rank + 1, mpi.size, mpi.size // 2
        values = [own * 1000 + to for to in range(size)]
        each = [16 * rank for rank in range(size)] if blocks else 40
        pairs = [[(i * j) % 3 * 8 for j in range(size)] for i in range(size)] if blocks else 24
        mine = values if mpi.rank == root else None
        return [
            (yield mpi.barrier(algorithm=named("barrier"))),
            (yield mpi.bcast(40, root, own, algorithm=named("bcast"))),
            (yield mpi.reduce(40, root, own, "max", algorithm=named("reduce"))),
            (yield mpi.allreduce(40, [own, 1], "sum", algorithm=named("allreduce"))),
            (yield mpi.gather(each, root, own, algorithm=named("gather"))),
            (yield mpi.scatter(each, root, mine, algorithm=named("scatter"))),
            (yield mpi.allgather(each, own, algorithm=named("allgather"))),
            (yield mpi.alltoall(pairs, values, algorithm=named("alltoall"))),
            (yield mpi.reduce_scatter(each, values, algorithm=named("reduce_scatter"))),
            (yield mpi.scan(8, str(own), lambda a, b: a + b, algorithm=named("scan"))),
        ]

    return program


def test_collectives_give_values_on_any_number_of_ranks():
    for ranks in (*range(1, 19), 31, 32, 33, 48, 63, 64, 65, 70):
        for algorithm in range(5) if ranks < 6 else (ranks % 5,):
            program = collectives(algorithm, blocks=ranks % 2 == 0)
            compare(
                program, ranks, per_node=2 + 3 * (ranks > 32), fidelity="analytic", system=LARGE
            )


LARGE = {**with_network(), "groups": {"all": {"nodes": 16, "resources": {"core": 8}}}}


def test_blocks_without_bytes_carry_values_too():
    def program(mpi):
        nothing, late = [0] * mpi.size, mpi.rank == mpi.size - 1
        got = []
        for names in zip(*(_engine.collective_algorithms(kind) for kind in KINDS), strict=False):
            if late:  # all others are through before it begins, if nothing holds them up
                yield mpi.compute(1e-3)
            got.append((yield mpi.gather(nothing, 0, mpi.rank, algorithm=names[0])))
            got.append((yield mpi.scatter(nothing, mpi.size - 1, nothing, algorithm=names[1])))
            got.append((yield mpi.alltoall([nothing] * mpi.size, nothing, algorithm=names[2])))
            got.append((yield mpi.allgather(nothing, mpi.rank, algorithm=names[3])))
        return got

    for fidelity in FIDELITIES:
        compare(program, 5, fidelity=fidelity)


KINDS = ("gather", "scatter", "alltoall", "allgather")


@examples(25)
@given(
    st.lists(st.sampled_from((0, 10, 3000, 90_000)), min_size=2, max_size=12),
    st.sampled_from(("dimension-order", "valiant", "adaptive")),
    st.sampled_from(FIDELITIES),
    st.integers(0, 5),
)
def test_messages_do_not_overtake(sizes, routing, fidelity, seed):
    def program(mpi):
        to, source = (mpi.rank + 3) % mpi.size, (mpi.rank - 3) % mpi.size
        requests = []
        for number, size in enumerate(sizes):
            requests.append((yield mpi.isend(to, size, tag=number % 2, value=number)))
        got = [as_plain_data((yield mpi.recv(source, tag=1)))] if len(sizes) > 1 else []
        for _ in range(len(sizes) - len(got)):
            got.append(as_plain_data((yield mpi.recv())))  # noqa: PERF401
        yield mpi.waitall(requests)
        return [number for number, *_ in got]

    network = with_network(routing=routing, dimensions=[4, 2, 1])
    found = Ended(program, 16, per_node=1, fidelity=fidelity, system=network, seed=seed)
    numbers = list(range(len(sizes)))
    assert found.returned == [[1, *[n for n in numbers if n != 1]]] * 16


def test_operators_that_each_rank_makes():
    def program(mpi):
        weight = 2
        first = yield mpi.allreduce(8, value=mpi.rank, op=lambda a, b: a + weight * b)
        return first, (yield mpi.allreduce(8, value=mpi.rank, op=max))

    assert Ended(program, 4).returned == [(2 * 6, 3)] * 4


def test_values_are_copies():
    """As in MPI, nobody sees what another rank does to a value."""

    def program(mpi):
        own = [mpi.rank]
        shared = yield mpi.allgather(8, value=own)
        request = yield mpi.isend((mpi.rank + 1) % mpi.size, 8, value=own)
        own.append("changed")
        shared[0].append(mpi.rank)
        got = yield mpi.recv()
        got.value.append("mine")
        same = got.value
        yield mpi.wait(request)
        everything = yield mpi.bcast(8, value={"list": own})
        everything["list"].append(mpi.rank)
        return shared, same, everything

    for rank, got in enumerate(Ended(program, 3).returned):
        shared = [[0, rank], [1], [2]]
        assert got == (shared, [(rank - 1) % 3, "mine"], {"list": [0, "changed", rank]})


def test_random_numbers_are_drawn_one_after_the_other():
    def program(mpi):
        draws = [mpi.random.random(), mpi.random.random()]
        half = yield mpi.split(mpi.rank % 2)
        return [*draws, half.random.random()]

    first, other = Ended(program, 4, seed=1), Ended(program, 4, seed=2)
    assert len({draw for draws in (*first.returned, *other.returned) for draw in draws}) == 24
    assert Ended(program, 4, seed=1).returned == first.returned


def test_files_are_shared_by_nodes_and_all():
    def program(mpi):
        yield mpi.write(mpi.rank and 400_000_000)
        middle = mpi.now
        yield mpi.read(200_000_000)
        return middle, mpi.now

    # Two on the node of rank 0 (which reads at once), two on the other: 0.4 GB/s each node.
    expected = Ended(program, 4, per_node=2).returned
    assert expected[0] == pytest.approx((0.0, 1.0))
    assert expected[1] == pytest.approx((1.5, 2.0))
    assert expected[2] == expected[3] == pytest.approx((2.0, 3.0))
    # One node each: 1 GB/s for four.
    (_, first), (second, _), *_ = Ended(program, 4, per_node=1).returned
    assert first == pytest.approx(0.8)
    assert second == pytest.approx(0.8 + 0.2 / (1 / 3))
