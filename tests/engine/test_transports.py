"""Messages as packets and alone: the reference's digits, the naive twin, exact states."""

from __future__ import annotations

import itertools

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.network_cases import (
    CIELO,
    RULES,
    allreduce,
    nodes_of,
    run,
    tori,
    traffic,
)
from oracles.packets import PacketSimulation

from schedlab import _engine
from schedlab.errors import InputError

SQUARE = CIELO | {"dimensions": [4, 4], "ports": [2, 1], "nodes_per_router": 2}
SQUARE |= {"bytes_per_second": [4.68e9] * 2, "delay_seconds": [0.10875e-6] * 2}
EVERYBODY = [
    (0, source, target, 700) for source, target in itertools.permutations(range(0, 32, 5), 2)
]


def microseconds(ticks: int) -> float:
    return round(ticks / 1e6, 3)


@pytest.mark.parametrize(
    ("ranks", "size", "events", "last", "most"),
    [
        (64, 128, 2_940, 19.627, 29.021),
        (64, 1024, 23_072, 23.223, 32.630),
        (1024, 128, 58_940, 34.192, 50.198),
    ],
)
def test_an_allreduce_takes_the_time_and_events_of_the_reference(ranks, size, events, last, most):
    transport = _engine.Transport(CIELO, "packet")
    ends = allreduce(transport, ranks, size)
    assert (microseconds(ends[-1]), microseconds(max(ends))) == (last, most)
    assert ranks + transport.events == events


@examples(80)
@given(st.data())
def test_packets_equal_their_naive_twin(data):
    network = data.draw(tori())
    sends = data.draw(traffic(nodes_of(network)))
    twin = PacketSimulation(network)
    transport = _engine.Transport(network, "packet")
    assert run(transport, sends) == twin.run(sends)
    assert transport.events == twin.events
    assert transport.carried() == [link.carried for link in twin.links]


@examples(80)
@given(st.data())
def test_a_message_alone_takes_the_analytic_time(data):
    network = data.draw(tori())
    nodes = nodes_of(network)
    size = data.draw(st.integers(0, 3000))
    send = (0, 0, data.draw(st.integers(1, nodes - 1)), size)
    packets, analytic = (_engine.Transport(network, name) for name in ("packet", "analytic"))
    assert sorted(run(analytic, [send])) == sorted(run(packets, [send]))
    assert analytic.carried() == packets.carried()
    assert analytic.events == 2


def test_messages_that_meet_take_longer_only_where_somebody_looks():
    sends = [(0, source, 31, 4096) for source in range(8)]
    alone = {
        message: tick
        for tick, message, acknowledged in run(_engine.Transport(SQUARE, "analytic"), sends)
        if not acknowledged
    }
    together = {
        message: tick
        for tick, message, acknowledged in run(_engine.Transport(SQUARE, "packet"), sends)
        if not acknowledged
    }
    assert all(together[message] >= alone[message] for message in alone)
    assert max(together.values()) > 1.5 * max(alone.values())


def test_chunks_of_large_messages_fill_the_slowest_link():
    network = SQUARE | {"messages": RULES | {"packet": 4096, "put_header": 0}}
    size = 16 * 1024 * 1024
    for fidelity in ("packet", "analytic"):
        transport = _engine.Transport(network, fidelity)
        delivered = run(transport, [(0, 0, 8, size)])[0][0]  # one link in y, which has one port
        assert delivered == pytest.approx(size / 4.68e9 * 1e12, rel=1e-3)


@pytest.mark.parametrize("routing", ["dimension-order", "valiant", "adaptive"])
@pytest.mark.parametrize("fidelity", ["analytic", "packet"])
def test_forks_and_saved_states_go_on_exactly(fidelity, routing):
    network = SQUARE | {"routing": routing}
    network["messages"] = RULES | {"send_overhead": 1e-8, "receive_overhead": 1e-8}
    expected = run(_engine.Transport(network, fidelity, seed=5), EVERYBODY)
    assert len(expected) == 2 * len(EVERYBODY)

    transport = _engine.Transport(network, fidelity, seed=5)
    for message, (tick, source, target, size) in enumerate(EVERYBODY):
        transport.send(message, source, target, size, tick)
    half = len(expected) // 2
    seen = []
    while len(seen) < half:
        tick = transport.next_time()
        seen += [(tick, *arrival) for arrival in transport.advance(tick)]
    saved = transport.save()
    loaded = _engine.Transport(network, fidelity, seed=6)
    loaded.load(saved)
    assert loaded.save() == saved
    moved = transport.fork()
    moved.shift(tick)
    rest = run(transport.fork(), [])
    assert seen + rest == expected
    assert run(loaded, []) == rest
    assert [(tick + later, *arrival) for later, *arrival in run(moved, [])] == rest
    assert run(transport, []) == rest


@pytest.mark.parametrize("fidelity", ["analytic", "packet"])
def test_nothing_is_heard_of_dropped_messages_and_their_numbers_are_free(fidelity):
    transport = _engine.Transport(SQUARE, fidelity)
    transport.send(0, 0, 31, 4096, 0)
    transport.send(1, 2, 31, 4096, 0)
    transport.drop(0)
    transport.send(0, 4, 31, 64, 0)
    arrivals = run(transport, [])
    assert sorted((message, acknowledged) for _, message, acknowledged in arrivals) == [
        (0, False), (0, True), (1, False), (1, True)
    ]  # fmt: skip
    # The new message 0 is short: it is not the old one that arrived.
    assert arrivals[0][1:] == (0, False)
    undisturbed = run(_engine.Transport(SQUARE, fidelity), [(0, 2, 31, 4096)])
    slower = next(tick for tick, message, _ in arrivals if message == 1) > undisturbed[0][0]
    assert slower == (fidelity == "packet")  # what was dropped is still on the wires


@pytest.mark.parametrize("routing", ["valiant", "adaptive"])
def test_packets_that_choose_their_ways_use_more_links(routing):
    sends = [(0, 0, 16, 64 * 200)]
    straight = _engine.Transport(SQUARE, "packet")
    chosen = _engine.Transport(SQUARE | {"routing": routing}, "packet", seed=1)
    assert len(run(straight, sends)) == len(run(chosen, sends)) == 2
    used = [sum(1 for carried in one.carried() if carried) for one in (straight, chosen)]
    assert used[1] > used[0]
    host_out = chosen.carried()[0]
    assert host_out == 200 * 96


def test_time_does_not_go_back():
    transport = _engine.Transport(SQUARE, "packet")
    transport.send(0, 0, 31, 64, 1000)
    with pytest.raises(InputError, match="tick: is 999, before 1000"):
        transport.send(1, 0, 31, 64, 999)
    with pytest.raises(InputError, match="nodes 0 to 31, not 32"):
        transport.send(1, 0, 32, 64, 1000)
    with pytest.raises(InputError, match="same node"):
        transport.send(1, 3, 3, 64, 1000)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("packet", 0, "packet: must be a whole number of bytes, at least 1, not 0"),
        ("put_reply", -1, "put_reply: must be a whole number of bytes, not -1"),
        ("switch_over", "4k", "switch_over: must be a whole number of bytes, not '4k'"),
        ("injection", float("nan"), "injection: must be a number of bytes per second, not nan"),
        ("send_overhead", 1e9, "send_overhead: must be a number of seconds, an hour at most"),
        ("memory_bytes_per_second", 0.0, "memory_bytes_per_second: must be .* more than 0"),
    ],
)
def test_rules_that_cannot_be_are_refused(field, value, message):
    with pytest.raises(InputError, match=f"network.messages.{message}"):
        _engine.Transport(SQUARE | {"messages": RULES | {field: value}}, "packet")
    rest = {key: rule for key, rule in RULES.items() if key != field}
    with pytest.raises(InputError, match=f"network.messages.{field}: is missing"):
        _engine.Transport(SQUARE | {"messages": rest}, "packet")


def test_fidelities_are_known_by_their_names():
    with pytest.raises(InputError, match="must be analytic, fluid or packet"):
        _engine.Transport(SQUARE, "magic")


def test_a_network_without_rules_of_messages_is_refused():
    network = {key: value for key, value in SQUARE.items() if key != "messages"}
    with pytest.raises(InputError, match=r"network\.messages: must be the rules"):
        _engine.Transport(network, "packet")
