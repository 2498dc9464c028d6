"""Nodes as people write them: "all", the name of a group, numbers and ranges."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.node_lists import SHOWN, range_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.system.definition import System


def node_ranges(nodes: str, system: System, path: str) -> list[tuple[int, int]]:
    """Returns the nodes as (first, count), ascending and apart from each other.

    Args:
        nodes: Such as "all", "fat" or "0-15, 20".
        system: The machine.
        path: Where the text is, for messages.

    Raises:
        InputError: The system has no such nodes.
    """
    found = [_numbers(part.strip(), system, path) for part in nodes.split(",")]
    ranges: list[tuple[int, int]] = []
    for first, end in sorted((numbers.start, numbers.stop) for numbers in found if numbers):
        if ranges and first <= sum(ranges[-1]):
            ranges[-1] = (ranges[-1][0], max(sum(ranges[-1]), end) - ranges[-1][0])
        else:
            ranges.append((first, end - first))
    return ranges


def _numbers(part: str, system: System, path: str) -> range:
    if part == "all":
        return range(system.nodes)
    first = 0
    for group in system.groups:
        if part == group.name:
            return range(first, first + group.nodes)
        first += group.nodes
    numbers = range_of(part)
    if numbers is None:
        known = ", ".join(group.name for group in system.groups)
        raise InputError(f'{path}: {part!r} is neither "all", a group ({known}) nor a range')
    if not numbers or numbers[-1] >= system.nodes:
        raise InputError(
            f"{path}: {part[:SHOWN]!r} is not within the nodes 0 to {system.nodes - 1}"
        )
    return numbers
