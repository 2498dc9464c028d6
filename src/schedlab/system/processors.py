"""Processor types: cores, clock, power, memory contention."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.frozen import Frozen

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CORES = 4096
MAX_CLOCK = 1000.0
MAX_WATTS = 1e9
MAX_RATE = 1e12
"""Largest bandwidth and constant of contention, in MB/s: more than any socket will see."""

MAX_STEPS = 64
LEAST_FREE_SPEED = 0.95
"""Speed of a task without memory traffic among others below which constants are doubted."""


class Power(Frozen):
    """Watts of a socket: `core` n + `shared` with n active cores, `idle` with none.

    Attributes:
        core: Of each active core.
        shared: Of the socket while at least one of its cores is active.
        idle: Of the socket while none is.
    """

    __slots__ = _fields = ("core", "shared", "idle")
    core: float
    shared: float
    idle: float

    def __init__(self, core: float, shared: float, idle: float) -> None:
        for name, value in (("core", core), ("shared", shared), ("idle", idle)):
            watts = decode.number(value, name, maximum=MAX_WATTS)
            self._set(**{name: watts})

    def watts(self, active_cores: int) -> float:
        """Returns the watts of a socket with so many active cores."""
        return self.core * active_cores + self.shared if active_cores else self.idle


class Contention(Frozen):
    """Constants of memory contention on a socket; rates in MB/s, as docs/reference/platforms.md.

    Attributes:
        b: Slope: what a task loses of its speed for each MB/s above `c`; below 0.
        c: Rate of the whole socket up to which nobody is slowed down.
        da: Where the floor of the speed begins to fall: own rate (da - n) db.
        db: See `da`.
        dc: Over how much of the own rate the floor falls: dc - n dd.
        dd: See `dc`.
        k: How deep it falls: to 1 / (1 + k n) beside n others.
    """

    __slots__ = _fields = ("b", "c", "da", "db", "dc", "dd", "k")
    b: float
    c: float
    da: float
    db: float
    dc: float
    dd: float
    k: float

    def __init__(
        self, b: float, c: float, da: float, db: float, dc: float, dd: float, k: float = 1.0
    ) -> None:
        self._set(
            b=decode.number(b, "b", minimum=-1e6, below=0),
            c=decode.number(c, "c", maximum=MAX_RATE),
            k=decode.number(k, "k", above=0, maximum=1000),
        )
        for name, value in (("da", da), ("db", db), ("dc", dc), ("dd", dd)):
            checked = decode.number(value, name, minimum=-MAX_RATE, maximum=MAX_RATE)
            self._set(**{name: checked})

    def floor(self, rate: float, others: int) -> float:
        """Returns the least speed of a task with an own rate beside so many others: d(R, n)."""
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


class FrequencyStep(Frozen):
    """A clock below the nominal one, and the power of a socket at it.

    Attributes:
        clock: In GHz.
        power: In watts.
    """

    __slots__ = _fields = ("clock", "power")
    clock: float
    power: Power

    def __init__(self, clock: float, power: Power) -> None:
        if not isinstance(power, Power):
            raise InputError(f"power: must be a Power (is {decode.shown(power)})")
        self._set(clock=decode.number(clock, "clock", above=0, maximum=MAX_CLOCK), power=power)


class ProcessorType(Frozen):
    """A kind of processor, of which nodes have one in each socket.

    Attributes:
        name: Name of the type.
        cores: Number of cores, 1 to 4096.
        clock: Nominal clock, in GHz.
        flops_per_cycle: Operations that a core does in a cycle.
        memory_channels: How many there are; None: not known.
        memory_bandwidth: Of all of them together, in MB/s; None: not known.
        power: In watts, at the nominal clock; None: not known.
        contention: Constants of memory contention; None: there is none.
        steps: Clocks below the nominal one, descending.
    """

    __slots__ = _fields = (
        "name",
        "cores",
        "clock",
        "flops_per_cycle",
        "memory_channels",
        "memory_bandwidth",
        "power",
        "contention",
        "steps",
    )
    name: str
    cores: int
    clock: float
    flops_per_cycle: float
    memory_channels: int | None
    memory_bandwidth: float | None
    power: Power | None
    contention: Contention | None
    steps: tuple[FrequencyStep, ...]

    def __init__(
        self,
        name: str,
        cores: int,
        clock: float,
        flops_per_cycle: float = 1.0,
        memory_channels: int | None = None,
        memory_bandwidth: float | None = None,
        power: Power | None = None,
        contention: Contention | None = None,
        steps: Iterable[FrequencyStep] = (),
    ) -> None:
        path = decode.child("processors", name)
        channels, bandwidth = memory_channels, memory_bandwidth
        if channels is not None:
            channels = decode.whole_number(
                channels, f"{path}.memory_channels", minimum=1, maximum=MAX_CORES
            )
        if bandwidth is not None:
            bandwidth = decode.number(
                bandwidth, f"{path}.memory_bandwidth", above=0, maximum=MAX_RATE
            )
        for field, value, kind in (
            ("power", power, Power),
            ("contention", contention, Contention),
        ):
            if value is not None and not isinstance(value, kind):
                raise InputError(
                    f"{path}.{field}: must be a {kind.__name__} (is {decode.shown(value)})"
                )
        self._set(
            name=decode.identifier(name, path),
            cores=decode.whole_number(cores, f"{path}.cores", minimum=1, maximum=MAX_CORES),
            clock=decode.number(clock, f"{path}.clock", above=0, maximum=MAX_CLOCK),
            flops_per_cycle=decode.number(
                flops_per_cycle, f"{path}.flops_per_cycle", above=0, maximum=1e6
            ),
            memory_channels=channels,
            memory_bandwidth=bandwidth,
            power=power,
            contention=contention,
            steps=tuple(steps),
        )
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
            for number, step in enumerate(self.steps, 1):
                found += [
                    f"{path}.steps[{number}].{field}: {watts:g} W at {step.clock:g} GHz are more "
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
        # The width dc - n dd is linear in n, so that both ends tell for all between them.
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
        for number, step in enumerate(self.steps, 1):
            if not isinstance(step, FrequencyStep):
                raise InputError(
                    f"{path}.steps[{number}]: must be a FrequencyStep (is {decode.shown(step)})"
                )
            if not step.clock < before:
                raise InputError(
                    f"{path}.steps[{number}].clock: must be below {called}, {before:g} GHz "
                    f"(is {step.clock:g}); steps go down from the nominal clock"
                )
            before, called = step.clock, "that of the step before"
        if self.steps and self.power is None:
            raise InputError(
                f"{path}.power: is missing; processors with steps need their power at the nominal "
                "clock, such as power = { core = 6.14, shared = 5.59, idle = 0.28 }"
            )
