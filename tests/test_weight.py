"""Importing the package and simulating from a script stay light."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import SETH

HEAVY = (
    "numpy",
    "polars",
    "pyarrow",
    "typing",
    "re",
    "json",
    "pathlib",
    "dataclasses",
    "rich",
    "typer",
)


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-I", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_import_and_simulation_load_nothing_heavy(tmp_path):
    code = """
import sys
before = set(sys.modules)
import schedlab
schedlab.simulate([schedlab.Job(1, 0, 5)], system=sys.argv[1], out=sys.argv[2])
print(*(set(sys.modules) - before))
"""
    system = tmp_path / "seth.json"
    system.write_text(json.dumps(SETH))
    loaded = run(code, str(system), str(tmp_path / "out")).split()
    assert "schedlab._engine" in loaded
    assert not set(HEAVY) & set(loaded)


def test_a_plain_run_loads_neither_readers_nor_factories(tmp_path):
    row = "1 0 -1 5 1 -1 -1 1 9" + 9 * " -1"
    (tmp_path / "t.swf").write_text(f"; MaxProcs: 240\n; MaxNodes: 120 (two each)\n{row}\n")
    (tmp_path / "seth.json").write_text(json.dumps(SETH))
    code = """
import sys, schedlab
schedlab.simulate(sys.argv[1] + "/t.swf", system=sys.argv[1] + "/seth.json", out=sys.argv[1])
print(*sys.modules)
"""
    loaded = set(run(code, str(tmp_path)).split())
    assert "schedlab.workload.source" in loaded
    assert not {"schedlab.workload.reader", "schedlab.workload.job_factory", "copy"} & loaded
    assert not set(HEAVY) & loaded


NEVER = (
    *("numpy", "polars", "pyarrow", "rich", "typer", "click", "pydantic", "typing", "inspect"),
    *("json", "pathlib", "dataclasses", "argparse", "subprocess", "datetime", "schedlab.cli.typed"),
    *("schedlab.analysis", "schedlab.experiment", "schedlab.watch", "schedlab.report"),
)
"""What `schedlab run` never needs: each costs about what a short simulation does, or loads more."""

MOST_MODULES = 135
"""Of Python 3.11, beyond those of its own start: 104 to 129 are loaded, 78 of them of schedlab."""

COMMAND = """
import sys
before = set(sys.modules)
from schedlab.__main__ import main
try:
    main()
finally:
    print(*(set(sys.modules) - before), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["--json"], [], ["--out", "run", "--scheduler", "easy"]])
@pytest.mark.parametrize("on_terminal", [True, False])
def test_the_command_run_loads_little(tmp_path, words, on_terminal):
    """Whatever it prints, and wherever: rich and typer alone would cost four times the rest."""
    import pty

    (tmp_path / "seth.json").write_text(json.dumps(SETH))
    (tmp_path / "t.swf").write_text("1 0 -1 5 1 -1 -1 1 9" + 9 * " -1" + "\n")
    command = ["-I", "-c", COMMAND, "run", "t.swf", "--system", "seth.json", *words]
    read, write = pty.openpty() if on_terminal else os.pipe()
    done = subprocess.run(
        [sys.executable, *command], stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    )
    os.close(write)
    shown = os.read(read, 1 << 16).decode()
    os.close(read)
    assert done.returncode == 0, done.stderr
    assert "completed" in shown
    loaded = set(done.stderr.split())
    assert "schedlab.cli.run" in loaded
    assert not {name for name in NEVER if name in loaded}
    assert len(loaded) <= MOST_MODULES, sorted(loaded)


def test_memory_stays_small_however_long_the_trace(trace, tmp_path):
    code = """
import sys, schedlab
for scheduler, megabytes in (("reject", 20), ("fifo", 25), ("easy", 25)):
    result = schedlab.simulate(
        sys.argv[1], system=eval(sys.argv[2]), scheduler=scheduler, out=f"{sys.argv[3]}/{scheduler}"
    )
    assert result.counts["submitted"] == 202_871
    assert result.run["simulator"]["peak_memory_bytes"] < megabytes * 1e6, result.run["simulator"]
"""
    from schedlab._engine import build_type

    if build_type != "release":
        pytest.skip("memory is measured on the release build")
    run(code, str(trace("HPC2N-2002-2.2-cln.swf.gz")), repr(SETH), str(tmp_path))
