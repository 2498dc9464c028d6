"""Checkpoints of runs: kill -9 at any moment, continue, and nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

import schedlab as sl

SCRIPT = """
    import os, signal, sys
    import schedlab as sl
    from schedlab.simulation import state_file

    class Slow(sl.Scheduler):
        '''FIFO; the process is killed in the middle of a call, if asked.'''
        def __init__(self):
            self.calls = 0

        def schedule(self, state):
            self.calls += 1
            if self.calls == int(os.environ.get("KILL_AT", 0)):
                os.kill(os.getpid(), signal.SIGKILL)
            for job in state.queue:
                if not state.machine.fits(job):
                    return
                yield job

    if "KILL_WRITING" in os.environ:
        written = 0
        fsync = os.fsync
        def killed(file):
            global written
            written += 1
            if written == int(os.environ["KILL_WRITING"]):
                os.kill(os.getpid(), signal.SIGKILL)
            fsync(file)
        os.fsync = killed

    def run(out, **more):
        return sl.simulate("trace.swf", system={"groups": {"n": {"nodes": 8,
            "resources": {"core": 4}}}}, scheduler=os.environ.get("SCHEDULER", "script:Slow"),
            out=out, **more)

    if __name__ == "__main__":
        import script
        if sys.argv[1] == "run":
            import schedlab.simulation.core as core
            core.SLICE_SECONDS = 0.0
            run("out", checkpoint_every=1e-9)
        else:
            sl.resume("out", checkpoint_every=1e-9, trust_code=True)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    rows = [
        [n, n // 3, -1, 5 + n % 17, 2, -1, -1, 1 + n % 9, 30, -1, 1, n % 5, 1, -1, 1, -1, -1, -1]
        for n in range(1, 3000)
    ]
    sl.write_swf(tmp_path / "trace.swf", rows)
    return tmp_path


def call(folder, command: str, **environment: str) -> int:
    process = subprocess.run(
        [sys.executable, "script.py", command],
        cwd=folder,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        check=False,
    )
    return process.returncode


def whole(folder, scheduler: str) -> str:
    result = sl.simulate(
        folder / "trace.swf",
        system={"groups": {"n": {"nodes": 8, "resources": {"core": 4}}}},
        scheduler=scheduler,
    )
    with open(f"{result.path}/jobs.csv") as file:
        return file.read()


@pytest.mark.unsanitized
def test_killed_runs_go_on(folder):
    assert call(folder, "run", KILL_AT="1500") == -signal.SIGKILL
    assert {"checkpoint.state", "jobs.csv.part"} <= set(os.listdir(folder / "out"))
    assert call(folder, "resume", KILL_AT="2500") == -signal.SIGKILL
    assert call(folder, "resume") == 0
    assert sorted(os.listdir(folder / "out")) == ["jobs.csv", "run.json"]
    assert (folder / "out" / "jobs.csv").read_text() == whole(folder, "fifo")
    run = sl.Result.load(folder / "out").run
    assert run["status"] == "complete"
    assert run["scheduler"] == "script:Slow"


@pytest.mark.parametrize(
    "scheduler",
    [
        *(pytest.param(name, marks=pytest.mark.unsanitized) for name in ("easy", "conservative")),
        "easy(order=wfp3)",
    ],
)
def test_killed_while_a_checkpoint_is_written(folder, scheduler):
    """The previous one is still good."""
    assert call(folder, "run", KILL_WRITING="7", SCHEDULER=scheduler) == -signal.SIGKILL
    before = (folder / "out" / "checkpoint.state").read_bytes()
    assert list((folder / "out").glob(".checkpoint.state.*.part"))
    assert call(folder, "resume", SCHEDULER=scheduler) == 0
    assert before
    assert (folder / "out" / "jobs.csv").read_text() == whole(folder, scheduler)
    assert sorted(os.listdir(folder / "out")) == ["jobs.csv", "run.json"]


def test_what_cannot_be_resumed(folder, tmp_path):
    with pytest.raises(sl.InputError, match="there is no such folder"):
        sl.resume(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(sl.InputError, match="has no checkpoint"):
        sl.resume(tmp_path / "empty")
    assert call(folder, "run", KILL_AT="1500") == -signal.SIGKILL
    part = folder / "out" / "jobs.csv.part"
    kept = part.read_bytes()
    part.write_bytes(kept[:100])
    assert call(folder, "resume") == 1
    part.unlink()
    assert call(folder, "resume") == 1
    part.write_bytes(kept + b"rows after the checkpoint are cut off")
    assert call(folder, "resume") == 0
    assert (folder / "out" / "jobs.csv").read_text() == whole(folder, "fifo")


def test_a_new_run_in_the_folder_starts_anew(folder):
    assert call(folder, "run", KILL_AT="1500") == -signal.SIGKILL
    given = {"system": {"groups": {"n": {"nodes": 8, "resources": {"core": 4}}}}}
    with pytest.raises(sl.InputError, match=r"checkpoint\.state.*--resume .* resumes it"):
        sl.simulate(folder / "trace.swf", **given, out=folder / "out")
    result = sl.simulate(folder / "trace.swf", **given, out=folder / "out", force=True)
    assert sorted(os.listdir(folder / "out")) == ["jobs.csv", "run.json"]
    assert result.run["status"] == "complete"


def test_parquet_files_hold_the_same(folder):
    system = {"groups": {"n": {"nodes": 8, "resources": {"core": 4}}}}
    results = {
        kind: sl.simulate(
            folder / "trace.swf",
            system=system,
            scheduler="easy",
            out=folder / kind,
            jobs=kind,
            timeline=kind,
        )
        for kind in ("csv", "parquet")
    }
    assert sorted(os.listdir(folder / "parquet")) == [
        "jobs.parquet",
        "run.json",
        "timeline.parquet",
    ]
    assert results["parquet"].jobs.collect().equals(results["csv"].jobs.collect())
    names = ["time", "queued", "running", "core_used"]
    tables = [results[kind].timeline.select(names).collect() for kind in ("csv", "parquet")]
    assert tables[0].equals(tables[1])
    assert results["parquet"].run["files"] == ["jobs.parquet", "timeline.parquet"]
    same = sl.compare_schedules(results["parquet"], results["csv"])
    assert str(same).startswith("identical")


@pytest.mark.parametrize("kind", ["csv", "parquet", "none"])
def test_decisions_are_timed_with_a_timeline(folder, kind):
    """Whatever its format, and whether or not jobs are written too."""
    for jobs in ("csv", "none"):
        result = sl.simulate(
            folder / "trace.swf",
            system={"groups": {"n": {"nodes": 8, "resources": {"core": 4}}}},
            jobs=jobs,
            timeline=kind,
        )
        assert (result.run["simulator"]["dispatch_seconds"] is None) == (kind == "none")
