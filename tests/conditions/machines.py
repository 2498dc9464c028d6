"""Machines whose power is known, for tests of what happens to them."""

from __future__ import annotations

from schedlab.system import (
    FrequencyStep,
    Group,
    NodePower,
    NodeType,
    Power,
    ProcessorType,
    System,
    Transition,
)

SLOW = FrequencyStep(1.7, Power(2.31, 1.59, 0.08))
PROCESSOR = ProcessorType(
    "i5", cores=4, clock=3.4, power=Power(6.14, 5.59, 0.28), steps=[FrequencyStep(2.5, SLOW.power)]
)
PLAIN = ProcessorType("plain", cores=2, clock=2.0, power=Power(5, 3, 1))
WAYS = {"off": Transition(30, 60, 120, 90), "sleeping": Transition(5, 40, 10, 50)}
COMPUTE = NodeType("compute", [(PROCESSOR, 2)], power=NodePower(20, 8, 2), transitions=WAYS)
SERVICE = NodeType("service", [(PLAIN, 1)], power=NodePower(5))
NO_POWER = NodeType("dark", [(ProcessorType("dark", cores=4, clock=1.0), 1)])


def compute(nodes=4, rack=2, start_time=0):
    """One group: idle 20.56 W a node, asleep 8 W, off 2 W."""
    return System("m", start_time, groups=[Group("compute", nodes, type=COMPUTE, rack=rack)])


def mixed():
    """Two groups: of 20.56 W and of 6 W a node, the second without steps and states."""
    groups = [Group("compute", 4, type=COMPUTE), Group("service", 2, type=SERVICE)]
    return System("m", groups=groups)


def dark():
    """Sockets without power."""
    return System("m", groups=[Group("all", 2, type=NO_POWER)])


def plain(nodes=4):
    """Nodes that are amounts only."""
    return System("m", groups=[Group("node", nodes, {"core": 4})])
