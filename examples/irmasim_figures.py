"""Draws the figures of examples/irmasim_platforms.py."""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from schedlab.analysis.style import FAINT, INK, look, styled
from schedlab.durations import HOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars
    from matplotlib.axes import Axes

MEGA = 1e6
CORES = 4


def draw_two_nodes(tables: dict[str, polars.DataFrame], names: list[str], file: str) -> None:
    """Draws which job ran when on which core of two nodes, a panel for each table of jobs."""
    with styled():
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        figure = Figure(figsize=(8.5, 5.6), layout="constrained")
        panels = figure.subplots(len(tables), 1, sharex=True)
        kinds = list(dict.fromkeys(names))
        for axes, (label, table) in zip(panels, tables.items(), strict=True):
            for row, core in zip(
                table.sort("start").iter_rows(named=True), lanes(table), strict=True
            ):
                style = look(kinds.index(names[row["job_id"]]))
                axes.barh(
                    core, row["end"] - row["start"], left=row["start"], height=0.82,
                    color=style.colour, hatch=style.hatch, edgecolor="white", linewidth=1.0,
                )  # fmt: skip
            last = table["end"].max()
            axes.axvline(last, color=INK, linewidth=0.9, linestyle="--")
            axes.set_title(f"{label}: the last job ends after {last:.0f} s", loc="left")
            axes.set_ylim(2 * CORES - 0.5, -0.5)
            axes.axhline(CORES - 0.5, color=FAINT, linewidth=0.8)
            ticks = [(CORES - 1) / 2, CORES + (CORES - 1) / 2]
            axes.set_yticks(ticks, ["Fast\n3.4 GHz", "Slow\n1.7 GHz"])
            axes.grid(False, axis="y")
        panels[-1].set_xlabel("time (s)")
        panels[-1].set_xlim(0, None)
        handles = [
            Patch(
                facecolor=look(i).colour, hatch=look(i).hatch, edgecolor="white", label=f"{kind}.A"
            )
            for i, kind in enumerate(kinds)
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
        figure.suptitle("Ten ep.A and ten lu.A on two nodes of four cores")
        figure.savefig(file, dpi=120)


def lanes(table: polars.DataFrame) -> list[int]:
    """Returns a core for each job, in order of start: the engine knows how many are taken."""
    free_from = [0.0] * (2 * CORES)
    found = []
    for row in table.sort("start").iter_rows(named=True):
        first = CORES * int(row["nodes"])
        core = next(c for c in range(first, first + CORES) if free_from[c] <= row["start"])
        free_from[core] = row["end"]
        found.append(core)
    return found


def draw_batches(
    machine: Any,
    sizes: list[int],
    makespan: dict[str, list[list[float]]],
    energy: dict[str, list[list[float]]],
    batsim_share: float,
    file: str,
) -> None:
    """Draws makespan, energy and ratio against the size of the batch; values by model and size."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(11, 4.4), layout="constrained")
        times, joules, ratios = figure.subplots(1, 3)
        base = next(iter(makespan))
        for number, label in enumerate(makespan):
            hours = [[value / HOUR for value in values] for values in makespan[label]]
            curve(times, sizes, hours, number, label)
            spent = [[value / MEGA for value in values] for values in energy[label]]
            curve(joules, sizes, spent, number, None)
            if label != base:
                pairs = zip(makespan[label], makespan[base], strict=True)
                divided = [[a / b for a, b in zip(*pair, strict=True)] for pair in pairs]
                curve(ratios, sizes, divided, number, None)
        low = [[batsim_share * value / MEGA for value in values] for values in energy[base]]
        curve(joules, sizes, low, 3, "no contention, 320 W at full load (Batsim in the paper)")
        paper = {"color": INK, "linestyle": ":", "linewidth": 2.0}
        real = [machine.makespan_ratio * mean(values) / HOUR for values in makespan[base]]
        called = "the paper's real cluster, by its ratio to the baseline"
        times.plot(sizes, real, label=called, **paper)
        joules.plot(sizes, [mean(v) / (1 - machine.energy_too_low) for v in low], **paper)
        ratios.axhline(machine.makespan_ratio, **paper)
        for axes, title in (
            (times, "makespan (h)"),
            (joules, "energy (MJ)"),
            (ratios, f"makespan / without contention; dotted: {machine.makespan_ratio}"),
        ):
            axes.set_title(title, loc="left")
            axes.set_xlabel("jobs in the batch")
            axes.set_xscale("log", base=2)
            axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
            axes.minorticks_off()
        for axes in (times, joules):
            axes.set_yscale("log", base=2)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        figure.legend(loc="outside lower center", ncols=3)
        nodes = ", ".join(f"{count} nodes at {clock} GHz" for clock, count in machine.nodes.items())
        figure.suptitle(
            f"Batches of NPB jobs on a {machine.name} cluster: {nodes}\n"
            f"mean and standard deviation of {len(makespan[base][0])} seeds"
        )
        figure.savefig(file, dpi=120)


def curve(
    axes: Axes, places: list[Any], samples: list[list[float]], number: int, label: str | None
) -> None:
    """Draws means with their standard deviations."""
    style = look(number)
    axes.errorbar(
        places,
        [mean(values) for values in samples],
        yerr=[stdev(values) if len(values) > 1 else 0.0 for values in samples],
        color=style.colour,
        marker=style.marker,
        linestyle=style.line,
        capsize=3,
        label=label,
    )


def draw_policies(
    labels: list[str], kinds: dict[str, str], found: dict[str, Any], load: float, file: str
) -> None:
    """Draws the energy of each policy, a panel for each view of the machine."""
    with styled():
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        figure = Figure(figsize=(11, 4.6), layout="constrained")
        panels = figure.subplots(1, len(labels), sharey=True, sharex=True)
        order = list(dict.fromkeys(kinds.values()))
        for axes, label in zip(panels, labels, strict=True):
            for place, (name, of) in enumerate(found[label].items()):
                style = look(order.index(kinds[name]))
                values = [value / MEGA for value in of["energy"]]
                axes.barh(
                    place, mean(values), xerr=stdev(values) if len(values) > 1 else 0.0,
                    color=style.colour, hatch=style.hatch, edgecolor="white", height=0.78,
                    error_kw={"elinewidth": 1.0, "capsize": 2.5, "ecolor": INK},
                )  # fmt: skip
            axes.set_title(label, loc="left")
            axes.set_xlabel("energy (MJ)")
            axes.grid(False, axis="y")
        panels[0].set_yticks(range(len(kinds)), list(kinds))
        panels[0].invert_yaxis()
        handles = [
            Patch(facecolor=look(i).colour, hatch=look(i).hatch, edgecolor="white", label=kind)
            for i, kind in enumerate(order)
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
        count = len(next(iter(found[labels[0]].values()))["energy"])
        figure.suptitle(
            f"Energy by resource selection at {load:.0%} load, k = 0.6: mean and standard "
            f"deviation of {count} seeds"
        )
        figure.savefig(file, dpi=120)


def draw_by_load(
    labels: list[str],
    kinds: dict[str, str],
    by_load: dict[float, dict[str, Any]],
    file: str,
    beside: str = "worst-fit",
) -> None:
    """Draws what some policies save against one that spreads, by the load."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 4.2), layout="constrained")
        panels = figure.subplots(1, len(labels), sharey=True)
        shown = [
            n for n in ("first-fit", "high-gflops", "within-bandwidth", "random") if n in kinds
        ]
        loads = sorted(by_load)
        for axes, label in zip(panels, labels, strict=True):
            for number, name in enumerate(shown):
                saved = []
                for load in loads:
                    runs = by_load[load][label]
                    pairs = zip(runs[name]["energy"], runs[beside]["energy"], strict=True)
                    saved.append([100 * (1 - a / b) for a, b in pairs])
                percent = [100 * load for load in loads]
                first = label == labels[0]
                curve(axes, percent, saved, number, name if first else None)
            axes.axhline(0, color=INK, linewidth=0.8)
            axes.set_title(label, loc="left")
            axes.set_xlabel("load (%)")
        panels[0].set_ylabel(f"energy saved beside {beside} (%)")
        figure.legend(loc="outside lower center", ncols=len(shown))
        figure.suptitle("What grouping saves, by load: mean and standard deviation over seeds")
        figure.savefig(file, dpi=120)


def draw_burst(
    found: dict[str, dict[tuple[str, str], list[float]]],
    jobs: Sequence[str],
    resources: Sequence[str],
    size: int,
    file: str,
) -> None:
    """Draws the energy of each policy beside the mean of all, a panel for each model.

    Args:
        found: Joules by model and by job and resource selection, a list over seeds.
        jobs: Job selections, each a mark.
        resources: Resource selections, each a row.
        size: Jobs of the burst.
        file: Where the picture goes.
    """
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 4.4), layout="constrained")
        panels = figure.subplots(1, len(found), sharex=True, sharey=True)
        for axes, (label, energy) in zip(panels, found.items(), strict=True):
            seeds = range(len(next(iter(energy.values()))))
            whole = [mean(values[seed] for values in energy.values()) for seed in seeds]
            for number, job in enumerate(jobs):
                style = look(number)
                beside = [
                    [100 * (energy[job, one][seed] / whole[seed] - 1) for seed in seeds]
                    for one in resources
                ]
                axes.errorbar(
                    [mean(values) for values in beside],
                    [row + 0.16 * (number - (len(jobs) - 1) / 2) for row in range(len(resources))],
                    xerr=[stdev(v) if len(v) > 1 else 0.0 for v in beside],
                    color=style.colour, marker=style.marker, linestyle="", markersize=5,
                    elinewidth=1.0, label=job if axes is panels[0] else None,
                )  # fmt: skip
            means = [mean(values) for values in energy.values()]
            axes.set_title(
                f"{label}\nmean {mean(means) / MEGA:.2f} MJ, all within "
                f"{max(means) / min(means) - 1:.1%}",
                loc="left",
            )
            axes.axvline(0, color=INK, linewidth=0.8)
            axes.set_xlabel("energy beside the mean of all (%)")
            axes.grid(False, axis="y")
        panels[0].set_yticks(range(len(resources)), resources)
        panels[0].invert_yaxis()
        figure.legend(
            loc="outside lower center",
            ncols=len(jobs),
            title="job selection (smallest, low_mem: as first)",
        )
        figure.suptitle(
            f"Figure 9: energy of table II's policies, a burst of {size:,} jobs on the "
            f"heterogeneous cluster\nmean and standard deviation of {len(seeds)} seeds"
        )
        figure.savefig(file, dpi=120)
