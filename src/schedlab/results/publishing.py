"""How the files of a run become a result: at each moment the earlier one or the new one is whole.

The order, in a locked folder, and what is there if the process ends after a step:

1. Tables are whole, and on disk, as `NAME.part`; so is `run.json.part`, which names them with their
   sizes and checksums. The earlier result is untouched, and a checkpoint is, too.
2. `run.json.part` is renamed to `run.json.next`, and that is on disk: the new result is decided on.
   From here on, whoever opens the folder continues with the next steps (`finish`).
3. The earlier `run.json` is removed: no run.json ever stands beside tables of another run.
4. Tables take their names; those of the earlier run that the new one lacks are removed, and so is
   the checkpoint.
5. When all that is on disk, `run.json.next` becomes `run.json`.

All steps from the third on can be repeated, from wherever they stopped.
"""

from __future__ import annotations

import os

from schedlab.durable_files import sync_folder
from schedlab.errors import InputError
from schedlab.overwriting import CHECKPOINT, NEXT, RESULT, TABLES
from schedlab.results.folder_lock import lock_folder, unlock_folder
from schedlab.results.tables_check import table_facts

PATIENCE_SECONDS = 1.0
"""For a run that is taking these steps at the moment."""


def partial(folder: str, name: str) -> str:
    """Returns the name of a file of a run before it is published."""
    return os.path.join(folder, f"{name}.part")


def publish(folder: str, files: tuple[str, ...], lasts: bool) -> None:
    """Makes a result of files that are whole, and of run.json; the folder is locked.

    Args:
        folder: Where they are.
        files: The tables.
        lasts: Whether all of it must be on disk before each step: not in a temporary folder.
    """
    if lasts:
        sync_folder(folder)
    os.replace(partial(folder, RESULT), os.path.join(folder, NEXT))
    _finish(folder, files, lasts)


def is_left(folder: str) -> bool:
    """Returns whether a run was decided on there, and not published to the end."""
    return os.path.lexists(os.path.join(folder, NEXT))


def finish(folder: str) -> None:
    """Continues with what a process began that was killed; the folder is locked.

    Raises:
        InputError: The files were changed meanwhile.
    """
    if not is_left(folder):
        return
    from schedlab.results.run_shape import TABLES_WRITTEN
    from schedlab.results.shapes import fields
    from schedlab.results.stored_json import read_table

    path = os.path.join(folder, NEXT)
    run = read_table(path, "the file of a run", "remove it, and run again")
    try:
        fields({"tables": TABLES_WRITTEN})(run, "")
    except InputError as error:
        raise InputError(f"{path}: {error}; remove it, and run again") from None
    tables = run["tables"]
    for name, facts in tables.items():
        there = [one for one in (partial(folder, name), os.path.join(folder, name)) if _has(one)]
        if not there or table_facts(there[0]) != facts:
            raise InputError(
                f"{path}: the run was killed while it was published, and {name} is not there as "
                f"it was written; remove {NEXT}, and run again"
            )
    _finish(folder, tuple(tables), lasts=True)


def finish_if_left(folder: str) -> None:
    """The same for those who only read; where they may not write, or it is locked, nothing."""
    if not is_left(folder) or not os.access(folder, os.W_OK):
        return
    try:
        lock = lock_folder(folder, "run", PATIENCE_SECONDS)
    except (InputError, OSError):
        return
    try:
        finish(folder)
    finally:
        unlock_folder(lock)


def remove_unpublished(folder: str) -> None:
    """Removes what a run left that was killed; not what it can be resumed from, or a living one."""
    if not os.path.isdir(folder):
        return
    try:
        lock = lock_folder(folder, "run")
    except (InputError, OSError):
        return
    try:
        if not is_left(folder) and not os.path.lexists(os.path.join(folder, CHECKPOINT)):
            remove_parts(folder)
    finally:
        unlock_folder(lock)


def remove_parts(folder: str) -> None:
    """Removes files of a run that was not published."""
    for name in (*TABLES, RESULT):
        remove(folder, f"{name}.part")


def _finish(folder: str, files: tuple[str, ...], lasts: bool) -> None:
    if lasts:
        sync_folder(folder)
    remove(folder, RESULT)
    for name in TABLES:
        if name not in files:
            remove(folder, name)
        elif _has(partial(folder, name)):
            os.replace(partial(folder, name), os.path.join(folder, name))
        remove(folder, f"{name}.part")  # rows as CSV of what is Parquet now
    remove(folder, CHECKPOINT)
    if lasts:
        sync_folder(folder)
    os.replace(os.path.join(folder, NEXT), os.path.join(folder, RESULT))
    if lasts:
        sync_folder(folder)


def remove(folder: str, name: str) -> None:
    """Removes a file that may be there, and what a killed process left that was writing it."""
    path = os.path.join(folder, name)
    if os.path.lexists(path):
        os.unlink(path)
    if os.path.lexists(os.path.join(folder, f".{name}.lock")):
        from schedlab.whole_file import remove_leftovers

        remove_leftovers(path)


def _has(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)
