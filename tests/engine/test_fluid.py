"""Messages as flows: fair rates, the naive twin, what accuracy costs, exact states."""

from __future__ import annotations

import random

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.fluid import FluidSimulation, water_filling
from oracles.network_cases import CIELO, RULES, Send, nodes_of, run, tori, traffic

from schedlab import _engine
from schedlab.errors import InputError

CUBE = CIELO | {"dimensions": [4, 4, 4]}


def ends(arrivals: list[tuple[int, int, bool]]) -> dict[tuple[int, bool], int]:
    return {(message, known): tick for tick, message, known in arrivals}


def mixed(nodes: int, count: int, seed: int) -> list[Send]:
    """Messages of 64 bytes to 32 KiB between random nodes, enough that links are full."""
    draw = random.Random(seed)
    sends = []
    for _ in range(count):
        source, target = draw.sample(range(nodes), 2)
        sends.append((draw.randrange(20_000_000), source, target, 64 << draw.randrange(10)))
    return sorted(sends)


@examples(40)
@given(st.data())
def test_a_message_alone_takes_the_analytic_time(data):
    network = data.draw(tori())
    (send,) = data.draw(traffic(nodes_of(network), most=1))
    fluid = ends(run(_engine.Transport(network, "fluid"), [send]))
    alone = ends(run(_engine.Transport(network, "analytic"), [send]))
    assert fluid[0, False] == alone[0, False]
    if network["messages"]["put_reply"] and network["messages"]["get_reply"]:
        assert fluid[0, True] == alone[0, True]
    else:
        assert fluid[0, True] >= alone[0, True]


@examples(60)
@given(
    st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=8),
    st.lists(st.sampled_from((1.0, 2.0, 3.5)), min_size=6, max_size=6),
)
def test_filling_gives_each_flow_a_bottleneck(ways, room):
    most = [min(room[link] for link in way) for way in ways]
    rates = water_filling([sorted(way) for way in ways], most, room)
    loads = [sum(r for r, way in zip(rates, ways, strict=True) if link in way) for link in range(6)]
    assert all(load <= size * (1 + 1e-9) for load, size in zip(loads, room, strict=True))
    for rate, way, limit in zip(rates, ways, most, strict=True):
        fastest = {
            link: max(r for r, other in zip(rates, ways, strict=True) if link in other)
            for link in way
            if loads[link] >= room[link] * (1 - 1e-9)
        }
        assert rate >= limit * (1 - 1e-9) or any(
            rate >= top * (1 - 1e-9) for top in fastest.values()
        )


@examples(60)
@given(st.data())
def test_exact_flows_equal_their_naive_twin(data):
    rules = RULES | {
        "put_reply": data.draw(st.sampled_from((0, 9))),
        "switch_over": data.draw(st.sampled_from((None, 100))),
        "injection": data.draw(st.sampled_from((0.0, 0.7e9))),
    }
    network = data.draw(tori()) | {"messages": rules}
    sends = data.draw(traffic(nodes_of(network)))
    found = ends(run(_engine.Transport(network, "fluid", accuracy=0.0), sends))
    expected = ends(FluidSimulation(network).run(sends))
    assert found.keys() == expected.keys()
    for key, tick in expected.items():
        assert found[key] == pytest.approx(tick, rel=1e-9, abs=2)


def test_accuracy_costs_little():
    for seed in range(3):
        sends = mixed(128, 400, seed)
        exact = ends(run(_engine.Transport(CUBE, "fluid", accuracy=0.0), sends))
        near = ends(run(_engine.Transport(CUBE, "fluid"), sends))
        errors = [abs(near[key] - exact[key]) / (exact[key] - sends[key[0]][0]) for key in exact]
        assert 0 < sum(errors) / len(errors) < 0.01
        assert max(errors) < 0.1


def test_links_carry_what_was_sent_and_never_more_than_they_can():
    sends = mixed(128, 200, 5)
    fluid, alone = (_engine.Transport(CUBE, fidelity) for fidelity in ("fluid", "analytic"))
    for number, (_, source, target, size) in enumerate(sends):
        for transport in (fluid, alone):
            transport.send(number, source, target, size, 0)
    before, then = fluid.carried(), 0
    while (tick := fluid.next_time()) is not None:
        fluid.advance(tick)
        carried = fluid.carried()
        for (*_, ports, speed, _), old, new in zip(
            _engine.Topology(CUBE).links, before, carried, strict=True
        ):
            assert new - old <= ports * speed * 1.025 / 1e12 * (tick - then) + 1e-6
        before, then = carried, tick
    assert fluid.carried() == pytest.approx(alone.carried(), rel=1e-9)
    assert fluid.events == 2 * len(sends)


def test_two_messages_share_a_link_and_the_second_gets_all_of_it_when_the_first_is_gone():
    network = CIELO | {"messages": RULES | {"put_reply": 0}}
    size = 64 * 1000
    alone = ends(run(_engine.Transport(network, "fluid"), [(0, 0, 2, size)]))[0, False]
    both = ends(run(_engine.Transport(network, "fluid"), [(0, 0, 2, size), (0, 1, 3, 2 * size)]))
    wire = 96 * 1000 * 1e12 / (2 * 4.68e9)
    assert both[0, False] == pytest.approx(alone + wire, rel=1e-3)
    assert both[1, False] == pytest.approx(alone + 2 * wire, rel=1e-3)


def test_a_dropped_message_leaves_its_share_to_others_and_its_number_is_free():
    network = CIELO | {"messages": RULES | {"put_reply": 0}}
    transport = _engine.Transport(network, "fluid")
    size = 64 * 1000
    wire = 96 * 1000 * 1e12 / (2 * 4.68e9)
    transport.send(0, 0, 2, size, 0)
    transport.send(1, 1, 3, size, 0)
    assert transport.advance(1_000_000) == []
    transport.drop(0)
    transport.send(0, 100, 102, 64, 1_000_000)
    found = {}
    while (tick := transport.next_time()) is not None:
        found.update(dict.fromkeys(transport.advance(tick), tick))
    alone = ends(run(_engine.Transport(network, "fluid"), [(0, 0, 2, size)]))[0, False]
    assert len(found) == 4
    assert found[1, False] == pytest.approx(alone + 500_000, rel=1e-3)
    assert found[0, False] < 4_000_000 < wire


@pytest.mark.parametrize("routing", ["dimension-order", "adaptive"])
def test_forks_saved_and_shifted_states_go_on_exactly(routing):
    network = CUBE | {"routing": routing, "messages": RULES | {"send_overhead": 1e-7}}
    sends = mixed(128, 200, 8)
    first = _engine.Transport(network, "fluid", seed=3)
    for number, (_, source, target, size) in enumerate(sends):
        first.send(number, source, target, size, 0)
    tick = 0
    for _ in range(200):
        tick = first.next_time()
        first.advance(tick)
    again = _engine.Transport(network, "fluid")
    again.load(first.save())
    shifted = first.fork()
    shifted.shift(tick)

    def rest(transport: _engine.Transport, by: int = 0) -> list[tuple[int, int, bool]]:
        found = []
        while (due := transport.next_time()) is not None:
            found.extend((due + by, *arrival) for arrival in transport.advance(due))
        return found

    expected = rest(first.fork())
    assert 200 < len(expected) < 400
    assert rest(again) == expected
    assert rest(shifted, tick) == expected
    assert rest(first) == expected
    assert first.save() == again.save()


def test_adaptive_routes_go_round_what_is_busy():
    sends = [(0, node, node + 8, 65_536) for node in range(4)]
    plain, adaptive = (
        _engine.Transport(CUBE | {"nodes_per_router": 4, "routing": routing}, "fluid")
        for routing in ("dimension-order", "adaptive")
    )
    for transport in (plain, adaptive):
        run(transport, sends)
    between = slice(2 * 256, None)
    used = [sum(bytes_ > 0 for bytes_ in t.carried()[between]) for t in (plain, adaptive)]
    assert used[1] > used[0]


def test_exchanges_take_about_as_long_as_with_packets():
    network = CUBE | {"messages": RULES | {"packet": 512, "put_header": 256, "put_reply": 72}}
    places = random.Random(2).sample(range(128), 128)
    pairs = [(places[rank], places[rank ^ 1]) for rank in range(128)]
    ring = [(places[rank], places[(rank + step) % 128]) for rank in range(128) for step in (1, 2)]
    for ends_of_messages in (pairs, ring):
        sends = [(0, source, target, 32_768) for source, target in ends_of_messages]
        last = [
            run(_engine.Transport(network, fidelity), sends)[-1][0]
            for fidelity in ("fluid", "packet")
        ]
        assert last[0] == pytest.approx(last[1], rel=0.1)


@pytest.mark.parametrize("accuracy", [-0.1, 1.0, float("nan")])
def test_an_accuracy_that_cannot_be_is_refused(accuracy):
    with pytest.raises(InputError, match="accuracy: must be from 0 up to below 1"):
        _engine.Transport(CIELO, "fluid", accuracy=accuracy)


def test_half_way_links_have_carried_half_of_a_message():
    size = 1 << 20
    whole = _engine.Transport(CUBE, "fluid")
    (*_, last) = [tick for tick, _, known in run(whole, [(0, 0, 21, size)]) if not known]
    fluid = _engine.Transport(CUBE, "fluid")
    fluid.send(0, 0, 21, size, 0)
    for part in (0.25, 0.5, 0.75):
        fluid.advance(int(part * last))
        expected = [part * carried for carried in whole.carried()]
        assert fluid.carried() == pytest.approx(expected, rel=0.02)
