"""What a path is that is not a run: an experiment, a folder of runs, a saved state, a file."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError, SchedlabError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedlab.cli.terminal import Console

MOST_RUNS_SHOWN = 40
"""In a table; how many there are is always reported. --json has them all."""

SYSTEM_FILES = (".toml", ".json", ".yaml", ".yml", ".config")
STATES = ("finished", "live", "failed", "stopped", "not begun")
"""Of the runs of an experiment, in the order in which they are counted."""


def described(path: str) -> dict[str, Any] | None:
    """Returns what a path is, if it is not a run: `kind` and what is known; None for a run.

    Raises:
        InputError: There is nothing, or nothing that has a state; it says what it is.
    """
    from schedlab.watch import found_below, state_of

    if not os.path.lexists(path):
        raise InputError(f"{path}: there is no such file or folder; give the --out folder of a run")
    if not os.path.isdir(path):
        return _file(path)
    if state_of(path) != "none":
        return None
    if os.path.exists(os.path.join(path, "experiment.json")):
        return _experiment(path)
    try:
        is_empty = not os.listdir(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if is_empty:
        raise InputError(f"{path}: is an empty folder; give the --out folder of a run")
    found = found_below(path)
    if not found.runs and not found.experiments:
        raise InputError(
            f"{path}: is a folder without runs: neither it nor what is below has run.json or a run "
            "in progress"
        )
    return {
        "kind": "folder of runs",
        "path": path,
        "experiments": found.experiments,
        "runs": [_run_row(one, state_of(one)) for one in found.runs],
        "is_whole": found.is_whole,
    }


def _experiment(path: str) -> dict[str, Any]:
    from schedlab.experiment.folder import RUNS, read_description
    from schedlab.results.folder_lock import is_locked
    from schedlab.watch import state_of

    description = read_description(path)
    failed = {one["run"]: one["reason"] for one in description.get("failures", [])}
    runs = []
    for one in description.get("runs", []):
        state: str = state_of(os.path.join(path, RUNS, *one["name"].split("/")))
        if one["name"] in failed:
            state = "failed"
        runs.append({"name": one["name"], "state": "not begun" if state == "none" else state})
    status = description.get("status", "unknown")
    if status == "running" and not is_locked(path):
        status = "stopped"
    return {
        "kind": "experiment",
        "path": path,
        "status": status,
        **{part: [one["name"] for one in description[part]] for part in ("workloads", "systems")},
        "dispatchers": [one["name"] for one in description["dispatchers"]],
        "repeat": description["repeat"],
        "runs": runs,
        "failures": [{"run": run, "reason": reason} for run, reason in failed.items()],
        "report": os.path.exists(os.path.join(path, "report.html")),
    }


def _run_row(path: str, state: str) -> dict[str, Any]:
    from schedlab.results import Result

    names = ("scheduler", "allocator", "system", "workload", "jobs")
    row: dict[str, Any] = {"path": path, "state": state, **dict.fromkeys(names)}
    if state != "finished":
        return row
    try:
        run = Result.load(path).run
    except SchedlabError:  # the list shows the others all the same
        return {**row, "state": "broken"}
    return {
        **row,
        "state": "finished" if run["status"] == "complete" else run["status"],
        "scheduler": run["scheduler"],
        "allocator": run["allocator"],
        "system": run["system"]["name"],
        "workload": os.path.basename(run["workload"]["path"] or "jobs from Python"),
        "jobs": run["counts"]["submitted"],
    }


def _file(path: str) -> dict[str, Any]:
    """Returns what a saved state holds; raises InputError, with what it is, for other files."""
    from schedlab.simulation import state_file
    from schedlab.watch import state_of

    if state_file.is_state(path):
        description, _ = state_file.read(path)
        return {
            "kind": "saved state",
            "path": path,
            "scheduler": description["names"]["scheduler"],
            "allocator": description["names"]["allocator"],
            "system": description["spec"]["system"].get("name"),
            "workload": description["spec"].get("workload"),
            "time": description["now"],
        }
    folder = os.path.dirname(path) or "."
    if state_of(folder) != "none" or os.path.exists(os.path.join(folder, "experiment.json")):
        kind = "a run" if state_of(folder) != "none" else "an experiment"
        if os.path.basename(path).removesuffix(".part") in _FILES_OF_FOLDERS:
            raise InputError(f"{path}: is a file of {kind}; give its folder: {folder}")
    raise InputError(f"{path}: {_other_file(path)}; status is for runs: give the folder of one")


_FILES_OF_FOLDERS = {
    *("run.json", "live.json", "watch.json", "experiment.json", "experiment-run.json"),
    *("report.html", "nodes.csv", "links.csv", "states.csv"),
    *(f"{name}.{end}" for name in ("jobs", "timeline", "attempts") for end in ("csv", "parquet")),
    *("metrics.csv", "summary.csv", "timing.csv", "differences.csv"),
}


def _other_file(path: str) -> str:
    from schedlab.system import load_system
    from schedlab.workload.formats import format_to_read, open_reader

    if not os.path.isfile(path):
        return "is neither a file nor a folder"
    if path.lower().endswith(SYSTEM_FILES):
        try:
            system = load_system(path)
        except SchedlabError:
            pass
        else:
            return f"describes the machine {system.name!r} (schedlab system show {path})"
    try:
        name = format_to_read(path)
        has_jobs = any(table.height for table in open_reader(path, name).tables())
    except (SchedlabError, OSError):
        has_jobs = False
    if not has_jobs:
        return "is not a file that schedlab knows, or a workload without jobs"
    return f"is a workload, read as {name} (schedlab workload inspect {path})"


def print_place(console: Console, description: dict[str, Any]) -> None:
    """Prints what a place is."""
    if description["kind"] == "experiment":
        _print_experiment(console, description)
    elif description["kind"] == "folder of runs":
        _print_runs(console, description)
    else:
        _print_state(console, description)


def _print_experiment(console: Console, description: dict[str, Any]) -> None:
    counts = Counter(one["state"] for one in description["runs"])
    states = ", ".join(f"{counts[state]:,} {state}" for state in STATES if counts[state])
    states += "".join(f", {n:,} {state}" for state, n in counts.items() if state not in STATES)
    repeat = f", {description['repeat']} times each" if description["repeat"] > 1 else ""
    _title(console, f"{description['path']}: an experiment, {description['status']}")
    facts = [
        ("workloads", ", ".join(description["workloads"])),
        ("systems", ", ".join(description["systems"])),
        ("dispatchers", ", ".join(description["dispatchers"]) + repeat),
        ("runs", f"{len(description['runs']):,}: {states}"),
        *(("failed", f"{one['run']}: {one['reason']}") for one in description["failures"]),
    ]
    if description["report"]:
        facts.append(("report", os.path.join(description["path"], "report.html")))
    _facts(console, facts)
    if description["status"] == "stopped":
        _title(console, "It was stopped before its end; the same command continues with it.")
    live = [one["name"] for one in description["runs"] if one["state"] == "live"]
    shown = live or [one["name"] for one in description["runs"] if one["state"] == "finished"]
    if shown:
        _title(
            console,
            f"One run: schedlab status {os.path.join(description['path'], 'runs', shown[0])}",
        )


def _print_runs(console: Console, description: dict[str, Any]) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    runs, experiments = description["runs"], description["experiments"]
    count = f"{len(runs):,} run{'' if len(runs) == 1 else 's'}"
    count += "" if description["is_whole"] else " or more"
    among = f" and {len(experiments):,} experiment{'' if len(experiments) == 1 else 's'}"
    _title(console, f"{description['path']}: a folder with {count}{among if experiments else ''}")
    for one in experiments:
        console.print(Text(f"  {one}: an experiment"), soft_wrap=True)
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("run", "state", "dispatcher", "workload", "system", "jobs"):
        grid.add_column(name, overflow="fold", justify="right" if name == "jobs" else "left")
    for row in runs[:MOST_RUNS_SHOWN]:
        known = row["scheduler"] is not None
        dispatcher = f"{row['scheduler']} + {row['allocator']}" if known else "-"
        jobs = f"{row['jobs']:,}" if known else "-"
        place = (row["workload"] or "-", row["system"] or "-")
        name = os.path.relpath(row["path"], description["path"])
        grid.add_row(*map(Text, (name, row["state"], dispatcher, *place, jobs)))
    console.print(Padding(grid, (0, 0, 0, 2)))
    if len(runs) > MOST_RUNS_SHOWN:
        console.print(Text(f"  and {len(runs) - MOST_RUNS_SHOWN:,} more", "dim"))


def _print_state(console: Console, description: dict[str, Any]) -> None:
    from schedlab.overwriting import CHECKPOINT, resuming

    _title(console, f"{description['path']}: a saved state of a simulation")
    facts = [
        ("dispatcher", f"{description['scheduler']} + {description['allocator']}"),
        ("system", description["system"] or "unnamed"),
        ("workload", description["workload"] or "jobs from Python"),
    ]
    if description["time"] is not None:
        facts.append(("time", f"{description['time']:,.0f} s"))
    _facts(console, facts)
    folder = os.path.dirname(description["path"]) or "."
    is_checkpoint = os.path.basename(description["path"]) == CHECKPOINT
    again = resuming(folder) if is_checkpoint else "sl.Simulation.load(path).run()"
    _title(console, f"To continue: {again}")


def _title(console: Console, text: str) -> None:
    from rich.text import Text

    console.print(Text(text, "bold"), soft_wrap=True)


def _facts(console: Console, pairs: Iterable[tuple[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, fact in pairs:
        grid.add_row(Text(f"  {label}", "dim"), Text(fact))
    console.print(grid)
