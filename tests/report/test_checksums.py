"""Checksums on the page: the command that the page names prints the same ones."""

from __future__ import annotations

import gzip
import html
import re
import shlex
import subprocess
import sys

import pytest
from conditions.machines import compute

import schedlab as sl
from schedlab.results.json_text import to_json
from schedlab.system.table import as_table
from schedlab.workload.table import table_of

JOBS = [sl.Job(i, submit=5 * i, run=30 + i % 7, processors=1 + i % 4) for i in range(1, 40)]
SYSTEM = "[groups.n]\nnodes = 8\nresources = { core = 4 }\n"
ROWS = "begin,length,cores\n" + "".join(f"{job.submit},{job.run},1\n" for job in JOBS)
CONDITIONS = """
[price]
times = [0, 50]
values = [0.4, 0.1]
[carbon]
times = [0, 60]
values = [40, 30]
[[caps]]
watts = { times = [0, 60], values = [1e6, 2e6] }
"""
MODULE = """
import schedlab as sl
class Lines(sl.Reader):
    def jobs(self):
        for number, line in enumerate(self.lines(), 1):
            yield sl.Job(number, submit=number, run=float(line))
"""
CASES = {
    "plain": {"workload": "a.swf", "system": "m.toml"},
    "compressed": {"workload": "a.swf.gz", "system": "m.toml"},
    "named machine": {"workload": "a.swf.gz", "system": "cielo"},
    "Parquet": {"workload": "a.parquet", "system": "m.toml"},
    "batsim": {"workload": "a.json", "system": "m.toml"},
    "sacct": {"workload": "a.sacct", "system": "m.toml"},
    "pbs": {"workload": "a.pbs", "system": "m.toml"},
    "reader with arguments": {
        "workload": "rows.csv.gz",
        "reader": "csv(submit=begin, run=length, requested_processors=cores)",
        "system": "m.toml",
    },
    "reader of your own": {
        "workload": "my lines.txt",
        "reader": "lines:Lines",
        "system": "m.toml",
    },
    "conditions": {"workload": "a.swf", "system": "platform.json", "conditions": "c.toml"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("inputs")
    sl.write_tables(path / "a.swf", [table_of(JOBS)])
    for name in ("a.parquet", "a.json", "a.sacct", "a.pbs"):
        sl.write_tables(path / name, [table_of(JOBS)])
    (path / "a.swf.gz").write_bytes(gzip.compress((path / "a.swf").read_bytes()))
    (path / "rows.csv.gz").write_bytes(gzip.compress(ROWS.encode()))
    (path / "my lines.txt").write_text("10\n20\n30\n")
    (path / "lines.py").write_text(MODULE)
    (path / "m.toml").write_text(SYSTEM)
    (path / "platform.json").write_text(to_json(as_table(compute())))
    (path / "c.toml").write_text(CONDITIONS)
    return path


def program(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("case", CASES)
def test_the_command_of_the_page_prints_its_checksums(folder, case, monkeypatch):
    given = dict(CASES[case])
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    workload = sl.open_reader(given["workload"], given["reader"]) if "reader" in given else None
    result = sl.simulate(
        workload or given["workload"],
        system=given["system"],
        conditions=given.get("conditions"),
        out=case,
    )
    sl.write_report(result, "page.html", plots=[])
    page = html.unescape((folder / "page.html").read_text())
    shown = re.findall(r"<td>([0-9a-f]{16}) \(XXH64", page)
    assert result.run["workload"]["checksum"] in shown
    assert result.run["system"]["checksum"] in shown
    assert len(shown) == (5 if case == "conditions" else 2)
    (command,) = re.findall(r"<pre>(schedlab checksum [^<]*)</pre>", page)
    printed = program(folder, *shlex.split(command.replace("\\\n", " "))).splitlines()
    assert sorted(line.split("  ")[0] for line in printed) == sorted(shown)


def test_objects_have_no_command(tmp_path):
    result = sl.simulate(JOBS, system={"groups": {"n": {"nodes": 9, "resources": {"core": 4}}}})
    sl.write_report(result, tmp_path / "page.html", plots=[])
    assert "schedlab checksum" not in (tmp_path / "page.html").read_text()


def test_what_cannot_be_checked(folder):
    def refused(*words):
        done = subprocess.run(
            [sys.executable, "-m", "schedlab", "checksum", *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        return done.stderr

    assert "nothing to check" in refused()
    assert "none.swf" in refused("none.swf")
    assert "none.toml" in refused("a.swf", "--system", "none.toml")
