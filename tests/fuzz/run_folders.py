"""Run folders: of finished runs and of live ones, damaged in any of their files."""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zlib
from pathlib import Path

import polars
from fuzz.harness import Sample, Target

MACHINES = ("plain", "platform", "network")
MEASURED = "^(.*_nanoseconds|.*memory_bytes|.*_seconds|.*_microseconds)$"
"""Columns that differ from run to run."""

QUERIES = ("clock", "jobs", "queue", "running", "resources", "machine", "nodes", "cpu", "metrics")


@functools.cache
def samples() -> list[Sample]:
    """Returns runs on a plain machine, a platform with failures and a network, and a live one."""
    from schedlab.testing import plot_runs

    plot_runs.CASES["fuzz"] = (plot_runs.Run("easy", 24, plot_runs.MIXED),)
    found = []
    with tempfile.TemporaryDirectory() as place:
        for machine in MACHINES:
            plot_runs.case_runs("fuzz", f"{place}/{machine}", machine)
            found.append(_sample(machine, files_in(Path(place, machine, "0"))))
        found.append(_sample("parquet", _parquet_run(Path(place, "parquet"))))
        found.append(_sample("live", _live_run(Path(place, "live"))))
    return found


def _sample(name: str, files: dict[str, bytes]) -> Sample:
    read = tuple(one for one in files if one not in ("nodes.csv", "watch.json"))
    return Sample(name, timeless(files), read)


def files_in(folder: Path) -> dict[str, bytes]:
    """Returns the files below a folder, by path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def timeless(files: dict[str, bytes]) -> dict[str, bytes]:
    """Returns the files of runs without what the clock and the machine said: always the same."""
    return {name: _timeless(name, content) for name, content in files.items()}


def _timeless(name: str, content: bytes) -> bytes:
    if name.endswith(".json"):
        data = json.loads(content)
        run = data["run"] if name == "live.json" else data
        for part in ("simulator", "statistics"):
            if part in run:
                run[part] = dict.fromkeys(run[part], 1)
        # Checksums would hide what else sees damage.
        data.pop("tables" if name.endswith("run.json") else "files", None)
        data |= {key: 7 for key in ("process",) if key in data}
        data |= {key: "7" for key in ("tables", "engine", "key") if key in data}
        for one in data.get("runs", []):
            one["key"] = "7"
        return json.dumps(data, indent=1).encode()
    if "timeline." in name or name.endswith("timing.csv"):
        is_parquet = name.endswith(".parquet")
        read, write = (
            (polars.read_parquet, "write_parquet") if is_parquet else (polars.read_csv, "write_csv")
        )
        frame = read(content).with_columns(polars.col(MEASURED).cast(polars.Int64) * 0 + 1)
        written = io.BytesIO()
        getattr(frame, write)(written)
        return written.getvalue()
    return content


def small_run(folder: Path, **options: str) -> None:
    """Simulates some jobs into a folder."""
    from schedlab.simulation import simulate
    from schedlab.testing.plot_runs import MIXED, _jobs

    simulate(_jobs(20, 3, memory=False), system=MIXED, scheduler="easy", out=folder, **options)


def _parquet_run(folder: Path) -> dict[str, bytes]:
    small_run(folder, jobs="parquet", timeline="parquet")
    return files_in(folder)


def _live_run(folder: Path) -> dict[str, bytes]:
    """Returns what is in a folder while a run is being watched."""
    from schedlab.simulation import Simulation
    from schedlab.simulation.live import FORMAT, Live
    from schedlab.simulation.run_folder import RunFolder
    from schedlab.testing.plot_runs import MIXED, _jobs

    simulation = Simulation(_jobs(40, 3, memory=False), system=MIXED, scheduler="easy")
    with RunFolder(folder) as run_folder:
        run_folder.record(simulation, "csv", "csv")
        simulation.run(until=15_000)
        (folder / "watch.json").write_text(json.dumps({"format": FORMAT}))
        Live(run_folder, lambda: (1.0, 1.0), None, pause=False)(simulation)
        return files_in(folder)


def feed(name: str, folder: Path) -> None:
    """Reads a run in all ways, or in one of many where they take long."""
    if name == "live":
        _feed_live(folder)
        return
    from schedlab.results import Result, compare_schedules

    path = str(folder)
    _show_status(path)
    result = Result.load(path)
    str(result.summary)
    result._repr_html_()
    for table in ("states", "interruptions", "links"):
        frame = getattr(result, table)
        if frame is not None:
            frame.collect()
    str(compare_schedules(path, path))
    _show_dashboard(path)
    _draw(path, zlib.crc32(b"".join(sorted(files_in(folder).values()))))


def _show_status(path: str) -> None:
    from rich.console import Console

    from schedlab.cli.described_paths import described
    from schedlab.cli.status import _Printed
    from schedlab.watch import open_run
    from schedlab.watch.status import answers, moment_of, split_queries

    assert described(path) is None
    view = open_run(path)
    queries = split_queries(QUERIES)
    jobs = view.jobs()["job_id"].to_list()
    queries += [("job", jobs[len(jobs) // 2])] if jobs else []
    for moment in (moment_of(view), view.at((view.first + view.last) / 2)):
        answers_by_query = answers(view, moment, queries)
        _Printed(Console(file=io.StringIO()), view, moment.time, 40).show(answers_by_query)


def _show_dashboard(path: str) -> None:
    from schedlab.dashboard.catalogue import RunCatalogue
    from schedlab.dashboard.comparison import comparison, differences, distributions
    from schedlab.dashboard.gantt_shares import ChartPart
    from schedlab.dashboard.guard import Folder
    from schedlab.dashboard.open_runs import OpenRuns
    from schedlab.dashboard.runs import curve_data, description, job_data, job_rows, picture

    shared = Folder(Path(path).parent)
    name = Path(path).name
    json.dumps(RunCatalogue(shared).runs(), allow_nan=False)
    opened = OpenRuns(shared).get(name)
    view = opened.view
    last = max(view.last, view.first + 1)
    nodes = view.run["system"]["nodes"]
    sent = [
        description(view),
        curve_data(opened, view.first, last, 50),
        job_rows(opened, "", "wait", True, 0, 10),
        comparison(shared, [name, name]),
        distributions(shared, name),
        differences(shared, name, name, 5),
    ]
    jobs = view.jobs()["job_id"].to_list()
    sent += [job_data(opened, jobs[0])] if jobs else []
    json.dumps(sent, allow_nan=False, ensure_ascii=False).encode()
    picture(opened, ChartPart(view.first, last, 0, nodes, 40, 20))


def _draw(path: str, chosen: int) -> None:
    """Draws one of the plots, or writes the report with it."""
    import matplotlib

    from schedlab.analysis import plot
    from schedlab.analysis.groups import groups_of
    from schedlab.report import write_report
    from schedlab.report.figures import drawable

    matplotlib.use("agg")
    import matplotlib.pyplot as pyplot

    names = drawable(groups_of(path))
    name = names[chosen % len(names)]
    try:
        with tempfile.TemporaryDirectory() as place:
            if chosen % 7 == 0:
                write_report(path, f"{place}/report.html", plots=[name])
            else:
                plot(name, path, f"{place}/plot.png", dpi=30)
    finally:
        pyplot.close("all")


def _feed_live(folder: Path) -> None:
    """Looks at a run as if it continued."""
    from schedlab.dashboard.live import LiveSource
    from schedlab.results.folder_lock import lock_folder, unlock_folder

    lock = lock_folder(str(folder), "run")
    try:
        _show_status(str(folder))
        source = LiveSource(str(folder))
        json.dumps([source.moment, source.curves.data()], allow_nan=False)
    finally:
        unlock_folder(lock)


TARGETS = [Target("run-folders", samples, feed, few=30)]
