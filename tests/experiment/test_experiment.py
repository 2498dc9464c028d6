"""Experiments: combinations, names, what is run again, and folders that are refused."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from time import sleep

import pytest
from experiment.inputs import experiment, identity

import schedlab as sl
from schedlab.errors import InputError
from schedlab.experiment import folder as folders
from schedlab.results.tables_check import table_facts
from schedlab.trust import PERSON


def test_every_combination_by_repetition(finished):
    names = [run.name for run in finished.experiment.runs()]
    each = ["fifo+first-fit", "fifo+random", "easy+first-fit", "easy+random"]
    assert names == [f"{one}/{r}" for r in ("01", "02") for one in each]
    assert [run.seed for run in finished.experiment.runs()] == [5] * 4 + [6] * 4
    comparison = finished.comparison
    assert comparison.status == "complete"
    assert comparison.failures == []
    rows = comparison.metrics.rows(named=True)
    assert [row["run"] for row in rows] == [f"{one}/{r}" for one in each for r in ("01", "02")]
    for row in rows:
        run = comparison.result(row["run"]).run
        assert run["options"]["seed"] == row["seed"]
        assert f"{run['scheduler']}+{run['allocator']}" == row["dispatcher"]


def test_runs_equal_single_simulations(finished):
    for name in ("easy+first-fit/02", "fifo+random/01"):
        kept = finished.comparison.result(name)
        alone = sl.simulate(
            finished.path / "a.swf",
            system=finished.path / "m.toml",
            scheduler=kept.run["scheduler"],
            allocator=kept.run["allocator"],
            seed=kept.run["options"]["seed"],
        )
        assert sl.compare_schedules(kept, alone).identical
        assert kept.metrics == alone.metrics
        assert kept.run["files"] == ["jobs.parquet", "timeline.parquet"]
        assert sorted(os.listdir(kept.path)) == [
            "experiment-run.json",
            "jobs.parquet",
            "run.json",
            "timeline.parquet",
        ]


def test_memory_is_that_of_a_process_without_numpy_and_polars(finished):
    peaks = finished.comparison.timing["peak_memory_bytes"]
    assert 5e6 < peaks.min() <= peaks.max() < 30e6


@pytest.mark.usefixtures("folder")
def test_several_workloads_and_systems():
    small = {"groups": {"node": {"nodes": 80, "resources": {"core": 16}}}}
    comparison = experiment(
        workloads=["a.swf", "b.swf"],
        systems={"large": "m.toml", "wider": small},
        schedulers=["fifo", "easy"],
        timeline="none",
    ).run()
    runs = comparison.metrics["run"].to_list()
    assert runs[0] == "a/large/fifo+first-fit/01"
    assert len(runs) == len(set(runs)) == 8
    assert comparison.inputs == [("a", "large"), ("a", "wider"), ("b", "large"), ("b", "wider")]
    assert [group.label for group in comparison.groups][:2] == ["fifo, a, large", "easy, a, large"]
    jobs = comparison.jobs("wait")
    assert jobs.columns == [
        "workload",
        "system",
        "job_id",
        "user",
        "submit",
        "tasks",
        "fifo",
        "easy",
    ]
    assert jobs.height == 2 * 400 + 2 * 200
    assert comparison.sentences()[0].startswith("a, large: easy ")
    assert len(comparison.differences(column=None)) == 4 * 4
    assert comparison.metrics["queue_mean"].to_list() == [None] * 8


@pytest.mark.parametrize("kept", ["csv", "none"])
@pytest.mark.usefixtures("folder")
def test_formats(kept):
    comparison = experiment(jobs=kept, timeline=kept).run()
    files = sorted(os.listdir("out/runs/fifo+first-fit/01"))
    expected = {"csv": ["experiment-run.json", "jobs.csv", "run.json", "timeline.csv"]}
    assert files == expected.get(kept, ["experiment-run.json", "run.json"])
    assert os.path.exists("out/jobs.parquet") == (kept == "csv")
    assert comparison.metrics["wait_mean"].len() == 1
    if kept == "none":
        with pytest.raises(InputError, match="was not written"):
            comparison.jobs()


def test_nothing_is_repeated_without_a_change(folder, monkeypatch):
    made = experiment(schedulers=["fifo", "easy"]).run()
    before = {name: identity("out", name) for name in made.metrics["run"]}
    stamps = {path: path.stat().st_mtime_ns for path in (folder / "out").rglob("*")}
    seen = []
    again = experiment(schedulers=["fifo", "easy"]).run(progress=seen.append)
    assert {path: path.stat().st_mtime_ns for path in (folder / "out").rglob("*")} == stamps
    assert seen == []
    assert again.metrics.equals(made.metrics)
    forced = experiment(schedulers=["fifo", "easy"]).run(force=True)
    assert all(identity("out", name) != before[name] for name in before)
    assert forced.metrics.equals(made.metrics)


CHANGES = {
    "workload": {"workloads": "b.swf"},
    "system": {"systems": {"groups": {"node": {"nodes": 65, "resources": {"core": 16}}}}},
    "seed": {"seed": 1},
    "option": {"enforce_limits": True},
    "rules": {"rules": "pyss"},
    "estimate": {"estimate": "exact"},
    "windows": {"windows": [sl.Window(0, 10)]},
    "queues": {"queues": [sl.Queue("all")]},
    "job factory": {"job_factory": "their_policies:halved"},
    "format": {"timeline": "none"},
}


@pytest.mark.usefixtures("folder")
def test_a_run_is_repeated_for_every_kind_of_change():
    keys = {"nothing": experiment().runs()[0].key}
    assert experiment().runs()[0].key == keys["nothing"]
    for name, change in CHANGES.items():
        keys[name] = experiment(**change).runs()[0].key
    keys["scheduler"] = experiment(schedulers="easy").runs()[0].key
    keys["allocator"] = experiment(allocators="best-fit").runs()[0].key
    assert None not in keys.values()
    assert len(set(keys.values())) == len(keys)
    # The same, said otherwise.
    assert experiment(schedulers=sl.Blocking()).runs()[0].key == keys["nothing"]
    assert experiment(workloads="./a.swf").runs()[0].key == keys["nothing"]
    assert experiment(estimate="requested").runs()[0].key != keys["estimate"]


def test_a_changed_input_repeats_its_own_runs_only(folder):
    both = {"workloads": ["a.swf", "b.swf"], "schedulers": ["fifo", "their_policies:Fifo"]}
    first = experiment(**both).run()
    before = {name: identity("out", name) for name in first.metrics["run"]}
    (folder / "b.swf").write_text((folder / "b.swf").read_text().replace("\n", " \n", 30))
    experiment(**both).run()
    changed = {name for name in before if identity("out", name) != before[name]}
    assert changed == {name for name in before if name.startswith("b/")}
    before = {name: identity("out", name) for name in before}
    with open(folder / "their_policies.py", "a") as file:
        file.write("\n# another version\n")
    experiment(**both).run()
    changed = {name for name in before if identity("out", name) != before[name]}
    assert changed == {name for name in before if "Fifo" in name}


def test_folders_of_others_are_refused(folder):
    (folder / "out").mkdir()
    (folder / "out" / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match=r"holds something else than an experiment \(thesis.tex\)"):
        experiment().run()
    assert os.listdir(folder / "out") == ["thesis.tex"]
    sl.simulate("a.swf", system="m.toml", out="second/runs/fifo+first-fit/01")
    (folder / "second" / "experiment.json").write_text('{"format": 1}')
    with pytest.raises(InputError, match="holds a run that is not of this experiment"):
        experiment("second").run()
    with pytest.raises(InputError, match="cannot be a folder"):
        experiment("a.swf").run()


@pytest.mark.usefixtures("folder")
def test_two_at_a_time_in_one_folder_are_refused(monkeypatch):
    with monkeypatch.context() as impatient, folders.ExperimentFolder("out", (), PERSON):
        impatient.setattr(folders, "PATIENCE_SECONDS", 0.1)
        with pytest.raises(InputError, match="another experiment is writing to this folder"):
            experiment().run()
    assert experiment().run().status == "complete"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workloads": "none.swf"}, "none.swf"),
        ({"workloads": []}, "workloads: give at least one"),
        ({"workloads": iter([])}, "workloads: give at least one"),
        ({"workloads": {1: "a.swf", "1": "b.swf"}}, "workloads: two have the name '1'"),
        ({"systems": {"": "m.toml"}}, "systems: a name must be a text of one line"),
        ({"workloads": [(job for job in ())]}, "read once for each run"),
        ({"systems": "none.toml"}, "none.toml: no such file"),
        ({"schedulers": ["fifo", "fifa"]}, 'unknown scheduler "fifa"'),
        ({"schedulers": []}, "schedulers: give at least one"),
        ({"schedulers": ["fifo", "fifo"]}, "is there already"),
        ({"schedulers": "score:nonsense + 1"}, "nonsense"),
        ({"allocators": "first"}, 'unknown allocator "first"'),
        ({"repeat": 0}, "repeat: must be a whole number from 1 up"),
        ({"processes": 0}, "processes: must be"),
        ({"seed": -1}, "seed: must be"),
        ({"baseline": "easy"}, 'baseline: "easy" is not one of the dispatchers: fifo'),
        ({"colour": "red"}, 'unknown option "colour"'),
        ({"jobs": "xml"}, "jobs: must be one of"),
        ({"windows": [sl.Window(0, 5, nodes="rack")]}, "rack"),
        ({"job_factory": "their_policies:nothing"}, "their_policies has no 'nothing'"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_bad_input_is_refused_before_anything_starts(change, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace("+", r"\+")):
        experiment(**change).run()
    assert not os.path.exists("out")


@pytest.mark.usefixtures("folder")
def test_a_run_without_its_files_is_not_done():
    made = experiment(schedulers=["fifo", "easy"])
    before = made.run().jobs()
    kept = identity("out", "fifo+first-fit/01")
    os.unlink("out/runs/easy+first-fit/01/jobs.parquet")
    os.unlink("out/summary.csv")
    assert made.run().jobs().equals(before)
    assert identity("out", "fifo+first-fit/01") == kept


@pytest.mark.usefixtures("folder")
def test_what_a_policy_leaves_behind_holds_nothing_up():
    Path("starting.py").write_text(
        "import os, time\nimport their_policies\n"
        "class Starting(their_policies.Fifo):\n"
        "    def __init__(self):\n"
        "        self.started = False\n"
        "    def schedule(self, state):\n"
        "        if not self.started and os.fork() == 0:\n"
        f"            open({os.path.abspath('left')!r}, 'w').write(str(os.getpid()))\n"
        "            time.sleep(600)\n"
        "            os._exit(0)\n"
        "        self.started = True\n"
        "        yield from super().schedule(state)\n"
    )
    assert experiment(schedulers="starting:Starting").run().status == "complete"
    while not (Path("left").exists() and Path("left").read_text()):
        sleep(0.01)
    os.kill(int(Path("left").read_text()), signal.SIGKILL)  # it is still there


@pytest.mark.parametrize("file", ["a.swf", "m.toml", "their_policies.py"])
def test_an_input_that_changes_meanwhile(folder, file):
    made = experiment(schedulers="their_policies:Slow(pause=0.001)")

    def touch(progress):
        os.utime(folder / file, ns=(1, 1))

    comparison = made.run(progress=touch)
    ((_, reason),) = comparison.failures
    assert reason.endswith(f"{file}: changed while the experiment ran; run it again")
    assert made.run().status == "complete"


@pytest.mark.usefixtures("folder")
def test_one_job_and_no_job():
    sl.write_swf("one.swf", [(1, 0, -1, 5, 1, -1, -1, 1, 9, *[-1] * 9)])
    one = experiment("one", workloads="one.swf", schedulers=["fifo", "easy"]).run()
    assert one.sentences() == ["easy and fifo have the same mean wait (one job)"]
    Path("none.swf").write_text("; UnixStartTime: 0\n")
    none = experiment("none", workloads="none.swf", schedulers=["fifo", "easy"]).run()
    assert none.status == "partial"
    assert [reason for _, reason in none.failures] == [
        "none.swf: no job to simulate: the file has no rows"
    ] * 2
    assert none.metrics.is_empty()
    assert none.summary.is_empty()
    assert none.groups == []
    assert none.differences().is_empty()
    rejected = experiment("rejected", schedulers=["reject", "fifo"]).run()
    assert rejected.sentences() == ["no job ran under both fifo and reject"]
    assert rejected.metrics["wait_mean"][0] is None


def test_description_says_what_was_asked(finished):
    with open(finished.path / "out" / "experiment.json") as file:
        description = json.load(file)
    assert description == finished.comparison.description
    assert description["repeat"] == 2
    assert description["workloads"][0]["path"].endswith("a.swf")
    assert description["baseline"] == "fifo+first-fit"
    assert len({run["key"] for run in description["runs"]}) == 8


@pytest.mark.usefixtures("folder")
def test_a_folder_whose_name_would_be_a_pattern():
    experiment("out1", workloads="b.swf").run()
    for name in ("out[1]", "out?", "out*", "[", "out{1}"):
        comparison = experiment(name, schedulers=["fifo", "easy"]).run()
        assert comparison.failures == []
        assert comparison.metrics["jobs_submitted"].to_list() == [400, 400]
        assert comparison.jobs().height == 400
        assert len(comparison.differences(column=None)) == 4


@pytest.mark.usefixtures("folder")
def test_the_report_if_asked():
    made = experiment(workloads="b.swf", schedulers=["fifo", "easy"])
    made.run()
    assert not os.path.exists("out/report.html")
    made.run(report=True)
    page = Path("out/report.html").read_text()
    assert page.count("<figure>") > 3
    sl.write_report(sl.Comparison.load("out"), "page.html", plots=["slowdown"])
    assert Path("page.html").read_text().count("<figure>") == 1
    failed = experiment("failed", schedulers="their_policies:Wrong", jobs="none").run(report=True)
    assert failed.status == "partial"
    assert not os.path.exists("failed/report.html")


def test_tables_of_earlier_runs_are_looked_at_cell_by_cell(folder):
    """Those of runs that were made just now are not: a folder may be of someone else."""
    first = experiment(jobs="csv", timeline="csv").run()
    place = folder / "out" / "runs" / "fifo+first-fit" / "01"
    lines = (place / "jobs.csv").read_text().splitlines(keepends=True)
    lines[7] = lines[7].replace("completed", "forgotten")
    (place / "jobs.csv").write_text("".join(lines))
    run = json.loads((place / "run.json").read_text())
    run["tables"]["jobs.csv"] = table_facts(str(place / "jobs.csv"))
    (place / "run.json").write_text(json.dumps(run))
    with pytest.raises(sl.InputError, match=r'jobs\.csv:8: column state: .*"?forgotten'):
        experiment(jobs="csv", timeline="csv", schedulers=["fifo", "easy"]).run()
    assert first.failures == []
