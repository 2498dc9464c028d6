"""Commands that are killed, and what must hold afterwards."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import schedlab as sl
from schedlab.results.tables_check import refuse_changed

SCHEDLAB = [sys.executable, "-m", "schedlab"]
JOBS = 20_000
EXPERIMENT_TABLES = ("metrics.csv", "summary.csv", "differences.csv", "jobs.parquet")


def call(folder: Path, *arguments: str, **more) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end."""
    return subprocess.run(
        [*SCHEDLAB, *arguments], cwd=folder, capture_output=True, text=True, check=False, **more
    )


def succeeded(folder: Path, *arguments: str) -> None:
    """Runs a command that must work."""
    done = call(folder, *arguments)
    assert done.returncode == 0, f"{' '.join(arguments)}: {done.stderr}"


def make_inputs(folder: Path) -> None:
    """Writes a workload and a machine."""
    draw = random.Random(1)
    with open(folder / "a.swf", "w", encoding="ascii") as file:
        for n in range(1, JOBS + 1):
            run, size = draw.randint(1, 4000), draw.randint(1, 16)
            file.write(f"{n} {n * 40} -1 {run} {size} -1 -1 {size} {run + 100} -1 1 {n % 9}")
            file.write(" 1 1 1 -1 -1 -1\n")
    (folder / "m.toml").write_text("[groups.n]\nnodes = 16\nresources = { core = 4 }\n")


def jobs_of(folder: Path) -> bytes:
    """Returns jobs.csv of a run whose tables are what run.json says."""
    result = sl.Result.load(folder)
    for name in result.run["files"]:
        refuse_changed(str(folder), result.run, name)
    return (folder / "jobs.csv").read_bytes()


class Command:
    """A command in a folder with inputs; here, a run in a new folder."""

    roles: tuple[str | None, ...] = (None,)
    arguments = ("run", "a.swf", "--system", "m.toml", "--scheduler", "easy", "--out", "out")
    again: tuple[str, ...] | None = None

    def prepare(self, folder: Path) -> None:
        """Puts there what must be there before."""

    def start(self, folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*SCHEDLAB, *self.arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait(self, process: subprocess.Popen[bytes]) -> None:
        """Waits until it has ended."""
        process.wait()

    def undisturbed(self, folder: Path) -> object:
        """Returns what the command makes when nothing happens to it."""
        succeeded(folder, *self.arguments)
        return self.made(folder)

    def made(self, folder: Path) -> object:
        return jobs_of(folder / "out")

    def look(self, folder: Path, wanted: object) -> str:
        """Returns what is there after a kill; raises if that is half of something."""
        if not (folder / "out").is_dir():
            return "nothing"
        try:
            found = self.made(folder)
        except sl.InputError:
            assert not (folder / "out" / "run.json").exists()
            return "nothing"
        assert found == wanted, "another result than undisturbed"
        return "new"

    def go_on(self, folder: Path, found: str, wanted: object) -> None:
        """Continues to the end."""
        if found != "new":
            succeeded(folder, *(self.again or self.arguments))
        assert self.made(folder) == wanted
        self.refuse_leftovers(folder)

    def refuse_leftovers(self, folder: Path) -> None:
        left = [str(p) for p in folder.rglob("*") if p.name.endswith((".part", ".lock", ".parts"))]
        left += [str(p) for p in folder.rglob("*") if p.name.startswith((".", "output.txt"))]
        assert not left, f"left over: {left}"


class RunOver(Command):
    """A run over an earlier result."""

    arguments = (*Command.arguments, "--force")
    earlier: bytes | None = None

    def prepare(self, folder):
        if self.earlier is None:
            succeeded(folder, "run", "a.swf", "--system", "m.toml", "--out", "earlier")
            type(self).earlier = jobs_of(folder / "earlier")
            shutil.copytree(folder / "earlier", folder.parent / "earlier")
            shutil.rmtree(folder / "earlier")
        shutil.copytree(folder.parent / "earlier", folder / "out")

    def look(self, folder, wanted):
        found = self.made(folder)
        assert found in (wanted, self.earlier), "neither the earlier result nor the new one"
        return "new" if found == wanted else "earlier"


class Resume(Command):
    """Going on from a checkpoint, with more checkpoints."""

    arguments = ("run", "--resume", "out", "--checkpoint-every", "0.01s")

    def prepare(self, folder):
        kept = folder.parent / "stopped"
        if not kept.exists():
            script = (
                "import schedlab as sl\n"
                "def stop(simulation):\n"
                f"    if simulation.counts['completed'] > {JOBS // 3}: raise KeyboardInterrupt\n"
                "sl.simulate('a.swf', system='m.toml', scheduler='easy', out='out',\n"
                "            checkpoint_every=1e-9, progress=stop)\n"
            )
            subprocess.run([sys.executable, "-c", script], cwd=folder, stderr=subprocess.DEVNULL)
            assert (folder / "out" / "checkpoint.state").exists()
            shutil.copytree(folder / "out", kept)
            shutil.rmtree(folder / "out")
        shutil.copytree(kept, folder / "out")

    def look(self, folder, wanted):
        found = super().look(folder, wanted)
        assert found == "new" or (folder / "out" / "checkpoint.state").exists(), "cannot continue"
        return found


class Compare(Command):
    """An experiment; its own process is killed, or one of its runs."""

    roles = ("schedlab compare", "experiment.fork_server")
    arguments = (
        *("compare", "a.swf", "--system", "m.toml", "--schedulers", "fifo,easy", "--repeat", "2"),
        *("--processes", "2", "--out", "out", "--no-report"),
    )

    def made(self, folder):
        return {name: (folder / "out" / name).read_bytes() for name in EXPERIMENT_TABLES}

    def look(self, folder, wanted):
        for run in folder.glob("out/runs/*/*"):
            try:
                result = sl.Result.load(run)
            except sl.InputError:
                assert not (run / "run.json").exists()
                continue
            for name in result.run["files"]:
                refuse_changed(str(run), result.run, name)
        return "new" if (folder / "out" / "experiment.json").exists() else "nothing"

    def go_on(self, folder, found, wanted):
        super().go_on(folder, "to be finished", wanted)


class Convert(Command):
    """A file that replaces an earlier one."""

    target = "x.json"
    arguments: tuple[str, ...] = ("workload", "convert", "a.swf", "x.json", "--force")

    def prepare(self, folder):
        (folder / self.target).write_bytes(b"earlier")

    def made(self, folder):
        return (folder / self.target).read_bytes()

    def look(self, folder, wanted):
        found = self.made(folder)
        assert found in (wanted, b"earlier"), "half a file"
        return "new" if found == wanted else "earlier"


class ConvertToParquet(Convert):
    """Likewise, through polars."""

    target = "x.parquet"
    arguments = ("workload", "convert", "a.swf", "x.parquet", "--force")


class Generate(Convert):
    """Jobs that are drawn, compressed."""

    target = "x.swf.gz"
    arguments = (
        *("workload", "generate", "lublin", "--processors", "64", "--jobs", "20000"),
        *("--seed", "1", "--out", "x.swf.gz", "--force"),
    )
