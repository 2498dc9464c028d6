"""The commands of pages about experiments, pasted into a shell, make the same experiments."""

from __future__ import annotations

import html
import sys
from pathlib import Path

import pytest
from report.again_inputs import fill, pasted, shell
from same_runs import content

import schedlab as sl
from schedlab.workload.formats import open_reader

pytest.importorskip("matplotlib")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The current folder, with everything that the commands name."""
    return fill(tmp_path, monkeypatch)


def test_the_command_of_a_page_repeats_an_experiment(folder):
    given = (
        "a.swf 'a b.swf' --system p.toml --system 'cielo' --schedulers 'fifo,easy(depth=5, "
        "order=shortest)' --dispatcher 'mine:Noisy(share=0.7)+random' --repeat 2 --reader swf "
        "--windows w.toml --queues q.toml --data mine:Waiting --job-factory mine:longer "
        "--estimate mine:Twice --rules alea --seed 3 --zero-run skip --no-enforce-limits "
        "--jobs csv --timeline csv --baseline 'fifo+first-fit'"
    )
    shell(f"schedlab compare {given} --processes 2 --no-report --out x --quiet")
    comparison = sl.Comparison.load("x")
    assert comparison.failures == []
    sl.write_report(comparison, "page.html", plots=[])
    assert "experiment.json" not in pasted("page.html")
    shell(f"{pasted('page.html')} --processes 2 --no-report --quiet")
    runs = assert_same_experiment("x", "x-again")
    assert len(runs) == 24
    one = f"x/runs/{runs[-1]}"
    shell(f"schedlab run {one}/run.json --trust-code --out one --quiet")
    assert content("one")["jobs.csv"] == content(one)["jobs.csv"]


def assert_same_experiment(first: str, again: str) -> list[str]:
    """Checks that two folders hold the same experiment; returns the names of its runs."""
    before, after = (sl.Comparison.load(one).description for one in (first, again))
    for name in ("spec", "runs", "options", "dispatchers", "systems", "baseline", "status"):
        assert before[name] == after[name], name
    runs = [run["name"] for run in before["runs"]]
    for run in runs:
        assert content(f"{again}/runs/{run}") == content(f"{first}/runs/{run}"), run
    return runs


def test_an_experiment_that_no_command_line_names_is_repeated_by_its_file(folder, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    sys.modules.pop("mine", None)
    made = sl.Experiment(
        "x",
        workloads={"of mine": "a.swf"},
        systems=[{"groups": {"a": {"nodes": 6, "resources": {"core": 2}}}}, "p.toml"],
        windows=[sl.Window(40, 90, nodes="0-2")],
        missing_estimate="1m",
        timeline="none",
        baseline="patient",
        repeat=2,
        processes=2,
    )
    made.add("easy", "random")
    made.add("mine:Noisy(share=0.7)", name="patient")
    made.add("score:wait + user", "first-fit(order=[5,4,3,2,1,0])")
    comparison = made.run()
    sl.write_report(comparison, "page.html", plots=[])
    assert pasted("page.html") == ("schedlab compare x/experiment.json --trust-code --out x-again")
    text = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert "experiment.json holds what no command line says: windows and system" in text
    assert "the name patient" in text
    command = f"{pasted('page.html')} --processes 2 --no-report --quiet"
    printed = shell(command.replace("--trust-code", ""), code=2)
    assert "names code" in printed
    shell(command)
    assert len(assert_same_experiment("x", "x-again")) == 12
    for beside in ("--system m.toml", "--seed 3", "--repeat 1", "--schedulers fifo", "a.swf"):
        printed = shell(f"schedlab compare x/experiment.json --out y {beside}", code=2)
        assert "has its own" in printed or "give it alone" in printed
    assert not Path("y").exists()


def test_workloads_with_readers_of_their_own_are_read_by_them_again(folder, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    sys.modules.pop("mine", None)
    reader = "csv(submit=begin, run=length, requested_processors=cores)"
    made = sl.Experiment(
        "x",
        workloads=[
            open_reader("rows.csv", reader),
            open_reader("lines.log", "mine:Log"),
            open_reader("a.swf"),
            "rows.csv",
        ],
        systems="m.toml",
        schedulers="easy",
        reader="csv(submit=begin, run=length, requested_processors=1)",
        timeline="none",
        processes=1,
    )
    comparison = made.run()
    workloads = comparison.description["workloads"]
    assert [one.get("reader") for one in workloads] == [reader, "mine:Log", "swf", None]
    sl.write_report(comparison, "page.html", plots=[], trust_code=True)
    assert pasted("page.html") == "schedlab compare x/experiment.json --trust-code --out x-again"
    text = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert "the reader of rows.csv" in text
    command = f"{pasted('page.html')} --processes 1 --no-report --quiet"
    printed = shell(command.replace("--trust-code", ""), code=2)
    assert "experiment.json: reader 'mine:Log' names code" in printed
    shell(command)
    assert len(assert_same_experiment("x", "x-again")) == 4


def test_objects_of_an_experiment_are_said(folder):
    jobs = [sl.Job(i, i, 5) for i in range(1, 9)]
    made = sl.Experiment("x", workloads={"few": jobs}, systems={"m": "m.toml"}, timeline="none")
    made.add(sl.Easy(order=lambda job: job.id), name="mine")
    made.run()
    printed = shell("schedlab compare x/experiment.json --out y", code=2)
    assert "x/experiment.json: workload few: was a Python object" in printed
    sl.write_report(sl.Comparison.load("x"), "page.html", plots=[])
    text = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert "WORKLOAD stands for few, which was given as a Python object" in text
    assert "<lambda>) was given as a Python object" in text
