"""The command line, the dashboard, reports and experiments: what data asks for is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import polars
import pytest
from trust.doors import NETWORK, ROWS, SYSTEM, plain
from trust.gadgets import ALL, CANARY, CODE, assert_nothing_ran, in_folder

import schedlab as sl
from schedlab.experiment.folder import MARKER
from schedlab.results.json_text import to_json
from schedlab.workload.formats import open_reader

MINE = """
import schedlab as sl

class Mine(sl.Scheduler):
    def schedule(self, state):
        yield from state.queue.fitting()

class Log(sl.Reader):
    def tables(self):
        yield from sl.open_reader(self.path, "csv").tables()

def pings(mpi, count: int = 2):
    for _ in range(count):
        yield mpi.barrier()

def backwards(job):
    return -job.id

def evenly(system):
    return range(system.nodes)
"""


def schedlab(folder: Path, *arguments: str, safe: bool = True) -> subprocess.CompletedProcess:
    path = ["-P"] if safe else []
    return subprocess.run(
        [sys.executable, *path, "-m", "schedlab", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.fixture
def inputs(folder) -> Path:
    """Workloads and machines in the folder, and a module of the person's."""
    (folder / "mine.py").write_text(MINE)
    (folder / "m.json").write_text(to_json(SYSTEM))
    (folder / "net.json").write_text(to_json(NETWORK))
    sl.write_swf(folder / "w.swf", ROWS)
    return folder


def stopped(folder: Path, **parts: str) -> None:
    """Leaves a run in `run` that was stopped after its first checkpoint."""
    code = (
        "import schedlab as sl, os\n"
        "from schedlab.simulation import core, saving\n"
        "core.SLICE_SECONDS, save = 0.0, saving.save\n"
        "def once(*given, **more):\n"
        "    save(*given, **more)\n"
        "    os._exit(0)\n"
        "saving.save = once\n"
        f"sl.simulate('w.swf', system='m.json', out='run', checkpoint_every=1e-9, **{parts!r})\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, timeout=120)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("scheduler", "mine:Mine"),
        ("scheduler", "mine.py:Mine"),
        ("scheduler", "easy(order=mine:backwards)"),
        ("allocator", "first-fit(order=mine:evenly)"),
    ],
)
def test_a_run_with_code_of_the_person_is_resumed_with_trust(inputs, part, name):
    """What a person typed for the first run is data when it comes back from the checkpoint."""
    stopped(inputs, **{part: name})
    done = schedlab(inputs, "run", "--resume", "run")
    assert done.returncode == 2
    assert "checkpoint.state: " in done.stderr
    assert "names code" in done.stderr
    assert "pass --trust-code" in done.stderr
    assert "Traceback" not in done.stderr
    done = schedlab(inputs, "run", "--resume", "run", "--trust-code")
    assert done.returncode == 0, done.stderr
    assert sl.Result.load(inputs / "run").counts["completed"] == 30


def test_a_run_without_code_is_resumed_as_before(inputs):
    stopped(inputs, scheduler="easy(order=shortest)")
    done = schedlab(inputs, "run", "--resume", "run")
    assert done.returncode == 0, done.stderr


def test_applications_of_workloads_on_the_command_line(inputs):
    (inputs / "apps.csv").write_text(
        "job,submit,run,requested_processors,application\n1,0,10,2,mine.py:pings(count=3)\n"
    )
    run = ("run", "apps.csv", "--system", "net.json")
    compare = ("compare", "apps.csv", "--system", "net.json", "--schedulers", "fifo", "--out", "x")
    for command in (run, (*compare, "--no-report")):
        done = schedlab(inputs, *command)
        assert done.returncode == 2, done.stderr
        assert "apps.csv: application 'mine.py:pings' names code" in done.stderr
        assert "--trust-code" in done.stderr
        done = schedlab(inputs, *command, "--trust-code")
        assert done.returncode == 0, done.stderr
    assign = ("workload", "assign", "apps.csv", "new.csv", "--application", "mine:pings(count=9)=1")
    done = schedlab(inputs, *assign, "--share", "0")
    assert done.returncode == 2
    assert "apps.csv: application 'mine.py:pings' names code" in done.stderr
    assert not (inputs / "new.csv").exists()
    done = schedlab(inputs, *assign, "--share", "0", "--trust-code")
    assert done.returncode == 0, done.stderr


def test_what_a_person_types_is_the_persons(inputs):
    run = ("run", "w.swf", "--system", "m.json")
    for typed in (
        ("--scheduler", "mine.py:Mine"),
        ("--scheduler", "easy(order=mine:backwards)"),
        ("--allocator", "first-fit(order=mine:evenly)"),
    ):
        done = schedlab(inputs, *run, *typed)
        assert done.returncode == 0, done.stderr
    jobs = [sl.Job(1, 0, 10, 2, application="mine:pings")]
    assert sl.simulate(jobs, system=NETWORK).counts["completed"] == 1
    named = sl.simulate(
        [sl.Job(1, 0, 10, 2)],
        system=NETWORK,
        job_factory=lambda job: job.replace(application="mine:pings"),
    )
    assert named.run["workload"]["applications"]
    del sys.modules["mine"]


def test_files_of_the_folder_do_not_replace_modules(inputs):
    """`python -m schedlab` is started in a folder of data, where Python looks for modules first."""
    for name in ("json", "typer", "polars", "difflib", "numpy"):
        (inputs / f"{name}.py").write_text(f"open({str(inputs / CANARY)!r}, 'w')\n")
    done = schedlab(inputs, "run", "w.swf", "--system", "m.json", "--out", "run", safe=False)
    assert done.returncode == 0, done.stderr
    assert_nothing_ran(inputs)


def test_experiments_with_code_of_the_person(inputs, monkeypatch):
    """Jobs from Python name the person's code: it runs, and is known when runs are reused."""
    jobs = [sl.Job(1, 0, 10, 2, application="mine:pings")]
    given = {"workloads": {"jobs": jobs}, "systems": {"m": NETWORK}, "schedulers": ["fifo"]}
    made = sl.Experiment("x", **given).run()
    assert made.failures == []
    marker = Path("x/runs/fifo+first-fit/01") / MARKER
    assert json.loads(marker.read_text())["applications"] == {
        "mine:pings": {"mine": json.loads(marker.read_text())["applications"]["mine:pings"]["mine"]}
    }
    before = marker.stat().st_mtime_ns
    sl.Experiment("x", **given).run()
    assert marker.stat().st_mtime_ns == before  # it was not repeated
    sys.modules.pop("mine", None)


def test_folders_of_experiments_name_no_code(inputs):
    given = {"workloads": "w.swf", "systems": {"m": SYSTEM}, "schedulers": ["fifo"]}
    sl.Experiment("x", **given).run()
    marker = inputs / "x/runs/fifo+first-fit/01" / MARKER
    run = marker.with_name("run.json")
    whole, description = json.loads(marker.read_text()), json.loads(run.read_text())
    for gadget in CODE:
        name = in_folder(gadget, inputs)
        marker.write_text(to_json({**whole, "applications": {name: {"module": "0"}}}))
        assert sl.Experiment("x", **given).run().failures == []
        assert_nothing_ran(inputs)
    description["workload"]["applications"] = [in_folder(gadget, inputs) for gadget in CODE]
    run.write_text(to_json(description))
    marker.write_text(to_json({"key": whole["key"]}))
    assert sl.Experiment("x", **given).run().failures == []
    assert_nothing_ran(inputs)


@pytest.fixture
def queued(inputs) -> Path:
    """A run of a trace with queues, which a report reads again."""
    polars.DataFrame(
        {
            "job": range(1, 21),
            "submit": [0] * 20,
            "run": [10] * 20,
            "requested_processors": [2] * 20,
            "queue": [1, 2] * 10,
        }
    ).write_csv("q.csv")
    reader = open_reader("q.csv", "mine:Log")
    sl.simulate(reader, system=SYSTEM, out="run", timeline="csv")
    assert json.loads(Path("run/run.json").read_text())["workload"]["reader"] == "mine:Log"
    sys.modules.pop("mine", None)
    return inputs


def test_reports_run_no_readers(queued):
    pytest.importorskip("matplotlib")
    page = ("report", "run", "--plots", "queue-size", "--force")
    done = schedlab(queued, *page)
    assert done.returncode == 0
    assert "run/run.json: reader 'mine:Log' names code" in done.stderr
    assert "--trust-code" in done.stderr
    text = (queued / "run/report.html").read_text()
    assert "By queue" not in text
    assert "--trust-code" in text
    done = schedlab(queued, *page, "--trust-code")
    assert (done.returncode, done.stderr) == (0, "")
    assert "By queue" in (queued / "run/report.html").read_text()
    description = json.loads((queued / "run/run.json").read_text())
    for gadget in ALL:
        description["workload"]["reader"] = in_folder(gadget, queued)
        (queued / "run/run.json").write_text(to_json(description))
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            sl.write_report("run", "page.html", plots=[])
        assert "--trust-code" in str(noticed[-1].message)
        assert_nothing_ran(queued)


def test_a_comparison_reports_with_the_reader_of_the_person(queued):
    """The name in run.json is the one that was typed, so no more trust is needed."""
    pytest.importorskip("matplotlib")
    compare = ("compare", "q.csv", "--system", "m.json", "--schedulers", "fifo", "--out", "x")
    done = schedlab(queued, *compare, "--reader", "mine:Log")
    assert done.returncode == 0, done.stderr
    assert "--trust-code" not in done.stderr
    assert "By queue" in (queued / "x/report.html").read_text()


@pytest.fixture
def asking(inputs):
    """A client of a dashboard."""
    pytest.importorskip("fastapi")
    from dashboard.conftest import client_of

    form = {"name": "new", "workload": "0:w.swf", "system": "0:m.json"}

    def ask(trust_code: bool = False, **changes: str):
        filled_form = {**form, "scheduler": "fifo", "allocator": "first-fit", **changes}
        return client_of(inputs, trust_code=trust_code).post("/api/launch", json=filled_form)

    return ask


@pytest.mark.parametrize(
    ("field", "around"),
    [
        ("scheduler", "{}"),
        ("scheduler", "easy(depth=3, order={})"),
        ("allocator", "{}"),
        ("allocator", "first-fit(order={})"),
        ("allocator", "round-robin(order={}, partitions=2)"),
        ("allocator", "dual-end(order={})"),
        ("allocator", "contiguous(fit=best, order={})"),
    ],
)
def test_requests_name_no_code(inputs, asking, field, around):
    for gadget in ALL:
        name = in_folder(gadget, inputs)
        text = around.format(name if around == "{}" else plain(name))
        if not text.isprintable() or (field == "scheduler" and gadget == "score:main"):
            continue
        answer = asking(**{field: text})
        assert answer.status_code == 400, text
        assert answer.json()["field"] == field
        assert "--trust-code" in answer.json()["error"], text
        assert not (inputs / "new").exists()
        assert_nothing_ran(inputs)


def test_requests_may_name_code_where_the_person_says_so(inputs, asking):
    answer = asking(True, scheduler="mine:Mine", allocator="first-fit(order=mine:evenly)")
    assert (answer.status_code, answer.json()) == (200, {"name": "new"})
    assert "mine" not in sys.modules  # the run has it, not the server
