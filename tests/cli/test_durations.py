"""Durations on command lines: every option that takes one takes all of its forms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.conditions import FailureTrace
from schedlab.durations import parse_duration, seconds_of
from schedlab.workload.cleaning.cleaning import rule_of
from schedlab.workload.models.scsf.settings import GenerationSettings

ROW = "{0} {1} -1 3600 2 -1 -1 2 7200 -1 1 1 1 1 1 1 -1 -1\n"
MACHINE = """
[groups.node]
nodes = 8
resources = { core = 2 }
[network]
topology = "torus"
dimensions = [4]
nodes_per_router = 2
bandwidth = 8e9
delay = 1e-7
host_bandwidth = 8e9
host_delay = 1e-7
"""
RUN = "run log.swf --system machine.toml --fidelity none --force --json --out out"
MODEL = "workload generate model log.json --system machine.toml --force --out out.swf"
PHASES = f"{MODEL} --stabilization 10m"
TUNE = (
    "workload tune log.json --system machine.toml --seeds 1 --tolerance 0.9 --force --out out.json"
)
SHORT = "--duration 2h --stabilization 4h"
APP = "app run ring --ranks 4 --system machine.toml --json"

COMMANDS = {
    "run --checkpoint-every": f"{RUN} --checkpoint-every TIME",
    "status --at": "status log.run --at TIME clock",
    "workload assign --foreground-time": "workload assign log.swf out.csv --foreground ring "
    "--foreground-size 4 --force --foreground-time TIME",
    "workload tune --wait": f"{TUNE} {SHORT} --wait TIME",
    "workload tune --duration": f"{TUNE} --wait 1m --stabilization 3h --duration TIME",
    "workload tune --stabilization": f"{TUNE} --wait 1m --duration 2h --stabilization TIME",
    "workload tune --drain": f"{TUNE} {SHORT} --wait 1m --drain TIME",
    "workload tune --fill-interval": f"{TUNE} {SHORT} --wait 1m --fill-interval TIME",
    "workload tune --most-work": f"{TUNE} {SHORT} --wait 1m --most-work TIME",
    "workload generate plain --resolution": "workload generate plain --interarrival 9000 "
    "--run 9000 --processors 2 --jobs 9 --force --out out.swf --resolution TIME",
    "workload generate model --duration": f"{PHASES} --duration TIME",
    "workload generate model --stabilization": f"{MODEL} --duration 2h --stabilization TIME",
    "workload generate model --drain": f"{PHASES} --duration 2h --drain TIME",
    "workload generate model --fill-wait": f"{PHASES} --duration 2h --fill-wait TIME",
    "workload generate model --fill-interval": f"{PHASES} --duration 2h --fill-wait 1h "
    "--fill-interval TIME",
    "workload generate model --fill-residual": f"{PHASES} --duration 2h --fill-wait 1h "
    "--fill-residual TIME",
    "workload generate model --most-work": f"{PHASES} --duration 2h --most-work TIME",
    "app run --run-time": f"{APP} --run-time TIME",
    "app run --limit": f"{APP} --limit TIME",
}
"""Of every option whose value is a TIME."""

WITHIN = {
    "run --missing-estimate": f"{RUN} --missing-estimate TIME",
    "compare --missing-estimate": "compare log.swf --system machine.toml --schedulers fifo "
    "--fidelity none --out out.cmp --missing-estimate TIME",
    "workload compare --bins": "workload compare log.swf log.swf --json --bins run_time=TIME",
    "workload model --bins": "workload model log.swf --force --out out.json --bins requested=TIME",
    "workload generate lublin --requested-steps": "workload generate lublin --jobs 9 --force "
    "--requested run --requested-steps TIME,1d --out out.swf",
    "workload generate plain --requested-steps": "workload generate plain --interarrival 9 --run 9 "
    "--processors 2 --jobs 9 --force --requested run --requested-steps TIME --out out.swf",
    "workload generate model --workflows": f"{PHASES} --duration 3h --workflows period:TIME "
    "--manifest flow.json",
}
"""Of options where a time is one of several things, or a part of the value."""


def options_of(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, one in getattr(command, "commands", {}).items():
        yield from options_of(one, f"{path} {name}".strip())
    if not hasattr(command, "commands"):
        for parameter in command.params:
            yield f"{path} {parameter.opts[0]}", parameter


def test_every_option_of_a_time_is_here() -> None:
    found = {name for name, one in options_of(get_command(app)) if one.metavar == "TIME"}
    assert found == COMMANDS.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("durations")
    rows = "".join(ROW.format(number, 700 * number) for number in range(1, 41))
    (place / "log.swf").write_text("; MaxProcs: 16\n" + rows)
    (place / "machine.toml").write_text(MACHINE)
    (place / "flow.json").write_text(
        '{"tasks": [{"id": "a", "cmd": "x", "cores": 2, "rtime": 60, "rcputime": 60}]}'
    )
    system = {"groups": {"node": {"nodes": 8, "resources": {"core": 2}}}}
    sl.simulate(place / "log.swf", system=system, out=place / "log.run")
    done = CliRunner().invoke(
        app, ["workload", "model", str(place / "log.swf"), "--out", str(place / "log.json")]
    )
    assert done.exit_code == 0, done.output
    return place


def printed(command: str, time: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [word.replace("TIME", time) for word in command.split()])
    return done.exit_code, done.output


@pytest.mark.parametrize("name", [*COMMANDS, *WITHIN])
def test_forms_of_a_duration(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    command = {**COMMANDS, **WITHIN}[name]
    for form in ("1h30m", "5.4e3"):
        code, shown = printed(command, form)
        # A wait of N hours cannot be had here, which is said after it was understood.
        assert code == 0 or (name == "workload tune --wait" and code == 1), shown
    code, wrong = printed(command, "soon")
    assert code == 2
    assert "soon" in wrong
    assert "Traceback" not in wrong


def test_units_and_seconds_are_the_same_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    system = {"groups": {"node": {"nodes": 8, "resources": {"core": 2}}}}
    for value in ("1h30m", "5400", 5400):
        result = sl.simulate("log.swf", system=system, missing_estimate=value)
        assert result.run["options"]["missing_estimate"] == 5400
        assert isinstance(result.run["options"]["missing_estimate"], int)
    (folder / "spec.toml").write_text(
        'workload = "log.swf"\nsystem = "machine.toml"\nfidelity = "none"\n'
        'missing_estimate = "1h30m"\n'
    )
    assert sl.RunSpec.from_file("spec.toml").resolved_options()["missing_estimate"] == 5400


def test_arguments_and_keys_of_files_take_units(tmp_path: Path) -> None:
    machine = {"groups": {"node": {"nodes": 8, "resources": {"core": 2}}}}
    simulation = sl.Simulation([sl.Job(1, submit=0, run=9000)], system=machine)
    simulation.run(until="1h30m")
    assert simulation.counts["running"] == 1
    assert simulation.next_decision(until="1h30m") is False
    simulation.advance("2h30m")
    assert simulation.counts["completed"] == 1
    assert rule_of("chosen(submit_until=1h30m)").submit_until == 5400
    assert GenerationSettings(duration="72h", fill_interval="1m").duration == 259_200
    (tmp_path / "settings.json").write_text(
        '{"schedlab_generation_settings": 1, "stabilization": "1h30m"}'
    )
    assert GenerationSettings.load(tmp_path / "settings.json").stabilization == 5400
    assert FailureTrace([(0, "1h30m", 9000)]) == FailureTrace([(0, 5400, "2h30m")])
    with pytest.raises(sl.InputError, match=r"until: must be a duration: .*\(is \"soon\"\)"):
        simulation.run(until="soon")
    with pytest.raises(sl.InputError, match=r"outages\[1\]: end must be seconds .*\"soon\""):
        FailureTrace([(0, 1, "soon")])


@given(
    st.tuples(*(st.integers(0, 999) for _ in range(5))).filter(any),
    st.sampled_from(("", "-", "+")),
    st.sampled_from(("m", "min")),
)
def test_units_add_up(parts: tuple[int, ...], sign: str, minute: str) -> None:
    units = (("w", 604_800), ("d", 86_400), ("h", 3600), (minute, 60), ("s", 1))
    pairs = [(count, *unit) for count, unit in zip(parts, units, strict=True) if count]
    text = sign + " ".join(f"{count}{unit}" for count, unit, _ in pairs)
    total = sum(count * size for count, _, size in pairs)
    assert parse_duration(text) == (-total if sign == "-" else total)


@given(st.floats(0, 1e12))
def test_numbers_are_seconds(number: float) -> None:
    assert seconds_of(repr(number), "wait") == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "h",
        "1x",
        "1h30",
        "0h30",
        "1h-30m",
        "1__0",
        "1_0",
        "inf",
        "nan",
        "1e999",
        "٣",
        "1.2.3h",
    ],
)
def test_what_is_not_a_duration(text: str) -> None:
    assert parse_duration(text) is None
    with pytest.raises(sl.InputError, match=r"wait .*: is not a duration; give seconds"):
        seconds_of(text, "wait")
