"""Folders of experiments, damaged in any of their files."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from fuzz.harness import Sample, Target
from fuzz.run_folders import files_in, timeless

WORKLOAD = "\n".join(
    f"{n} {n * 60} -1 {200 + 9 * n} {1 + n % 5} -1 -1 {1 + n % 5} 900 -1 1 {n % 4} 1 -1 1 -1 -1 -1"
    for n in range(1, 16)
)
SYSTEM = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}


@functools.cache
def samples() -> list[Sample]:
    """Returns an experiment of two dispatchers with a report of its own, and one of two inputs."""
    from schedlab.experiment import Experiment

    found = []
    with tempfile.TemporaryDirectory() as place:
        workload = Path(place, "jobs.swf")
        workload.write_text(WORKLOAD)
        for name, repeat, kept in (("parquet", 1, "parquet"), ("csv", 2, "csv")):
            folder = Path(place, name)
            Experiment(
                folder,
                workloads=workload,
                systems=SYSTEM,
                schedulers=["fifo", "easy"],
                repeat=repeat,
                jobs=kept,
                timeline=kept,
                processes=1,
            ).run()
            files = timeless(files_in(folder))
            named = {one: files[one].replace(place.encode(), b"/somewhere") for one in files}
            found.append(Sample(name, named))
    return found


def feed(name: str, folder: Path) -> None:
    """Reads an experiment in all ways."""
    import io

    from rich.console import Console

    from schedlab.cli.described_paths import described, print_place
    from schedlab.experiment import Comparison
    from schedlab.experiment.folder import ExperimentFolder
    from schedlab.report.commands import commands
    from schedlab.report.comparisons import differences_section, failures_section
    from schedlab.report.dispatcher_tables import metrics_tables
    from schedlab.report.run_facts import facts
    from schedlab.trust import PERSON

    description = described(str(folder))
    assert description is not None
    print_place(Console(file=io.StringIO()), description)
    comparison = Comparison.load(folder)
    marked = ExperimentFolder(str(folder), (), PERSON)
    for run in comparison.description["runs"]:
        marked.marker(run["name"])
    repr(comparison)
    comparison._repr_html_()
    for baseline in (None, *comparison.dispatchers):
        comparison.sentences(baseline)
    comparison.jobs("turnaround")
    assert len(comparison.timing_summary) <= len(comparison.timing)
    groups = comparison.groups
    if not groups:
        return
    for group in groups:
        group.jobs("wait")
        group.timeline("time", "queued")
    metrics_tables(groups)
    facts(groups)
    commands(groups, comparison)
    differences_section(comparison)
    failures_section(comparison)


TARGETS = [Target("experiment-folders", samples, feed, few=15)]
