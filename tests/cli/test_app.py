"""`schedlab app`: applications listed, shown and run alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.application import APPLICATIONS
from schedlab.cli import app

TORUS = """
name = "ring"
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


@pytest.fixture
def ring(tmp_path: Path) -> str:
    file = tmp_path / "ring.toml"
    file.write_text(TORUS)
    return str(file)


def invoke(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["app", *arguments], env={"COLUMNS": "100"})
    return result.exit_code, result.stdout, result.stderr


def test_lists_every_application() -> None:
    code, shown, _ = invoke("list")
    assert code == 0
    lines = [line.strip() for line in shown.splitlines()]
    assert set(APPLICATIONS) <= set(lines)
    assert "bytes=128, algorithm=standard, iterations=1, compute=0.0" in lines
    answer = json.loads(invoke("list", "--json")[1])
    assert list(answer) == list(APPLICATIONS)
    assert answer["ring"]["arguments"]["iterations"] == 1


def test_shows_arguments_with_their_meanings() -> None:
    code, shown, _ = invoke("show", "stencil-2d(bytes=1M)")
    assert code == 0
    row = next(line for line in shown.splitlines() if line.startswith("bytes"))
    assert row.split(maxsplit=3) == ["bytes", "1M", "65536", row.split(maxsplit=3)[3]]
    assert "Of the halo of one side." in row
    assert invoke("show", "stencil")[0] == 2


def test_breaks_down_a_run(ring: str) -> None:
    arguments = ("run", "even-odd(bytes=1M, compute=0.001)", "--ranks", "8", "--system", ring)
    code, shown, _ = invoke(*arguments, "--ranks-per-node", "1", "--fidelity", "packet")
    assert code == 0
    assert "even-odd(bytes=1048576, compute=0.001)  8 ranks on 8 nodes of ring" in shown
    lines = {line.split("  ")[0]: line for line in shown.splitlines()}
    assert lines["messages"].split()[1] == "8"
    assert lines["compute"].split()[1:3] == ["1.0000", "ms"]
    assert "times that" in lines["no contention"]
    answer = json.loads(invoke(*arguments, "--json", "--placement", "random", "--seed", "3")[1])
    assert answer["allocator"] == "random"
    assert len(answer["nodes"]) == len(answer["rank_seconds"]) == 8
    assert answer["bytes"] == 8 * 2**20
    assert answer["seconds"] == max(answer["rank_seconds"])
    assert answer["seconds_without_contention"] <= answer["seconds"] * 1.001


def test_kills_at_the_limit(ring: str) -> None:
    code, shown, _ = invoke(
        *("run", "even-odd(compute=5)", "--ranks", "4", "--system", ring, "--limit", "2")
    )
    assert code == 0
    assert "killed at its limit" in shown
    assert "time           2.0000 s" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing", "--ranks", "4"), "unknown"),
        (("ring", "--ranks", "17"), "no room for 17 ranks"),
        (("ring", "--ranks", "9", "--ranks-per-node", "1"), "at most 1 on a node"),
        (("ring", "--ranks", "4", "--fidelity", "none"), "--fidelity"),
        (("ring", "--ranks", "4", "--limit", "0"), "limit"),
        (("ping-pong(second=9)", "--ranks", "4"), "ping-pong"),
        (("ring", "--ranks", "4", "--picture-links", "x.gif"), "x.gif"),
    ],
)
def test_wrong_use_is_one_line(ring: str, arguments: tuple[str, ...], message: str) -> None:
    code, shown, errors = invoke("run", *arguments, "--system", ring)
    assert (code, shown) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1


def test_a_machine_without_network_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "plain.toml"
    file.write_text(TORUS.partition("[network]")[0])
    code, _, errors = invoke("run", "ring", "--ranks", "2", "--system", str(file))
    assert code == 2
    assert "has no network" in errors


def test_draws_pictures(ring: str, tmp_path: Path) -> None:
    files = {what: tmp_path / f"{what}.png" for what in ("links", "placement", "traffic")}
    flags = [part for what, file in files.items() for part in (f"--picture-{what}", str(file))]
    code, shown, _ = invoke("run", "ring", "--ranks", "8", "--system", ring, *flags)
    assert code == 0
    for what, file in files.items():
        assert file.read_bytes().startswith(b"\x89PNG")
        assert f"{file}: {what}" in shown.replace("\n", "")
