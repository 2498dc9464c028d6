"""The definition of a machine: frozen, and valid once it is built."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import (
    Defined,
    file_key,
    identifier,
    other,
    parts,
    table,
    text,
    whole,
)
from schedlab.system.features import FEATURES_SCHEMA, checked_features
from schedlab.system.licenses import LICENSES_SCHEMA, checked_licenses
from schedlab.system.partitions import MAX_PARTITIONS, Partition, check_partitions

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.fields.reading import Tables
    from schedlab.system.network import Network
    from schedlab.system.node_types import NodeType
    from schedlab.system.processors import ProcessorType

MAX_NODES = 10_000_000
MAX_GROUPS = 100_000
MAX_TYPES = 1_000
MAX_AMOUNTS = 1_000_000
MAX_TOTAL = 2**62 - 1
"""Largest amount of one resource over all nodes: sums of it still fit a signed 64-bit integer."""

DEFAULT_PROCESSOR = {"core": 1}

AMOUNTS = {
    "type": "object",
    "additionalProperties": {"type": "integer", "minimum": 0, "maximum": decode.MAX_AMOUNT},
}
"""The JSON Schema of amounts by resource."""


_ACCASIM = 'for AccaSim\'s format, add the "resources" table that counts the nodes of each group'
_HINTS = {
    "system_name": f"the name is name = ...; {_ACCASIM}",
    "equivalence": f"it is processor = {{ core = 2 }} here; {_ACCASIM}",
    "platform": 'for IRMaSim\'s format, add the tables "node" and "processor"',
    "resources": "put it inside a group: [groups.thin] resources = { core = 4 }",
    "nodes": "put it inside a group: [groups.thin] nodes = 120",
}


def _tables_by_name(kind: str) -> dict[str, Any]:
    """Returns the JSON Schema of tables of one kind by name."""
    return {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{kind}"}}


# Machines without types and networks do without the modules that are imported in what follows.


def _checked_type(given: Any, path: str) -> NodeType:
    from schedlab.system.node_types import NodeType

    if not isinstance(given, NodeType):
        raise InputError(f"{path}: must be a NodeType (is {decode.shown(given)})")
    return given


def _read_processors(given: object, _: str, tables: Tables) -> None:
    from schedlab.system.type_tables import read_processor_types

    read_processor_types(given, tables)


def _read_node_types(given: object, _: str, tables: Tables) -> None:
    from schedlab.system.type_tables import read_node_types

    read_node_types(given, tables)


def _processors(system: System) -> dict[str, ProcessorType] | None:
    if not system.platform:
        return None
    from schedlab.system.platform import processor_types

    return {kind.name: kind for kind in processor_types(system)}


def _node_types(system: System) -> dict[str, NodeType] | None:
    if not system.platform:
        return None
    from schedlab.system.platform import node_types

    return {kind.name: kind for kind in node_types(system)}


def _read_network(given: object, _: str, __: Tables) -> Network:
    from schedlab.system.network.network_table import read_network

    return read_network(given)


class Group(Defined):
    """A number of equal nodes, with `resources` each, or of a type."""

    _one_of = ("resources", "type")

    name: str = identifier("name of the group", is_key=True)
    nodes: int = whole("nodes of the group", minimum=1, maximum=MAX_NODES, example="120")
    resources: Taking[dict[str, int], dict[str, int] | None] = table(
        decode.amounts,
        "what each node has, as amounts by resource: at least one, 0 allowed",
        values="table of numbers",
        default=None,
        absent="required, or `type`",
        written=AMOUNTS,
        write=lambda group: group.resources if group.type is None else None,
    )
    type: NodeType | None = other(
        _checked_type,
        "the node type of its nodes, instead of `resources`. All groups have one, or none",
        values="text",
        default=None,
        written={"type": "string"},
        read=lambda value, path, tables: tables.named("node type", value, path),
        write=lambda group: None if group.type is None else group.type.name,
    )
    rack: int | None = whole(
        "nodes in a rack: the first N are a rack, and so on; the last one may be smaller",
        minimum=1,
        maximum=MAX_NODES,
        default=None,
        absent="no racks",
    )
    features: Taking[tuple[str, ...], Iterable[str]] = other(
        checked_features,
        "names of what its nodes have, which jobs may need; those of its type are theirs, too",
        values="list of texts",
        default=(),
        absent="none",
        written=FEATURES_SCHEMA,
    )

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return f"{decode.child('groups', named['name'])}."

    @classmethod
    def _hints(cls, table: Mapping[str, Any]) -> Mapping[str, str]:
        # A number under another key is most likely an amount written as AccaSim does.
        return {
            key: f"amounts go into resources = {{ {decode.child('', key)} = {decode.shown(it)} }}"
            for key, it in table.items()
            if isinstance(it, (int, float))
        }

    def _complete(self) -> None:
        path = decode.child("groups", self.name)
        if self.type is None:
            if not vars(self)["resources"]:
                raise InputError(
                    f"{path}.resources: is missing; add it, such as resources = {{ core = 4 }}, or "
                    'a node type, such as type = "compute"'
                )
            return
        if vars(self)["resources"]:
            raise InputError(
                f"{path}.resources: follow from the type; write further resources into "
                f"{decode.child('node_types', self.type.name)}.resources, or leave out type"
            )
        self._set(resources={"core": self.type.cores, **self.type.resources})

    def _values(self) -> tuple[Any, ...]:
        given = self.resources if self.type is None else None
        return self.name, self.nodes, given, self.type, self.rack, self.features


class System(Defined):
    """A machine: its groups of nodes, and what one processor of a workload asks of it.

    Nodes are numbered from 0, group after group.
    """

    name: str = text(
        "what a run and its plots call the machine",
        default="system",
        absent="the file's name without its extension",
    )
    start_time: int = whole("Unix time of the workload's time 0", unit="s", default=0)
    processor: Taking[dict[str, int], dict[str, int] | None] = table(
        decode.amounts,
        "what one processor that a job asks for takes of a node, as amounts by resource. A "
        "processor never spans two nodes; processors of a job may share one",
        values="table of numbers",
        default=None,
        absent="`{ core = 1 }`",
        written=AMOUNTS,
    )
    processors = file_key(
        "types of processors, by name",
        values="table of tables",
        default=None,
        written=_tables_by_name("ProcessorType"),
        read=_read_processors,
        write=_processors,
    )
    node_types = file_key(
        "types of nodes, by name",
        values="table of tables",
        default=None,
        written=_tables_by_name("NodeType"),
        read=_read_node_types,
        write=_node_types,
    )
    groups: Taking[tuple[Group, ...], Iterable[Group]] = parts(
        Group,
        "groups of equal nodes, by name; at least one",
        by_name=True,
        most=MAX_GROUPS,
        default=(),
        absent="required",
        needed=True,
        example="thin",
    )
    network: Network | None = other(
        lambda value, _: value,  # `_complete` knows how many nodes it must have
        "what connects the nodes: topology, links, messages",
        values="table",
        default=None,
        written={"$ref": "#/$defs/Network"},
        read=_read_network,
    )
    partitions: Taking[tuple[Partition, ...], Iterable[Partition]] = parts(
        Partition,
        "partitions, by name: sets of nodes that jobs name",
        by_name=True,
        most=MAX_PARTITIONS,
        default=(),
        absent="jobs may use all nodes",
        example="debug",
    )
    default_partition: str | None = text(
        "the partition of jobs that name none",
        default=None,
        absent="they may use all nodes",
    )
    licenses: Taking[dict[str, int], dict[str, int] | None] = table(
        checked_licenses,
        "what jobs share that belongs to no node, as amounts by name: licenses of programs, space "
        "of a burst buffer",
        values="table of numbers",
        default=None,
        absent="none",
        written=LICENSES_SCHEMA,
        write=lambda system: system.licenses or None,
    )

    _notes = ()  # what a reader of files of another program had to leave out

    @classmethod
    def _hints(cls, table: Mapping[str, Any]) -> Mapping[str, str]:
        return _HINTS

    def _complete(self) -> None:
        _check_groups(self)
        if self.network is not None:
            from schedlab.system.network.definition import check  # for machines that have one

            check(self.network, self.nodes)
        if self.partitions or self.default_partition is not None:
            check_partitions(self)
        self._set(licenses=vars(self)["licenses"] or {})
        given = vars(self)["processor"] or None
        self._set(processor=processor_request(given, self.resource_types, "processor"))

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
        return tuple(
            dict.fromkeys(kind for group in self.groups for kind in vars(group)["resources"])
        )

    @property
    def nodes(self) -> int:
        """Number of nodes of all groups."""
        return sum(group.nodes for group in self.groups)

    @property
    def capacity(self) -> dict[str, int]:
        """Total amount of each resource over all nodes."""
        totals = dict.fromkeys(self.resource_types, 0)
        for group in self.groups:
            for kind, amount in vars(group)["resources"].items():
                totals[kind] += amount * group.nodes
        return totals

    def _repr_html_(self) -> str:
        """Returns the groups of nodes and what they amount to, for notebooks."""
        from schedlab.system.system_facts import as_html

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


def _check_groups(system: System) -> None:
    if not system.groups:
        raise InputError("groups: is empty; a system needs at least one group of nodes")
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
