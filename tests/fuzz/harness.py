"""Damaged inputs for all that reads: a success or a SchedlabError is right, all else a fault.

A target says what valid inputs are and how the product gets one. Its inputs are damaged copies,
made of a seed and an index alone. They are tried in processes that are watched: an abort, a hang
and too much memory are faults of the one input that was being read. `python -m tests.fuzz` runs it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from fuzz.mutations import mutated

FOLDER = Path(__file__).resolve().parent
SECONDS_LIMIT = 10.0
WAITING_LIMIT = 60.0
"""Of CPU time, and of time: on a busy machine, little of the one may take much of the other."""

MEMORY_LIMIT = 1_000_000_000
_ADDRESS_SPACE_LIMIT = 12_000_000_000
"""So that a fault does not take the machine with it; what counts is the memory in use."""

_HARMLESS = "\n\t\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


@dataclass(frozen=True)
class Sample:
    """A valid input: its files by name, and which of them may be damaged (all by default)."""

    name: str
    files: dict[str, bytes]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """Something that reads.

    Attributes:
        name: What it is called on the command line.
        samples: Makes the valid inputs; called once a process.
        feed: Gives the product an input: gets the sample's name and the folder with its files.
            What it raises, other than a SchedlabError, is a fault.
        few: How many inputs a short run tries.
    """

    name: str
    samples: Callable[[], list[Sample]]
    feed: Callable[[str, Path], None]
    few: int = 60


@dataclass
class Finding:
    """A fault: which input, what happened, and what is the same for all faults of its kind."""

    index: int
    kind: str
    text: str


@dataclass
class Summary:
    """What became of the inputs of a target."""

    target: str
    seed: int
    accepted: int = 0
    refused: int = 0
    findings: list[Finding] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)
    most_memory: tuple[int, int] = (0, -1)
    seconds: float = 0.0

    def __str__(self) -> str:
        tried = self.accepted + self.refused + len(self.findings)
        return (
            f"{self.target}: {tried} inputs of seed {self.seed}, {self.refused} refused, "
            f"{self.accepted} accepted, {len(self.findings)} faults; slowest "
            f"{self.slowest[0]:.2f} s (input {self.slowest[1]}), most memory "
            f"{self.most_memory[0] / 1e6:.0f} MB (input {self.most_memory[1]}), in "
            f"{self.seconds:.0f} s"
        )


def targets() -> dict[str, Target]:
    """Returns all targets by name: those in TARGETS of the files of this folder."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        if path.stem not in ("__main__", "harness", "mutations") and "test_" not in path.stem:
            found.update({t.name: t for t in importlib.import_module(f"fuzz.{path.stem}").TARGETS})
    return found


def damaged_input(target: Target, samples: list[Sample], seed: int, index: int) -> Sample:
    """Returns an input of a target: the same one for the same seed and index."""
    random = Random(f"{target.name} {seed} {index}")
    sample = random.choice(samples)
    files = dict(sample.files)
    name = random.choice(sample.damaged or tuple(sample.files))
    files[name] = mutated(name, files[name], random)
    return Sample(sample.name, files)


def write_input(sample: Sample, folder: Path) -> None:
    """Writes the files of an input into a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in sample.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def run_command(*arguments: str, codes: tuple[int, ...] = (0, 1, 2)) -> str:
    """Runs a command line in this process and returns what it printed.

    Raises:
        InputError: It refused its input, with exit code 2.
        AssertionError: Its exit code, or what it printed, is that of a fault.
    """
    from schedlab.errors import InputError

    printed = io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            _commands().main(list(arguments), prog_name="schedlab")
        except SystemExit as left:
            code = left.code
    text = printed.getvalue()
    if code not in codes or "internal error" in text or "Traceback (most" in text:
        raise AssertionError(f"exit code {code}: {text[-500:]}")
    require_printable(text)
    if code == 2:
        raise InputError(text)
    return text


@functools.cache
def _commands() -> Any:
    """Returns the command line; made once, which takes as long as a command."""
    import typer

    from schedlab.cli import app

    return typer.main.get_command(app)


def require_printable(text: str) -> None:
    """Raises AssertionError where text would do more to a terminal than be read."""
    for character in text:
        if not character.isprintable() and character not in _HARMLESS and _steers(character):
            raise AssertionError(f"prints the control character {character!r}: {text[:300]!r}")


def _steers(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def kind_of(error: BaseException) -> str:
    """Returns what faults of one kind have in common: the exception, and where it came from."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if "schedlab" in path and "fuzz" not in path:
            places.append(f"{path.rpartition('schedlab/')[2]}:{trace.tb_lineno}")
        trace = trace.tb_next
    text = f" {str(error)[:60]}" if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__}{text} in {places[-1] if places else 'the target'}"


@contextlib.contextmanager
def hurried() -> Iterator[None]:
    """While it lasts, nothing waits long for a run or a request that never comes."""
    with (
        mock.patch("schedlab.watch.folder.SECONDS_TO_ANSWER", 0.02),
        mock.patch("schedlab.dashboard.connections.SECONDS_TO_ASK", 0.2),
    ):
        yield


def work(target_name: str, seed: int, first: int, last: int, channel: int) -> None:
    """Tries inputs in this process; says on a channel which one, and what became of it."""
    import faulthandler
    import resource
    import warnings

    from schedlab.errors import SchedlabError

    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE_LIMIT, _ADDRESS_SPACE_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    target = targets()[target_name]
    samples = target.samples()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        for index in range(first, last):
            sample = damaged_input(target, samples, seed, index)
            write_input(sample, folder / "input")
            os.write(channel, f"{index}\n".encode())
            _forget_peak_memory()
            faulthandler.dump_traceback_later(WAITING_LIMIT, exit=True)
            started = time.process_time()
            outcome = {"outcome": "accepted"}
            try:
                target.feed(sample.name, folder / "input")
            except SchedlabError as error:
                outcome = _judged_refusal(error)
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # a panic of Rust is not an Exception
                outcome = {
                    "kind": kind_of(error),
                    "text": f"{type(error).__name__}: {error}"[:2_000],
                }
            took = time.process_time() - started
            faulthandler.cancel_dump_traceback_later()
            now, peak = _memory()
            if took > SECONDS_LIMIT:
                outcome = {"kind": "slow", "text": f"{took:.1f} s"}
            if peak > MEMORY_LIMIT:
                outcome = {"kind": "memory", "text": f"{peak / 1e6:.0f} MB"}
            line = json.dumps({"index": index, "seconds": took, "memory": peak, **outcome})
            os.write(channel, line.encode() + b"\n")
            if now > MEMORY_LIMIT // 2:  # what is left of others must not count for the next one
                break
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _judged_refusal(error: Exception) -> dict[str, str]:
    try:
        require_printable(str(error))
    except AssertionError as wrong:
        return {"kind": f"message not printable, {kind_of(error)}", "text": str(wrong)[:2_000]}
    return {"outcome": "refused"}


def _forget_peak_memory() -> None:
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _memory() -> tuple[int, int]:
    """Returns the memory in use and its peak since it was forgotten, in bytes."""
    facts = dict.fromkeys(("VmRSS", "VmHWM"), 0)
    with open("/proc/self/status") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in facts:
                facts[name] = int(value.split()[0]) * 1024
    return facts["VmRSS"], facts["VmHWM"]


class _Worker:
    """A process that tries a range of inputs; started again after each input that ended it."""

    def __init__(self, target: str, seed: int, first: int, last: int, log: Path) -> None:
        self.range = first, last
        reading, writing = os.pipe()
        environment = {**os.environ, "PYTHONPATH": str(FOLDER.parent), "PYTHONHASHSEED": "0"}
        environment.setdefault("POLARS_MAX_THREADS", "1")
        command = [sys.executable, "-X", "faulthandler", "-m", "fuzz", target, "--seed", str(seed)]
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [*command, "--work", f"{first}", f"{last}", f"{writing}"],
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                env=environment,
                pass_fds=(writing,),
            )
        os.close(writing)
        self.lines = os.fdopen(reading, encoding="utf-8")
        self.log = log

    def outcomes(self) -> list[dict[str, object]]:
        """Returns what became of inputs, up to the one that ended the process if one did."""
        done, current = [], None
        with self.lines:
            for line in self.lines:
                value = json.loads(line)
                current = value if isinstance(value, int) else None
                if current is None:
                    done.append(value)
        code = self.process.wait()
        if current is not None or code != 0:
            text = self.log.read_text(errors="replace")[-3_000:]
            if current is None:  # it did not come as far as an input
                raise RuntimeError(f"a process of the harness ended with {code}:\n{text}")
            hung = "Timeout (" in text
            kind = "hang" if hung else f"ended with {code}"
            done.append({"index": current, "kind": kind + _innermost(text), "text": text})
        return done


def _innermost(log: str) -> str:
    lines = [line for line in log.splitlines() if "schedlab/" in line and "File" in line]
    return f" in {lines[0].strip()}" if lines else ""


def run_target(name: str, seed: int, inputs: int, first: int = 0, processes: int = 1) -> Summary:
    """Tries inputs of a target and returns what became of them."""
    from concurrent.futures import ThreadPoolExecutor

    started = time.monotonic()
    summary = Summary(name, seed)
    size = max(1, min(2_000, -(-inputs // processes)))
    parts = [(i, min(first + inputs, i + size)) for i in range(first, first + inputs, size)]
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-logs-") as logs,
        ThreadPoolExecutor(processes) as pool,
    ):

        def try_all(part: tuple[int, int]) -> list[dict[str, object]]:
            done: list[dict[str, object]] = []
            at, last = part
            while at < last:
                worker = _Worker(name, seed, at, last, Path(logs) / f"{at}.log")
                done += worker.outcomes()
                at = int(str(done[-1]["index"])) + 1
            return done

        for outcomes in pool.map(try_all, parts):
            for outcome in outcomes:
                _count(summary, outcome)
    summary.seconds = time.monotonic() - started
    return summary


def _count(summary: Summary, outcome: dict[str, object]) -> None:
    index = int(str(outcome["index"]))
    if "kind" in outcome:
        summary.findings.append(Finding(index, str(outcome["kind"]), str(outcome["text"])))
    elif outcome["outcome"] == "accepted":
        summary.accepted += 1
    else:
        summary.refused += 1
    summary.slowest = max(summary.slowest, (float(str(outcome.get("seconds", 0))), index))
    summary.most_memory = max(summary.most_memory, (int(str(outcome.get("memory", 0))), index))


def store_findings(summary: Summary, folder: Path) -> None:
    """Writes the first inputs of each kind of fault, with what happened, into a folder."""
    target = targets()[summary.target]
    samples = target.samples()
    for kind in sorted({finding.kind for finding in summary.findings}):
        for finding in [f for f in summary.findings if f.kind == kind][:3]:
            place = folder / f"{summary.target}-{summary.seed}-{finding.index}"
            write_input(damaged_input(target, samples, summary.seed, finding.index), place)
            (place / "finding.txt").write_text(
                f"{finding.kind}\n{finding.text}\npython -m tests.fuzz {summary.target} "
                f"--seed {summary.seed} --only {finding.index}\n",
                errors="backslashreplace",
            )
