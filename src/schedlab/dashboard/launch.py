"""Simulations that are started from the page, each a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import weakref
from threading import Lock
from time import monotonic, sleep
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from schedlab.dispatch.allocators import ALLOCATORS, allocator_named
from schedlab.dispatch.schedulers import SCHEDULERS, scheduler_named
from schedlab.errors import InputError, UntrustedCodeError
from schedlab.options import CHOICES, RULES
from schedlab.regular_file import confined_to, open_regular
from schedlab.simulation import RunSpec, Simulation
from schedlab.system import load_system
from schedlab.trust import data
from schedlab.watch import LiveRun, state_of

if TYPE_CHECKING:
    from schedlab.dashboard.catalogue import RunCatalogue
    from schedlab.dashboard.guard import Folder

MOST_AT_ONCE = 16
MOST_PRINTED = 4_000
"""Bytes that are looked at of what a simulation says."""

SECONDS_TO_START, SECONDS_TO_FAIL = 10.0, 0.3
_ANY_SYSTEM = {"groups": {"node": {"nodes": 1, "resources": {"core": 1}}}}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+=-]{0,99}")
_WORDS = ("estimate", "memory", "processors", "fidelity")
"""Options that the form offers, and that are words; what else is given as one is refused."""

_NONE = (None, "")


class FieldError(InputError):
    """Something in a field of the form is wrong.

    Attributes:
        field: Which one.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class LaunchedRun(NamedTuple):
    """A simulation that was started, and the file with what it says."""

    process: subprocess.Popen[bytes]
    printed: IO[bytes]

    def last_words(self) -> str:
        """Returns the end of what it printed, without moving the place where it continues."""
        file = self.printed.fileno()
        begin = max(0, os.fstat(file).st_size - MOST_PRINTED)
        return os.pread(file, MOST_PRINTED, begin).decode("utf-8", "replace")


def _close_all(started: dict[str, LaunchedRun]) -> None:
    for one in started.values():
        one.printed.close()


class Launcher:
    """Starts simulations of what lies below the folder, and writes below it.

    Args:
        folder: Where runs are written, and workloads and systems are taken from.
        catalogue: What lies there.
        inputs: More folders of workloads and systems, each with its catalogue.
        trust_code: Whether code may run that requests and files name.
    """

    def __init__(
        self,
        folder: Folder,
        catalogue: RunCatalogue,
        inputs: list[tuple[Folder, RunCatalogue]],
        trust_code: bool,
    ) -> None:
        self._trust_code = trust_code
        self._folder, self._catalogue = folder, catalogue
        self._places = [(folder, catalogue), *inputs]
        self._started: dict[str, LaunchedRun] = {}
        weakref.finalize(self, _close_all, self._started)
        self._lock = Lock()

    def choices(self) -> dict[str, Any]:
        """Returns what the form offers; the value of a file is its folder's number and its path."""
        files: dict[str, list[dict[str, str]]] = {"workloads": [], "systems": []}
        for number, (folder, catalogue) in enumerate(self._places):
            inside = "" if number == 0 else f"{os.path.basename(folder.root)}/"
            for kind, names in zip(files, catalogue.inputs(), strict=True):
                files[kind] += [{"value": f"{number}:{n}", "label": inside + n} for n in names]
        words = {name: list(CHOICES[name]) for name in _WORDS}
        return {
            **files,
            "schedulers": list(SCHEDULERS),
            "allocators": list(ALLOCATORS),
            "rules": list(RULES),
            **words,
        }

    def start(self, form: dict[str, Any]) -> dict[str, Any]:
        """Starts a simulation and returns the name of its run once it runs, or has ended.

        Raises:
            FieldError: Something asked for is wrong.
        """
        name, command = self.planned(form)
        out, speed = self._folder.path(name), _speed(form.get("speed"))
        with self._lock:
            self._sweep()
            if sum(item.process.poll() is None for item in self._started.values()) >= MOST_AT_ONCE:
                raise FieldError("name", f"{MOST_AT_ONCE} simulations run already; wait for one")
            begun = name in self._started and self._started[name].process.poll() is None
            if begun or os.path.exists(out):
                raise FieldError("name", f"{name}: exists already; choose another name")
            printed = tempfile.TemporaryFile()  # noqa: SIM115 - it has no name, and is never left over
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=printed,
                cwd=self._folder.root,
                start_new_session=True,  # Ctrl-C at the server is not meant for it
            )
            self._started[name] = LaunchedRun(process, printed)
        self._wait(name, out)
        self._catalogue.forget()
        if speed is not None and state_of(out) == "live":
            LiveRun(out).control("run", speed=speed)
        return {"name": name}

    def planned(self, form: dict[str, Any]) -> tuple[str, list[str]]:
        """Returns the name of the run that a form asks for, and the command that makes it.

        Raises:
            FieldError: Something asked for is wrong.
        """
        name, spec = _name_of_run(form), self._spec(form)
        paused = form.get("pause") is True or _speed(form.get("speed")) is not None
        return name, self._command(spec, self._folder.path(name), paused)

    def failure(self, name: str) -> str | None:
        """Returns what a simulation said that was started here and failed; None where none did."""
        started = self._started.get(name)
        if started is None or started.process.poll() in (None, 0):
            return None
        lines = [line.strip() for line in started.last_words().splitlines() if line.strip()]
        if lines:
            return lines[-1].removeprefix("schedlab: ").removeprefix("error: ")
        code = started.process.returncode
        if code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        return f"its process ended with code {code}"

    def running(self) -> int:
        """Returns how many simulations that were started here still run."""
        return sum(item.process.poll() is None for item in self._started.values())

    def _sweep(self) -> None:
        """Forgets the oldest of those that have ended."""
        ended = [name for name, item in self._started.items() if item.process.poll() is not None]
        for name in ended[:-50]:
            self._started.pop(name).printed.close()

    def _wait(self, name: str, out: str) -> None:
        """Waits until a simulation runs; raises what it says if it cannot."""
        process, deadline = self._started[name].process, monotonic() + SECONDS_TO_START
        while monotonic() < deadline and process.poll() is None:
            if os.path.isdir(out) and state_of(out) != "none":
                # Many a mistake shows in the first rows: they come back to the form, too.
                deadline = min(deadline, monotonic() + SECONDS_TO_FAIL)
            sleep(0.02)
        reason = self.failure(name)
        if reason is not None:
            if os.path.isdir(out) and not os.listdir(out):
                os.rmdir(out)
            field = "system" if "system" in reason.split(":")[0] else "workload"
            raise FieldError(field, self._folder.without_root(reason))

    def _spec(self, form: dict[str, Any]) -> RunSpec:
        """Returns the run that was asked for, checked."""
        workload = self._file("workload", _text(form, "workload"), 0)
        system = self._file("system", _text(form, "system"), 1)
        try:
            with confined_to(os.path.dirname(system)):
                load_system(system)
        except InputError as error:
            raise FieldError("system", self._folder.without_root(str(error))) from None
        policies = {
            field: self._policy(field, _text(form, field)) for field in ("scheduler", "allocator")
        }
        try:
            return RunSpec(workload, system=system, **policies, **_options(form))
        except FieldError:
            raise
        except InputError as error:
            raise FieldError(str(error).partition(":")[0], str(error)) from None

    def _command(self, spec: RunSpec, out: str, paused: bool) -> list[str]:
        """Returns the command that makes a run in a process of its own."""
        words = spec.command(out)
        words[2:2] = ["--timeline", "csv", "--quiet", *(["--pause"] if paused else [])]
        if self._trust_code:
            words.insert(2, "--trust-code")
        # -P: modules that lie in the folder are not ours to run.
        return [sys.executable, "-P", "-m", *words]

    def _policy(self, field: str, text: str) -> str:
        """Returns the name of a policy, with arguments that it takes.

        What a request says is data: whoever may use the page could run any code by such names.
        The command that is started takes names for those of a person, so they are looked up here.
        """
        origin = data("", trust_code=False)
        try:
            if field == "scheduler":
                made = scheduler_named(text, origin)
                Simulation([], system=_ANY_SYSTEM, scheduler=made)  # reads expressions
            else:
                allocator_named(text, origin)
        except UntrustedCodeError as error:
            if not self._trust_code:
                raise FieldError(field, str(error)) from None
        except InputError as error:
            # What classes can do elsewhere is refused here, so it is not to be proposed.
            raise FieldError(field, str(error).replace(", or package.module:Name", "")) from None
        return text

    def _file(self, field: str, value: str, kind: int) -> str:
        """Returns the path of one of the files that the form offers, and of no other."""
        number, _, name = value.partition(":")
        places = {str(place): found for place, found in enumerate(self._places)}
        if number in places:
            folder, catalogue = places[number]
            if name in catalogue.inputs()[kind]:
                path = folder.existing(name)
                open_regular(path, folder.root).close()  # it may be another one by now
                return path
        raise FieldError(field, f"{field}: choose one from the list")


def _text(form: dict[str, Any], field: str) -> str:
    value = form.get(field)
    given = value.strip() if isinstance(value, str) else ""
    if not given or not given.isprintable() or len(given) > 500:
        raise FieldError(field, f"{field}: is missing" if not value else f"{field}: is not a text")
    return given


def _name_of_run(form: dict[str, Any]) -> str:
    name = _text(form, "name")
    if not _NAME.fullmatch(name) or name.endswith((" ", ".", ".part")):
        raise FieldError("name", "name: letters, digits and . _ + = - only, at most 100 of them")
    return name


def _options(form: dict[str, Any]) -> dict[str, Any]:
    """Returns the options that were asked for: of those that are words, what the form offers."""
    given = {name: it for name in (*_WORDS, "rules", "seed") if (it := form.get(name)) not in _NONE}
    for name, value in given.items():
        known = RULES if name == "rules" else CHOICES.get(name, ())
        if name != "seed" and (not isinstance(value, str) or value not in known):
            raise FieldError(name, f"{name}: is not one of the known words")
    if form.get("enforce_limits") is True:
        given["enforce_limits"] = True
    return given


def _speed(value: object) -> float | None:
    if value in (None, ""):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e12:
        raise FieldError("speed", "speed: must be a number of simulated seconds per second above 0")
    return float(value)
