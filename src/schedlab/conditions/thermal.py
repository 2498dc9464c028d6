"""Temperature of the nodes, and the cooling."""

from __future__ import annotations

from schedlab import decode
from schedlab.conditions.series import LARGEST
from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.fields import Defined, number, other, seconds, whole

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from schedlab.fields import Taking

COP = (0.0068, 0.0008, 0.458)
"""Of cooling with chilled water: Moore et al., Making Scheduling "Cool", USENIX ATC 2005."""

MAX_KELVIN_PER_WATT = 1000.0
MAX_STEP = 63
"""Largest number of a frequency step."""

LEAST_EVERY = 0.001
"""Seconds between checks of temperatures: with less, a simulation would get nowhere."""

RELEASE_BELOW_LIMIT = 5.0
"""Kelvin of hysteresis, where nothing else is said."""


def _cop(given: object, path: str) -> tuple[float, float, float]:
    if not isinstance(given, (list, tuple)) or len(given) != 3:
        raise InputError(
            f"{path}: must be three numbers a2, a1, a0 of a2 T^2 + a1 T + a0, such as "
            f"{list(COP)} (is {decode.shown(given)})"
        )
    square, linear, constant = (
        decode.number(one, f"{path}[{i}]", minimum=-LARGEST, maximum=LARGEST)
        for i, one in enumerate(given, 1)
    )
    return square, linear, constant


_NUMBER = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}


class Thermal(Defined):
    """A first-order model of each node's temperature.

    A node of power P tends to supply + resistance P + recirculation x (power of the other nodes of
    its rack) + neighbour x (power of the nodes before and after it in the rack), in degrees
    Celsius, and gets there with a time constant. A group without racks is one rack. Cooling takes
    the machine's power / COP(supply).
    """

    resistance: float = number(
        "rise of a node's temperature with its own power",
        unit="K/W",
        above=0,
        maximum=MAX_KELVIN_PER_WATT,
        example="0.15",
    )
    time_constant: Taking[float, float | str] = seconds(
        "time in which a difference falls to 1/e",
        above=0,
        maximum=MAX_SECONDS,
        example="600",
    )
    supply: float = number(
        "temperature of the cold air", unit="degC", minimum=-50, maximum=100, default=18.0
    )
    recirculation: float = number(
        "rise with the power of each other node of the rack; needs groups with `rack`",
        unit="K/W",
        maximum=MAX_KELVIN_PER_WATT,
        default=0.0,
    )
    neighbour: float = number(
        "rise with the power of each of the two adjacent nodes of the rack; a group without racks "
        "is one",
        unit="K/W",
        maximum=MAX_KELVIN_PER_WATT,
        default=0.0,
    )
    limit: float | None = number(
        "temperature at which a node is throttled, above `supply`; needs processors with `steps`",
        unit="degC",
        minimum=-50,
        maximum=1000,
        default=None,
        absent="never",
    )
    release: float | None = number(
        "temperature at which it is no longer throttled, below `limit`",
        unit="degC",
        minimum=-100,
        maximum=1000,
        default=None,
        absent="`limit` - 5",
    )
    every: Taking[float, float | str] = seconds(
        "time between checks of the temperatures",
        minimum=LEAST_EVERY,
        maximum=MAX_SECONDS,
        default=60.0,
    )
    throttle_step: int | None = whole(
        "frequency step of throttled nodes; 1 is the first below nominal",
        minimum=1,
        maximum=MAX_STEP,
        default=None,
        absent="the lowest of each processor",
    )
    cop: Taking[tuple[float, float, float], Sequence[float]] = other(
        _cop,
        "a2, a1, a0 of the cooling's coefficient of performance COP(T) = a2 T^2 + a1 T + a0",
        values="three numbers",
        default=COP,
        absent='0.0068, 0.0008, 0.458: chilled water, Moore et al., "Making Scheduling Cool", '
        "USENIX ATC 2005",
        written={"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3},
    )

    @classmethod
    def _hints(cls, table: Mapping[str, Any]) -> Mapping[str, str]:
        return {"ambient": "write supply, the temperature of the cold air"}

    def _complete(self) -> None:
        if self.limit is not None:
            self._check_limit(self.limit)
        elif self.release is not None or self.throttle_step is not None:
            field = "release" if self.release is not None else "throttle_step"
            raise InputError(f"{field}: needs a limit, such as limit = 75")
        if not self.cop_at_supply > 0:
            raise InputError(
                f"cop: is {self.cop_at_supply:g} for supply air of {self.supply:g} degC; it must "
                "be above 0"
            )

    def _check_limit(self, limit: float) -> None:
        if limit <= self.supply:
            raise InputError(
                f"limit: must be above the {self.supply:g} degC of the supply air (is {limit:g})"
            )
        if self.release is None:
            self._set(release=limit - RELEASE_BELOW_LIMIT)
        elif not self.release < limit:
            raise InputError(
                f"release: must be below the limit of {limit:g} degC (is {self.release:g})"
            )

    @property
    def cop_at_supply(self) -> float:
        """Coefficient of performance at the supply's temperature: watts removed per watt spent."""
        square, linear, constant = self.cop
        return square * self.supply**2 + linear * self.supply + constant

    def steady(self, own: float, rack: float, neighbours: float) -> float:
        """Returns the temperature that a node tends to.

        Args:
            own: Its power in watts.
            rack: That of the other nodes of its rack, together.
            neighbours: That of the nodes before and after it, together.
        """
        return (
            self.supply
            + self.resistance * own
            + self.recirculation * rack
            + self.neighbour * neighbours
        )

    def __str__(self) -> str:
        if self.limit is None:
            return "temperatures"
        return f"throttled at {self.limit:g} degC"
