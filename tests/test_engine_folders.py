"""Which folders of the engine know which: the check of `make lint` finds what is wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def checked(root: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, root / "tools" / "engine_folders.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_the_engine_keeps_to_its_folders() -> None:
    assert checked(ROOT) == (0, "\n")


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "engine", tmp_path / "engine")
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "engine_folders.py", tmp_path / "tools")
    engine = tmp_path / "engine"
    (engine / "base" / "upwards.hpp").write_text('#include "jobs/job.hpp"\n')
    (engine / "jobs" / "python.hpp").write_text('#include "bindings/bindings.hpp"\n')
    (engine / "machine" / "short.hpp").write_text('#include "windows.hpp"\n')
    (engine / "base" / "hidden.h").write_text("  #  include <machine/machine.hpp>\n")
    (engine / "cellar").mkdir()
    (engine / "cellar" / "wine.hpp").write_text("")
    assert checked(tmp_path) == (
        1,
        'engine/base/hidden.h: includes "machine/machine.hpp"; base does not know machine\n'
        'engine/base/upwards.hpp: includes "jobs/job.hpp"; base does not know jobs\n'
        "engine/cellar/wine.hpp: its folder is not in tools/engine_folders.py\n"
        'engine/jobs/python.hpp: includes "bindings/bindings.hpp"; nothing knows the bindings\n'
        'engine/machine/short.hpp: "windows.hpp" is not a path below engine/\n',
    )
