"""kill -9 before each system call that changes something: nothing lost, nothing half there."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from schedlab._engine import build_type

from .each_call import SCENARIOS
from .preload import built, reason_against

pytestmark = pytest.mark.skipif(
    build_type != "release" or reason_against() is not None,
    reason=reason_against() or "sanitizers want to be preloaded first",
)
FEWEST = {"Run": 15, "RunOverAnEarlierOne": 17, "RunWithCheckpoints": 30, "Resume": 15}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return built(tmp_path_factory.mktemp("preload"))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_call(library, tmp_path, scenario):
    done = subprocess.run(
        [sys.executable, "-m", "tests.kills.each_call", scenario, str(tmp_path)],
        env={**os.environ, "LD_PRELOAD": library},
        cwd=os.path.join(os.path.dirname(__file__), "..", ".."),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    print(done.stdout, end="")
    calls = int(done.stdout.split("each of ")[1].split()[0])
    assert calls >= FEWEST.get(scenario, 5)
