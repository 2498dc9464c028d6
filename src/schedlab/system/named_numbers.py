"""Numbers by which jobs name queues or partitions, where the workload has names for them."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN = 12


def numbers_by_name(
    what: str, own: Mapping[str, int | None], named: Mapping[str, int], numbers_made: bool
) -> tuple[dict[str, int], list[str]]:
    """Returns by which number jobs name each, and warnings; a name that is known decides.

    Args:
        what: What they are, such as queues.
        own: Their names, and the numbers that they were given.
        named: Numbers of those that the workload has names for.
        numbers_made: Whether these numbers stand for the names, and mean nothing by themselves.
    """
    found = {name: named[name] for name in own if name in named}
    warnings = []
    by_number = {number: name for name, number in named.items()}
    for name, number in own.items():
        if number is None or numbers_made:
            continue
        if name in found:
            if found[name] != number:
                warnings.append(
                    f'{what}: "{name}" has number {number} there, and {found[name]} in '
                    "the workload; the name counts"
                )
        elif number not in found.values():
            found[name] = number
            if number in by_number:
                warnings.append(
                    f'{what}: "{name}" has number {number}, which the workload calls '
                    f'"{by_number[number]}"; the number counts, because no {what[:-1]} of the '
                    "workload has that name"
                )
    left = [name for name, number in named.items() if number not in found.values()]
    if left and found:
        warnings.append(
            f"{what}: the workload has {some(left)} as well, which none of {', '.join(own)} is: "
            "jobs there are rejected"
        )
    return found, warnings


def some(names: list[str]) -> str:
    """Returns names for a message, not more than people read."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
