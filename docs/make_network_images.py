"""Draws docs/images/networks/*.png: networks of machines that schedlab knows by name.

Run `python docs/make_network_images.py` after a change of the presets or of the pictures.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from schedlab.analysis.plots.networks.topology import draw_network
from schedlab.system import load_system

FOLDER = Path(__file__).parent / "images" / "networks"


def main() -> None:
    """Writes the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("cielo", "edison", "fat-tree"):
        file = FOLDER / f"{name}.png"
        draw_network(load_system(name), file)
        picture = Image.open(file).convert("RGB")
        picture = picture.resize((picture.width * 2 // 3, picture.height * 2 // 3))
        picture.quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    main()
