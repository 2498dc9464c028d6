"""Numbers that change with time in steps: caps, prices, carbon intensity."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import islice
from math import fsum, isfinite
from operator import lt

from schedlab import decode
from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.fields import Frozen
from schedlab.finite import is_finite

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

LARGEST = 1e15
"""Of any number of conditions: watts, prices, Unix times; far below it nothing is lost in a
double."""

MAX_ROWS = 10_000_000
LEAST_PERIOD = 1
"""Seconds: with shorter ones, going through the steps would take for ever."""


class Series(Frozen):
    """A step function of time: each value holds from its time until the next.

    It declares no fields: a file writes it in three ways, none of which is its attributes.

    Before the first time the first value holds, after the last the last. With `every`, the steps
    come again with this period, before and after.

    Args:
        times: Seconds of the workload's clock, ascending.
        values: As many.
        every: Seconds after which the steps begin anew; None: never.
        dated: Whether times are Unix times instead; the system's start_time says which time of
            the workload they are.
        source: The file they come from, for people; it does not count in comparisons.

    Raises:
        InputError: With the place of what is wrong.
    """

    __slots__ = ("_steps", "_times", "dated", "every", "source")
    _fields = ("times", "values", "every", "dated", "source")
    _times: array[float]
    _steps: array[float]
    every: float | None
    dated: bool
    source: str | None

    def __init__(
        self,
        times: Sequence[float | str],
        values: Sequence[float],
        every: float | str | None = None,
        dated: bool = False,
        source: str | None = None,
    ) -> None:
        if not isinstance(dated, bool):
            raise InputError(f"dated: must be true or false (is {decode.shown(dated)})")
        moments, steps = _numbers(times, "times", decode.duration), _numbers(values, "values")
        if len(moments) != len(steps):
            raise InputError(f"values: must be as many as times ({len(moments)}, not {len(steps)})")
        if not moments:
            raise InputError("times: is empty; give at least one time and its value")
        check_rows(moments, steps, dated, lambda row: f"times[{row + 1}]")
        self._set(
            _times=moments,
            _steps=steps,
            every=None if every is None else _period(every, moments),
            dated=dated,
            source=None if source is None else decode.file_name(source, "source"),
        )

    @classmethod
    def constant(cls, value: float) -> Series:
        """Returns the series that has one value at all times."""
        return cls((0,), (value,))

    @property
    def times(self) -> tuple[float, ...]:
        """When each step begins."""
        return tuple(self._times)

    @property
    def values(self) -> tuple[float, ...]:
        """What holds from then on."""
        return tuple(self._steps)

    def __len__(self) -> int:
        return len(self._times)

    def at(self, time: float) -> float:
        """Returns the value that holds at a time."""
        if self.every is not None:
            time = self._times[0] + (time - self._times[0]) % self.every
        return self._steps[max(0, bisect_right(self._times, time) - 1)]

    def mean(self, start: float, end: float) -> float:
        """Returns the mean value over a time; at the start, where that has no length."""
        if end < start:
            raise InputError(f"mean: the end ({end}) is before the start ({start})")
        if end == start:
            return self.at(start)
        if self.every is None:
            return self._integral(start, end) / (end - start)
        first, every = self._times[0], self.every
        periods, rest = divmod(end - start, every)
        begin = first + (start - first) % every  # within the period that begins at `first`
        stop = begin + rest
        parts = [
            periods * self._integral(first, first + every),
            self._integral(begin, min(stop, first + every)),
            self._integral(first, stop - every) if stop > first + every else 0.0,
        ]
        return fsum(parts) / (end - start)

    def _integral(self, start: float, end: float) -> float:
        """Returns the integral over a time, without regard to `every`."""
        first = bisect_right(self._times, start)
        last = bisect_right(self._times, end)
        edges = [start, *self._times[first:last], end]
        values = [self._steps[max(0, first - 1)], *self._steps[first:last]]
        return fsum(
            value * (later - earlier)
            for value, earlier, later in zip(values, edges, edges[1:], strict=False)
        )

    def lowest(self) -> tuple[float, float]:
        """Returns the smallest value, and the first time at which it holds."""
        smallest = min(self._steps)
        return smallest, self._times[self._steps.index(smallest)]

    def on_clock(self, start_time: int) -> Series:
        """Returns the series in the workload's clock, whose time 0 is a Unix time.

        Raises:
            InputError: The times are dates, and time 0 is not known or too far away.
        """
        if not self.dated:
            return self
        if not start_time:
            raise InputError("has dates; they need a system with start_time, the date of time 0")
        moved = array("d", (time - start_time for time in self._times))
        far = max(abs(moved[0]), abs(moved[-1]))
        if far > MAX_SECONDS:
            raise InputError("has dates that are more than 126 years from the system's start_time")
        return Series(moved, self._steps, self.every, False, self.source)

    def for_engine(self) -> tuple[list[float], list[float], float]:
        """Returns times, values and the period, 0 for none.

        With a period P the times are within [0, P), the first is 0, and the steps hold at time t
        as at t modulo P; without, the first value holds before the first time.
        """
        if self.every is None:
            return self._times.tolist(), self._steps.tolist(), 0.0
        steps: dict[float, float] = {}
        for time, value in zip(self._times, self._steps, strict=True):
            steps[time % self.every % self.every] = value  # twice: -1e-20 % 60 is 60
        times = sorted(steps)
        values = [steps[time] for time in times]
        if times[0] > 0:  # what holds at the end of a period holds at the beginning of the next
            times, values = [0.0, *times], [values[-1], *values]
        return times, values, self.every

    def to_dict(self) -> dict[str, Any] | float:
        """Returns the content as plain data: a number, if it never changes."""
        if len(self) == 1 and self._times[0] == 0 and self.every is None and not self.dated:
            return self._steps[0]
        table: dict[str, Any] = {"times": self._times.tolist(), "values": self._steps.tolist()}
        return {**table, **self._rest()}

    def _rest(self) -> dict[str, Any]:
        rest = {"every": self.every, "dated": self.dated or None, "source": self.source}
        return {name: value for name, value in rest.items() if value is not None}

    def described(self) -> dict[str, Any] | float:
        """Returns what run.json holds: a number, or the rows' number, range and checksum."""
        if len(self) == 1:
            return self.to_dict()
        from schedlab._engine import Checksum

        checksum = Checksum()
        checksum.add(self._times.tobytes())
        checksum.add(self._steps.tobytes())
        return {
            "rows": len(self),
            "first_time": self._times[0],
            "last_time": self._times[-1],
            "smallest": min(self._steps),
            "largest": max(self._steps),
            "checksum": checksum.hex(),
            **self._rest(),
        }

    def _content(self) -> tuple[Any, ...]:
        return self._times, self._steps, self.every, self.dated

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Series) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((len(self), self._times[0], self._steps[0], self.every, self.dated))

    def __repr__(self) -> str:
        if len(self) == 1:
            return f"Series({self._times.tolist()}, {self._steps.tolist()})"
        where = f" of {self.source}" if self.source else ""
        return f"<Series: {len(self):,} steps{where}>"


def _numbers(
    given: Sequence[Any], path: str, first: Callable[[Any, str], Any] | None = None
) -> array[float]:
    """Returns the numbers of a list; `first` makes one of what else may be in it.

    Those of an array are numbers already.
    """
    if isinstance(given, array) and given.typecode == "d":
        return array("d", given)
    if not isinstance(given, (list, tuple)):
        raise InputError(f"{path}: must be a list of numbers (is {decode.shown(given)})")
    if len(given) > MAX_ROWS:
        raise InputError(f"{path}: has {len(given)} numbers; at most {MAX_ROWS} are possible")
    bounds = {"minimum": -LARGEST, "maximum": LARGEST}
    found = array("d")
    for row, one in enumerate(given, 1):
        place = f"{path}[{row}]"
        found.append(decode.number(first(one, place) if first else one, place, **bounds))
    return found


def check_rows(
    times: array[float], values: array[float], dated: bool, place: Callable[[int], str]
) -> None:
    """Raises InputError for the first row that is wrong; `place` says where a row stands."""
    ascending = all(map(lt, times, islice(times, 1, None)))
    if not (ascending and all(map(isfinite, times)) and all(map(isfinite, values))):
        previous = None
        for row, (time, value) in enumerate(zip(times, values, strict=True)):
            for name, one in (("time", time), ("value", value)):
                if not is_finite(one):
                    raise InputError(f"{place(row)}: the {name} must be a finite number (is {one})")
            if previous is not None and not previous < time:
                what = "is there twice" if previous == time else f"comes after {previous:.12g}"
                raise InputError(
                    f"{place(row)}: time {time:.12g} {what}; sort the rows by time, one a time"
                )
            previous = time
    bound = LARGEST if dated else MAX_SECONDS
    for row in (0, len(times) - 1):
        if abs(times[row]) > bound:
            raise InputError(
                f"{place(row)}: time {times[row]:.12g} is more than 126 years from time 0; for "
                "dates, name the column date"
            )
    for extreme in (min(values), max(values)):
        if abs(extreme) > LARGEST:
            raise InputError(
                f"{place(values.index(extreme))}: the value must be from -1e15 to 1e15 "
                f"(is {extreme!r})"
            )


def _period(every: object, times: array[float]) -> float:
    seconds = decode.duration(every, "every")
    period = decode.number(seconds, "every", minimum=LEAST_PERIOD, maximum=MAX_SECONDS)
    span = times[-1] - times[0]
    if span >= period:
        raise InputError(
            f"every: is {period:.12g} s, and the rows span {span:.12g} s; they must all be within "
            "one period, its end not included"
        )
    return period
