"""What the commands about workload files have in common."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from typer.testing import CliRunner

from schedlab.cli import app
from schedlab.workload.formats import open_reader

ROW = "{} {} -1 60 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1\n"
MACHINE = "[groups.node]\nnodes = 4\nresources = { core = 4 }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = "".join(ROW.format(number, 50 * number) for number in range(1, 41))
    (tmp_path / "log.swf").write_text("; MaxProcs: 16\n" + rows)
    (tmp_path / "machine.toml").write_text(MACHINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    result = CliRunner().invoke(app, ["workload", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "log.swf", "new.sacct"],
        ["clean", "log.swf", "new.swf"],
        ["anonymise", "log.swf", "new.swf"],
        ["compare", "log.swf", "log.swf", "--out", "new"],
        ["model", "log.swf", "--out", "new"],
        ["generate", "lublin", "--jobs", "5", "--out", "new.swf"],
        [
            "generate",
            "plain",
            "--interarrival",
            "9",
            "--run",
            "9",
            "--processors",
            "2",
            "--out",
            "new.swf",
        ],
    ],
    ids=" ".join,
)
def test_quiet_commands_print_nothing(folder: Path, arguments: list[str]) -> None:
    assert any(run(*arguments))
    assert "already; --force" in run(*arguments, "--quiet", code=2)[1]
    assert run(*arguments, "--quiet", "--force") == ("", "")
    assert list(folder.glob("new*"))


def test_quiet_generation_and_tuning(folder: Path) -> None:
    run("model", "log.swf", "--out", "log.json")
    machine = ("--system", "machine.toml", "--duration", "1h", "--stabilization", "10m")
    assert run("generate", "model", "log.json", *machine, "--out", "new.swf", "--quiet") == ("", "")
    tune = ("tune", "log.json", *machine, "--wait", "1m", "--seeds", "2", "--tolerance", "0.9")
    assert run(*tune, "--out", "tuned.json", "--quiet") == ("", "")
    assert (folder / "tuned.json").exists()


def test_a_file_is_not_converted_onto_itself(folder: Path) -> None:
    before = (folder / "log.swf").read_bytes()
    (folder / "same.swf").symlink_to(folder / "log.swf")
    _, errors = run("convert", "log.swf", "same.swf", code=2)
    assert "same.swf: is the workload itself" in errors
    assert (folder / "log.swf").read_bytes() == before


def test_steps_of_requested_times_are_durations(folder: Path) -> None:
    lublin = ("generate", "lublin", "--jobs", "200", "--requested", "run", "--requested-steps")
    run(*lublin, "5m,1h,1000000", "--out", "words.swf")
    run(*lublin, "300,3600,1000000", "--out", "seconds.swf")
    words = (folder / "words.swf").read_bytes()
    assert words == (folder / "seconds.swf").read_bytes()
    requested = next(open_reader("words.swf").tables())["requested_time"]
    assert set(requested) == {300.0, 3600.0, 1_000_000.0}
    assert "must be common, or times" in run(*lublin, "5m,soon", "--out", "x.swf", code=2)[1]


def test_plain_lines_of_a_header_stay(folder: Path) -> None:
    head = "; Version: 2\n;   Copyright 2000, all\n; rights reserved: see\n;\n; http://a.example/\n"
    (folder / "old.swf").write_text(head + ROW.format(1, 0))
    for source, target in (("old.swf", "a.parquet"), ("a.parquet", "b.csv"), ("b.csv", "c.swf")):
        run("convert", source, target)
    comments = ("Copyright 2000, all", "rights reserved: see", "http://a.example/")
    lines = ["; Version: 2", *(f"; Comment: {text}" for text in comments)]
    assert (folder / "c.swf").read_text().splitlines()[:-1] == lines
    run("convert", "c.swf", "d.swf")
    assert (folder / "d.swf").read_bytes() == (folder / "c.swf").read_bytes()


def test_tables_of_tasks_need_no_processors(folder: Path) -> None:
    (folder / "gpus.csv").write_text("t,s,c,g\n0,60,4,1\n5,60,,2\n9,60,2,0\n")
    reader = "csv(submit=t, run=s, tasks=2, task_core=c, task_gpu=g)"
    run("convert", "gpus.csv", "gpus.swf", "--reader", reader)
    table = polars.concat(open_reader("gpus.swf").tables())
    assert table["requested_processors"].to_list() == [8.0, 2.0, 4.0]  # plain SWF needs some
    _, errors = run("convert", "gpus.csv", "x.swf", code=2)
    assert "as in --reader 'csv(submit=time(Created)" in errors
