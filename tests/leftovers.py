"""What a test leaves behind in the process: it fails, because a later one would run otherwise.

Tests run in any order and share processes. Looked at are the constants of the modules of schedlab,
the environment, the current folder, the mask of rights, signal handlers, and figures of pyplot.
Modules of a test's own folder are forgotten: another test may have a module of that name.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

_CONSTANTS = (bool, int, float, str, bytes, tuple, type(None))
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
_OF_LIBRARIES = ("PYTEST_CURRENT_TEST", "_RJEM_MALLOC_CONF")
"""Variables that pytest, and polars when it is imported, set for themselves."""


class Process:
    """Values of a process that outlive a test, by name, and how each is put back."""

    def __init__(self) -> None:
        self.values: dict[str, tuple[Any, Callable[[Any], None]]] = {}
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "schedlab":
                self._keep_constants(name, module)
        self.values["the current folder"] = (_folder(), os.chdir)
        self.values["the mask of rights"] = (_mask(), os.umask)
        self.values["the environment"] = (_environment(), _put_back_environment)
        self.values["figures of pyplot"] = (_figures(), _close_figures)
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            self.values[signal.Signals(number).name] = (handler, _Handling(number))

    def _keep_constants(self, name: str, module: Any) -> None:
        for key, value in list(vars(module).items()):
            if key.strip("_").isupper() and isinstance(value, _CONSTANTS):
                self.values[f"{name}.{key}"] = (value, _Setting(module, key))

    def put_back_from(self, now: Process) -> Iterator[str]:
        """Puts back what differs now, and names it; modules that were imported since are new."""
        for name, (value, put_back) in self.values.items():
            found = now.values.get(name, (None, put_back))[0]
            if found is not value and found != value:
                put_back(value)
                yield f"{name}: {_difference(value, found)}"


class _Setting:
    def __init__(self, module: Any, key: str) -> None:
        self._module, self._key = module, key

    def __call__(self, value: Any) -> None:
        setattr(self._module, self._key, value)


class _Handling:
    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def __call__(self, handler: Any) -> None:
        signal.signal(self._number, handler)


def _difference(before: Any, now: Any) -> str:
    if not isinstance(before, dict):
        return f"was {before!r}, is {now!r}"
    names = (name for name in {**before, **now} if before.get(name) != now.get(name))
    return ", ".join(f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in names)


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "a folder that was removed"


def _mask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _OF_LIBRARIES}


def _put_back_environment(values: dict[str, str]) -> None:
    for name in _environment():
        if name not in values:
            del os.environ[name]
    os.environ.update(values)


def _figures() -> list[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return [] if pyplot is None else list(pyplot.get_fignums())


def _close_figures(_: list[int]) -> None:
    sys.modules["matplotlib.pyplot"].close("all")


def _forget_modules(folder: str) -> None:
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]


_BEFORE = pytest.StashKey[Process]()


def pytest_collection_finish(session: pytest.Session) -> None:
    session.stash[_BEFORE] = Process()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Any:
    result = yield
    _forget_modules(str(item.config._tmp_path_factory.getbasetemp()))
    stash, now = item.session.stash, Process()
    left = list(stash[_BEFORE].put_back_from(now))
    stash[_BEFORE] = Process() if left else now
    if left:
        pytest.fail("the test left behind: " + "; ".join(left), pytrace=False)
    return result
