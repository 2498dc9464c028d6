"""The command line: one file per command; here, how errors become messages and exit codes.

Exit codes: 0 done; 2 wrong use or bad input; 128 + N ended by signal N (143 SIGTERM, 129 SIGHUP);
1 anything else, Ctrl-C included.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
from contextlib import contextmanager
from functools import partial

from schedlab import early_interrupts
from schedlab.cli.declaring import Group, Leave
from schedlab.cli.reading import call_of
from schedlab.cli.streams import make_streams_printable
from schedlab.errors import InputError, SchedlabError, reason_of
from schedlab.simulation.interrupting import TERMINATING, Interrupter

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from typer import Typer

    app: Typer

DONE, FAILED, WRONG_USE = 0, 1, 2
MOST_THREADS = 1024
COMPLETING = "_SCHEDLAB_COMPLETE"
"""The environment variable by which a shell asks for completion."""

COMMANDS = Group(
    "A laboratory for HPC job scheduling: simulate machines, workloads and dispatchers.",
    {
        "demo": "schedlab.cli.demo:demo",
        "run": "schedlab.cli.run:run",
        "compare": "schedlab.cli.compare:compare",
        "plot": "schedlab.cli.plot:plot",
        "report": "schedlab.cli.report:report",
        "status": "schedlab.cli.status:status",
        "checksum": "schedlab.cli.checksum:checksum",
        "schema": "schedlab.cli.schema:schema",
        "watch": "schedlab.cli.watch:watch",
        "dashboard": "schedlab.cli.dashboard:dashboard",
        "doctor": "schedlab.cli.doctor:doctor",
        "workload": "schedlab.cli.workload:WORKLOAD",
        "system": "schedlab.cli.system:SYSTEM",
        "app": "schedlab.cli.applications:APPLICATIONS",
    },
)


def __getattr__(name: str) -> Any:
    if name == "app":  # for what calls typer's own functions; made when it is asked for
        from schedlab.cli import typed

        return typed.app()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """The program `schedlab`."""
    run_words(sys.argv[1:])


def run_words(words: Sequence[str]) -> None:
    """Runs the command of a command line, and leaves with its exit code.

    Whatever a command raises ends as one line on standard error.
    """
    _prepare_streams()
    interrupter = Interrupter(KeyboardInterrupt, politely=1)
    try:
        with _handling_interrupts(interrupter):
            _check_environment()
            code = _call(words)
        sys.stdout.flush()
    except Leave as left:
        code = left.code
    except KeyboardInterrupt:
        code = _failed(_interrupted(interrupter))
    except Exception as error:
        interrupted = interrupter.number is not None and _is_of_import(error)
        code = _failed(_interrupted(interrupter)) if interrupted else _explain(error)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of polars; it has no base of its own
            raise
        code = _explain(error)
    if code != DONE and interrupter.number in TERMINATING:
        code = 128 + interrupter.number
    sys.exit(code)


def _call(words: Sequence[str]) -> int:
    """Does what words say and returns the exit code."""
    plain = None if COMPLETING in os.environ else call_of(COMMANDS, words)
    if plain is None:
        from schedlab.cli import typed

        return typed.call(words)
    groups, command, arguments = plain
    for group in groups:
        if group.begin is not None:
            group.begin()
    command(**arguments)
    return DONE


def _is_of_import(error: BaseException | None) -> bool:
    """Returns whether an error comes of an import: interrupted extensions say that they failed."""
    while error is not None and not isinstance(error, ImportError):
        error = error.__cause__ or error.__context__
    return error is not None


def _check_environment() -> None:
    """Raises InputError for what polars does not check: it panics at its first use."""
    threads = os.environ.get("POLARS_MAX_THREADS", "").strip()
    if threads.isdecimal() and not 1 <= int(threads[:9]) <= MOST_THREADS:
        raise InputError(
            f"POLARS_MAX_THREADS: must be from 1 to {MOST_THREADS}, not {threads[:20]}; change or "
            "unset this environment variable"
        )


@contextmanager
def _handling_interrupts(interrupter: Interrupter) -> Iterator[None]:
    """Lets Ctrl-C, SIGTERM and SIGHUP say what they came to, and SIGQUIT print it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *TERMINATING)}
    usual = (signal.default_int_handler, signal.SIG_DFL, early_interrupts.leave)
    handled = [number for number, one in before.items() if one in usual]  # not ignored, as by &
    try:
        for number in handled:
            signal.signal(number, interrupter)
    except ValueError:  # not in the main thread
        handled = []
    _print_stack_at_quit()
    hook_before = sys.unraisablehook
    sys.unraisablehook = partial(_raise_again, hook_before)
    try:
        yield
    finally:
        sys.unraisablehook = hook_before
        for number in handled:
            signal.signal(number, before[number])


def _raise_again(hook_before: Callable[[Any], object], ignored: Any) -> None:
    """Lets an interrupt come again that came where Python ignores errors, as in a destructor."""
    if isinstance(ignored.exc_value, KeyboardInterrupt):
        _thread.interrupt_main()
    else:
        hook_before(ignored)


def _print_stack_at_quit() -> None:
    """Lets SIGQUIT print the line that is being run before it ends the process.

    Signals that Python handles wait for the next instruction of Python; a policy that never comes
    back from a function written in C gets to none.
    """
    import faulthandler

    try:
        faulthandler.register(signal.SIGQUIT, sys.stderr, all_threads=False, chain=True)
    except (AttributeError, OSError, ValueError, RuntimeError):
        return  # there is no such signal, or standard error is not a file


def _interrupted(interrupter: Interrupter) -> str:
    """Returns that a command was interrupted, and in which code of the user's."""
    text = "interrupted"
    if interrupter.number in TERMINATING:
        text = f"ended by {signal.Signals(interrupter.number).name}"
    return f"{text} in {interrupter.where}" if interrupter.where else text


def _prepare_streams() -> None:
    """Lets every text be printed, wherever it goes."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # the shell closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):  # what it cannot encode must not end the run
            stream.reconfigure(errors="backslashreplace")
    make_streams_printable()


def _explain(error: BaseException) -> int:
    """Says what went wrong and returns the exit code."""
    if os.environ.get("SCHEDLAB_DEBUG"):
        import traceback

        traceback.print_exc()
    if isinstance(error, InputError):
        return _failed(f"error: {error}", WRONG_USE)
    if isinstance(error, SchedlabError):
        return _failed(f"error: {error}")
    if hasattr(error, "format_message"):  # typer's usage errors; their home moved between versions
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "schedlab"
        message = error.format_message().rstrip(".")
        return _failed(f"error: {message}; see {path} --help", WRONG_USE)
    if isinstance(error, BrokenPipeError):
        # The reader (head, less) has what it wanted. What is still buffered goes nowhere, or
        # Python would complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if isinstance(error, (OSError, MemoryError)):
        return _failed(f"error: {reason_of(error)}")
    hint = "set SCHEDLAB_DEBUG=1 for the traceback"
    if getattr(error, "__notes__", None):  # a policy, reader or the like of the user's own
        return _failed(f"error: {reason_of(error)}; {hint}")
    return _failed(f"internal error: {type(error).__name__}: {error}; {hint}")


def _failed(message: str, code: int = FAILED) -> int:
    print(f"schedlab: {' '.join(message.split())}", file=sys.stderr)
    return code
