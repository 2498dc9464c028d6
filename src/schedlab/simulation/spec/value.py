"""The value: everything that determines a run, and nothing of where its results go."""

from __future__ import annotations

import os
import sys

from schedlab.errors import InputError
from schedlab.fields import Declaration, Defined, Frozen, unchecked
from schedlab.options import CHOICES, DEFAULTS, RULES, resolve

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.results import Result


def _as_given(value: Any, _: str) -> Any:
    return value  # wrong files and names are found when the run starts


def _part(meaning: str, written: dict[str, Any], default: Any = None, **rest: Any) -> Any:
    return Declaration("other", _as_given, meaning, default, written=written, **rest)


_TEXT = {"type": "string"}


def _text_or(kind: str, values: str, several: bool = False) -> dict[str, Any]:
    """Returns what a part is in files: a path, or what a file of that kind holds."""
    one: dict[str, Any] = {"$ref": f"#/$defs/{kind}"}
    content = {"type": "array", "items": one} if several else one
    return {"values": values, "written": {"anyOf": [_TEXT, content]}}


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

    workload: Any = _part("path of the workload", _TEXT, values="text")
    reader: str | None = _part(
        "name of its reader, perhaps with arguments",
        _TEXT,
        values="text",
        absent="what the file is",
    )
    system: Any = _part(
        "path of the system file, the name of a machine, or the content of such a file",
        **_text_or("System", "text or table"),
    )
    scheduler: Any = _part(
        "name of the scheduler, perhaps with arguments", _TEXT, "fifo", values="text"
    )
    allocator: Any = _part(
        "name of the allocator, perhaps with arguments", _TEXT, "first-fit", values="text"
    )
    windows: Any = _part(
        "path of a file of windows, or what it holds",
        default=(),
        **_text_or("Window", "text or list of tables", several=True),
    )
    queues: Any = _part(
        "path of a file of queues, or what it holds",
        default=(),
        **_text_or("Queue", "text or list of tables", several=True),
    )
    conditions: Any = _part(
        "path of a file of conditions, or its content",
        **_text_or("Conditions", "text or table"),
    )
    data: Any = _part(
        "names of additional data",
        {"type": "array", "items": _TEXT},
        (),
        values="list of texts",
    )
    job_factory: Any = _part("name of a job factory", _TEXT, values="text")
    rules: str | None = _part(
        "what another simulator does; options go before",
        {"enum": list(RULES)},
        values=", ".join(f"`{name}`" for name in RULES),
    )
    options: dict[str, Any] = Declaration("other", _as_given, "those that were given", hidden=True)  # type: ignore[assignment]
    objects = Declaration(
        "file_key",
        _as_given,
        "in files that schedlab writes: parts that were Python objects, each with a description",
        None,
        stored=False,
        values="table of texts",
        written={"type": "object", "additionalProperties": _TEXT},
    )
    _resolved: dict[str, Any]  # type: ignore[misc]  # not a field

    def __init__(
        self,
        workload: Any = None,
        *,
        reader: str | None = None,
        system: Any = None,
        scheduler: Any = "fifo",
        allocator: Any = "first-fit",
        windows: Any = (),
        queues: Any = (),
        conditions: Any = None,
        data: Any = (),
        job_factory: Any = None,
        rules: str | None = None,
        **options: Any,
    ) -> None:
        if reader is not None and not isinstance(reader, str):
            raise InputError(f"reader: must be the name of a reader, not {reader!r}")
        workload, by_name = _by_name(workload)
        if reader is not None and by_name not in (None, reader):
            raise InputError(
                f"reader: is {reader}, and the workload was opened by {by_name}; leave it out"
            )
        resolved = _resolved(rules, options)
        chosen = {name: options[name] for name in DEFAULTS if options.get(name) is not None}
        if "missing_estimate" in chosen:  # the number, of a text such as 1h30m
            chosen["missing_estimate"] = resolved["missing_estimate"]
        self._set(
            workload=_path(workload),
            reader=by_name or reader,
            system=_path(system),
            scheduler=scheduler,
            allocator=allocator,
            windows=tuple_of(windows),
            queues=tuple_of(queues),
            conditions=_path(conditions),
            data=tuple_of(data),
            job_factory=job_factory,
            rules=rules,
            options=chosen,
        )

    @classmethod
    def of_call(cls, arguments: dict[str, Any], options: dict[str, Any]) -> RunSpec:
        """Returns what a function was called with.

        Args:
            arguments: Its arguments by name, all parts among them; others are left alone.
            options: The options that it got beside them.
        """
        return cls(**{name: arguments[name] for name in (*PARTS, "estimate")}, **options)

    @property
    def word_of_estimate(self) -> str | None:
        """What is known of run times, where it is one of the built-in words."""
        return _word(self.options.get("estimate"))

    def resolved_options(self) -> dict[str, Any]:
        """Returns every option with its value: given, else by the rules, else the default.

        An estimator of your own is not among them: the default stands in its place.
        """
        return _resolved(self.rules, self.options)

    def given(self) -> dict[str, Any]:
        """Returns what is not the default, by the names of keyword arguments."""
        parts = zip(self._fields, self._values()[:-1], strict=False)
        chosen = {name: value for name, value in parts if not _is_default(name, value)}
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


def _resolved(rules: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """Returns all options of a run with these given, but for an estimator of your own."""
    words = {"estimate": _word(given["estimate"])} if "estimate" in given else {}
    return resolve(rules, {**given, **words})


def _word(estimate: Any) -> str | None:
    return estimate if isinstance(estimate, str) and estimate in CHOICES["estimate"] else None


def _is_default(name: str, value: Any) -> bool:
    return value is None or (isinstance(value, (str, tuple)) and value == PARTS[name])


def _path(given: Any) -> Any:
    return os.fsdecode(given) if isinstance(given, os.PathLike) else given


def tuple_of(given: Any) -> Any:
    """Returns several objects, which may be given in any way, as a tuple; a path and others not."""
    if isinstance(given, (str, os.PathLike)):
        return os.fsdecode(given)
    one = isinstance(given, (dict, Frozen)) or not hasattr(given, "__iter__")
    return given if one else tuple(given)


def _by_name(workload: Any) -> tuple[Any, str | None]:
    """Returns a reader that was made by name as the path of its file and that name."""
    module = sys.modules.get("schedlab.workload.reader")
    if module is None or not isinstance(workload, module.Reader):
        return workload, None
    if workload._text is None or workload.path is None:
        return workload, None
    return workload.path, workload._text
