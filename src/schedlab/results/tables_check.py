"""The tables beside run.json and experiment.json: whether they are still what was written.

Both have the size and the checksum of each. A size is looked at whenever a run is opened; the
content when a table is read, which costs a tenth of a second for a gigabyte. Folders of earlier
versions have neither, and are not checked.
"""

from __future__ import annotations

import os

from schedlab._engine import Checksum
from schedlab.errors import InputError
from schedlab.regular_file import open_regular

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

_CHUNK = 1 << 18


def table_facts(path: str) -> dict[str, Any]:
    """Returns what descriptions say of a table: its size and the XXH64 of its content."""
    checksum, size = Checksum(), 0
    with open_regular(path) as file:
        while chunk := file.read(_CHUNK):
            checksum.add(chunk)
            size += len(chunk)
    return {"bytes": size, "checksum": checksum.hex()}


def refuse_resized(folder: str, run: dict[str, Any]) -> None:
    """Raises InputError if a table of a run has another size than when it was written.

    Missing tables are left to the code that reads them: nothing else needs them.
    """
    for name, facts in _known(run).items():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            _refuse_size(path, facts, "run.json")


def refuse_changed(folder: str, run: dict[str, Any], name: str) -> None:
    """Raises InputError if a table is not there, or another one than the run wrote."""
    if name not in _known(run):
        return
    refuse_other(os.path.join(folder, name), _known(run)[name], "run.json")


def refuse_other(path: str, facts: dict[str, Any], description: str) -> None:
    """Raises InputError if a file is not there, or another one than its description says.

    Args:
        path: The file.
        facts: Its size and checksum when it was written.
        description: The file that says so.
    """
    if not os.path.exists(path):
        raise InputError(f"{path}: is missing, and {description} names it; run it again")
    _refuse_size(path, facts, description)
    found = table_facts(path)["checksum"]
    if found != facts["checksum"]:
        raise InputError(
            f"{path}: was changed after the run: its checksum is {found}, and {description} says "
            f"{facts['checksum']}; run it again"
        )


def _refuse_size(path: str, facts: dict[str, Any], description: str) -> None:
    size, known = os.path.getsize(path), facts["bytes"]
    if size != known:
        what = "cut off" if size < known else "changed"
        raise InputError(
            f"{path}: was {what} after the run: it has {size:,} bytes, and {description} says "
            f"{known:,}; run it again"
        )


def _known(run: dict[str, Any]) -> dict[str, dict[str, Any]]:
    known: dict[str, dict[str, Any]] = run.get("tables", {})
    return known
