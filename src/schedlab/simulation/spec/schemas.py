"""JSON Schemas of the files that people write: systems, conditions, runs."""

from __future__ import annotations

from schedlab.conditions.definition import Conditions
from schedlab.conditions.failure_trace import FailureTrace
from schedlab.conditions.failures import Failures, Resubmission
from schedlab.conditions.power import PowerCap, SwitchOff
from schedlab.conditions.thermal import Thermal
from schedlab.errors import InputError, did_you_mean
from schedlab.fields.schema import schema_of, table_schema
from schedlab.options import Options
from schedlab.simulation.spec.value import RunSpec
from schedlab.system.definition import Group, System
from schedlab.system.network.messages import ComputeRates, Files, Messages
from schedlab.system.network.network_table import TOPOLOGIES
from schedlab.system.node_types import NodePower, NodeType, Transition
from schedlab.system.partitions import Partition
from schedlab.system.preemption import Preemption
from schedlab.system.processors import Contention, FrequencyStep, Power, ProcessorType
from schedlab.system.queues import Queue
from schedlab.system.windows import Window

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.fields import Defined

_SYSTEM: tuple[type[Defined], ...] = (
    *(System, Group, Partition, Preemption, ProcessorType, Power, Contention, FrequencyStep),
    *(NodeType, NodePower, Transition, *TOPOLOGIES.values(), Messages, Files, ComputeRates),
)
_CONDITIONS: tuple[type[Defined], ...] = (
    *(Conditions, Failures, FailureTrace, Resubmission, PowerCap, SwitchOff, Thermal),
)


def _conditions_of_run() -> dict[str, Any]:
    """Returns the schema of conditions in a run, which may say which file they come from."""
    table = table_schema(Conditions, Conditions._declared)
    source = {"type": "string", "description": "the file that they come from, for people"}
    return {**table, "properties": {**table["properties"], "source": source}}


_KNOWN: dict[str, Any] = {
    **{one.__name__: one for one in (*_SYSTEM, *_CONDITIONS, Window, Queue)},
    "Conditions": _conditions_of_run(),
    "Network": {"anyOf": [{"$ref": f"#/$defs/{one.__name__}"} for one in TOPOLOGIES.values()]},
}
"""What declarations refer to, by name."""

KINDS = ("system", "conditions", "run")


def schema(kind: str) -> dict[str, Any]:
    """Returns the JSON Schema of a kind of file: "system", "conditions" or "run".

    Raises:
        InputError: There is none of that name.
    """
    if kind == "system":
        return schema_of(System, "A machine", _KNOWN)
    if kind == "conditions":
        return schema_of(Conditions, "What happens to a machine", _KNOWN)
    if kind == "run":
        return schema_of(RunSpec, "A run", _KNOWN, Options._declared)
    raise InputError(
        f'there is no schema "{kind}"; {did_you_mean(kind, KINDS)}known: {", ".join(KINDS)}'
    )
