"""Figures of the report: pictures that can stand in one page beside each other."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from schedlab.analysis.groups import RunGroup
from schedlab.analysis.plots import PLOTS, plot, plot_named
from schedlab.analysis.plots.runs.needs import KINDS, lacking
from schedlab.analysis.plots.time_axis import simulated
from schedlab.durations import DAY
from schedlab.results.temporary import TemporaryFolder

MOST_BYTES = 400_000
"""A larger picture is put in as pixels, so that the page stays small enough to mail."""


class Figure(NamedTuple):
    """A figure of the page.

    Attributes:
        name: Of the plot, as it can be typed.
        title: Stands above it.
        caption: What it shows.
        picture: An svg or img element.
        of_machine: Whether it is about power, speed, failures or heat, which only some runs have.
    """

    name: str
    title: str
    caption: str
    picture: str
    of_machine: bool = False


def drawable(groups: Sequence[RunGroup]) -> list[str]:
    """Returns the built-in plots for which all runs have what they need, and the right size."""
    unfit = unfitting(groups)
    return [name for name in _possible(groups) if name not in unfit]


def unfitting(groups: Sequence[RunGroup]) -> dict[str, str]:
    """Returns the plots that would say nothing of runs of this size, and why."""
    runs = [result.run for group in groups for result in group.results]
    most = max(run["counts"]["submitted"] for run in runs)
    days = max((last - first) / DAY for first, last in map(_span, runs))
    found = {}
    for name in _possible(groups):
        chosen = plot_named(name)
        if chosen.most_jobs is not None and most > chosen.most_jobs:
            found[name] = f"{most:,} jobs are more than {chosen.most_jobs:,}"
        elif most < chosen.least_jobs:
            found[name] = f"{most:,} jobs are fewer than {chosen.least_jobs:,}"
        elif days < chosen.least_days:
            found[name] = f"the runs are shorter than {chosen.least_days:g} days"
    return found


def _possible(groups: Sequence[RunGroup]) -> list[str]:
    results = [result for group in groups for result in group.results]
    return [
        name
        for name in PLOTS
        if not any(lacking(need, run) for need in plot_named(name).needs for run in results)
    ]


def _span(run: dict[str, Any]) -> tuple[float, float]:
    return simulated(run) or (0.0, 0.0)


def missing_tables(groups: Sequence[RunGroup]) -> list[str]:
    """Returns the tables that some run lacks."""
    files = [{name.partition(".")[0] for name in r.run["files"]} for g in groups for r in g.results]
    return [table for table in ("jobs", "timeline") if not all(table in has for has in files)]


def figure(name: str, groups: Sequence[RunGroup]) -> Figure:
    """Returns a plot as a figure of the page.

    Raises:
        InputError: There is no such plot, or a run lacks a table.
    """
    chosen = plot_named(name)
    caption = " ".join((chosen.__doc__ or "").split("\n\n")[0].split())
    with TemporaryFolder() as folder:
        path = os.path.join(folder, "figure.svg")
        plot(chosen, groups, path, title="")  # the page has it as a heading
        with open(path, encoding="utf-8") as file:
            svg = file.read()
        if len(svg) > MOST_BYTES:
            path = os.path.join(folder, "figure.png")
            plot(chosen, groups, path, title="", dpi=130)
            with open(path, "rb") as image:
                pixels = base64.b64encode(image.read()).decode()
            alternative = f'alt="{chosen.title}"'
            picture = f'<img {alternative} src="data:image/png;base64,{pixels}">'
        else:
            picture = own_ids(inline(svg, chosen.title), f"{_word(name)}-")
    of_machine = any(need in KINDS for need in chosen.needs)
    return Figure(name, chosen.title, caption, picture, of_machine)


def inline(svg: str, title: str) -> str:
    """Returns a picture without what only a file needs: declarations, metadata, a fixed size."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<!--.*?-->", "", svg, flags=re.DOTALL)
    head, rest = svg.split(">", 1)
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    label = title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return f'{head} role="img" aria-label="{label}">{rest.strip()}'


def own_ids(svg: str, prefix: str) -> str:
    """Returns a picture with ids that no other picture of the page has."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)


def _word(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "figure"
