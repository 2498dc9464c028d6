"""The machine that a workload is for: given, or made of what the log's header says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError
from schedlab.system import Group, System, load_system
from schedlab.workload.header import leading_number

if TYPE_CHECKING:
    SystemLike = str | os.PathLike[str] | dict[str, Any] | System


def one_each(what: str, given: object, count: int, single: tuple[type, ...]) -> list[Any]:
    """Returns a list of `count` from one for all, or from a sequence with one for each.

    Raises:
        InputError: There are neither one nor as many as workloads.
    """
    if given is None or isinstance(given, single):
        return [given] * count
    if not isinstance(given, Sequence):
        raise InputError(f"{what}: must be one for all workloads or a list, not {given!r:.80}")
    listed = list(given)
    if len(listed) == 1:
        return listed * count
    if len(listed) == 2 and count > 2:  # the log's own, and what all others were made for
        return [listed[0], *[listed[1]] * (count - 1)]
    if len(listed) != count:
        raise InputError(
            f"{what}: {len(listed)} given for {count} workloads; give one for all, two for REAL "
            "and all others, or one for each"
        )
    return listed


def given_systems(given: object, count: int) -> list[System | None]:
    """Returns the systems that were given, loaded; None for a workload without."""
    listed = one_each("system", given, count, (str, os.PathLike, dict, System))
    loaded: dict[int, System] = {}
    for one in listed:
        if one is not None and id(one) not in loaded:
            loaded[id(one)] = load_system(one)
    return [None if one is None else loaded[id(one)] for one in listed]


def cores_of(system: System | None, header: Mapping[str, str]) -> float | None:
    """Returns how many cores a machine has: the system's, or what the header gives."""
    if system is not None:
        return float(system.capacity["core"]) if system.capacity.get("core") else None
    return leading_number(header.get("MaxProcs")) or leading_number(header.get("MaxNodes"))


def header_system(label: str, header: Mapping[str, str], resources: Sequence[str]) -> System:
    """Returns a machine of MaxNodes equal nodes with MaxProcs cores together.

    Where the cores are not a multiple of the nodes, each core is a node: jobs of processors run
    alike on both. Where the header has only one of the numbers, that many nodes have one core each.

    Args:
        label: Of the workload, for the machine's name and messages.
        header: Of the workload.
        resources: What its jobs take; a header knows of cores only.

    Raises:
        InputError: The header has neither number, or jobs take what it does not mention.
    """
    more = [kind for kind in resources if kind != "core"]
    if more:
        raise InputError(
            f"{label}: its jobs take {', '.join(more)}, of which no header gives; give the "
            "machine with --system (system=), or leave out simulations with --no-simulation "
            "(simulate=())"
        )
    cores = leading_number(header.get("MaxProcs"))
    nodes = leading_number(header.get("MaxNodes"))
    if cores is None and nodes is None:
        raise InputError(
            f"{label}: its header has neither MaxProcs nor MaxNodes, so no machine is known to "
            "simulate it on; give one with --system (system=), or leave out simulations with "
            "--no-simulation (simulate=())"
        )
    cores = cores or nodes or 1
    if nodes is None or cores % nodes:
        nodes = cores
    group = Group("node", nodes, {"core": cores // nodes})
    return System(name=f"header of {' '.join(label.split())}"[:200], groups=[group])
