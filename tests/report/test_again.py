"""The commands of a page, pasted into a shell, make the same files; and so does run.json."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from report.again_inputs import (
    CONDITIONS,
    MACHINE,
    QUEUES,
    ROWS,
    WINDOWS,
    assert_same,
    block_of,
    fill,
    pasted,
    shell,
)
from same_runs import content

import schedlab as sl
from schedlab.results.json_text import to_json

pytest.importorskip("matplotlib")

CASES = {
    "plain": "a.swf --system m.toml",
    "a name with blanks": "'a b.swf' --system 'm (1).toml' --scheduler 'score:-wait * 2'",
    "windows and queues": "a.swf --system m.toml --windows w.toml --queues q.toml "
    "--scheduler 'easy(order=shortest, depth=20)'",
    "conditions": "a.swf --system p.toml --conditions c.toml --seed 9 --scheduler easy",
    "reader with arguments": "rows.csv --system m.toml "
    "--reader 'csv(submit=begin, run=length, requested_processors=cores)'",
    "code of your own": "lines.log --system m.toml --reader mine:Log --scheduler mine:Noisy "
    "--job-factory mine.py:longer --data mine:Waiting --estimate mine:Twice --allocator best-fit",
    "rules and seed": "a.swf --system m.toml --rules pyss --seed 5 --allocator random "
    "--no-enforce-limits --keep queue,group --tasks-per-node 1",
    "all at once": "a.swf --system p.toml --conditions c.toml --windows w.toml --queues q.toml "
    "--data mine:Waiting --reader swf --job-factory mine:longer --rules alea --seed 7 "
    "--scheduler 'mine:Noisy(share=0.9)' --zero-run skip --missing-estimate 60 --strict",
    "applications": "apps.csv --system net.json --trust-code --fidelity fluid --accuracy 0.2 "
    "--mapping cyclic --alone",
    "a machine by name": "a.swf --system cielo --whole-nodes --estimate exact",
    "other formats": "a.swf --system m.toml --jobs parquet --timeline none",
}
CODE = ("code of your own", "all at once", "applications")
"""Cases whose run.json names code."""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder, with everything that the commands name."""
    return fill(tmp_path, monkeypatch)


@pytest.mark.parametrize("case", CASES)
def test_the_command_of_a_page_repeats_the_run(folder, case):
    shell(f"schedlab run {CASES[case]} --out run --quiet")
    sl.write_report("run", "page.html", plots=[])
    shell(pasted("page.html"))
    assert_same("run", "run-again")
    assert sl.Result.load("run").counts["completed"] > 3


def test_all_commands_of_a_page_can_be_pasted_and_again(folder):
    """Other folders each time; and folders and files whose names look like options."""
    sl.write_swf("-a.swf", ROWS)
    for out in ("-first", "second"):
        shell(f"schedlab run --system m.toml --out {out} --quiet -- -a.swf")
    for again in ("again", "again-2"):
        sl.write_report(["-first", "second"], "page.html", plots=[])
        shell(block_of("page.html"))
        for one in ("-first", "second"):
            assert_same(one, f"{one}-{again}")
        assert Path(f"report-{again}.html").exists()
    text = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    (checks,) = re.findall(r"<pre>(schedlab checksum [^<]*)</pre>", text)
    assert shell(checks) == ""


TABLES = {
    "windows": WINDOWS,
    "queues": QUEUES,
    "conditions": "[conditions]\nprice = 0.2\n",
    "system": """
        [system.groups.a]
        nodes = 5
        resources = { core = 2 }
    """,
    "code": WINDOWS,
}


@pytest.mark.parametrize("case", TABLES)
def test_parts_without_a_file_are_repeated_by_run_json(folder, case):
    fields = {"workload": "a.swf", "system": "p.toml", "scheduler": "easy", "seed": 3}
    if case == "system":
        del fields["system"]
    if case == "code":
        fields |= {"scheduler": "mine:Noisy(share=0.9)", "job_factory": "mine:longer"}
    lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
    Path("spec.toml").write_text("\n".join([*lines, TABLES[case]]))
    trust = "--trust-code" if case == "code" else ""
    shell(f"schedlab run spec.toml {trust} --timeline none --out 'a run' --quiet")
    sl.write_report("a run", "page.html", plots=[])
    command, name = pasted("page.html"), "windows" if case == "code" else case
    assert command.startswith("schedlab run 'a run/run.json'")
    assert ("--trust-code" in command) == (case == "code")
    text = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert f"{name} has no file of its own: run.json holds it" in text
    assert "Python" not in text.partition('<section id="again">')[2]
    assert "given in Python" not in text
    shell(command)
    assert_same("a run", "a run-again")


@pytest.mark.parametrize("case", CASES)
def test_run_json_repeats_the_run(folder, case):
    shell(f"schedlab run {CASES[case]} --out first --quiet")
    formats = "--jobs parquet --timeline none" if case == "other formats" else ""
    trust = ""
    if case in CODE:
        printed = shell(f"schedlab run first/run.json {formats} --out run", code=2)
        assert "names code" in printed
        assert "--trust-code" in printed
        assert not Path("run/run.json").exists()
        trust = "--trust-code"
    shell(f"schedlab run first/run.json {formats} {trust} --out run")
    assert content("run") == content("first")
    assert sl.Result.load("run").run["spec"] == sl.Result.load("first").run["spec"]
    # And once more, by a file that people write.
    Path("spec.toml").write_text(sl.RunSpec.from_file("first/run.json").to_toml())
    shell(f"schedlab run spec.toml {formats} {trust} --out third")
    assert content("third") == content("first")


def test_what_was_described_in_python_is_repeated_by_run_json(folder):
    machine = {"groups": {"a": {"nodes": 5, "resources": {"core": 2}}}}
    sl.simulate(
        "a.swf",
        system=machine,
        scheduler=sl.Easy(order="shortest", depth=9),
        allocator=sl.BestFit(),
        windows=[sl.Window(40, 90, nodes="0-2")],
        queues=[sl.Queue("short", 2, when="estimate < 40"), sl.Queue("rest")],
        seed=4,
        out="first",
        timeline="csv",
    )
    sl.write_report("first", "page.html", plots=[])
    text = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert "system and windows and queues have no files of their own: run.json holds them" in text
    assert pasted("page.html") == "schedlab run first/run.json --out first-again"
    shell(pasted("page.html"))
    assert content("first-again") == content("first")


def test_what_were_objects_is_said(folder):
    jobs = [sl.Job(1, 0, 5), sl.Job(2, 0, 5)]
    sl.simulate(jobs, system="m.toml", job_factory=lambda job: job, out="first")
    sl.write_report("first", "page.html", plots=[])
    text = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert "WORKLOAD stands for 2 jobs, which was given as a Python object" in text
    assert "JOB-FACTORY stands for test_again:" in text or "<lambda>" in text
    command = "schedlab run WORKLOAD --system m.toml --scheduler fifo --allocator first-fit"
    assert (
        pasted("page.html")
        .replace(" \\\n   ", "")
        .startswith(f"{command} --job-factory JOB-FACTORY")
    )
    printed = shell("schedlab run first/run.json --out run", code=2)
    assert "first/run.json: workload: was a Python object (2 jobs)" in printed
    again = sl.RunSpec.from_file("first/run.json")
    repeated = again.replace(workload=jobs, job_factory=lambda job: job).simulate(out="run")
    assert content("run") == content("first")
    assert repeated.run["spec"] == sl.Result.load("first").run["spec"]


def test_options_beside_a_file_go_before_it(folder):
    Path("spec.toml").write_text(
        'workload = "a.swf"\nsystem = "m.toml"\nscheduler = "easy"\nrules = "pyss"\nseed = 3\n'
    )
    shell("schedlab run spec.toml --scheduler mine:Noisy --no-enforce-limits --seed 4 --out run")
    run = sl.Result.load("run").run
    assert (run["scheduler"], run["rules"]) == ("mine:Noisy", "pyss")
    assert (run["options"]["seed"], run["options"]["enforce_limits"]) == (4, False)
    assert run["options"]["processors"] == "allocated"


def test_inputs_that_changed_are_said(folder):
    shell("schedlab run a.swf --system m.toml --out first --quiet")
    assert shell("schedlab run first/run.json --out same") == ""
    sl.write_swf("a.swf", ROWS[:-1])
    Path("m.toml").write_text(MACHINE.replace("5", "6"))
    printed = shell("schedlab run first/run.json --out other")
    assert re.search(
        r"warning: a\.swf: has changed since that run: its checksum was \w+, and", printed
    )
    assert "warning: m.toml: has changed since that run" in printed


def test_files_of_windows_queues_and_conditions_that_changed_are_said(folder):
    Path("c.toml").write_text(CONDITIONS + '[failure_trace]\nfile = "trace.csv"\n')
    Path("trace.csv").write_text("node,start,end\n0,10,20\n")
    files = "--windows w.toml --queues q.toml --conditions c.toml"
    shell(f"schedlab run a.swf --system p.toml {files} --out first --quiet")
    assert shell("schedlab run first/run.json --out same") == ""
    changes = {
        "w.toml": ("90", "91"),
        "q.toml": ("priority = 2", "priority = 3"),
        "c.toml": ("mean=30", "mean=31"),
        "price.csv": ("0.1", "0.2"),
        "trace.csv": ("20", "21"),
    }
    for name, (old, new) in changes.items():
        before = Path(name).read_text()
        Path(name).write_text(before.replace(old, new))
        printed = shell(f"schedlab run first/run.json --out changed-{name}")
        assert printed == f"schedlab: warning: {name}: has changed since that run\n"
        Path(name).write_text(before)
    Path("other.toml").write_text(WINDOWS.replace("90", "91"))  # on purpose
    assert shell("schedlab run first/run.json --windows other.toml --out other") == ""
    run = sl.Result.load("first").run
    del run["conditions"]["failure_trace"]["checksum"]  # as in earlier versions
    Path("first/run.json").write_text(to_json(run))
    assert shell("schedlab run first/run.json --out earlier") == ""


def test_a_run_of_another_folder_says_which_file_it_looked_for(folder, monkeypatch):
    shell("schedlab run a.swf --system m.toml --windows w.toml --out first --quiet")
    (folder / "else").mkdir()
    monkeypatch.chdir(folder / "else")
    given = ""
    for name, path in (("workload", "a.swf"), ("system", "m.toml"), ("windows", "w.toml")):
        printed = shell(f"schedlab run ../first/run.json {given} --out again", code=2)
        assert f"../first/run.json: {name}: {path}: no such file in {folder / 'else'}; " in printed
        assert f"give --{name} FILE" in printed
        given += f" --{name} ../{path}"
    shell(f"schedlab run ../first/run.json {given} --out again --quiet")
    assert content("again") == content("../first")


def test_runs_of_earlier_versions_are_repeated(folder):
    """Their run.json has no spec; its other fields say enough, except of Python objects."""
    files = "a.swf --system m.toml --windows w.toml --queues q.toml --data mine:Waiting"
    shell(f"schedlab run {files} --rules pyss --seed 3 --scheduler easy --out first --quiet")
    stored = Path("first/run.json")
    run = sl.Result.load("first").run
    del run["spec"]
    stored.write_text(to_json(run))
    shell("schedlab run first/run.json --trust-code --out run")
    assert content("run") == content("first")
    sl.write_report("first", "page.html", plots=[])
    shell(pasted("page.html"))
    assert content("first-again") == content("first")
    stored.write_text(to_json({**run, "windows": [], "queues": []}))
    sl.write_report("first", "page.html", plots=[])
    assert "--rules pyss --seed 3" in pasted("page.html")
