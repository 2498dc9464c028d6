"""Plain workloads from TOML files, and the commands."""

from __future__ import annotations

import polars
import pytest
from typer.testing import CliRunner

import schedlab as sl
from schedlab.cli import app
from schedlab.errors import InputError
from schedlab.workload.formats import open_reader

DEFINITION = """
interarrival = "exponential(mean=120)"
run = "lognormal(mean=6, deviation=1, max=86400)"
processors = "choice(1:0.5, 8:0.5)"
requested = "run*uniform(1, 3)"
machine = 64
by_hour = [1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1, 1]

[columns]
user = "zipf(1.1, 20)"
"""


@pytest.fixture
def definition(tmp_path):
    path = tmp_path / "plain.toml"
    path.write_text(DEFINITION)
    return path


@pytest.fixture
def generate(tmp_path, monkeypatch):
    """Returns a function that runs `schedlab workload generate ...`."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(app, ["workload", "generate", *map(str, arguments)])

    return run


def test_a_file_is_its_arguments(definition):
    made = sl.PlainWorkload.from_file(definition)
    same = sl.PlainWorkload(
        "exponential(mean=120)",
        "lognormal(mean=6, deviation=1, max=86400)",
        "choice(1:0.5, 8:0.5)",
        "run*uniform(1, 3)",
        machine=64,
        by_hour=[1] * 8 + [5] * 10 + [1] * 6,
        columns={"user": "zipf(1.1, 20)"},
    )
    assert next(made.tables(500, 1)).equals(next(same.tables(500, 1)))


def test_arguments_go_before_the_file(definition):
    made = sl.PlainWorkload.from_file(definition, run="5", columns={"queue": "2"}, load=0.1)
    table = next(made.tables(500, 1))
    assert set(table["run"]) == {5}
    assert set(table["queue"]) == {2}
    assert table["user"].n_unique() > 5
    assert made.load == 0.1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("run = ", "not valid TOML"),
        ("run = 5", "interarrival is missing"),
        ("runs = 5", 'unknown key "runs"; known: interarrival, run'),
        ("columns = 5", "columns: must be a table"),
        ("interarrival = 5\nrun = 'x(1)'\nprocessors = 1", 'run: unknown distribution "x"'),
        ("interarrival = 5\nrun = 5\nprocessors = 1\nmachine = 'big'", "machine: must be a whole"),
        ("\xff", ":1: is not UTF-8 text"),
    ],
)
def test_wrong_files(tmp_path, content, message):
    (tmp_path / "bad.toml").write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError) as error:
        sl.PlainWorkload.from_file(tmp_path / "bad.toml")
    assert str(error.value).startswith(f"{tmp_path / 'bad.toml'}:")
    assert message in str(error.value)
    with pytest.raises(InputError, match="no such file"):
        sl.PlainWorkload.from_file(tmp_path / "none.toml")


def test_generate_plain(generate, tmp_path, definition):
    done = generate(
        *("plain", "--definition", definition, "--jobs", 300, "--out", "a.swf", "--load", 0.5),
        *("--column", "task_gpu=choice(0:0.9, 1:0.1)", "--seed", "alpha", "--exact"),
    )
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("a.swf: 300 jobs in ")
    assert "offered load 0.50" in done.stdout
    table = polars.concat(open_reader(tmp_path / "a.swf").tables())
    assert table.height == 300
    assert "ExtraFields: task_gpu task_core tasks" in (tmp_path / "a.swf").read_text()


def test_generate_plain_by_options(generate, tmp_path):
    options = [
        *("--interarrival", "exponential(mean=60)", "--run", "uniform(1, 9)", "--processors", "3"),
        *("--by-weekday", "1,1,1,1,1,0,0", "--by-hour", ",".join(["1"] * 24), "--resolution", 0.5),
        *("--requested", "run", "--requested-steps", "5,10", "--jobs", 50),
    ]
    for name in ("a.swf", "b.swf"):
        assert generate("plain", *options, "--out", name, "--quiet").stdout == ""
    assert (tmp_path / "a.swf").read_bytes() == (tmp_path / "b.swf").read_bytes()
    rows = list(sl.read_swf(tmp_path / "a.swf"))
    assert {row.requested_time for row in rows} == {5, 10}


def test_generate_lublin(generate, tmp_path):
    options = ("--processors", 64, "--jobs", 500, "--type", "both", "--load", 0.6)
    done = generate("lublin", *options, "--out", "a.swf", "--set", "batch.serial_share=0.1")
    assert (done.exit_code, done.stderr) == (0, "")
    model = sl.LublinFeitelson(64, "both", load=0.6, batch={"serial_share": 0.1})
    expected = polars.concat(model.tables(500, 1))
    assert polars.concat(open_reader(tmp_path / "a.swf").tables()).equals(expected)
    other = generate("lublin", *options, "--out", "b.swf", "--seed", 2, "--drop-fractions")
    assert other.exit_code == 0
    assert (tmp_path / "b.swf").read_bytes() != (tmp_path / "a.swf").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain", "--run", "5"], "--interarrival is missing; give it, or --definition"),
        (["plain", "--interarrival", "5", "--run", "5"], "processors: give processors"),
        (["plain", "--by-hour", "1,x"], "--by-hour: must be numbers between commas"),
        (["plain", "--column", "user"], "--column 'user': must be NAME=VALUE"),
        (["plain", "--definition", "none.toml"], "none.toml: no such file"),
        (["lublin", "--set", "serial_share=x"], "--set serial_share=x: must be a number"),
        (["lublin", "--set", "some.serial_share=1"], "write NAME, batch.NAME or interactive.NAME"),
        (["lublin", "--set", "a=1", "--set", "a=2"], "--set: a is given twice"),
        (["lublin", "--jobs", "0"], "jobs: must be a whole number from 1 up"),
        (["lublin", "--type", "some"], "type: must be one of all, batch, interactive, both"),
        (
            ["lublin", "--requested-steps", "5,x"],
            "--requested-steps '5,x': must be common, or times",
        ),
    ],
)
def test_wrong_commands(generate, tmp_path, arguments, message):
    done = generate(*arguments, "--out", "a.swf")
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "a.swf").exists()


def test_generate_alone_shows_its_commands(generate):
    done = generate()
    assert done.exit_code == 2
    assert "lublin" in done.stdout
    assert "plain" in done.stdout
