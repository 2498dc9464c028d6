"""`schedlab system fit`: what it prints and writes, and that a system file takes it."""

from __future__ import annotations

import json
import tomllib

import pytest
from oracles.contention import I5_7500, I5_7500_POWER, Constants
from oracles.measurements import power_rows, speed_rows, write_csv
from typer.testing import CliRunner

from schedlab.cli import app
from schedlab.fitting import fit_processor
from schedlab.system import load_system

PUBLIC = I5_7500._replace(k=0.6)


@pytest.fixture
def files(tmp_path) -> list[str]:
    speeds = speed_rows(PUBLIC, noise=0.02)
    power = power_rows(I5_7500_POWER, noise=0.02)
    return [
        write_csv(tmp_path / "speeds.csv", "rate,others,n,speed", speeds),
        write_csv(tmp_path / "power.csv", "clock,active,power", power),
    ]


def run(*arguments: str):
    return CliRunner().invoke(app, ["system", "fit", *arguments], env={"COLUMNS": "100"})


def test_table_and_text(files):
    done = run(*files, "--cores", "4", "--name", "i5-7500")
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    for text in ("± ", "on the plateau", "errors: ", "at most (", "3.4 GHz", "R²"):
        assert text in done.stdout
    assert "[processors.i5-7500]\ncores = 4\nclock = 3.4\n" in done.stdout


def test_what_it_writes_is_a_part_of_a_system_file(files, tmp_path):
    out = tmp_path / "processor.toml"
    done = run(*files, "--cores", "4", "--name", "i5-7500", "--out", str(out))
    assert done.exit_code == 0, done.stderr
    assert f"{out}: for a system file" in done.stdout.replace("\n", "")
    node = '[node_types.n]\nprocessors = { "i5-7500" = 1 }\n[groups.g]\nnodes = 15\ntype = "n"\n'
    (tmp_path / "system.toml").write_text(out.read_text() + node)
    system = load_system(tmp_path / "system.toml")
    (kind,) = {kind for group in system.groups for kind in group.type.sockets}
    fit = fit_processor(files, 4)
    for name, value in fit.contention.values.items():
        half = fit.contention.constants[name].half_width
        assert abs(getattr(kind.contention, name) - value) <= 0.06 * half
    assert kind.power.core == pytest.approx(I5_7500_POWER[3.4][0], rel=0.03)
    assert [step.clock for step in kind.steps] == [2.5, 1.7]


def test_json(files):
    done = run(*files, "--cores", "4", "--k", "0.6", "--json")
    facts = json.loads(done.stdout)
    assert facts["contention"]["constants"]["k"] == {
        **{"value": 0.6, "half_width": None, "fixed": True, "determined": True}
    }
    assert facts["contention"]["rows"] == 192
    assert facts["contention"]["worst_row"].startswith(files[0])
    assert len(facts["power"]) == 3
    assert facts["refused"] == facts["notes"] == []


@pytest.mark.parametrize("ending", [".png", ".svg"])
def test_plot(files, tmp_path, ending):
    file = tmp_path / f"fit{ending}"
    done = run(*files, "--cores", "4", "--plot", str(file), "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert file.stat().st_size > 5_000


def test_plots_of_one_kind_and_of_many_rates(files, tmp_path):
    speeds = fit_processor(files[:1], 4).plot()
    assert len(speeds.axes) == 4
    power = fit_processor(files[1:], 4).plot()
    assert [axes.get_xlabel() for axes in power.axes] == ["active cores"]
    rates = [500.0 * i for i in range(0, 84, 5)]
    rows = speed_rows(PUBLIC, among=(1, 2, 3, 5, 7), rates=rates)
    many = write_csv(tmp_path / "many.csv", "rate,others,n,speed", rows)
    figure = fit_processor([many], 8).plot()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:3] == ["beside 1 other task", "beside 3 other tasks", "beside 7 other tasks"]


def test_constants_that_do_not_hold_for_so_many_cores(files):
    done = run(files[0], "--cores", "64", "--name", "too many")
    assert done.exit_code == 0
    assert "not for a system file: dc - (cores - 1) dd = -" in done.stderr
    assert "measured with up to 3 others; beyond, up to 63" in done.stdout
    text = done.stdout[done.stdout.index("[processors") :]
    (kind,) = tomllib.loads(text)["processors"].values()
    assert kind == {"cores": 64}
    assert "# refused: contention = {" in text
    assert "# clock = ..." in text


def test_a_floor_that_slows_what_does_not_contend(tmp_path):
    low = Constants(b=-2e-5, c=20_000, da=0.2, db=6000, dc=30_000, dd=1000, k=1)
    rows = write_csv(tmp_path / "s.csv", "rate,others,n,speed", speed_rows(low))
    fit = fit_processor([rows], 4)
    assert fit.least_floor is not None
    assert fit.least_floor < 0.9
    assert any("without memory traffic would be slowed" in note for note in fit.notes)


def test_idle_that_was_not_measured_is_called_an_assumption(tmp_path):
    rows = [row for row in power_rows(I5_7500_POWER) if row[1] > 0 and row[0] == 3.4]
    name = write_csv(tmp_path / "p.csv", "clock,active,power", rows)
    done = run(name, "--cores", "4")
    assert "0.28 W assumed" in done.stdout
    assert "idle power was not measured" in " ".join(done.stdout.split())
    assert "; idle is assumed" in done.stdout


def test_what_is_not_determined_is_not_printed(tmp_path):
    rows = [row for row in speed_rows(PUBLIC) if not 30_000 < row.rate + row.others < 70_000]
    name = write_csv(tmp_path / "s.csv", "rate,others,n,speed", rows)
    done = run(name, "--cores", "4")
    assert "not determined" in done.stdout
    assert "# not determined by the measurements: b, c" in done.stdout
    assert "measure more on the slope" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", "big"], "--k 'big': must be a number, or fit"),
        (["--k", "1", "--fix", "k=1"], "--k and --fix: both give k"),
        (["--fix", "a=1"], "there is no constant 'a'"),
        (["--cores", "0"], "cores: must be from 1 to 4096, not 0"),
        (["--clock", "2.5"], "the highest that power was measured at is 3.4"),
        (["--clock", "-1"], "clock: must be above 0 GHz"),
        (["--column", "rate"], "--column 'rate': must be NAME=VALUE"),
        (["--plot", "fit.gif"], "fit.gif: must end in .png, .svg or .pdf"),
    ],
)
def test_wrong_use(files, arguments, message):
    done = run(*files, "--cores", "4", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
