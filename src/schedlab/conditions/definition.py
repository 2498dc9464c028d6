"""The definition of what happens to a machine: frozen, and valid once it is built."""

from __future__ import annotations

from schedlab.conditions.failures import Failures, FailureTrace, Resubmission
from schedlab.conditions.power import PowerCap, SwitchOff, spread
from schedlab.conditions.series_file import series_of
from schedlab.conditions.thermal import Thermal
from schedlab.errors import InputError
from schedlab.frozen import Frozen
from schedlab.system import decode

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeVar

    from schedlab.conditions.series import Series

    Kind = TypeVar("Kind")

MAX_SEED = 2**64 - 1
_LISTS = ("failures", "caps")


class Conditions(Frozen):
    """What happens to a machine while a workload runs: failures, caps, switching off, prices.

    Args:
        seed: Of the failures; None: that of the run.
        failures: Processes by which nodes fail.
        failure_trace: Outages that are known beforehand.
        resubmission: How jobs go on whose nodes failed; None: from their start.
        switch_off: When idle nodes are switched off; None: never.
        caps: The most that may be drawn, of the machine and of groups.
        price: Money per kWh: a number or a Series.
        carbon: Grams of CO2 per kWh, likewise.
        thermal: The model of temperatures; None: there are none.
        source: The file it comes from, for people; it has no part in equality.

    Raises:
        InputError: With the path of the field.
    """

    __slots__ = _fields = (
        "seed",
        "failures",
        "failure_trace",
        "resubmission",
        "switch_off",
        "caps",
        "price",
        "carbon",
        "thermal",
        "source",
    )
    seed: int | None
    failures: tuple[Failures, ...]
    failure_trace: FailureTrace | None
    resubmission: Resubmission | None
    switch_off: SwitchOff | None
    caps: tuple[PowerCap, ...]
    price: Series | None
    carbon: Series | None
    thermal: Thermal | None
    source: str | None

    def __init__(
        self,
        seed: int | None = None,
        failures: Iterable[Failures] = (),
        failure_trace: FailureTrace | None = None,
        resubmission: Resubmission | None = None,
        switch_off: SwitchOff | None = None,
        caps: Iterable[PowerCap] = (),
        price: float | Series | None = None,
        carbon: float | Series | None = None,
        thermal: Thermal | None = None,
        source: str | None = None,
    ) -> None:
        self._set(
            seed=None if seed is None else decode.whole_number(seed, "seed", maximum=MAX_SEED),
            failures=_all(failures, "failures", Failures),
            failure_trace=_one(failure_trace, "failure_trace", FailureTrace),
            resubmission=_one(resubmission, "resubmission", Resubmission),
            switch_off=_one(switch_off, "switch_off", SwitchOff),
            caps=_all(caps, "caps", PowerCap),
            price=None if price is None else series_of(price, "price", "price", negative=True),
            carbon=None if carbon is None else series_of(carbon, "carbon", "carbon"),
            thermal=_one(thermal, "thermal", Thermal),
            source=None if source is None else decode.text(source, "source"),
        )
        if self.resubmission is not None and not self.failures and self.failure_trace is None:
            raise InputError(
                "resubmission: has no effect without failures; add [[failures]] or "
                "[failure_trace], or remove it"
            )

    def to_dict(self) -> dict[str, Any]:
        """Returns the content as plain data, all series included, which `load_conditions` takes."""
        return self._plain("to_dict")

    def without_names(self) -> dict[str, Any]:
        """Returns the content as plain data, whatever files it came from."""
        return _nameless(self.to_dict())

    def described(self) -> dict[str, Any]:
        """Returns what run.json holds: of a series of several rows its range and its checksum."""
        return {"text": str(self), **self._plain("described")}

    def _plain(self, method: str) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for name, value in zip(self._fields, self._values(), strict=True):
            if name in _LISTS and value:
                table[name] = [getattr(one, method)() for one in value]
            elif name not in _LISTS and value is not None:
                plain = isinstance(value, (int, str))
                table[name] = value if plain else getattr(value, method)()
        return table

    def _content(self) -> tuple[Any, ...]:
        return self._values()[: self._fields.index("source")]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conditions) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __str__(self) -> str:
        """Returns what applies, in one line."""
        parts = []
        if self.failures:
            several = "es" if len(self.failures) > 1 else ""
            parts.append(f"failures {len(self.failures)} process{several}")
        if self.failure_trace is not None:
            parts.append("failure trace")
        parts += [str(cap) for cap in self.caps]
        parts += [str(one) for one in (self.switch_off, self.thermal) if one is not None]
        for name, unit in (("price", "per kWh"), ("carbon", "g/kWh")):
            series = getattr(self, name)
            if series is not None:
                parts.append(f"{name} {' to '.join(f'{v:.4g}' for v in spread(series))} {unit}")
        return ", ".join(parts) or "none"


def _nameless(table: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found[key] = _nameless(value)
        elif key in _LISTS:
            found[key] = [_nameless(one) for one in value]
        elif key != "source":
            found[key] = value
    return found


def _all(given: object, path: str, kind: type[Kind]) -> tuple[Kind, ...]:
    if isinstance(given, (str, dict, kind)) or not hasattr(given, "__iter__"):
        raise InputError(f"{path}: must be a list of {kind.__name__} (is {decode.shown(given)})")
    made = tuple(given)
    for number, one in enumerate(made, 1):
        if not isinstance(one, kind):
            raise InputError(
                f"{path}[{number}]: must be a {kind.__name__} (is {decode.shown(one)})"
            )
    return made


def _one(given: object, path: str, kind: type[Kind]) -> Kind | None:
    if given is None or isinstance(given, kind):
        return given
    raise InputError(f"{path}: must be a {kind.__name__} (is {decode.shown(given)})")
