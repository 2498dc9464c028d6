"""Jobs that repeat patterns on shared links, by the book: everything anew at every change.

Alone, a flow takes what its largest message takes on an empty network, and longer by what the
busiest link on its way has to carry beside that message; a rank continues when its messages have
come. With others, the n flows of a stage (a phase, and those like it) on a link of capacity C get
the largest rate y with n y + sum over other jobs of load min(1, y / their rate of a flow) <= C - s,
s being a share of how much the others' load deviates from its mean.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from schedlab import _engine

Flow = tuple[int, int, int, int]
Phase = tuple[float, float, list[Flow]]

SECOND = 10**9
MOST_STAGES = 32
PASSES = 8
UNEVENNESS = 0.3
FILES = "files"


class Load:
    """One pass of a pattern with ranks on given nodes of a network with fixed routes."""

    def __init__(self, model: PhaseModel, pattern: list[Phase], nodes: list[int]) -> None:
        self.compute = sum(phase[0] for phase in pattern)
        self.files = sum(phase[1] for phase in pattern) / model.capacity.get(FILES, math.inf)
        self.bytes: dict[Any, float] = defaultdict(float)
        self.messages = self.hops = self.hop_bytes = self.message_bytes = 0.0
        kinds: list[list[Flow]] = []
        for _, _, flows in pattern:
            if flows not in kinds:
                kinds.append(flows)
        counts = [sum(flows == phase[2] for phase in pattern) for flows in kinds]
        loads, counted = map(
            list, zip(*(model.loads(flows, nodes) for flows in kinds), strict=True)
        )
        times = [
            [model.flow_seconds(flow, nodes, load) for flow in flows]
            for flows, load in zip(kinds, loads, strict=True)
        ]
        for flows, count, load in zip(kinds, counts, loads, strict=True):
            for link, amount in load.items():
                self.bytes[link] += count * amount
            for sender, receiver, messages, size in flows:
                hops = model.topology.hops(nodes[sender], nodes[receiver])
                self.messages += count * messages
                self.message_bytes += count * size
                self.hops += count * messages * hops
                self.hop_bytes += count * size * hops

        clocks = [0.0] * len(nodes)
        for _, _, flows in pattern * PASSES:
            later = list(clocks)
            for flow, (delivered, acknowledged) in zip(
                flows, times[kinds.index(flows)], strict=True
            ):
                later[flow[0]] = max(later[flow[0]], clocks[flow[0]] + acknowledged)
                later[flow[1]] = max(later[flow[1]], clocks[flow[0]] + delivered)
            clocks = later
        busiest = max((self.bytes[link] / model.capacity[link] for link in self.bytes), default=0)
        network = max(busiest, max(clocks) / PASSES)
        self.alone = self.compute + self.files + network

        drains = [
            max((amount / model.capacity[link] for link, amount in load.items()), default=0.0)
            for load in loads
        ]
        longest = [max((max(pair) for pair in pairs), default=0.0) for pairs in times]
        together = sum(count * seconds for count, seconds in zip(counts, longest, strict=True))
        shorter = min(1.0, network / together) if together else 1.0
        stages = min(len(kinds), MOST_STAGES)
        self.stage_seconds = [0.0] * stages
        self.rates: list[dict[Any, float]] = [{} for _ in range(stages)]
        self.flows: list[dict[Any, float]] = [{} for _ in range(stages)]
        for kind in reversed(range(len(kinds))):
            stage = kind * stages // len(kinds)
            held = counts[kind] * min(drains[kind], longest[kind]) * shorter
            self.stage_seconds[stage] += held
            self.rates[stage] = {k: amount / drains[kind] for k, amount in loads[kind].items()}
            self.flows[stage] = counted[kind]
        self.fixed = max(0.0, self.alone - self.files - sum(self.stage_seconds))
        self.stage_seconds.append(self.files)
        self.rates.append({FILES: model.capacity[FILES]} if self.files else {})
        self.flows.append({FILES: 1.0})
        if self.files:
            self.bytes[FILES] = self.files * model.capacity[FILES]

    def of_a_flow(self, link: Any) -> float:
        """Return the bytes per second of one message on a link, mean over stages."""
        stages = [stage for stage, rates in enumerate(self.rates) if link in rates]
        flows = sum(self.flows[stage][link] for stage in stages)
        return sum(self.rates[stage][link] for stage in stages) / flows if flows else 0.0


class Job:
    """A job that runs, and how fast."""

    def __init__(self, load: Load, repeats: float, now: int) -> None:
        self.load, self.left, self.since = load, repeats, now
        self.alone()

    def alone(self) -> None:
        self.set([1.0] * len(self.load.stage_seconds))

    def set(self, speeds: list[float]) -> None:
        seconds = self.load.stage_seconds
        stretched = [length / speed for length, speed in zip(seconds, speeds, strict=True)]
        self.pass_seconds = self.load.fixed + sum(stretched)
        self.file_speed = speeds[-1]
        network = sum(stretched[:-1])
        self.network_speed = sum(seconds[:-1]) / network if network else 1.0

    def end(self) -> int:
        return self.since + math.ceil(self.left * self.pass_seconds * SECOND)


class PhaseModel:
    """The model; like that of the engine, but slow."""

    def __init__(self, network: dict[str, Any]) -> None:
        self.network = network
        self.topology = _engine.Topology(network)
        self.capacity: dict[Any, float] = {}
        for number, (_, _, kind, ports, rate, _) in enumerate(self.topology.links):
            limit = network["messages"]["injection"] if kind == "host out" else 0.0
            self.capacity[number] = min(ports * rate, limit or math.inf)
        if network["files"]:
            self.capacity[FILES] = network["files"]["bytes_per_second"]
        self.jobs: dict[int, Job] = {}

    def rules(self, size: int) -> tuple[int, int]:
        """Return what the wires carry of a message, and of its replies."""
        messages = self.network["messages"]
        switch = messages["switch_over"]
        kind = "get" if switch is not None and size >= switch else "put"
        packets = max(1, -(-size // messages["packet"]))
        header, reply = messages[kind + "_header"], messages[kind + "_reply"]
        return size + packets * header, packets * reply

    def loads(
        self, flows: list[Flow], nodes: list[int]
    ) -> tuple[dict[Any, float], dict[Any, float]]:
        """Return the bytes and the messages on each link; replies are parts of messages."""
        found: dict[Any, float] = defaultdict(float)
        counted: dict[Any, float] = defaultdict(float)
        for sender, receiver, messages, size in flows:
            here, there = nodes[sender], nodes[receiver]
            if here == there:
                continue
            for number in range(messages):
                wire, replies = self.rules(size // messages + (number < size % messages))
                for link in self.topology.route(here, there):
                    found[link] += wire
                    counted[link] += 1
                if replies:
                    for link in self.topology.route(there, here):
                        found[link] += replies
                        counted[link] += replies / wire
        return found, counted

    def flow_seconds(
        self, flow: Flow, nodes: list[int], loads: dict[Any, float]
    ) -> tuple[float, float]:
        """Return the time until the receiver, and until the sender continues."""
        sender, receiver, messages, total = flow
        size = -(-total // messages)
        rules = self.network["messages"]
        here, there = nodes[sender], nodes[receiver]
        if here == there:
            seconds = rules["memory_delay"] + size / rules["memory_bytes_per_second"]
            return seconds, seconds
        links = self.topology.route(here, there)
        busiest = max(loads[link] / self.capacity[link] for link in links)
        own = max(self.rules(size)[0] / self.capacity[link] for link in links)
        transport = _engine.Transport(self.network, "analytic")
        transport.send(0, here, there, size, 0)
        arrivals: dict[bool, int] = {}
        while (tick := transport.next_time()) is not None:
            for _, acknowledged in transport.advance(tick):
                arrivals[acknowledged] = tick
        extra = busiest - own
        return arrivals[False] / 1e12 + extra, arrivals[True] / 1e12 + extra

    def start(
        self, slot: int, pattern: list[Phase], repeats: float, nodes: list[int], now: int
    ) -> None:
        self.settle(now)
        self.jobs[slot] = Job(Load(self, pattern, nodes), repeats, now)

    def stop(self, slot: int, now: int) -> None:
        self.settle(now)
        del self.jobs[slot]

    def settle(self, now: int) -> None:
        self.find_speeds()
        for job in self.jobs.values():
            if job.pass_seconds:
                job.left = max(0.0, job.left - (now - job.since) / SECOND / job.pass_seconds)
            job.since = now

    def advance(self, now: int) -> list[tuple[int, int]]:
        """Return the ends up to now: times and slots."""
        ended: list[tuple[int, int]] = []
        while True:
            self.find_speeds()
            first = min((job.end() for job in self.jobs.values()), default=now + 1)
            if first > now:
                return ended
            over = [slot for slot, job in self.jobs.items() if job.end() == first]
            self.settle(first)
            ended += [(first, slot) for slot in sorted(over)]
            for slot in over:
                del self.jobs[slot]

    def find_speeds(self) -> None:
        for job in self.jobs.values():
            job.alone()
        for _ in range(2000):
            change = 0.0
            for job in self.jobs.values():
                before = job.pass_seconds
                job.set(self.speeds_beside_others(job))
                if before:
                    change = max(change, abs(job.pass_seconds / before - 1))
            if change < 1e-14:
                return
        raise AssertionError("no speeds found")

    def speeds_beside_others(self, job: Job) -> list[float]:
        speeds = []
        for rates, flows in zip(job.load.rates, job.load.flows, strict=True):
            speed = 1.0
            for link, rate in rates.items():
                others = [
                    (
                        other.load.of_a_flow(link)
                        * (other.file_speed if link == FILES else other.network_speed),
                        other.load.bytes[link] / other.pass_seconds,
                    )
                    for other in self.jobs.values()
                    if other is not job and other.load.bytes.get(link)
                ]
                spread = min(
                    UNEVENNESS * self.deviation_of_others(job, link),
                    0.5 * self.capacity[link],
                )
                capacity = self.capacity[link] - spread
                speed = min(speed, most_speed(rate, flows[link], others, capacity))
            speeds.append(speed)
        return speeds

    def deviation_of_others(self, job: Job, link: Any) -> float:
        """Return that of jobs that send either nothing or as much as they can."""
        deviations = []
        for other in self.jobs.values():
            if other is not job and other.load.bytes.get(link):
                load = other.load.bytes[link] / other.pass_seconds
                peak = max(rates.get(link, 0.0) for rates in other.load.rates)
                speed = other.file_speed if link == FILES else other.network_speed
                busy = load / (peak * speed) if peak * speed > load else 1.0
                deviations.append(2 * load * (1 - busy))
        return math.hypot(*deviations)


def most_speed(
    rate: float, flows: float, others: list[tuple[float, float]], capacity: float
) -> float:
    """Return the largest speed up to 1 of N flows that would have the rate alone.

    Their own rate y solves flows y + sum of load min(1, y / rate of a flow) = capacity. The sum is
    the least of what it is with the slowest n of the others counted as satisfied.
    """
    if rate + sum(load for _, load in others) <= capacity * (1 + 1e-12):
        return 1.0
    ordered = sorted(others)
    own = []
    for n in range(len(ordered) + 1):
        slower = sum(load / slowest for slowest, load in ordered[n:] if slowest)
        if len([slowest for slowest, _ in ordered[n:] if not slowest]) == 0:
            own.append((capacity - sum(load for _, load in ordered[:n])) / (flows + slower))
    return min(1.0, max(own) * flows / rate)
