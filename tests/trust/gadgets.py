"""Names of code as an attacker would write them, and a canary that dies where one is called."""

from __future__ import annotations

import sys
from pathlib import Path

CANARY = "CANARY"
MODULES = ("canary_of_trust", "score", "canary_in_folder")
SOURCE = """
import pathlib
pathlib.Path({canary!r}).write_text("ran")

def main(*arguments, **named):
    return 1

class Class:
    def method(*arguments):
        return 1
"""

CODE = (
    "os:abort",
    "os:system(command='touch CANARY')",
    "subprocess:getoutput(cmd='touch CANARY')",
    "subprocess:Popen(args='touch CANARY')",
    "pdb:set_trace",
    "code:interact",
    "builtins:exec",
    "builtins:eval",
    "builtins:breakpoint",
    "pickle:loads",
    "importlib:import_module(name=canary_of_trust)",
    "runpy:run_path(path_name=canary_of_trust.py)",
    "canary_of_trust:main",
    "canary_of_trust:Class.method",
    "score:main",
    "canary_of_trust.py:main",
    "./canary_of_trust.py:main",
    "inner/canary_in_folder.py:main",
    "inner.canary_in_folder:main",
    "FOLDER/canary_of_trust.py:main",
    "schedlab.loading:load(kind=x, name=canary_of_trust:main)",
    "schedlab.naming:load_own",
    "schedlab.cli:main",
    "schedlab:simulate",
)
"""Names of things that must not be looked at, let alone called."""

ODD = (
    " os:abort",
    "os:abort ",
    "os :abort",
    "os: abort",
    "os::abort",
    "os:abort()",
    ":abort",
    "canary_of_trust\t:main",
    "\N{CYRILLIC SMALL LETTER O}s:abort",
    "\N{FULLWIDTH LATIN SMALL LETTER O}\N{FULLWIDTH LATIN SMALL LETTER S}:abort",
    "canary_of_tru\N{LATIN SMALL LETTER LONG S}t:main",
    "os\N{ZERO WIDTH SPACE}:abort",
)
"""The same in disguise: Python reads some of these letters as others."""

WITHOUT_COLON = ("os\N{FULLWIDTH COLON}abort", "os\N{MODIFIER LETTER COLON}abort", "os.abort")
"""These name nothing at all."""

ALL = (*CODE, *ODD)


def plant(folder: Path) -> None:
    """Puts modules into a folder that leave a canary when they are imported."""
    source = SOURCE.format(canary=str(folder / CANARY))
    (folder / "inner").mkdir()
    for name in ("canary_of_trust", "score", "inner/canary_in_folder"):
        (folder / f"{name}.py").write_text(source)


def in_folder(gadget: str, folder: Path) -> str:
    """Returns a gadget with the names of files that are there."""
    return gadget.replace("FOLDER", str(folder)).replace("touch CANARY", f"touch {folder}/{CANARY}")


def assert_nothing_ran(folder: Path) -> None:
    """Fails where a gadget was imported or called."""
    assert not (folder / CANARY).exists()
    ours = [name for name in sys.modules if name.rpartition("/")[2].startswith(MODULES)]
    assert not ours
