"""What is there stays: the one rule for every file and folder that a user names to be written."""

from __future__ import annotations

import os

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

HOW = "--force (force=True) replaces it"
RUN = ("run.json", "checkpoint.state")
"""Either makes a folder that of a run: a result, or what it can be resumed from."""

EXPERIMENT = "experiment.json"


def refuse_file(path: str | None, force: bool) -> None:
    """Raises InputError for a file that is there, unless it is to be replaced.

    It then stays until the new one is whole. Devices and pipes are not results.
    """
    if path is not None and not force and os.path.isfile(path):
        raise InputError(f"{path}: is there already; {HOW}, or give another name")


def refuse_files(folder: str | None, names: Iterable[str], force: bool) -> None:
    """Raises InputError for a folder that holds one of the files which are to be written to it."""
    if folder is None or force:
        return
    for name in names:
        if os.path.lexists(os.path.join(folder, name)):
            raise InputError(f"{folder}: holds {name} already; {HOW}, or give another folder")


def refuse_run(folder: str | os.PathLike[str] | None, force: bool) -> None:
    """Raises InputError for a folder with an earlier run, unless that is to be replaced.

    And for that of an experiment, whose tables would not be those of its runs any more.
    """
    if folder is None:
        return
    path = os.fsdecode(folder)
    if os.path.exists(os.path.join(path, EXPERIMENT)):
        raise InputError(f"{path}: is the folder of an experiment; give another folder")
    for name in RUN:
        if not force and os.path.exists(os.path.join(path, name)):
            how = HOW
            if os.path.exists(os.path.join(path, RUN[1])):
                how = f"--resume {path} goes on with it, {HOW}"
            raise InputError(f"{path}: holds a run already ({name}); {how}, or give another folder")
