"""The folder of an experiment: what is in it already, and what may be written to it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from schedlab.decode import shown
from schedlab.errors import InputError
from schedlab.experiment.applications_used import application_sources, are_unchanged
from schedlab.experiment.children import OUTPUT
from schedlab.experiment.finishing import finish_run
from schedlab.experiment.plan import PlannedRun
from schedlab.experiment.stored_files import ADVICE, check_description
from schedlab.experiment.stored_files import MARKER as SHAPE_OF_MARKER
from schedlab.results import Result
from schedlab.results.folder_lock import lock_folder, unlock_folder
from schedlab.results.json_text import to_json
from schedlab.results.publishing import finish_if_left
from schedlab.results.stored_json import read_table
from schedlab.trust import data
from schedlab.whole_file import write_text

if TYPE_CHECKING:
    from schedlab.trust import Origin

DESCRIPTION = "experiment.json"
MARKER = "experiment-run.json"
RUNS = "runs"
FORMAT = 1
PATIENCE_SECONDS = 3


class ExperimentFolder:
    """A folder that one experiment at a time writes to; as a context manager it is locked.

    Args:
        path: The folder; it is made if there is none.
        inputs: Files that may lie in it: the experiment's own workloads and systems.
        applications: Where applications come from that its runs name; None: from data.

    Raises:
        InputError: It is a file, or holds something else than an experiment.
    """

    def __init__(
        self, path: str, inputs: Iterable[str] = (), applications: Origin | None = None
    ) -> None:
        self.path = path
        self._applications = applications or data(path, trust_code=False)
        try:
            os.makedirs(path, exist_ok=True)
            found = {name for name in os.listdir(path) if not name.startswith(".")}
        except OSError as error:
            raise InputError(f"{path}: cannot be a folder: {error.strerror}") from None
        found -= {os.path.basename(one) for one in inputs if _is_in(one, path)}
        found.discard(DESCRIPTION + ".part")  # of one that was killed when it had just begun
        if found and DESCRIPTION not in found:
            raise InputError(
                f"{path}: holds something else than an experiment ({sorted(found)[0]}); "
                "choose another folder"
            )
        self.lock: int | None = None
        self._begun: set[str] = set()
        self._made: set[str] = set()

    def __enter__(self) -> ExperimentFolder:
        self.lock = lock_folder(self.path, "experiment", PATIENCE_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        unlock_folder(self.lock)

    def run_path(self, name: str) -> str:
        """Returns the folder of a run."""
        return os.path.join(self.path, RUNS, *name.split("/"))

    def is_done(self, run: PlannedRun) -> bool:
        """Returns whether a whole run is there, with its files, of the same key and applications.

        Raises:
            InputError: The folder holds a run that is not of an experiment.
        """
        folder = self.run_path(run.name)
        finish_if_left(folder)
        _remove_empty(os.path.join(folder, OUTPUT))
        has_run = os.path.exists(os.path.join(folder, "run.json"))
        marker = self.marker(run.name)
        if has_run and marker is None:
            raise InputError(
                f"{folder}: holds a run that is not of this experiment; move it away, or choose "
                "another folder"
            )
        same = marker is not None and None is not run.key == marker.get("key")
        if not (has_run and same and all(_has(folder, name, run) for name in ("jobs", "timeline"))):
            return False
        if marker is not None and "statistics" in marker:  # only a whole run has them
            return are_unchanged(marker.get("applications", {}), self._applications)
        if (_read(os.path.join(folder, "run.json")) or {}).get("status") != "complete":
            return False
        # It was not noted of which code it was.
        return application_sources(folder, self._applications) == {}

    def is_finished(self, run: PlannedRun) -> bool:
        """Returns whether a run that is done has its files in their formats."""
        return "statistics" in (self.marker(run.name) or {})

    def marker(self, name: str) -> dict[str, Any] | None:
        """Returns what is known of a run beyond its run.json: `key` and `statistics`."""
        folder = self.run_path(name)
        marker = _read(os.path.join(folder, MARKER))
        if marker is None:
            return None
        try:
            SHAPE_OF_MARKER(marker, "")
        except InputError as error:
            raise InputError(f"{os.path.join(folder, MARKER)}: {error}; remove it") from None
        if "next" not in marker:
            return marker
        if marker.get("before") == _identity(folder):  # the earlier run is still there
            return {key: marker[key] for key in marker if key not in ("next", "before")}
        return {"key": marker["next"]}

    def begin(self, run: PlannedRun) -> None:
        """Notes that a run of this key is about to be made; an earlier one stays until it is."""
        self._begun.add(run.name)
        folder = self.run_path(run.name)
        os.makedirs(folder, exist_ok=True)
        earlier, identity = self.marker(run.name), _identity(folder)
        if earlier is None or identity is None or run.key is None:
            self.discard(run)
            return
        marker = {**earlier, "next": run.key, "before": identity}
        write_text(os.path.join(folder, MARKER), to_json(marker) + "\n")

    def discard(self, run: PlannedRun) -> None:
        """Makes the folder that of a run with this key, which is not done."""
        folder = self.run_path(run.name)
        os.makedirs(folder, exist_ok=True)
        # First, or the old run would be taken for that of the new key.
        if os.path.exists(os.path.join(folder, "run.json")):
            os.unlink(os.path.join(folder, "run.json"))
        write_text(os.path.join(folder, MARKER), to_json({"key": run.key}) + "\n")

    def finish(self, run: PlannedRun, formats: dict[str, str]) -> None:
        """Brings the files of a run that is done to their formats, unless that was done before."""
        marker = self.marker(run.name) or {"key": run.key}
        if "statistics" in marker:
            return
        folder = self.run_path(run.name)
        applications = application_sources(folder, self._applications)
        if applications != {}:
            marker["applications"] = applications
        if run.name in self._begun:
            self._made.add(run.name)
        marker["statistics"] = finish_run(folder, formats, self._sound(run))
        write_text(os.path.join(folder, MARKER), to_json(marker) + "\n")

    def result(self, run: PlannedRun) -> Result:
        """Returns the result of a run that is done."""
        return Result.load(self.run_path(run.name), _sound=self._sound(run))

    def _sound(self, run: PlannedRun) -> tuple[str, ...]:
        """Returns tables that need no look at each cell: a child of this process has written them.

        Looking at the cells takes longer than the tables of an experiment. What was there before
        may be of someone else.
        """
        return ("jobs", "timeline") if run.name in self._made else ()

    def write_description(self, description: dict[str, Any]) -> None:
        """Writes experiment.json."""
        text = to_json({"format": FORMAT, **description})
        write_text(os.path.join(self.path, DESCRIPTION), text + "\n")


def read_description(path: str) -> dict[str, Any]:
    """Returns what experiment.json of a folder holds.

    Raises:
        InputError: There is none, or it is of another version.
    """
    place = os.path.join(path, DESCRIPTION)
    found = _read(place)
    if found is None:
        raise InputError(f"{path}: is not the folder of an experiment: it has no {DESCRIPTION}")
    if found.get("format") != FORMAT:
        raise InputError(
            f"{place}: is of format {shown(found.get('format'))}, this version of schedlab "
            f"reads {FORMAT}"
        )
    try:
        check_description(found)
    except InputError as error:
        raise InputError(f"{place}: {error}; {ADVICE}") from None
    return found


def _read(path: str) -> dict[str, Any] | None:
    """Returns the table of a JSON file; None where there is none."""
    try:
        return read_table(path, "a file of an experiment", ADVICE)
    except FileNotFoundError:
        return None


def _remove_empty(path: str) -> None:
    """Removes a file that a killed experiment left, if nobody printed anything to it."""
    with contextlib.suppress(OSError):
        if not os.path.getsize(path):
            os.unlink(path)


def _has(folder: str, name: str, run: PlannedRun) -> bool:
    """Returns whether a table of a run is there, in whatever format, or is not asked for."""
    paths = (os.path.join(folder, f"{name}.{ending}") for ending in ("parquet", "csv"))
    return run.output[name] == "none" or any(map(os.path.exists, paths))


def _is_in(path: str, folder: str) -> bool:
    return os.path.realpath(os.path.dirname(path) or ".") == os.path.realpath(folder)


def _identity(folder: str) -> list[int] | None:
    """Returns what changes when another run.json is published in a folder; None without one."""
    try:
        status = os.stat(os.path.join(folder, "run.json"))
    except FileNotFoundError:
        return None
    return [status.st_ino, status.st_size, status.st_mtime_ns]
