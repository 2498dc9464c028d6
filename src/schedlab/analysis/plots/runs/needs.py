"""What plots need of a run: tables, a platform, power, failures, temperatures, a network."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.results import Result

LINK_USE = ("link-use", "schedlab.dispatch.link_use:LinkUse")
"""Names of the additional data about links."""

TABLES = ("jobs", "timeline")
"""Files that a simulation writes if asked to."""

KINDS: dict[str, tuple[Callable[[dict[str, Any]], bool], str]] = {
    "platform": (
        lambda run: "processors" in run["system"],
        "jobs have no speed there, because its system has no processor and node types; see "
        "docs/reference/system-file.md",
    ),
    "power": (
        lambda run: "energy" in run["metrics"],
        "nothing is known of its power; give the processors of its system power = { core = ..., "
        "shared = ..., idle = ... }",
    ),
    "failures": (
        lambda run: "node_hours" in run["metrics"],
        "its nodes did not fail; simulate with conditions that have [[failures]] or "
        "[failure_trace] (on the command line --conditions FILE)",
    ),
    "temperature": (
        lambda run: "thermal" in run["metrics"],
        "nothing is known of its temperatures; simulate with conditions that have [thermal] (on "
        "the command line --conditions FILE)",
    ),
    "network": (
        lambda run: "network" in run["system"] and run["options"]["fidelity"] != "none",
        "its jobs ran no applications on a network; give its system a [network] (see "
        "docs/reference/networks.md), and another fidelity than none",
    ),
    "alone": (
        lambda run: run["options"]["alone"] or run["options"]["fidelity"] == "phase",
        "how long its jobs would have taken alone is not known; simulate with alone=True (on the "
        "command line --alone)",
    ),
    "link-use": (
        lambda run: any(text.partition("(")[0] in LINK_USE for text in run["data"]),
        'its timeline has nothing about links; simulate with data=["link-use(every=60)"] (on the '
        "command line --data 'link-use(every=60)')",
    ),
}
"""What only some runs have, whatever was written of them: how to see it, and what to do."""


NETWORK = ("network", "alone", "link-use")
"""Those of them that only machines with a network have."""


def lacking(need: str, result: Result) -> str | None:
    """Returns why a run has not what is needed, and what to do; None where it has."""
    if need in TABLES:
        names = [os.path.join(result.path, f"{need}.{kind}") for kind in ("csv", "parquet")]
        if any(map(os.path.lexists, names)):
            return None
        return (
            f'needs {names[0]}, which is not there; simulate with {need}="csv" (on the command '
            f"line --{need} csv)"
        )
    has, advice = KINDS[need]
    if has(result.run):
        return None
    if "phase" in result.run:
        return f"{result.path}: a phase has none of its own; plot the whole run"
    return f"{result.path}: {advice}"
