"""The value: everything that determines a run, and nothing of where its results go."""

from __future__ import annotations

import os
import sys

from schedlab.errors import InputError
from schedlab.fields import Defined, file_key, other, unchecked
from schedlab.options import CHOICES, DEFAULTS, RULES, resolve
from schedlab.simulation.spec.part_fields import (
    TEXT,
    as_given,
    described_part,
    name_of_reader,
    named_part,
    one_or_several,
    path_of,
)

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import MappingProxyType
    from typing import Any

    from schedlab.results import Result
else:
    MappingProxyType = type(vars(type))  # importing `types` costs as much as declaring all options


class Unnamed(Defined):
    """A part that was a Python object, in a place where only its description is left."""

    text: str = unchecked("what people call it")


class RunSpec(Defined):
    """Everything that determines a run: what `simulate` takes, without what happens to results.

    Two are equal if their plain data is, and if what no plain data stands for is the same object.
    Nothing is read or loaded: wrong files and names are found when the run starts.

    None stands for a workload or a system that is given later, by `replace`, and for an option that
    is not given.

    Attributes:
        options: The options that were given, by name; docs/reference/options.md has them.
    """

    workload: Any = named_part("path of the workload", check=path_of)
    reader: str | None = named_part(
        "reader of the workload, by name, perhaps with arguments",
        check=name_of_reader,
        absent="what the file is",
        group="reading",
        metavar="NAME",
    )
    system: Any = described_part(
        "System", "the machine", values="path of a file, name of a machine, or table"
    )
    scheduler: Any = named_part("name of the scheduler, perhaps with arguments", "fifo")
    allocator: Any = named_part("name of the allocator, perhaps with arguments", "first-fit")
    windows: Any = described_part(
        "Window", "maintenance and advance reservations", several=True, group="dispatching"
    )
    queues: Any = described_part(
        "Queue", "queues with priorities", several=True, group="dispatching"
    )
    conditions: Any = described_part(
        "Conditions",
        "failures, power caps, switching off, prices, temperatures",
        group="simulating",
    )
    data: Any = named_part(
        "additional data, by name",
        default=(),
        check=one_or_several,
        values="list of texts",
        written={"type": "array", "items": TEXT},
        group="dispatching",
        metavar="package.module:Class",
    )
    job_factory: Any = named_part(
        "function that sees, changes or leaves out each job, by name",
        group="reading",
        metavar="NAME",
    )
    rules: str | None = named_part(
        "what another simulator does; options take precedence",
        values=", ".join(f"`{name}`" for name in RULES),
        written={"enum": list(RULES)},
        group="simulating",
        forms=tuple(RULES),
    )
    options: Mapping[str, Any] = other(as_given, "those that were given", default=None, hidden=True)
    objects = file_key(
        "in files that schedlab writes: parts that were Python objects, each with a description",
        default=None,
        values="table of texts",
        written={"type": "object", "additionalProperties": TEXT},
    )

    def __init__(self, workload: Any = None, **given: Any) -> None:
        parts = {name: given.pop(name) for name in PARTS if name in given}
        super().__init__(workload=workload, **parts, options=given)

    def _complete(self) -> None:
        """Finds the name of a reader, and keeps the options that were given."""
        workload, by_name = _by_name(self.workload)
        if self.reader is not None and by_name not in (None, self.reader):
            raise InputError(
                f"reader: is {self.reader}, and the workload was opened by {by_name}; leave it out"
            )
        given = self.options
        resolved = _resolved(self.rules, given)
        chosen = {name: given[name] for name in DEFAULTS if given.get(name) is not None}
        if "missing_estimate" in chosen:  # the number, of a text such as 1h30m
            chosen["missing_estimate"] = resolved["missing_estimate"]
        self._set(workload=workload, reader=by_name or self.reader)
        self._set(options=MappingProxyType(chosen))

    @classmethod
    def of_call(cls, arguments: dict[str, Any], options: dict[str, Any]) -> RunSpec:
        """Returns what a function was called with.

        Args:
            arguments: Its arguments by name, all parts among them; others are left alone.
            options: The options that it got beside them.
        """
        return cls(**{name: arguments[name] for name in (*PARTS, "estimate")}, **options)

    def resolved_options(self) -> dict[str, Any]:
        """Returns every option with its value: given, else by the rules, else the default.

        An estimator of your own is not among them: the default stands in its place.
        """
        return _resolved(self.rules, self.options)

    def given(self) -> dict[str, Any]:
        """Returns what is not the default, by the names of keyword arguments."""
        parts = {name: getattr(self, name) for name in PARTS}
        chosen = {name: value for name, value in parts.items() if not _is_default(name, value)}
        return {**chosen, **self.options}

    def replace(self, **changes: Any) -> RunSpec:
        """Returns the same with other parts and options; None takes one back to its default.

        Raises:
            InputError: An option or a value of one is not known.
        """
        given = {**self.given(), **changes}
        known = (*PARTS, *DEFAULTS)
        return RunSpec(
            **{name: it for name, it in given.items() if it is not None or name not in known}
        )

    def arguments(self) -> dict[str, Any]:
        """Returns the keyword arguments of `simulate` and `Simulation`.

        Raises:
            InputError: Something is missing: the workload, the system, or a part that was a Python
                object and of which only the description is left.
        """
        given = self.given()
        for name, value in given.items():
            if isinstance(value, Unnamed):
                raise InputError(
                    f"{name}: was a Python object ({value.text}), which no file holds; give {name} "
                    "again"
                )
        for name in ("workload", "system"):
            if name not in given:
                raise InputError(f"{name}: is missing; give it")
        return given

    def simulate(self, **how: Any) -> Result:
        """Simulates it and returns the result.

        Args:
            **how: What `simulate` takes beside: out, jobs, timeline, checkpoint_every, progress,
                pause, force, trust_code.

        Raises:
            InputError: As `simulate`, and as `arguments`.
        """
        from schedlab.simulation.runs import simulate

        return simulate(**self.arguments(), **how)

    def identity(self) -> str | None:
        """Returns the checksum of all that determines its results.

        That is contents of inputs and not their names, options, seed, the source of your own code,
        and the versions of schedlab and its engine. An experiment knows by it what is done.

        Returns:
            None where it cannot be known, as for an object whose source cannot be read.

        Raises:
            InputError: Something of the run is missing or wrong.
        """
        from schedlab.simulation.identity import identity_of

        return identity_of(self)

    def to_data(self) -> dict[str, Any]:
        """Returns it as plain data, which JSON and TOML can hold and `from_data` takes.

        Of a part that no plain data stands for, `objects` has a description.
        """
        from schedlab.simulation.spec.data import to_data

        return to_data(self)

    @classmethod
    def from_data(
        cls, data: dict[str, Any], trust_code: bool = False, place: str = "run"
    ) -> RunSpec:
        """Returns what `to_data` gave.

        Args:
            data: The table; fields that are left out have their defaults.
            trust_code: Whether code may run that it names, when it is simulated.
            place: What messages call the table.

        Raises:
            InputError: With the path of the field, what is wrong and what to do.
        """
        from schedlab.simulation.spec.decoding import from_data

        return from_data(data, trust_code, place)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], trust_code: bool = False) -> RunSpec:
        """Returns what a TOML file, or run.json of a run folder, says.

        Args:
            path: The file. Relative paths in it begin from the current folder.
            trust_code: Whether code may run that it names, when it is simulated.

        Raises:
            InputError: With the path of the field, what is wrong and what to do.
        """
        from schedlab.simulation.spec.files import read_spec

        return read_spec(os.fsdecode(path), trust_code)

    def to_toml(self) -> str:
        """Returns the text of a TOML file, which `from_file` and `schedlab run` take."""
        from schedlab.simulation.spec.files import to_toml

        return to_toml(self)

    def command(self, out: str | None = None) -> list[str]:
        """Returns the words of the command that repeats it.

        Args:
            out: Folder for the results; None: the command has none.

        Words in capital letters stand for parts that a command line cannot name; `unnamed` says
        which these are.
        """
        from schedlab.simulation.spec.command import run_words

        return run_words(self, () if out is None else ("--out", out))

    def unnamed(self) -> dict[str, str]:
        """Returns the parts that no command line can name, each with a description."""
        from schedlab.simulation.spec.data import unnamed

        return unnamed(self)

    def _table(self, method: str) -> dict[str, Any]:
        return self.to_data()  # whichever of the names of a definition's plain data is asked for

    def _compared(self) -> tuple[Any, ...]:
        from schedlab.simulation.spec.data import objects_of

        data = self.to_data()
        objects = {
            name: value if isinstance(value, Unnamed) else id(value)
            for name, value in objects_of(self).items()
        }
        data.pop("objects", None)
        return data, objects

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunSpec):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        """Returns the same for equal ones; few that differ have the same."""
        data = self.to_data()
        return hash(tuple((name, it) for name, it in data.items() if isinstance(it, str)))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.given().items())
        return f"RunSpec({given})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.given(),)


PARTS: dict[str, Any] = {
    one.name: one.default for one in RunSpec._declared if one.stored and not one.hidden
}
"""What a run is made of beside its options, and what each is where it is not given."""


def _made(given: dict[str, Any]) -> RunSpec:
    return RunSpec(**given)


def _resolved(rules: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all options of a run with these given, except an estimator of your own."""
    words = {"estimate": _word(given["estimate"])} if "estimate" in given else {}
    are_known = given.keys() <= DEFAULTS.keys()
    return resolve(rules, {**given, **words}, () if are_known else _arguments_of_simulate())


def _arguments_of_simulate() -> tuple[str, ...]:
    """Returns what a misspelt option may have been meant to be."""
    from schedlab.part_arguments import arguments_of
    from schedlab.simulation.runs import simulate

    known = arguments_of(simulate, before=1, also_open_ended=True)
    assert known is not None
    return known[0]


def _word(estimate: Any) -> str | None:
    return estimate if isinstance(estimate, str) and estimate in CHOICES["estimate"] else None


def _is_default(name: str, value: Any) -> bool:
    return value is None or (isinstance(value, (str, tuple)) and value == PARTS[name])


def _by_name(workload: Any) -> tuple[Any, str | None]:
    """Returns a reader that was made by name as the path of its file and that name."""
    module = sys.modules.get("schedlab.workload.reader")
    if module is None or not isinstance(workload, module.Reader):
        return workload, None
    if workload._text is None or workload.path is None:
        return workload, None
    return workload.path, workload._text
