"""Options of commands are what their declarations say, and nothing else lists them."""

from __future__ import annotations

import inspect

import pytest
import typer
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.options import DEFAULTS, FLAGS, OPTIONS
from schedlab.simulation.spec.value import PARTS, RunSpec

COMMANDS = typer.main.get_command(app).commands
PARTS_BY_NAME = {one.name: one for one in RunSpec._declared}


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize("name", [*DEFAULTS, *PARTS])
def test_commands_have_what_is_declared(command, name):
    declared = OPTIONS.get(name) or PARTS_BY_NAME[name]
    if not declared.group:  # the commands take these each in its own way
        assert name in ("workload", "system", "scheduler", "allocator")
        return
    (option,) = [one for one in COMMANDS[command].params if one.name == name]
    flag = f"--{name.replace('_', '-')}"
    assert option.opts == [flag]
    assert option.secondary_opts == ([f"--no-{flag[2:]}"] if name in FLAGS else [])
    meaning = declared.meaning.replace("`", "").rstrip(".")
    assert meaning[1:] in option.help
    assert option.help.endswith(".")
    assert option.help.startswith("|".join(declared.forms))
    assert option.default is None


def test_what_simulate_takes_is_known_by_its_signature():
    """A misspelt argument ends up among the options, and is distinguished from them."""
    taken = {*inspect.signature(sl.simulate).parameters} - {"workload", "options"}
    assert taken - {*PARTS, "estimate"} == {
        *("out", "jobs", "timeline", "checkpoint_every", "progress", "pause", "force", "trust_code")
    }
    for name in taken - {*PARTS, "estimate", "trust_code"}:
        with pytest.raises(sl.InputError, match=f'unknown option "{name}"; only simulate takes it'):
            sl.Simulation([], system={}, **{name: 1})
    with pytest.raises(sl.InputError, match='did you mean "checkpoint_every"'):
        sl.simulate([], system={}, checkpoint_evry=3)


@pytest.mark.parametrize("name", [*DEFAULTS, *PARTS])
def test_no_option_is_ignored_beside_what_has_its_own(name):
    """Not even where it is false, 0 or empty."""
    for words in (["run", "--resume", "x"], ["compare", "x/experiment.json", "--out", "y"]):
        options = [one for one in COMMANDS[words[0]].params if one.name == name]
        for option in options if name != "workload" else ():
            is_number = name in ("seed", "accuracy", "tasks_per_node")
            given = [option.opts[0], "0" if is_number else ""]
            done = CliRunner().invoke(app, [*words, *(option.secondary_opts or given)])
            assert done.exit_code == 2
            assert f"{option.opts[0]}: " in done.stderr
            assert "has its own" in done.stderr


def test_an_experiment_beside_workloads_is_named():
    done = CliRunner().invoke(app, ["compare", "a.swf", "x/experiment.json", "--out", "y"])
    assert "x/experiment.json: is an experiment; give it alone" in done.stderr


def test_a_file_of_a_run_is_not_taken_for_a_workload(tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text('workload = "a.swf"\n')
    for words in (
        ["compare", str(spec), "--system", "m", "--schedulers", "fifo", "--out", "y"],
        ["run", str(spec), "--workload", str(spec)],
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2
        assert "spec.toml: says what a run is, and is not a workload" in done.stderr


def test_help_has_a_heading_for_each_group():
    done = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "120"})
    headings = ["Reading the workload", "Dispatching", "Simulating", "Applications on", "Output"]
    places = [done.output.index(f"╭─ {heading}") for heading in headings]
    assert places == sorted(places)
