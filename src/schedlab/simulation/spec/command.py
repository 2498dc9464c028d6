"""The command that repeats a run, as words of a command line."""

from __future__ import annotations

from schedlab.options import FLAGS
from schedlab.simulation.spec.data import NAME, form_of

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.simulation.spec.value import RunSpec


def flag_of(name: str) -> str:
    """Returns the flag of a keyword argument."""
    return f"--{name.replace('_', '-')}"


def run_words(spec: RunSpec) -> list[str]:
    """Returns the words of `schedlab run`; see `RunSpec.command`."""
    workload = form_of("workload", spec.workload)
    path = str(workload[1]) if workload[0] == NAME else "WORKLOAD"
    words = ["schedlab", "run"]
    hidden = path.startswith("-")  # which would be taken for an option
    words += [] if hidden else [path]
    words += shared_words(spec, ("system", "scheduler", "allocator"))
    words += shared_words(spec)
    return [*words, "--", path] if hidden else words


def shared_words(spec: RunSpec, names: tuple[str, ...] = ()) -> list[str]:
    """Returns the options of a command line that stand for parts and options of a run.

    Args:
        spec: The run.
        names: Of the parts, which are there in any case; none: all parts and options that are
            given, but for workload, system, scheduler and allocator, which `run` and `compare` take
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
            words += [flag_of(name), name.upper().replace("_", "-")]
        elif name in FLAGS:
            words.append(flag_of(name) if plain else f"--no-{flag_of(name)[2:]}")
        else:
            values = plain if isinstance(plain, list) else [plain]
            words += [word for one in values for word in (flag_of(name), str(one))]
    return words
