"""What run.json holds: the shape of its fields, and what they must agree on."""

from __future__ import annotations

import os

from schedlab.errors import InputError
from schedlab.job_states import ENDED
from schedlab.overwriting import TABLES
from schedlab.results import FORMAT
from schedlab.results.shapes import (
    boolean,
    fields,
    list_of,
    maybe,
    number,
    plain,
    table_of,
    text,
    whole,
    word,
)

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

ADVICE = "restore it, or run the simulation again"
"""What to do about a damaged file of a run."""

STATES = (
    "submitted",
    *ENDED,
    *("held", "queued", "running"),
)

LATEST_SECONDS = 2**63 / 1e9
"""The engine counts nanoseconds in 64 bits, from the workload's own time 0."""

moment = number(-LATEST_SECONDS, LATEST_SECONDS)
"""The shape of a time in the workload's own clock."""

_duration = number(0, LATEST_SECONDS)
_amount = number()
_spread = fields(dict.fromkeys(("mean", "median", "p95", "max"), maybe(number())))

_CAP = fields(
    {
        "refused_starts": whole(),
        **dict.fromkeys(("seconds_slowed", "seconds_above"), _duration),
        **dict.fromkeys(("energy_above", "most_above"), _amount),
    }
)

_METRICS = fields(
    {
        **dict.fromkeys(("wait", "slowdown", "bounded_slowdown", "turnaround"), maybe(_spread)),
        "utilization": table_of(_amount),
        "makespan": _duration,
        "throughput_per_hour": _amount,
    },
    {
        "energy": fields(
            dict.fromkeys(
                ("total", "average_power", "peak_power", "energy_delay_product"), _amount
            ),
            {
                **dict.fromkeys(("jobs", "idle", "transitions", "sleeping", "off"), _amount),
                **dict.fromkeys(("cost", "carbon"), maybe(number())),
                "caps": list_of(_CAP),
            },
        ),
        "thermal": fields(
            {
                "hottest": number(),
                **dict.fromkeys(("throttled_node_seconds", "cooling_energy"), _amount),
            }
        ),
        "failures": fields(
            {
                **dict.fromkeys(("node_failures", "interruptions", "interrupted_jobs"), whole()),
                "given_up": whole(),
                "lost_node_seconds": _amount,
            }
        ),
        "preemption": fields(dict.fromkeys(("requeued", "requeued_jobs", "cancelled"), whole())),
        "licenses": table_of(_amount),
        "node_hours": table_of(_amount),
        "effective_utilization": maybe(_amount),
        "network": fields(
            {"jobs": whole(), "communication_share": _amount, "hop_bytes": _amount},
            {"mean_hops": maybe(_amount), "slowdown": maybe(_spread)},
        ),
    },
)

_WORKLOAD = fields(
    {
        **dict.fromkeys(("path", "reader", "job_factory"), maybe(text)),
        "rows": whole(),
        "skipped": table_of(fields({"rows": whole(), "first_line": maybe(whole())})),
        "header": table_of(text),
    },
    {"applications": list_of(text), "bytes": whole(), "checksum": text},
)

TABLES_WRITTEN = fields(
    {}, dict.fromkeys(TABLES, fields({"bytes": whole(), "checksum": text})), True
)
"""The shape of what run.json says of the tables beside it."""

RUN = fields(
    {
        "format": whole(),
        "status": word("complete", "interrupted", "failed", "running"),
        **dict.fromkeys(("schedlab", "scheduler", "allocator"), text),
        "rules": maybe(text),
        "options": table_of(plain),
        **dict.fromkeys(("windows", "queues"), list_of(fields({}))),
        "data": list_of(text),
        "workload": _WORKLOAD,
        "counts": fields(dict.fromkeys(STATES, whole())),
        "metrics": _METRICS,
        "time": fields(
            {
                **dict.fromkeys(("first_submit", "last_end"), maybe(moment)),
                "now": moment,
                "time_points": whole(),
            }
        ),
        "files": list_of(word(*TABLES)),
        "simulator": fields(
            {
                **dict.fromkeys(("cpu_seconds", "wall_seconds"), _amount),
                "dispatch_seconds": maybe(_amount),
                "peak_memory_bytes": whole(),
            }
        ),
    },
    {
        "conditions": maybe(fields({"text": text}, {"source": maybe(text)})),
        "error": text,
        "spec": fields({}),
        "tables": TABLES_WRITTEN,
        **dict.fromkeys(("warnings", "application_errors"), list_of(text)),
        "rejections": table_of(
            fields({"jobs": whole(), "first_job": whole(-(2**63)), "because": text})
        ),
    },
)


def read_run(folder: str) -> dict[str, Any]:
    """Returns what run.json of a folder holds.

    Raises:
        InputError: There is none, or it is damaged; with the line or the field.
    """
    from schedlab.results.stored_json import read_table, visible

    path = os.path.join(folder, "run.json")
    try:
        run: dict[str, Any] = visible(read_table(path, "the file of a run", ADVICE))
    except FileNotFoundError:
        raise InputError(f"{folder}: is not a run folder: it has no run.json") from None
    return checked_run(run, path)


def checked_run(run: dict[str, Any], path: str) -> dict[str, Any]:
    """Returns the content of a run.json.

    Raises:
        InputError: It is something else; with the file, the field and what to do.
    """
    try:
        check_run(run)
    except InputError as error:
        raise InputError(f"{path}: {error}; {ADVICE}") from None
    return run


def check_run(run: dict[str, Any]) -> None:
    """Raises InputError, with the path of the field, for what is not the content of a run.json."""
    if run.get("format") != FORMAT:
        raise InputError(
            f"format: must be {FORMAT}, which this version of schedlab reads "
            f"(is {run.get('format')!r})"
        )
    RUN(run, "")
    _check_system(run)
    if "network" in run["system"]:
        fields({"fidelity": text, "alone": boolean})(run["options"], "options")
    if "failures" in run["metrics"] and "node_hours" not in run["metrics"]:
        raise InputError("metrics.node_hours: is missing")
    for kind in run["metrics"]["utilization"]:
        if kind not in run["system"]["capacity"]:
            raise InputError(f"metrics.utilization: system.capacity has no {kind}")
    for name in run["metrics"].get("licenses", ()):
        if name not in (run["system"].get("licenses") or ()):
            raise InputError(f"metrics.licenses: system.licenses has no {name}")


def _check_system(run: dict[str, Any]) -> None:
    """Raises InputError for what does not describe a machine, as a system file would."""
    from schedlab.system import load_system

    fields(
        {
            "path": maybe(text),
            "checksum": text,
            "nodes": whole(1),
            "capacity": table_of(whole()),
            "start_time": whole(-(2**63)),
            "processor": table_of(whole()),
            "groups": table_of(fields({"nodes": whole(1), "resources": table_of(whole())})),
        }
    )(run.get("system"), "system")
    definition = dict(run["system"])
    for name in ("path", "checksum", "nodes", "capacity"):
        del definition[name]
    definition["groups"] = {name: _group(group) for name, group in definition["groups"].items()}
    system = load_system(definition)
    for name, made in (("nodes", system.nodes), ("capacity", system.capacity)):
        if run["system"][name] != made:
            raise InputError(f"system.{name}: is not that of system.groups, which have {made}")
    for group in system.groups:
        if run["system"]["groups"][group.name]["resources"] != group.resources:
            raise InputError(f"system.groups.{group.name}.resources: are not those of its type")


def _group(group: dict[str, Any]) -> dict[str, Any]:
    """Returns what a system file says of a group: of a platform's, the type gives resources."""
    return {key: group[key] for key in group if key != "resources" or "type" not in group}
