"""`schedlab system show` and `convert` of machines with a network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.cli import app
from schedlab.cli.system.network import drawing
from schedlab.system import Dragonfly, FatTree, Torus, load_system
from schedlab.system.network.presets import PRESETS

WIRES = {"bandwidth": 1e10, "delay": 1e-7, "host_bandwidth": 2e10, "host_delay": 5e-7}


def invoke(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80"})
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("name", PRESETS)
def test_shows_a_network(name: str) -> None:
    code, shown, errors = invoke("system", "show", name)
    assert (code, errors) == (0, "")
    network = load_system(name).network
    assert network is not None
    for text in (network.text, f"{network.routers:,}", network.routing, "bisection", "host out"):
        assert text in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def test_draws_a_torus() -> None:
    lines = drawing(Torus([8, 3, 4], **WIRES, parallel_links=[2, 1, 1])).plain.splitlines()
    assert sum(line.count("●") for line in lines) == 6 * 3 + 1  # and one in the key
    assert sum("◄══●═" in line for line in lines) == 3
    assert sum(line.count("▲") for line in lines[:-5]) == 6
    assert any("z = 3" in line for line in lines)
    assert "  x  8 routers in a ring: 2 x 10 Gbit/s, 100 ns a hop (◄ ►)" in lines


def test_draws_small_ones_without_wraps() -> None:
    text = drawing(Torus([2, 2], **WIRES)).plain
    assert "●───────●" in text
    assert "►" not in text
    assert "▲" not in text
    assert drawing(Torus([1], **WIRES)).plain.count("●") == 2


def test_draws_a_fat_tree() -> None:
    lines = drawing(FatTree([4, 4, 6], [2, 2], **WIRES, parallel_links=[1, 2])).plain.splitlines()
    bars = [line.count("█") for line in lines if "█" in line]
    # Two lines of bars a level, as long as their bandwidth: 24 x 2 x 10 and 12 x 2 x 20 Gbit/s at
    # the levels of switches beside 96 x 20 of the nodes.
    assert bars == [10, 10, 10, 10, 40, 40]
    assert "  level 1 is tapered: down to up 4:1 (4)" in lines
    assert "  level 2 is not tapered: down to up 1:1 (1)" in lines


def test_draws_a_dragonfly() -> None:
    wires = {"local_bandwidth": 4e10, "local_delay": 1e-7, "global_bandwidth": 3e10,
             "global_delay": 2e-7, "host_bandwidth": 2e10, "host_delay": 5e-7}  # fmt: skip
    text = drawing(Dragonfly(9, 4, rows=3, links_between=2, **wires)).plain
    assert text.count("●") == 12 + 1
    for part in ("group 0", "group 4", "⋮", "group 8", "each two of 9 groups: 2 x 30 Gbit/s"):
        assert part in text
    alone = drawing(Dragonfly(1, 4, **wires)).plain
    assert "━" not in alone
    assert "column" not in alone


def test_facts_as_json() -> None:
    code, shown, _ = invoke("system", "show", "edison", "--json")
    assert code == 0
    facts = json.loads(shown)["network"]
    assert facts["routers"] == 1440
    links = {kind["name"]: kind["links"] for kind in facts["links"]}
    assert links == {
        "host out": 5760,
        "host in": 5760,
        "row": 15 * 96 * 15,
        "column": 15 * 96 * 5,
        "global": 15 * 14 * 24,
    }


def test_converts_a_preset(tmp_path: Path) -> None:
    for out, how in ((tmp_path / "own.toml", ["--out"]), (tmp_path / "own.json", [])):
        code, shown, _ = invoke("system", "convert", "cielo", *how, str(out))
        assert (code, shown) == (0, f"{out}: 9,216 nodes in 1 group\n")
        assert load_system(out) == load_system("cielo")
    for wrong in ([], ["a.toml", "--out", "b.toml"]):
        code, _, errors = invoke("system", "convert", "cielo", *wrong)
        assert code == 2
        assert "give the file to write once: OUT, or --out FILE" in errors


def test_pictures(tmp_path: Path) -> None:
    torus = tmp_path / "torus.toml"
    torus.write_text(
        "[groups.g]\nnodes = 24\nresources = { core = 1 }\n"
        '[network]\npreset = "intrepid"\ndimensions = [4, 3, 2]\n'
    )
    for name, source in (("tree.svg", "fat-tree"), ("groups.png", "edison"), ("t.png", str(torus))):
        out = tmp_path / name
        code, shown, _ = invoke("system", "show", source, "--picture", str(out))
        assert code == 0
        assert shown.endswith(f"{out}: the network\n")
        assert out.stat().st_size > 10_000
    plain = tmp_path / "plain.json"
    plain.write_text('{"name": "plain", "groups": {"g": {"nodes": 1, "resources": {"core": 1}}}}')
    for source, picture, message in (
        (str(plain), "a.png", "plain: has no network to draw; add [network] to its file"),
        ("cielo", "a.gif", "a.gif: must end in .png, .svg or .pdf"),
    ):
        code, _, errors = invoke("system", "show", source, "--picture", picture)
        assert code == 2
        assert message in errors


def test_a_way_of_next_to_no_bandwidth_is_drawn() -> None:
    tree = FatTree([4, 4], [4], bandwidth=1e-320, delay=0, host_bandwidth=1e11, host_delay=0)
    assert "down to up about (inf)" in drawing(tree).plain
