"""A job, as Python code describes one."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.fields import Frozen

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


class Job(Frozen, made_often=True):
    """One job of a workload; times are seconds, ints or floats.

    It declares no fields as definitions do: readers make it by the million, and a constructor that
    is written out takes a third of the time.

    Attributes:
        id: Unique number.
        submit: When it is submitted.
        run: How long it really runs; dispatchers never see it.
        processors: Number of tasks; each is one processor of the system unless `resources` says
            otherwise.
        requested_time: What its owner asked for, and its limit; None: `run` stands in for it.
        user: Number of the owner.
        resources: Amount of each resource type per task.
        tasks_per_node: Most of its tasks on one node.
        whole_nodes: Whether it takes idle nodes and everything on them.
        predecessors: Jobs that must have ended before.
        think: Time between the last predecessor's end and its release.
        attributes: Numbers by name beyond all these, for policies and expressions: its queue, its
            power, whatever a job factory knows.
        application: What its tasks do on the system's network, such as
            `stencil-3d(bytes=64k, iterations=10)`; None: it keeps them for the time `run`.
        partition: The name of the system's partition whose nodes alone it may use, or several, such
            as `batch,gpu`; None: the default one, or all nodes where there is none.
        needs: The features that its nodes must have, such as `a100 & !ib`; None: none.
        licenses: What it takes of the system's licenses as a whole, such as `matlab:2, ansys`;
            None: none.
    """

    _fields = (
        "id",
        "submit",
        "run",
        "processors",
        "requested_time",
        "user",
        "resources",
        "tasks_per_node",
        "whole_nodes",
        "predecessors",
        "think",
        "attributes",
        "application",
        "partition",
        "needs",
        "licenses",
    )
    __slots__ = _fields

    id: int
    submit: float
    run: float
    processors: int
    requested_time: float | None
    user: int
    resources: dict[str, int] | None
    tasks_per_node: int | None
    whole_nodes: bool
    predecessors: tuple[int, ...]
    think: float
    attributes: dict[str, float] | None
    application: str | None
    partition: str | None
    needs: str | None
    licenses: str | None

    def __init__(
        self,
        id: int,  # noqa: A002 - the name that users expect
        submit: float,
        run: float,
        processors: int = 1,
        requested_time: float | None = None,
        user: int = -1,
        resources: Mapping[str, int] | None = None,
        tasks_per_node: int | None = None,
        whole_nodes: bool = False,
        predecessors: Iterable[int] = (),
        think: float = 0,
        attributes: Mapping[str, float] | None = None,
        application: str | None = None,
        partition: str | None = None,
        needs: str | None = None,
        licenses: str | None = None,
    ) -> None:
        # Millions of jobs are made, so what is right is found so at once.
        if type(id) is not int or not -(2**62) <= id <= 2**62:
            self._whole("id", id, -(2**62), 2**62)
        if type(user) is not int or not -(2**62) <= user <= 2**62:
            self._whole("user", user, -(2**62), 2**62)
        if type(processors) is not int or not 1 <= processors < 2**31:
            self._whole("processors", processors, 1, 2**31 - 1)
        if tasks_per_node is not None:
            self._whole("tasks_per_node", tasks_per_node, 1, 2**31 - 1)
        if resources is not None:
            resources = dict(resources)
            for name, amount in resources.items():
                self._whole(f"resources.{name}", amount, 0, 2**53)
            if not any(resources.values()):
                raise InputError(f"job {id}: resources must ask for something")
        if attributes is not None:
            attributes = dict(attributes)
            for name, value in attributes.items():
                number = isinstance(value, (int, float)) and value == value
                if not isinstance(name, str) or not name.isidentifier() or not number:
                    raise InputError(
                        f"job {id}: attributes must be numbers by a name without blanks and dots, "
                        f"not {name!r}: {value!r}"
                    )
            if "application" in attributes:
                raise InputError(
                    f"job {id}: attributes.application: is not for numbers; give the job an "
                    "application by its text: Job(..., application='allreduce(bytes=128)')"
                )
            if "needs" in attributes:
                raise InputError(
                    f"job {id}: attributes.needs: is not for numbers; say what the job needs by a "
                    "text: Job(..., needs='a100 & !ib')"
                )
            if "licenses" in attributes:
                raise InputError(
                    f"job {id}: attributes.licenses: is not for numbers; name the licenses by a "
                    "text: Job(..., licenses='matlab:2, ansys')"
                )
        if application is not None and not _is_line(application):
            raise InputError(
                f"job {id}: application must be a text on one line, such as "
                f"'allreduce(bytes=128)', not {application!r}"
            )
        if needs is not None and not _is_line(needs):
            raise InputError(
                f"job {id}: needs must be a text on one line, such as 'a100 & !ib', not {needs!r}"
            )
        if licenses is not None and not _is_line(licenses):
            raise InputError(
                f"job {id}: licenses must be a text on one line, such as 'matlab:2, ansys', not "
                f"{licenses!r}"
            )
        if partition is not None and not _is_line(partition):
            raise InputError(f"job {id}: partition must be a name, not {partition!r}")
        if partition is not None and attributes is not None and "partition" in attributes:
            raise InputError(f"job {id}: give partition as an attribute, or by its name, not both")
        put = object.__setattr__
        put(self, "id", id)
        put(self, "submit", submit)
        put(self, "run", run)
        put(self, "processors", processors)
        put(self, "requested_time", requested_time)
        put(self, "user", user)
        put(self, "resources", resources)
        put(self, "tasks_per_node", tasks_per_node)
        put(self, "whole_nodes", bool(whole_nodes))
        put(self, "predecessors", tuple(predecessors))
        put(self, "think", think)
        put(self, "attributes", attributes)
        put(self, "application", application)
        put(self, "partition", partition)
        put(self, "needs", needs)
        put(self, "licenses", licenses)

    def replace(self, **changes: Any) -> Job:
        """Returns a job that differs in these attributes."""
        return Job(**{**{name: getattr(self, name) for name in self._fields}, **changes})

    @staticmethod
    def _whole(name: str, value: object, least: int, most: int) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            bounds = f"from {least} to {most}"
            raise InputError(f"job: {name} must be a whole number {bounds}, not {value!r}")


def _is_line(text: object) -> bool:
    return isinstance(text, str) and text.splitlines() == [text] and bool(text.strip())
