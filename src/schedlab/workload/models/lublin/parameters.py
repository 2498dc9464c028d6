"""The parameters of Lublin and Feitelson's model, for each type of jobs.

The values are those of the constants in m_lublin99.c, the authors' program in the Parallel
Workloads Archive (read in two copies: the C program itself, and GridSim's WorkloadLublin99.java).
The name of each constant stands beside ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from schedlab.errors import InputError, did_you_mean
from schedlab.finite import is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping

MEDIUM_BELOW_HIGH = 2.5
"""The program's advice for machines of other sizes: UMED = UHI - 2.5."""


ARGUMENTS = ("processors", "type", "load", "requested", "requested_steps", "drops_fractions")
"""Of the model, beside its parameters: a misspelt one ends up among these."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of one type of jobs; docs/reference/lublin-feitelson.md explains each."""

    serial_share: float  # SERIAL_PROB
    power_of_two_share: float  # POW2_PROB
    size_low: float  # ULOW: a logarithm to base 2, as are the next two
    size_medium: float | None  # UMED; None: as far below size_high as in the program
    size_high: float | None  # UHI; None: what the machine has
    size_low_share: float  # UPROB
    run_shape_1: float  # A1
    run_scale_1: float  # B1
    run_shape_2: float  # A2
    run_scale_2: float  # B2
    run_share_slope: float  # PA
    run_share_offset: float  # PB
    gap_shape: float  # AARR
    gap_scale: float  # BARR
    gap_shape_ratio: float  # ARAR
    cycle_shape: float  # ANUM
    cycle_scale: float  # BNUM
    run_log_limit: float = 12.0  # TOO_MUCH_TIME
    gap_log_limit: float = 13.0  # TOO_MUCH_ARRIVE_TIME
    high_below_machine: float = 0.0  # how far UHI is below log2 of the machine in the program
    medium_below_high: float = MEDIUM_BELOW_HIGH  # how far UMED is below UHI in the program

    def changed(self, changes: Mapping[str, object], where: str = "") -> Parameters:
        """Returns the parameters with others in place of some.

        Args:
            changes: New values by name.
            where: What messages put before a name.

        Raises:
            InputError: There is no such parameter, or it cannot have that value.
        """
        known = [field.name for field in fields(self)]
        for name, value in changes.items():
            if name not in known:
                hint = did_you_mean(name, [*known, *ARGUMENTS])
                raise InputError(
                    f'unknown parameter "{where}{name}"; {hint}known: {", ".join(known)}'
                )
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not is_finite(value):
                raise InputError(f"{where}{name}: must be a number, not {value!r}")
        made = replace(self, **changes)  # type: ignore[arg-type]
        made._check(where)
        return made

    def differences(self, other: Parameters) -> dict[str, float]:
        """Returns the parameters that are not as those of another."""
        pairs = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in pairs if value != getattr(other, name)}

    def _check(self, where: str) -> None:
        for name in ("serial_share", "power_of_two_share", "size_low_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{where}{name}: must be from 0 to 1, not {getattr(self, name)}")
        if self.serial_share + self.power_of_two_share > 1 + 1e-9:
            raise InputError(
                f"{where}serial_share and {where}power_of_two_share: must be at most 1 together, "
                f"not {self.serial_share + self.power_of_two_share:g}"
            )
        shapes = ("run_shape_1", "run_shape_2", "gap_shape", "gap_shape_ratio", "cycle_shape")
        for name in (*shapes, "run_scale_1", "run_scale_2", "gap_scale", "cycle_scale"):
            if not 1e-3 <= getattr(self, name) <= 1e6:
                raise InputError(
                    f"{where}{name}: must be from 0.001 to 1e6, not {getattr(self, name)}"
                )
        for name in ("run_log_limit", "gap_log_limit"):
            if not 0 < getattr(self, name) <= 22:  # e^22 s are the 126 years that SWF can hold
                raise InputError(
                    f"{where}{name}: must be above 0 and at most 22, not {getattr(self, name)}"
                )

    def sizes(self, processors: int) -> tuple[float, float, float]:
        """Returns ULOW, UMED and UHI for a machine, as logarithms to base 2 of processors.

        The program has them for 128 processors. For others, UHI keeps its distance from the
        machine and UMED that from UHI; on machines of less than 32 processors UMED is half of UHI,
        which for 8 processors is what the program's comments propose.

        Raises:
            InputError: Those that were given are not in order, or beyond the machine.
        """
        machine = math.log2(processors)
        high = self.size_high
        if high is None:
            high = max(machine - self.high_below_machine, min(1.0, machine))
        low = min(self.size_low, high)
        medium = self.size_medium
        if medium is None:
            medium = max(high - self.medium_below_high, high / 2, low)
        if not 0 <= low <= medium <= high <= machine + 1e-9:
            raise InputError(
                f"size_low, size_medium, size_high: must go up from 0 to log2 of the processors, "
                f"{machine:g}; they are {low:g}, {medium:g} and {high:g}"
            )
        return low, medium, high


INTERACTIVE = Parameters(
    *(0.1541, 0.625, 1.0, None, None, 0.705),
    *(3.8351, 0.6605, 7.073, 0.6856, -0.0118, 0.9156),
    *(6.5510, 0.6621, 0.9797, 8.9186, 3.6680),
    high_below_machine=1.5,
    medium_below_high=2.5,
)
BATCH_JOBS = Parameters(
    *(0.2927, 0.6686, 1.2, None, None, 0.875),
    *(6.57, 0.823, 639.1, 0.0156, -0.003, 0.6986),
    *(6.0415, 0.8531, 1.0519, 6.1271, 5.2740),
    medium_below_high=2.0,
)
ALL = Parameters(
    *(0.244, 0.576, 0.8, None, None, 0.86),
    *(4.2, 0.94, 312.0, 0.03, -0.0054, 0.78),
    *(10.2303, 0.4871, 1.0225, 8.1737, 3.9631),
)

TYPES: dict[str, dict[str, Parameters]] = {
    "all": {"all": ALL},
    "batch": {"batch": BATCH_JOBS},
    "interactive": {"interactive": INTERACTIVE},
    "both": {"interactive": INTERACTIVE, "batch": BATCH_JOBS},
}
"""The streams of jobs of each type that can be asked for."""

QUEUES = {"all": -1.0, "interactive": 0.0, "batch": 1.0}
"""Field 15 of each; SWF has 0 for interactive jobs, and the program 1 for batch jobs."""
