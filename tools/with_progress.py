"""Runs a build and shows how far it is: `with_progress.py LOG COMMAND...`.

The command's output goes to the log. Of it, only the compiler's "[12/119]" is shown, as one line
that counts up; where nobody watches, a line every 20 seconds. If the command fails, the end of the
log is printed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time

STEP = re.compile(r"\s*\[(\d+)/(\d+)\]")
SHOWN_LINES = 60
QUIET_SECONDS = 20.0


def main(log: str, command: list[str]) -> int:
    """Returns the command's exit code."""
    watched = sys.stderr.isatty()
    began = shown = time.monotonic()
    with (
        open(log, "w", encoding="utf-8") as kept,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            kept.write(line)
            now = time.monotonic()
            step = STEP.match(line)
            if step and (watched or now - shown >= QUIET_SECONDS):
                shown = now
                text = f"compiling the engine: {step[1]} of {step[2]} steps, {now - began:.0f} s"
                print(
                    f"\r{text}" if watched else text,
                    end="" if watched else "\n",
                    file=sys.stderr,
                    flush=True,
                )
    if watched:
        print("\r\033[K", end="", file=sys.stderr)
    if process.returncode:
        with open(log, encoding="utf-8") as kept:
            print("".join(kept.readlines()[-SHOWN_LINES:]), file=sys.stderr)
        print(f"the build failed; all of its output is in {log}", file=sys.stderr)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
