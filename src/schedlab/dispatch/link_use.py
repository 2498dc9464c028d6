"""How much the links of a network are used, over time."""

from __future__ import annotations

from schedlab import decode
from schedlab.dispatch.additional_data import AdditionalData
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab._engine import State
    from schedlab.system import System
    from schedlab.system.network.links import Links

HIGHEST = "link_use_max"


def number_of(kind: str) -> str:
    """Returns the name of the number about the links of a kind."""
    return "link_use_" + "".join(sign if sign.isalnum() else "_" for sign in kind)


class LinkUse(AdditionalData):
    """Publishes how much links were used since the last update, as shares of what they can carry.

    `link_use_KIND` is the mean over the links of a kind, such as `link_use_x`; `link_use_max` is
    the most that any link between routers was used.

    Args:
        every: Time between updates: seconds, or a text such as "1h30m".
    """

    def __init__(self, every: float | str = 60.0) -> None:
        self.every = decode.duration(every, "link-use: every")
        self._links: Links | None = None
        self._arrays: tuple[Any, Any] | None = None  # capacity and kind of each link
        self._moment: list[float] = []  # of the last update
        self._carried: list[float] = []  # up to then

    def prepare(self, system: System) -> None:
        """Finds the kinds of links."""
        if system.network is None:
            raise InputError(f"link-use: {system.name} has no network, so no links")
        self._links = system.network.links()
        self.publishes = (*(number_of(kind) for kind in self._links.kinds), HIGHEST)

    def update(self, state: State) -> dict[str, Any]:
        """Returns the shares since the last update."""
        import numpy

        links = self._links
        assert links is not None
        if self._arrays is None:
            self._arrays = numpy.array(links.capacities), numpy.array(links.kind)
        capacities, kinds = self._arrays
        now, carried = float(state.now), state.carried()
        seconds = now - self._moment[0] if self._moment else 0.0
        before, self._carried, self._moment = self._carried, carried, [now]
        if not carried or not seconds > 0:
            return dict.fromkeys(self.publishes, 0.0)
        moved = numpy.array(carried) - (numpy.array(before) if before else 0.0)
        use = moved / (capacities * seconds)
        count = numpy.bincount(kinds, minlength=len(links.kinds))
        sums = numpy.bincount(kinds, weights=use, minlength=len(links.kinds))
        means = sums / numpy.maximum(count, 1)
        values = {
            number_of(kind): float(mean) for kind, mean in zip(links.kinds, means, strict=True)
        }
        values[HIGHEST] = float(use[kinds >= 2].max(initial=0.0))
        return values

    def get_state(self) -> Any:
        """Returns how often it is updated, and what was there at the last time."""
        return {"every": self.every, "moment": self._moment, "carried": self._carried}

    def set_state(self, state: Any) -> None:
        """Takes that over; the links are those of the machine."""
        self.every = state["every"]
        self._moment, self._carried = list(state["moment"]), list(state["carried"])
