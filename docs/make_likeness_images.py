"""Draws docs/images/likeness/*.png: pictures of the workloads of the tutorial about likeness.

Run `python docs/make_likeness_images.py` after a change of what they look like.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

import schedlab as sl

DOCS = Path(__file__).parent.resolve()
TUTORIAL = DOCS / "tutorials" / "is-it-like-the-original.md"
IMAGES = DOCS / "images" / "likeness"
SHOWN = ("distributions", "size-and-run-time", "simulated")
PIXELS_PER_INCH = 100
COLOURS = 128
"""Of a picture: enough, and half of the bytes."""


def main() -> None:
    """Writes the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    making = re.findall(r"^```python\n(.*?)^```", TUTORIAL.read_text(), re.S | re.M)[0]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        demo = ["demo", "--no-report", "--jobs", "3000", "--out", "log"]
        subprocess.run([sys.executable, "-m", "schedlab", *demo], check=True, capture_output=True)
        exec(making, {"__name__": "__main__"})
        likeness = sl.compare_workloads(
            "log/workload.swf", "whole-jobs.swf", "apart.swf", names=["log", "whole-jobs", "apart"]
        )
        for name in SHOWN:
            file = IMAGES / f"{name}.png"
            likeness.plot(name, file, dpi=PIXELS_PER_INCH)
            Image.open(file).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
                file, optimize=True
            )
    total = sum(file.stat().st_size for file in IMAGES.glob("*.png"))
    print(f"{len(SHOWN)} pictures, {total / 1e3:,.0f} KB")


if __name__ == "__main__":
    main()
