"""Modules of the user's by name: which file, and what is said when it cannot be imported."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import schedlab as sl
from schedlab.errors import InputError
from schedlab.loading import load

POLICY = """
import schedlab as sl

class Mine(sl.Scheduler):
    def schedule(self, state):
        yield from state.queue.fitting()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("name", ["test", "json", "random"])
def test_a_file_of_the_folder_goes_before_installed_modules(folder, name):
    (folder / f"{name}.py").write_text(POLICY)
    before = __import__(name)
    found = load("scheduler", f"{name}:Mine")
    assert found.__module__ == str(folder / f"{name}.py")
    assert __import__(name) is before  # others still get theirs
    assert load("scheduler", f"{name}:Mine") is found


def test_a_file_of_the_folder_goes_before_an_installed_package(folder, monkeypatch):
    installed = folder / "site-packages" / "offered_by_test"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("where = 'installed'")
    monkeypatch.syspath_prepend(installed.parent)
    assert load("x", "offered_by_test:where") == "installed"
    (folder / "offered_by_test.py").write_text("where = 'folder'")
    assert load("x", "offered_by_test:where") == "folder"


def test_a_module_of_a_package_that_python_has_too(folder):
    (folder / "json").mkdir()
    (folder / "json" / "mine.py").write_text(POLICY)
    assert load("scheduler", "json.mine:Mine").__name__ == "Mine"


def test_folders_on_the_path_go_first(folder, monkeypatch):
    (folder / "their").mkdir()
    (folder / "their" / "policies_of_path.py").write_text(POLICY + "where = 'path'")
    (folder / "policies_of_path.py").write_text(POLICY + "where = 'folder'")
    monkeypatch.syspath_prepend(folder / "their")
    assert load("x", "policies_of_path:where") == "path"


LATE = """
import schedlab as sl

class Mine(sl.Scheduler):
    def schedule(self, state):
        from beside import chosen
        yield from chosen(state)
"""
BESIDE = "def chosen(state):\n    return state.queue.fitting()\n"


@pytest.mark.parametrize("name", ["late:Mine", "late.py:Mine", "below/late.py:Mine", "json:Mine"])
def test_modules_beside_it_can_be_imported_later(folder, name):
    place = folder / "below" if name.startswith("below") else folder
    place.mkdir(exist_ok=True)
    file = "json.py" if name.startswith("json") else "late.py"
    (place / file).write_text(LATE)
    (place / "beside.py").write_text(BESIDE)
    path = list(sys.path)
    jobs = [sl.Job(id=1, submit=0, run=10, processors=1)]
    system = {"groups": {"node": {"nodes": 1, "resources": {"core": 1}}}}
    assert sl.simulate(jobs, system=system, scheduler=name).run["counts"]["completed"] == 1
    assert sys.path == path


def test_the_current_folder_goes_before_earlier_ones(folder, monkeypatch):
    for place in ("first", "second"):
        (folder / place).mkdir()
        (folder / place / f"of_{place}.py").write_text("X = 1\n")
        (folder / place / "same.py").write_text(f"PLACE = '{place}'\n")
    monkeypatch.chdir(folder / "first")
    assert load("scheduler", "of_first:X") == 1
    monkeypatch.chdir(folder / "second")
    assert load("scheduler", "same:PLACE") == "second"
    assert load("scheduler", "of_second:X") == 1


def test_runs_of_an_experiment_find_the_same_file(folder):
    (folder / "test.py").write_text(POLICY)
    sl.write_swf(folder / "w.swf", [(1, 0, -1, 10, 1, -1, -1, 1, 20) + (-1,) * 9])
    (folder / "s.toml").write_text("[groups.all]\nnodes = 1\nresources = { core = 2 }\n")
    made = sl.Experiment("out", workloads="w.swf", systems="s.toml", schedulers="test:Mine").run()
    assert made.failures == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"asked": "import nothing_such", "other": ""},
            r"asked cannot be imported: there is no module 'nothing_such'.*\(asked\.py:1\)",
        ),
        (
            {"asked": "x = 1\nimport other", "other": "\nimport nothing_such"},
            r"no module 'nothing_such'.* \(other\.py:2, imported at asked\.py:2\)",
        ),
        (
            {"asked": "import other", "other": "\n\n1 / 0"},
            r"ZeroDivisionError: .* \(other\.py:3, imported at asked\.py:1\)",
        ),
        (
            {"asked": "import other", "other": "def f(:"},
            r"\(other\.py:1, imported at asked\.py:1\)",
        ),
        ({"asked": "def f(:", "other": ""}, r"SyntaxError: .* \(asked\.py:1\)"),
        (
            {"asked": "class Mines: pass", "other": ""},
            r"asked has no 'Mine' \(asked\.py\); did you",
        ),
    ],
)
def test_both_files_are_named(folder, files, expected):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    with pytest.raises(InputError, match=expected):
        load("scheduler", "asked:Mine")


def test_the_command_line_means_the_folders_file(folder):
    (folder / "test.py").write_text(textwrap.dedent(POLICY))
    sl.write_swf(folder / "w.swf", [(1, 0, -1, 10, 1, -1, -1, 1, 20) + (-1,) * 9])
    (folder / "s.toml").write_text("[groups.all]\nnodes = 1\nresources = { core = 2 }\n")
    command = [sys.executable, "-m", "schedlab", "run", "w.swf", "--system", "s.toml"]
    done = subprocess.run(
        [*command, "--scheduler", "test:Mine"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_helpers_of_one_name_in_two_folders(folder):
    for place in ("a", "b"):
        (folder / place).mkdir()
        (folder / place / "policy.py").write_text("from beside_it import PLACE\n")
        (folder / place / "beside_it.py").write_text(f"PLACE = '{place}'\n")
    assert load("scheduler", "a/policy.py:PLACE") == "a"
    assert load("scheduler", "b/policy.py:PLACE") == "b"
    assert load("scheduler", "a/policy.py:PLACE") == "a"


def test_files_with_relative_imports_say_how_to_name_them(folder):
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "policy.py").write_text("from . import other\n")
    with pytest.raises(InputError, match=r"relative imports.*package\.module:Name"):
        load("scheduler", "pack/policy.py:A")
