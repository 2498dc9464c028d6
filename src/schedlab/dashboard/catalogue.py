"""The runs and experiments below a folder."""

from __future__ import annotations

import os
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from schedlab.dashboard.runs import changed_options
from schedlab.errors import InputError
from schedlab.regular_file import open_regular
from schedlab.results.run_shape import read_run
from schedlab.watch import state_of

if TYPE_CHECKING:
    from schedlab.dashboard.guard import Folder

MOST_FOLDERS = 100_000
"""That are looked into; a folder with more is not one of results."""

DEEPEST = 12
SECONDS_KEPT = 1.0
WORKLOADS = (".swf", ".swf.gz", ".swf.bz2", ".swf.xz")
SYSTEMS = (".toml", ".json", ".yaml", ".yml", ".config")
_RUN_FILES = {"run.json", "run.json.next", "jobs.csv.part", "timeline.csv.part"}
_OWN_FILES = {"run.json", "experiment.json", "live.json", "watch.json"}

EXPERIMENT_FILES = (
    *("report.html", "experiment.json", "summary.csv", "metrics.csv", "timing.csv"),
    *("differences.csv", "jobs.parquet"),
)
"""What can be downloaded of an experiment."""

COLUMNS = (
    *("name", "state", "scheduler", "allocator", "system", "workload", "jobs", "mean_wait"),
    *("mean_bounded_slowdown", "utilization", "makespan", "cpu_seconds", "changed", "options"),
)
"""What the list shows of a run and can be sorted by."""


_TEXTS = ("state", "scheduler", "allocator", "options", "system", "workload")


class Entry(NamedTuple):
    """A run folder that was found."""

    name: str
    path: str
    experiment: str


class RunCatalogue:
    """What there is below a folder, looked up anew at most once a second.

    Links are not followed, so that everything is found once.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = Lock()
        self._walked = -SECONDS_KEPT
        self._entries: list[Entry] = []
        self._experiments: list[str] = []
        self._inputs: tuple[list[str], list[str]] = ([], [])
        self._known: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}
        self.is_whole = True

    def runs(self) -> list[dict[str, Any]]:
        """Returns a row of facts per run; what a run has not published yet is None."""
        self._look()
        return [self._row(entry) for entry in self._entries]

    def experiments(self) -> list[dict[str, Any]]:
        """Returns name, number of runs and files of each experiment."""
        self._look()
        count: dict[str, int] = {}
        for entry in self._entries:
            count[entry.experiment] = count.get(entry.experiment, 0) + 1
        return [
            {"name": name, "runs": count.get(name, 0), "files": self._files(name)}
            for name in self._experiments
        ]

    def inputs(self) -> tuple[list[str], list[str]]:
        """Returns the workload files and the system files."""
        self._look()
        return self._inputs

    def forget(self) -> None:
        """Looks again at the next question."""
        self._walked = -SECONDS_KEPT

    def _files(self, experiment: str) -> list[str]:
        names, _ = _listing(os.path.join(self._folder.root, experiment))
        return [name for name in EXPERIMENT_FILES if name in names]

    def _look(self) -> None:
        with self._lock:
            if monotonic() - self._walked < SECONDS_KEPT:
                return
            entries: list[Entry] = []
            experiments: list[str] = []
            workloads: list[str] = []
            systems: list[str] = []
            todo = [(self._folder.root, "", 0)]
            seen = 0
            while todo and seen < MOST_FOLDERS:
                path, experiment, depth = todo.pop()
                seen += 1
                names, folders = _listing(path)
                if path != self._folder.root and not _RUN_FILES.isdisjoint(names):
                    entries.append(Entry(self._folder.name(path), path, experiment))
                    continue
                if not _RUN_FILES.isdisjoint(names):  # the folder itself is a run
                    entries.append(Entry(".", path, ""))
                inside = dict.fromkeys(folders, experiment)
                if "experiment.json" in names:
                    experiments.append(self._folder.name(path))
                    inside = {name: experiments[-1] if name == "runs" else "" for name in folders}
                for name in names:
                    place = os.path.join(path, name)
                    if name.lower().endswith(WORKLOADS):
                        workloads.append(self._folder.name(place))
                    elif name.lower().endswith(SYSTEMS) and self._is_system(place):
                        systems.append(self._folder.name(place))
                if depth < DEEPEST:
                    todo += [
                        (os.path.join(path, name), inside[name], depth + 1) for name in folders
                    ]
            self._entries = sorted(entries)
            self._experiments = sorted(experiments)
            self._inputs = (sorted(workloads), sorted(systems))
            self.is_whole = not todo
            self._walked = monotonic()

    def _is_system(self, path: str) -> bool:
        """Returns whether a file may describe a machine: all that do have groups."""
        if os.path.basename(path) in _OWN_FILES:
            return False
        try:
            with open_regular(path, self._folder.root) as file:
                return b"groups" in file.read(65_536)
        except (OSError, InputError):
            return False

    def _row(self, entry: Entry) -> dict[str, Any]:
        state = state_of(entry.path)
        facts = self._facts(entry.path) if state in ("finished", "live") else {}
        return {
            **dict.fromkeys(COLUMNS),
            **(facts if state == "finished" else {}),
            "name": entry.name,
            "experiment": entry.experiment,
            "state": facts.get("state", state) if state == "finished" else state,
        }

    def _facts(self, path: str) -> dict[str, Any]:
        """Returns what run.json says, read again when it has changed."""
        file = os.path.join(path, "run.json")
        try:
            status = os.stat(file)
        except OSError:
            return {}
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = (stamp, _summary(file, status.st_mtime))
            self._known[path] = known
        return known[1]


def _listing(path: str) -> tuple[set[str], list[str]]:
    """Returns the files and the folders in a folder, without hidden ones and links to folders."""
    names, folders = set(), []
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") or entry.name == "__pycache__"
                if hidden or not entry.name.isprintable():  # a page could not ask for it
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    names.add(entry.name)
    except OSError:
        pass  # not ours to read
    return names, folders


def _summary(file: str, changed: float) -> dict[str, Any]:
    """Returns the row of a finished run; its state is `broken` where run.json is not one."""
    try:
        run = read_run(os.path.dirname(file))
    except InputError:  # one that a user has edited must not spoil the list of all the others
        return {"state": "broken", "changed": changed}
    metrics, use = run["metrics"], run["metrics"]["utilization"]
    workload = run["workload"]["path"]
    row = {
        "state": "finished" if run["status"] == "complete" else str(run["status"]),
        "scheduler": run["scheduler"],
        "allocator": run["allocator"],
        "options": changed_options(run) or None,
        "system": run["system"]["name"],
        "workload": os.path.basename(workload) if workload else None,
        "jobs": run["counts"]["submitted"],
        "mean_wait": (metrics["wait"] or {}).get("mean"),
        "mean_bounded_slowdown": (metrics["bounded_slowdown"] or {}).get("mean"),
        "utilization": next(iter(use.values()), None),
        "makespan": metrics["makespan"],
        "cpu_seconds": run["simulator"]["cpu_seconds"],
        "changed": changed,
    }
    texts = (row[name] for name in _TEXTS)
    if all(value is None or str(value).isprintable() for value in texts):
        return row
    return {"state": "broken", "changed": changed}
