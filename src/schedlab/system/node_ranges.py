"""Nodes as people write them: "all", the name of a group or a node type, numbers and ranges."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.node_lists import SHOWN, range_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.system.definition import System


def node_ranges(nodes: str, system: System, path: str) -> list[tuple[int, int]]:
    """Returns the nodes as (first, count), ascending and apart from each other.

    Args:
        nodes: Such as "all", "fat" or "0-15, 20"; a group comes before a node type of its name.
        system: The machine.
        path: Where the text is, for messages.

    Raises:
        InputError: The system has no such nodes.
    """
    found = [span for part in nodes.split(",") for span in _spans(part.strip(), system, path)]
    ranges: list[tuple[int, int]] = []
    for first, end in sorted((span.start, span.stop) for span in found if span):
        if ranges and first <= sum(ranges[-1]):
            ranges[-1] = (ranges[-1][0], max(sum(ranges[-1]), end) - ranges[-1][0])
        else:
            ranges.append((first, end - first))
    return ranges


def _spans(part: str, system: System, path: str) -> list[range]:
    if part == "all":
        return [range(system.nodes)]
    first = 0
    of_type = []
    for group in system.groups:
        span = range(first, first + group.nodes)
        if part == group.name:
            return [span]
        if group.type is not None and part == group.type.name:
            of_type.append(span)
        first += group.nodes
    if of_type:
        return of_type
    numbers = range_of(part)
    if numbers is None:
        known = ", ".join(group.name for group in system.groups)
        types = ", a node type" if system.platform else ""
        raise InputError(f'{path}: {part!r} is neither "all", a group ({known}){types} nor a range')
    if not numbers or numbers[-1] >= system.nodes:
        raise InputError(
            f"{path}: {part[:SHOWN]!r} is not within the nodes 0 to {system.nodes - 1}"
        )
    return [numbers]
