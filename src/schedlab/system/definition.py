"""The definition of a machine: frozen, and valid once it is built."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.frozen import Frozen

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from schedlab.system.network import Network
    from schedlab.system.node_types import NodeType

MAX_NODES = 10_000_000
MAX_GROUPS = 100_000
MAX_TYPES = 1_000
MAX_AMOUNTS = 1_000_000
MAX_TOTAL = 2**62 - 1
"""Largest amount of one resource over all nodes: sums of it still fit a signed 64-bit integer."""

DEFAULT_PROCESSOR = {"core": 1}


class Group(Frozen):
    """A number of equal nodes.

    Attributes:
        name: Name of the group.
        nodes: How many nodes it has, at least 1.
        type: The type of its nodes, with sockets, clocks and power; None: nodes are amounts only.
        rack: Nodes in a rack, the first rack from the first node on; None: there are no racks.
    """

    __slots__ = ("_resources", "name", "nodes", "rack", "type")
    _fields = ("name", "nodes", "resources", "type", "rack")
    name: str
    nodes: int
    type: NodeType | None
    rack: int | None
    _resources: dict[str, int]

    def __init__(
        self,
        name: str,
        nodes: int,
        resources: dict[str, int] | None = None,
        type: NodeType | None = None,  # noqa: A002 - the word of system files
        rack: int | None = None,
    ) -> None:
        """Builds a group of nodes with `resources` each, or of a type; raises InputError."""
        path = decode.child("groups", name)
        self._set(
            name=decode.identifier(name, path),
            nodes=decode.whole_number(nodes, f"{path}.nodes", minimum=1, maximum=MAX_NODES),
            type=type,
            rack=rack,
        )
        if rack is not None:
            decoded = decode.whole_number(rack, f"{path}.rack", minimum=1, maximum=MAX_NODES)
            self._set(rack=decoded)
        if type is None:
            self._set(_resources=decode.amounts(resources, f"{path}.resources"))
        else:
            self._set(_resources=_resources_of(type, resources, path))

    def _values(self) -> tuple[Any, ...]:
        given = self.resources if self.type is None else None
        return self.name, self.nodes, given, self.type, self.rack

    @property
    def resources(self) -> dict[str, int]:
        """Amount of each resource on one node (a copy)."""
        return dict(self._resources)


def _resources_of(kind: NodeType, given: object, path: str) -> dict[str, int]:
    from schedlab.system.node_types import NodeType  # machines without types do without

    if not isinstance(kind, NodeType):
        raise InputError(f"{path}.type: must be a NodeType (is {decode.shown(kind)})")
    if given is not None:
        raise InputError(
            f"{path}.resources: follow from the type; write further resources into "
            f"{decode.child('node_types', kind.name)}.resources, or leave out type"
        )
    return {"core": kind.cores, **kind.resources}


class System(Frozen):
    """A machine: its groups of nodes, and what one processor of a workload asks of it.

    Nodes are numbered from 0, group after group.

    Attributes:
        name: Free text of one line.
        start_time: Unix time, in seconds, of the workload's time 0.
        groups: The groups, at least one.
        network: What connects the nodes; None: nothing is known of it.
    """

    __slots__ = ("_notes", "_processor", "groups", "name", "network", "start_time")
    _fields = ("name", "start_time", "processor", "groups", "network")
    name: str
    start_time: int
    _notes: tuple[str, ...]  # what a reader of files of another program had to leave out
    _processor: dict[str, int]
    groups: tuple[Group, ...]
    network: Network | None

    def __init__(
        self,
        name: str = "system",
        start_time: int = 0,
        processor: dict[str, int] | None = None,
        groups: Iterable[Group] = (),
        network: Network | None = None,
    ) -> None:
        """Builds a machine; `processor` is {"core": 1} unless given; raises InputError."""
        self._set(
            name=decode.text(name, "name"),
            start_time=decode.whole_number(start_time, "start_time"),
            groups=tuple(groups),
            network=network,
            _notes=(),
        )
        _check_groups(self)
        if network is not None:
            from schedlab.system.network.definition import check  # for machines that have one

            check(network, self.nodes)
        self._set(_processor=processor_request(processor, self.resource_types, "processor"))

    @property
    def processor(self) -> dict[str, int]:
        """What one processor that a job asks for takes of one node (a copy)."""
        return dict(self._processor)

    @property
    def platform(self) -> bool:
        """Whether the groups have node types, and so sockets with clocks, and perhaps power."""
        return self.groups[0].type is not None

    @property
    def power(self) -> bool:
        """Whether the power of its processors is known."""
        kind = self.groups[0].type
        return kind is not None and kind.sockets[0].power is not None

    @property
    def rests(self) -> bool:
        """Whether some of its nodes can be switched off or sent to sleep."""
        kinds = [group.type for group in self.groups if group.type is not None]
        return any(kind.state("off") or kind.state("sleeping") for kind in kinds)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is possible but most likely meant otherwise, a text each.

        And what a file said that could not be taken over; a copy by pickle does not have that.
        """
        if not self.platform:
            return self._notes
        from schedlab.system.platform import warnings_of

        return self._notes + warnings_of(self)

    @property
    def resource_types(self) -> tuple[str, ...]:
        """Names of all resources, in order of first appearance."""
        return tuple(dict.fromkeys(kind for group in self.groups for kind in group._resources))

    @property
    def nodes(self) -> int:
        """Number of nodes of all groups."""
        return sum(group.nodes for group in self.groups)

    @property
    def capacity(self) -> dict[str, int]:
        """Total amount of each resource over all nodes."""
        totals = dict.fromkeys(self.resource_types, 0)
        for group in self.groups:
            for kind, amount in group._resources.items():
                totals[kind] += amount * group.nodes
        return totals

    def _repr_html_(self) -> str:
        """Returns the groups of nodes and what they amount to, for notebooks."""
        from schedlab.system.facts import as_html

        return as_html(self)

    def node_group(self, node: int) -> Group:
        """Returns the group of a node; raises IndexError for a number that no node has."""
        first = 0
        for group in self.groups:
            if first <= node < first + group.nodes:
                return group
            first += group.nodes
        raise IndexError(f"node {node} is not one of the {first} nodes of {self.name}")


def processor_request(given: object, known: tuple[str, ...], path: str) -> dict[str, int]:
    """Returns what one processor asks for.

    Args:
        given: Amounts by resource, or None for the default of one core.
        known: The resources that the machine has.
        path: Where the amounts are written, for messages.

    Raises:
        InputError: A resource is unknown, or nothing is asked for.
    """
    if given is None and "core" not in known:
        raise InputError(
            f'{path}: is missing, and its default of one "core" fits no group; say what one '
            f"processor stands for, such as {known[0]} = 1 (resources: {decode.listed(known)})"
        )
    request = decode.amounts(DEFAULT_PROCESSOR if given is None else given, path)
    for kind in request:
        if kind not in known:
            raise InputError(
                f"{decode.child(path, kind)}: no group has this resource; "
                f"known: {decode.listed(known)}"
            )
    if not any(request.values()):
        raise InputError(f"{path}: asks for nothing; at least one amount must be above 0")
    return request


def check_count(groups: int) -> None:
    """Raises InputError for more groups than are supported; before they are made, at best."""
    if groups > MAX_GROUPS:
        raise InputError(f"groups: there are {groups}; at most {MAX_GROUPS} are supported")


def _check_groups(system: System) -> None:
    if not system.groups:
        raise InputError("groups: is empty; a system needs at least one group of nodes")
    check_count(len(system.groups))
    types = len(system.resource_types)
    if types > MAX_TYPES or len(system.groups) * types > MAX_AMOUNTS:
        raise InputError(
            f"groups: {types} types of resources in {len(system.groups)} groups; at most "
            f"{MAX_TYPES} types are supported, and types times groups up to {MAX_AMOUNTS}"
        )
    names = set()
    for group in system.groups:
        if group.name in names:
            raise InputError(f"{decode.child('groups', group.name)}: is defined twice")
        names.add(group.name)
    if any(group.type is not None for group in system.groups):
        from schedlab.system.platform import check

        check(system)
    if system.nodes > MAX_NODES:
        raise InputError(f"groups: {system.nodes} nodes in all; at most {MAX_NODES} are supported")
    for kind, total in system.capacity.items():
        if total > MAX_TOTAL:
            raise InputError(
                f"groups: {decode.shown(total)} {kind} in all; at most {MAX_TOTAL} are supported; "
                "use a larger unit"
            )
