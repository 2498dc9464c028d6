"""What is there stays: the one rule for every file and folder that a user names to be written."""

from __future__ import annotations

import os

from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable

HOW = "--force replaces it"
RESULT, CHECKPOINT, NEXT = "run.json", "checkpoint.state", "run.json.next"
"""Each makes a folder that of a run: a result, what it can be resumed from, and a result whose
publication was begun."""

TABLES = (
    *("jobs.csv", "timeline.csv", "jobs.parquet", "timeline.parquet"),
    *("states.csv", "interruptions.csv", "nodes.csv", "links.csv"),
)
"""What a run may write beside run.json."""

EXPERIMENT = "experiment.json"


def resuming(folder: str, names_code: bool = False) -> str:
    """Returns the command that resumes the run in a folder.

    Args:
        folder: Of the run.
        names_code: Whether its checkpoint is known to name code of a user's, as needs trust.
    """
    import shlex

    return f"schedlab run --resume {shlex.quote(folder)}{' --trust-code' if names_code else ''}"


def free_name(path: str, ending: str = "") -> str:
    """Returns a name for a second one of what is at a path: a-again, a-again-2 and so on.

    Args:
        path: Of a folder, or of a file without its ending.
        ending: Of the file.
    """
    stem = path.rstrip("/")
    if os.path.basename(stem) in ("", ".", ".."):
        stem = os.path.abspath(path)
    found, number = f"{stem}-again{ending}", 1
    while os.path.lexists(found):
        number += 1
        found = f"{stem}-again-{number}{ending}"
    return found


def refuse_file(path: str | None, force: bool) -> None:
    """Raises InputError for a file that is there, unless it is to be replaced.

    It then stays until the new one is whole. Devices and pipes are not results.
    """
    if path is not None and not force and os.path.isfile(path):
        raise InputError(f"{path}: is there already; {HOW}, or give another name")


def refuse_inputs(paths: Iterable[str], inputs: Iterable[str]) -> None:
    """Raises InputError if what is to be written is one of the files that are read, in any case."""
    read = {os.path.realpath(one) for one in inputs}
    for path in paths:
        if os.path.realpath(path) in read:
            raise InputError(f"{path}: is the workload itself; give another name")


def refuse_files(folder: str | None, names: Iterable[str], force: bool) -> None:
    """Raises InputError for a folder that holds one of the files which are to be written to it."""
    if folder is None or force:
        return
    for name in names:
        if os.path.lexists(os.path.join(folder, name)):
            raise InputError(f"{folder}: holds {name} already; {HOW}, or give another folder")


def refuse_run(folder: str | os.PathLike[str] | None, force: bool, workload: object = None) -> None:
    """Raises InputError for a folder with an earlier run, unless that is to be replaced.

    And for that of an experiment, whose tables would not be those of its runs any more; and if the
    workload itself would be replaced.
    """
    if folder is None:
        return
    path = os.fsdecode(folder)
    if os.path.exists(os.path.join(path, EXPERIMENT)):
        raise InputError(f"{path}: is the folder of an experiment; give another folder")
    if isinstance(workload, (str, os.PathLike)):
        refuse_inputs([os.path.join(path, name) for name in TABLES], [os.fsdecode(workload)])
    for name in (RESULT, CHECKPOINT, NEXT, *TABLES):
        if not force and os.path.exists(os.path.join(path, name)):
            how = "--force (force=True) replaces it"
            if any(os.path.exists(os.path.join(path, left)) for left in (CHECKPOINT, NEXT)):
                how = f"{resuming(path)} resumes it, {how}"
            what = f"{name} already" if name in TABLES else f"a run already ({name})"
            raise InputError(f"{path}: holds {what}; {how}, or give another folder")
