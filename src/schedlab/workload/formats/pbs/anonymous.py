"""An accounting log of PBS without the names in it; the rest of the text stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.workload.formats.accounting.times import Moments
from schedlab.workload.formats.pbs.records import USED, fields_of, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schedlab.workload.formats.accounting.pseudonyms import Pseudonyms
    from schedlab.workload.formats.pbs.reader import PbsReader

KINDS = {
    "user": "user", "group": "group", "account": "account", "project": "account",
    "jobname": "job",
}  # fmt: skip
"""Fields whose names are replaced, and what kind of names those are."""

KEPT = frozenset(
    "queue ctime qtime etime start end Exit_status run_count eligible_time array_indices "  # noqa: SIM905
    "unique_node_count total_execution_slots accrue_type".split()
)
"""Fields that say nothing about people and places. Any other, known or not, is left out."""

AMOUNTS = frozenset("0123456789.:-kmgtpbwKMGTPBW")
"""What amounts, sizes and times are made of."""

RESOURCES = frozenset(
    "walltime cput pcput procs nodect nodes neednodes select place min_walltime max_walltime "  # noqa: SIM905
    "soft_walltime cpupercent energy_used".split()
)
"""Resources, beside those of WORDS, that are the same at every site."""

CHUNKS = frozenset(("select", "nodes", "neednodes", "schedselect"))

WORDS = frozenset(
    "true false free pack scatter vscatter excl exclhost shared group ncpus ppn mpiprocs "  # noqa: SIM905
    "ompthreads mem vmem pmem pvmem ngpus gpus nmics mics accelerator naccelerators".split()
)
"""Words of requests that are the same at every site."""


def anonymous_lines(
    reader: PbsReader, pseudonyms: Pseudonyms, hide: Iterable[str] = ()
) -> Iterator[str]:
    """Yields the records of jobs in a log, without line ends, with their names replaced.

    Records of other things than jobs are left out. So is, and is counted, a line that is none.

    Args:
        reader: Of the log.
        pseudonyms: What stands for what.
        hide: Further fields whose texts are replaced, such as queue.
    """
    moments, kinds = Moments(reader._zone), {**KINDS, **{name: name for name in hide}}
    for line in reader.lines("latin-1"):
        line = line.strip("\r\n\0 ").removeprefix("ï»¿")
        if not line:
            continue
        record = record_of(line, moments)
        if record is None:
            reader.skip("no accounting record")
        elif record.kind in USED and record.job[0].isdigit():
            stamp, kind, job, _ = line.split(";", 3)
            message = " ".join(
                f"{_name(name, pseudonyms)}={value}"
                for name, text in fields_of(record.message).items()
                if (value := _value(name, text, kinds, pseudonyms))
            )
            yield f"{stamp};{kind};{_job(job, pseudonyms)};{message}"


def _value(name: str, text: str, kinds: dict[str, str], pseudonyms: Pseudonyms) -> str:
    """Returns what stands for the value of a field; nothing if the field must not be there."""
    if name in kinds:
        return pseudonyms.name(kinds[name], text.strip('"'))
    if name in ("exec_host", "exec_vnode"):
        return _hosts(text, pseudonyms)
    if name == "depend":
        return _dependencies(text, pseudonyms)
    of_list, point, resource = name.partition(".")
    if name == "schedselect" or (of_list == "Resource_List" and resource in CHUNKS):
        return _chunks(text.strip('"'), pseudonyms)
    if of_list == "Resource_List" and resource == "place":
        return ":".join(_word(word, pseudonyms) for word in text.split(":"))
    if point and of_list in ("Resource_List", "resources_used"):
        return text if set(text) <= AMOUNTS else _word(text, pseudonyms)
    return text if name in KEPT else ""


def _name(name: str, pseudonyms: Pseudonyms) -> str:
    """Returns the name of a field; a resource that not every site has gets another."""
    of_list, point, resource = name.partition(".")
    if not point or resource in WORDS or resource in RESOURCES:
        return name
    return f"{of_list}.{pseudonyms.name('resource', resource)}"


def _job(name: str, pseudonyms: Pseudonyms) -> str:
    sequence, point, server = name.partition(".")
    return sequence + point + pseudonyms.name("server", server)


def _dependencies(text: str, pseudonyms: Pseudonyms) -> str:
    kinds = []
    for item in text.strip('"').split(","):
        kind, *jobs = item.split(":")
        kinds.append(":".join([kind, *(_job(job.partition("@")[0], pseudonyms) for job in jobs)]))
    return ",".join(kinds)


def _hosts(text: str, pseudonyms: Pseudonyms) -> str:
    """Returns exec_host or exec_vnode with other nodes; brackets, slots and amounts stay."""
    parts = []
    for part in text.split("+"):
        inner = part.lstrip("(")
        opening = part[: len(part) - len(inner)]
        at = next((i for i, letter in enumerate(inner) if letter in "/:)"), len(inner))
        rest = inner[at:]
        if rest.startswith(":"):
            closing = ")" * (len(rest) - len(rest.rstrip(")")))
            amounts = rest.rstrip(")").split(":")[1:]
            rest = "".join(f":{_amount(each, pseudonyms)}" for each in amounts) + closing
        parts.append(opening + pseudonyms.name("node", inner[:at]) + rest)
    return "+".join(parts)


def _chunks(text: str, pseudonyms: Pseudonyms) -> str:
    """Returns a select or nodes with other nodes, hosts and properties; amounts stay."""
    chunks = []
    for chunk in text.split("+"):
        first, *rest = chunk.split(":")
        if "=" in first:
            first = _amount(first, pseudonyms)
        elif not first.isdigit():
            first = pseudonyms.name("node", first)
        chunks.append(":".join([first, *(_amount(each, pseudonyms) for each in rest)]))
    return "+".join(chunks)


def _amount(text: str, pseudonyms: Pseudonyms) -> str:
    name, equals, value = text.partition("=")
    if not equals:
        return _word(name, pseudonyms)
    if name in ("host", "vnode"):
        return f"{name}={pseudonyms.name('node', value)}"
    value = value if set(value) <= AMOUNTS else _word(value, pseudonyms)
    return f"{name if name in WORDS else pseudonyms.name('resource', name)}={value}"


def _word(text: str, pseudonyms: Pseudonyms) -> str:
    """Returns a word of a request if every site has it; else what stands for it."""
    return text if text.lower() in WORDS or text.isdigit() else pseudonyms.name("property", text)
