"""How the process of a run is started: as a fork of a server where it can be, or afresh."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from typing import IO, Protocol

_SERVER, _WORKER = "fork_server", "worker"
MESSAGE_BYTES = 64


class Process(Protocol):
    """A process of a run, as `subprocess.Popen` is one."""

    def wait(self) -> int:
        """Waits for its end and returns the exit code, or minus the signal that killed it."""

    def kill(self) -> None:
        """Ends it."""


class Starter:
    """Starts processes of runs.

    They are forks of a server (`fork_server.py`), or fresh interpreters where there is none: beside
    Linux, and where something starts threads in every interpreter.
    """

    def __init__(self) -> None:
        self._server: _Server | None = None
        self._forks = sys.platform == "linux"

    def close(self) -> None:
        """Ends what was started."""
        if self._server is not None:
            self._server.close()

    def start(
        self, plan: IO[bytes], output: IO[bytes], reports: int, objects: IO[bytes] | None
    ) -> Process:
        """Starts a process.

        Args:
            plan: What `worker.work` takes, as JSON.
            output: Where it goes what the process prints.
            reports: The end of a pipe to report to.
            objects: Parts that are objects, pickled.
        """
        if self._forks:
            files = [plan.fileno(), output.fileno(), reports]
            try:
                if self._server is None:
                    self._server = _Server()
                return self._server.fork(files if objects is None else [*files, objects.fileno()])
            except OSError:  # there can be none, or it was killed, with what it had started
                self._forks = False
        return subprocess.Popen(
            _command(_WORKER),
            stdin=plan,
            stdout=reports,
            stderr=output,
            pass_fds=[] if objects is None else [objects.fileno()],
            process_group=0,  # Ctrl-C in a terminal goes to this process alone
        )


class _Server:
    """The process that forks.

    Raises:
        OSError: It cannot.
    """

    def __init__(self) -> None:
        # A kernel that has no such files cannot say when the child of another process ends.
        os.close(os.pidfd_open(os.getpid()))
        self._asked, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with asked:
            self._process = subprocess.Popen(
                _command(_SERVER, str(asked.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[asked.fileno()],
                process_group=0,
            )
        try:
            may_fork = self._answer("serves") == ["yes"]
        except BaseException:
            self.close()
            raise
        if not may_fork:
            self.close()
            raise OSError("its interpreter has threads")

    def fork(self, files: list[int]) -> _Fork:
        socket.send_fds(self._asked, [b"fork"], files)
        child = int(self._answer("child")[0])
        if child < 0:
            raise OSError(-child, os.strerror(-child))
        return _Fork(self, child)

    def code_of(self, child: int) -> int:
        """Returns how a child ended that has: its exit code, or minus a signal."""
        try:
            self._asked.send(b"%d" % child)
            return int(self._answer("ended", str(child))[0])
        except OSError:  # the server was killed, and its children end with it
            return -signal.SIGKILL

    def _answer(self, *first: str) -> list[str]:
        """Returns the rest of the answer that begins so; others are of what was interrupted."""
        while answer := self._asked.recv(MESSAGE_BYTES):
            words = answer.decode().split()
            if tuple(words[: len(first)]) == first:
                return words[len(first) :]
        raise ConnectionError("the server of runs has ended")

    def close(self) -> None:
        """Ends it, and what it has started."""
        self._asked.close()
        self._process.wait()


class _Fork:
    """A child of the server."""

    def __init__(self, server: _Server, child: int) -> None:
        self._server, self._child = server, child
        self._ended = os.pidfd_open(child)

    def wait(self) -> int:
        poll = select.poll()
        poll.register(self._ended, select.POLLIN)
        poll.poll()
        code = self._server.code_of(self._child)
        os.close(self._ended)
        return code

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # the server was killed, and it has ended
            signal.pidfd_send_signal(self._ended, signal.SIGKILL)


def _command(module: str, *arguments: str) -> list[str]:
    """Returns how a module is run in a fresh interpreter that finds modules where this one does.

    Not by PYTHONPATH: Python would import a sitecustomize.py from there before anything else, and
    the current folder, which is on the path of notebooks, may hold any file.
    """
    places = [entry or os.getcwd() for entry in sys.path]
    start = f"from schedlab.experiment.{module} import main; main()"
    code = f"import sys; sys.path[:] = sys.argv[{len(arguments) + 1}:]; {start}"
    return [sys.executable, "-P", "-c", code, *arguments, *places]
