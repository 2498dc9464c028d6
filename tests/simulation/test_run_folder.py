"""Run folders: what they hold, and that nothing half-written ever looks whole."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

import schedlab
from schedlab import Job
from schedlab.results.json_text import to_json

SYSTEM = {"name": "toy", "groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
JOBS = [Job(1, 0, 10, 4), Job(2, 1, 10, 4)]


def test_contents(tmp_path):
    result = schedlab.simulate(
        JOBS, system=SYSTEM, scheduler="easy", timeline="csv", out=tmp_path / "run", seed=5
    )
    assert sorted(os.listdir(tmp_path / "run")) == ["jobs.csv", "run.json", "timeline.csv"]
    run = json.loads((tmp_path / "run/run.json").read_text())
    assert run == json.loads(to_json(result.run))
    assert (run["status"], run["schedlab"]) == ("complete", schedlab.__version__)
    assert run["options"]["seed"] == 5
    assert run["counts"]["completed"] == 2
    assert run["metrics"]["wait"]["mean"] == 4.5
    assert run["system"]["capacity"] == {"core": 4}
    assert run["simulator"]["cpu_seconds"] > 0
    assert run["simulator"]["peak_memory_bytes"] > 5_000_000
    loaded = schedlab.Result.load(tmp_path / "run")
    assert (loaded.run, str(loaded.summary)) == (run, str(result.summary))
    assert loaded.jobs.collect()["wait"].to_list() == [0.0, 9.0]


def test_inputs_are_named_with_checksums(tmp_path):
    from schedlab._engine import Checksum

    def checksum(path):
        sum_of = Checksum()
        sum_of.add(path.read_bytes())
        return sum_of.hex()

    system, workload = tmp_path / "toy.json", tmp_path / "toy.swf"
    system.write_text(json.dumps(SYSTEM))
    schedlab.write_swf(workload, [(1, 0, -1, 5, 1, *[-1] * 13)])
    run = schedlab.simulate(workload, system=system, out=tmp_path / "run").run
    assert run["system"]["path"] == str(system)
    same = schedlab.simulate(workload, system=SYSTEM).run["system"]
    assert (same["path"], same["checksum"]) == (None, run["system"]["checksum"])
    other = schedlab.simulate(workload, system={**SYSTEM, "start_time": 1}).run["system"]
    assert other["checksum"] != same["checksum"]
    found = run["workload"]["path"], run["workload"]["checksum"]
    assert found == (str(workload), checksum(workload))


def test_without_a_folder_the_files_go_with_the_result():
    result = schedlab.simulate(JOBS, system=SYSTEM)
    path = result.path
    assert result.jobs.collect().height == 2
    assert schedlab.simulate(JOBS, system=SYSTEM).jobs.collect().height == 2
    del result
    assert not os.path.exists(path)


def test_a_later_run_replaces_an_earlier_one(tmp_path):
    schedlab.simulate(JOBS, system=SYSTEM, timeline="csv", out=tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    with pytest.raises(schedlab.InputError, match=r"holds a run already \(run.json\); --force"):
        schedlab.simulate(JOBS[:1], system=SYSTEM, jobs="none", out=tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before
    schedlab.simulate(JOBS[:1], system=SYSTEM, jobs="none", out=tmp_path, force=True)
    assert sorted(os.listdir(tmp_path)) == ["notes.txt", "run.json"]
    with pytest.raises(schedlab.InputError, match="was not written"):
        schedlab.Result.load(tmp_path).jobs  # noqa: B018


def test_a_failing_run_leaves_the_earlier_one_alone(tmp_path):
    schedlab.simulate(JOBS, system=SYSTEM, out=tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    with pytest.raises(schedlab.InputError):
        schedlab.simulate([*JOBS, Job(3, 0, 1)], system=SYSTEM, out=tmp_path, force=True)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_folders_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(schedlab.InputError, match="cannot be a run folder"):
        schedlab.simulate(JOBS, system=SYSTEM, out=tmp_path / "file")
    for path, message in [("none", "no run.json"), ("file", "no run.json|cannot be read")]:
        with pytest.raises(schedlab.InputError, match=message):
            schedlab.Result.load(tmp_path / path)
    (tmp_path / "run.json").write_text('{"cut off": ')
    with pytest.raises(schedlab.InputError, match="cannot be read"):
        schedlab.Result.load(tmp_path)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(schedlab.InputError, match="not the file of a run"):
        schedlab.Result.load(tmp_path)


def test_two_runs_cannot_share_a_folder(tmp_path):
    def jobs():
        yield JOBS[0]
        with pytest.raises(schedlab.InputError, match="another run is writing"):
            schedlab.simulate(JOBS, system=SYSTEM, out=tmp_path)
        yield JOBS[1]

    schedlab.simulate(jobs(), system=SYSTEM, out=tmp_path)
    assert schedlab.Result.load(tmp_path).jobs.collect().height == 2


ENDLESS = """
import sys, schedlab
system = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
def jobs():
    i = 0
    while True:
        i += 1
        yield schedlab.Job(i, i, 5)
schedlab.simulate(jobs(), system=system, out=sys.argv[1])
"""


def started(folder):
    """Starts a run that never ends and returns once it has written something."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(folder)], stderr=subprocess.PIPE, text=True
    )
    part = folder / "jobs.csv.part"
    while not (part.exists() and part.stat().st_size > 0):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    return process


def test_an_interrupted_run_is_usable_and_marked(tmp_path):
    process = started(tmp_path)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in error
    assert sorted(os.listdir(tmp_path)) == ["jobs.csv", "run.json"]
    result = schedlab.Result.load(tmp_path)
    assert result.run["status"] == "interrupted"
    assert "PARTIAL" in str(result.summary)
    assert result.jobs.collect().height == result.counts["completed"] > 0


def test_a_killed_run_leaves_nothing_that_looks_whole(tmp_path):
    process = started(tmp_path)
    process.kill()
    process.communicate(timeout=60)
    assert os.listdir(tmp_path) == ["jobs.csv.part"]
    with pytest.raises(schedlab.InputError, match=r"no run\.json"):
        schedlab.Result.load(tmp_path)
    schedlab.simulate(JOBS, system=SYSTEM, out=tmp_path)  # and is not an obstacle
    assert sorted(os.listdir(tmp_path)) == ["jobs.csv", "run.json"]


FULL = """
import errno, os, sys, schedlab
system = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
jobs = (schedlab.Job(i, i, 5) for i in range(100_000))
try:
    schedlab.simulate(jobs, system=system, out=sys.argv[1])
except OSError as error:
    print(error.errno == int(sys.argv[2]), error.filename, sorted(os.listdir(sys.argv[1])))
"""


def test_a_full_disk_is_an_error_that_says_so(tmp_path):
    """A limit on the size of files takes the same way through the writer as a full disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    import errno

    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), str(errno.EFBIG)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"True {tmp_path}/jobs.csv.part []\n"


def test_a_really_full_disk(tmp_path):
    simulation = schedlab.Simulation(JOBS, system=SYSTEM)
    simulation.record_jobs("/dev/full")
    with pytest.raises(OSError, match=r"No space left on device.*/dev/full"):
        simulation.run()


@pytest.mark.parametrize("name", ["jobs.csv.part", "run.json.part", "checkpoint.state", "run.json"])
def test_links_in_a_folder_lead_nobody_astray(tmp_path, name):
    """A neighbour who may write to the folder cannot choose what else is overwritten."""
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).symlink_to(tmp_path / "precious")
    run = {"system": SYSTEM, "out": tmp_path / "run", "checkpoint_every": 1e-9}
    schedlab.simulate(JOBS, **run, force=True)
    assert (tmp_path / "precious").read_text() == "mine"
    assert sorted(os.listdir(tmp_path / "run")) == ["jobs.csv", "run.json"]


def test_two_simulations_do_not_write_one_file(tmp_path):
    first, second = (schedlab.Simulation(JOBS, system=SYSTEM) for _ in range(2))
    first.record_jobs(tmp_path / "jobs.csv")
    with pytest.raises(schedlab.InputError, match=r"jobs\.csv: is being written already"):
        second.record_jobs(tmp_path / "jobs.csv")
    first.run()
    assert len((tmp_path / "jobs.csv").read_text().splitlines()) == 3


def test_json_text():
    value = {
        "a": [1, 2.5, 'ä"\n', None, True, False],
        "b": {},
        "c": {"d": []},
        "e": -0.0,
        "f": 1e300,
    }
    assert json.loads(to_json(value)) == value
    assert json.loads(to_json([float("nan"), float("inf")])) == [None, None]
    with pytest.raises(TypeError):
        to_json({"x": object()})


@pytest.mark.parametrize("kept", ["csv", "parquet"])
def test_a_folder_whose_name_would_be_a_pattern(tmp_path, kept):
    for name in ("a1", "a[1]", "a*", "["):
        jobs = JOBS if name != "a1" else JOBS[:1]
        result = schedlab.simulate(
            jobs, system=SYSTEM, out=tmp_path / name, jobs=kept, timeline=kept
        )
        assert result.jobs.collect().height == len(jobs)
        assert schedlab.Result.load(tmp_path / name).timeline.collect().height
