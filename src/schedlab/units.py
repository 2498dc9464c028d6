"""Energy, power, mass, bytes and short times as people read them."""

from __future__ import annotations

WATT_HOUR = 3600.0
KILOWATT_HOUR = 1000 * WATT_HOUR

_POWER = (("MW", 1e6), ("kW", 1e3), ("W", 1.0))
_ENERGY = (
    ("GWh", 1e9 * WATT_HOUR),
    ("MWh", 1e6 * WATT_HOUR),
    ("kWh", KILOWATT_HOUR),
    ("Wh", WATT_HOUR),
)
_BYTES = (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0))
_SECONDS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("ps", 1e-12))
_MASS = (("t", 1000.0), ("kg", 1.0), ("g", 0.001))


def power_unit(watts: float) -> tuple[str, float]:
    """Returns the unit in which power has few digits, and how many watts it is."""
    return _unit(watts, _POWER)


def energy_unit(joules: float) -> tuple[str, float]:
    """Returns the unit in which energy has few digits, and how many joules it is."""
    return _unit(joules, _ENERGY)


def power_text(watts: float) -> str:
    """Returns power such as `452 W` or `1.21 kW`."""
    return _text(watts, _POWER)


def energy_text(joules: float) -> str:
    """Returns energy such as `7.45 kWh` or `1.20 MWh`."""
    return _text(joules, _ENERGY)


def mass_text(kilograms: float) -> str:
    """Returns a mass such as `1.86 kg` or `12.4 t`."""
    return _text(kilograms, _MASS)


def byte_unit(number: float) -> tuple[str, float]:
    """Returns the unit in which N bytes have few digits, and how many bytes it is."""
    return _unit(number, _BYTES)


def byte_text(number: float) -> str:
    """Returns bytes such as `512 B` or `1.21 GB`."""
    return f"{number:,.0f} B" if abs(number) < 999.5 else _text(number, _BYTES)


def time_unit(seconds: float) -> tuple[str, float]:
    """Returns the unit in which so short a time has few digits, and how many seconds it is."""
    return _unit(seconds, _SECONDS)


def time_text(seconds: float) -> str:
    """Returns a time with five digits, such as `34.192 us` or `1.5000 ms`."""
    if seconds == 0:
        return "0 s"
    unit, factor = time_unit(seconds)
    number = seconds / factor
    whole = len(f"{abs(number):.0f}")
    return f"{number:,.{max(0, 5 - whole)}f} {unit}"


def delay_text(joule_seconds: float) -> str:
    """Returns an energy-delay product, such as `305 kWh h`."""
    return f"{_text(joule_seconds / 3600.0, _ENERGY)} h"


def _unit(value: float, units: tuple[tuple[str, float], ...]) -> tuple[str, float]:
    for unit in units:
        if abs(value) >= 0.9995 * unit[1]:  # which three digits write as 1.00
            return unit
    return units[-1]


def _text(value: float, units: tuple[tuple[str, float], ...]) -> str:
    unit, factor = _unit(value, units)
    number = value / factor
    digits = 2 if abs(number) < 9.995 else 1 if abs(number) < 99.95 else 0
    return f"{number:,.{digits}f} {unit}"
