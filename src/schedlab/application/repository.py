"""The repository of applications: their names, and how a text becomes one."""

from __future__ import annotations

from schedlab import naming
from schedlab.application.application import Application
from schedlab.application.arguments import unquoted
from schedlab.application.programs import collectives, pairs
from schedlab.application.programs.checkpoint import checkpoint
from schedlab.application.programs.conjugate_gradient import conjugate_gradient
from schedlab.application.programs.master_worker import master_worker
from schedlab.application.programs.stencils import stencil_2d, stencil_3d
from schedlab.application.programs.summa import summa
from schedlab.application.programs.sweep import sweep
from schedlab.application.programs.time_keeper import time_keeper
from schedlab.application.programs.transpose import transpose
from schedlab.errors import InputError
from schedlab.trust import PERSON, handed_over

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.application.communicator import Program
    from schedlab.trust import Origin

APPLICATIONS: dict[str, Callable[..., Program]] = {
    "time-keeper": time_keeper,
    "barrier": collectives.barrier,
    "bcast": collectives.bcast,
    "reduce": collectives.reduce,
    "allreduce": collectives.allreduce,
    "gather": collectives.gather,
    "scatter": collectives.scatter,
    "allgather": collectives.allgather,
    "alltoall": collectives.alltoall,
    "reduce-scatter": collectives.reduce_scatter,
    "scan": collectives.scan,
    "ping-pong": pairs.ping_pong,
    "even-odd": pairs.even_odd,
    "random-pairs": pairs.random_pairs,
    "ring": pairs.ring,
    "stencil-2d": stencil_2d,
    "stencil-3d": stencil_3d,
    "transpose": transpose,
    "summa": summa,
    "conjugate-gradient": conjugate_gradient,
    "sweep": sweep,
    "master-worker": master_worker,
    "checkpoint": checkpoint,
}
"""The built-in applications, in the order of docs/reference/applications.md."""


def load(given: str | Application) -> Application:
    """Returns the application that a person gives.

    Args:
        given: A key of APPLICATIONS, `package.module:function`, `path/to/file.py:function` or the
            name of an entry point in the group `schedlab.applications`, perhaps with arguments:
            `stencil-3d(bytes=64k, iterations=10)`. An Application is returned as it is.

    Raises:
        InputError: There is no such thing, it is not a program, or it does not take the arguments.
    """
    if isinstance(given, Application):
        return given
    if not isinstance(given, str):
        raise InputError(f"an application is a text or an Application, not {given!r}")
    return application_named(given, PERSON)


def application_named(text: str, origin: Origin) -> Application:
    """Returns the application that a text stands for, as `load` takes it.

    Args:
        text: The text.
        origin: Where it comes from.

    Raises:
        InputError: There is no such thing, it is not a program, or it does not take the arguments.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    name, texts, found = program_named(text, origin)
    return Application(name, {key: handed_over(it, origin) for key, it in texts.items()}, found)


def program_named(text: str, origin: Origin) -> tuple[str, dict[str, str], Callable[..., Program]]:
    """Returns the name, the arguments as texts, and the function that a text stands for.

    Args:
        text: The text.
        origin: Where it comes from.

    Raises:
        InputError: There is no such thing.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    name, arguments, found = naming.named("application", text, APPLICATIONS, origin)
    texts = {key: unquoted(value) for key, value in arguments.items()}
    return name, texts, found  # type: ignore[return-value]
