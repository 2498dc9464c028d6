"""Importing the package and simulating from a script stay light."""

from __future__ import annotations

import subprocess
import sys

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
    import json

    system = tmp_path / "seth.json"
    system.write_text(json.dumps(SETH))
    loaded = run(code, str(system), str(tmp_path / "out")).split()
    assert "schedlab._engine" in loaded
    assert not set(HEAVY) & set(loaded)


def test_a_plain_run_loads_neither_readers_nor_factories(tmp_path):
    import json

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
        import pytest

        pytest.skip("memory is measured on the release build")
    run(code, str(trace("HPC2N-2002-2.2-cln.swf.gz")), repr(SETH), str(tmp_path))
