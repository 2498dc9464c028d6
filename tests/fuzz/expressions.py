"""Expressions of orders and scores, and the names of parts with their arguments."""

from __future__ import annotations

from pathlib import Path

from fuzz.harness import Sample, Target

EXPRESSIONS = (
    "-(wait / requested_time) ** 3 * processors",
    "log10(estimate) * processors + 870 * log10(submit + 1)",
    "processors if user == 7 else max(wait, 100, -id)",
    "(queue.length // 2) % 3 < 1 and not running.length >= machine.nodes or fewest_nodes != 2",
    "if(request.core > 1, pow(now, .5), 1e-15) + abs(floor(machine.free_core)) - ceil(sqrt(wait))",
)
JOB_NAMES = ("id", "user", "submit", "wait", "estimate", "requested_time", "processors")
OTHER_NAMES = (
    *("now", "queue.length", "running.length", "machine.nodes", "machine.free_core"),
    *("fewest_nodes", "request.core"),
)
SCHEDULERS = (
    "easy(depth=5, score=wait * 2)",
    "score:wait * processors",
    "conservative(order=shortest)",
    "greedy(order=smallest)",
)
ALLOCATORS = ("first-fit", "random", "contiguous", "dual-end")


def _samples() -> list[Sample]:
    return [
        *(Sample("expression", {"text.txt": text.encode()}) for text in EXPRESSIONS),
        *(Sample("scheduler", {"text.txt": text.encode()}) for text in SCHEDULERS),
        *(Sample("allocator", {"text.txt": text.encode()}) for text in ALLOCATORS),
    ]


def _feed(name: str, folder: Path) -> None:
    import schedlab as sl
    from schedlab._engine import Expression

    text = (folder / "text.txt").read_bytes().decode("utf-8", "surrogateescape")
    text = text.replace("os:abort", "os:nothing")  # code that its caller names is run
    machine = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
    jobs = [sl.Job(i, submit=i, run=5, processors=4, user=i) for i in range(1, 5)]
    if name == "expression":
        parsed = Expression(text, [*JOB_NAMES, *OTHER_NAMES], ["data.use"], True)
        columns = {variable: [0.0, 1.0, 1e300] for variable in parsed.variables}
        parsed.evaluate(columns, {table: {1: 2.0} for table in parsed.tables})
        text = f"score:{text}"
    if name == "allocator":
        sl.simulate(jobs, system=machine, allocator=text)
    else:
        sl.simulate(jobs, system=machine, scheduler=text)


TARGETS = [Target("expressions", _samples, _feed)]
