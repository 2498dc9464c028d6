"""Draws docs/images/several-resources-cost.png: cost per job against how much requests differ.

Run `python docs/make_scale_image.py BEFORE.json AFTER.json` with two files of
`benchmarks/modern_site_costs.py --only values --json`, of two versions.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as pyplot
from PIL import Image

from schedlab.analysis.style import styled

FILE = Path(__file__).parent / "images" / "several-resources-cost.png"
LOOKS: dict[str, dict[str, Any]] = {
    "before": {"linestyle": "--", "alpha": 0.75},
    "after": {"marker": "o", "markersize": 4},
}


def main() -> None:
    """Writes the picture."""
    figures = [json.loads(Path(path).read_text()) for path in sys.argv[1:3]]
    schedulers = list(figures[1]["us_per_job"]["values"])
    with styled():
        figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
        for colour, scheduler in enumerate(schedulers):
            for name, of_version in zip(LOOKS, figures, strict=True):
                costs = of_version["us_per_job"]["values"].get(scheduler)
                if costs is None:
                    continue
                values = [int(value) for value in costs]
                axes.plot(
                    values,
                    list(costs.values()),
                    color=f"C{colour}",
                    label=f"{scheduler}, {name}",
                    **LOOKS[name],
                )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="different amounts of memory that jobs ask for",
            ylabel="CPU per job (microseconds)",
        )
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,g}")
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        figure.savefig(FILE, dpi=110)
        pyplot.close(figure)
    picture = Image.open(FILE).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    picture.save(FILE, optimize=True)


if __name__ == "__main__":
    main()
