"""Draws docs/images/irmasim/*.png: the figures of examples/irmasim_platforms.py.

Run `python docs/make_irmasim_images.py` after a change of what they look like (two minutes). It
prints the tables that docs/tutorials/irmasim-experiment.md states.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent.resolve()
SCRIPT = DOCS.parent / "examples" / "irmasim_platforms.py"
IMAGES = DOCS / "images" / "irmasim"
COLOURS = 64
"""Of a picture: enough, and a third of the bytes."""


def main() -> None:
    """Writes the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, SCRIPT, "--out", folder], check=True)
        for file in sorted(Path(folder).glob("*.png")):
            picture = Image.open(file).convert("RGB")
            picture.quantize(COLOURS, dither=Image.Dither.NONE).save(
                IMAGES / file.name, optimize=True
            )
    total = sum(file.stat().st_size for file in IMAGES.glob("*.png"))
    print(f"{len(list(IMAGES.glob('*.png')))} pictures, {total / 1e3:,.0f} KB")


if __name__ == "__main__":
    main()
