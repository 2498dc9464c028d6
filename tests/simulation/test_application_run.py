"""One application alone: times, traffic and links of known cases."""

from __future__ import annotations

import pytest

import schedlab as sl
from schedlab.analysis.traffic import traffic
from schedlab.application import load

SYSTEM = {
    "name": "grid",
    "groups": {"node": {"nodes": 16, "resources": {"core": 2}}},
    "network": {
        "topology": "torus",
        "dimensions": [4, 2],
        "nodes_per_router": 2,
        "bandwidth": 8e9,
        "delay": 1e-7,
        "host_bandwidth": 8e9,
        "host_delay": 1e-7,
    },
}


def run(application, ranks: int = 8, **options) -> sl.ApplicationRun:
    options.setdefault("ranks_per_node", 1)
    return sl.run_application(application, ranks=ranks, system=SYSTEM, **options)


def test_the_reference_point_on_cielo() -> None:
    done = sl.run_application(
        "allreduce(bytes=128)", ranks=64, system="cielo", ranks_per_node=1, fidelity="packet"
    )
    assert round(done.rank_seconds[-1] * 1e6, 3) == 19.627
    assert done.seconds == max(done.rank_seconds)
    assert done.events == 2_940
    assert done.nodes == tuple(range(64))
    assert (done.messages, done.bytes) == (126, 126 * 128)


@pytest.mark.parametrize("fidelity", ["fluid", "analytic", "packet", "phase"])
def test_bytes_on_links_are_those_of_the_messages(fidelity: str) -> None:
    done = run("even-odd(bytes=1000)", fidelity=fidelity)
    assert (done.messages, done.bytes, done.state) == (8, 8_000, "completed")
    # Ranks 2i and 2i + 1 are at one router: nothing goes between routers.
    assert (done.mean_hops, done.hop_bytes) == (0, 0)
    by_kind = {use.kind: use for use in done.link_use()}
    assert by_kind["host out"].used == by_kind["host in"].used == 8
    assert by_kind["x"].used == by_kind["y"].used == 0
    assert by_kind["host out"].bytes >= 8_000
    assert bool(done.rank_seconds) == (fidelity != "phase")


def test_hops_are_those_of_the_placement() -> None:
    done = run("even-odd(bytes=1000)", mapping="block", allocator="first-fit(order=yx)")
    assert sorted(done.nodes) == sorted(set(done.nodes))
    assert done.hop_bytes == done.mean_hops * done.bytes
    links = done.system.network.links()
    routers = [links.router_of(node) for node in done.nodes]
    apart = [routers[rank] != routers[rank + 1] for rank in range(0, 8, 2)]
    assert bool(done.mean_hops) == any(apart)


def test_cyclic_ranks_go_round_the_nodes() -> None:
    assert run("ring", 8, ranks_per_node=2).nodes == (0, 0, 1, 1, 2, 2, 3, 3)
    assert run("ring", 8, ranks_per_node=2, mapping="cyclic").nodes == (0, 1, 2, 3, 0, 1, 2, 3)


def test_a_program_as_it_is() -> None:
    def work(mpi, seconds: float = 0.25):
        yield mpi.compute(seconds * (1 + mpi.rank))

    done = run(work, 2)
    assert done.rank_seconds == (0.25, 0.5)
    assert (done.application, done.compute, done.seconds) == ("work", 0.375, 0.5)
    assert done.mean_hops is None
    assert run(load("time-keeper"), 2, run_time=3).seconds == 3


def test_killed_at_its_limit() -> None:
    done = run("even-odd(compute=10)", limit=4)
    assert (done.state, done.seconds, done.rank_seconds) == ("killed", 4, ())
    assert done.described()["state"] == "killed"


def test_wrong_requests() -> None:
    def breaks(mpi):
        yield mpi.compute(1)
        raise ValueError("no more")

    for application, options, message in (
        (breaks, {}, r"rank 0, at test_application_run.py:\d+: ValueError: no more"),
        ("ring", {"ranks": 17}, "no room for 17 ranks with at most 1 on a node"),
        ("ring(size=3)", {}, "size"),
        ("ring", {"fidelity": "none"}, "fidelity"),
    ):
        with pytest.raises(sl.InputError, match=message):
            run(application, **options)


def test_traffic_of_an_application() -> None:
    flows = traffic("stencil-2d(bytes=10, dims=2x4, iterations=3)", 8)
    matrix = flows.matrix(8, 8)
    # 2 x 4: the other row twice (both ways round), and two neighbours in the row.
    assert matrix.sum() == flows.bytes.sum() == 8 * 4 * 10 * 3
    assert (matrix == matrix.T).all()
    assert matrix[0, 4] == 60
    assert matrix[0, 1] == matrix[0, 3] == 30
    assert flows.matrix(8, 2).tolist() == [[240, 240], [240, 240]]
    assert len(traffic("time-keeper(seconds=1)", 4).bytes) == 0
    assert traffic("ring(bytes=5, iterations=run)", 4).bytes.sum() == 20
    with pytest.raises(sl.InputError, match="ranks"):
        traffic("ring", 0)
