"""Random cases on the boundaries of backfilling: strategies of hypothesis.

Times are a few small numbers, so that ends coincide with each other, with the time for which the
first blocked job is reserved and with windows; sizes are such that jobs fill what is free exactly.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from .cases import node_sets, total_room
from .model import Job, Machine, Window

LENGTHS = st.sampled_from((1, 2, 2, 3, 4))


@st.composite
def crowded(draw: st.DrawFn) -> tuple[list[Job], Machine]:
    """(jobs, machine): jobs that ask for processors alone, more of them than run at once."""
    machine = Machine(draw(st.sampled_from((((4,),), ((2,), (3,)), ((2,), (2,), (2,))))))
    total = sum(node[0] for node in machine.capacity)
    sizes = st.integers(1, total)
    return _jobs(draw, lambda: {"tasks": draw(sizes)}), machine


@st.composite
def crowded_nodes(draw: st.DrawFn) -> tuple[list[Job], Machine]:
    """(jobs, machine): as `crowded`, on nodes of cores and memory, with bounds on nodes.

    In every second case some jobs may use some nodes only.
    """
    machine = Machine(
        draw(
            st.sampled_from(
                (
                    ((2, 2), (2, 2)),
                    ((4, 3), (2, 4)),
                    ((2, 1), (2, 3), (2, 2)),
                    ((3, 2), (1, 2), (2, 0)),
                )
            )
        )
    )
    bounds = st.sampled_from(({}, {}, {}, {"tasks_per_node": 1}, {"whole_nodes": True}))
    nodes = node_sets(machine) if draw(st.booleans()) else st.none()

    def draw_request() -> dict[str, Any]:
        request = {"request": draw(st.sampled_from(((1, 0), (1, 1), (1, 1), (2, 1), (1, 2))))}
        request |= draw(bounds) | {"nodes": draw(nodes)}
        room = max(1, total_room(machine, **request))
        return request | {"tasks": draw(st.integers(1, room) | st.just(room))}

    return _jobs(draw, draw_request), machine


@st.composite
def crowded_windows(draw: st.DrawFn) -> tuple[list[Job], Machine, tuple[Window, ...]]:
    """(jobs, machine, windows) with windows that begin and end when jobs do; many overlap."""
    jobs, machine = draw(crowded_nodes() | crowded())
    windows = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(1, 5))
        nodes = draw(st.frozensets(st.integers(0, len(machine.capacity) - 1), min_size=1))
        admits = draw(st.just(frozenset()) | st.frozensets(st.integers(1, 8), max_size=2))
        windows.append(Window(start, start + draw(LENGTHS), nodes, admits))
    return jobs, machine, tuple(windows)


def _jobs(draw: st.DrawFn, draw_request: Callable[[], dict[str, Any]]) -> list[Job]:
    """Returns jobs, most of which end when they said, some before and a few after."""
    jobs: list[Job] = []
    submit = 0
    for number in range(1, draw(st.integers(4, 9)) + 1):
        submit += draw(st.sampled_from((0, 0, 1, 2)))
        estimate = draw(LENGTHS)
        run = draw(st.sampled_from((estimate, estimate, estimate, 1, 0, estimate + 2)))
        jobs.append(Job(id=number, submit=submit, run=run, estimate=estimate, **draw_request()))
    return jobs
