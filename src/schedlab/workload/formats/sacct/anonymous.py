"""A dump of sacct without the names in it; the rest of the text stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.errors import InputError
from schedlab.workload.formats.accounting.text import OPEN
from schedlab.workload.formats.sacct.reader import SacctReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from schedlab.workload.formats.accounting.pseudonyms import Pseudonyms

KINDS = {
    "user": "user", "uid": "uid", "group": "group", "gid": "gid", "account": "account",
    "associd": "association", "jobname": "job", "cluster": "cluster", "reservation": "reservation",
    "reservationid": "reservation", "wckey": "wckey", "wckeyid": "wckey",
}  # fmt: skip
"""Columns whose names are replaced, and what kind of names those are."""

NODES = frozenset(
    "nodelist maxrssnode maxvmsizenode maxpagesnode maxdiskreadnode maxdiskwritenode mincpunode "  # noqa: SIM905
    "failednode".split()
)

KEPT = frozenset(
    "jobid jobidraw dbindex partition qos qosraw submit eligible start end elapsed elapsedraw "  # noqa: SIM905
    "timelimit timelimitraw suspended planned reserved plannedcpu plannedcpuraw resvcpu resvcpuraw "
    "reqcpus alloccpus ncpus reqnodes allocnodes nnodes ntasks reqmem reqtres alloctres tresreq "
    "tresalloc reqgres allocgres totalcpu usercpu systemcpu cputime cputimeraw avecpu mincpu "
    "mincputask maxrss maxrsstask averss maxvmsize maxvmsizetask avevmsize maxpages maxpagestask "
    "avepages maxdiskread maxdiskreadtask maxdiskwrite maxdiskwritetask avediskread avediskwrite "
    "avecpufreq reqcpufreq reqcpufreqmin reqcpufreqmax reqcpufreqgov consumedenergy "
    "consumedenergyraw exitcode derivedexitcode priority flags layout restarts segmentsize "
    "tresusageinave tresusageinmax tresusageinmaxtask tresusageinmin tresusageinmintask "
    "tresusageintot tresusageoutave tresusageoutmax tresusageoutmaxtask tresusageoutmin "
    "tresusageoutmintask tresusageouttot".split()
)
"""Columns that say nothing about people and places. Any other, known or not, is emptied."""

STEPS = frozenset(("batch", "extern", "interactive"))
"""Names of steps that Slurm gave, not people."""


def anonymous_lines(
    reader: SacctReader, pseudonyms: Pseudonyms, hide: Iterable[str] = ()
) -> Iterator[str]:
    """Yields the lines of a dump, without their ends, with its names replaced.

    A row that cannot be split into its columns is skipped and counted: nobody knows what is where.

    Args:
        reader: Of the dump.
        pseudonyms: What stands for what.
        hide: Further columns whose texts are replaced, such as qos.
    """
    columns = reader._columns()
    changes: list[tuple[int, Callable[[str, bool], str]]] = []
    hidden = {name.lower() for name in hide}
    if unknown := sorted(hidden - columns.place.keys()):
        raise InputError(
            f"{reader.path}: has no column {unknown[0]!r} to hide; it has "
            f"{', '.join(columns.titles)}"
        )
    for place, name in enumerate(columns.names):
        if name in hidden:
            changes.append((place, _named(pseudonyms, KINDS.get(name, name))))
        elif name in KINDS:
            changes.append((place, _named(pseudonyms, KINDS[name])))
        elif name in NODES:
            changes.append((place, lambda text, step: node_list(text, pseudonyms)))
        elif name == "state":
            # "CANCELLED by 1000": by whom is a user's number.
            changes.append((place, lambda text, step: text.partition(" ")[0]))
        elif name and name not in KEPT:
            changes.append((place, lambda text, step: ""))
    yield "|".join(columns.titles)
    for fields, _, found in reader._rows(columns, reader.skip):
        for place, change in changes:
            fields[place] = change(fields[place], found is None)
        yield "|".join(fields)


def emptied(reader: SacctReader, hide: Iterable[str] = ()) -> list[str]:
    """Returns the columns of a dump that are emptied."""
    known = {*KEPT, *KINDS, *NODES, "state", *(name.lower() for name in hide)}
    columns = reader._columns()
    titles = zip(columns.titles, columns.names, strict=True)
    return [title for title, name in titles if name and name not in known]


def node_list(text: str, pseudonyms: Pseudonyms) -> str:
    """Returns `node1-[001-004],node2-17` for `rack[001-004],gpu17.site.org`: numbers stay.

    What comes before the number of a node is replaced; what comes after it is dropped.
    """
    if text.strip().lower() in OPEN:
        return text
    found, depth, name = [], 0, ""
    for character in text.strip() + ",":
        depth += (character == "[") - (character == "]")
        if character == "," and depth <= 0:
            found.append(_node(name, pseudonyms))
            name, depth = "", 0
        else:
            name += character
    return ",".join(found)


def _node(name: str, pseudonyms: Pseudonyms) -> str:
    at = next((i for i, letter in enumerate(name) if letter.isdigit() or letter == "["), len(name))
    numbers = ""
    for character in name[at:]:
        if character not in "0123456789[]-,":
            break
        numbers += character
    kind = pseudonyms.name("node", name[:at] or "-")
    return f"{kind}-{numbers}" if numbers else kind


def _named(pseudonyms: Pseudonyms, kind: str) -> Callable[[str, bool], str]:
    def change(text: str, is_step: bool) -> str:
        name = text.strip()
        if kind == "job" and is_step and name in STEPS:
            return name
        return pseudonyms.name(kind, name)

    return change
