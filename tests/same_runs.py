"""Whether two run folders hold the same run."""

from __future__ import annotations

from pathlib import Path

import polars

CLOCK = ("dispatch_nanoseconds", "other_nanoseconds", "memory_bytes")
"""Columns of the timeline that are of the simulator and not of the simulation."""


def content(run: str | Path) -> dict[str, bytes | str]:
    """Returns the tables of a run folder by name, without the times of the clock."""
    run = Path(run)
    found: dict[str, bytes | str] = {
        path.name: path.read_bytes() for path in run.iterdir() if path.suffix == ".csv"
    }
    for name in ("timeline.csv", "timeline.parquet"):
        if (run / name).exists():
            read = polars.read_csv if name.endswith("csv") else polars.read_parquet
            found[name] = read(run / name).drop(*CLOCK).write_csv()
    if (run / "jobs.parquet").exists():
        found["jobs.parquet"] = polars.read_parquet(run / "jobs.parquet").write_csv()
    return found
