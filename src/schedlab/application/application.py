"""Applications: a program of ranks together with its arguments."""

from __future__ import annotations

from schedlab.application.arguments import RUN, parameters, read_arguments, written
from schedlab.application.marks import GENERATOR
from schedlab.errors import InputError
from schedlab.fields import Defined, table, unchecked

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self

    from schedlab.application.communicator import Communicator, Program
    from schedlab.fields import Taking


class Application(Defined):
    """What the ranks of a job do.

    Its text, `str(application)`, is the same for all ways to write the same: arguments in the order
    of the program's signature, numbers in digits, defaults left out.
    """

    name: str = unchecked(
        "a built-in name, `package.module:function`, `path/to/file.py:function` or the name of an "
        "entry point"
    )
    arguments: Taking[dict[str, Any], Mapping[str, object]] = table(
        lambda value, _: dict(value),
        "as texts or as values, by name; those that differ from their defaults are kept",
        hidden=True,
    )
    function: Callable[..., Program] = unchecked(
        "the program: a generator function of `mpi` and the arguments"
    )

    def _complete(self) -> None:
        text = _call(self.name, self.arguments)
        code = getattr(self.function, "__code__", None)
        if code is None or not code.co_flags & GENERATOR or not code.co_argcount:
            raise InputError(
                f"application {text!r}: is not a generator function; a program takes mpi first, "
                "and yields each operation"
            )
        self._set(arguments=read_arguments(self.function, self.arguments, text))
        self.check()

    @property
    def iterative(self) -> bool:
        """Whether the program does the same `iterations` times."""
        return bool(getattr(self.function, "iterative", False))

    @property
    def iterations(self) -> int | str:
        """How often it goes round: a number, or "run" for as often as fills the run time."""
        if not self.iterative:
            return 1
        count: int | str = self.all_arguments["iterations"]
        return count

    @property
    def all_arguments(self) -> dict[str, Any]:
        """All arguments with their values, in the order of the signature."""
        return {
            one.name: self.arguments.get(one.name, one.default) for one in parameters(self.function)
        }

    def once(self) -> Self:
        """Returns the same application with one iteration."""
        if not self.iterative:
            return self
        return type(self)(self.name, {**self.arguments, "iterations": 1}, self.function)

    def check(self, ranks: int | None = None) -> None:
        """Raises InputError where the arguments fit neither each other nor that number of ranks."""
        check = getattr(self.function, "check", None)
        if check is None:
            return
        place = "" if ranks is None else f" on {ranks} rank{'s' if ranks != 1 else ''}"
        try:
            check(ranks, **self.all_arguments)
        except InputError as error:
            raise InputError(f"application '{self}'{place}: {error}") from None
        except Exception as error:
            raise InputError(
                f"application '{self}'{place}: its check failed: {type(error).__name__}: {error}"
            ) from error

    def program(self, mpi: Communicator) -> Program:
        """Returns what one rank does.

        Raises:
            InputError: It does not fit the number of ranks. Rank 0 raises it, on behalf of all.
        """
        if mpi.rank == 0:
            self.check(mpi.size)
        arguments = self.arguments
        if self.iterative and self.iterations == RUN:
            if not mpi.repetitions:
                raise InputError(
                    f"application '{self}': job {mpi.job} has no run time that iterations could "
                    "fill; give the job one, or a number of iterations"
                )
            arguments = {**arguments, "iterations": mpi.repetitions}
        return self.function(mpi, **arguments)

    def __str__(self) -> str:
        return _call(self.name, self.arguments)


def _call(name: str, arguments: Mapping[str, object]) -> str:
    pairs = ", ".join(f"{key}={written(value)}" for key, value in arguments.items())
    return f"{name}({pairs})" if pairs else name
