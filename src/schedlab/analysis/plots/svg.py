"""SVG files made small, without a difference that could be seen."""

from __future__ import annotations

import base64
import io
import re

import numpy as np

_PATHS = re.compile(r'(?<=\sd=")[^"]*')
_LONG_NUMBER = re.compile(r"(\.\d\d)\d+")
_IMAGES = re.compile(r"(?<=data:image/png;base64,)[A-Za-z0-9+/=\s]+")


def compact_svg(text: str) -> str:
    """Returns a figure of matplotlib with fewer bytes.

    Coordinates of paths keep two decimals, a hundredth of a point. Pictures inside that have no
    more than 256 colours, such as a Gantt chart, get a palette.
    """
    text = _PATHS.sub(lambda path: _LONG_NUMBER.sub(r"\1", path.group()), text)
    return _IMAGES.sub(lambda image: _with_palette(image.group()), text)


def _with_palette(encoded: str) -> str:
    from PIL import Image

    picture = Image.open(io.BytesIO(base64.b64decode(encoded)))
    if picture.mode not in ("RGB", "RGBA"):
        return encoded
    if picture.mode == "RGBA" and picture.getchannel("A").getextrema() != (255, 255):
        return encoded
    pixels = np.asarray(picture.convert("RGB")).astype(np.uint32)
    packed = (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]
    colours, index = np.unique(packed, return_inverse=True)
    if len(colours) > 256:
        return encoded
    palette = np.stack((colours >> 16, colours >> 8 & 255, colours & 255), axis=1).astype(np.uint8)
    small = Image.fromarray(index.reshape(packed.shape).astype(np.uint8), "L")
    small.putpalette(palette.tobytes())
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()
