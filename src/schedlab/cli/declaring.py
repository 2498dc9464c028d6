"""How commands declare what they take: `Annotated[TYPE, Option(...)]` beside each parameter.

Nothing here needs typer or `typing`, which cost more than a short simulation: `reading.py` reads
plain command lines by these declarations, and `typed.py` hands them to typer for everything else.
"""

from __future__ import annotations

from schedlab.naming import load_own

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Annotated as Annotated
    from typing import Any
else:

    class Annotated:
        """Stands for `typing.Annotated`, which type checkers see here."""

        __slots__ = ("declaration", "kind")

        def __class_getitem__(cls, parts: tuple[object, Argument | Option]) -> Annotated:
            self = cls()
            self.kind, self.declaration = parts
            return self


class Leave(SystemExit):
    """A command ends with this exit code, and has said why."""

    code: int


class Argument:
    """A word of a command line that is known by its place.

    Args:
        metavar: How --help writes it.
        help: What --help says of it.
        show_default: Whether --help has its default, or the text that it has for it.
    """

    flags: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        metavar: str,
        help: str,  # noqa: A002 - as its flag
        show_default: bool | str = True,
    ) -> None:
        self.metavar, self.help, self.show_default = metavar, help, show_default


class Option:
    """A flag of a command line.

    Args:
        *flags: How it is written, such as "--order/--no-order"; none: as the parameter's name.
        metavar: How --help writes its value.
        help: What --help says of it.
        panel: Heading of --help that it is under.
        words: Some of its values, which shells complete.
        show_default: Whether --help has its default, or the text that it has for it.
        least: The least number.
        largest: The largest number.
    """

    def __init__(
        self,
        *flags: str,
        metavar: str | None = None,
        help: str | None = None,  # noqa: A002
        panel: str | None = None,
        words: Sequence[str] = (),
        show_default: bool | str = True,
        least: int | None = None,
        largest: int | None = None,
    ) -> None:
        self.flags, self.metavar, self.help, self.panel = flags, metavar, help, panel
        self.words, self.show_default = tuple(words), show_default
        self.least, self.largest = least, largest


class Group:
    """Commands below a name.

    Args:
        meaning: The first line of its --help.
        homes: Where each command, or group, is: "module:name". Only the one asked for is loaded.
        example: The command whose example its --help ends with.
        begin: Called before a command of it.
    """

    def __init__(
        self,
        meaning: str,
        homes: dict[str, str],
        example: str | None = None,
        begin: Callable[[], None] | None = None,
    ) -> None:
        self.meaning, self.homes, self.example, self.begin = meaning, homes, example, begin

    def load(self, name: str) -> Group | Callable[..., None]:
        """Returns a command of it, or the group below it."""
        return load_own(self.homes[name])  # type: ignore[return-value]


class Parameter:
    """What a command takes.

    Attributes:
        name: Of the keyword argument.
        annotation: Its type, such as `str | None`.
        kind: What a word is made into: str, int, float or bool.
        several: Whether it takes several words.
        declaration: What else is said of it.
        default: Where nothing is given; `...`: something must be.
    """

    __slots__ = ("annotation", "declaration", "default", "kind", "name", "several")

    def __init__(self, name: str, annotated: Any, default: object) -> None:
        self.name, self.annotation, self.default = name, annotated.kind, default
        self.declaration: Argument | Option = annotated.declaration
        kinds: tuple[Any, ...] = getattr(self.annotation, "__args__", ())
        plain = self.annotation
        if type(None) in kinds:  # `str | None`
            plain = kinds[0]
        self.several = getattr(plain, "__origin__", None) is list
        self.kind: type = plain.__args__[0] if self.several else plain

    @property
    def flags(self) -> tuple[str, ...]:
        """How it is written, and for a switch how it is turned off."""
        flags = [*self.declaration.flags, f"--{self.name.replace('_', '-')}"]
        return tuple(flags[0].split("/"))


def parameters_of(command: Callable[..., None]) -> list[Parameter]:
    """Returns what a command takes, in the order of its parameters."""
    declared: list[Parameter] | None = getattr(command, "parameters", None)
    if declared is not None:
        return declared
    names = command.__code__.co_varnames[: command.__code__.co_argcount]
    texts, defaults = command.__annotations__, command.__defaults__ or ()
    given: list[Any] = [*[...] * (len(names) - len(defaults)), *defaults]
    # Annotations are texts: `inspect`, which would read them, costs 15 ms.
    return [
        Parameter(name, eval(texts[name], command.__globals__), default)
        for name, default in zip(names, given, strict=True)
    ]
