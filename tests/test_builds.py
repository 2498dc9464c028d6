"""Builds of one checkout do not get in each other's way, whoever starts them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PYTHON = """#!/bin/sh
# Stands in for `python -m venv FOLDER`: an environment whose pip only notes when it works. And for
# `python tools/with_progress.py LOG COMMAND...`.
case "$1" in *with_progress.py) shift 2; exec "$@";; esac
mkdir -p "$3/bin"
for name in pip schedlab; do printf '%s' "$NOTE" > "$3/bin/$name"; chmod +x "$3/bin/$name"; done
echo "venv $3" >> "$CALLS"
"""

NOTE = """#!/bin/sh
echo "begin $0 $*" >> "$CALLS"
sleep 0.3
echo "end $0 $*" >> "$CALLS"
"""


def start_make(folder: Path, goal: str, environment: str) -> subprocess.Popen:
    inherited = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    settings = {"CALLS": str(folder / "calls"), "NOTE": NOTE}
    values = {"VENV": environment, "PYTHON": "python", "LOCK": "lock"}
    variables = [f"{name}={folder / value}" for name, value in values.items()]
    return subprocess.Popen(
        ["make", "-C", ROOT, goal, *variables],
        env=inherited | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@pytest.fixture
def checkout_with_stand_in(tmp_path: Path) -> Path:
    if shutil.which("make") is None or shutil.which("flock") is None:
        pytest.skip("needs make and flock")
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def test_a_second_make_waits_and_finds_the_environment_done(checkout_with_stand_in: Path) -> None:
    folder = checkout_with_stand_in
    makes = [start_make(folder, "demo", "one") for _ in range(2)]
    printed = [make.communicate(timeout=60)[0].decode() for make in makes]
    assert [make.returncode for make in makes] == [0, 0], printed
    calls = (folder / "calls").read_text().splitlines()
    assert len([call for call in calls if call.startswith("venv")]) == 1
    installs = [call for call in calls if "/pip install" in call]
    assert len(installs) == 4  # the tools and the package, each once: begin and end
    assert [call.split()[0] for call in installs] == ["begin", "end"] * 2


def test_each_environment_has_a_build_folder_of_its_own(checkout_with_stand_in: Path) -> None:
    folder = checkout_with_stand_in
    for environment in ("one", "other"):
        make = start_make(folder, "demo", environment)
        assert make.wait(timeout=60) == 0, make.communicate()
    calls = (folder / "calls").read_text().splitlines()
    builds = [word for call in calls for word in call.split() if "build-dir=" in word]
    folders = [folder / environment / "build" for environment in ("one", "other")]
    assert set(builds) == {f"--config-settings=build-dir={place}" for place in folders}


def test_the_release_build_is_made_again_after_one_for_work_on_the_engine(
    checkout_with_stand_in: Path,
) -> None:
    folder = checkout_with_stand_in
    tools = str(folder / "one" / ".lint")  # what `make lint` needs, and with it `make test`
    builds = []
    for goal in (tools, tools, "develop", tools, "develop", "demo"):
        (folder / "calls").write_text("")
        make = start_make(folder, goal, "one")
        assert make.wait(timeout=60) == 0, make.communicate()
        calls = (folder / "calls").read_text().splitlines()
        installs = [call for call in calls if call.startswith("begin") and "build-dir=" in call]
        builds.append(["LTO=OFF" in call for call in installs])
    assert builds == [[False], [], [True], [False], [True], [False]]


def test_pip_builds_in_a_folder_of_its_own_unless_given_one() -> None:
    # A fixed name would be shared by every `pip install` of this checkout.
    definition = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "build-dir" not in definition["tool"]["scikit-build"]


def test_ci_takes_nothing_from_the_machine() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    for needed in (
        "PIP_NO_CACHE_DIR=1",
        "PIP_ONLY_BINARY=:all:",
        "mktemp -d",
        "PYTHONNOUSERSITE=1",
    ):
        assert needed in script
