"""Cases of the open engine: policies in Python, score expressions, several resource types."""

from __future__ import annotations

import json
import os
import random

import workloads
from cases import Bench, Row
from measure import BenchmarkError, Figures

HERE = os.path.dirname(os.path.abspath(__file__))


def policies(bench: Bench) -> None:
    """HPC2N under schedulers in Python, each with the native one's bytes."""
    paths = bench.trace("hpc2n")
    if paths is None:
        return
    runner = bench.runner
    native = {name: runner.rows(*paths, name) for name in ("fifo", "easy")}
    for name, twin, limit in (
        ("Fifo", "fifo", 1),
        ("Easy", "easy", 4),
        ("NaiveEasy", "easy", None),
    ):
        own = f"own_policies:{name}"
        ours = runner.ours(*paths, own, bench.few(3))
        if runner.rows(*paths, own) != native[twin]:
            raise BenchmarkError(f"{own} and {twin} give different schedules")
        row = Row(f"hpc2n {own}", ours, value=ours.least)
        row.figure = f"{ours.each:.2f} us/job; same as {twin}"
        if limit is not None:
            row.demanded, row.met = f"< {limit} s", ours.least < limit
        bench.rows.append(row)


def large_machine(bench: Bench) -> None:
    """EASY in Python beside the native one where the machine is large and the queue long."""
    paths = workloads.prepare("cores-93k", bench.runner.scratch)
    figures = {name: Figures() for name in ("own_policies:Easy", "easy")}
    for _ in range(bench.few(3)):
        for name, each in figures.items():
            bench.runner.ours(*paths, name, 1, each)
    if bench.runner.rows(*paths, "own_policies:Easy") != bench.runner.rows(*paths, "easy"):
        raise BenchmarkError("own_policies:Easy and easy give different schedules of cores-93k")
    ratio = figures["own_policies:Easy"].least / figures["easy"].least
    row = Row("cores-93k own_policies:Easy / easy", figures["own_policies:Easy"], value=ratio)
    row.figure, row.demanded, row.met = f"{ratio:.2f}x", "<= 10x", ratio <= 10
    bench.rows.append(row)


def expressions(bench: Bench) -> None:
    """What a score costs beside a built-in order, and the scores that change while jobs wait."""
    paths = bench.trace("hpc2n")
    if paths is None:
        return
    names = ("easy(order=shortest)", "easy(score=estimate)", "sjf", "score:estimate")
    figures = {name: Figures() for name in names}
    for _ in range(bench.few(5)):
        for name in names:
            bench.runner.ours(*paths, name, 1, figures[name])
    for built_in, score in ((names[0], names[1]), (names[2], names[3])):
        ratio = figures[score].least / figures[built_in].least
        row = Row(f"hpc2n {score} / {built_in}", figures[score], value=ratio)
        row.figure, row.demanded, row.met = f"{ratio:.2f}x", "<= 2x", ratio <= 2
        bench.rows.append(row)
    for name in ("easy(order=wfp3)", "easy(order=f1)"):
        ours = bench.runner.ours(*paths, name, bench.few(3))
        row = Row(f"hpc2n {name}", ours, value=ours.least, demanded="< 1 s", met=ours.least < 1)
        row.figure = f"{ours.each:.2f} us/job"
        bench.rows.append(row)


def memory(bench: Bench) -> None:
    """Memory that binds: four times as much of it for a tenth of the jobs, nodes of 2 GB."""
    paths = bench.trace("hpc2n")
    if paths is None:
        return
    trace, system = memory_bound(paths[0], paths[1], bench.runner.scratch)
    figures = {"none": Figures(), "requested": Figures()}
    for _ in range(bench.few(5)):
        for choice, each in figures.items():
            bench.runner.ours(trace, system, "easy", 1, each, {"memory": choice})
    for choice, each in figures.items():
        bench.rows.append(Row(f"memory {choice} easy", each, figure=f"{each.each:.2f} us/job"))
    ratio = figures["requested"].least / figures["none"].least
    row = Row("memory bound / unbound", value=ratio, figure=f"{ratio:.2f}x")
    row.demanded, row.met = "<= 5x", ratio <= 5
    bench.rows.append(row)


def memory_bound(trace: str, system: str, scratch: str) -> tuple[str, str]:
    """Writes the seeded variant of HPC2N and its machine; returns their paths."""
    target = os.path.join(scratch, "hpc2n-memory.swf")
    machine = os.path.join(scratch, "hpc2n-memory.json")
    draw = random.Random(1)
    with open(trace, encoding="latin-1") as lines, open(target, "w", encoding="latin-1") as out:
        for line in lines:
            if not line.startswith(";") and line.strip() and draw.random() < 0.1:
                fields = line.split()
                for column in (6, 9):  # used and requested memory
                    if int(fields[column]) > 0:
                        fields[column] = str(4 * int(fields[column]))
                line = " ".join(fields) + "\n"
            out.write(line)
    with open(system, encoding="utf-8") as text:
        described = json.load(text)
    described["groups"]["g0"]["mem"] = 2_000_000
    with open(machine, "w", encoding="utf-8") as text:
        json.dump(described, text)
    return target, machine


def types(bench: Bench) -> None:
    """Four resource types against one, for plain requests and for those that need nodes."""
    paths = bench.trace("hpc2n")
    if paths is None:
        return
    amounts = {"core": 4, "mem": 1_000_000, "gpu": 2, "disk": 500}
    wanted = {"core": 2, "mem": 400_000, "gpu": 1, "disk": 200}
    systems = {}
    for kinds in (("core",), tuple(amounts)):
        path = os.path.join(bench.runner.scratch, f"types-{len(kinds)}.json")
        described = {
            "processor": {kind: wanted[kind] for kind in kinds},
            "groups": {"g0": {"nodes": 120, "resources": {k: amounts[k] for k in kinds}}},
        }
        with open(path, "w", encoding="utf-8") as text:
            json.dump(described, text)
        systems[len(kinds)] = path
    for label, options in (("plain", {}), ("on nodes", {"tasks_per_node": 64})):
        figures = {count: Figures() for count in systems}
        for _ in range(bench.few(5)):
            for count, system in systems.items():
                bench.runner.ours(paths[0], system, "easy", 1, figures[count], options)
        ratio = figures[4].least / figures[1].least
        row = Row(f"4 types / 1, {label}", figures[4], value=ratio, figure=f"{ratio:.2f}x")
        row.demanded, row.met = "<= 2x", ratio <= 2
        bench.rows.append(row)


CASES = {
    "policies": policies,
    "large-machine": large_machine,
    "expressions": expressions,
    "memory": memory,
    "types": types,
}
