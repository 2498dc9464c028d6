"""Ticks that are dates, found once for all panels that share an axis.

A layout asks each panel for its ticks several times, and finding dates takes long.
"""

from __future__ import annotations

from typing import Any

from matplotlib import dates

_Locator: Any = dates.AutoDateLocator  # matplotlib has no types for these
_Formatter: Any = dates.ConciseDateFormatter


class DateLocator(_Locator):  # type: ignore[misc]
    """Where ticks are, remembered for as long as the same time is shown."""

    _view: tuple[float, ...] | None = None
    _ticks: Any = None

    def __call__(self) -> Any:
        """Returns the places of ticks, in days since 1970."""
        view = tuple(float(end) for end in self.axis.get_view_interval())
        if view != self._view:
            self._ticks, self._view = super().__call__(), view
        return self._ticks


class DateFormatter(_Formatter):  # type: ignore[misc]
    """What ticks say, remembered for as long as they are at the same places."""

    _values: tuple[float, ...] | None = None
    _labels: tuple[str, ...] = ()

    def format_ticks(self, values: Any) -> list[str]:
        """Returns the texts of ticks."""
        given = tuple(float(value) for value in values)
        if given != self._values:
            self._labels, self._values = tuple(super().format_ticks(values)), given
        return list(self._labels)
