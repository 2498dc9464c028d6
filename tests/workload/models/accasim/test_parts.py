"""Sizes, requests, work, durations, requested times and users: each part for itself."""

from __future__ import annotations

import math
from collections import Counter
from types import SimpleNamespace

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.system import Group, System
from schedlab.workload.models.accasim import (
    AccuracyOfData,
    EmpiricalSize,
    EmpiricalWork,
    FlopsDuration,
    LublinSize,
    UniformRequest,
    UsersOfData,
)
from schedlab.workload.models.accasim.target_machine import Machine, limits
from schedlab.workload.random_numbers import generator


def machine(*groups, **performance):
    made = [Group(f"g{number}", *group) for number, group in enumerate(groups)]
    return Machine(System(groups=made), performance or {"core": 2.0})


def data(nodes=(1,), run=(100.0,), processors=None, requested=None, machine_nodes=64):
    nodes, run = numpy.array(nodes, float), numpy.array(run, float)
    processors = nodes if processors is None else numpy.array(processors, float)
    run = numpy.broadcast_to(run, processors.shape)
    return SimpleNamespace(
        nodes=nodes,
        run=run,
        processors=processors,
        serial=processors == 1,
        work=run * processors * 2.0,
        requested_time=-numpy.ones(len(run)) if requested is None else numpy.array(requested),
        machine_nodes=machine_nodes,
    )


@given(
    st.lists(st.integers(1, 64), min_size=1, max_size=60),
    st.integers(1, 200),
    st.sampled_from([LublinSize, EmpiricalSize]),
    st.lists(st.tuples(st.integers(1, 200), st.integers(0, 200)), min_size=1, max_size=30),
)
@examples(40)
def test_nodes_are_between_least_and_most(counts, target, kind, ranges):
    part = kind()
    part.learn(data(counts), machine((target, {"core": 4})), {"core": (1, 4)})
    assert part.cumulative[0] == 0
    assert part.cumulative[-1] == pytest.approx(1)
    assert (numpy.diff(part.cumulative) >= -1e-12).all()
    least = numpy.array([min(low, target) for low, _ in ranges], float)
    most = numpy.array([min(low + more, target) for low, more in ranges], float)
    drawn = part.nodes(least, most, generator("s"))
    assert ((drawn >= least) & (drawn <= most) & (drawn == numpy.floor(drawn))).all()


def test_lublin_sizes_are_found_again():
    """What is drawn from the model with known parameters gives these parameters."""
    random = generator("lublin")
    low_stage = random.random(40_000) < 0.8
    logarithm = numpy.where(low_stage, 3 * random.random(40_000), 3 + 3 * random.random(40_000))
    rounded = numpy.where(random.random(40_000) < 0.6, numpy.rint(logarithm), logarithm)
    nodes = numpy.rint(2**rounded)
    part = LublinSize()
    made = machine((64, {"core": 4}))
    part.learn(data(nodes, processors=nodes + 1), made, {"core": (1, 4)})
    assert part.low == 0
    assert part.high == 6
    assert (part.middle, part.share) == (pytest.approx(3, abs=0.25), pytest.approx(0.8, abs=0.06))
    assert part.power_of_two == pytest.approx(0.6, abs=0.06)
    assert part.distance < 0.02
    ones = numpy.ones(40_000)
    drawn = part.nodes(ones, 64 * ones, generator("again"))
    ours, theirs = Counter(drawn.tolist()), Counter(nodes.tolist())
    difference, largest = 0.0, 0.0
    for count in range(1, 65):
        difference += (ours[count] - theirs[count]) / 40_000
        largest = max(largest, abs(difference))
    assert largest < 0.03


def test_lublin_sizes_grow_with_the_machine():
    nodes = numpy.tile([1.0, 2, 4, 8, 16, 32, 64], 100)
    part = LublinSize()
    part.learn(data(nodes, processors=nodes + 1), machine((256, {"core": 4})), {"core": (1, 4)})
    assert part.high == pytest.approx(8)
    ones = numpy.ones(5000)
    assert part.nodes(ones, 256 * ones, generator("g")).max() > 128


def test_jobs_are_serial_up_to_the_work_of_the_largest_serial_one():
    part = LublinSize()
    processors = numpy.array([1.0] * 60 + [8.0] * 40)
    part.learn(
        data(numpy.ceil(processors / 4), processors=processors), machine((9, {"core": 4})), {}
    )
    assert part.serial_share == 0.6
    work = numpy.array([200.0] * 6000 + [200.1] * 4000)
    chosen = part.serial(work, generator("x"))
    assert not chosen[6000:].any()
    assert chosen[:6000].all()  # 60 % of the jobs of the data are below, and all of them serial


def brute_force(request_limits, groups):
    """All requests that some node holds."""
    kinds = list(request_limits)
    found = set()

    def go(prefix):
        if len(prefix) == len(kinds):
            if any(
                all(n <= have.get(k, 0) for k, n in zip(kinds, prefix, strict=True))
                for _, have in groups
            ):
                found.add(prefix)
            return
        low, high = request_limits[kinds[len(prefix)]]
        for amount in range(low, high + 1):
            go((*prefix, amount))

    go(())
    return found


AMOUNTS = st.fixed_dictionaries({"core": st.integers(1, 5), "gpu": st.integers(0, 3)})


@given(
    st.lists(st.tuples(st.integers(1, 4), AMOUNTS), min_size=1, max_size=3),
    st.integers(1, 3),
    st.integers(0, 3),
    st.integers(0, 3),
)
@examples(60)
def test_requests_are_all_that_nodes_hold_and_nothing_else(groups, least, more, gpus):
    request_limits = {"core": (least, least + more), "gpu": (0, gpus)}
    made = machine(*groups, core=2.0)
    allowed = brute_force(request_limits, groups)
    part = UniformRequest()
    if not allowed:
        with pytest.raises(InputError, match="no node can hold"):
            part.learn(None, made, request_limits)
        return
    part.learn(None, made, request_limits)
    none = numpy.zeros(6000, bool)
    drawn = part.draw(none, none, generator("r"))
    seen = Counter(zip(drawn["core"].tolist(), drawn["gpu"].tolist(), strict=True))
    assert set(seen) == {(float(a), float(b)) for a, b in allowed}
    expected = 6000 / len(allowed)
    assert all(abs(n - expected) < 6 * math.sqrt(expected) + 6 for n in seen.values())


def test_serial_and_one_node_requests():
    made = machine((4, {"core": 8, "gpu": 2, "mem": 100}), core=2.0, gpu=900.0)
    part = UniformRequest()
    part.learn(None, made, {"core": (1, 6), "gpu": (0, 2), "mem": (5, 50)})
    half = numpy.arange(2000) < 1000
    drawn = part.draw(half, ~half, generator("r"))
    assert set(drawn["core"][half]) == {1.0}
    assert set(drawn["gpu"][half]) == {0.0}
    assert set(drawn["core"][~half]) == {2.0, 3, 4, 5, 6}
    assert set(drawn["gpu"][~half]) == {0.0, 1, 2}
    assert (drawn["mem"].min(), drawn["mem"].max()) == (5, 50)


@pytest.mark.parametrize(
    ("least", "most", "message"),
    [
        ({"core": 1}, {}, "with the same resource types"),
        ({"core": 1, "x": 0}, {"core": 2, "x": 1}, "has no 'x'; it has core"),
        ({"core": 3}, {"core": 2}, "3..2 is not a range"),
        ({"core": -1}, {"core": 2}, "is not a range from 0 up"),
        ({"core": 1.5}, {"core": 2}, "must be whole numbers"),
        ({"core": 0}, {"core": 0}, "must allow at least 1"),
        ({}, {}, "must allow at least 1"),
    ],
)
def test_wrong_limits(least, most, message):
    system = System(groups=[Group("g", 2, {"core": 4})])
    with pytest.raises(InputError, match=message):
        limits({"min": least, "max": most}, system)


@pytest.mark.parametrize(
    ("performance", "message"),
    [
        ({}, 'GFLOPS of a "core"'),
        ({"gpu": 5}, "the system has no 'gpu'"),
        ({"core": 0}, "must be above 0"),
        ({"core": math.inf}, "must be above 0"),
        ({"core": 1e308}, "must be from 1e-09 to 1e.12 GFLOPS"),
        ({"core": 1e-308}, "must be from 1e-09 to 1e.12 GFLOPS"),
        ({"core": "fast"}, "must be GFLOPS, a number"),
    ],
)
def test_wrong_performance(performance, message):
    with pytest.raises(InputError, match=message):
        Machine(System(groups=[Group("g", 2, {"core": 4})]), performance)


def test_a_processor_that_no_node_has():
    made = Machine(System(processor={"core": 8}, groups=[Group("g", 2, {"core": 4})]), {"core": 1})
    with pytest.raises(InputError, match="no node has all that one processor stands for"):
        _ = made.processors_per_node


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.lists(st.floats(0, 0.999999)))
def test_work_lies_between_values_of_the_data(runs, uniforms):
    part = EmpiricalWork()
    part.learn(data([1] * len(runs), run=runs), None, None)
    drawn = part.draw(numpy.array(uniforms))
    assert ((drawn >= 2 * min(runs)) & (drawn <= 2 * max(runs) * (1 + 1e-12))).all()


def test_work_is_distributed_as_in_the_data():
    runs = numpy.floor(10 ** (5 * generator("w").random(5000)))
    part = EmpiricalWork()
    part.learn(data([1] * 5000, run=runs), None, None)
    drawn = numpy.sort(part.draw(generator("v").random(50_000)))
    points = numpy.unique(2 * runs) + 1e-9
    ours = numpy.searchsorted(drawn, points) / 50_000
    theirs = numpy.searchsorted(numpy.sort(2 * runs), points) / 5000
    assert numpy.abs(ours - theirs).max() < 0.012


def test_durations():
    part = FlopsDuration()
    part.learn(None, machine((4, {"core": 4, "gpu": 2}), core=2.0, gpu=900.0), None)
    request = {"core": numpy.array([1.0, 4, 2, 1, 1]), "gpu": numpy.array([0.0, 0, 2, 2, 0])}
    work, nodes = numpy.array([1001.0, 1000, 18_040_000, 1e-9, 0]), numpy.array([1.0, 3, 1, 1, 1])
    assert part.seconds(work, nodes, request).tolist() == [500, 41.667, 10_000, 0.001, 0]
    part.whole_seconds = True
    assert part.seconds(work, nodes, request).tolist() == [500, 42, 10_000, 1, 0]


def test_requested_times_are_as_accurate_as_those_of_like_run_times():
    runs = numpy.concatenate((numpy.full(500, 10.0), numpy.full(500, 10_000.0)))
    requested = numpy.concatenate((numpy.full(500, 3600.0), numpy.full(500, 12_000.0)))
    part = AccuracyOfData()
    part.learn(data([1] * 1000, run=runs, requested=requested), None, None)
    drawn = part.draw(numpy.array([0.001, 5.0, 10, 9999, 10_000, 1e6]), generator("t"))
    assert drawn.tolist() == [1, 1800, 3600, 12_000, 12_000, 1e6]


@given(
    st.lists(st.tuples(st.floats(0.001, 1e6), st.floats(-1, 1e6)), min_size=1, max_size=40),
    st.lists(st.floats(0.001, 1e6), max_size=20),
)
@examples(100)
def test_requested_times_hold_what_the_data_hold(rows, runs):
    given_runs, requested = zip(*rows, strict=True)
    part = AccuracyOfData()
    part.learn(data([1] * len(rows), run=given_runs, requested=requested), None, None)
    drawn = part.draw(numpy.array(runs), generator("t"))
    if max(requested) <= 0:
        assert (drawn == -1).all()
        return
    assert ((drawn >= 1) & (drawn == numpy.floor(drawn))).all()
    if all(r >= run for run, r in rows if r > 0):
        assert (drawn >= numpy.array(runs)).all()  # nobody asked for too little


def test_users_have_their_shares_and_groups():
    part = UsersOfData()
    part.learn(SimpleNamespace(users={(3, 1): 700, (5, 2): 300}), None, None)
    drawn = part.draw(20_000, generator("u"))
    pairs = Counter(zip(drawn["user"].tolist(), drawn["group"].tolist(), strict=True))
    assert set(pairs) == {(3.0, 1.0), (5.0, 2.0)}
    assert pairs[3.0, 1.0] == pytest.approx(14_000, abs=400)
