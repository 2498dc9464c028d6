"""The page writes durations as the command line and the reports do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import schedlab.dashboard
from schedlab.durations import DAY, HOUR, MINUTE, WEEK, duration_text
from schedlab.job_states import ENDED

NODE = shutil.which("node")
PAGE = Path(schedlab.dashboard.__file__).parent / "page"
PROGRAM = """
import { readFileSync } from "node:fs";
const source = readFileSync(process.argv[1], "utf8");
const { duration } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const values = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(values.map(duration)));
"""
CONSTANTS = """
import { readFileSync } from "node:fs";
const source = readFileSync(process.argv[1], "utf8");
const { MINUTE, HOUR, DAY, WEEK, ENDED } = await import(
  `data:text/javascript,${encodeURIComponent(source)}`
);
console.log(JSON.stringify([[MINUTE, HOUR, DAY, WEEK], ENDED]));
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


def printed(program: str, given: str = "") -> Any:
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", program, str(PAGE / "format.js")],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def page_texts(values: list[float | None]) -> list[str]:
    texts: list[str] = printed(PROGRAM, json.dumps(values))
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


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_units_and_states_are_those_of_the_package():
    assert printed(CONSTANTS) == [[MINUTE, HOUR, DAY, WEEK], [*ENDED]]


def test_units_and_states_are_in_one_script():
    states = ", ".join(map(json.dumps, ENDED))
    repeated = re.compile(rf"\b({HOUR}|{DAY}|{WEEK})\b|{states}")
    scripts = [path for path in PAGE.glob("*.js") if repeated.search(path.read_text("utf-8"))]
    assert [path.name for path in scripts] == ["format.js"]
