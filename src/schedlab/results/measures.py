"""Measures that only some runs have: energy, cost, CO2, failures, preemption, heat, networks."""

from __future__ import annotations

from schedlab.durations import HOUR
from schedlab.units import (
    KILOWATT_HOUR,
    byte_text,
    delay_text,
    energy_text,
    mass_text,
    power_text,
)

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Best = Callable[[list[float]], float] | None


class Measure:
    """A measure of run.json, as a column of tables and as people read it.

    Attributes:
        name: Of its column, with the unit.
        title: What people call it.
        value: Takes it from what run.json holds; None where the run has none.
        text: Writes it.
        best: Which value is best, `min` or `max`; None where none is better than another.
    """

    __slots__ = ("best", "name", "text", "title", "value")

    def __init__(
        self,
        name: str,
        title: str,
        value: Callable[[dict[str, Any]], float | None],
        text: Callable[[float], str],
        best: Best = min,
    ) -> None:
        self.name, self.title, self.value, self.text, self.best = name, title, value, text, best


def _part(metric: str, part: str, unit: float = 1.0) -> Callable[[dict[str, Any]], float | None]:
    """Returns what takes a part of a metric out of what run.json holds, in a unit."""

    def value(run: dict[str, Any]) -> float | None:
        found = (run["metrics"].get(metric) or {}).get(part)
        return None if found is None else float(found) / unit

    return value


def _above_cap(run: dict[str, Any]) -> float | None:
    """Returns the energy above all caps, in kWh; None where there is no cap."""
    caps = (run["metrics"].get("energy") or {}).get("caps")
    return None if not caps else sum(float(cap["energy_above"]) for cap in caps) / KILOWATT_HOUR


def _network_slowdown(run: dict[str, Any]) -> float | None:
    """Returns how many times as long applications took as alone, on average."""
    found = (run["metrics"].get("network") or {}).get("slowdown")
    return None if found is None else float(found["mean"])


def _kilowatt_hours(value: float) -> str:
    return energy_text(value * KILOWATT_HOUR)


def _metric(name: str) -> Callable[[dict[str, Any]], float | None]:
    def value(run: dict[str, Any]) -> float | None:
        found = run["metrics"].get(name)
        return None if found is None else float(found)

    return value


MEASURES = (
    Measure("energy_kwh", "energy", _part("energy", "total", KILOWATT_HOUR), _kilowatt_hours),
    Measure("average_power", "average power", _part("energy", "average_power"), power_text, None),
    Measure("peak_power", "peak power", _part("energy", "peak_power"), power_text, None),
    Measure(
        "energy_delay_product",
        "energy-delay product",
        _part("energy", "energy_delay_product"),
        delay_text,
    ),
    Measure("cost", "cost", _part("energy", "cost"), "{:,.2f}".format),
    Measure("carbon_kg", "CO₂", _part("energy", "carbon"), mass_text),
    Measure("above_cap_kwh", "energy above the cap", _above_cap, _kilowatt_hours),
    Measure(
        "interruptions",
        "jobs interrupted by failures",
        _part("failures", "interruptions"),
        "{:,.0f}".format,
    ),
    Measure("requeued", "jobs requeued", _part("preemption", "requeued"), "{:,.0f}".format),
    Measure("cancelled", "jobs cancelled", _part("preemption", "cancelled"), "{:,.0f}".format),
    Measure("lost_node_hours", "node-hours lost", _part("node_hours", "lost"), "{:,.1f}".format),
    Measure(
        "effective_utilization",
        "effective utilization",
        _metric("effective_utilization"),
        "{:.1%}".format,
        max,
    ),
    Measure("hottest", "hottest node", _part("thermal", "hottest"), "{:.1f} °C".format),
    Measure(
        "throttled_node_hours",
        "node-hours throttled",
        _part("thermal", "throttled_node_seconds", HOUR),
        "{:,.1f}".format,
    ),
    Measure(
        "cooling_kwh", "cooling", _part("thermal", "cooling_energy", KILOWATT_HOUR), _kilowatt_hours
    ),
    Measure(
        "communication_share",
        "time in communication",
        _part("network", "communication_share"),
        "{:.1%}".format,
    ),
    Measure("mean_hops", "hops of a message", _part("network", "mean_hops"), "{:.2f}".format),
    Measure("hop_bytes", "hop-bytes", _part("network", "hop_bytes"), byte_text),
    Measure("network_slowdown", "slowdown by others", _network_slowdown, "{:.3f}".format),
)
"""In the order in which tables have them."""


def measures_of(runs: list[dict[str, Any]]) -> list[Measure]:
    """Returns the measures that some of the runs have."""
    return [one for one in MEASURES if any(one.value(run) is not None for run in runs)]


def platform_lines(run: dict[str, Any]) -> list[str]:
    """Returns what a summary says of energy, failures and heat, a line each; maybe none."""
    texts = {one.name: one.text(value) for one in MEASURES if (value := one.value(run)) is not None}
    lines = []
    if "energy_kwh" in texts:
        parts = [texts["energy_kwh"], f"{texts['average_power']} on average"]
        parts.append(f"{texts['peak_power']} at most")
        parts += [f"cost {texts['cost']}"] if "cost" in texts else []
        parts += [f"{texts['carbon_kg']} CO₂"] if "carbon_kg" in texts else []
        lines.append(f"energy       {', '.join(parts)}")
    if "above_cap_kwh" in texts:
        lines.append(f"cap          {_cap_line(run['metrics']['energy']['caps'])}")
    if "lost_node_hours" in texts:
        lines += _attempt_lines(run["metrics"])
    if "hottest" in texts:
        lines.append(
            f"temperature  {texts['hottest']} at most, {texts['throttled_node_hours']} node-hours "
            f"throttled, cooling {texts['cooling_kwh']}"
        )
    if "communication_share" in texts:
        lines.append(f"network      {_network_line(run['metrics']['network'], texts)}")
    return lines


def _network_line(network: dict[str, Any], texts: dict[str, str]) -> str:
    """Returns what applications did."""
    jobs = network["jobs"]
    parts = [f"{jobs:,} job{'' if jobs == 1 else 's'} with applications"]
    parts.append(f"{texts['communication_share']} of their time in communication")
    parts += [f"{texts['mean_hops']} hops a message"] if "mean_hops" in texts else []
    parts.append(f"{texts['hop_bytes']} hop-bytes")
    if "network_slowdown" in texts:
        most = network["slowdown"]["max"]
        parts.append(f"{texts['network_slowdown']} times as long as alone ({most:.2f} at most)")
    return ", ".join(parts)


def _attempt_lines(metrics: dict[str, Any]) -> list[str]:
    """Returns what ended attempts of jobs early, and where the time of the nodes went."""
    lines = []
    if failures := metrics.get("failures"):
        given_up = f", {failures['given_up']:,} given up" if failures["given_up"] else ""
        lines.append(
            f"failures     {failures['node_failures']:,} of nodes; {failures['interruptions']:,} "
            f"interruptions of {failures['interrupted_jobs']:,} jobs{given_up}"
        )
    if ended := metrics.get("preemption"):
        lines.append(
            f"preemption   {ended['requeued']:,} requeues of {ended['requeued_jobs']:,} jobs, "
            f"{ended['cancelled']:,} cancelled"
        )
    hours = metrics["node_hours"]
    whole = sum(hours.values()) or 1.0
    shares = ", ".join(f"{name} {value / whole:.1%}" for name, value in hours.items())
    return [*lines, f"node-hours   {shares}"]


def _cap_line(caps: list[dict[str, Any]]) -> str:
    refused = sum(cap["refused_starts"] for cap in caps)
    slowed, above = (max(cap[key] for cap in caps) for key in ("seconds_slowed", "seconds_above"))
    parts = [f"{refused:,} starts refused"] if refused else []
    parts += [f"slowed for {slowed:,.0f} s"] if slowed > 0 else []
    if above > 0:
        energy = energy_text(sum(cap["energy_above"] for cap in caps))
        most = power_text(max(cap["most_above"] for cap in caps))
        parts.append(f"exceeded for {above:,.0f} s by up to {most}, {energy}")
    else:
        parts.append("never exceeded")
    return ", ".join(parts)
