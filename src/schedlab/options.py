"""The choices of a run, in one place: their names, values and defaults.

Simulators differ in how they read a trace; each difference is an option here. `rules` sets several
of them at once to what another simulator does.
"""

from __future__ import annotations

from schedlab.durations import PATTERN
from schedlab.errors import InputError, did_you_mean
from schedlab.fields import Declaration, Defined

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any


def _choice(words: tuple[str, ...], meaning: str, group: str, **rest: Any) -> Any:
    """Returns an option that is one of a few words, the first by default."""
    rest = {"forms": words, **rest, "group": group}

    def check(value: Any, path: str) -> Any:
        if value not in words:
            raise InputError(f"{path}: must be one of {', '.join(words)}, not {value!r}")
        return value

    return Declaration("choice", check, meaning, words[0], {"words": words}, **rest)


def _flag(meaning: str, group: str) -> Any:
    """Returns an option that is true or false, by default false."""

    def check(value: Any, path: str) -> Any:
        if not isinstance(value, bool):
            raise InputError(f"{path}: must be true or false, not {value!r}")
        return value

    return Declaration("flag", check, meaning, False, group=group)


def _other(check: Callable[[Any, str], Any], meaning: str, default: Any, **rest: Any) -> Any:
    """Returns an option with a check of its own."""
    return Declaration("other", check, meaning, default, **rest)


def _seconds_or_word(value: Any, path: str) -> Any:
    """Returns the word, or the number that a duration such as 1h30m stands for."""
    if value in ("run", "skip"):
        return value
    seconds: Any = _seconds(value, path) if isinstance(value, str) else value
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not (number and 0 < seconds <= 4e9):
        raise InputError(
            f"{path}: must be run, skip or seconds above 0, which may have units (90s, 1h30m), "
            f"not {value!r}"
        )
    return seconds


def _seconds(text: str, path: str) -> float | int | None:
    from schedlab.durations import seconds_of

    try:
        seconds = seconds_of(text, path)
    except InputError:
        return None  # what may be given beside durations is said by the caller
    return int(seconds) if seconds == int(seconds) else seconds


def _tasks(value: Any, path: str) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and 1 <= value < 2**31):
        raise InputError(f"{path}: must be a whole number from 1 up, not {value!r}")
    return value


def _names(value: Any, path: str) -> Any:
    if not isinstance(value, str):
        raise InputError(f"{path}: must be names with commas between them, not {value!r}")
    return value


def _accuracy(value: Any, path: str) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (number and 0 <= value <= 0.5):
        raise InputError(f"{path}: must be a number from 0 (exact) to 0.5, not {value!r}")
    return value


def _mapping(value: Any, path: str) -> Any:
    if not isinstance(value, str):
        raise InputError(f"{path}: must be block, cyclic or package.module:function, not {value!r}")
    return value


def _seed(value: Any, path: str) -> Any:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**64:
        raise InputError(f"{path}: must be a whole number from 0 to 2**64 - 1, not {value!r}")
    return value


_READING, _SIMULATING, _APPLICATIONS, _OUTPUT = "reading", "simulating", "applications", "output"


class Options(Defined):
    """What a run may be given beside its parts; their values are in dicts, as `resolve` returns.

    From these declarations come the options of commands, with their help, the schema of files that
    say what to run, and what docs/reference/options.md is checked against.
    """

    processors = _choice(
        ("requested", "allocated"), "The field that says how many tasks a job has.", _READING
    )
    memory = _choice(
        ("none", "requested", "used"),
        "The field that says how much memory each task takes, in KB, on top of what a processor "
        "of the system takes.",
        _READING,
    )
    estimate = _choice(
        ("requested", "exact", "history"),
        "What the scheduler knows of a run time.",
        _SIMULATING,
        forms=("requested", "exact", "history", "package.module:Class"),
        written={"anyOf": [{"enum": ["requested", "exact", "history"]}, {"type": "string"}]},
    )
    missing_estimate = _other(
        _seconds_or_word,
        "What stands in for a requested time that is missing (0 or less): the run time, a fixed "
        "number of seconds; or the row is skipped.",
        "run",
        group=_READING,
        forms=("run", "skip", "TIME"),
        values="`run`, `skip`, a duration above 0",
        written={
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "maximum": 4e9},
                {"type": "string", "pattern": rf"^(run|skip)$|{PATTERN}"},
            ]
        },
    )
    estimate_covers_run = _flag("Estimate = max(requested time, run time).", _READING)
    zero_run = _choice(("keep", "skip"), "Rows with run time 0.", _READING)
    unusable = _choice(
        ("skip", "substitute"),
        "Rows that cannot run: skipped and counted, or replaced by PySS's rule.",
        _READING,
    )
    tasks_per_node = _other(
        _tasks,
        "At most N tasks of a job on one node.",
        None,
        group=_READING,
        metavar="N",
        values="whole number from 1",
        written={"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
    )
    whole_nodes = _flag("Jobs take idle nodes only, and everything on them.", _READING)
    # By default where SWF rows list several, and in jobs that Python code describes.
    dependencies = _choice(
        ("auto", "ignore", "honour"),
        "Whether a job is held until its predecessors ended and its think time passed (fields 17 "
        "and 18 of SWF).",
        _SIMULATING,
    )
    keep = _other(
        _names,
        "Attributes that are written with each job, as columns after the others of jobs.csv",
        None,
        group=_OUTPUT,
        metavar="NAMES",
        values="names, with commas between them",
        absent="what the workload has beyond SWF",
        written={"type": "string"},
    )
    enforce_limits = _flag("A job is killed at its requested time.", _SIMULATING)
    dispatch_per = _choice(("time", "event"), "How often the scheduler is called.", _SIMULATING)
    impossible = _choice(
        ("reject", "stop"),
        "Jobs that can never start, found when they are submitted",
        _SIMULATING,
    )
    fidelity = _choice(
        ("fluid", "analytic", "packet", "phase", "none"), "How messages travel.", _APPLICATIONS
    )
    accuracy = _other(
        _accuracy,
        "How far rates of `fluid` may be from fair, to be faster; 0: exact.",
        0.1,
        group=_APPLICATIONS,
        metavar="SHARE",
        values="0 to 0.5",
        written={"type": "number", "minimum": 0, "maximum": 0.5},
    )
    mapping = _other(
        _mapping,
        "Which rank runs on which of a job's nodes.",
        "block",
        group=_APPLICATIONS,
        forms=("block", "cyclic", "package.module:function"),
        values="`block`, `cyclic`, `package.module:function`",
        written={"type": "string"},
    )
    alone = _flag(
        "Also work out how long each job would have taken alone on its nodes", _APPLICATIONS
    )
    application_errors = _choice(
        ("stop", "fail"),
        "Where a program goes wrong: the simulation ends with the error, or that job fails and "
        "the others continue.",
        _APPLICATIONS,
    )
    strict = _flag("The first row that cannot be used is an error with file and line.", _READING)
    sort = _flag(
        "Rows are sorted by submit time, those of one time in the order of the file.", _READING
    )
    seed = _other(
        _seed,
        "Of everything drawn at random",
        0,
        group=_SIMULATING,
        metavar="N",
        values="0 to 2^64 - 1",
        written={"type": "integer", "minimum": 0, "maximum": 2**64 - 1},
    )


OPTIONS: dict[str, Declaration] = {one.name: one for one in Options._declared}

DEFAULTS: dict[str, Any] = {name: one.default for name, one in OPTIONS.items()}

CHOICES: dict[str, tuple[str, ...]] = {
    **{name: one.facts["words"] for name, one in OPTIONS.items() if one.sort == "choice"},
    "jobs": ("csv", "parquet", "none"),
    "timeline": ("csv", "parquet", "none"),
}
"""Options that are one of a few words, and what else is."""

FLAGS = tuple([name for name, one in OPTIONS.items() if one.sort == "flag"])

READING = tuple(
    [name for name, one in OPTIONS.items() if one.group == _READING and name != "strict"]
)
"""Options that say how rows are read: of files, tables and frames; `strict` is for all readers."""

NETWORK = tuple([name for name, one in OPTIONS.items() if one.group == _APPLICATIONS])
"""Options that say how applications run on a network."""

RULES: dict[str, dict[str, Any]] = {
    "accasim": {"processors": "requested"},
    "alea": {"processors": "allocated", "enforce_limits": True},
    "pyss": {
        "processors": "allocated",
        "enforce_limits": True,
        "estimate_covers_run": True,
        "unusable": "substitute",
        "dispatch_per": "event",
    },
}
"""What other simulators do, as our own options; everything else is as in DEFAULTS."""


def resolve(
    rules: str | None, given: Mapping[str, Any], arguments: Iterable[str] = ()
) -> dict[str, Any]:
    """Returns every option with its value: given, else by the rules, else the default.

    Args:
        rules: A key of RULES, or None.
        given: Options by name; None stands for not given.
        arguments: Other names that may have been meant, of what is given these options.

    Raises:
        InputError: An option or a value is not known.
    """
    if rules is not None and rules not in tuple(RULES):
        raise InputError(f'rules: unknown "{rules}"; known: {", ".join(RULES)}')
    options = {**DEFAULTS, **RULES.get(rules or "", {})}
    for name, value in given.items():
        if name not in options:
            hint = did_you_mean(name, (*options, *arguments))
            if name in arguments:  # and what was called does not take it
                hint = "only simulate takes it. "
            raise InputError(f'unknown option "{name}"; {hint}known: {", ".join(options)}')
        if value is not None:
            options[name] = value
    for name, value in options.items():
        if value is not DEFAULTS[name]:
            options[name] = OPTIONS[name].check(value, name)
    return options


def refuse_reading(given: dict[str, Any]) -> None:
    """Raises InputError if options were given that are for rows of files alone."""
    for name in READING:
        if given.get(name) not in (None, DEFAULTS[name]):
            raise InputError(
                f"{name}: is for rows of files only; jobs from Python or from a "
                "Reader say so themselves, and a job factory can change them"
            )


def refuse_without_network(options: dict[str, Any]) -> None:
    """Raises InputError if options are not the defaults that only machines with a network know."""
    for name in NETWORK:
        if options[name] != DEFAULTS[name] and (name, options[name]) != ("fidelity", "none"):
            raise InputError(
                f"{name}: the system has no network, so no application runs; leave {name} out, or "
                "give the system a network"
            )


def check_choice(name: str, value: object) -> None:
    """Raises InputError unless the value is one of the option's words."""
    if value not in CHOICES[name]:
        raise InputError(f"{name}: must be one of {', '.join(CHOICES[name])}, not {value!r}")
