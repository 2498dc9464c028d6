"""The page: parts in order, one file that needs no other."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib.resources import files

from schedlab.analysis.groups import RunGroup, groups_of
from schedlab.analysis.style import MOST_GROUPS, require_matplotlib
from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.experiment import Comparison
from schedlab.report.commands import commands
from schedlab.report.comparisons import differences_section, failures_section
from schedlab.report.dispatcher_tables import metrics_tables
from schedlab.report.figures import Figure, drawable, figure, missing_tables, unfitting
from schedlab.report.machine_tables import machine_section
from schedlab.report.run_facts import facts
from schedlab.report.waits import Trust, waits_section
from schedlab.results.notices import doubts
from schedlab.whole_file import write_text

Progress = Callable[[int, int, str], None]


@explained
def write_report(
    runs: object,
    path: str | os.PathLike[str],
    *,
    plots: Sequence[str] | None = None,
    title: str | None = None,
    progress: Progress | None = None,
    trust_code: bool = False,
    _given: Iterable[str] = (),
) -> str:
    """Writes a page about runs to one file that can be mailed, and returns its path.

    Args:
        runs: A `Comparison`, or what `schedlab.analysis.plots.plot` takes: a result, a folder, a
            mapping from labels to them, or a list.
        path: Of the file; it appears when it is whole.
        plots: Names of the figures, in their order; None: all that the runs have tables for, and
            that say something of runs of their size.
        title: Of the page.
        progress: Called with figures done, figures in all, and the name of the next one.
        trust_code: Whether code runs that the folders name: the reader of a trace. Without it,
            what needs it is left out, and the page and a warning say so.

    Raises:
        InputError: There is nothing to report, or a plot is not known.
    """
    require_matplotlib()
    name = os.fsdecode(path)
    folder = os.path.dirname(name) or "."
    if not os.path.isdir(folder):
        raise InputError(f"{name}: there is no folder {folder}")
    comparison = runs if isinstance(runs, Comparison) else None
    groups = list(comparison.groups) if comparison is not None else groups_of(runs)
    if not groups:
        raise InputError(f"{name}: no run to report on: none of the experiment's finished")
    trust = Trust(trust_code, frozenset(_given), [])  # of names that the person gave beside these
    waits = waits_section(groups, trust)
    figures = _figures(groups, plots, progress)
    write_text(name, _page(groups, comparison, figures, title, plots is None, waits))
    for refused in trust.refused:
        warnings.warn(f"{name}: waits by queue and partition are left out: {refused}", stacklevel=3)
    return name


def _figures(
    groups: Sequence[RunGroup], plots: Sequence[str] | None, progress: Progress | None
) -> list[Figure]:
    if len(groups) > MOST_GROUPS and plots is None:
        return []
    names = drawable(groups) if plots is None else list(plots)
    drawn = []
    for done, name in enumerate(names):
        if progress is not None:
            progress(done, len(names), name)
        drawn.append(figure(name, groups))
    return drawn


def _page(
    groups: Sequence[RunGroup],
    comparison: Comparison | None,
    figures: Sequence[Figure],
    title: str | None,
    chosen: bool,
    waits: str,
) -> str:
    heading = title or _title(groups)
    sections = {
        "numbers": ("Numbers", _numbers(groups)),
        "differences": ("Differences", differences_section(comparison)),
        "waits": ("Who waits", waits),
        "failures": ("Runs that failed", failures_section(comparison)),
        "machine": (
            "Power and failures",
            machine_section(groups, _pictures([one for one in figures if one.of_machine])),
        ),
        "figures": (
            "Figures",
            _figure_section(groups, [one for one in figures if not one.of_machine], chosen),
        ),
        "run": ("What was run", f'<div class="all-facts">{facts(groups)}</div>'),
        "again": ("How to do it again", commands(groups, comparison)),
    }
    there = {name: section for name, section in sections.items() if section[1]}
    links = "".join(f'<a href="#{name}">{label}</a>' for name, (label, _) in there.items())
    body = "\n".join(
        f'<section id="{name}"><h2>{label}</h2>\n{content}\n</section>'
        for name, (label, content) in there.items()
    )
    style = files("schedlab.report").joinpath("style.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<h1>{escape(heading)}</h1>\n<p class="lead">{escape(_lead(groups))}</p>\n'
        f"<nav>{links}</nav>\n{body}\n</body>\n</html>\n"
    )


def _title(groups: Sequence[RunGroup]) -> str:
    runs = [result.run for group in groups for result in group.results]
    workloads = sorted({os.path.basename(run["workload"]["path"] or "") for run in runs})
    systems = sorted({run["system"]["name"] or "" for run in runs})
    dispatchers = {(run["scheduler"], run["allocator"]) for run in runs}
    what = groups[0].label if len(groups) == 1 else f"{len(dispatchers)} dispatchers"
    if len(groups) > 1 and len(dispatchers) == 1:
        what = f"{len(groups)} settings of {runs[0]['scheduler']}"
    over = [text for text in (_listed(workloads), _listed(systems)) if text]
    return f"{what}: {' on '.join(over)}" if over else what


def _lead(groups: Sequence[RunGroup]) -> str:
    runs = [result.run for group in groups for result in group.results]
    jobs = {run["counts"]["submitted"] for run in runs}
    many = f"{min(jobs):,}" if len(jobs) == 1 else f"{min(jobs):,} to {max(jobs):,}"
    seconds = sum(run["simulator"]["cpu_seconds"] for run in runs)
    simulated = f"{len(runs):,} simulation{'s' if len(runs) > 1 else ''} of {many} jobs"
    partial = sum(run["status"] != "complete" for run in runs)
    note = f"; {partial} of them stopped early" if partial else ""
    return f"{simulated}{note}, {seconds:,.1f} s of CPU in all."


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} others"


def _numbers(groups: Sequence[RunGroup]) -> str:
    repeated = max(len(group.results) for group in groups) > 1
    notes = ["★ is the best of a column." if len(groups) > 1 else ""]
    notes.append(
        "Means over repetitions ± sample deviation, where they differ." if repeated else ""
    )
    notes.append(
        "Medians and percentiles are at most 0.1 % below the exact ones; slowdown leaves out jobs "
        "of length zero; bounded slowdown counts jobs shorter than 10 s as 10 s."
    )
    text = " ".join(filter(None, notes))
    return f'{_doubts(groups)}{metrics_tables(groups)}\n<p class="note">{text}</p>'


def _doubts(groups: Sequence[RunGroup]) -> str:
    """Returns what is doubtful in the runs, and why jobs were rejected; alike of several, once."""
    texts: dict[str, None] = {}
    for group in groups:
        for result in group.results:
            workload = os.path.basename(result.run["workload"]["path"] or "the workload")
            system = result.run["system"]["name"] or "the system"
            for text in doubts(result.run):
                texts[f"{workload} on {system}: {text}"] = None
    return "".join(f'<p class="doubt">{escape(text)}</p>\n' for text in texts)


def _figure_section(groups: Sequence[RunGroup], figures: Sequence[Figure], chosen: bool) -> str:
    """Returns the figures; `chosen`: by us, so that what is left out is reported."""
    if len(groups) > MOST_GROUPS and not figures:
        return (
            f'<p class="note">Not drawn: {len(groups)} dispatchers are more than one figure can '
            f"distinguish. At most {MOST_GROUPS} fit; schedlab plot draws some of them.</p>"
        )
    parts = [_pictures(figures)] if figures else []
    parts += [
        f'<p class="note">Figures that need the {table} are left out: not every run has '
        f'{table}.csv or {table}.parquet (simulate with <code>{table}="csv"</code>).</p>'
        for table in missing_tables(groups)
    ]
    if chosen:
        left_out = [f"{name} ({why})" for name, why in unfitting(groups).items()]
        if left_out:
            text = escape("; ".join(left_out))
            parts.append(
                f'<p class="note">Left out, because they say little of runs of this size: {text}. '
                "<code>--plots</code> names the figures that are wanted all the same.</p>"
            )
    return "\n".join(parts)


def _pictures(figures: Sequence[Figure]) -> str:
    return "\n".join(
        f"<figure>\n<h3>{escape(one.title)}</h3>\n{one.picture}\n<figcaption>"
        f"{escape(one.caption)} (<code>{escape(one.name)}</code>)</figcaption>\n</figure>"
        for one in figures
    )
