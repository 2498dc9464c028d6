"""A workflow's numbers, found the long way."""

from fractions import Fraction

Tasks = dict[str, tuple[Fraction, int, list[str]]]
"""Run time, cores and predecessors of each task by name."""


def schedule(tasks: Tasks) -> dict[str, tuple[Fraction, Fraction]]:
    """Start and end of each task when each starts as soon as its predecessors ended."""
    spans: dict[str, tuple[Fraction, Fraction]] = {}
    while len(spans) < len(tasks):
        for name, (run, _, before) in tasks.items():
            if name not in spans and all(other in spans for other in before):
                start = max((spans[other][1] for other in before), default=Fraction(0))
                spans[name] = start, start + run
    return spans


def longest_path(tasks: Tasks) -> Fraction:
    """The length of the longest of all paths, by going down every one of them."""

    def length(name: str) -> Fraction:
        run, _, before = tasks[name]
        return run + max((length(other) for other in before), default=Fraction(0))

    return max(map(length, tasks))


def most_cores(tasks: Tasks) -> int:
    """Cores in use at the fullest moment; a task uses them from its start to before its end."""
    spans = schedule(tasks)
    moments = [start for start, _ in spans.values()]
    in_use = [
        sum(tasks[name][1] for name, (start, end) in spans.items() if start <= moment < end)
        for moment in moments
    ]
    return max(*in_use, *(cores for _, cores, _ in tasks.values()))


def level(tasks: Tasks, name: str) -> int:
    """The most tasks that must come before this one, one after the other."""
    return max((1 + level(tasks, other) for other in tasks[name][2]), default=0)
