"""`schedlab doctor`: what is installed, and whether it works."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from typing import Any, NamedTuple

from schedlab.cli.declaring import Annotated, Leave, Option

EXAMPLE = "Example: schedlab doctor --json"

MODULES = {"pyyaml": "yaml"}
"""Where a package is imported under another name than it is installed."""

DEVELOPMENT_EXTRAS = ("test", "lint")
"""Extras whose packages no part of schedlab uses when it is used."""


class Requirement(NamedTuple):
    """A package that the metadata of schedlab names, the least version, and the extra it is of."""

    name: str
    least: str | None
    extra: str | None


def doctor(
    json: Annotated[bool, Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check the installation: versions, optional parts, and a self-test."""
    findings = examine()
    if json:
        from schedlab.results.json_text import to_json

        print(to_json(findings))
    else:
        _show(findings)
    if not findings["healthy"]:
        raise Leave(1)


def examine() -> dict[str, Any]:
    """Returns everything that doctor shows, as nested dicts."""
    import schedlab
    from schedlab import _engine

    core, self_test = _core_packages(), _self_test()
    return {
        "healthy": self_test is None and all(found["problem"] is None for found in core.values()),
        "schedlab": schedlab.__version__,
        "location": os.path.dirname(schedlab.__file__),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "executable": sys.executable,
        "platform": platform.platform(),
        "engine": {
            "build_type": _engine.build_type,
            "compiler": _engine.compiler,
            "compiler_flags": _engine.compiler_flags,
            "validates": _engine.validates,
        },
        "processors": {"present": os.cpu_count(), "usable": _usable_processors()},
        "free_disk_bytes": _free_disk_bytes(),
        "core": core,
        "optional": _optional_packages(),
        "self_test": self_test or "passed",
    }


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _requirements() -> list[Requirement] | None:
    """Returns what the package's metadata requires; None where schedlab is not installed."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = requires("schedlab") or []
    except PackageNotFoundError:
        return None
    found = []
    for text in wanted:
        package, _, condition = text.partition(";")
        least = re.search(r"[>=]=\s*([\d.]+)", package)
        extra = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", condition)
        name = re.split(r"[^\w.-]", package.strip(), maxsplit=1)[0].lower()
        found.append(
            Requirement(name, least.group(1) if least else None, extra.group(1) if extra else None)
        )
    return found


def _core_packages() -> dict[str, dict[str, str | None]]:
    """Returns version and problem of each package that schedlab cannot do without."""
    import importlib

    wanted = _requirements()
    if wanted is None:
        return {"schedlab": {"version": None, "problem": "not installed: pip install ."}}
    found: dict[str, dict[str, str | None]] = {}
    for name, least, extra in wanted:
        if extra is not None:
            continue
        version, problem = _version(name), None
        if version is None:
            problem = f"missing: pip install {name!r}"
        elif _is_older(version, least):
            problem = f"older than {least}: pip install --upgrade {name}"
        else:
            try:
                importlib.import_module(MODULES.get(name, name))
            except Exception as error:  # a broken package may raise anything
                problem = f"cannot be imported: {error}"
        found[name] = {"version": version, "problem": problem}
    return found


def _is_older(version: str, least: str | None) -> bool:
    return least is not None and _release(version) < _release(least)


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _optional_packages() -> dict[str, dict[str, str | None]]:
    """Returns each package that an extra for users brings: its version, and how to get it.

    From the metadata, so that what is listed is what this version uses.
    """
    found: dict[str, dict[str, str | None]] = {}
    for name, least, extra in _requirements() or []:
        if extra is None or extra in DEVELOPMENT_EXTRAS:
            continue
        version, install = _version(name), None
        if version is None:
            install = f"pip install 'schedlab[{extra}]'"
        elif _is_older(version, least):
            install = f"pip install --upgrade 'schedlab[{extra}]'"
        found[name] = {"found": version, "least": least, "install": install}
    return found


def _usable_processors() -> int | None:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _free_disk_bytes() -> int | None:
    try:
        return shutil.disk_usage(os.getcwd()).free
    except OSError:  # the current folder was removed
        return None


def _self_test() -> str | None:
    """Simulates three jobs whose schedule is known and returns what is wrong, if anything."""
    try:
        from schedlab.simulation import simulate
        from schedlab.workload import Job

        # The first holds half of the machine, the second needs all of it and waits, the third
        # is short enough to go before the second: that is backfilling.
        jobs = [Job(1, 0, 100, 4, 100), Job(2, 1, 50, 8, 50), Job(3, 2, 98, 4, 98)]
        system = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
        result = simulate(jobs, system=system, scheduler="easy")
        with open(os.path.join(result.path, "jobs.csv"), encoding="utf-8") as file:
            heading, *rows = (line.rstrip("\n").split(",") for line in file)
        records = [dict(zip(heading, row, strict=True)) for row in rows]
        starts = {int(record["job_id"]): float(record["start"]) for record in records}
    except Exception as error:  # whatever it is, doctor must say so and continue
        return f"failed: {type(error).__name__}: {error}"
    expected = {1: 0, 2: 100, 3: 2}
    return None if starts == expected else f"failed: jobs started at {starts}, not {expected}"


def _show(findings: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    engine, processors = findings["engine"], findings["processors"]
    free = findings["free_disk_bytes"]
    checks = ", every event checked" if engine["validates"] else ""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in (
        ("schedlab", f"{findings['schedlab']} in {findings['location']}"),
        ("Python", f"{findings['python']}, {findings['executable']}"),
        ("platform", findings["platform"]),
        (
            "engine",
            f"{engine['build_type']}, {engine['compiler']}, {engine['compiler_flags']}{checks}",
        ),
        ("processors", f"{processors['present']}, of which {processors['usable']} usable here"),
        ("free disk", "unknown" if free is None else f"{free / 1e9:,.1f} GB in {os.getcwd()}"),
    ):
        grid.add_row(Text(label, "dim"), Text(text))
    grid.add_row()
    for name, found in findings["core"].items():
        problem = found["problem"]
        text = Text(
            f"{found['version'] or ''} {problem or ''}".strip(), "bold red" if problem else ""
        )
        grid.add_row(Text(name, "dim"), text)
    grid.add_row()
    for name, found in findings["optional"].items():
        text = Text(found["found"] or "")
        if found["install"]:
            what = f" older than {found['least']}" if found["found"] else "absent"
            text.append(f"{what}: {found['install']}", "yellow" if found["found"] else "dim")
        grid.add_row(Text(name, "dim"), text)
    console.print(grid)
    console.print()
    passed = findings["self_test"] == "passed"
    console.print(
        Text(f"self-test {findings['self_test']}", "bold green" if passed else "bold red")
    )
    if not findings["healthy"]:
        console.print(Text("This installation does not work; see the red lines.", "bold red"))
