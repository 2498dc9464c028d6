"""The command that repeats a run: parsed by the real command line, it is the same run."""

from __future__ import annotations

import contextlib
import os
import shlex

import pytest
import typer
from hypothesis import given
from simulation.spec_strategies import SYSTEM, named_runs, paths

import schedlab as sl
from schedlab.cli import app
from schedlab.cli.run_options import SHARED, spec_arguments, spec_of
from schedlab.options import DEFAULTS
from schedlab.report.commands import run_command
from schedlab.simulation.spec.value import PARTS

RUN = typer.main.get_command(app).commands["run"]


def parsed(words: list[str]) -> tuple[sl.RunSpec, dict]:
    """Returns the run that the command line makes of words, and all that it parsed."""
    assert words[:2] == ["schedlab", "run"]
    found = dict(RUN.make_context("run", words[2:]).params)
    shared = {name: found[name] for name in SHARED}
    own = {name: found[name] for name in ("system", "scheduler", "allocator")}
    return spec_of(found["workload"], spec_arguments(shared, **own), found["trust_code"]), found


def is_workload(path: str) -> bool:
    """Whether a path is not taken for a file that says what to run."""
    return os.path.splitext(path)[1].lower() not in (".toml", ".json")


@given(named_runs.filter(lambda run: is_workload(run["workload"])), paths)
def test_the_words_are_the_same_run(arguments, out):
    spec = sl.RunSpec(**arguments)
    words = spec.command()
    assert parsed(words)[0] == spec
    assert spec.unnamed() == {}
    text = shlex.join(spec.command(out))
    again, found = parsed(shlex.split(text))
    assert (again, found["out"]) == (spec, out)


def test_every_part_and_option_is_on_the_command_line():
    own = {"workload", "system", "scheduler", "allocator"}
    assert {*SHARED} | own == {*PARTS, *DEFAULTS, "trust_code"}


@given(named_runs.filter(lambda run: is_workload(run["workload"])))
def test_the_command_of_a_report_is_the_same_run(arguments):
    """What run.json holds makes the words, quoted and broken into lines as on the page."""
    spec = sl.RunSpec(**arguments)
    run = {
        "spec": spec.to_data(),
        "workload": {"path": arguments["workload"], "applications": ["mine:pings(count=3)"]},
        "files": ["jobs.parquet"],
    }
    again, found = parsed(shlex.split(run_command(run, "here", "to here").replace(" \\\n", " ")))
    assert again == spec
    assert (found["out"], found["jobs"], found["timeline"]) == ("to here", "parquet", "none")
    assert found["trust_code"]


def test_parts_without_name_have_a_word_in_their_place():
    window = sl.Window(0, 10)
    spec = sl.RunSpec([sl.Job(1, 0, 5)], system=SYSTEM, windows=[window], job_factory=len)
    command = shlex.join(spec.command())
    assert command == (
        "schedlab run WORKLOAD --system SYSTEM --scheduler fifo --allocator first-fit "
        "--windows WINDOWS --job-factory JOB-FACTORY"
    )
    assert spec.unnamed() == {
        "workload": "1 job",
        "system": "a description without a file of its own",
        "windows": "a description without a file of its own",
        "job_factory": "builtins:len",
    }


def test_flags_are_taken_back_on_the_command_line(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text('workload = "a"\nsystem = "b"\nstrict = true\nsort = true\nseed = 3\n')
    spec, _ = parsed(["schedlab", "run", str(path), "--no-strict", "--seed", "4"])
    assert spec == sl.RunSpec("a", system="b", strict=False, sort=True, seed=4)


def test_a_workload_that_looks_like_an_option():
    spec = sl.RunSpec("-x.swf", system="--y.toml", scheduler="easy")
    assert spec.command()[-2:] == ["--", "-x.swf"]
    assert parsed(spec.command())[0] == spec
    with contextlib.suppress(SystemExit), pytest.raises(Exception, match="No such option"):
        parsed(["schedlab", "run", "-x.swf"])
