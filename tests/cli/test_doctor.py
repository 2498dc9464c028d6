"""`schedlab doctor`: what it finds, and when it fails."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import schedlab
from schedlab import _engine
from schedlab.cli import app, doctor


def test_sound_installation() -> None:
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 0, result.stdout
    findings = json.loads(result.stdout)
    assert findings["healthy"] is True
    assert findings["schedlab"] == schedlab.__version__
    assert findings["engine"]["compiler"] == _engine.compiler
    assert findings["self_test"] == "passed"
    assert {"numpy", "polars", "rich", "typer"} <= set(findings["core"])
    assert {"matplotlib", "torch", "chromium", "psql"} <= set(findings["optional"])
    assert {"textual", "websockets"} <= set(findings["optional"])


def test_screen_says_how_to_get_what_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "OPTIONAL_PACKAGES", {"no-such-package": "plot"})
    monkeypatch.setattr(doctor, "OPTIONAL_PROGRAMS", {"no-such-program": ("some-package",)})
    shown = CliRunner().invoke(app, ["doctor"]).stdout
    assert "absent: pip install" in shown
    assert "absent: apt install some-package" in shown
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
