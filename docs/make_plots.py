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
from schedlab.analysis.plots.needs import KINDS
from schedlab.testing.plot_machines import conditions, equipped

IMAGES = Path(__file__).parent / "images" / "plots"
RUNS = ("fifo", "easy", "conservative")
FIRST_WEEK = 800
"""Jobs, for pictures of power and failures: days are told apart in them."""

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
        for name in PLOTS:
            shown = platform if any(need in KINDS for need in plot_named(name).needs) else runs
            draw(name, shown, IMAGES / f"{name}.png")
        draw("gantt", platform["easy"], IMAGES / "gantt-states.png")
    total = sum(file.stat().st_size for file in IMAGES.glob("*.png"))
    print(f"{len(PLOTS)} pictures, {total / 1e3:,.0f} KB")


def platform_runs(folder: str) -> dict[str, sl.Result]:
    """Returns runs of the demo's workload on a machine of processors, with all that can happen."""
    system = equipped(
        {"name": "demo", "groups": {"node": {"nodes": 64, "resources": {"core": 16}}}}
    )
    system["start_time"] = 1_704_067_200
    told = conditions(system)
    told["failures"] = [
        {"between": "weibull(shape=0.7, scale=600000)", "repair": "exponential(mean=20000)"}
    ]
    told["thermal"] |= {"resistance": 0.4, "limit": 60.0}
    return {
        name: sl.simulate(
            Path(folder) / "demo-run" / "workload.swf",
            system=system,
            scheduler=name,
            conditions=told,
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


def draw(name: str, runs: object, file: Path) -> None:
    """Writes a picture in few colours."""
    plot(name, runs, file, dpi=PIXELS_PER_INCH)
    picture = Image.open(file).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    main()
