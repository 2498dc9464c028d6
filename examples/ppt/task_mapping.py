"""Figures 4 and 5 of the PPT paper: hops and time of an allreduce against where its ranks are.

    python examples/ppt/task_mapping.py

An allreduce of 128 bytes of 1K to 8K ranks on Cielo, alone, packet by packet under the rules of the
reference simulator. Nodes are taken from an ordered list: boxes of the torus one after the other
(figure 4), or the routers by their coordinates, in virtual partitions over which the job is spread
(figure 5). The paper sorts routers by their XYZ coordinates, going along x first; both readings of
that are run, with x and with z changing fastest.

The paper packs ranks 16 to a node. Its simulator's known results have one rank per node, and so has
figure 8 of the paper: both are run.

M. A. Obaida, J. Liu, "Simulation of HPC job scheduling and large-scale parallel workloads", WSC
2017. The tutorial docs/tutorials/ppt-experiments.md says what one sees.
"""

from __future__ import annotations

from typing import NamedTuple

from paper_runs import CIELO_CORES, KILO, Progress, curve, parser, run_script, save

import schedlab as sl
from schedlab.analysis.style import styled

APPLICATION = "allreduce(bytes=128)"
SIZES = (1 * KILO, 2 * KILO, 4 * KILO, 8 * KILO)
BOXES = {"1x1x1": "1,1,1", "2x1x2": "2,1,2", "2x2x2": "2,2,2", "4x3x4": "4,3,4"}
PARTITIONS = (1, 2, 4, 8)
PACKINGS = {"one rank per node": 1, "16 ranks per node": CIELO_CORES}


class Found(NamedTuple):
    """Of one run."""

    hops: float  # mean over messages, those inside a node among them
    microseconds: float  # until the last rank ends


Table = dict[str, dict[int, dict[str, Found]]]
"""By setting (packing, and order of nodes), ranks, and boxes or partitions."""

ORDERS = {"x fastest": "xyz", "z fastest": "zyx"}
"""Of routers, in figure 5."""


def run(ranks: int, per_node: int, allocator: str) -> Found:
    """Returns hops and time of one allreduce."""
    ran = sl.run_application(
        APPLICATION,
        ranks=ranks,
        ranks_per_node=per_node,
        system="cielo",
        allocator=allocator,
        fidelity="packet",
    )
    return Found(ran.mean_hops or 0.0, ran.seconds * 1e6)


def settings(figure: int) -> dict[str, tuple[int, dict[str, str]]]:
    """Returns ranks per node, and the allocators that are compared, for each panel of a figure."""
    if figure == 4:
        boxes = {name: f"first-fit(order=boxes({box}))" for name, box in BOXES.items()}
        return {packing: (per_node, boxes) for packing, per_node in PACKINGS.items()}
    return {
        f"{packing}, {name}": (
            per_node,
            {str(n): f"first-fit(order={order}, partitions={n})" for n in PARTITIONS},
        )
        for packing, per_node in PACKINGS.items()
        for name, order in ORDERS.items()
    }


def measure(figure: int, sizes: tuple[int, ...], progress: Progress) -> Table:
    """Returns all runs of a figure."""
    found: Table = {}
    for setting, (per_node, allocators) in settings(figure).items():
        found[setting] = {}
        for ranks in sizes:
            progress.case(f"figure {figure}, {ranks:,} ranks, {setting}")
            found[setting][ranks] = {
                name: run(ranks, per_node, allocator) for name, allocator in allocators.items()
            }
    return found


def print_table(figure: int, found: Table) -> None:
    """Prints hops and times, and how much they vary."""
    what = "boxes" if figure == 4 else "partitions"
    for setting, by_ranks in found.items():
        names = list(next(iter(by_ranks.values())))
        print(f"\nfigure {figure}, {setting}: mean hops | microseconds, by {what}")
        head = "".join(f"{name:>9}" for name in names)
        print(f"{'ranks':>6}{head}{'max/min':>9} |{head}{'max/min':>9}")
        for ranks, row in by_ranks.items():
            parts = []
            for values in ([f.hops for f in row.values()], [f.microseconds for f in row.values()]):
                least = min(values)
                ratio = f"{max(values) / least:>9.2f}" if least else f"{'':9}"
                parts.append("".join(f"{value:>9.2f}" for value in values) + ratio)
            print(f"{ranks:>6}{' |'.join(parts)}")


def draw(figure_number: int, found: Table, out: str) -> str:
    """Draws hops above times, a column for each setting."""
    names = list(BOXES) if figure_number == 4 else [str(count) for count in PARTITIONS]
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2 + 3.2 * len(found), 6), layout="constrained")
        panels = figure.subplots(2, len(found), sharex=True, sharey="row", squeeze=False)
        for column, (setting, by_ranks) in enumerate(found.items()):
            hops, times = panels[0][column], panels[1][column]
            for number, (ranks, row) in enumerate(by_ranks.items()):
                places = list(range(len(names)))
                label = f"{ranks // KILO}K ranks"
                curve(hops, places, [row[name].hops for name in names], number, label)
                curve(times, places, [row[name].microseconds for name in names], number, label)
            hops.set_title(setting, loc="left")
            if not column:
                hops.set_ylabel("mean hops of a message")
                times.set_ylabel("time (us)")
            times.set_xticks(range(len(names)), names)
            what = "box (routers in x, y, z)" if figure_number == 4 else "virtual partitions"
            times.set_xlabel(what)
        for row in panels:
            row[0].set_ylim(0, None)  # shared, and known once all is drawn
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        title = "Cartesian splitting" if figure_number == 4 else "Virtual partitions"
        figure.suptitle(f"{title}: allreduce of 128 bytes on Cielo, alone")
        return save(figure, out, f"figure-{figure_number}")


def main(arguments: list[str] | None = None) -> dict[int, Table]:
    """Runs both figures; returns what was found by figure."""
    chosen = parser(__doc__).parse_args(arguments)
    sizes = SIZES[:1] if chosen.quick else SIZES
    progress = Progress((1 + len(ORDERS)) * len(PACKINGS) * len(sizes))
    every = {figure: measure(figure, sizes, progress) for figure in (4, 5)}
    progress.end()
    for figure, found in every.items():
        print_table(figure, found)
        print(f"the picture: {draw(figure, found, chosen.out)}")
    return every


if __name__ == "__main__":
    run_script(main)
