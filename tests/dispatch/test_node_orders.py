"""Orders of nodes by name, as lists and by functions; allocators that take them."""

from __future__ import annotations

import pickle

import pytest
from conftest import expand_nodes

import schedlab as sl
from schedlab.dispatch import allocator
from schedlab.dispatch.node_orders import node_order, order_text

SYSTEM = {"groups": {"n": {"nodes": 4, "resources": {"core": 1}}}}


def backwards(system):
    return reversed(range(sum(group.nodes for group in system.groups)))


def no_list(system):
    return 3


def half_a_node(system):
    return [0.5, 1, 2, 3]


def fails(system):
    raise ValueError("no idea")


def nodes(chosen, processors=2, **choices):
    """Returns the nodes of the only job."""
    job = sl.Job(1, submit=0, run=1, processors=processors, **choices)
    result = sl.simulate([job], system=SYSTEM, allocator=chosen)
    return [node for node, _ in expand_nodes(result.jobs.collect()["nodes"][0])]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("first-fit(order=xzy)", sl.FirstFit("xzy")),
        ("first-fit(order=configured, partitions=1)", sl.FirstFit()),
        (
            "first-fit(order=boxes(2, 1,2), sockets=fullest)",
            sl.FirstFit("boxes(2,1,2)", 1, "fullest"),
        ),
        ("first-fit(order='boxes(2,1,2)')", sl.FirstFit("boxes(2,1,2)")),
        ("round-robin(order=[2, 0, 1], partitions=3)", sl.RoundRobin((2, 0, 1), 3)),
        ("dual-end(threshold=60)", sl.DualEnd(threshold=60)),
        ("dual-end(order=curve, threshold=0.5)", sl.DualEnd("curve", threshold=0.5)),
        ("contiguous(fit=best)", sl.Contiguous(fit="best")),
        ("contiguous(order=a.b:c)", sl.Contiguous("a.b:c")),
    ],
)
def test_names_and_objects_are_the_same(text, made):
    assert allocator(text) == made
    assert allocator(str(made)) == made
    assert pickle.loads(pickle.dumps(made)) == made


def test_names_are_short():
    assert [str(kind()) for kind in (sl.FirstFit, sl.RoundRobin, sl.DualEnd, sl.Contiguous)] == [
        "first-fit",
        "round-robin",
        "dual-end",
        "contiguous",
    ]
    long = "dual-end(order=[1,0], partitions=2, threshold=5, sockets=fullest)"
    assert str(sl.DualEnd([1, 0], 2, 5, "fullest")) == long


def test_lists_and_functions():
    assert nodes(sl.FirstFit([2, 0, 1, 3])) == [0, 2]
    assert nodes("first-fit(order=[2,3,1,0])") == [2, 3]
    assert nodes(sl.FirstFit(backwards)) == [2, 3]
    assert nodes("round-robin(order=dispatch.test_node_orders:backwards)") == [2, 3]
    assert order_text(node_order(backwards)) == f"{__name__}:backwards"
    assert nodes("first-fit(partitions=2)") == [0, 2]
    assert nodes("first-fit(partitions=2)", 3) == [0, 1, 2]


def test_short_and_long_jobs():
    minute = {"requested_time": 60}
    assert nodes("dual-end(threshold=60)", **minute) == [0, 1]
    assert nodes("dual-end(threshold=59.5)", **minute) == [2, 3]
    assert nodes("dual-end(threshold=59.5, partitions=2)", **minute) == [1, 3]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("first-fit(order=foo)", 'unknown order "foo"; known: configured, topological'),
        ("first-fit(order=topologicl)", 'did you mean "topological"'),
        ("first-fit(order=[1,x])", "order: write it as [2,0,1], not [1,x]"),
        ("first-fit(order=boxes(2,x))", "order: write it as boxes(2,1,2), not boxes(2,x)"),
        ("first-fit(order=boxes(2,0))", "must be whole numbers from 1 up"),
        ("first-fit(order=[0,1,2])", "order: node 3 is missing"),
        ("first-fit(order=[0,1,2,2,3])", "order: node 2 comes twice"),
        ("first-fit(order=[0,1,2,4])", "order: there is no node 4"),
        ("first-fit(order=xyz)", "order: the system has no network"),
        ("first-fit(order=nowhere:function)", "there is no module 'nowhere'"),
        ("first-fit(order=dispatch.test_node_orders:SYSTEM)", "is not a class or function"),
        (
            "first-fit(order=dispatch.test_node_orders:no_list)",
            "must be a list of all nodes, not 3",
        ),
        (
            "first-fit(order=dispatch.test_node_orders:half_a_node)",
            "whole numbers from 0 up, not 0.5",
        ),
        ("first-fit(order=dispatch.test_node_orders:fails)", "ValueError: no idea"),
        ("first-fit(partitions=0)", "partitions: must be at least 1 (is 0)"),
        ("first-fit(partitions=1.5)", "partitions: must be a whole number (is 1.5)"),
        ("round-robin(partitions=5)", "partitions: 5 of them, but the system has 4 nodes"),
        ("dual-end(threshold=-1)", "threshold: must not be negative (is -1)"),
        ("dual-end(threshold=nan)", "threshold: must be a duration"),
        ("dual-end(threshold=soon)", "threshold: must be a duration"),
        ("contiguous(fit=worst)", 'fit: must be "first" or "best" (is "worst")'),
        ("contiguous(partitions=2)", "contiguous takes order, fit and sockets, not partitions"),
        ("best-fit(order=xyz)", "best-fit takes sockets, not order"),
        (sl.FirstFit([0, 1, 2, 4]), "order: there is no node 4"),
    ],
)
def test_wrong_ones(wrong, message):
    with pytest.raises(sl.InputError) as caught:
        sl.simulate([], system=SYSTEM, allocator=wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize("order", [[], [-1], [True], [None], 7])
def test_wrong_lists(order):
    with pytest.raises(sl.InputError, match="order: "):
        sl.FirstFit(order)


def test_a_job_that_never_finds_a_run():
    """Its nodes are there, but never side by side."""
    groups = {f"g{i}": {"nodes": 1, "resources": {"core": 1, "gpu": i % 2}} for i in range(4)}
    job = sl.Job(1, submit=0, run=1, processors=2, resources={"core": 1, "gpu": 1})
    for scheduler in ("fifo", "easy", "conservative"):
        with pytest.raises(sl.SimulationError, match="the allocator found no nodes for it"):
            sl.simulate(
                [job], system={"groups": groups}, scheduler=scheduler, allocator="contiguous"
            )
