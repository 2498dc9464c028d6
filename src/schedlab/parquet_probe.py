"""Whether a Parquet file can be read: tried in a process of its own, which damage may end.

Numbers of a damaged file make polars ask for exabytes of memory, which ends the process (not even
an exception). Its bytes say nothing beforehand: such numbers are in the pages, too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from schedlab.errors import InputError

SECONDS_AT_LEAST = 60
BYTES_PER_SECOND = 1_000_000
"""What is read more slowly than this, by far, will never end."""

MEMORY_AT_LEAST = 2 * 2**30
MEMORY_PER_BYTE = 20
"""How much larger than its file a table may be in memory."""

_PROBE = """
import resource, sys
path, rows, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import polars
resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
try:
    polars.read_parquet_metadata(path)
    lazy = polars.scan_parquet(path, glob=False)
    lazy.collect_schema()
    total = lazy.select(polars.len()).collect().item()
    for done in range(0, max(1, total), rows):
        lazy.slice(done, rows).collect()
except BaseException as error:
    sys.stdout.buffer.write(str(error).partition("\\n")[0].encode(errors="replace"))
    sys.exit(3)
"""


_MOST_REMEMBERED = 1_000

_whole: dict[tuple[int, ...], None] = {}
"""Files that could be read, as they were then."""


def probe(path: str, rows: int, label: str) -> None:
    """Reads a whole file in another process, as many rows at a time; once, while it stays as it is.

    Args:
        path: The file.
        rows: How many.
        label: What messages call the file.

    Raises:
        InputError: It cannot be read.
    """
    status = os.stat(path)
    size = status.st_size
    identity = (status.st_dev, status.st_ino, size, status.st_mtime_ns, status.st_ctime_ns, rows)
    if identity in _whole:
        return
    memory = MEMORY_AT_LEAST + MEMORY_PER_BYTE * size
    try:
        done = subprocess.run(
            # Not from the current folder, where a file might be called polars.py.
            [sys.executable, "-P", "-c", _PROBE, path, str(rows), str(memory)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # where a panic writes what only its makers understand
            # Without what is preloaded: sanitizers ask for more memory than any file needs.
            env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
            timeout=SECONDS_AT_LEAST + size / BYTES_PER_SECOND,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _damaged(label, "reading it does not end") from None
    if done.returncode == 0:
        if len(_whole) >= _MOST_REMEMBERED:
            _whole.clear()
        _whole[identity] = None
        return
    reason = done.stdout.decode(errors="replace").strip()
    if done.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    raise _damaged(label, reason or "reading it needs absurd amounts of memory")


def _damaged(label: str, reason: str) -> InputError:
    return InputError(
        f"{label}: is not a Parquet file, or damaged: {reason}; write or fetch it again"
    )
