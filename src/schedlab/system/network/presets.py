"""Machines by name, as tables of system files: `--system cielo`, or `preset` of a network.

Each says where its figures come from. Those marked "unchecked" were written down from general
knowledge of the machine, and no source was at hand to hold them against: file systems, rates of
cores and counts of service nodes among them. They do not bear on the latencies and bandwidths that
tests/system/network/test_presets.py compares with measured ones; docs/reference/networks.md has
these in a table.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

# Cray's Gemini: each router has two nodes; links in x and z are twice as many as in y. 37.44
# Gbit/s, 0.635 us and 0.10875 us are those of LANL's PPT models, where the delays reproduce what
# was measured on Hopper: 1.27 us to the nearest node, 3.88 us to the farthest one, 24 hops away.
_GEMINI: dict[str, Any] = {
    "topology": "torus",
    "nodes_per_router": 2,
    "parallel_links": [2, 1, 2],
    "bandwidth": 3.744e10,
    "delay": 0.10875e-6,
    "host_bandwidth": 1.6e11,
    "host_delay": 0.635e-6,
    "routing": "dimension-order",
}
_GEMINI_MESSAGES: dict[str, Any] = {
    "packet": 64,
    "put_header": 32,
    "put_reply": 9,
    "get_header": 17,
    "get_reply": 24,
    "switch_over": 4096,
}


def _one_kind(nodes: int, cores: int) -> dict[str, Any]:
    return {"compute": {"nodes": nodes, "resources": {"core": cores}}}


def _with_service(positions: int, nodes: int, cores: int) -> dict[str, Any]:
    """Returns the groups of a machine some of whose positions on the network take no jobs.

    Where in the network these are is not published; here they are the last ones.
    """
    service = {"nodes": positions - nodes, "resources": {"core": 0}}
    return {**_one_kind(nodes, cores), "service": service}


# LANL and Sandia, Cray XE6. All 9,216 positions are nodes, as in the models of PPT, whose reference
# points need the injection limit off and no software overhead. Unchecked: file system (160 GB/s),
# cores (2.4 GHz, 4 flops a cycle, 85.3 GB/s for 16), and that about 270 positions were service
# nodes.
_CIELO: dict[str, Any] = {
    "name": "Cielo",
    "groups": _one_kind(9216, 16),
    "network": {
        **_GEMINI,
        "dimensions": [16, 12, 24],
        "messages": _GEMINI_MESSAGES,
        "files": {"bandwidth": 1.6e11},
        "compute": {"integer": 2.4e9, "floating": 9.6e9, "memory": 5.33e9},
    },
}

# NERSC, Cray XE6, two 12-core processors a node. Links and delays as Cielo: the software is in the
# delays, so overheads stay 0. Unchecked: 6,384 compute nodes of 6,528 positions (the TOP500 list
# has 8 more), file systems (two of 35 GB/s), cores (2.1 GHz, 4 flops a cycle, 85.3 GB/s for 24).
_HOPPER: dict[str, Any] = {
    "name": "Hopper",
    "groups": _with_service(6528, 6384, 24),
    "network": {
        **_GEMINI,
        "dimensions": [17, 8, 24],
        "messages": {**_GEMINI_MESSAGES, "injection": 6e9},
        "files": {"bandwidth": 7e10},
        "compute": {"integer": 2.1e9, "floating": 8.4e9, "memory": 3.55e9},
    },
}

# ORNL, Cray XK7: 18,688 compute nodes of 19,200 positions; their GPUs are left out. PPT's public
# configuration has wrong units, so it is not used: links are Gemini's, fitted to measurements. The
# hop delay and the overheads are from latencies of empty messages, 1.5 / 1.7 / 1.55 us to the next
# router in x / y / z and 3.96 us across the machine (32 hops). The links in y and the injection
# limit are from the 3.47 GB/s measured in y and the 5.87 and 6.09 GB/s in x and z, with the headers
# of GET: 81 bytes on the wires for 64. Unchecked: file system (1 TB/s), cores (2.2 GHz, 4 flops a
# cycle, 51.2 GB/s for 16).
_TITAN: dict[str, Any] = {
    "name": "Titan",
    "groups": _with_service(19200, 18688, 16),
    "network": {
        **_GEMINI,
        "dimensions": [25, 16, 24],
        "bandwidth": [3.744e10, 3.513e10, 3.744e10],
        "delay": 0.070e-6,
        "messages": {
            **_GEMINI_MESSAGES,
            "injection": 7.57e9,
            "send_overhead": 0.117e-6,
            "receive_overhead": 0.117e-6,
        },
        "files": {"bandwidth": 1e12},
        "compute": {"integer": 2.2e9, "floating": 8.8e9, "memory": 3.2e9},
    },
}

# NERSC, Cray XC30: 15 groups of 6 chassis with 16 Aries routers; in a chassis one link between two
# routers, between chassis three (Faanes et al., Cray Cascade, 2012). 5,576 compute nodes of 5,760
# positions (NERSC's user pages); 140 GB/s of file systems (HPCwire, 29 April 2013, as planned).
# Bandwidths and delays are PPT's; its 25 groups are not. No injection limit: with the headers of
# GET, the host link of 128 Gbit/s carries the 10.2 GB/s that Aries is said to inject. Overheads
# bring 8 bytes to the next node to the measured 1.498 us. Unchecked: 24 links between two groups,
# which is what a global bandwidth of 23.7 TB/s, both directions, comes to; GET from 8 KiB on; cores
# (2.4 GHz, 8 flops a cycle, 119 GB/s for 24).
_EDISON: dict[str, Any] = {
    "name": "Edison",
    "groups": _with_service(5760, 5576, 24),
    "network": {
        "topology": "dragonfly",
        "groups": 15,
        "rows": 6,
        "columns": 16,
        "nodes_per_router": 4,
        "links_between": 24,
        "local_parallel_links": [1, 3],
        "local_bandwidth": 4.2e10,
        "local_delay": 0.1e-6,
        "global_bandwidth": 3.8e10,
        "global_delay": 0.1e-6,
        "host_bandwidth": 1.28e11,
        "host_delay": 0.4e-6,
        "routing": "adaptive",
        "messages": {
            "packet": 64,
            "put_header": 42,
            "put_reply": 3,
            "get_header": 36,
            "get_reply": 9,
            "switch_over": 8192,
            "send_overhead": 0.346e-6,
            "receive_overhead": 0.346e-6,
        },
        "files": {"bandwidth": 1.4e11},
        "compute": {"integer": 2.4e9, "floating": 19.2e9, "memory": 4.98e9},
    },
}

# ANL, IBM Blue Gene/P: 40 racks of 1,024 quad-core nodes at 850 MHz, 425 MB/s a link and direction,
# storage of 88 GB/s (ALCF's pages of 2013). The 80 midplanes of 8 x 8 x 8 nodes are taken as one
# torus of 5 x 4 x 4 of them. A node is its own router, and can hand over as much as six links take.
# The real routers cut through; here a packet is stored at each hop, so the hop delay is what is
# left of the 127 ns by which MPI latency grows, from 3.5 us to the next node to 10 us over 52 hops;
# the rest of the 3.5 us is overhead. Unchecked: packets of 256 bytes of which 16 are header,
# nothing that acknowledges them to the sender, cores (4 flops a cycle, 13.6 GB/s for 4).
_INTREPID: dict[str, Any] = {
    "name": "Intrepid",
    "groups": _one_kind(40960, 4),
    "network": {
        "topology": "torus",
        "dimensions": [40, 32, 32],
        "bandwidth": 3.4e9,
        "delay": 71e-9,
        "host_bandwidth": 2.04e10,
        "host_delay": 0.0,
        "routing": "dimension-order",
        "messages": {
            "packet": 240,
            "put_header": 16,
            "put_reply": 0,
            "get_header": 16,
            "get_reply": 0,
            "send_overhead": 1.677e-6,
            "receive_overhead": 1.677e-6,
            "memory_bandwidth": 1.088e11,
        },
        "files": {"bandwidth": 8.8e10},
        "compute": {"integer": 8.5e8, "floating": 3.4e9, "memory": 3.4e9},
    },
}

# A cluster with InfiniBand FDR of the class of TACC's Stampede: 6,400 nodes, a taper of 5/4, 56
# Gbit/s (the signalling rate), 0.7 us, packets of 8 KiB. Chosen here: leaf switches with 20 nodes
# and two links to each of 8 directors, each of which counts as one switch; and that 0.7 us is the
# latency from adapter to adapter through one leaf switch, half on each host link, and that the way
# through a director takes as much again. Headers of 26 bytes and acknowledgements of 30 for every
# packet are InfiniBand's (local route, base transport, checksums); real adapters send fewer of the
# latter. No software overhead. Unchecked: file system (150 GB/s), cores (2.7 GHz, 8 flops a cycle,
# 102 GB/s for 16).
_FAT_TREE: dict[str, Any] = {
    "name": "InfiniBand fat-tree",
    "groups": _one_kind(6400, 16),
    "network": {
        "topology": "fat-tree",
        "down": [20, 320],
        "up": [8],
        "parallel_links": [2],
        "bandwidth": 5.6e10,
        "delay": 0.35e-6,
        "host_bandwidth": 5.6e10,
        "host_delay": 0.35e-6,
        "routing": "d-mod-k",
        "messages": {
            "packet": 8192,
            "put_header": 26,
            "put_reply": 30,
            "get_header": 26,
            "get_reply": 30,
        },
        "files": {"bandwidth": 1.5e11},
        "compute": {"integer": 2.7e9, "floating": 21.6e9, "memory": 6.4e9},
    },
}

PRESETS: dict[str, dict[str, Any]] = {
    "cielo": _CIELO,
    "hopper": _HOPPER,
    "titan": _TITAN,
    "edison": _EDISON,
    "intrepid": _INTREPID,
    "fat-tree": _FAT_TREE,
}
