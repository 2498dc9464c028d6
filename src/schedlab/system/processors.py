"""Processor types: cores, clock, power, memory contention."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import Defined, file_key, identifier, number, part, parts, whole

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from schedlab.fields import Taking

MAX_CORES = 4096
MAX_CLOCK = 1000.0
MAX_WATTS = 1e9
MAX_RATE = 1e12
"""Largest bandwidth and constant of contention, in MB/s: more than any socket will see."""

MAX_STEPS = 64
LEAST_FREE_SPEED = 0.95
"""Speed of a task without memory traffic among others below which constants are doubted."""


class Power(Defined):
    """Watts of a socket: `core` n + `shared` with n active cores, `idle` with none."""

    core: float = number("power of each active core", unit="W", maximum=MAX_WATTS, example="6.14")
    shared: float = number(
        "power of the socket while at least one of its cores is active",
        unit="W",
        maximum=MAX_WATTS,
        example="5.59",
    )
    idle: float = number(
        "power of the socket while none of its cores is active",
        unit="W",
        maximum=MAX_WATTS,
        example="0.28",
    )

    def watts(self, active_cores: int) -> float:
        """Returns the watts of a socket with N active cores."""
        return self.core * active_cores + self.shared if active_cores else self.idle


class Contention(Defined):
    """Constants of memory contention on a socket, as docs/reference/platforms.md has them."""

    b: float = number(
        "slope of the speed in the rate of the whole socket above `c`",
        unit="s/MB",
        minimum=-1e6,
        below=0,
        example="-1.85e-5",
    )
    c: float = number(
        "rate of the whole socket up to which no task is slowed down",
        unit="MB/s",
        maximum=MAX_RATE,
        example="32000",
    )
    da: float = number(
        "the floor of the speed begins to fall at the own rate (da - n) db",
        minimum=-MAX_RATE,
        maximum=MAX_RATE,
        example="1.75",
    )
    db: float = number("see `da`", unit="MB/s", minimum=-MAX_RATE, maximum=MAX_RATE, example="3500")
    dc: float = number(
        "the floor falls over dc - n dd of the own rate, which must be above 0",
        unit="MB/s",
        minimum=-MAX_RATE,
        maximum=MAX_RATE,
        example="45000",
    )
    dd: float = number("see `dc`", unit="MB/s", minimum=-MAX_RATE, maximum=MAX_RATE, example="3000")
    k: float = number(
        "depth: beside n others the floor falls to 1 / (1 + k n)",
        above=0,
        maximum=1000,
        default=1.0,
    )

    def floor(self, rate: float, others: int) -> float:
        """Returns the least speed of a task with an own rate beside N others: d(R, n)."""
        place = (rate - (self.da - others) * self.db) / (self.dc - others * self.dd)
        place = min(max(place, 0.0), 1.0)
        step = place**3 * (10 + place * (6 * place - 15))
        depth = self.k * others
        return ((1 - step) * depth + 1) / (1 + depth)

    def speed(self, rate: float, total_rate: float, others: int) -> float:
        """Returns the speed factor S of a task, 1 where nothing slows it down.

        Args:
            rate: Its own rate alone, in MB/s.
            total_rate: The sum of the own rates of all tasks on the socket.
            others: Number of other tasks there.
        """
        if total_rate < self.c:
            return 1.0
        return max(self.b * (total_rate - self.c) + 1, self.floor(rate, others))


class FrequencyStep(Defined):
    """A clock below the nominal one, and the power of a socket at it."""

    clock: float = number("the clock", unit="GHz", above=0, maximum=MAX_CLOCK, example="2.5")
    power: Power = part(
        Power, "power of a socket at this clock; its keys stand beside `clock`", beside=True
    )


class ProcessorType(Defined):
    """A kind of processor, of which nodes have one in each socket."""

    name: str = identifier("name of the type", is_key=True)
    cores: int = whole("cores of one processor", minimum=1, maximum=MAX_CORES, example="4")
    clock: float = number("nominal clock", unit="GHz", above=0, maximum=MAX_CLOCK, example="3.4")
    flops_per_cycle: float = number(
        "operations that a core does in a cycle", above=0, maximum=1e6, default=1.0
    )
    memory_channels: int | None = whole(
        "how many there are; reported to policies, used in no formula",
        minimum=1,
        maximum=MAX_CORES,
        default=None,
        absent="not known",
    )
    memory_bandwidth: float | None = number(
        "of all channels together; reported to policies, used in no formula",
        unit="MB/s",
        above=0,
        maximum=MAX_RATE,
        default=None,
        absent="not known",
    )
    power: Power | None = part(
        Power,
        "watts of a socket at the nominal clock. For all processor types in use, or for none",
        default=None,
        absent="no energy is counted",
    )
    contention: Contention | None = part(
        Contention,
        "constants of memory contention",
        default=None,
        absent="jobs do not slow each other down",
    )
    steps: Taking[tuple[FrequencyStep, ...], Iterable[FrequencyStep]] = parts(
        FrequencyStep,
        "clocks below the nominal one, descending, each with `clock`, `core`, `shared`, `idle`",
        default=(),
        absent="the nominal clock only",
    )
    like = file_key(
        "another processor type, from which everything that is not given here is taken",
        values="text",
        default=None,
        written={"type": "string"},
        lends=True,
    )

    @classmethod
    def _prefix(cls, named: Mapping[str, Any]) -> str:
        return f"{decode.child('processors', named['name'])}."

    def _complete(self) -> None:
        path = decode.child("processors", self.name)
        self._check_contention(path)
        self._check_steps(path)

    @property
    def operations_per_second(self) -> float:
        """Operations of one core in a second, at the nominal clock."""
        return self.clock * 1e9 * self.flops_per_cycle

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is possible but most likely meant otherwise."""
        path = decode.child("processors", self.name)
        found = []
        others = self.cores - 1
        if self.contention is not None and others:
            free = self.contention.floor(0.0, others)
            if free < LEAST_FREE_SPEED:
                found.append(
                    f"{path}.contention: beside {others} others, even a task without memory "
                    f"traffic may be slowed down to {free:.2f} of its speed (d(0, {others}) is "
                    f"below {LEAST_FREE_SPEED}); these constants are not for {self.cores} cores"
                )
        if self.power is not None:
            if self.power.idle > self.power.watts(1):
                found.append(
                    f"{path}.power.idle: {self.power.idle:g} W are more than the "
                    f"{self.power.watts(1):g} W of one active core"
                )
            for place, step in enumerate(self.steps, 1):
                found += [
                    f"{path}.steps[{place}].{field}: {watts:g} W at {step.clock:g} GHz are more "
                    f"than the {nominal:g} W at the nominal {self.clock:g} GHz"
                    for field, watts, nominal in zip(
                        Power._fields, step.power._values(), self.power._values(), strict=True
                    )
                    if watts > nominal
                ]
        return tuple(found)

    def _check_contention(self, path: str) -> None:
        """Raises unless the floor of the speed is defined for every number of active cores."""
        constants = self.contention
        if constants is None:
            return
        # The width dc - n dd is linear in n, so that both ends decide for all between them.
        for others in (0, self.cores - 1):
            width = constants.dc - others * constants.dd
            if not width > 0:
                raise InputError(
                    f"{path}.contention.dc: dc - n dd must be above 0 for every number n of other "
                    f"active cores, and is {width:g} for n = {others}; with {self.cores} cores and "
                    f"dd = {constants.dd:g}, dc must be above "
                    f"{max(0.0, (self.cores - 1) * constants.dd):g}"
                )

    def _check_steps(self, path: str) -> None:
        if len(self.steps) > MAX_STEPS:
            raise InputError(
                f"{path}.steps: has {len(self.steps)}; at most {MAX_STEPS} are possible"
            )
        before, called = self.clock, "the nominal clock"
        for place, step in enumerate(self.steps, 1):
            if not step.clock < before:
                raise InputError(
                    f"{path}.steps[{place}].clock: must be below {called}, {before:g} GHz "
                    f"(is {step.clock:g}); steps go down from the nominal clock"
                )
            before, called = step.clock, "that of the step before"
        if self.steps and self.power is None:
            raise InputError(
                f"{path}.power: is missing; processors with steps need their power at the nominal "
                "clock, such as power = { core = 6.14, shared = 5.59, idle = 0.28 }"
            )
