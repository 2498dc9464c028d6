"""What determines a run, on the command line: the same options for `schedlab run` and `compare`."""

from __future__ import annotations

from schedlab.cli import options
from schedlab.cli.declaring import Parameter, parameters_of
from schedlab.errors import InputError
from schedlab.simulation.spec.command import flag_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from schedlab.simulation import RunSpec

SHARED: dict[str, Any] = {**options.DECLARED, "trust_code": options.TrustCode}
"""By the name of the keyword argument, in the order of --help: the type of each option."""


def with_shared(before: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns a decorator that lets a command take all of SHARED, as keyword arguments.

    Args:
        before: The command's own parameter that comes after them in --help.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        parameters = []
        for one in parameters_of(command):
            if one.name == before:
                parameters += [Parameter(*kind, _default(kind[0])) for kind in SHARED.items()]
            parameters.append(one)
        command.parameters = parameters  # type: ignore[attr-defined]
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


def refuse_beside(
    arguments: dict[str, Any], allowed: tuple[str, ...], reason: str, flags: dict[str, str]
) -> None:
    """Raises InputError for arguments that were given beside what has its own.

    Args:
        arguments: Of the command, by name.
        allowed: Names of those that may be given.
        reason: Why others may not.
        flags: How those are written whose names are not their flags.
    """
    for name, value in arguments.items():
        # The command's own flags are false where they are not given; the shared ones are None.
        given = value is not None and (name in SHARED or value is not False)
        if given and name not in allowed:
            raise InputError(f"{flags.get(name, flag_of(name))}: {reason}")


def refuse_spec(path: str) -> None:
    """Raises InputError for a file that says what a run is, where a workload is expected."""
    from schedlab.simulation.spec.files import is_spec

    if is_spec(path):
        raise InputError(
            f"{path}: says what a run is, and is not a workload; simulate it with schedlab run "
            "FILE, or give the workload that it names"
        )


def spec_of(workload: str | None, given: dict[str, Any], trust_code: bool) -> RunSpec:
    """Returns the run of a command line.

    Args:
        workload: A workload, or a file that says what a run is, over which options take precedence.
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
