"""The run folder: files are written under another name and appear when they are whole."""

from __future__ import annotations

import os

from schedlab import _engine
from schedlab.durable_files import create_anew, sync_file
from schedlab.errors import InputError
from schedlab.job_states import ENDED
from schedlab.overwriting import CHECKPOINT, RESULT
from schedlab.results.folder_lock import lock_folder, unlock_folder
from schedlab.results.json_text import from_json, to_json
from schedlab.results.publishing import finish, is_left, partial, publish, remove, remove_parts
from schedlab.results.result import Result, to_parquet
from schedlab.results.tables_check import table_facts
from schedlab.simulation.description import describe, nodes_text

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.simulation import Simulation

    Recorder = _engine.CsvJobs | _engine.CsvTimeline | _engine.CsvStates | _engine.CsvInterruptions

WATCH, LIVE = "watch.json", "live.json"
"""What watchers ask of a run, and what it gives them; both go away with its end."""


class RunFolder:
    """Writes a run's files; as a context manager it removes what was not published.

    After a checkpoint, what was written so far stays until the run is published, whatever happens:
    the run can be resumed from there. How it is published, `publishing` says.

    Attributes:
        path: The folder.
        named: Whether it is the user's; else it is temporary.
        was_left: Whether a run was found there whose publication had begun; it is published now.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._temporary: object = None  # lives as long as the result
        if path is None:
            from schedlab.results.temporary import TemporaryFolder

            temporary = TemporaryFolder()
            self._temporary, path = temporary, temporary.name
        self.path = os.fsdecode(path)
        self.named = self._temporary is None
        try:
            os.makedirs(self.path, exist_ok=True)
        except FileExistsError:
            raise InputError(f"{self.path}: cannot be a run folder: it is a file") from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be a run folder: {error.strerror}") from None
        self._lock = lock_folder(self.path, "run") if self.named else None
        self.was_left = is_left(self.path)
        try:
            finish(self.path)
        except BaseException:
            unlock_folder(self._lock)
            raise
        self._recorders: dict[str, Recorder] = {}
        self.formats: dict[str, str] = {}
        self._keeps_parts = False

    def _partial(self, name: str) -> str:
        return partial(self.path, name)

    @property
    def was_watched(self) -> bool:
        """Whether a watcher has asked for something."""
        return os.path.lexists(os.path.join(self.path, WATCH))

    @property
    def checkpoint(self) -> str:
        """Path of the state file from which the run can be resumed.

        Raises:
            InputError: Nothing was saved there, and nothing is being recorded.
        """
        path = os.path.join(self.path, CHECKPOINT)
        if not self.formats and not os.path.exists(path):
            raise InputError(
                f"{self.path}: has no checkpoint to resume from; runs write one with "
                "checkpoint_every (--checkpoint-every)"
            )
        return path

    def record(self, simulation: Simulation, jobs: str, timeline: str) -> None:
        """Lets the simulation write jobs and timeline while it runs, each csv, parquet or none."""
        self._remove(CHECKPOINT)  # of another run, whose files are about to be overwritten
        remove_parts(self.path)  # which may be links: they are made anew
        formats = {"jobs": jobs, "timeline": timeline}
        conditions = simulation.conditions
        if simulation.system.rests or (conditions is not None and conditions.nodes_fail):
            formats["states"] = "csv"
        if "interruptions" in simulation.facts:  # attempts may end early
            formats["interruptions"] = "csv"
        if simulation.system.platform:
            formats["nodes"] = "csv"
        if "messages" in simulation.facts:  # jobs may run applications
            formats["links"] = "csv"
        self._open(simulation, formats, {})

    def go_on(self, simulation: Simulation, formats: dict[str, str], sizes: dict[str, int]) -> None:
        """Lets a resumed simulation write after what was there at the checkpoint."""
        self.keep()
        try:
            self._open(simulation, formats, sizes)
        except FileNotFoundError as error:
            raise InputError(f"{error.filename}: is missing; the run cannot be resumed") from None

    def _open(self, simulation: Simulation, formats: dict[str, str], sizes: dict[str, int]) -> None:
        self._forget_watchers()  # of a run that was killed
        self._simulation, self.formats = simulation, formats
        types = simulation.system.resource_types
        if formats["jobs"] != "none":
            path = self._partial("jobs.csv")
            facts = simulation.facts
            jobs = _engine.CsvJobs(path, types, simulation.kept, sizes.get("jobs"), facts)
            simulation.engine.record_jobs(jobs)
            self._recorders["jobs"] = jobs
        if formats["timeline"] != "none":
            names = simulation.engine.published
            path = self._partial("timeline.csv")
            timeline = _engine.CsvTimeline(path, types, names, sizes.get("timeline"))
            simulation.engine.record_timeline(timeline)
            self._recorders["timeline"] = timeline
        if "states" in formats:
            states = _engine.CsvStates(self._partial("states.csv"), sizes.get("states"))
            simulation.engine.record_states(states)
            self._recorders["states"] = states
        if "interruptions" in formats:
            path = self._partial("interruptions.csv")
            interruptions = _engine.CsvInterruptions(path, sizes.get("interruptions"))
            simulation.engine.record_interruptions(interruptions)
            self._recorders["interruptions"] = interruptions

    def sync(self) -> dict[str, int]:
        """Writes everything to disk that was recorded so far; returns the sizes of the files."""
        return {name: recorder.sync() for name, recorder in self._recorders.items()}

    def flush(self) -> None:
        """Lets others read what was recorded so far."""
        for recorder in self._recorders.values():
            recorder.flush()

    @property
    def recorded(self) -> tuple[str, ...]:
        """Names of the files that a finished run will have beside run.json."""
        names = [*self._recorders, *(name for name in ("nodes",) if name in self.formats)]
        if "links" in self.formats and "network" in self._simulation.metrics:
            names.append("links")
        return tuple(f"{name}.{self.formats[name]}" for name in names)

    @property
    def can_be_resumed(self) -> bool:
        """Whether there is a checkpoint of this run."""
        return self._keeps_parts

    def keep(self) -> None:
        """From now on, what was recorded stays until it is published, whatever happens."""
        self._keeps_parts = True

    def publish(
        self, status: str, wall_seconds: float, cpu_seconds: float, error: str | None = None
    ) -> Result:
        """Makes the files whole and returns the result; run.json appears last.

        Args:
            status: `complete`, `interrupted` or `failed`.
            wall_seconds: That the run took.
            cpu_seconds: Likewise.
            error: What a failed run failed with.
        """
        self._simulation.engine.record_open_states()
        for name, recorder in self._recorders.items():
            if self.named and self.formats[name] == "csv":
                recorder.sync()
            recorder.close()
        files = self.recorded
        for name in self._recorders:
            if self.formats[name] == "parquet":
                self._convert(name)
        if "nodes" in self.formats:
            self._write("nodes.csv", nodes_text(self._simulation))
        if "links.csv" in files:
            from schedlab.simulation.links_table import links_text

            self._write("links.csv", links_text(self._simulation))
        run = describe(self._simulation, status, files, wall_seconds, cpu_seconds)
        if error is not None:
            run["error"] = error
        if self.named:  # else nobody can change them
            run["tables"] = {name: table_facts(self._partial(name)) for name in files}
        self._write(RESULT, to_json(run) + "\n")
        publish(self.path, files, self.named)
        self._keeps_parts = False
        return Result(self.path, run, self._temporary)

    def keep_part(
        self, status: str, wall_seconds: float, cpu_seconds: float, error: str | None = None
    ) -> None:
        """Publishes what there is of a run that did not get to its end.

        Unless that is nothing, or would take the place of a whole run that is there.

        Args:
            status: `interrupted` or `failed`.
            wall_seconds: That the run took.
            cpu_seconds: Likewise.
            error: What it failed with.
        """
        counts = self._simulation.counts
        ended = sum(counts[state] for state in ENDED)
        is_nothing = not self.named or (status == "failed" and not ended)
        if is_nothing or self._holds_whole_run():
            return
        try:
            self.publish(status, wall_seconds, cpu_seconds, error)
        except Exception:
            if error is None:
                raise
            # A full disk, say, must not hide why the run failed.

    def _holds_whole_run(self) -> bool:
        """Returns whether an earlier run is there that got to its end."""
        try:
            with open(os.path.join(self.path, "run.json"), encoding="utf-8") as file:
                run = from_json(file.read())
        except (OSError, ValueError):
            return False
        return isinstance(run, dict) and run.get("status") == "complete"

    def _forget_watchers(self) -> None:
        for name in (WATCH, LIVE):
            try:  # noqa: SIM105  # contextlib costs a millisecond at start-up
                self._remove(name)
            except OSError:
                pass  # someone else's, such as a folder: no reason to end a run, or to fail it

    def _write(self, name: str, text: str) -> None:
        path = self._partial(name)
        try:
            with open(create_anew(path), "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                if self.named:
                    sync_file(file.fileno())
        except OSError as error:
            error.filename = path  # Python leaves it out where a write fails
            raise

    def _convert(self, name: str) -> None:
        """Makes a Parquet file of what was recorded as CSV, which stays until that is published."""
        path = self._partial(f"{name}.parquet")
        file = create_anew(path)
        try:
            to_parquet(self._partial(f"{name}.csv"), path)
            if self.named:
                sync_file(file)
        finally:
            os.close(file)

    def _remove(self, name: str) -> None:
        remove(self.path, name)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        for recorder in self._recorders.values():
            try:  # noqa: SIM105
                recorder.close()
            except OSError:
                pass  # a full disk, which has been reported
        try:
            if is_left(self.path):  # Ctrl-C came while it was published
                self._finish()
            elif not self._keeps_parts:
                remove_parts(self.path)
            self._forget_watchers()
        finally:
            unlock_folder(self._lock)

    def _finish(self) -> None:
        try:  # noqa: SIM105
            finish(self.path)
        except (OSError, InputError):
            pass  # whoever opens it next continues
