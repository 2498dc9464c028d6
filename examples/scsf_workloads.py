"""ScSF's workload model on other machines: its figures 7 to 12, and what joint sampling changes.

    python examples/scsf_workloads.py SDSC-BLUE-2000-4.2-cln.swf.gz --nodes 144 --cores 8 --out blue
    python examples/scsf_workloads.py HPC2N-2002-2.2-cln.swf.gz --nodes 120 --cores 2 --out hpc2n

With `--times 8`, figures 8 to 12 are those of a machine eight times as large, on which a single job
is as little as on the paper's.

G. P. Rodrigo, E. Elmroth, P.-O. Ostberg, L. Ramakrishnan, "ScSF: a scheduling simulation
framework", JSSPP 2017, sections 3.1, 3.4 and 4.1. The paper models Edison, whose log is not public.
The tutorial docs/tutorials/model-a-log.md says what one sees, and where it differs from the paper.
"""

from __future__ import annotations

import argparse
import os
import sys
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
import scsf_figures as figures

import schedlab as sl
from schedlab.analysis.phases import phase_table, phase_windows
from schedlab.analysis.style import styled
from schedlab.durations import HOUR, duration_text
from schedlab.tuning import tune
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.models.scsf import GenerationSettings, WorkloadModel
from schedlab.workload.table import complete

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = {
    "interarrival": "time between submissions (s)",
    "requested": "requested time (min)",
    "cores": "cores",
    "run": "run time (min)",
}
MOST_WORK = 1 * HOUR
"""Jobs that take the whole machine longer are left out of figures 8 to 12: on machines a hundredth
of Edison's size, one of them is so much pressure that nothing else is submitted for half a day."""

PRESSURE = "figures 9 and 12a: pressure 1.0, no fill"
TUNED = "figure 12b: pressure and fill, tuned"

TUNING_SEEDS = 2
"""Times the seeds of the last table: the median of few varies from one set of seeds to the next."""

LIMITS = {"interarrival": 0.02, "requested": 0.02, "cores": 0.02, "run": 0.05}
"""Kolmogorov-Smirnov distances that a generated workload may have from its log."""


def main() -> None:
    """Makes everything and writes it to a folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trace", help="a log of the Parallel Workloads Archive")
    parser.add_argument("--nodes", type=int, required=True, help="of the machine")
    parser.add_argument("--cores", type=int, required=True, help="of a node")
    parser.add_argument("--times", type=int, default=1, help="machine of figures 8 to 12")
    parser.add_argument("--wait", type=float, default=4.0, help="desired mean wait in hours")
    parser.add_argument("--seeds", type=int, default=20, help="workloads of each trial")
    parser.add_argument("--out", default="scsf", help="folder for everything")
    chosen = parser.parse_args()
    try:
        os.makedirs(chosen.out, exist_ok=True)
        study = Study(chosen.trace, chosen.wait * HOUR, chosen.out)
        study.likeness()
        study.joint_sampling(machine(chosen.nodes, chosen.cores))
        study.load_and_fill(machine(chosen.nodes * chosen.times, chosen.cores), chosen.seeds)
    except sl.InputError as error:
        sys.exit(f"error: {error}")


def machine(nodes: int, cores: int) -> sl.System:
    """Returns a machine of equal nodes."""
    return sl.System(f"{nodes:,} x {cores}", groups=[sl.Group("node", nodes, {"core": cores})])


class Passes(sl.Scheduler):
    """EASY as in the paper's simulator: a pass every 30 s, which starts a limited number of jobs.

    The engine's own EASY looks at the whole queue at every event, and fills any gap at once. What
    figure 10 shows is the time that Slurm takes.
    """

    period, most = 30, 5

    def schedule(self, state: Any) -> Iterator[Any]:
        """Starts jobs in order, then others that leave the first one that waits its place."""
        left = self.most if state.now % self.period == 0 else 0
        for job in state.queue:
            if not left:
                break
            if not state.machine.fits(job):
                reservation = state.reserve(job)
                for other in state.queue.fitting(behind=job):
                    if left and reservation.allows(other):
                        yield other
                        left -= 1
                break
            yield job
            left -= 1
        if len(state.queue):
            yield sl.WakeAt((state.now // self.period + 1) * self.period)


class Study:
    """The figures and tables of one log on its machine."""

    def __init__(self, trace: str, wait: float, out: str) -> None:
        self.trace, self.wait, self.out = trace, wait, out
        self.began = perf_counter()
        self.model = WorkloadModel.fit(trace)
        self.model.save(os.path.join(out, "log.model.json"))
        self.jobs = self.model.variables["cores"].total
        self.print_done(f"model of {self.jobs:,} jobs of {self.model.source['rows']:,}")

    def print_done(self, what: str) -> None:
        """Prints what is done, and when."""
        print(f"{perf_counter() - self.began:6.1f} s  {what}", flush=True)

    def likeness(self) -> None:
        """Draws figure 7 and prints the distances between the log and a generated workload."""
        generated = self.model.generate("likeness", jobs=self.jobs).table()
        drawn = {
            "interarrival": np.diff(generated["submit"].to_numpy()),
            "requested": generated["requested_time"].to_numpy(),
            "cores": generated["requested_processors"].to_numpy(),
            "run": generated["run"].to_numpy(),
        }
        lines = [f"{'KS distance in the bins of the model':40}{'found':>8}{'at most':>9}"]
        with styled():
            from matplotlib.figure import Figure

            figure = Figure(figsize=(8, 6), layout="constrained")
            panels = figure.subplots(2, 2).flat
            for axes, (name, label) in zip(panels, COLUMNS.items(), strict=True):
                distance = self.model.variables[name].distance(drawn[name])
                lines.append(f"{name:40}{distance:>8.4f}{LIMITS[name]:>9.2f}")
                figures.draw_cumulative(axes, self.model, name, label, drawn[name])
                axes.set_title(f"{label}, KS {distance:.4f}", loc="left")
            figures.panels_legend(figure)
            figure.suptitle(f"{self.jobs:,} generated jobs beside those of the log")
            figure.savefig(os.path.join(self.out, "figure-7-likeness.png"), dpi=120)
        self.print_done("figure 7: generated beside the log")
        print("\n".join(lines))

    def joint_sampling(self, system: sl.System) -> None:
        """Prints what is lost where variables are drawn by themselves: correlations, waits."""
        log = polars.concat(open_reader(self.trace).tables())
        log = log.filter(
            (polars.col("run") >= 0)
            & (polars.col("requested_time") > 0)
            & (polars.col("requested_processors") > 0)
        )
        workloads: dict[str, polars.DataFrame] = {"the log": log}
        for label, joint, arrivals in (
            ("independent (the paper)", "independent", "independent"),
            ("times by size", "size", "independent"),
            ("whole jobs", "jobs", "independent"),
            ("whole jobs, weekly arrivals", "jobs", "weekly"),
        ):
            model = WorkloadModel.fit(self.trace, joint=joint, arrivals=arrivals)
            workloads[label] = model.generate("joint", jobs=self.jobs).table()
        print(
            f"\n{'':29}{'rank correlations':^30}{'offered':>8}{'EASY: mean':>12}{'median':>12}"
            f"{'utiliz-':>9}\n{'':29}{'size-run':>10}{'size-req.':>10}{'req.-run':>10}{'load':>8}"
            f"{'wait':>12}{'wait':>12}{'ation':>9}"
        )
        for label, table in workloads.items():
            print(f"{label:29}{self.facts(table, system)}", flush=True)
        self.print_done("joint sampling")

    def facts(self, table: polars.DataFrame, system: sl.System) -> str:
        """Returns correlations of a workload, its load, and waits under EASY."""
        size, run, requested = "requested_processors", "run", "requested_time"
        pairs = ((size, run), (size, requested), (requested, run))
        ranks = [table.select(polars.corr(a, b, method="spearman")).item() for a, b in pairs]
        path = os.path.join(self.out, "joint.swf")
        write_tables(path, [complete(table).sort("submit")], name="swf(exact=true)")
        result = sl.simulate(path, system=system, scheduler="easy", jobs="none")
        os.unlink(path)
        span = table["submit"].max() - table["submit"].min()  # type: ignore[operator]
        load = float((table[size] * table[run]).sum()) / (system.capacity["core"] * span)
        wait = result.metrics["wait"]
        used = result.metrics["utilization"]["core"]
        return (
            "".join(f"{rank:>10.2f}" for rank in ranks)
            + f"{load:>8.2f}{duration_text(wait['mean']):>12}{duration_text(wait['median']):>12}"
            + f"{used:>9.1%}"
        )

    def load_and_fill(self, system: sl.System, seeds: int) -> None:
        """Tunes pressure and fill; draws figures 8 to 12; prints waits over the seeds."""
        cores = system.capacity["core"]
        plain = {"processors": cores, "stabilization": 24 * HOUR, "most_work": MOST_WORK}
        settings = GenerationSettings(**plain)
        found = tune(
            self.model, system, wait=self.wait, seeds=TUNING_SEEDS * seeds, settings=settings
        )
        found.settings.save(os.path.join(self.out, "tuned.json"))
        self.print_done(
            f"tuned with {len(found.trials)} trials of {TUNING_SEEDS * seeds} workloads: pressure "
            f"{found.best.pressure:g}, fill {duration_text(found.best.fill_wait)}"
        )
        pressure = {**plain, "pressure_low": 1.0}
        fill = {**pressure, "fill_wait": self.wait}
        large = {**fill, "fill_interval": HOUR, "fill_processors": cores // 4}
        few = max(1, seeds // 5)  # a scheduler in Python takes its time
        cases: dict[str, tuple[dict[str, Any], type[Passes] | None, int]] = {
            "figure 8: no pressure, no fill": (plain, None, seeds),
            PRESSURE: (pressure, None, seeds),
            "figure 10: pressure, fill jobs of 1/4, slow passes": (large, Passes, few),
            "figure 11: pressure, small fill jobs, slow passes": (fill, Passes, few),
            TUNED: (vars(found.settings), None, seeds),
        }
        runs = {
            name: [
                sl.simulate(
                    self.model.generate(f"alpha-{number}", **case),
                    system=system,
                    scheduler="easy" if scheduler is None else scheduler(),
                    timeline="csv",
                )
                for number in range(1, count + 1)
            ]
            for name, (case, scheduler, count) in cases.items()
        }
        file = os.path.join(self.out, "figures-8-to-12-utilization.png")
        figures.draw_utilization(runs, system.name, file)
        file = os.path.join(self.out, "figure-12-waits.png")
        shown = {name: runs[name] for name in (PRESSURE, TUNED)}
        figures.draw_waits(shown, self.wait / HOUR, system.name, file)
        self.print_done("figures 8 to 12")
        print(f"\n{'median over seeds':52}{'seeds':>7}{'mean wait':>14}{'utilization':>13}")
        for name, results in runs.items():
            tables = [phase_table(r).filter(polars.col("phase") == "experiment") for r in results]
            waits = [table["mean_wait"].item() for table in tables]
            used = [table["utilization"].item() for table in tables]
            row = f"{len(results):>7}{median(waits) / HOUR:>12.2f} h{median(used):>13.1%}"
            print(f"{name:52}{row}")
        print(
            f"the last: from {min(waits) / HOUR:.2f} to {max(waits) / HOUR:.2f} h; wanted: "
            f"{self.wait / HOUR:.2f} h"
        )
        for name in (PRESSURE, TUNED):
            self.print_course(name, runs[name])

    def print_course(self, name: str, results: list[sl.Result]) -> None:
        """Prints how the wait continues over time: of all seeds, and of the lowest and highest."""
        begin = phase_windows(results[0])["experiment"][0] / HOUR
        print(f"\n{name}\nmean wait (h) of the jobs submitted in {figures.COURSE_HOURS} hours")
        print(f"{'from':>7}{'all seeds':>13}{'lowest seed':>13}{'highest seed':>14}")
        for time, mean, low, high in figures.course_of_waits(results).iter_rows():
            before = "   before the experiment" if time < begin else ""
            print(f"{time:>5.0f} h{mean:>13.2f}{low:>13.2f}{high:>14.2f}{before}")


if __name__ == "__main__":
    main()
