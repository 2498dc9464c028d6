"""Runs in progress, sent to pages over websockets."""

from __future__ import annotations

import io
import os
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.dashboard.moments import moment_data
from schedlab.errors import InputError
from schedlab.regular_file import open_regular
from schedlab.results.stored_columns import LONGEST_HEADER
from schedlab.results.stored_tables import checked_rows, scan_table
from schedlab.watch import LiveRun, open_run, state_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BINS = 1_000
SECONDS_BETWEEN_LOOKS = 0.1
BYTES_AT_ONCE = 16_000_000


class GrowingCurves:
    """Step functions that become longer, in at most a thousand bins.

    When there are too many bins, pairs of them are merged: each is then twice as long. Means are
    weighted by time, maxima are exact.

    Attributes:
        merges: How often bins were merged; what was sent before is then of no use.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.merges = 0
        self.first: float | None = None
        self._width = 1.0
        self._area = np.zeros((0, len(names)))
        self._most = np.zeros((0, len(names)))
        self._end = 0.0
        self._value = np.zeros(len(names))

    def add(self, times: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Adds time points, each later than those before or at the same time."""
        if not len(times):
            return
        if self.first is None:
            self.first = self._end = float(times[0])
        # From where the last one ended, the old value holds up to the first new point.
        points = np.concatenate(([self._end], times))
        levels = np.concatenate(([self._value], values))
        while points[-1] - self.first >= self._width * MOST_BINS:
            self._merge()
        bins = int((points[-1] - self.first) // self._width) + 1
        missing = bins - len(self._area)
        if missing > 0:
            grown = np.zeros((missing, len(self.names)))
            self._area = np.concatenate((self._area, grown))
            self._most = np.concatenate((self._most, grown))
        lasting = np.diff(points)
        begin = int((self._end - self.first) // self._width)
        edges = self.first + self._width * np.arange(begin, bins + 1)
        for column in range(len(self.names)):
            level = levels[:, column]
            area = np.concatenate(([0.0], np.cumsum(level[:-1] * lasting)))
            self._area[begin:bins, column] += np.diff(np.interp(edges, points, area))
        self._raise(points, levels, begin, edges)
        self._end, self._value = float(points[-1]), levels[-1]

    def _raise(
        self,
        points: NDArray[np.float64],
        levels: NDArray[np.float64],
        begin: int,
        edges: NDArray[np.floating[Any]],
    ) -> None:
        """Takes values that lasted some time into the maxima; the last one does not yet."""
        lasted = np.append(np.diff(points) > 0, False)
        place = ((points[lasted] - self.first) // self._width).astype(np.intp)
        np.maximum.at(self._most, place, levels[lasted])
        # A value that holds across the beginning of a bin counts in it too. The last one may be
        # replaced at the same time.
        held = np.searchsorted(points, edges[1:-1], side="right") - 1
        held = held[held < len(points) - 1]
        rows = slice(begin + 1, begin + 1 + len(held))
        self._most[rows] = np.maximum(self._most[rows], levels[np.maximum(held, 0)])

    def _merge(self) -> None:
        if len(self._area) % 2:
            self._area = np.concatenate((self._area, np.zeros_like(self._area[:1])))
            self._most = np.concatenate((self._most, np.zeros_like(self._most[:1])))
        self._area = self._area[::2] + self._area[1::2]
        self._most = np.maximum(self._most[::2], self._most[1::2])
        self._width *= 2
        self.merges += 1

    def data(self, begin: int = 0) -> dict[str, Any]:
        """Returns the curves from a bin on."""
        if self.first is None:
            return {"begin": 0, "merges": self.merges, "time": [], "columns": {}}
        count = len(self._area)
        begin = max(0, min(begin, count - 1))
        lasted = np.full(count, self._width)
        lasted[-1] = self._end - self.first - (count - 1) * self._width
        columns = {}
        for column, name in enumerate(self.names):
            area = self._area[begin:, column]
            part = lasted[begin:]
            mean = np.where(part > 0, area / np.where(part > 0, part, 1), self._value[column])
            most = self._most[begin:, column].copy()
            most[-1] = max(most[-1], self._value[column])
            columns[name] = {
                "mean": [float(f"{x:.6g}") for x in mean],
                "max": [float(f"{x:.6g}") for x in most],
            }
        times = self.first + self._width * np.arange(begin, count)
        return {"begin": begin, "merges": self.merges, "time": times.tolist(), "columns": columns}

    def __len__(self) -> int:
        return len(self._area)


class LiveSource:
    """A run in progress, for all pages that watch it.

    Attributes:
        serial: Counts the moments that were seen.
        moment: The last one, as plain data.
        state: "live", or how it ended.
    """

    def __init__(self, path: str) -> None:
        view = open_run(path)
        if not isinstance(view, LiveRun):
            raise InputError("the run is over")
        self.view = view
        self.serial = 0
        self.state = "live"
        self.moment: dict[str, Any] = {}
        self.lock = Lock()
        names = ["queued", "running", *(f"{kind}_used" for kind in view.run["system"]["capacity"])]
        self.curves = GrowingCurves(names)
        self._place = 0
        self._header = b""
        self._looked = 0.0
        with self.lock:
            self._take()

    def look(self) -> None:
        """Sees whether the run has published something new, or is over."""
        with self.lock:
            if self.state != "live" or monotonic() - self._looked < SECONDS_BETWEEN_LOOKS:
                return
            self._looked = monotonic()
            if self.view.refresh():
                self._take()
            else:
                self.state = state_of(self.view.path)

    def control(self, request: dict[str, Any]) -> None:
        """Informs the run what a page asks.

        Raises:
            InputError: It makes no sense.
        """
        mode, steps = request.get("mode"), request.get("steps", 0)
        if mode not in ("run", "pause", None):
            raise InputError(f"mode: must be run or pause, not {str(mode)[:40]!r}")
        if not isinstance(steps, int) or isinstance(steps, bool) or not 0 <= steps <= 1_000_000:
            raise InputError("steps: must be a whole number from 0 to 1,000,000")
        speed, until = (_number(request, key) for key in ("speed", "until"))
        if speed is not None and speed <= 0:
            raise InputError("speed: must be above 0")
        with self.lock:
            self.view.control(mode, speed=speed, until=until, steps=steps)

    def _take(self) -> None:
        view = self.view
        self.moment = {
            **moment_data(view.now(), view.run),
            "mode": view.mode,
            "speed": view.speed,
            "share_read": view.share_read,
            "simulator": view.run["simulator"],
        }
        self._read_timeline()
        self.serial += 1

    def _read_timeline(self) -> None:
        """Reads the rows that are new."""
        path = os.path.join(self.view.path, "timeline.csv.part")
        try:
            with open_regular(path) as file:
                if not self._header:
                    header = file.readline(LONGEST_HEADER)
                    if not header.endswith(b"\n"):
                        return
                    self._header, self._place = header, len(header)
                file.seek(self._place)
                while content := file.read(BYTES_AT_ONCE):
                    whole = content[: content.rfind(b"\n") + 1]
                    if not whole:
                        return
                    self._place += len(whole)
                    source = io.BytesIO(self._header + whole)
                    frame = scan_table(source, path)
                    checked_rows(frame, "timeline", self.view.run, source, path)
                    rows = frame.collect()
                    self.curves.add(
                        rows["time"].to_numpy(), rows.select(self.curves.names).to_numpy() + 0.0
                    )
                    file.seek(self._place)
        except FileNotFoundError:
            return  # there is none, or it has just got its final name


def _number(request: dict[str, Any], key: str) -> float | None:
    value = request.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e18:
        raise InputError(f"{key}: must be a number, not {str(value)[:40]!r}")
    return float(value)


class LiveSources:
    """One source per run, however many pages watch it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: dict[str, tuple[LiveSource, int]] = {}

    def open(self, path: str) -> LiveSource:
        """Returns the source of a run; each call needs one of `close`."""
        with self._lock:
            source, users = self._used.get(path, (None, 0))
            if source is None or source.state != "live":
                source, users = LiveSource(path), 0
            self._used[path] = (source, users + 1)
            return source

    def close(self, path: str, source: LiveSource) -> None:
        """Gives a source back."""
        with self._lock:
            known, users = self._used.get(path, (None, 0))
            if known is source:
                if users > 1:
                    self._used[path] = (source, users - 1)
                else:
                    del self._used[path]
