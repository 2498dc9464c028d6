"""Machines by name: sizes, sources held against what comes out, and names beside files."""

from __future__ import annotations

import pytest

import schedlab as sl
from schedlab._engine import Topology
from schedlab.errors import InputError
from schedlab.system import Torus, load_system
from schedlab.system.network import LinkKind, for_engine
from schedlab.system.network.network_facts import nearest, network_facts
from schedlab.system.network.presets import PRESETS

SIZES = {  # nodes, routers, cores, hops at most
    "cielo": (9216, 4608, 147_456, 26),
    "hopper": (6528, 3264, 153_216, 24),
    "titan": (19200, 9600, 299_008, 32),
    "edison": (5760, 1440, 133_824, 5),
    "intrepid": (40960, 40960, 163_840, 52),
    "fat-tree": (6400, 328, 102_400, 2),
}

PUBLISHED = [  # machine, bytes, which way, measured us, greatest error in percent
    ("hopper", 8, "nearest", 1.27, 0.5),
    ("hopper", 8, "farthest", 3.88, 5.5),
    ("titan", 0, "next router", (1.5 + 1.7 + 1.55) / 3, 0.5),
    ("titan", 0, "farthest", 3.96, 0.5),
    ("edison", 8, "nearest", 1.498, 0.5),
    ("intrepid", 8, "nearest", 3.5, 0.5),
    ("intrepid", 8, "farthest", 10.0, 0.5),
]


@pytest.mark.parametrize("name", PRESETS)
def test_sizes(name: str) -> None:
    system = load_system(name)
    network = system.network
    assert network is not None
    sizes = (system.nodes, network.routers, system.capacity["core"], network.diameter)
    assert sizes == SIZES[name]


@pytest.mark.parametrize(("name", "size", "way", "microseconds", "percent"), PUBLISHED)
def test_latencies_beside_measured_ones(
    name: str, size: int, way: str, microseconds: float, percent: float
) -> None:
    network = load_system(name).network
    assert network is not None
    ways = {
        "nearest": nearest(network),
        "next router": network.kinds_between_routers()[:1],
        "farthest": network.farthest(),
    }
    ours = network.latency(size, ways[way]) * 1e6
    assert abs(ours / microseconds - 1) * 100 <= percent


MEASURED = [  # machine, kind of link or none, GB/s measured, greatest error in percent
    ("titan", "x", 5.87, 2.0),
    ("titan", "y", 3.47, 0.1),
    ("titan", "z", 6.09, 2.0),
    ("edison", None, 10.2, 0.5),
]


@pytest.mark.parametrize(("name", "link", "gigabytes", "percent"), MEASURED)
def test_bandwidths_beside_measured_ones(
    name: str, link: str | None, gigabytes: float, percent: float
) -> None:
    network = load_system(name).network
    assert network is not None
    rules = network.messages
    kinds = [kind for kind in network.link_kinds() if kind.name in ("host out", "host in", link)]
    rates = [kind.ports * kind.bandwidth / 8 for kind in kinds]
    on_the_wires = min(*rates, rules.injection or max(rates))
    ours = on_the_wires * rules.packet / (rules.packet + rules.get_header) / 1e9
    assert abs(ours / gigabytes - 1) * 100 <= percent


def longest_way(name: str) -> list[LinkKind]:
    """Returns the links between routers on the engine's longest way from the first nodes."""
    system = load_system(name)
    network = system.network
    assert network is not None
    topology = Topology({**(for_engine(system) or {}), "routing": network.routings[0]})
    kinds = {kind.name: kind for kind in network.link_kinds()}
    ways = (topology.route(0, node) for node in range(0, system.nodes, 2))
    links = topology.links
    return [kinds[links[link][2]] for link in max(ways, key=len)[1:-1]]


@pytest.mark.parametrize("name", ["cielo", "fat-tree"])
def test_the_farthest_nodes_are_as_far_for_the_engine(name: str) -> None:
    network = load_system(name).network
    assert network is not None
    assert sorted(map(repr, longest_way(name))) == sorted(map(repr, network.farthest()))


def test_edison_across_the_machine() -> None:
    # Among 24 links between two groups there is always one that saves a hop inside them.
    network = load_system("edison").network
    assert network is not None
    way = longest_way("edison")
    assert len(way) == 4 < network.diameter
    assert network.latency(8, way) == pytest.approx(1.920e-6, rel=0.01)


def test_cielo_follows_the_reference_rules() -> None:
    network = load_system("cielo").network
    assert isinstance(network, Torus)
    assert network.dimensions == (16, 12, 24)
    assert network.parallel_links == (2, 1, 2)
    assert set(network.bandwidth) == {3.744e10}
    assert set(network.delay) == {0.10875e-6}
    assert (network.host_bandwidth, network.host_delay) == (1.6e11, 0.635e-6)
    rules = network.messages
    assert (rules.packet, rules.put_header, rules.put_reply) == (64, 32, 9)
    assert (rules.get_header, rules.get_reply, rules.switch_over) == (17, 24, 4096)
    assert rules.injection is None
    assert (rules.send_overhead, rules.receive_overhead) == (0.0, 0.0)
    assert rules.collectives == "reference"


def test_bisection_and_taper() -> None:
    # Cielo: 16 x 12 rings of 24 are cut twice; so are 16 x 24 rings of 12, of half the links.
    assert load_system("cielo").network.bisection == 2 * 16 * 12 * 2 * 3.744e10  # type: ignore[union-attr]
    facts = network_facts(load_system("fat-tree"))
    assert facts is not None
    assert facts["tapering"] == [1.25]
    assert facts["levels"] == [320, 8]
    assert facts["bisection_bandwidth"] == 320 * 8 * 2 * 5.6e10 / 2
    assert load_system("edison").network.bisection == 7 * 8 * 24 * 3.8e10  # type: ignore[union-attr]


def test_keys_beside_a_preset_replace_its_own() -> None:
    small = load_system(
        {
            "groups": {"g": {"nodes": 128, "resources": {"core": 16}}},
            "network": {
                "preset": "cielo",
                "dimensions": [4, 4, 4],
                "messages": {"injection": 6e9},
            },
        }
    ).network
    cielo = load_system("cielo").network
    assert isinstance(small, Torus)
    assert isinstance(cielo, Torus)
    assert small.dimensions == (4, 4, 4)
    assert small.messages.injection == 6e9
    assert small.messages.switch_over == 4096
    assert small.bandwidth == cielo.bandwidth
    assert PRESETS["cielo"]["network"]["dimensions"] == [16, 12, 24]


def test_a_file_goes_before_a_preset(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_system("cielo").nodes == 9216
    (tmp_path / "cielo").write_text('{"groups": {"g": {"nodes": 2, "resources": {"core": 1}}}}')
    assert load_system("cielo").nodes == 2
    with pytest.raises(InputError, match=r"summit: no such file, and no machine of that name; kno"):
        load_system("summit")
    with pytest.raises(InputError, match=r"^summit\.toml: no such file$"):
        load_system("summit.toml")


def test_nodes_of_services_take_no_jobs(tmp_path) -> None:
    jobs = [sl.Job(1, 0, 5, processors=299_008), sl.Job(2, 0, 5, processors=299_009)]
    result = sl.simulate(jobs, system="titan", out=tmp_path)
    assert (result.counts["completed"], result.counts["rejected"]) == (1, 1)
    assert result.run["system"]["path"] == "titan"
