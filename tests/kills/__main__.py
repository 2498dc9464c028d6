"""kill -9 at random moments, and before system calls that are chosen at random, by hand.

    python -m tests.kills --kills 200 --seed 1

Each kill starts a command in a fresh folder, kills it, looks at what is there, continues with the
same command (or --resume) and compares what comes out with an undisturbed one, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

from .commands import (
    Command,
    Compare,
    Convert,
    ConvertToParquet,
    Generate,
    Resume,
    RunOver,
    make_inputs,
)
from .preload import built
from .served import Dashboard
from .trouble import TROUBLES

COMMANDS = {
    "run": Command,
    "run over an earlier one": RunOver,
    "resume": Resume,
    "compare": Compare,
    "convert to JSON": Convert,
    "convert to Parquet": ConvertToParquet,
    "generate": Generate,
    "dashboard": Dashboard,
}


class Kills:
    """Kills one command again and again."""

    def __init__(self, command: Command, place: Path, library: str, draw: random.Random) -> None:
        self._command, self._place, self._library, self._draw = command, place, library, draw
        self.moments: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.faults: list[str] = []
        self._inputs = place / "inputs"
        self._inputs.mkdir()
        make_inputs(self._inputs)
        folder = self._fresh()
        began = time.monotonic()
        self._wanted = command.undisturbed(folder)
        self._seconds = time.monotonic() - began
        self._calls = {role: self._count(role) for role in command.roles}

    def _fresh(self) -> Path:
        folder = self._place / "folder"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._inputs, folder)
        self._command.prepare(folder)
        return folder

    def _environment(self, folder: Path, role: str | None, **more: str) -> dict[str, str]:
        roles = {} if role is None else {"KILL_ROLE": role}
        preload = {"LD_PRELOAD": self._library, "KILL_UNDER": str(folder)}
        return {**os.environ, **preload, **roles, **more}

    def _count(self, role: str | None) -> int:
        folder, log = self._fresh(), self._place / "calls"
        log.unlink(missing_ok=True)
        environment = self._environment(folder, role, KILL_LOG=str(log))
        self._command.wait(self._command.start(folder, environment))
        return max([1, *(int(line.split()[0]) for line in log.read_text().splitlines())])

    def kill(self) -> None:
        """Kills once, and checks."""
        folder = self._fresh()
        if self._draw.random() < 0.5:
            moment, seconds = "moment", self._draw.uniform(0, self._seconds)
            process = self._command.start(folder, dict(os.environ))
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
            place = f"after {seconds:.3f} s"
        else:
            role = self._draw.choice(self._command.roles)
            number = self._draw.randint(1, self._calls[role])
            moment = "call"
            process = self._command.start(
                folder, self._environment(folder, role, KILL_AT=str(number))
            )
            place = f"before call {number}{f' of {role}' if role else ''}"
        self._command.wait(process)
        self.moments[moment] += 1
        try:
            found = self._command.look(folder, self._wanted)
            self.found[found] += 1
            self._command.go_on(folder, found, self._wanted)
        except Exception as error:
            self.faults.append(f"{place}: {type(error).__name__}: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[*COMMANDS, *TROUBLES], action="append")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    wanted = given.only or [*COMMANDS, *TROUBLES]
    faults = []
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        library = built(name)
        commands = [title for title in COMMANDS if title in wanted]
        print(f"{'command':24} {'kills':>5}  {'moments':>7}  {'calls':>5}  found afterwards")
        for index, title in enumerate(commands):
            place = Path(name) / title.replace(" ", "-")
            place.mkdir()
            count = given.kills * (index + 1) // len(commands) - given.kills * index // len(
                commands
            )
            kills = Kills(COMMANDS[title](), place, library, draw)
            for _ in range(count):
                kills.kill()
            counts = ", ".join(f"{n} {what}" for what, n in sorted(kills.found.items()))
            moments = kills.moments
            print(f"{title:24} {count:5}  {moments['moment']:7}  {moments['call']:5}  {counts}")
            for fault in kills.faults:
                print(f"  FAULT {fault}")
            faults += kills.faults
            shutil.rmtree(place)
        for title, trouble in TROUBLES.items():
            if title in wanted:
                place = Path(name) / title.replace(" ", "-")
                place.mkdir()
                make_inputs(place)
                for line in trouble(place):
                    print(f"{title:24} {line}", flush=True)
                    faults += [line] if "FAULT" in line else []
    print(f"{len(faults)} faults")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
