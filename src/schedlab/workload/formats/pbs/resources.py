"""What a PBS job asks for and gets: node counts, chunks and hosts, as processors and tasks."""

from __future__ import annotations

from functools import lru_cache
from math import isnan
from typing import NamedTuple

from schedlab.node_lists import range_of
from schedlab.workload.formats.accounting.text import UNREADABLE, kilobytes, plain_number

LARGEST_COUNT = 1e9
"""No job has more chunks or processors than this; a larger number is damage."""


class ResourceRequest(NamedTuple):
    """What a job asks for, summed over its chunks; -1 where the log does not say."""

    chunks: float
    processors: float
    gpus: float
    memory: float = -1.0  # KB in all
    one_per_node: bool = False
    whole_nodes: bool = False


NOTHING = ResourceRequest(-1.0, -1.0, 0.0)


def request_of(resources: dict[str, str]) -> ResourceRequest | None:
    """Returns what `Resource_List` asks for; None if a count or a size in it is unreadable.

    Args:
        resources: Values by name: select, place, nodes, ncpus, procs, ngpus, mem, pmem ...
    """
    if "select" in resources:
        request = _select(resources["select"])
    elif "nodes" in resources:
        request = _nodes(resources["nodes"])
    else:
        request = NOTHING
    # What the list says of the job as a whole; NaN, for unreadable, must not get lost in max().
    sums = {
        name: plain_number(resources[name])
        for name in ("procs", "ncpus", "ngpus", "gpus")
        if name in resources
    }
    memory = request.memory
    if memory == -1 and "mem" in resources:
        memory = kilobytes(resources["mem"], "B")
    of_processor = kilobytes(resources.get("pmem", ""), "B")
    amounts = (*request[:3], *sums.values())
    if any(not amount <= LARGEST_COUNT for amount in amounts) or isnan(memory + of_processor):
        return None
    # Torque's procs come beside those of nodes=; ncpus is the sum in PBS Pro.
    processors = request.processors
    if "procs" in sums:
        processors = max(processors, 0.0) + sums["procs"]
    processors = max(processors, sums.get("ncpus", -1.0))
    if memory < 0 and of_processor >= 0:
        memory = of_processor * max(processors, 1.0)
    place = resources.get("place", "").split(":")
    return request._replace(
        processors=processors,
        gpus=max(request.gpus, sums.get("ngpus", 0.0), sums.get("gpus", 0.0)),
        memory=memory,
        one_per_node=request.one_per_node or "scatter" in place,
        whole_nodes=request.whole_nodes or "excl" in place or "exclhost" in place,
    )


def _select(text: str) -> ResourceRequest:
    """Returns the sum of `2:ncpus=8:ngpus=1:mem=4gb+1:ncpus=4`; a chunk has at least a core."""
    chunks = processors = gpus = memory = 0.0
    for chunk in text.split("+"):
        first, *amounts = chunk.split(":")
        number = 1.0
        if "=" in first:
            amounts.insert(0, first)
        else:
            number = plain_number(first)
        values = dict(amount.partition("=")[::2] for amount in amounts)
        chunks += number
        processors += number * plain_number(values.get("ncpus", "1"))
        gpus += number * plain_number(values.get("ngpus", "0"))
        memory += number * kilobytes(values["mem"], "B") if "mem" in values else 0.0
    return ResourceRequest(chunks, processors, gpus, memory if memory != 0 else -1.0)


def _nodes(text: str) -> ResourceRequest:
    """Returns the sum of Torque's `2:ppn=8:gpus=1+fast:ppn=4+n17`; names are a node each."""
    chunks = processors = gpus = 0.0
    for part in text.partition("#")[0].split("+"):
        first, *properties = part.split(":")
        number = plain_number(first) if first[:1].isdigit() else 1.0
        number = 1.0 if number != number else number  # a host whose name begins with a digit
        values = dict(item.partition("=")[::2] for item in properties)
        chunks += number
        processors += number * plain_number(values.get("ppn", "1"))
        gpus += number * plain_number(values.get("gpus") or "0")
    return ResourceRequest(chunks, processors, gpus, one_per_node=True, whole_nodes="#excl" in text)


@lru_cache(65_536)
def hosts(text: str) -> tuple[float, float]:
    """Returns processors and nodes of exec_host: `n1/0+n1/1`, `n1/0*8+n2/0*8`, `n1/0-7,9`."""
    processors, nodes = 0.0, set()
    for place in text.split("+"):
        node, slash, slots = place.partition("/")
        nodes.add(node)
        slots, star, times = slots.partition("*")
        each = _slots(slots) if slash else 1.0
        processors += each * plain_number(times) if star else each
    return (processors, float(len(nodes))) if processors <= LARGEST_COUNT else (UNREADABLE, 0.0)


@lru_cache(65_536)
def virtual_nodes(text: str) -> tuple[float, float]:
    """Returns processors and nodes of exec_vnode: `(n1:ncpus=8:ngpus=1+n2:ncpus=8)+(n3:...)`."""
    processors, nodes = 0.0, set()
    for chunk in text.replace("(", "").replace(")", "").split("+"):
        node, *amounts = chunk.split(":")
        nodes.add(node)
        values = dict(amount.partition("=")[::2] for amount in amounts)
        processors += plain_number(values.get("ncpus", "0"))
    return (processors, float(len(nodes))) if processors <= LARGEST_COUNT else (UNREADABLE, 0.0)


def _slots(text: str) -> float:
    total = 0.0
    for span in text.split(","):
        numbers = range_of(span)
        total += numbers.stop - numbers.start if numbers else UNREADABLE
    return total


def predecessors(text: str) -> list[str]:
    """Returns the jobs after whose end a job may start: `afterok:12.srv:13.srv,afterany:14.srv`.

    What cannot be followed has its kind before it, so that it is not a job's name: `after:12.srv`,
    whose start is awaited, arrays and counts (`on:2`). The `before` kinds are left out: they are
    of another job.
    """
    found = []
    for kind in text.strip('"').split(","):
        name, *jobs = kind.split(":")
        followed = name in ("afterok", "afternotok", "afterany")
        if not name.startswith("before"):
            plain = [job.partition("@")[0] for job in jobs if job]
            found += plain if followed else [f"{name}:{job}" for job in plain]
    return found
