"""Runs a command and writes what it used: FIGURES COMMAND... (by `measure.py`).

Linux counts the memory of the process that forks into the peak of the process that is forked. So a
process as small as this one, and not the benchmark's driver, starts the measured command; a Python
that imports anything is larger than it.
"""

import os
import sys

figures, *command = sys.argv[1:]
pid = os.posix_spawn(command[0], command, os.environ)
_, status, usage = os.wait4(pid, 0)
own = 0
with open("/proc/self/status", "rb") as lines:
    for line in lines:
        if line.startswith(b"VmHWM"):
            own = int(line.split()[1])
with open(figures, "w", encoding="ascii") as file:
    code = os.waitstatus_to_exitcode(status)
    file.write(f"{code} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss} {own}")
