"""Draws docs/images/lublin-256.png: our jobs of the Lublin-Feitelson model beside the archive's.

Run `python docs/make_lublin_image.py PATH/lublin_256.swf.gz` after a change of the model. It prints
the distances that docs/reference/lublin-feitelson.md states.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as pyplot
import numpy
import polars
from PIL import Image

from schedlab.analysis.style import FAINT, look, styled
from schedlab.workload.formats import open_reader
from schedlab.workload.models.lublin import ALL, LublinFeitelson
from schedlab.workload.models.lublin.model import slot_weights

FILE = Path(__file__).parent / "images" / "lublin-256.png"
JOBS = 1_000_000
DAY = 86_400


def main() -> None:
    """Writes the picture and prints the distances."""
    archive = polars.concat(open_reader(sys.argv[1]).tables())
    ours = polars.concat(LublinFeitelson(256).tables(JOBS, "archive"))
    parts = {
        "processors": [table["allocated_processors"].to_numpy() for table in (archive, ours)],
        "run time (s)": [table["run"].to_numpy() for table in (archive, ours)],
        "gap between jobs (s)": [
            numpy.diff(table["submit"].to_numpy()) for table in (archive, ours)
        ],
    }
    hours = [table["submit"].to_numpy() % DAY for table in (archive, ours)]
    print(f"time of day: {distance(*hours):.4f}")
    with styled():
        figure, axes = pyplot.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
        for panel, (label, samples) in zip(axes.flat, parts.items(), strict=False):
            print(f"{label}: {distance(*samples):.4f}")
            draw_shares(panel, label, samples)
        draw_drift(axes[1, 1], archive["submit"].to_numpy())
        figure.suptitle("lublin_256.swf and our jobs of type all, 256 processors")
        figure.savefig(FILE, dpi=110)
        pyplot.close(figure)
    picture = Image.open(FILE).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    picture.save(FILE, optimize=True)


def distance(one: Any, other: Any) -> float:
    """Returns the Kolmogorov-Smirnov distance of two samples."""
    values = numpy.concatenate([one, other])
    shares = [numpy.searchsorted(numpy.sort(s), values, "right") / len(s) for s in (one, other)]
    return float(numpy.abs(shares[0] - shares[1]).max())


def draw_shares(panel: Any, label: str, samples: list[Any]) -> None:
    """Draws the share of jobs up to each value."""
    names = ("archive's sample, 10,000 jobs", f"ours, {JOBS:,} jobs")
    for number, (sample, name) in enumerate(zip(samples, names, strict=True)):
        style = look(number)
        values = numpy.unique(sample)
        shares = numpy.searchsorted(numpy.sort(sample), values, "right") / len(sample)
        shown = numpy.unique(numpy.searchsorted(values, numpy.geomspace(1, values[-1], 800)))
        wide = 3.2 if number == 0 else 1.4
        panel.step(
            values[shown], shares[shown], where="post", color=style.colour, linestyle=style.line,
            linewidth=wide, label=name, alpha=0.6 if number == 0 else 1.0,
        )  # fmt: skip
    panel.set_xscale("log", base=2 if label == "processors" else 10)
    panel.set_xlabel(label)
    panel.set_ylabel("share of jobs up to it")
    panel.set_ylim(0, 1.02)
    panel.set_title(f"largest difference {distance(*samples):.4f}")
    panel.legend(loc="lower right")


def draw_drift(panel: Any, submit: Any) -> None:
    """Draws how likely the sample's hours are if every job came too early by some seconds."""
    weights, numbers = numpy.log(slot_weights(ALL)), numpy.arange(1, len(submit) + 1)
    seconds = numpy.linspace(-0.5, 1.5, 81)

    def likelihood(drift: float) -> float:
        return float(weights[((submit + drift * numbers) % DAY // 1800).astype(int)].sum())

    gains = [likelihood(drift) - likelihood(0.0) for drift in seconds]
    panel.plot(seconds, gains, color=look(0).colour)
    panel.axvline(0.5, color=look(1).colour, linestyle=look(1).line)
    panel.annotate(
        "0.5 s: the fraction that\nthe program drops", (0.5, min(gains)), (8, 6),
        textcoords="offset points", color=look(1).colour, fontsize=9,
    )  # fmt: skip
    panel.axhline(0, color=FAINT, linewidth=0.8)
    panel.set_xlabel("seconds that each job of the sample comes too early")
    panel.set_ylabel("log-likelihood of its hours, gained")
    panel.set_title("the sample falls behind the hours of the day")


if __name__ == "__main__":
    main()
