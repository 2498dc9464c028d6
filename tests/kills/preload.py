"""Makes the preload that kills a process before a system call."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

SOURCE = os.path.join(os.path.dirname(__file__), "preload.c")


def reason_against() -> str | None:
    """Returns why there can be none here; None where there can."""
    if sys.platform != "linux":
        return "system calls are caught on Linux only"
    return None if _compiler() else "needs a C compiler"


def built(folder: str | os.PathLike[str]) -> str:
    """Returns the path of the library, built in a folder."""
    path = os.path.join(folder, "kills.so")
    compiler = _compiler()
    assert compiler is not None
    options = ["-shared", "-fPIC", "-O1", "-o", path, SOURCE, "-ldl"]
    subprocess.run([compiler, *options], check=True)
    return path


def _compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
