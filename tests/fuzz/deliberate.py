"""Faults on purpose, for the test of the harness itself; there only where it asks for them."""

from __future__ import annotations

import os
from pathlib import Path

from fuzz.harness import Sample, Target, run_command

SWITCH = "SCHEDLAB_DELIBERATE_FAULTS"


def _samples() -> list[Sample]:
    kinds = ("abort", "exception", "memory", "message", "command", "refusal", "success")
    return [Sample(kind, {"input.txt": kind.encode()}) for kind in kinds]


def _feed(name: str, folder: Path) -> None:
    from schedlab.errors import InputError, SchedlabError

    class RawError(SchedlabError):
        def __str__(self) -> str:
            return "\x1b[31m"

    if name == "abort":
        os.abort()
    elif name == "exception":
        raise ValueError("on purpose")
    elif name == "memory":
        bytearray(1_500_000_000)[::4096] = b"x" * (1_500_000_000 // 4096 + 1)
    elif name == "message":
        raise RawError
    elif name == "command":
        run_command("workload", "inspect", str(folder / "input.txt"), codes=())
    elif name == "refusal":
        raise InputError("on purpose")


TARGETS = [Target("deliberate", _samples, _feed)] if os.environ.get(SWITCH) else []
