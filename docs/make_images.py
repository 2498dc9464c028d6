"""Draws docs/images/demo.svg from a real run of `schedlab demo`.

Run `python docs/make_images.py` after a change of what the command prints.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

IMAGE = Path(__file__).parent / "images" / "demo.svg"
WIDTH = 80
CHARACTER = 12.2
"""Width of a character, as rich draws it."""

THEME = TerminalTheme(
    background=(27, 31, 38),
    foreground=(214, 219, 226),
    normal=[
        *((60, 66, 76), (224, 108, 117), (126, 200, 125), (229, 192, 123)),
        *((97, 175, 239), (198, 120, 221), (86, 182, 194), (214, 219, 226)),
    ],
)


def demo_output() -> str:
    """Returns what `schedlab demo` prints on a terminal of WIDTH columns, colours included."""
    environment = {**os.environ, "COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TERM": "xterm"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "schedlab", "demo"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout


def without_web_fonts(svg: str) -> str:
    """Returns the picture without fonts from the network: the viewer's own stand in for them."""
    svg = re.sub(r"\s*@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!-- Generated with Rich.*?-->\s*", "", svg)
    return svg.replace(
        "font-family: Fira Code, monospace", "font-family: DejaVu Sans Mono, Menlo, monospace"
    )


def word_by_word(svg: str) -> str:
    """Returns the picture with each run of words at its own place.

    Rich leaves gaps to blanks, whose width is the font's, and some viewers drop those in front.
    """

    def placed(found: re.Match[str]) -> str:
        style, x, y, content = found.groups()
        pieces = []
        for words in re.finditer(r"\S+(?:\s\S+)*", html.unescape(content)):
            place = f'x="{float(x) + words.start() * CHARACTER:.1f}" y="{y}"'
            length = f'textLength="{len(words.group()) * CHARACTER:.1f}"'
            text = html.escape(words.group().replace("\xa0", " "))
            pieces.append(f"<text {style} {place} {length}>{text}</text>\n")
        return "".join(pieces)

    pattern = r'<text (class="demo-r\d+") x="([\d.]+)" y="([\d.]+)" textLength[^>]*>([^<]*)</text>'
    svg = re.sub(pattern, placed, svg)
    svg = re.sub(r'<clipPath id="demo-line-\d+">.*?</clipPath>\s*', "", svg, flags=re.DOTALL)
    return re.sub(r"\n\s*\n+", "\n", svg)


def main() -> None:
    """Writes the picture."""
    console = Console(record=True, width=WIDTH, file=StringIO(), highlight=False)
    console.print(Text.assemble(("$ ", "dim"), ("schedlab demo", "bold")))
    console.print(Text.from_ansi(demo_output().rstrip("\n")), soft_wrap=True)
    svg = console.export_svg(title="schedlab demo", theme=THEME, unique_id="demo")
    IMAGE.parent.mkdir(exist_ok=True)
    IMAGE.write_text(word_by_word(without_web_fonts(svg)), encoding="utf-8")


if __name__ == "__main__":
    main()
