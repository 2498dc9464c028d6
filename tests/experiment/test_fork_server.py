"""Runs as forks of a server: as if each had an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from experiment.inputs import experiment
from test_weight import HEAVY

import schedlab as sl
from schedlab.experiment import starting
from schedlab.results.json_text import to_json

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs are fresh interpreters")

NOTING = """
import builtins, os, random, sys
import schedlab as sl

class Noting(sl.Scheduler):
    def schedule(self, state):
        if not hasattr(self, "noted"):
            self.noted = True
            builtins.left = getattr(builtins, "left", 0) + 1
            with open("noted.txt", "a") as file:
                print(os.getppid(), os.getpgid(0) == os.getpid(), builtins.left, "polars" in
                    sys.modules, len(os.listdir("/proc/self/fd")), random.random(), file=file)
        for job in state.queue:
            if state.machine.fits(job):
                yield job
"""


def modules_after(*lines: str) -> set[str]:
    code = "\n".join([*lines, "print(*sys.modules, file=sys.stderr)"])
    plan = {"workload": "a.swf", "system": "m.toml", "scheduler": "easy"}
    given = to_json({"out": "run", "parent": os.getpid(), "spec": plan, "requested_spec": plan})
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys\n{code}"],
        input=given[:-1] + ', "output": {"jobs": "csv", "timeline": "csv"}}',
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.usefixtures("folder")
def test_the_server_has_imported_what_a_run_needs_and_nothing_heavy():
    server = modules_after("import schedlab.experiment.fork_server")
    assert not {*HEAVY, "signal", "threading"} & server
    run = modules_after(
        "from schedlab.experiment.worker import main",
        "try: main()",
        "except SystemExit: pass",
    )
    assert {name for name in run - server if name.startswith("schedlab")} == set()


def test_runs_share_a_server_and_nothing_of_the_users(folder):
    (folder / "noting.py").write_text(NOTING)
    for _ in range(2):
        experiment(schedulers="noting:Noting", repeat=3, processes=2).run()
        sl.Experiment("out", workloads="a.swf", systems="m.toml", schedulers="fifo").run(force=True)
    noted = [line.split() for line in Path("noted.txt").read_text().splitlines()]
    servers, groups, left, polars, files, draws = zip(*noted, strict=True)
    assert len(set(servers)) <= 2
    assert str(os.getpid()) not in servers
    assert set(groups) == {"True"}
    assert set(left) == {"1"}
    assert set(polars) == {"False"}
    assert len(set(files)) == 1
    assert len(set(draws)) == len(draws)


def results(out: str) -> dict[str, bytes]:
    found = {}
    for path in sorted(Path(out).rglob("*")):
        if path.suffix in (".csv", ".parquet") and path.name not in ("timing.csv", "timeline.csv"):
            found[str(path.relative_to(out))] = path.read_bytes()
    return found


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kept", ["csv", "parquet"])
def test_fresh_interpreters_make_the_same(monkeypatch, kept):
    given = {"schedulers": ["easy", "their_policies:Wrong"], "jobs": kept, "repeat": 2}
    forked = experiment("forked", timeline="none", **given).run()
    monkeypatch.setattr(starting.sys, "platform", "darwin")
    monkeypatch.setattr(starting, "_Server", None)
    fresh = experiment("fresh", timeline="none", **given).run()
    assert forked.failures == fresh.failures
    assert len(results("forked")) >= 5
    assert results("forked") == results("fresh")


def test_a_server_that_ends_takes_its_runs_along_and_others_are_made(folder):
    (folder / "killing.py").write_text(
        "import os, signal, time\n"
        "import schedlab as sl\n"
        "class Killing(sl.Scheduler):\n"
        "    def schedule(self, state):\n"
        "        os.kill(os.getppid(), signal.SIGKILL)\n"
        "        time.sleep(60)\n"
    )
    first = experiment(schedulers=["killing:Killing", "fifo", "easy"], processes=1).run()
    assert [name for name, _ in first.failures] == ["Killing+first-fit/01"]
    assert len(first.metrics) == 2


@pytest.mark.usefixtures("folder")
def test_no_process_is_left(monkeypatch):
    servers = []
    made = starting._Server

    def kept() -> starting._Server:
        servers.append(made())
        return servers[-1]

    monkeypatch.setattr(starting, "_Server", kept)
    stop = iter([False] * 3)

    def interrupt(_: object) -> None:
        if next(stop, True):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        experiment(schedulers="their_policies:Slow(pause=9)", repeat=3).run(interrupt)
    (server,) = servers
    assert server._process.returncode == 0
    assert not Path(f"/proc/{server._process.pid}").exists()


@pytest.mark.usefixtures("folder")
def test_where_every_interpreter_has_threads_nothing_is_forked(monkeypatch):
    place = Path("site")
    place.mkdir()
    (place / "sitecustomize.py").write_text(
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(place.absolute()))
    with pytest.raises(OSError, match="threads"):
        starting._Server()
    assert experiment().run().failures == []
