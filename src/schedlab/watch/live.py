"""A run that is being simulated by another process."""

from __future__ import annotations

import contextlib
import io
import json
import os
from typing import Any

import polars

from schedlab import decode
from schedlab.errors import InputError
from schedlab.regular_file import open_regular
from schedlab.results.folder_lock import is_locked
from schedlab.results.run_shape import check_run
from schedlab.results.shapes import fields, maybe, number, table_of, text, whole, word
from schedlab.results.stored_json import read_table, visible
from schedlab.results.stored_tables import checked_rows, scan_table
from schedlab.simulation.live import FORMAT
from schedlab.simulation.run_folder import LIVE, WATCH
from schedlab.watch.machine_now import last_numbers
from schedlab.watch.moment import Moment
from schedlab.watch.view import RunView
from schedlab.whole_file import whole_file

MOMENT = fields(
    {
        "format": whole(FORMAT, FORMAT),
        **dict.fromkeys(("moment", "process", "steps"), whole()),
        "mode": word("run", "pause"),
        **dict.fromkeys(("speed", "share_read"), maybe(number(0.0))),
        "used": table_of(whole()),
        "run": fields({}),
        "jobs": text,
    }
)
"""The shape of live.json; its `run` is that of run.json."""

SECONDS_FOR_OTHERS = 1.0
"""How long other watchers may take to ask for something."""


class LiveRun(RunView):
    """A run in progress, seen through the files in its folder.

    `refresh` must be called at least every few seconds: it informs the run that a user watches.

    Attributes:
        mode: "run" or "pause", as the run says.
        speed: Simulated seconds per second that it keeps to; None: as fast as it can.
        share_read: Share of the workload that has been read; None where it is not known.
        problem: What is wrong with what the run published last, if anything is.
    """

    is_live = True

    def __init__(self, path: str) -> None:
        super().__init__(path, {})
        self.mode, self.speed, self.share_read = "run", None, None
        self.problem: str | None = None
        self._serial = 0
        self._last_report: dict[str, Any] = {}
        self._flight = polars.DataFrame()
        self._ended: tuple[int, polars.DataFrame] | None = None
        self._last_request: dict[str, Any] | None = None

    @property
    def seen(self) -> bool:
        """Whether the run has published anything yet."""
        return bool(self._last_report)

    def refresh(self) -> bool:
        """Informs the run that a user watches; True if it has published something new since."""
        self._remove_link()
        self._ask()
        path = os.path.join(self.path, LIVE)
        try:
            return self._take(read_table(path, "what a run publishes", "it is written anew"), path)
        except FileNotFoundError:
            return False  # not there yet
        except InputError as error:
            self.problem = str(error)
            return False  # the run writes the next one

    def _take(self, report: dict[str, Any], path: str) -> bool:
        """Takes over what the run has published; False if that is nothing new."""
        try:
            MOMENT(report, "")
            if all(report[name] == self._last_report.get(name) for name in ("moment", "process")):
                return False
            run: dict[str, Any] = visible(report["run"])
            _check_part(run, report["used"])
            flight = jobs_from_text(report["jobs"], run, f"{path}: jobs")
        except InputError as error:
            raise InputError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
        # Nothing went wrong so far: what is known is always that of one moment.
        self._last_report, self.run, self._flight, self.problem = report, run, flight, None
        self.mode, self.speed, self.share_read = (
            report[name] for name in ("mode", "speed", "share_read")
        )
        return True

    def control(
        self,
        mode: str | None = None,
        *,
        speed: float | None = None,
        until: float | str | None = None,
        steps: int = 0,
    ) -> None:
        """Informs the run how to continue.

        Args:
            mode: "run" or "pause"; None: as before.
            speed: Simulated seconds per second; None: as fast as it can.
            until: First continue to this time as fast as it can.
            steps: While paused, advance by N time points.
        """
        before = self._last_request or {}
        # Another watcher may have gone further: steps count from what the run has done.
        done = max(int(before.get("steps", 0)), int(self._last_report.get("steps", 0)))
        self._last_request = {
            "format": FORMAT,
            "mode": mode or before.get("mode") or self.mode,
            "speed": speed,
            "until": decode.duration(until, "until"),
            "steps": done + steps,
        }
        self._remove_link()
        self._write(self._last_request)

    def now(self) -> Moment:
        """Returns the last moment that the run reported."""
        flight = self._flight
        return Moment(
            float(self.run["time"]["now"]),
            self.run["counts"],
            self._last_report["used"],
            flight.filter(polars.col("state") == "running"),
            flight.filter(polars.col("state") == "queued"),
            self._numbers(),
        )

    def _numbers(self) -> dict[str, float]:
        """Returns what is known of the machine itself: the last time point, and energy so far."""
        numbers = last_numbers(os.path.join(self.path, "timeline.csv.part"))
        energy = self.run["metrics"].get("energy")
        return {**numbers, **({"energy": float(energy["total"])} if energy else {})}

    def jobs(self) -> polars.DataFrame:
        path = os.path.join(self.path, "jobs.csv.part")
        size = os.path.getsize(path) if os.path.exists(path) else 0
        if self._ended is None or self._ended[0] != size:
            ended = read_whole_rows(path, "jobs", self.run) if size else self._flight.clear()
            self._ended = (size, ended)
        ended = self._ended[1]
        if set(ended.columns) != set(self._flight.columns):
            raise InputError(f"{path}: its columns are not those of the jobs in {LIVE}")
        flight = self._flight.join(ended, on="job_id", how="anti")  # some may have ended since
        return polars.concat([ended, flight.select(ended.columns)])

    def timeline(self) -> polars.DataFrame | None:
        path = os.path.join(self.path, "timeline.csv.part")
        if not os.path.exists(path):
            return None
        return read_whole_rows(path, "timeline", self.run)

    def _ask(self) -> None:
        """Shows the run that a user watches, without changing what others asked.

        Where that cannot be written, the run still says what it publishes.
        """
        path = os.path.join(self.path, WATCH)
        with contextlib.suppress(OSError, InputError):
            try:
                os.utime(path)
            except FileNotFoundError:
                if is_locked(self.path):  # else it is over, and nobody would read it
                    self._write(self._last_request or {"format": FORMAT})

    def _write(self, request: dict[str, Any]) -> None:
        path = os.path.join(self.path, WATCH)
        with (  # several may watch
            whole_file(path, lasts=False, patience_seconds=SECONDS_FOR_OTHERS) as partial,
            open(partial, "w", encoding="utf-8") as file,
        ):
            json.dump(request, file)
        if not is_locked(self.path):  # it ended meanwhile
            self.forget()

    def _remove_link(self) -> None:
        """Removes a link in the place of what is asked: it would be written to where it leads."""
        path = os.path.join(self.path, WATCH)
        with contextlib.suppress(OSError):
            if os.path.islink(path):
                os.unlink(path)

    def forget(self) -> None:
        """Removes what was asked of a run that is over."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.path, WATCH))


def _check_part(run: dict[str, Any], used: dict[str, int]) -> None:
    """Raises InputError for a run, or what is in use, that live.json does not describe rightly."""
    try:
        check_run(run)
    except InputError as error:
        raise InputError(f"run.{error}") from None
    for kind in run["system"]["capacity"]:
        if kind not in used:
            raise InputError(f"used.{kind}: is missing")


def read_whole_rows(path: str, table: str, run: dict[str, Any]) -> polars.DataFrame:
    """Returns the table of a file that is being written, up to its last whole row.

    Raises:
        InputError: It is damaged.
    """
    with open_regular(path) as file:
        content = file.read()
    return _rows_of(content[: content.rfind(b"\n") + 1], table, run, path)


def jobs_from_text(text: str, run: dict[str, Any], label: str) -> polars.DataFrame:
    """Returns the jobs of a text with the columns of jobs.csv.

    Raises:
        InputError: They are not those of a run.
    """
    return _rows_of(text.encode(errors="backslashreplace"), "jobs", run, label, in_flight=True)


def _rows_of(
    content: bytes, table: str, run: dict[str, Any], label: str, *, in_flight: bool = False
) -> polars.DataFrame:
    source = io.BytesIO(content)
    frame = scan_table(source, label)
    checked_rows(frame, table, run, source, label, in_flight=in_flight)
    return frame.collect()
