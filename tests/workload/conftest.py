"""A trace and a command line in the test's own folder."""

from __future__ import annotations

import subprocess
import sys

import pytest

import schedlab


@pytest.fixture
def swf(tmp_path):
    """Returns a function that writes rows to a trace and returns its path."""

    def write(*rows):
        schedlab.write_swf(tmp_path / "trace.swf", rows, exact=True)
        return tmp_path / "trace.swf"

    return write


@pytest.fixture
def schedlab_run(tmp_path):
    """Returns a function that runs `schedlab run WORKLOAD ...` on a machine of four nodes."""
    (tmp_path / "machine.toml").write_text("[groups.node]\nnodes = 4\nresources = { core = 4 }\n")

    def run(workload, *arguments):
        command = ["schedlab", "run", workload, "--system", "machine.toml", *arguments]
        return subprocess.run(
            [sys.executable, "-m", *command],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    return run
