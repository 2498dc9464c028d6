"""A process that has imported what every run needs, and forks one process for each.

A fresh interpreter imports for 30 ms what is the same for all runs; a fork of this process has it.

A fork has the locks of its parent's threads, but not the threads, and may wait for ever for one.
This process has no other thread, nor anything that starts some (numpy, polars): `may_fork` looks
before it says that it serves. It runs no code of the user's either, so that what one run leaves in
its process (modules, globals, random numbers) is in no other.
"""

from __future__ import annotations

import _socket
import gc
import os
import sys
from _signal import SIGKILL  # type: ignore[import-not-found]  # `signal` is slow

# What a plain simulation imports, too. tests/experiment/test_fork_server.py says what is missing.
import schedlab.part_arguments
import schedlab.results.result
import schedlab.simulation.description
import schedlab.simulation.run_folder
import schedlab.simulation.spec.decoding
import schedlab.system.accasim
import schedlab.system.parse
import schedlab.toml_text  # noqa: F401
from schedlab.experiment.worker import work
from schedlab.results.json_text import from_json

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

MESSAGE_BYTES = 64
DESCRIPTOR_BYTES = 4
MOST_DESCRIPTORS = 4


def main() -> None:
    """The program; its first argument is the socket on which it is asked."""
    asked = _socket.socket(fileno=int(sys.argv.pop(1)))
    gc.freeze()  # or collections in the children would copy all of this into each
    before = set(sys.modules)
    run = serve(asked)
    if run is None:
        return
    code = work(*run)  # this is a child
    if not _has_foreign(set(sys.modules) - before):
        sys.stderr.flush()
        os._exit(code)  # taking the interpreter apart would copy what is shared: half as long again
    sys.exit(code)


def serve(asked: _socket.socket) -> tuple[dict[str, Any], int] | None:
    """Forks children and says how they ended, until nobody can ask any more.

    Files with a message ask for a child: its plan, its output, where it reports and perhaps its
    objects; the answer has its process id, or minus the number of an error. A process id asks how
    that child ended, once it has.

    Returns:
        In a child: what `work` takes. In this process None, and all children have ended.
    """
    server = os.getpid()
    codes: dict[int, int | None] = {}  # of the children that are known to have ended
    _answer(asked, "serves", "yes" if may_fork() else "no")
    while True:
        message, received, _, _ = asked.recvmsg(
            MESSAGE_BYTES, _socket.CMSG_SPACE(MOST_DESCRIPTORS * DESCRIPTOR_BYTES)
        )
        if not message:
            break
        if received:
            files = _descriptors(received[0][2])
            try:
                child = os.fork()
            except OSError as error:  # there are too many processes
                child = -(error.errno or 1)
            if child == 0:
                asked.close()
                return _begin(server, *files)
            if child > 0:
                codes[child] = None
            for file in files:
                os.close(file)
            _answer(asked, "child", child)
        else:
            child = int(message)
            if codes[child] is None:
                codes[child] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            _answer(asked, "ended", child, codes[child])
    for child in [child for child, code in codes.items() if code is None]:
        os.kill(child, SIGKILL)
        os.waitpid(child, 0)
    return None


def _answer(asked: _socket.socket, *words: object) -> None:
    asked.send(" ".join(map(str, words)).encode())


def may_fork() -> bool:
    """Returns whether this process is the only thread of its memory."""
    return len(os.listdir("/proc/self/task")) == 1


def _has_foreign(modules: set[str]) -> bool:
    """Returns whether some modules are neither of schedlab nor of Python.

    Such code may have left files to be written, threads to be waited for, and functions to be
    called at the end.
    """
    own = {*sys.stdlib_module_names, "schedlab"}
    return any(name.partition(".")[0] not in own for name in modules)


def _begin(
    server: int, plan: int, output: int, reports: int, objects: int | None = None
) -> tuple[dict[str, Any], int]:
    """Makes a child what a fresh interpreter would be; returns its plan and where it reports."""
    os.setpgid(0, 0)  # a run that ends its process group ends no other
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    sys.stdout = sys.stderr  # which holds nothing back: lines stay in their order
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    return {**from_json(text), "parent": server, "objects": objects}, reports


def _descriptors(data: bytes) -> list[int]:
    places = range(0, len(data) - len(data) % DESCRIPTOR_BYTES, DESCRIPTOR_BYTES)
    return [int.from_bytes(data[one : one + DESCRIPTOR_BYTES], sys.byteorder) for one in places]
