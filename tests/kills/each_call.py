"""A small run, killed before each of its system calls in turn; see `test_each_call.py`.

Runs under the preload. It imports schedlab once and forks for each kill, which is why nothing here
may load polars: its threads do not survive a fork.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import sys
from collections import Counter

import schedlab as sl
from schedlab.overwriting import TABLES
from schedlab.results.tables_check import refuse_changed
from schedlab.simulation import core
from schedlab.whole_file import write_text

SYSTEM = {"groups": {"n": {"nodes": 2, "resources": {"core": 2}}}}
JOBS = [sl.Job(n, n, 5 + n % 3, 1 + n % 4) for n in range(1, 13)]
core.SLICE_SECONDS = 0.0  # a checkpoint after each slice


def simulate(out, scheduler="easy", **more):
    sl.simulate(JOBS, system=SYSTEM, scheduler=scheduler, out=out, timeline="csv", **more)


class Run:
    """A run in a new folder."""

    earlier = False
    checkpoint_every: float | None = None

    def prepare(self, folder):
        if self.earlier:
            simulate(folder / "out", "fifo")

    def act(self, folder):
        simulate(folder / "out", force=self.earlier, checkpoint_every=self.checkpoint_every)

    def wanted(self, folder):
        """Returns the tables of the run, and those of the earlier one."""
        simulate(folder / "new")
        simulate(folder / "old", "fifo")
        return tables(folder / "new"), tables(folder / "old")

    def check(self, folder, wanted):
        """Returns what is there after a kill, and continues to the end."""
        new, old = wanted
        out = folder / "out"
        try:
            run = sl.Result.load(out).run
        except sl.InputError:
            assert not self.earlier, "the earlier result is gone"
            assert not (out / "run.json").exists()
            found = "nothing"
        else:
            for name in run["files"]:
                refuse_changed(str(out), run, name)
            assert not (out / "run.json.next").exists()
            found = "new" if tables(out) == new else "earlier"
            assert found == "new" or (self.earlier and tables(out) == old), run["scheduler"]
        if (out / "checkpoint.state").exists():
            assert found != "new"
            sl.resume(out, workload=JOBS)
            found += ", resumed"
        elif found != "new":
            self.act(folder)
        assert tables(out) == new
        assert sorted(os.listdir(out)) == ["jobs.csv", "run.json", "timeline.csv"]
        return found


class RunOverAnEarlierOne(Run):
    """The earlier result stays until the new one is whole."""

    earlier = True


class RunWithCheckpoints(Run):
    """A run that can be resumed, over an earlier result."""

    earlier = True
    checkpoint_every = 1e-9


class Resume(RunWithCheckpoints):
    """Going on from a checkpoint."""

    def prepare(self, folder):
        super().prepare(folder)

        def stop(simulation):
            if simulation.counts["completed"] >= 6:
                raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt):
            simulate(folder / "out", force=True, progress=stop, checkpoint_every=1e-9)

    def act(self, folder):
        if (folder / "out" / "checkpoint.state").exists():
            sl.resume(folder / "out", workload=JOBS)


class File:
    """A file that replaces another one."""

    texts = "earlier\n", "new\n"

    def prepare(self, folder):
        (folder / "file").write_text(self.texts[0])

    def act(self, folder):
        write_text(str(folder / "file"), self.texts[1])

    def wanted(self, folder):
        self.act(folder)
        return (folder / "file").read_bytes()

    def check(self, folder, wanted):
        content = (folder / "file").read_bytes()
        assert content in (self.texts[0].encode(), wanted), content[:100]
        self.act(folder)
        assert (folder / "file").read_bytes() == wanted
        assert os.listdir(folder) == ["file"]
        return "new" if content == wanted else "earlier"


class StateFile(File):
    """A saved state."""

    def act(self, folder):
        simulation = sl.Simulation(JOBS, system=SYSTEM, scheduler="easy")
        simulation.run(until=9)
        simulation.save(folder / "file")


SCENARIOS = {kind.__name__: kind for kind in (Run, RunOverAnEarlierOne, RunWithCheckpoints)}
SCENARIOS |= {kind.__name__: kind for kind in (Resume, File, StateFile)}


def tables(folder):
    """Returns the tables of a run, without the durations and the memory of its timeline."""
    found = {name: (folder / name).read_text() for name in TABLES if (folder / name).exists()}
    rows = [line.rsplit(",", 3)[0] for line in found["timeline.csv"].splitlines()]
    return {**found, "timeline.csv": rows}


def killed_at(scenario, folder, number, log):
    """Returns how a process ended that was to be killed before its n-th call."""
    arm = ctypes.CDLL(None).kills_arm
    child = os.fork()
    if child == 0:
        try:
            arm(os.fsencode(folder), ctypes.c_long(number), log)
            scenario.act(folder)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def refuse_unsynced(calls: list[str]) -> None:
    """Raises for a file that is not on disk before it is renamed, or a folder afterwards."""
    synced: set[str] = set()
    for line in calls:
        _, what, path = line.split(" ", 2)
        if what == "fsync":
            synced.add(path)
        elif what == "rename":
            assert path in synced or path.endswith("run.json.next"), f"not on disk: {path}"
            synced.discard(os.path.dirname(path))
        elif what == "write":
            synced.discard(path)
    renamed = [line.split(" ", 2)[2] for line in calls if " rename " in line]
    assert renamed
    for path in renamed:
        assert os.path.dirname(path) in synced, f"its name is not on disk: {path}"


def main(name: str, place: str) -> None:
    from pathlib import Path

    scenario, folder = SCENARIOS[name](), Path(place) / "folder"
    (Path(place) / "wanted").mkdir()
    wanted = scenario.wanted(Path(place) / "wanted")
    log_path = Path(place) / "calls"
    calls: list[str] = []
    found: Counter[str] = Counter()
    number = 0
    while True:
        folder.mkdir()
        scenario.prepare(folder)
        log = os.open(log_path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        status = killed_at(scenario, folder, number, log)
        os.close(log)
        if number == 0:
            calls = log_path.read_text().splitlines()
            assert status == 0, "it does not even work undisturbed"
            refuse_unsynced(calls)
        elif number > len(calls):
            break
        else:
            call = calls[number - 1]
            assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, call
            try:
                found[scenario.check(folder, wanted)] += 1
            except Exception as error:
                raise AssertionError(f"killed before {call}: {error}") from error
        shutil.rmtree(folder)
        number += 1
    counts = ", ".join(f"{count} {what}" for what, count in sorted(found.items()))
    print(f"{name}: killed before each of {len(calls)} calls: {counts}")


if __name__ == "__main__":
    main(*sys.argv[1:])
