"""Partitions: named sets of nodes, which may overlap, and what jobs there may ask for."""

from __future__ import annotations

from schedlab import decode
from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError, did_you_mean
from schedlab.fields import Defined, identifier, other, seconds, text, whole

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.fields.reading import Tables
    from schedlab.system.definition import System
    from schedlab.system.preemption import Preemption

MAX_PARTITIONS = 1_000
MAX_NUMBER = MAX_LIMIT = 2**31 - 1


# Machines without preemption do without its module.


def _checked_preemption(given: Any, path: str) -> Preemption:
    from schedlab.system.preemption import Preemption

    if not isinstance(given, Preemption):
        raise InputError(f"{path}: must be a Preemption (is {decode.shown(given)})")
    return given


def _read_preemption(given: object, path: str, tables: Tables) -> Preemption:
    from schedlab.system.preemption import Preemption

    return tables.read(Preemption, given, path)


class Partition(Defined):
    """A named set of nodes: jobs that name it run there, and nowhere else.

    Partitions may share nodes. A job that asks for more than a limit is rejected.
    """

    name: str = identifier("name of the partition", is_key=True)
    nodes: str = text(
        '`"all"`, the name of a group or of a node type, a number, a range, or several of these: '
        '`"fat, 0-1, 3"`',
        default="all",
    )
    number: int | None = whole(
        "by which jobs name it, where the workload has numbers alone, as field 16 of SWF; all "
        "partitions have one, or none",
        maximum=MAX_NUMBER,
        default=None,
        absent="its place among the partitions, from 1",
    )
    max_time: Taking[float | None, float | str | None] = seconds(
        "longest requested time of its jobs",
        above=0,
        maximum=MAX_SECONDS,
        as_written=True,
        default=None,
        absent="no limit",
    )
    max_nodes: int | None = whole(
        "most nodes of a job: of those that it needs at least, on idle nodes",
        minimum=1,
        maximum=MAX_LIMIT,
        default=None,
        absent="no limit",
    )
    max_tasks: int | None = whole(
        "most tasks of a job; a task is a processor, unless jobs say otherwise",
        minimum=1,
        maximum=MAX_LIMIT,
        default=None,
        absent="no limit",
    )
    preempt: Preemption | None = other(
        _checked_preemption,
        "how its jobs take room from running ones",
        values="table",
        default=None,
        absent="they take none",
        written={"$ref": "#/$defs/Preemption"},
        read=_read_preemption,
    )

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return f"{decode.child('partitions', named['name'])}."

    @classmethod
    def _hints(cls, table: Mapping[str, Any]) -> Mapping[str, str]:
        return {"default": 'write default_partition = "name" above the tables of the system'}

    def ranges(self, system: System) -> list[tuple[int, int]]:
        """Returns its nodes as (first, count), ascending and apart from each other.

        Raises:
            InputError: The system has no such nodes, or there are none.
        """
        from schedlab.system.node_ranges import node_ranges  # for machines that have partitions

        path = f"{decode.child('partitions', self.name)}.nodes"
        found = node_ranges(self.nodes, system, path)
        if not found:
            raise InputError(f"{path}: has no nodes; a partition has one or more")
        return found


def check_partitions(system: System) -> None:
    """Raises InputError unless the partitions of a system fit together, and to its nodes."""
    partitions, names = system.partitions, [one.name for one in system.partitions]
    numbered = [one.number for one in partitions if one.number is not None]
    if numbered and len(numbered) < len(partitions):
        lacks = next(one.name for one in partitions if one.number is None)
        path = decode.child("partitions", lacks)
        raise InputError(f"{path}.number: is missing; give all partitions a number, or none")
    for values, what in ((names, "name"), (numbered, "number")):
        if len(set(values)) < len(values):
            raise InputError(f"partitions: two have the same {what}")
    for partition in partitions:
        partition.ranges(system)
    chosen = system.default_partition
    if chosen is not None and chosen not in names:
        decode.one_of(chosen, names, "default_partition", "partition")


class PartitionNumbers:
    """The numbers by which the jobs of one workload name the partitions of a system.

    Its reader may have made them of names, and its header may say which number has which name;
    otherwise they are those of the system. A list of names, such as `batch,gpu`, has a number of
    its own: its jobs may run in any one of these partitions.

    Args:
        system: The machine.
        lists: Those that jobs in Python named, of a state file.
    """

    def __init__(self, system: System, lists: Iterable[str] = ()) -> None:
        self._saved = list(lists)
        self._lists: dict[int, list[str]] = {}
        self._named: dict[str, int] = {}  # lists that the workload does not number
        self._taken: set[int] = set()  # numbers that mean something in the workload
        self._numbers = {
            one.name: place if one.number is None else one.number
            for place, one in enumerate(system.partitions, 1)
        }
        self._names = {number: name for name, number in self._numbers.items()}

    def go_by_names(self, named: Mapping[str, int], numbers_made: bool) -> list[str]:
        """Takes over what a workload says of its numbers, and returns warnings.

        Args:
            named: Numbers of the partitions that the workload has names for.
            numbers_made: Whether these numbers stand for the names, and mean nothing by themselves.

        Raises:
            InputError: Jobs name partitions, and none of these.
        """
        from schedlab.system.named_numbers import numbers_by_name, some

        lists = {text: _parts(text) for text in named if "," in text}
        known = {
            text: [one for one in parts if one in self._numbers] for text, parts in lists.items()
        }
        single = {text: number for text, number in named.items() if not known.get(text)}
        found, warnings = numbers_by_name("partitions", self._numbers, single, numbers_made)
        if single and not found and not any(known.values()):
            raise InputError(
                f"partitions: {', '.join(self._numbers)}: the workload names none of them; it has "
                f"{some([*named])}; name them as the workload does"
            )
        numbered = {named[names] for names, parts in known.items() if parts}
        found = {name: number for name, number in found.items() if number not in numbered}
        lacking = dict.fromkeys(
            one for names, parts in lists.items() if known[names] for one in parts
        ).keys() - {*self._numbers}
        if lacking:
            warnings.append(
                f"partitions: jobs name {some(sorted(lacking))} beside others, which the system "
                "does not have; they run in the others"
            )
        taken = {*found.values(), *named.values()}
        for name in self._numbers:  # no job names these, but a job factory may
            if name not in found:
                found[name] = next(number for number in _from_one() if number not in taken)
                taken.add(found[name])
        self._numbers = {name: found[name] for name in self._numbers}
        self._names = {number: name for name, number in self._numbers.items()}
        self._lists = {named[names]: parts for names, parts in known.items() if parts}
        self._taken = taken
        for names in self._saved:
            self.number(names)
        return warnings

    def number(self, name: str) -> int:
        """Returns the number of the partition that a job names.

        Raises:
            InputError: There is none of that name.
        """
        number = self._numbers.get(name)
        if number is not None:
            return number
        if "," in name and self._numbers:
            return self._number_of_list(name)
        if not self._numbers:
            raise InputError(
                f"partition: the system has no partitions, so the job cannot be in "
                f"{decode.shown(name)}; add [partitions.{name}] to the system, or leave it out"
            )
        raise InputError(
            f"partition: there is no partition {decode.shown(name)}; "
            f"{did_you_mean(name, self._numbers)}known: {decode.listed(self._numbers)}"
        )

    def _number_of_list(self, names: str) -> int:
        known = self._named.get(names)
        if known is not None:
            return known
        parts = _parts(names)
        for name in parts:
            self.number(name)
        taken = {*self._taken, *self._numbers.values(), *self._lists}
        made: int = next(number for number in _from_one() if number not in taken)
        self._lists[made] = parts
        self._named[names] = made
        return made

    def lists(self) -> list[str]:
        """Returns the lists that jobs in Python named, in the order of their numbers."""
        return list(self._named)

    def numbers(self, number: float) -> list[int]:
        """Returns the partitions of a list, in its order; none if the number is not a list's."""
        return [self._numbers[name] for name in self._lists.get(int(number), ())]

    def text_of_job(self, number: float) -> str | None:
        """Returns the name of the partition that a number stands for; None if it is none's."""
        if number != int(number):
            return None
        listed = self._lists.get(int(number))
        return ",".join(listed) if listed else self._names.get(int(number))

    def for_engine(
        self, system: System, preemption: tuple[Preemption, ...]
    ) -> list[tuple[Any, ...]]:
        """Returns name, number, nodes, limits, whether it is the default, and preemption of each.

        Args:
            system: The machine.
            preemption: All there is.
        """
        from schedlab.system.preemption import number  # for machines that have partitions

        return [
            (
                one.name,
                self._numbers[one.name],
                one.ranges(system),
                one.max_time,
                one.max_nodes,
                one.max_tasks,
                one.name == system.default_partition,
                number(one.preempt, preemption),
            )
            for one in system.partitions
        ]


def _parts(names: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in names.split(",")))


def _from_one() -> Any:
    from itertools import count

    return count(1)
