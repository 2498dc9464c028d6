"""What the description in a state file holds: checked before anything is made of it."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.options import CHOICES
from schedlab.results.run_shape import LATEST_SECONDS
from schedlab.results.shapes import fields, list_of, maybe, number, text, whole, word
from schedlab.simulation.spec import RunSpec, Unnamed

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

_FORMAT = word(*CHOICES["jobs"])

_RUN = fields(
    {
        "formats": fields(
            {"jobs": _FORMAT, "timeline": _FORMAT},
            dict.fromkeys(("states", "interruptions", "nodes", "links"), word("csv")),
        ),
        "sizes": fields(
            {}, dict.fromkeys(("jobs", "timeline", "states", "interruptions"), whole())
        ),
        "seconds": list_of(number(0.0), least=2),
    }
)
"""What a checkpoint says of the run folder that it is in."""

_TEXTS = ("applications", "partition_lists", "needs", "licenses")
_POLICIES = ("scheduler", "allocator", "estimator")

DESCRIPTION = fields(
    {
        **dict.fromkeys(("spec", "requested_spec"), fields({})),
        "code": fields({"data": list_of(text)}, dict.fromkeys((*_POLICIES, "job_factory"), text)),
        "names": fields(
            {**dict.fromkeys(_POLICIES[:2], text), "estimator": maybe(text), "data": list_of(text)}
        ),
        "now": number(-LATEST_SECONDS, LATEST_SECONDS),
        **dict.fromkeys((*_TEXTS, "swf_attributes"), list_of(text)),
    },
    {"run": _RUN},
)


def check_description(description: dict[str, Any]) -> None:
    """Raises InputError, with the field, for what does not describe a simulation."""
    DESCRIPTION(description, "")
    for name in ("spec", "requested_spec"):
        spec = RunSpec.from_data(description[name], place=name)
        if name == "spec":
            _check_spec(spec, description["code"])
    for name in _TEXTS:
        if len(set(description[name])) < len(description[name]):
            raise InputError(f"{name}: names one twice")
    if "run" in description and len(description["run"]["seconds"]) != 2:
        raise InputError("run.seconds: must be two, of wall time and of CPU time")


def _check_spec(spec: RunSpec, code: dict[str, Any]) -> None:
    """Raises InputError where something is missing, or would be read from a file."""
    if not isinstance(spec.system, dict):
        raise InputError("spec: system: must be a table: that of the machine itself")
    for name in ("windows", "queues", "conditions"):
        if isinstance(getattr(spec, name), (str, Unnamed)):
            raise InputError(f"spec: {name}: must be what was simulated, and not a file")
    if spec.workload is None:
        raise InputError("spec: workload: is missing")
    if isinstance(spec.data, tuple) and len(spec.data) != len(code["data"]):
        raise InputError("code.data: must have a class for each of spec.data")
