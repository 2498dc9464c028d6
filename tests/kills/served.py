"""The dashboard, killed while it starts a run, and the run that it started."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from schedlab.dashboard.guard import CHANGES
from schedlab.results.folder_lock import is_locked

from .commands import SCHEDLAB, Command, succeeded

TOKEN = "a-token-of-the-kills-0123456789"
SECONDS = 60


class Dashboard(Command):
    """A run that is started by the page: it continues when the server is killed."""

    roles = ("schedlab run",)
    again = Command.arguments

    def start(self, folder, environment):
        process = subprocess.Popen(
            [*SCHEDLAB, "dashboard", ".", "--port", "0"],
            cwd=folder,
            env={**environment, "SCHEDLAB_TOKEN": TOKEN},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._folder = folder
        self._asking = threading.Thread(target=self._ask, args=(process,))
        self._asking.start()
        return process

    def _ask(self, process: subprocess.Popen[bytes]) -> None:
        """Asks for a run as soon as the server says where it is."""
        line = process.stdout.readline().decode()
        url = line.rpartition(" shown at ")[2].partition("?")[0].strip()
        form = {"workload": "0:a.swf", "system": "0:m.toml", "scheduler": "easy"}
        form |= {"allocator": "first-fit", "name": "out"}
        headers = {CHANGES: "1", "content-type": "application/json"}
        headers["authorization"] = f"Bearer {TOKEN}"
        with contextlib.suppress(OSError, ValueError):  # it was killed
            request = urllib.request.Request(
                f"{url}api/launch", json.dumps(form).encode(), headers, method="POST"
            )
            urllib.request.urlopen(request, timeout=SECONDS).read()

    def wait(self, process):
        """Waits until the run that was started is over, too."""
        self._asking.join(SECONDS)
        time.sleep(0.3)  # a run that was just started has not locked its folder
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and is_locked(str(self._folder / "out")):
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.wait()
        process.stdout.close()

    def undisturbed(self, folder: Path) -> object:
        self.wait(self.start(folder, dict(os.environ)))
        return self.made(folder)

    def go_on(self, folder, found, wanted):
        if found != "new":
            succeeded(folder, *Command.arguments, "--force")
        super().go_on(folder, "new", wanted)
