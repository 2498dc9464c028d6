"""`schedlab doctor`: what it finds, and when it fails."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import schedlab
from schedlab import _engine
from schedlab.cli import app, doctor

ROOT = Path(__file__).resolve().parents[2]


def test_sound_installation() -> None:
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 0, result.stdout
    findings = json.loads(result.stdout)
    assert findings["healthy"] is True
    assert findings["schedlab"] == schedlab.__version__
    assert findings["engine"]["compiler"] == _engine.compiler
    assert findings["self_test"] == "passed"
    assert {"numpy", "polars", "rich", "typer"} <= set(findings["core"])
    assert {"matplotlib", "textual", "websockets"} <= set(findings["optional"])


def test_optional_packages_are_those_that_this_version_uses() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [
        text
        for extra, texts in extras.items()
        if extra not in doctor.DEVELOPMENT_EXTRAS
        for text in texts
    ]
    listed = set(doctor.examine()["optional"])
    assert listed == {re.split(r"[^\w-]", text)[0] for text in wanted}
    sources = [path.read_text() for path in (ROOT / "src" / "schedlab").rglob("*.py")]
    for name in listed:
        # websockets is what uvicorn serves live pages with; nothing names it.
        used = re.compile(rf"^\s*(?:from|import) {name}\b|files\(.{name}.\)", re.MULTILINE)
        assert name == "websockets" or any(map(used.search, sources)), name
    for text in (project["description"], schedlab.__doc__ or ""):
        assert "train" not in text


def test_screen_says_how_to_get_what_is_absent_or_old(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["numpy>=1", 'no-such-package>=1 ; extra == "plot"', "rich>=99; extra=='watch'"]
    wanted += ['hypothesis>=99; extra == "test"', 'clang-tidy==1; extra == "lint"']
    monkeypatch.setattr("importlib.metadata.requires", lambda _: wanted)
    shown = CliRunner().invoke(app, ["doctor"]).stdout
    assert re.search(r"no-such-package +absent: pip install 'schedlab\[plot\]'", shown)
    assert re.search(r"older than 99: pip install --upgrade 'schedlab\[watch\]'", shown)
    assert "hypothesis" not in shown
    assert "clang-tidy" not in shown
    assert "self-test passed" in shown


def test_failed_self_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no engine")

    monkeypatch.setattr("schedlab.simulation.simulate", fail)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "self-test failed: RuntimeError: no engine" in result.stdout


@pytest.mark.parametrize(
    ("requirement", "problem"),
    [("no-such-package>=1", "missing"), ("numpy>=99", "older than 99"), ("rich>=1", None)],
)
def test_core_dependency(
    monkeypatch: pytest.MonkeyPatch, requirement: str, problem: str | None
) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda _: [requirement, "x; extra == 'y'"])
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == (1 if problem else 0)
    assert (problem or "self-test passed") in result.stdout
