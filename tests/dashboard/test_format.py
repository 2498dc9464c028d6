"""The page writes durations as the command line and the reports do."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import schedlab.dashboard
from schedlab.durations import duration_text

NODE = shutil.which("node")
PAGE = Path(schedlab.dashboard.__file__).parent / "page"
PROGRAM = """
import { readFileSync } from "node:fs";
const source = readFileSync(process.argv[1], "utf8");
const { duration } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const values = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(values.map(duration)));
"""

EDGES = [
    *(None, 0, 1e-9, 0.04, 0.05, 0.15, 0.25, 0.5, 0.75, 1, 1.25, 2.25, 2.5, 9.25, 9.94, 9.95, 9.96),
    *(10, 10.5, 11.5, 59, 59.4, 59.5, 59.6, 60, 61, 90, 3569.7, 3599, 3599.5, 3600, 3629, 3630),
    *(
        3690,
        3629.999,
        36_870,
        36_894,
        36_900,
        36_930,
        86_369,
        86_370,
        86_399,
        86_400,
        88_200,
        91_800,
    ),
    *(90_000, 172_799, 230_400, 232_200, 235_800, 1e6, 31_536_000, 1e9, 123_456_789.25, 1e12),
]


def page_texts(values: list[float | None]) -> list[str]:
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", PROGRAM, str(PAGE / "format.js")],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=True,
    )
    texts: list[str] = json.loads(done.stdout)
    return texts


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_durations_are_those_of_the_command_line():
    values = [*EDGES, *(1.37**n for n in range(90)), *(7 * n + 0.5 for n in range(0, 30_000, 11))]
    texts = dict(zip(values, page_texts(values), strict=True))
    assert texts == {value: duration_text(value) for value in values}
    assert (texts[36_894], texts[230_400]) == ("10 h 15 min", "2 d 16 h")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_differences_have_a_sign():
    assert page_texts([-0.5, -90, -36_894]) == ["-0.5 s", "-1 min 30 s", "-10 h 15 min"]
