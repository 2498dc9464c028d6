"""Temperature of the nodes, and the cooling."""

from __future__ import annotations

from schedlab.conditions.fields import LARGEST, MAX_SECONDS, seconds
from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.system import decode

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

COP = (0.0068, 0.0008, 0.458)
"""Of cooling with chilled water: Moore et al., Making Scheduling "Cool", USENIX ATC 2005."""

MAX_KELVIN_PER_WATT = 1000.0
MAX_STEP = 63
"""Largest number of a frequency step."""

LEAST_EVERY = 0.001
"""Seconds between looks at temperatures: with less, a simulation would get nowhere."""

RELEASE_BELOW_LIMIT = 5.0
"""Kelvin of hysteresis, where nothing else is said."""


class Thermal(Frozen):
    """A first-order model of each node's temperature.

    A node of power P tends to supply + resistance P + recirculation x (power of the other nodes of
    its rack) + neighbour x (power of the nodes before and behind it in the rack), in degrees
    Celsius, and gets there with a time constant. A group without racks is one rack. Cooling takes
    the machine's power / COP(supply).

    Args:
        resistance: K/W from the node's own power.
        time_constant: Seconds in which a difference falls to 1/e.
        supply: Temperature of the cold air.
        recirculation: K/W from the power of each other node of the rack.
        neighbour: K/W from the power of each of the two adjacent nodes of the rack.
        limit: At which a node is throttled; None: it never is.
        release: At which it is let go again; None: 5 K below the limit.
        every: Seconds between looks at the temperatures.
        throttle_step: Frequency step of throttled nodes, 1 is the first below nominal; None: the
            lowest of each processor.
        cop: a2, a1, a0 of the cooling's coefficient of performance a2 T^2 + a1 T + a0 for supply
            air of T degrees.

    Raises:
        InputError: With the field's name.
    """

    __slots__ = _fields = (
        "resistance",
        "time_constant",
        "supply",
        "recirculation",
        "neighbour",
        "limit",
        "release",
        "every",
        "throttle_step",
        "cop",
    )
    resistance: float
    time_constant: float
    supply: float
    recirculation: float
    neighbour: float
    limit: float | None
    release: float | None
    every: float
    throttle_step: int | None
    cop: tuple[float, float, float]

    def __init__(
        self,
        resistance: float,
        time_constant: float,
        supply: float = 18.0,
        recirculation: float = 0.0,
        neighbour: float = 0.0,
        limit: float | None = None,
        release: float | None = None,
        every: float = 60.0,
        throttle_step: int | None = None,
        cop: Sequence[float] = COP,
    ) -> None:
        self._set(
            resistance=decode.number(
                resistance, "resistance", above=0, maximum=MAX_KELVIN_PER_WATT
            ),
            time_constant=seconds(time_constant, "time_constant", above=0),
            supply=decode.number(supply, "supply", minimum=-50, maximum=100),
            recirculation=decode.number(
                recirculation, "recirculation", maximum=MAX_KELVIN_PER_WATT
            ),
            neighbour=decode.number(neighbour, "neighbour", maximum=MAX_KELVIN_PER_WATT),
            every=decode.number(every, "every", minimum=LEAST_EVERY, maximum=MAX_SECONDS),
            cop=_cop(cop),
        )
        if limit is not None:
            limit = decode.number(limit, "limit", minimum=-50, maximum=1000)
            if limit <= self.supply:
                raise InputError(
                    f"limit: must be above the {self.supply:g} degC of the supply air "
                    f"(is {limit:g})"
                )
            if release is None:
                release = limit - RELEASE_BELOW_LIMIT
            release = decode.number(release, "release", minimum=-100, maximum=1000)
            if not release < limit:
                raise InputError(
                    f"release: must be below the limit of {limit:g} degC (is {release:g})"
                )
        elif release is not None or throttle_step is not None:
            field = "release" if release is not None else "throttle_step"
            raise InputError(f"{field}: needs a limit, such as limit = 75")
        if throttle_step is not None:
            throttle_step = decode.whole_number(
                throttle_step, "throttle_step", minimum=1, maximum=MAX_STEP
            )
        self._set(limit=limit, release=release, throttle_step=throttle_step)
        if not self.cop_at_supply > 0:
            raise InputError(
                f"cop: is {self.cop_at_supply:g} for supply air of {self.supply:g} degC; it must "
                "be above 0"
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
            neighbours: That of the nodes before and behind it, together.
        """
        return (
            self.supply
            + self.resistance * own
            + self.recirculation * rack
            + self.neighbour * neighbours
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data."""
        fields = dict(zip(self._fields, self._values(), strict=True))
        fields["cop"] = list(self.cop)
        return {name: value for name, value in fields.items() if value is not None}

    described = to_dict

    def __str__(self) -> str:
        if self.limit is None:
            return "temperatures"
        return f"throttled at {self.limit:g} degC"


def _cop(given: object) -> tuple[float, float, float]:
    if not isinstance(given, (list, tuple)) or len(given) != 3:
        raise InputError(
            "cop: must be three numbers a2, a1, a0 of a2 T^2 + a1 T + a0, such as "
            f"{list(COP)} (is {decode.shown(given)})"
        )
    square, linear, constant = (
        decode.number(one, f"cop[{i}]", minimum=-LARGEST, maximum=LARGEST)
        for i, one in enumerate(given, 1)
    )
    return square, linear, constant
