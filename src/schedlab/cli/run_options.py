"""What determines a run, on the command line: declared once, for `schedlab run` and `compare`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

from schedlab.cli import options
from schedlab.cli.options import (
    APPLICATIONS,
    DISPATCHING,
    OUTPUT,
    READING,
    SIMULATING,
    option,
    word_option,
)
from schedlab.options import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.simulation import RunSpec

SHARED: dict[str, Any] = {
    "windows": Annotated[
        str | None,
        option("--windows", DISPATCHING, "File of maintenance and advance reservations.", "FILE"),
    ],
    "queues": Annotated[
        str | None, option("--queues", DISPATCHING, "File of queues with priorities.", "FILE")
    ],
    "conditions": Annotated[
        str | None,
        option(
            "--conditions",
            SIMULATING,
            "File of failures, power caps, switching off, prices, temperatures.",
            "FILE",
        ),
    ],
    "data": Annotated[
        list[str] | None,
        option("--data", DISPATCHING, "Additional data; may be repeated.", "package.module:Class"),
    ],
    "rules": Annotated[
        str | None,
        word_option(
            "rules", SIMULATING, "as that simulator does; other options go before.", tuple(RULES)
        ),
    ],
    "reader": options.Reader,
    "job_factory": Annotated[
        str | None,
        option(
            "--job-factory",
            READING,
            "Sees, changes or leaves out each job: package.module:function.",
            "NAME",
        ),
    ],
    "processors": Annotated[
        str | None,
        word_option("processors", READING, "the field that counts; the other where it is missing."),
    ],
    "memory": Annotated[
        str | None, word_option("memory", READING, "the field that counts, in KB per processor.")
    ],
    "estimate": Annotated[
        str | None,
        word_option(
            "estimate", READING, "what the scheduler knows of run times; or package.module:Class."
        ),
    ],
    "missing_estimate": Annotated[
        str | None,
        word_option(
            "missing_estimate",
            READING,
            "what stands in for a missing requested time.",
            ("run", "skip", "TIME"),
        ),
    ],
    "estimate_covers_run": Annotated[
        bool | None,
        option(
            "--estimate-covers-run/--no-estimate-covers-run",
            READING,
            "Raise estimates that are below the run time to it.",
        ),
    ],
    "zero_run": Annotated[str | None, word_option("zero_run", READING, "jobs that ran for 0 s.")],
    "unusable": Annotated[
        str | None,
        word_option("unusable", READING, "rows that cannot run; or jobs of 1 s instead."),
    ],
    "tasks_per_node": Annotated[
        int | None, option("--tasks-per-node", READING, "Most tasks of a job on one node.", "N")
    ],
    "whole_nodes": Annotated[
        bool | None,
        option("--whole-nodes/--no-whole-nodes", READING, "Jobs take idle nodes, and all of them."),
    ],
    "dependencies": Annotated[
        str | None, word_option("dependencies", READING, "the preceding job that rows name.")
    ],
    "strict": Annotated[
        bool | None,
        option("--strict/--no-strict", READING, "Refuse the workload at the first bad row."),
    ],
    "sort": Annotated[
        bool | None,
        option("--sort/--no-sort", READING, "Sort rows by submit time (loads them all)."),
    ],
    "enforce_limits": Annotated[
        bool | None,
        option(
            "--enforce-limits/--no-enforce-limits",
            SIMULATING,
            "Kill jobs at their requested time.",
        ),
    ],
    "dispatch_per": Annotated[
        str | None, word_option("dispatch_per", SIMULATING, "how often the scheduler is called.")
    ],
    "impossible": Annotated[
        str | None,
        word_option(
            "impossible", SIMULATING, "jobs that can never start; or the run at the first."
        ),
    ],
    "seed": options.Seed,
    "fidelity": options.Fidelity,
    "accuracy": options.Accuracy,
    "mapping": options.Mapping,
    "alone": Annotated[
        bool | None,
        option(
            "--alone/--no-alone",
            APPLICATIONS,
            "Also work out how long each job takes alone, for its slowdown.",
        ),
    ],
    "application_errors": Annotated[
        str | None,
        word_option(
            "application_errors",
            APPLICATIONS,
            "the run where a program goes wrong; or that job alone.",
        ),
    ],
    "trust_code": options.TrustCode,
    "keep": Annotated[
        str | None,
        option(
            "--keep", OUTPUT, "Attributes to write with each job, such as queue,phase.", "NAMES"
        ),
    ],
}
"""By the name of the keyword argument, in the order of --help: the type of each option."""


def with_shared(before: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns a decorator that lets a command take all of SHARED, as keyword arguments.

    Args:
        before: The command's own parameter that comes after them in --help.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters = []
        for name, parameter in signature.parameters.items():
            if name == before:
                parameters += [
                    parameter.replace(name=one, annotation=kind, default=_default(one))
                    for one, kind in SHARED.items()
                ]
            if parameter.kind is not parameter.VAR_KEYWORD:
                parameters.append(parameter)
        command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return command

    return decorated


def _default(name: str) -> bool | None:
    return False if name == "trust_code" else None


def spec_arguments(shared: dict[str, Any], **others: Any) -> dict[str, Any]:
    """Returns the keyword arguments of `RunSpec` that a command line gives.

    Args:
        shared: What a command got for SHARED.
        **others: Further ones.
    """
    given = {**others, **shared}
    return {
        name: value for name, value in given.items() if value is not None and name != "trust_code"
    }


def spec_of(workload: str | None, given: dict[str, Any], trust_code: bool) -> RunSpec:
    """Returns the run of a command line.

    Args:
        workload: A workload, or a file that says what a run is, before which options go.
        given: What `spec_arguments` returns; None takes a field of the file back to its default.
        trust_code: Whether code may run that such a file names.

    Raises:
        InputError: Something given is wrong, or the file.
    """
    from schedlab.simulation.spec import RunSpec
    from schedlab.simulation.spec.files import is_spec

    if workload is not None and is_spec(workload):
        return RunSpec.from_file(workload, trust_code).replace(**given)
    return RunSpec(workload, **given)
