"""Applications of jobs in a simulation: found by name, mapped to nodes, passed to the engine."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.naming import function
from schedlab.trust import PERSON

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from schedlab.application import Application
    from schedlab.system import System
    from schedlab.trust import Origin
    from schedlab.workload.applications import Texts

    Mapping = Callable[[int, list[int]], list[int]]

MOST_IDLE_OPERATIONS = 10_000_000
"""Of a rank in a row, without any simulated time passing: more are a loop that never ends."""


class ApplicationCatalogue:
    """The applications that jobs of a simulation name, by number; each is loaded once.

    Args:
        texts: The texts so far, and who named them.
        origin: Where texts come from that the person did not name.
    """

    def __init__(self, texts: Texts, origin: Origin) -> None:
        self._texts, self._origin = texts, origin
        self._given: dict[str, Application] = {}
        self._loaded: dict[int, Application] = {}
        self._checked: set[tuple[int, int]] = set()

    def application(self, number: int) -> Application:
        """Returns an application; raises InputError where there is none of that name."""
        if number not in self._loaded:
            from schedlab.application.repository import application_named

            text = self._texts.text(number)
            origin = PERSON if self._texts.is_of_person(text) else self._origin
            self._loaded[number] = self._given.get(text) or application_named(text, origin)
        return self._loaded[number]

    def put(self, application: Application) -> None:
        """Takes an application as its text's, which then need not be found by name."""
        self._given[str(application)] = application

    def check(self, number: int, job: int, ranks: int) -> None:
        """Raises InputError, which names the job, where the application cannot run on N."""
        if (number, ranks) in self._checked:
            return
        try:
            self.application(number).check(ranks)
        except InputError as error:
            raise InputError(f"job {job}: {error}") from None
        self._checked.add((number, ranks))


def mapping_named(given: str, origin: Origin) -> Mapping | None:
    """Returns what changes which rank of a job runs where; None for ranks node after node.

    Args:
        given: "block", "cyclic", or `package.module:function`, which is called with a job's number
            and the node of each rank, node after node, and returns them in another order.
        origin: Where the name comes from.

    Raises:
        InputError: There is no such function.
        UntrustedCodeError: It names code, and comes from data that is not trusted.
    """
    found: Any = function("mapping", given, MAPPINGS, origin)
    if given in MAPPINGS:
        return None if found is _block else found

    def checked(job: int, nodes: list[int]) -> list[int]:
        mapped = list(found(job, list(nodes)))
        if sorted(mapped) != sorted(nodes):
            raise InputError(
                f"mapping {given}: job {job}: must return the same nodes in another order, each as "
                f"often as it was given; it gives {decode.shown(mapped)} for {decode.shown(nodes)}"
            )
        return mapped

    return checked


def _block(job: int, nodes: list[int]) -> list[int]:
    """Returns the ranks node after node, as they are."""
    return nodes


def _cyclic(job: int, nodes: list[int]) -> list[int]:
    """Returns one rank for each node in turn, while it has some left."""
    left: dict[int, int] = {}
    for node in nodes:
        left[node] = left.get(node, 0) + 1
    mapped: list[int] = []
    while left:
        mapped += left
        left = {node: tasks - 1 for node, tasks in left.items() if tasks > 1}
    return mapped


MAPPINGS: dict[str, Mapping] = {"block": _block, "cyclic": _cyclic}
"""The built-in ones by name."""


def for_engine(
    system: System, options: dict[str, Any], texts: Texts, names: Origin, of_jobs: Origin
) -> dict[str, Any] | None:
    """Returns what the engine gets of the network and of what runs on it.

    Args:
        system: The machine; None is returned where it has no network.
        options: All options of the simulation.
        texts: The applications' texts so far.
        names: Where the options come from.
        of_jobs: Where applications of jobs come from that the person did not name.
    """
    if system.network is None:
        return None
    from schedlab.system.network import for_engine as network_for_engine

    return {
        "network": network_for_engine(system),
        "fidelity": options["fidelity"],
        "accuracy": options["accuracy"],
        "alone": options["alone"],
        "errors_fail_jobs": options["application_errors"] == "fail",
        "most_idle_operations": MOST_IDLE_OPERATIONS,
        "seed": options["seed"],
        "mapping": mapping_named(options["mapping"], names),
        "catalogue": ApplicationCatalogue(texts, of_jobs),
    }
