"""The choices of a run, in one place: their names, values and defaults.

Simulators differ in how they read a trace; each difference is an option here. `rules` sets several
of them at once to what another simulator does.
"""

from __future__ import annotations

from schedlab.errors import InputError, did_you_mean

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

CHOICES: dict[str, tuple[str, ...]] = {
    "processors": ("requested", "allocated"),
    "memory": ("none", "requested", "used"),
    "estimate": ("requested", "exact", "history"),
    "zero_run": ("keep", "skip"),
    "unusable": ("skip", "substitute"),
    "dependencies": ("auto", "ignore", "honour"),
    "dispatch_per": ("time", "event"),
    "fidelity": ("fluid", "analytic", "packet", "phase", "none"),
    "application_errors": ("stop", "fail"),
    "impossible": ("reject", "stop"),
    "jobs": ("csv", "parquet", "none"),
    "timeline": ("csv", "parquet", "none"),
}
"""Options that are one of a few words."""

FLAGS = ("estimate_covers_run", "whole_nodes", "enforce_limits", "strict", "sort", "alone")

DEFAULTS: dict[str, Any] = {
    "processors": "requested",
    "memory": "none",
    "estimate": "requested",
    "missing_estimate": "run",
    "estimate_covers_run": False,
    "zero_run": "keep",
    "unusable": "skip",
    "tasks_per_node": None,
    "whole_nodes": False,
    "dependencies": "auto",  # where SWF rows list several; and in jobs that Python code describes
    "keep": None,  # all that a workload has beyond the fields of SWF
    "enforce_limits": False,
    "dispatch_per": "time",
    "impossible": "reject",  # jobs that can never start
    "fidelity": "fluid",  # of applications on a network
    "accuracy": 0.1,
    "mapping": "block",
    "alone": False,
    "application_errors": "stop",
    "strict": False,
    "sort": False,
    "seed": 0,
}

ARGUMENTS = (
    "reader",
    "system",
    "scheduler",
    "allocator",
    "windows",
    "queues",
    "conditions",
    "data",
    "out",
    "force",
    "jobs",
    "timeline",
    "checkpoint_every",
    "job_factory",
    "rules",
    "progress",
    "pause",
    "trust_code",
)
"""Arguments of `simulate` beside the options; a misspelt one ends up among these."""

READING = (
    "processors",
    "memory",
    "missing_estimate",
    "estimate_covers_run",
    "zero_run",
    "unusable",
    "tasks_per_node",
    "whole_nodes",
    "sort",
)
"""Options that say how rows are read: of files, tables and frames; `strict` is for all readers."""

NETWORK = ("fidelity", "accuracy", "mapping", "alone", "application_errors")
"""Options that say how applications run on a network."""

RULES: dict[str, dict[str, Any]] = {
    "accasim": {"processors": "requested"},
    "alea": {"processors": "allocated", "enforce_limits": True},
    "pyss": {
        "processors": "allocated",
        "enforce_limits": True,
        "estimate_covers_run": True,
        "unusable": "substitute",
        "dispatch_per": "event",
    },
}
"""What other simulators do, as options of ours; everything else is as in DEFAULTS."""


def resolve(
    rules: str | None, given: dict[str, Any], arguments: tuple[str, ...] = ARGUMENTS
) -> dict[str, Any]:
    """Returns every option with its value: given, else by the rules, else the default.

    Args:
        rules: A key of RULES, or None.
        given: Options by name; None stands for not given.
        arguments: Other names that may have been meant, of what is given these options.

    Raises:
        InputError: An option or a value is not known.
    """
    if rules is not None and rules not in RULES:
        raise InputError(f'rules: unknown "{rules}"; known: {", ".join(RULES)}')
    options = {**DEFAULTS, **RULES.get(rules or "", {})}
    for name, value in given.items():
        if name not in options:
            hint = did_you_mean(name, (*options, *arguments))
            if name in arguments:  # of `simulate`, and not of what was called
                hint = "only simulate takes it. "
            raise InputError(f'unknown option "{name}"; {hint}known: {", ".join(options)}')
        if value is not None:
            options[name] = value
    for name in options:
        _check(name, options[name])
    return options


def refuse_reading(given: dict[str, Any]) -> None:
    """Raises InputError if options were given that are for rows of files alone."""
    for name in READING:
        if given.get(name) not in (None, DEFAULTS[name]):
            raise InputError(
                f"{name}: is for rows of files only; jobs from Python or from a "
                "Reader say so themselves, and a job factory can change them"
            )


def refuse_without_network(options: dict[str, Any]) -> None:
    """Raises InputError if options are not the defaults that only machines with a network know."""
    for name in NETWORK:
        if options[name] != DEFAULTS[name] and (name, options[name]) != ("fidelity", "none"):
            raise InputError(
                f"{name}: the system has no network, so no application runs; leave {name} out, or "
                "give the system a network"
            )


def _check(name: str, value: object) -> None:
    if name in CHOICES:
        check_choice(name, value)
    elif name in FLAGS:
        if not isinstance(value, bool):
            raise InputError(f"{name}: must be true or false, not {value!r}")
    elif name == "keep":
        if value is not None and not isinstance(value, str):
            raise InputError(f"keep: must be names with commas between them, not {value!r}")
    elif name == "accuracy":
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (number and 0 <= value <= 0.5):  # type: ignore[operator]
            raise InputError(f"accuracy: must be a number from 0 (exact) to 0.5, not {value!r}")
    elif name == "mapping":
        if not isinstance(value, str):
            raise InputError(
                f"mapping: must be block, cyclic or package.module:function, not {value!r}"
            )
    elif name == "seed":
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**64:
            raise InputError(f"seed: must be a whole number from 0 to 2**64 - 1, not {value!r}")
    elif name == "tasks_per_node":
        whole = isinstance(value, int) and not isinstance(value, bool)
        if value is not None and not (whole and 1 <= value < 2**31):  # type: ignore[operator]
            raise InputError(f"tasks_per_node: must be a whole number from 1 up, not {value!r}")
    elif name == "missing_estimate" and value not in ("run", "skip"):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (number and 0 < value <= 4e9):  # type: ignore[operator]
            raise InputError(f"missing_estimate: must be run, skip or seconds, not {value!r}")


def check_choice(name: str, value: object) -> None:
    """Raises InputError unless the value is one of the option's words."""
    if value not in CHOICES[name]:
        raise InputError(f"{name}: must be one of {', '.join(CHOICES[name])}, not {value!r}")
