"""A skipped test cannot be overlooked: reasons are listed, and fail where nothing may be absent."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = {
    "golden": "from conftest import shared_file\ndef test_it(): shared_file('golden', 'a.csv.gz')",
    "browser": "import pytest\ndef test_it(): pytest.skip('there is no chromium')",
    "module": "import pytest\npytest.importorskip('not_installed')\ndef test_it(): pass",
    "marked": "import pytest\n@pytest.mark.skip(reason='not today')\ndef test_it(): pass",
    "xfail": "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_it(): assert False",
}


def failures(folder: Path, shared: list[str] | None, no_skips: str) -> tuple[set[str], str]:
    """Runs all of `TESTS` in a checkout of its own; returns which failed, and the output.

    Args:
        folder: A new one.
        shared: Files of the shared folder; None: there is no such folder.
        no_skips: The value of SCHEDLAB_NO_SKIPS.
    """
    tests = folder / "checkout" / "tests"
    tests.mkdir(parents=True)
    for name in ("conftest.py", "leftovers.py", "skips.py"):
        shutil.copy(Path(__file__).parent / name, tests)
    for name, text in TESTS.items():
        (tests / f"test_{name}.py").write_text(text)
    if shared is not None:
        (folder / "shared").mkdir()
        for name in shared:
            (folder / "shared" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "shared" / name).write_text("")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--continue-on-collection-errors", "tests"],
        cwd=tests.parent,
        env=os.environ | {"SCHEDLAB_NO_SKIPS": no_skips, "PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = {
        name
        for name in TESTS
        for word in ("FAILED", "ERROR")
        if f"{word} tests/test_{name}.py" in done.stdout
    }
    assert done.returncode == (1 if failed else 0), done.stdout + done.stderr
    return failed, done.stdout


def test_without_a_shared_folder_reasons_are_listed(tmp_path):
    failed, text = failures(tmp_path, None, "0")
    assert not failed
    assert "4 TESTS WERE SKIPPED" in text
    for reason in (
        "there is no shared folder beside the checkout, which has golden/a.csv.gz",
        "there is no chromium",
        "could not import 'not_installed'",
        "not today",
    ):
        assert f"    1 {reason}" in text


def test_where_nothing_may_be_absent_but_the_shared_folder(tmp_path):
    failed, text = failures(tmp_path, None, "1")
    assert failed == {"browser", "module", "marked"}
    assert "SCHEDLAB_NO_SKIPS allows no test to be: there is no chromium" in text
    assert "1 TESTS WERE SKIPPED" in text


@pytest.mark.parametrize("files", [[], ["traces/a.swf"]], ids=["empty", "without golden files"])
def test_a_shared_folder_that_lacks_a_file(tmp_path, files):
    failed, text = failures(tmp_path, files, "0")
    assert failed == {"golden"}
    assert "the shared folder beside the checkout lacks golden/a.csv.gz" in text


def test_a_shared_folder_that_has_all(tmp_path):
    failed, _ = failures(tmp_path, ["golden/a.csv.gz"], "0")
    assert not failed
