"""Draws docs/images/fit-a-processor.png: the fit of docs/tutorials/fit-a-processor.md.

Run `python docs/make_fit_image.py` after a change of the tutorial's measurements, of the fit or of
its plot.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path

from schedlab.fitting import fit_processor

PAGE = Path(__file__).parent / "tutorials" / "fit-a-processor.md"
FILE = Path(__file__).parent / "images" / "fit-a-processor.png"


def main() -> None:
    """Makes the measurements as the page does, and writes the picture."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(blocks[0], {})
        fit_processor(["speeds.csv", "power.csv"], cores=4, name="i5-7500").plot(FILE)
    print(FILE)


if __name__ == "__main__":
    main()
