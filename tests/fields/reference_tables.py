"""Which tables of the documentation say what which declarations say."""

from __future__ import annotations

from typing import NamedTuple

from schedlab.conditions import Conditions, Failures, FailureTrace, PowerCap, Resubmission, Thermal
from schedlab.conditions.power import SwitchOff
from schedlab.fields import Defined
from schedlab.fields.documentation import table
from schedlab.simulation import RunSpec
from schedlab.system import (
    ComputeRates,
    Contention,
    Dragonfly,
    FatTree,
    Files,
    FrequencyStep,
    Group,
    Messages,
    NodePower,
    NodeType,
    Power,
    ProcessorType,
    System,
    Torus,
    Transition,
)
from schedlab.system.partitions import Partition
from schedlab.system.preemption import Preemption
from schedlab.system.queues import Queue
from schedlab.system.windows import Window

SHARED = ("host_bandwidth", "host_delay", "messages", "files", "compute", "preset")
"""Keys that all topologies have, in one table."""


class ReferenceTable(NamedTuple):
    """A table of a page: `heading` is what the head of its first column says."""

    page: str
    heading: str
    kind: type[Defined]
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Returns the table in Markdown."""
        (_, *head), *rows = table(self.kind)
        shown = [row for row in rows if self._has(row[0].strip("`"))]
        cells = [(self.heading, *head), ("---",) * 4, *shown]
        lines = ["| " + " | ".join(row) + " |" for row in cells]
        return [lines[0], "|" + "---|" * 4, *lines[2:]]

    def _has(self, key: str) -> bool:
        return key not in self.without and (not self.only or key in self.only)


TABLES = [
    ReferenceTable("system-file", "key", System),
    ReferenceTable("system-file", "key of `groups.NAME`", Group),
    ReferenceTable("system-file", "key of `partitions.NAME`", Partition),
    ReferenceTable("system-file", "key of `processors.NAME`", ProcessorType),
    ReferenceTable("system-file", "key of `processors.NAME.power`", Power),
    ReferenceTable("system-file", "key of `node_types.NAME`", NodeType),
    ReferenceTable("system-file", "key of `node_types.NAME.power`", NodePower),
    ReferenceTable("system-file", "key of `node_types.NAME.transitions.STATE`", Transition),
    ReferenceTable("platforms", "key of `contention`", Contention),
    ReferenceTable("networks", "key of `network`", Torus, only=SHARED),
    ReferenceTable("networks", "key of a torus", Torus, without=SHARED),
    ReferenceTable("networks", "key of a fat-tree", FatTree, without=SHARED),
    ReferenceTable("networks", "key of a dragonfly", Dragonfly, without=SHARED),
    ReferenceTable("networks", "key of `network.messages`", Messages),
    ReferenceTable("networks", "key of `network.files`", Files),
    ReferenceTable("networks", "key of `network.compute`", ComputeRates),
    ReferenceTable("windows-and-queues", "key of `windows`", Window),
    ReferenceTable("windows-and-queues", "key of `queues`", Queue),
    ReferenceTable("preemption", "key of `preempt`", Preemption),
    ReferenceTable("conditions", "key", Conditions),
    ReferenceTable("conditions", "key of `switch_off`", SwitchOff),
    ReferenceTable("conditions", "key of `caps`", PowerCap),
    ReferenceTable("conditions", "key of `thermal`", Thermal),
    ReferenceTable("failures", "key of `failures`", Failures),
    ReferenceTable("failures", "key of `failure_trace`", FailureTrace),
    ReferenceTable("failures", "key of `resubmission`", Resubmission),
    ReferenceTable("run-spec", "field", RunSpec),
]

IN_NO_TABLE = {FrequencyStep}
"""Definitions whose keys other tables have: those of a step are `clock` and those of `power`."""
