"""What a machine amounts to: sockets, cores, peak speed, bandwidth, watts."""

from __future__ import annotations

from schedlab.fields import by_name

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.definition import Group, System
    from schedlab.system.node_types import NodeType
    from schedlab.system.processors import ProcessorType


def facts_of(system: System) -> dict[str, Any]:
    """Returns what `schedlab system show` shows, as nested dicts.

    Amounts of a group are of all its nodes together. Peak speeds count every core at its nominal
    clock; watts at full load too, and those of an idle machine have every node on.
    """
    groups = [_group(group) for group in system.groups]
    facts: dict[str, Any] = {
        "name": system.name,
        "start_time": system.start_time,
        "processor": system.processor,
        "groups": groups,
        "nodes": system.nodes,
        "resources": system.capacity,
    }
    if system.partitions:
        facts["partitions"] = [
            {
                **by_name(one),
                "nodes": sum(count for _, count in one.ranges(system)),
                "preempt": one.preempt and by_name(one.preempt),
            }
            for one in system.partitions
        ]
    if system.licenses:
        facts["licenses"] = system.licenses
    if system.network is not None:
        from schedlab.system.network.network_facts import network_facts

        facts["network"] = network_facts(system)
    if not system.platform:
        return facts
    from schedlab.system.platform import node_types, processor_types

    for field in ("sockets", "peak_gflops"):
        facts[field] = sum(group[field] for group in groups)
    facts["idle_watts"], facts["full_watts"] = _sums(groups)
    facts["processors"] = [_processor(kind) for kind in processor_types(system)]
    facts["node_types"] = [_node_type(kind) for kind in node_types(system)]
    facts["warnings"] = list(system.warnings)
    return facts


def _sums(groups: list[dict[str, Any]]) -> list[float | None]:
    return [
        None if any(group[field] is None for group in groups) else sum(g[field] for g in groups)
        for field in ("idle_watts", "full_watts")
    ]


def _group(group: Group) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": group.name,
        "nodes": group.nodes,
        "racks": None if group.rack is None else -(-group.nodes // group.rack),
        "resources": {kind: amount * group.nodes for kind, amount in group.resources.items()},
    }
    if group.type is None:
        return facts
    sockets = group.type.sockets
    idle = full = None
    if sockets[0].power is not None:
        base = group.type.power.base
        idle = group.nodes * (base + sum(_watts(kind, 0) for kind in sockets))
        full = group.nodes * (base + sum(_watts(kind, kind.cores) for kind in sockets))
    return {
        **facts,
        "type": group.type.name,
        "sockets": group.nodes * len(sockets),
        "peak_gflops": group.nodes * sum(_gflops(kind) for kind in sockets),
        "idle_watts": idle,
        "full_watts": full,
    }


def _watts(kind: ProcessorType, active_cores: int) -> float:
    return 0.0 if kind.power is None else kind.power.watts(active_cores)


def _gflops(kind: ProcessorType) -> float:
    return kind.cores * kind.clock * kind.flops_per_cycle


def _processor(kind: ProcessorType) -> dict[str, Any]:
    """Returns the facts of one socket."""
    clocks: list[dict[str, Any]] = [{"clock": kind.clock, "idle_watts": None, "full_watts": None}]
    if kind.power is not None:
        clocks = [
            {"clock": clock, "idle_watts": power.idle, "full_watts": power.watts(kind.cores)}
            for clock, power in (
                (kind.clock, kind.power),
                *((step.clock, step.power) for step in kind.steps),
            )
        ]
    constants = kind.contention
    return {
        "name": kind.name,
        "cores": kind.cores,
        "flops_per_cycle": kind.flops_per_cycle,
        "peak_gflops": _gflops(kind),
        "memory_channels": kind.memory_channels,
        "memory_bandwidth": kind.memory_bandwidth,
        "clocks": clocks,
        "contention": None if constants is None else by_name(constants),
    }


def _node_type(kind: NodeType) -> dict[str, Any]:
    states = {}
    for name in ("sleeping", "off"):
        state = kind.state(name)
        if state is not None:
            watts, transition = state
            fields = by_name(transition)
            states[name] = {"watts": watts, **fields}
    return {
        "name": kind.name,
        "processors": {processor.name: sockets for processor, sockets in kind.processors},
        "cores": kind.cores,
        "resources": kind.resources,
        "base_watts": kind.power.base,
        "states": states,
    }


def as_html(system: System) -> str:
    """Returns the machine as a piece of HTML, for notebooks."""
    from schedlab import notebook_html

    kinds = system.resource_types
    heads = ["group", "nodes", *(f"{kind} of a node" for kind in kinds)]
    rows = [
        [group.name, f"{group.nodes:,}", *(f"{group.resources.get(kind, 0):,}" for kind in kinds)]
        for group in system.groups
    ]
    if system.platform:
        heads += ["type", "peak GFLOP/s", "idle W", "full W"]
        for row, group in zip(rows, map(_group, system.groups), strict=True):
            row.append(group["type"])
            numbers = (group[field] for field in ("peak_gflops", "idle_watts", "full_watts"))
            row += ["-" if number is None else f"{number:,.0f}" for number in numbers]
    amounts = [f"{amount:,} {kind}" for kind, amount in system.capacity.items()]
    pairs = [("in all", ", ".join([f"{system.nodes:,} nodes", *amounts]))]
    taken = ", ".join(f"{amount:,} {kind}" for kind, amount in system.processor.items())
    pairs.append(("one processor takes", taken))
    if system.network is not None:
        pairs.append(("network", system.network.text))
    pairs += [("warning", text) for text in system.warnings]
    return notebook_html.block(
        system.name, notebook_html.table(heads, rows), notebook_html.facts(pairs)
    )
