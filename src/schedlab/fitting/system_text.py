"""A fitted processor type as it stands in a system file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedlab.fitting.contention import ContentionFit, Estimate
    from schedlab.fitting.power import PowerFit
    from schedlab.fitting.processor import ProcessorFit

MOST_DIGITS = 7


def processor_text(fit: ProcessorFit) -> str:
    """Returns `[processors.NAME]` with comments on where the numbers are from.

    Constants that a system file would refuse are there as comments.
    """
    lines = [f"[processors.{_key(fit.name)}]", f"cores = {fit.cores}"]
    if fit.clock is None:
        lines.append("# clock = ...  GHz, nominal: not in the measurements, add it")
    else:
        lines.append(f"clock = {fit.clock:g}")
    off = "# refused: " if fit.refused else ""
    lines += [f"# refused: {reason}" for reason in fit.refused]
    if fit.powers:
        first, *steps = fit.powers
        lines.append(_power_comment(fit.powers))
        lines.append(f"{off}power = {{ {_watts(first)} }}")
        if steps:
            parts = ", ".join(f"{{ clock = {one.clock:g}, {_watts(one)} }}" for one in steps)
            lines.append(f"{off}steps = [ {parts} ]")
    if fit.contention is not None:
        lines += _contention_comments(fit.contention)
        pairs = ", ".join(
            f"{name} = {number_text(one)}" for name, one in fit.contention.constants.items()
        )
        lines.append(f"{off}contention = {{ {pairs} }}")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    bare = name and all(c.isascii() and (c.isalnum() or c in "-_") for c in name)
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return name if bare else f'"{escaped}"'


def number_text(estimate: Estimate) -> str:
    """Returns the number with as many digits as the interval gives it, and two more.

    Enough that rounding does not move the fitted curve; at least three, at most seven.
    """
    value, half = estimate.value, estimate.half_width
    if estimate.fixed:
        return repr(value).removesuffix(".0")
    digits = 4 if half is None else MOST_DIGITS
    if half and value:
        digits = math.ceil(math.log10(abs(value)) - math.log10(half)) + 2
    return plain_text(value, min(max(digits, 3), MOST_DIGITS))


def plain_text(value: float, digits: int) -> str:
    """Returns a number with N significant digits; an exponent only where it is tiny."""
    return repr(float(f"{value:.{digits}g}")).removesuffix(".0")


def _watts(power: PowerFit) -> str:
    return f"core = {power.core:.4g}, shared = {power.shared:.4g}, idle = {power.idle:.4g}"


def _power_comment(powers: list[PowerFit]) -> str:
    rows = sum(power.rows for power in powers)
    known = [power.r_squared for power in powers if power.r_squared is not None]
    quality = f", R^2 {min(known):.4f}" if known else ""
    assumed = "" if all(power.idle_measured for power in powers) else "; idle is assumed"
    return f"# power: {rows} rows{quality}{assumed}"


def _contention_comments(fit: ContentionFit) -> list[str]:
    errors = f"errors {fit.rms:.2%} RMS, {fit.worst:.2%} at most"
    lines = [f"# contention: {len(fit.fitted)} rows, {errors}"]
    known = [
        f"{name} +- {plain_text(one.half_width, 2)}"
        for name, one in fit.constants.items()
        if one.half_width is not None
    ]
    if known:
        lines.append(f"# 95 %: {', '.join(known)}")
    if fit.undetermined:
        lines.append(f"# not determined by the measurements: {', '.join(fit.undetermined)}")
    return lines
