"""Models of workloads, settings of generators, workflows to insert, and measurements to fit."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from fuzz.harness import Sample, Target, run_command

DEFINITION = """interarrival = "exponential(mean=120)"
run = "lognormal(mean=7.5, deviation=1.2, min=1, max=86400)"
processors = "choice(1:0.3, 2:0.2, 4:0.5)"
requested = "run*uniform(1, 3)"
by_hour = [1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 5, 4, 3, 2, 2, 1, 1, 1, 1]
by_weekday = [5, 5, 5, 5, 4, 2, 1]
machine = 64
load = 0.7
resolution = 1
[columns]
user = "zipf(exponent=1.2, count=20)"
requested_memory = 100
"""
MANIFEST = """{"tasks": [
{"id": "SWide", "cmd": "./W.py", "cores": 8, "rtime": 360.0},
{"id": "SLong", "cmd": "./L.py", "cores": 4, "rtime": 1440.0, "deps": ["SWide"]}]}"""
SETTINGS = {
    "schedlab_generation_settings": 1,
    **{"jobs": 40, "processors": 64, "pressure_low": 1.0, "pressure_high": 1.1},
    **{"fill_wait": 100, "fill_interval": 10, "most_work": 1e6, "run_times": "paired"},
}
SPEEDS = "rate,others,n,speed,active,power\n" + "".join(
    f"{100 * i},{500 * i},{i % 3 + 1},{1 - i / 40},{i % 5},{10 + i}\n" for i in range(1, 16)
)


def _models() -> list[Sample]:
    import polars

    from schedlab.workload.formats import write_tables
    from schedlab.workload.models.scsf import WorkloadModel
    from schedlab.workload.table import complete

    rows = range(1, 121)
    table = {
        "job": [float(i) for i in rows],
        "submit": [90.0 * i + i * i % 60 for i in rows],
        "wait": [float(i % 9) for i in rows],
        "run": [60.0 * (i % 7 + 1) for i in rows],
        "requested_processors": [4.0 * (i % 4 + 1) for i in rows],
        "requested_time": [60.0 * (i % 11 + 8) for i in rows],
    }
    others = {"settings.json": json.dumps(SETTINGS).encode(), "flow.json": MANIFEST.encode()}
    samples = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder / "log.swf", [complete(polars.DataFrame(table))], {"MaxProcs": "64"})
        for joint, arrivals in (
            ("independent", "weekly"),
            ("size", "independent"),
            ("jobs", "weekly"),
        ):
            made = WorkloadModel.fit(folder / "log.swf", joint=joint, arrivals=arrivals)
            made.save(folder / f"{joint}.json")
            samples.append(
                Sample("model", {"model.json": (folder / f"{joint}.json").read_bytes(), **others})
            )
    return samples


def _generate(name: str, folder: Path) -> None:
    from schedlab.workload.models.scsf import GenerationSettings

    GenerationSettings.load(folder / "settings.json")
    new = ("--out", str(folder / "new.swf"), "--jobs", "40", "--force")
    flows = ("--workflows", "period:10m", "--manifest", str(folder / "flow.json"))
    run_command(
        "workload", "generate", "model", str(folder / "model.json"), *new, *flows, codes=(0, 2)
    )


def _definitions() -> list[Sample]:
    return [Sample("plain.toml", {"plain.toml": DEFINITION.encode()})]


def _define(name: str, folder: Path) -> None:
    from schedlab.workload.models.plain import PlainWorkload

    PlainWorkload.from_file(str(folder / name)).write(folder / "new.swf", jobs=50)


def _measurements() -> list[Sample]:
    return [Sample("speeds.csv", {"speeds.csv": SPEEDS.encode()})]


def _fit(name: str, folder: Path) -> None:
    from schedlab.fitting import fit_processor

    fit_processor([folder / name], 4, clock=3.0).toml()


TARGETS = [
    Target("models", _models, _generate),
    Target("definitions", _definitions, _define),
    Target("measurements", _measurements, _fit),
]
