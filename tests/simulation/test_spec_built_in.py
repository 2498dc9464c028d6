"""Built-in policies as objects: what they print is plain data that makes them again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.dispatch.allocators import ALLOCATORS, SCORES, SOCKET_ORDERS, allocator
from schedlab.dispatch.node_orders import NODE_ORDERS
from schedlab.dispatch.orders import FORMULAS, ORDERS
from schedlab.dispatch.schedulers import SCHEDULERS, scheduler

expressions = ["-wait * 2", "max(wait, 1) * processors", "(wait > 3) * user", 'queue == "a, b"']
orders = st.sampled_from([*ORDERS, *FORMULAS, *(f"score:{one}" for one in expressions)])
limits = st.none() | st.integers(1, 2**40)
schedulers = (
    st.builds(sl.Blocking, orders)
    | st.builds(sl.Greedy, orders, depth=limits)
    | st.builds(sl.Easy, orders, depth=limits, reservations=limits)
    | st.builds(sl.Conservative, orders, depth=limits)
    | st.just(sl.Reject())
    | st.sampled_from([scheduler(name) for name in SCHEDULERS])
)
node_orders = (
    st.sampled_from([*NODE_ORDERS, "xzy", "boxes(2,1,2)", "mine:order"])
    | st.permutations(range(5))
    | st.lists(st.integers(0, 9), min_size=1)
)
sockets = st.none() | st.sampled_from(SOCKET_ORDERS)
placed = {"order": node_orders, "sockets": sockets}
in_blocks = {**placed, "partitions": st.integers(1, 99)}
seconds = st.integers(0, 10**9) | st.floats(0, 1e9)
allocators = (
    st.builds(sl.FirstFit, **in_blocks)
    | st.builds(sl.RoundRobin, **in_blocks)
    | st.builds(sl.DualEnd, **in_blocks, threshold=seconds)
    | st.builds(sl.Contiguous, **placed, fit=st.sampled_from(["first", "best"]))
    | st.builds(sl.ByScore, st.sampled_from(SCORES), sockets=sockets)
    | st.sampled_from([sl.BestFit, sl.WorstFit, sl.RandomFit]).flatmap(
        lambda kind: st.builds(kind, sockets=sockets)
    )
    | st.sampled_from([allocator(name) for name in ALLOCATORS])
)


@given(schedulers, allocators)
def test_they_are_plain_data(decides, places):
    spec = sl.RunSpec("a.swf", system="m.toml", scheduler=decides, allocator=places)
    data = spec.to_data()
    assert "objects" not in data
    assert (data["scheduler"], data["allocator"]) == (str(decides), str(places))
    assert scheduler(data["scheduler"]) == decides
    assert allocator(data["allocator"]) == places
    again = sl.RunSpec.from_data(data, trust_code=True)
    assert again == spec
    assert again.unnamed() == {}


class Patient(sl.Easy):
    """One of your own, which prints as the built-in one does."""

    __slots__ = ()


@pytest.mark.parametrize(
    "part",
    [
        {"scheduler": sl.Easy(order=lambda job: job.id)},
        {"scheduler": sl.Easy(order=sl.Order(len, fixed=True))},
        {"scheduler": sl.Easy(score="wait, user")},
        {"scheduler": Patient()},
        {"allocator": sl.FirstFit(order=lambda system: range(system.nodes))},
    ],
)
def test_what_no_name_makes_again_is_an_object(part):
    assert sl.RunSpec(**part).to_data()["objects"].keys() == part.keys()


def test_a_list_of_nodes_is_repeated(tmp_path):
    machine = {"groups": {"n": {"nodes": 2, "resources": {"core": 1}}}}
    jobs = [sl.Job(1, 0, 5), sl.Job(2, 1, 5)]
    allocator_ = sl.FirstFit(order=[1, 0])
    sl.simulate(jobs, system=machine, allocator=allocator_, out=tmp_path / "first")
    spec = sl.RunSpec.from_file(tmp_path / "first/run.json")
    assert spec.allocator == "first-fit(order=[1,0])"
    spec.replace(workload=jobs).simulate(out=tmp_path / "again")
    assert (tmp_path / "again/jobs.csv").read_text() == (tmp_path / "first/jobs.csv").read_text()
