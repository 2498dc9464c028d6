"""The command that repeats a run, as words of a command line."""

from __future__ import annotations

from schedlab.options import FLAGS
from schedlab.simulation.spec.data import NAME, form_of, names_code, objects_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedlab.simulation.spec.value import RunSpec


def flag_of(name: str) -> str:
    """Returns the flag of a keyword argument."""
    return f"--{name.replace('_', '-')}"


def placeholder(name: str) -> str:
    """Returns the word that stands for a part that no command line can name."""
    return name.upper().replace("_", "-")


def run_words(spec: RunSpec, more: Sequence[str] = ()) -> list[str]:
    """Returns the words of `schedlab run`; see `RunSpec.command`.

    Args:
        spec: The run.
        more: Options of the command that say where results go, and the like.
    """
    form, path = form_of("workload", spec.workload)
    words = [*shared_words(spec, ("system", "scheduler", "allocator")), *shared_words(spec), *more]
    return command_words("run", [path if form == NAME else placeholder("workload")], words)


def words_with_file(spec: RunSpec, path: str, more: Sequence[str] = ()) -> list[str]:
    """Returns the words of `schedlab run FILE`, for runs with parts that only a file holds.

    Args:
        spec: The run.
        path: Of a file that holds it, as run.json does. Python objects have a word in capital
            letters beside it.
        more: As for `run_words`.
    """
    given = objects_of(spec)
    words = [word for name in given for word in (flag_of(name), placeholder(name))]
    trust = ["--trust-code"] if names_code(spec) and "--trust-code" not in more else []
    return command_words("run", [path], [*words, *trust, *more])


def command_words(command: str, workloads: list[str], options: list[str]) -> list[str]:
    """Returns the words of a command that takes workloads, or other paths."""
    if any(path.startswith("-") for path in workloads):  # which would be taken for an option
        return ["schedlab", command, *options, "--", *workloads]
    return ["schedlab", command, *workloads, *options]


def shared_words(spec: RunSpec, names: tuple[str, ...] = ()) -> list[str]:
    """Returns the options of a command line that stand for parts and options of a run.

    Args:
        spec: The run.
        names: Of the parts, which are there in any case; none: all parts and options that are
            given, except workload, system, scheduler and allocator, which `run` and `compare` take
            each in its own way.
    """
    if names:
        found = {name: getattr(spec, name) for name in names}
    else:
        own = ("workload", "system", "scheduler", "allocator")
        found = {name: value for name, value in spec.given().items() if name not in own}
    words: list[str] = []
    for name, value in found.items():
        form, plain = form_of(name, value)
        if form != NAME:
            words += [flag_of(name), placeholder(name)]
        elif name in FLAGS:
            words.append(flag_of(name) if plain else f"--no-{flag_of(name)[2:]}")
        else:
            values = plain if isinstance(plain, list) else [plain]
            words += [word for one in values for word in (flag_of(name), str(one))]
    return words
