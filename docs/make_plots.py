"""Draws docs/images/plots/*.png: every plot, of the workload of `schedlab demo`.

Run `python docs/make_plots.py` after a change of what plots look like.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from schedlab.analysis import PLOTS, plot

IMAGES = Path(__file__).parent / "images" / "plots"
RUNS = ("fifo", "easy", "conservative")
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
        for name in PLOTS:
            file = IMAGES / f"{name}.png"
            plot(name, runs, file, dpi=PIXELS_PER_INCH)
            Image.open(file).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
                file, optimize=True
            )
    total = sum(file.stat().st_size for file in IMAGES.glob("*.png"))
    print(f"{len(PLOTS)} pictures, {total / 1e3:,.0f} KB")


if __name__ == "__main__":
    main()
