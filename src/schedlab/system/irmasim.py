"""IRMaSim's platform files, read unchanged.

A platform has clusters, which count nodes of types; node types count processors of types. Its
network is not read, neither there nor here.
"""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.system.definition import MAX_NODES, Group, System
from schedlab.system.node_types import NodeType
from schedlab.system.processors import MAX_RATE, Contention, Power, ProcessorType

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any, NoReturn

K = 0.6
"""How deep the floor of the speed falls: a constant of IRMaSim's code, in no file."""

MIN_POWER = 0.05
"""What an idle socket draws of its static power, where a file does not say."""

KB_PER_GB = 2**20
MB_PER_GB = 1000  # of bandwidth
MAX_CLUSTERS = 4096

_CONTENTION = ("b", "c", "da", "db", "dc", "dd")
_POWER = (("dynamic_power", "static_power"), ("pa", "pb"))
_FIELDS = {
    "clock": "clock_rate",
    "flops_per_cycle": "dpflops_per_cycle",
    "memory_bandwidth": "mem_bw",
    **{f"contention.{name}": name for name in _CONTENTION},
}
"""Fields of a processor type there, by their names here."""


def from_irmasim(given: dict[str, Any], default_name: str, chosen: str | None) -> System:
    """Returns the system that a table of IRMaSim's shape describes.

    Args:
        given: The table: "platform", "node", "processor".
        default_name: Name of the system where the platform has none.
        chosen: Which of several platforms.

    Raises:
        InputError: With the path of what is wrong, in IRMaSim's terms.
    """
    platforms = _entries(given["platform"], "platform", "platforms")
    if not platforms:
        raise InputError("platform: is empty; a file needs at least one platform")
    if chosen is None and len(platforms) > 1:
        raise InputError(
            f"platform: there are several: {decode.listed(platforms)}; choose one by its name "
            f"after the file's, as FILE#{decode.listed([next(iter(platforms))])}"
        )
    key = next(iter(platforms)) if chosen is None else chosen
    decode.one_of(key, platforms, "platform", "platform")
    path = decode.child("platform", key)
    platform = decode.table(platforms[key], path, "clusters")
    reader = _Types(given)
    groups = _groups(reader, platform, path)
    reader.check_power()
    name = platform.get("id", key)
    name = name if isinstance(name, str) and name.strip() and name.isprintable() else default_name
    system = System(name, groups=groups)
    system._set(_notes=tuple(reader.notes))
    return system


def _groups(reader: _Types, platform: dict[str, Any], path: str) -> list[Group]:
    """Returns a group for every entry of nodes, in the order in which IRMaSim builds them."""
    if "clusters" not in platform:
        raise InputError(f"{path}.clusters: is missing; it lists the clusters of the platform")
    clusters: list[tuple[str, list[tuple[NodeType, int]]]] = []
    for place, entry in enumerate(_list(platform["clusters"], f"{path}.clusters"), 1):
        where = f"{path}.clusters[{place}]"
        cluster = decode.table(entry, where, "nodes")
        if "nodes" not in cluster:
            raise InputError(f"{where}.nodes: is missing; it lists the nodes of the cluster")
        nodes = []
        for number, item in enumerate(_list(cluster["nodes"], f"{where}.nodes"), 1):
            inner = f"{where}.nodes[{number}]"
            node = decode.table(item, inner, "type and number")
            if "type" not in node:
                raise InputError(f"{inner}.type: is missing; it names a node type")
            count = _number_of(node, inner, MAX_NODES)
            if count:
                nodes.append((reader.node(node["type"], f"{inner}.type"), count))
        for _ in range(_number_of(cluster, where, MAX_CLUSTERS)):
            given = cluster.get("id")
            clusters.append((given if isinstance(given, str) else f"cluster{len(clusters)}", nodes))
            if len(clusters) > MAX_CLUSTERS:
                raise InputError(f"{path}.clusters: are more than {MAX_CLUSTERS}")
    groups: dict[str, Group] = {}
    times: dict[str, int] = {}
    for cluster_name, nodes in clusters:
        for kind, count in nodes:
            name = kind.name if len(clusters) == 1 else f"{_name(cluster_name)}.{kind.name}"
            unique = name
            while unique in groups:
                times[name] = times.get(name, 1) + 1
                unique = f"{name}.{times[name]}"
            groups[unique] = Group(unique, count, type=kind)
    if not groups:
        raise InputError(f"{path}.clusters: have no nodes; give a number for at least one type")
    return list(groups.values())


class _Types:
    """The node and processor types of a file, made when they are first used.

    Those that are not used are ignored: files carry libraries of them along.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self.notes: list[str] = []
        self._node_tables = _entries(given.get("node", {}), "node", "node types")
        self._processor_tables = _entries(given.get("processor", {}), "processor", "types")
        self._nodes: dict[str, NodeType] = {}
        self._processors: dict[str, ProcessorType] = {}

    def node(self, key: object, path: str) -> NodeType:
        """Returns a node type."""
        name = self._known(key, self._node_tables, path, "node")
        if name not in self._nodes:
            where = decode.child("node", name)
            table = decode.table(self._node_tables[name], where, "processors and memory")
            resources = _memory(table.get("memory"), f"{where}.memory")
            self._nodes[name] = NodeType(_name(name), self._sockets(table, name, where), resources)
        return self._nodes[name]

    def check_power(self) -> None:
        """Raises unless all processor types in use have power, or none."""
        known = {name: kind.power is not None for name, kind in self._processors.items()}
        if len(set(known.values())) > 1:
            without = next(name for name, given in known.items() if not given)
            other = next(name for name, given in known.items() if given)
            raise InputError(
                f"{decode.child('processor', without)}.dynamic_power: is missing, while "
                f"{decode.child('processor', other)} has it; give it for all processors in use, "
                "or for none"
            )

    def _known(self, key: object, tables: dict[str, Any], path: str, what: str) -> str:
        if isinstance(key, str) and key not in tables:
            raise InputError(
                f'{path}: the file has no {what} type {decode.shown(key)}; add it under "{what}", '
                f"because IRMaSim's own library of types is not read; there: "
                f"{decode.listed(tables) or 'none'}"
            )
        return decode.one_of(key, tables, path, f"{what} type")

    def _sockets(
        self, table: dict[str, Any], name: str, where: str
    ) -> list[tuple[ProcessorType, int]]:
        if "processors" not in table:
            if "cores" not in table:
                raise InputError(f"{where}.processors: is missing; it lists the processors")
            self.notes.append(
                f"{where}: a node of IRMaSim's modelV2, which has cores but no processors, is read "
                "as one socket without contention and power; those of that model are not known here"
            )
            plain = {key: value for key, value in table.items() if key in ("cores", "clock_rate")}
            self._processors[f"node {name}"] = kind = _processor(plain, name, where)
            return [(kind, 1)]
        counts: dict[str, int] = {}
        for place, entry in enumerate(_list(table["processors"], f"{where}.processors"), 1):
            inner = f"{where}.processors[{place}]"
            item = decode.table(entry, inner, "type and number")
            key = self._known(
                item.get("type"), self._processor_tables, f"{inner}.type", "processor"
            )
            counts[key] = counts.get(key, 0) + _number_of(item, inner, 1024)
            if key not in self._processors:
                path = decode.child("processor", key)
                found = decode.table(self._processor_tables[key], path, "cores and clock_rate")
                self._processors[key] = _processor(found, key, path)
        sockets = [(self._processors[key], count) for key, count in counts.items() if count]
        if not sockets:
            raise InputError(f"{where}.processors: has none; a node needs at least one")
        return sockets


def _processor(table: dict[str, Any], key: str, path: str) -> ProcessorType:
    for needed in ("cores", "clock_rate"):
        if needed not in table:
            raise InputError(f"{path}.{needed}: is missing; IRMaSim needs it, too")
    bandwidth = table.get("mem_bw")
    if bandwidth is not None:
        most = MAX_RATE / MB_PER_GB
        bandwidth = decode.number(bandwidth, f"{path}.mem_bw", above=0, maximum=most) * MB_PER_GB
    constants = None
    if any(name in table for name in _CONTENTION):
        _require(table, _CONTENTION, path)
        try:
            constants = Contention(**{name: table[name] for name in _CONTENTION}, k=K)
        except InputError as error:
            raise InputError(f"{path}.{error}") from None
    name = _name(key)
    try:
        return ProcessorType(
            name,
            cores=table["cores"],
            clock=table["clock_rate"],
            flops_per_cycle=table.get("dpflops_per_cycle", 1),
            memory_bandwidth=bandwidth,
            power=_power(table, path),
            contention=constants,
        )
    except InputError as error:
        _translate(error, decode.child("processors", name), path)


def _translate(error: InputError, ours: str, theirs: str) -> NoReturn:
    """Raises an error about one of our fields as one about IRMaSim's field."""
    place, _, text = str(error).partition(": ")
    if not place.startswith(f"{ours}."):
        raise error
    field = place.removeprefix(f"{ours}.")
    raise InputError(f"{theirs}.{_FIELDS.get(field, field)}: {text}") from None


def _power(table: dict[str, Any], path: str) -> Power | None:
    """Returns the power; the names say what they are, whatever the paper's table III says."""
    names = next((pair for pair in _POWER if any(name in table for name in pair)), None)
    if names is None:
        return None
    _require(table, names, path)
    core, shared = (decode.number(table[name], f"{path}.{name}", maximum=1e9) for name in names)
    share = decode.number(table.get("min_power", MIN_POWER), f"{path}.min_power", maximum=1000)
    return Power(core, shared, share * shared)


def _memory(given: object, path: str) -> dict[str, int]:
    """Returns the memory of a node in KB, as workloads count it."""
    if given is None:
        return {}
    table = decode.table(given, path, "type and capacity")
    if "capacity" not in table:
        return {}
    most = decode.MAX_AMOUNT / KB_PER_GB
    capacity = decode.number(table["capacity"], f"{path}.capacity", maximum=most)
    return {"mem": int(capacity * KB_PER_GB)}


def _entries(given: object, path: str, holds: str) -> dict[str, Any]:
    """Returns a table without its remarks, whose names begin with an underscore."""
    table = decode.table(given, path, holds)
    return {key: value for key, value in table.items() if not key.startswith("_")}


def _list(given: object, path: str) -> list[Any]:
    if not isinstance(given, list):
        raise InputError(f"{path}: must be a list of tables (is {decode.shown(given)})")
    return given


def _number_of(table: dict[str, Any], path: str, most: int) -> int:
    return decode.whole_number(table.get("number", 1), f"{path}.number", maximum=most)


def _require(table: dict[str, Any], names: tuple[str, ...], path: str) -> None:
    for name in names:
        if name not in table:
            others = ", ".join(other for other in names if other in table)
            raise InputError(f"{path}.{name}: is missing; it goes together with {others}")


def _name(text: str) -> str:
    """Returns a name that can be a column of a CSV file: its special characters become _."""
    return (
        "".join(
            "_" if letter in " ,'\"`" or not letter.isprintable() else letter for letter in text
        )
        or "_"
    )
