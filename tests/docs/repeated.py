"""Runs that the examples of a page left: `run.json` of each repeats it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars
import pytest

import schedlab as sl
from schedlab.simulation.spec.files import changed_inputs, read_recorded


def repeat_runs(folder: Path) -> int:
    """Repeats whole runs with tables of jobs below a folder, one of each experiment.

    Returns:
        How many were the same; those whose inputs changed meanwhile are not counted.
    """
    experiments: set[Path] = set()
    same = 0
    for path in sorted(folder.rglob("run.json")):
        of = next((one for one in path.parents if (one / "experiment.json").exists()), None)
        if of in experiments:
            continue
        if of is not None:
            experiments.add(of)
        run = read_recorded(str(path))
        if run["status"] == "complete" and {"jobs.csv", "jobs.parquet"} & {*run["files"]}:
            same += _repeat(path, run)
    return same


def _repeat(path: Path, run: dict) -> bool:
    spec = sl.RunSpec.from_file(path, trust_code=True)
    if "objects" in run["spec"]:
        with pytest.raises(sl.InputError, match="was a Python object"):
            spec.arguments()
        return False
    inputs = [it for it in (spec.workload, spec.conditions, spec.windows) if isinstance(it, str)]
    if not all(map(_is_there, inputs)):
        return False  # a page may remove what it made
    kept = "csv" if "jobs.csv" in run["files"] else "parquet"
    with tempfile.TemporaryDirectory() as out:
        again = spec.simulate(out=out, jobs=kept, trust_code=True)
        if changed_inputs(run, again.run):
            return False
        assert again.run["spec"] == run["spec"], path
        assert _rows(Path(out), kept) == _rows(path.parent, kept), path
    return True


def _is_there(path: str) -> bool:
    return Path(path).is_file()


def _rows(folder: Path, kept: str) -> bytes | str:
    if kept == "csv":
        return (folder / "jobs.csv").read_bytes()
    return polars.read_parquet(folder / "jobs.parquet").write_csv()
