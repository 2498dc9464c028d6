"""The definition of what happens to a machine: frozen, and valid once it is built."""

from __future__ import annotations

from schedlab import decode
from schedlab.conditions.failures import Failures, FailureTrace, Resubmission
from schedlab.conditions.power import PowerCap, SwitchOff, spread
from schedlab.conditions.series_field import series
from schedlab.conditions.thermal import Thermal
from schedlab.fields import Defined, other, part, parts, whole

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from schedlab.conditions.series import Series
    from schedlab.fields import Taking

MAX_SEED = 2**64 - 1
_LISTS = ("failures", "caps")


class Conditions(Defined):
    """What happens to a machine while a workload runs: failures, caps, switching off, prices."""

    seed: int | None = whole(
        "of the failures; the same seed gives the same failures under every dispatcher",
        maximum=MAX_SEED,
        values="from 0 to 2^64 - 1",
        default=None,
        absent="the run's `seed`",
        read=lambda value, path, _: decode.whole_number(value, path, maximum=MAX_SEED),
    )
    failures: Taking[tuple[Failures, ...], Iterable[Failures]] = parts(
        Failures, "processes by which nodes fail", default=()
    )
    failure_trace: FailureTrace | None = part(
        FailureTrace, "outages that are known beforehand", default=None
    )
    resubmission: Resubmission | None = part(
        Resubmission,
        "how jobs resume whose attempts end early",
        default=None,
        absent="from their start",
    )
    switch_off: SwitchOff | None = part(
        SwitchOff, "when idle nodes are switched off", default=None, absent="nodes stay on"
    )
    caps: Taking[tuple[PowerCap, ...], Iterable[PowerCap]] = parts(
        PowerCap, "power caps, of the machine and of groups", default=()
    )
    price: Taking[Series | None, float | Series | None] = series(
        "price", "money per kWh; may be negative", negative=True, default=None, absent="no cost"
    )
    carbon: Taking[Series | None, float | Series | None] = series(
        "carbon", "g CO2 per kWh; results sum it up in kg", default=None, absent="no carbon"
    )
    thermal: Thermal | None = part(Thermal, "the model of temperatures", default=None)
    source: str | None = other(
        decode.file_name,
        "the file it comes from, for people",
        default=None,
        compared=False,
        hidden=True,
    )

    @classmethod
    def _hints(cls, table: Mapping[str, Any]) -> Mapping[str, str]:
        return {"cap": "write [[caps]]", "failure": "write [[failures]]"}

    @property
    def nodes_fail(self) -> bool:
        """Whether nodes fail, by processes or by a trace."""
        return bool(self.failures) or self.failure_trace is not None

    def without_names(self) -> dict[str, Any]:
        """Returns the content as plain data, whatever files it came from."""
        return _nameless(self.to_dict())

    def described(self) -> dict[str, Any]:
        """Returns what run.json holds: of a series of several rows its range and its checksum."""
        return {"text": str(self), **super().described()}

    def __str__(self) -> str:
        """Returns what applies, in one line."""
        words = []
        if self.failures:
            several = "es" if len(self.failures) > 1 else ""
            words.append(f"failures {len(self.failures)} process{several}")
        if self.failure_trace is not None:
            words.append("failure trace")
        words += [str(cap) for cap in self.caps]
        words += [str(one) for one in (self.switch_off, self.thermal) if one is not None]
        for name, unit in (("price", "per kWh"), ("carbon", "g/kWh")):
            given = getattr(self, name)
            if given is not None:
                words.append(f"{name} {' to '.join(f'{v:.4g}' for v in spread(given))} {unit}")
        return ", ".join(words) or "none"


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
