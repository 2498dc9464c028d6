"""Draws docs/images/plots/*.png: every plot, of the workload of `schedlab demo`.

Run `python docs/make_plots.py` after a change of what plots look like.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

import schedlab as sl
from schedlab.analysis import PLOTS, plot
from schedlab.analysis.plots import plot_named
from schedlab.analysis.plots.runs.needs import KINDS, NETWORK
from schedlab.analysis.plots.runs.traffic import Traffic
from schedlab.testing.plot_machines import conditions, equipped
from schedlab.workload.assignment import Assignment, Rule, assign

IMAGES = Path(__file__).parent / "images" / "plots"
RUNS = ("fifo", "easy", "conservative")
FIRST_WEEK = 800
"""Jobs, for pictures of power and failures: days can be distinguished in them."""

ONE_RUN = ("links", "placement", "traffic")
"""Plots of networks that show most of a single run."""

PIXELS_PER_INCH = 100
COLOURS = 64
"""Of a picture: enough for a Gantt chart, and a quarter of the bytes."""


def main() -> None:
    """Writes the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "schedlab", "demo"], cwd=folder, check=True, capture_output=True
        )
        runs = [Path(folder) / "demo-run" / "runs" / f"{name}+first-fit" / "01" for name in RUNS]
        platform = platform_runs(folder)
        network = network_runs(folder)
        for name in PLOTS:
            needs = plot_named(name).needs
            shown: object = platform if any(need in KINDS for need in needs) else runs
            if any(need in NETWORK for need in needs):
                shown = network["first-fit"] if name in ONE_RUN else network
            chosen = Traffic("stencil-3d(bytes=256k)", 512) if name == "traffic" else name
            draw(chosen, shown, IMAGES / f"{name}.png")
        draw("gantt", platform["easy"], IMAGES / "gantt-states.png")
    total = sum(file.stat().st_size for file in IMAGES.glob("*.png"))
    print(f"{len(PLOTS)} pictures, {total / 1e3:,.0f} KB")


def network_runs(folder: str) -> dict[str, sl.Result]:
    """Returns runs of jobs with applications on Cielo, under two placements."""
    plan = Assignment(
        rules=[
            Rule(
                {
                    "stencil-3d(bytes=256k, iterations=run, compute=0.002)": 3,
                    "allreduce(bytes=1M, iterations=run, compute=0.001)": 2,
                    "even-odd(bytes=1M, iterations=run, compute=0.001)": 2,
                }
            )
        ],
        seed=1,
    )
    trace, mix = (str(Path(folder) / name) for name in ("cielo.swf", "cielo.csv"))
    subprocess.run(
        [
            *(sys.executable, "-m", "schedlab", "workload", "generate", "lublin", "--jobs", "300"),
            *("--seed", "1", "--processors", "2048", "--out", trace),
        ],
        check=True,
        capture_output=True,
    )
    assign(trace, mix, plan)
    return {
        allocator: sl.simulate(
            mix,
            system="cielo",
            scheduler="easy",
            allocator=allocator,
            job_factory=one_rank_per_node,
            fidelity="phase",
            data=["link-use(every=600)"],
            out=Path(folder) / f"network-{allocator}",
            timeline="csv",
        )
        for allocator in ("first-fit", "random")
    }


def one_rank_per_node(job: sl.Job) -> sl.Job:
    """Returns the job with its nodes to itself, so that the network is all it shares."""
    return job.replace(tasks_per_node=1, whole_nodes=True)


def platform_runs(folder: str) -> dict[str, sl.Result]:
    """Returns runs of the demo's workload on a machine of processors, with all that can happen."""
    system = equipped(
        {"name": "demo", "groups": {"node": {"nodes": 64, "resources": {"core": 16}}}}
    )
    system["start_time"] = 1_704_067_200
    own_conditions = conditions(system)
    own_conditions["failures"] = [
        {"between": "weibull(shape=0.7, scale=600000)", "repair": "exponential(mean=20000)"}
    ]
    own_conditions["thermal"] |= {"resistance": 0.4, "limit": 60.0}
    return {
        name: sl.simulate(
            Path(folder) / "demo-run" / "workload.swf",
            system=system,
            scheduler=name,
            conditions=own_conditions,
            job_factory=with_traffic,
            timeline="csv",
            out=Path(folder) / name,
        )
        for name in ("fifo", "easy")
    }


def with_traffic(job: sl.Job) -> sl.Job | None:
    """Returns a job of the first week with memory traffic of up to 12 GB/s on each core."""
    if job.id > FIRST_WEEK:
        return None
    return job.replace(attributes={"memory_volume": job.id % 9 * 1500 * job.run})


def draw(name: str | sl.Plot, runs: object, file: Path) -> None:
    """Writes a picture in few colours."""
    plot(name, runs, file, dpi=PIXELS_PER_INCH)
    picture = Image.open(file).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    main()
