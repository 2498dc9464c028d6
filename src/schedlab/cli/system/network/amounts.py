"""Bandwidths and delays of networks as people write them."""

from __future__ import annotations

_BITS = ((1e15, "Pbit/s"), (1e12, "Tbit/s"), (1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))
_BYTES = ((1e15, "PB/s"), (1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"))
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def bit_rate(bits: float) -> str:
    """Returns a bandwidth in bit/s."""
    return _scaled(bits, _BITS, "bit/s")


def byte_rate(number: float) -> str:
    """Returns a bandwidth in bytes per second."""
    return _scaled(number, _BYTES, "B/s")


def delay(seconds: float) -> str:
    """Returns a short time."""
    return "0 s" if seconds == 0 else _scaled(seconds, _SECONDS, "ps", 1e-12)


def wires(ports: int, bits: float) -> str:
    """Returns the bandwidth of links side by side."""
    return f"{ports} x {bit_rate(bits)}" if ports > 1 else bit_rate(bits)


def _scaled(
    value: float, units: tuple[tuple[float, str], ...], least: str, smallest: float = 1.0
) -> str:
    for factor, unit in units:
        if value >= factor * 0.99995:
            return f"{value / factor:.4g} {unit}"
    return f"{value / smallest:.4g} {least}"
