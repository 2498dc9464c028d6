"""Other trouble: disks that are full or cannot be written, and signals from the first moment on.

The first two need to mount a small file system, which only root may.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .commands import SCHEDLAB, Command, Compare, Convert, ConvertToParquet, Generate, call, jobs_of

WRITERS = (Command, Compare, Convert, ConvertToParquet, Generate)
SMALL, LARGE = "64k", "64m"


def mount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], check=True)


def full_disk(place: Path) -> Iterator[str]:
    """Each command on a disk that is too small; then the same one with room."""
    yield from _on_a_disk(place, f"size={SMALL}", "no space left on device")


def read_only(place: Path) -> Iterator[str]:
    """Each command on a disk that cannot be written."""
    yield from _on_a_disk(place, f"size={LARGE},ro", "Read-only file system|cannot be")


def _on_a_disk(place: Path, options: str, reason: str) -> Iterator[str]:
    if os.geteuid() != 0:
        yield "skipped: only root can mount a disk"
        return
    for kind in WRITERS:
        command = kind()
        disk = place / "disk"
        disk.mkdir()
        inputs = [str(place / one) if one in ("a.swf", "m.toml") else one for one in kind.arguments]
        mount(disk, options)
        try:
            done = call(disk, *inputs)
            left = sorted(str(p.relative_to(disk)) for p in disk.rglob("*") if p.is_file())
            last_line = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
            ok = done.returncode in (1, 2) and any(word in last_line for word in reason.split("|"))
            ok = ok and "Traceback" not in done.stderr and not [n for n in left if _is_partial(n)]
            subprocess.run(["mount", "-o", f"remount,rw,size={LARGE}", str(disk)], check=True)
            again = call(disk, *inputs)
            made = command.made(disk) if again.returncode == 0 else again.stderr
            shutil.rmtree(place / "whole", ignore_errors=True)
            (place / "whole").mkdir()
            call(place / "whole", *inputs)
            same = made == command.made(place / "whole")
        finally:
            subprocess.run(["umount", str(disk)], check=True)
            disk.rmdir()
        fault = "" if ok and same else "FAULT "
        yield (
            f"{fault}{kind.__name__}: exit {done.returncode}, left {left}, then "
            f"{'the same as undisturbed' if same else made}: {last_line}"
        )


def _is_partial(name: str) -> bool:
    last = os.path.basename(name)
    is_result = last in ("jobs.csv", "run.json") or last.startswith("x.")
    return is_result or last.endswith((".part", ".lock", ".next"))


def signals(place: Path) -> Iterator[str]:
    """SIGINT, SIGTERM and SIGHUP after 1 ms, 2 ms, 4 ms and so on."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for kind in WRITERS:
            codes: Counter[int] = Counter()
            faults = []
            seconds = 0.001
            while seconds < 4:
                out = place / f"{number}-{kind.__name__}-{seconds}"
                out.mkdir()
                for name in ("a.swf", "m.toml"):
                    os.link(place / name, out / name)
                process = subprocess.Popen(
                    [*SCHEDLAB, *kind.arguments],
                    cwd=out,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                time.sleep(seconds)
                process.send_signal(number)
                printed = process.communicate()[1]
                codes[process.returncode] += 1
                left = [str(p.relative_to(out)) for p in out.rglob("*") if _is_left(p.name)]
                wrong = process.returncode not in (0, 1, 128 + number, -number)
                # Before its first line, the interpreter is on its own.
                traced = "Traceback" in printed and "schedlab" in printed
                if wrong or left or traced:
                    text = f"{process.returncode} {left} {printed[-300:]!r}"
                    faults.append(f"after {seconds:.3f} s: {text}")
                if kind is Command and (out / "out" / "run.json").exists():
                    jobs_of(out / "out")
                shutil.rmtree(out)
                seconds *= 2
            text = ", ".join(f"{n} x exit {code}" for code, n in sorted(codes.items()))
            mark = "FAULT " if faults else ""
            yield f"{mark}{number.name} {kind.__name__}: {text} {faults or ''}"


def _is_left(name: str) -> bool:
    return name.endswith((".part", ".lock", ".parts")) or name.startswith(".")


TROUBLES = {"full disk": full_disk, "read-only disk": read_only, "signals": signals}
