"""Which log a text file is whose name does not say."""

from __future__ import annotations

import os

from schedlab.errors import InputError
from schedlab.workload.compression import InputFile

LINES = 200
"""Lines that are examined: a log may begin with comments or with something of no use."""


def text_format(path: str) -> str:
    """Returns `sacct`, `pbs` or `moab` for a file whose content says so; else `swf`.

    A folder of such files, and a pattern that is not a file's name, are daily files of PBS or Moab.
    """
    if os.path.isdir(path) or (any(sign in path for sign in "*?[") and not os.path.exists(path)):
        from schedlab.workload.formats.accounting.log_files import FilesReader

        other = "swf" if os.path.isdir(path) else "pbs"  # which says what is wrong
        try:
            first = FilesReader(path).files()[0]
        except InputError:
            return other
        found = text_format(first) if os.path.isfile(first) else other
        return other if found == "swf" else found
    try:
        content = InputFile(path).open()()
    except InputError:
        return "swf"  # which says what is wrong
    lines = content.decode("latin-1").removeprefix("ï»¿").splitlines()[:LINES]
    names = lines[0].lower().split("|") if lines else []
    if len(names) > 1 and any(name.partition("%")[0] in ("jobid", "jobidraw") for name in names):
        return "sacct"
    for line in lines:
        if _is_record(line):
            return "pbs"
        if _is_event(line):
            return "moab"
    return "swf"


def _is_record(line: str) -> bool:
    """Returns whether a line is date;kind;job;message."""
    parts = line.split(";", 3)
    return len(parts) == 4 and len(parts[1]) == 1 and parts[0][2:3] == "/" == parts[0][5:6]


def _is_event(line: str) -> bool:
    """Returns whether a line is time, Unix time, kind of thing, its name, event."""
    words = line.split(None, 5)
    known = ("job", "node", "rsv", "sched", "rm", "trigger")
    return len(words) == 6 and words[0].count(":") == 2 and words[2].lower() in known
