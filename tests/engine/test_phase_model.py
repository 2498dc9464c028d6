"""The phase model: what jobs that repeat patterns take, alone and beside others."""

from __future__ import annotations

import math

import pytest
from conftest import examples
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import phase_model

from schedlab import _engine
from schedlab.errors import InputError

MESSAGES = {
    "packet": 64,
    "put_header": 32,
    "put_reply": 9,
    "get_header": 17,
    "get_reply": 24,
    "switch_over": 4096,
    "injection": 0.0,
    "send_overhead": 0.0,
    "receive_overhead": 0.0,
    "memory_bytes_per_second": 6.25e10,
    "memory_delay": 1e-7,
    "collectives": "reference",
}


def torus(dimensions, ports=1, nodes_per_router=2, **messages):
    """Returns a torus with the links of Gemini."""
    return {
        "topology": "torus",
        "dimensions": dimensions,
        "nodes_per_router": nodes_per_router,
        "ports": [ports] * len(dimensions),
        "bytes_per_second": [4.68e9] * len(dimensions),
        "delay_seconds": [0.10875e-6] * len(dimensions),
        "host_bytes_per_second": 2e10,
        "host_delay_seconds": 0.635e-6,
        "routing": "dimension-order",
        "messages": {**MESSAGES, **messages},
        "files": {"bytes_per_second": 1e9, "node_bytes_per_second": None},
        "compute": None,
    }


RING = torus([8], nodes_per_router=1)


def sending(size, compute=0.0):
    """Returns a pattern in which rank 0 sends to rank 1."""
    return [(compute, 0.0, [(0, 1, 1, size)])]


def end_of_all(model):
    """Returns when each job ends."""
    ends = {}
    while (now := model.next_time()) is not None:
        for slot in model.advance(now):
            ends[slot] = now
    return ends


# --------------------------------------------------------------------------------------- alone


@examples(30)
@given(st.integers(0, 20000), st.integers(0, 17), st.integers(0, 17), st.integers(1, 2))
def test_a_message_alone_takes_what_the_analytic_transport_says(size, here, there, ports):
    network = torus([3, 3], ports=ports)
    if here == there:
        seconds = MESSAGES["memory_delay"] + size / MESSAGES["memory_bytes_per_second"]
    else:
        transport = _engine.Transport(network, "analytic")
        transport.send(0, here, there, size, 0)
        while (tick := transport.next_time()) is not None:
            transport.advance(tick)
            seconds = tick / 1e12
    model = _engine.PhaseModel(network)
    assert model.iteration_seconds(sending(size), [here, there]) == pytest.approx(
        seconds, rel=1e-12
    )


def test_ranks_wait_for_those_alone_who_send_to_them():
    # Rank 0 sends far, then near; rank 1 gets the near one while rank 3 sends the second far one.
    model = _engine.PhaseModel(RING)
    far = model.iteration_seconds(sending(64), [0, 4])
    near = model.iteration_seconds(sending(64), [0, 1])
    nodes = [0, 1, 4, 3, 7]
    apart = [(0.0, 0.0, [(0, 2, 1, 64)]), (0.0, 0.0, [(3, 4, 1, 64)])]
    assert model.iteration_seconds(apart, nodes) == pytest.approx(far)
    chained = [(0.0, 0.0, [(0, 2, 1, 64)]), (0.0, 0.0, [(0, 1, 1, 64)])]
    assert model.iteration_seconds(chained, nodes) == pytest.approx(far + near)


def test_computing_and_files_come_on_top():
    model = _engine.PhaseModel(RING)
    message = model.iteration_seconds(sending(1000), [0, 1])
    phases = [(0.5, 2e9, [(0, 1, 1, 1000)])] * 3
    assert model.iteration_seconds(phases, [0, 1]) == pytest.approx(3 * (2.5 + message))
    model.start(0, phases, 2, [0, 1], 0)
    assert end_of_all(model) == {0: math.ceil(6 * (2.5 + message) * 1e9)}
    traffic = model.traffic(0)
    assert traffic["compute_seconds"] == pytest.approx(3.0)
    assert traffic["file_seconds"] == pytest.approx(12.0)
    assert traffic["communication_seconds"] == pytest.approx(6 * message, abs=2e-9)
    assert traffic["alone_seconds"] == pytest.approx(6 * (2.5 + message))


def test_half_way_a_job_has_done_half():
    model = _engine.PhaseModel(RING)
    phases = [(0.5, 2e9, [(0, 1, 1, 1000)])] * 3
    whole = 6 * (2.5 + model.iteration_seconds(sending(1000), [0, 1]))
    model.start(0, phases, 2, [0, 1], 0)
    model.advance(int(whole / 2 * 1e9))
    traffic = model.traffic(0)
    assert traffic["compute_seconds"] == pytest.approx(1.5)
    assert traffic["file_seconds"] == pytest.approx(6.0)
    assert traffic["bytes"] == pytest.approx(3000)


# ------------------------------------------------------------------------------------- together


@pytest.mark.parametrize("jobs", [2, 3, 5])
def test_jobs_that_only_send_share_a_link_evenly(jobs):
    model = _engine.PhaseModel(torus([8], nodes_per_router=8), tolerance=1e-9)
    for slot in range(jobs):
        model.start(slot, sending(1 << 30), 10, [slot, 8 + slot], 0)
    for slot in range(jobs):
        assert model.speed(slot) == pytest.approx(1 / jobs, rel=2e-3)


def test_flows_share_a_link_whatever_their_jobs():
    # Three flows of one job and one of another one, all over the link from router 0 to router 1.
    model = _engine.PhaseModel(torus([8], nodes_per_router=8), tolerance=1e-9)
    three = [(0.0, 0.0, [(rank, 3 + rank, 1, 1 << 30) for rank in range(3)])]
    model.start(0, three, 10, [0, 1, 2, 8, 9, 10], 0)
    model.start(1, sending(1 << 30), 10, [3, 11], 0)
    assert model.speed(0) == pytest.approx(3 / 4, rel=2e-3)
    assert model.speed(1) == pytest.approx(1 / 4, rel=2e-3)


def test_a_job_that_seldom_sends_hardly_slows_down_another():
    model = _engine.PhaseModel(torus([8], nodes_per_router=8), tolerance=1e-9)
    size = 1 << 20
    message = model.iteration_seconds(sending(size), [0, 8])
    model.start(0, sending(size), 10, [0, 8], 0)
    model.start(1, sending(size, compute=99 * message), 10, [1, 9], 0)
    assert 0.975 < model.speed(0) < 0.99
    assert 0.98 < model.speed(1) < 0.995  # while it sends it has half of the link


def test_two_jobs_that_send_half_of_the_time_meet_as_customers_do():
    # Both send a second and compute a second: while one sends it meets the load of the other one,
    # and its unevenness.
    model = _engine.PhaseModel(torus([8], nodes_per_router=8), tolerance=1e-12)
    size = 1 << 30
    message = model.iteration_seconds(sending(size), [0, 8])
    for slot in range(2):
        model.start(slot, sending(size, compute=message), 10, [slot, 8 + slot], 0)
    length = 2 / model.speed(0)
    speed, load = 1 / (length - 1), 1 / length
    spread = phase_model.UNEVENNESS * 2 * load * (1 - load / speed)
    assert speed + load + spread == pytest.approx(1, rel=1e-4)
    assert model.speed(0) == pytest.approx(model.speed(1), rel=1e-9)


def test_jobs_that_share_no_full_link_do_not_slow_down():
    model = _engine.PhaseModel(torus([8], nodes_per_router=8, ports=4))
    for slot in range(4):
        model.start(slot, sending(1 << 20), 10, [slot, 8 + slot], 0)
    model.start(4, sending(1 << 20), 10, [40, 48], 0)
    model.start(5, [(0.0, 1e9, [])], 10, [17], 0)
    assert [model.speed(slot) for slot in (4, 5)] == [1.0, 1.0]


def test_files_are_shared():
    model = _engine.PhaseModel(RING)
    for slot in range(3):
        model.start(slot, [(0.0, 1e9, [])], 1, [slot], 0)
    assert end_of_all(model) == pytest.approx({0: 3e9, 1: 3e9, 2: 3e9}, rel=1e-2)


def test_the_one_who_stays_gets_faster():
    model = _engine.PhaseModel(torus([8], nodes_per_router=8), tolerance=1e-9)
    size = 1 << 30
    alone = model.iteration_seconds(sending(size), [0, 8])
    model.start(0, sending(size), 4, [0, 8], 0)
    model.start(1, sending(size), 1, [1, 9], 0)
    ends = end_of_all(model)
    assert ends[1] == pytest.approx(2e9 * alone, rel=2e-3)
    assert ends[0] == pytest.approx(5e9 * alone, rel=2e-3)


def test_a_job_that_is_looked_at_and_keeps_its_speed_keeps_its_end():
    model = _engine.PhaseModel(torus([8], nodes_per_router=8), tolerance=0.2)
    size = 1 << 20
    message = model.iteration_seconds(sending(size), [0, 8])
    model.start(0, sending(size), 10, [0, 8], 0)
    end = model.next_time()
    model.start(1, sending(size, compute=99 * message), 1, [1, 9], end // 2)
    assert model.speed(0) == 1.0
    assert model.next_time() == end


# ----------------------------------------------------------------------------------- the oracle

NETWORKS = [
    torus([4], nodes_per_router=3),
    torus([3, 2], ports=2, injection=6e9, put_reply=0),
    torus([4, 2], send_overhead=1e-6, switch_over=None, packet=4096),
]


@st.composite
def patterns(draw, ranks):
    """Draws a few phases, of which some repeat."""
    rank = st.integers(0, ranks - 1)
    flow = st.tuples(rank, rank, st.integers(1, 3), st.sampled_from([0, 8, 5000, 100001, 4 << 20]))
    flows = st.lists(flow, max_size=5, unique_by=lambda row: row[:2]).map(sorted)
    phase = st.tuples(st.sampled_from([0.0, 1e-4]), st.sampled_from([0.0, 0.0, 1e5]), flows)
    phases = draw(st.lists(phase, min_size=1, max_size=3))
    return phases + [phases[0]] * draw(st.integers(0, 2))


@st.composite
def histories(draw):
    """Draws a network, and jobs with their starts and, for some, when they are stopped."""
    network = draw(st.sampled_from(NETWORKS))
    count = _engine.Topology(network).nodes
    jobs = []
    for _ in range(draw(st.integers(1, 6))):
        ranks = draw(st.integers(1, 5))
        nodes = draw(st.lists(st.integers(0, count - 1), min_size=ranks, max_size=ranks))
        start = draw(st.integers(0, 3)) * 1_000_000
        stop = draw(st.sampled_from([None, None, None, start + 2_500_000]))
        jobs.append((start, stop, draw(patterns(ranks)), draw(st.sampled_from([1, 2.5, 7])), nodes))
    return network, jobs


def play(model, jobs, pause=None):
    """Returns the end of each job and whether it was stopped."""
    changes = [(job[0], 1, slot) for slot, job in enumerate(jobs)]
    changes += [(job[1], 0, slot) for slot, job in enumerate(jobs) if job[1] is not None]
    ends = {}

    def advance(until):
        if isinstance(model, phase_model.PhaseModel):
            ends.update({slot: (time, "ended") for time, slot in model.advance(until)})
            return
        while (now := model.next_time()) is not None and now <= until:
            ends.update(dict.fromkeys(model.advance(now), (now, "ended")))

    for time, starts, slot in sorted(changes):
        advance(time)
        if pause:
            model = pause(model)
        if starts:
            _, _, pattern, repeats, nodes = jobs[slot]
            model.start(slot, pattern, repeats, nodes, time)
        elif slot not in ends:
            model.stop(slot, time)
            ends[slot] = (time, "stopped")
    advance(10**15)
    return ends, model


# Both wait for files, and one for the network more than for files.
FILES_AND_NETWORK = (
    NETWORKS[0],
    [
        (0, None, [(0.0, 1e5, [(0, 1, 1, 0)])], 1, [0, 1]),
        (0, None, [(0.0, 0.0, [(0, 1, 1, 4 << 20)]), (0.0, 1e5, [])], 1, [0, 1]),
    ],
)


@examples(60)
@given(histories())
@example(FILES_AND_NETWORK)
def test_it_is_as_the_naive_model_says(history):
    network, jobs = history
    expected, _ = play(phase_model.PhaseModel(network), jobs)
    ends, model = play(_engine.PhaseModel(network, tolerance=1e-13), jobs)
    assert {slot: how for slot, (_, how) in ends.items()} == {
        slot: how for slot, (_, how) in expected.items()
    }
    for slot, (time, _) in expected.items():
        assert ends[slot][0] == pytest.approx(time, rel=1e-9, abs=2)

    carried = [0.0] * len(model.carried(10**15))
    naive = phase_model.PhaseModel(network)
    for slot, (_, _, pattern, repeats, nodes) in enumerate(jobs):
        load = phase_model.Load(naive, pattern, nodes)
        traffic = model.traffic(slot)
        assert traffic["alone_seconds"] == pytest.approx(load.alone * repeats, rel=1e-9)
        done = traffic["messages"] / load.messages if load.messages else 0.0
        if ends[slot][1] == "ended":
            assert done == pytest.approx(repeats if load.messages else 0.0)
        assert traffic["bytes"] == pytest.approx(load.message_bytes * done)
        assert traffic["hops"] == pytest.approx(load.hops * done)
        assert traffic["hop_bytes"] == pytest.approx(load.hop_bytes * done)
        for link, amount in load.bytes.items():
            if link != phase_model.FILES:
                carried[link] += amount * done
    assert model.carried(10**15) == pytest.approx(carried)


@examples(40)
@given(histories())
def test_it_goes_on_from_a_copy_as_if_nothing_had_been(history):
    network, jobs = history
    ends, _ = play(_engine.PhaseModel(network), jobs)

    def saved(model):
        other = _engine.PhaseModel(network)
        other.load(model.save())
        return other

    again, model = play(_engine.PhaseModel(network), jobs, pause=saved)
    assert again == ends
    forked, _ = play(_engine.PhaseModel(network), jobs, pause=lambda model: model.fork())
    assert forked == ends
    for slot in range(len(jobs)):
        model.forget(slot)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, sending(8), 1, [0, 8], 0), r"node 8: the network has nodes 0 to 7"),
        ((0, [(0, 0, [(0, 2, 1, 8)])], 1, [0, 1], 0), r"between ranks 0 to 1"),
        ((0, [(0, 0, [(0, 1, 0, 8)])], 1, [0, 1], 0), r"must have messages"),
        ((0, [], math.inf, [0], 0), r"repeats: must be a number from 0 up"),
        ((0, [], 1, [0], -1), r"times must not decrease"),
        ((1, [], 1, [0], 0), r"slot 1: has a job"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    model = _engine.PhaseModel(RING)
    model.start(1, [], 1, [0], 0)
    with pytest.raises(InputError, match=message):
        model.start(*arguments)


def test_files_need_a_file_system():
    model = _engine.PhaseModel({**RING, "files": None})
    with pytest.raises(InputError, match=r"network\.files gives no bandwidth"):
        model.start(0, [(0.0, 1.0, [])], 1, [0], 0)
