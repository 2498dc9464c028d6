"""A comparison as a folder: numbers, table, pictures, and a page that shows them all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from schedlab.analysis.plots.picture_files import FORMATS
from schedlab.analysis.plots.workloads import PLOTS, drawable, workload_plot
from schedlab.analysis.style import MOST_GROUPS
from schedlab.errors import InputError
from schedlab.likeness.quantities import quantities, value_text
from schedlab.whole_file import write_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedlab.likeness.likeness import Likeness

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1a1a1a; margin: 2rem auto; max-width: 68rem;
       padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: 0.15rem 0.8rem; text-align: right; border-bottom: 1px solid #e4e4e4; }
td:first-child, th:first-child { text-align: left; white-space: nowrap; }
tr.section td { font-weight: 600; padding-top: 0.9rem; text-align: left; }
thead th { position: sticky; top: 0; background: white; max-width: 14rem;
           overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; }
"""


def write_folder(likeness: Likeness, folder: str, formats: Sequence[str]) -> list[str]:
    """Writes everything of a comparison and returns the names of the files, in the folder.

    Raises:
        InputError: A format is unknown, or the folder is a file.
    """
    pictures = write_plots(likeness, folder, formats)
    write_text(os.path.join(folder, "comparison.json"), likeness.json() + "\n")
    write_text(os.path.join(folder, "table.csv"), likeness.table.write_csv())
    shown = {os.path.splitext(name)[0]: name for name in reversed(pictures)}
    page = overview(likeness, [shown[name] for name in PLOTS if name in shown])
    write_text(os.path.join(folder, "overview.html"), page)
    return ["overview.html", "comparison.json", "table.csv", *pictures]


def write_plots(
    likeness: Likeness,
    folder: str,
    formats: Sequence[str],
    before: Callable[[str], None] | None = None,
) -> list[str]:
    """Writes each plot that has something to show, in each format, and returns their names.

    Args:
        likeness: Of what.
        folder: Is made if it is not there.
        formats: "png", "svg", "pdf".
        before: Called with the name of each file.

    Raises:
        InputError: A format is unknown, the folder is a file, or there are too many workloads.
    """
    for ending in formats:
        if f".{ending}" not in FORMATS:
            known = ", ".join(one[1:] for one in FORMATS)
            raise InputError(f"plots: must be one of {known} or none, not {ending!r}")
    if formats and len(likeness.profiles) > MOST_GROUPS:
        raise InputError(
            f"{len(likeness.profiles)} workloads are more than a picture can distinguish; compare "
            f"at most {MOST_GROUPS}, or leave out the pictures with --plots none"
        )
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"{folder}: is a file, not a folder")
    os.makedirs(folder, exist_ok=True)
    written = []
    for name in drawable(likeness.profiles, likeness.workloads) if formats else ():
        for ending in formats:
            written.append(f"{name}.{ending}")
            if before is not None:
                before(written[-1])
            likeness.plot(name, os.path.join(folder, written[-1]))
    return written


def overview(likeness: Likeness, pictures: Sequence[str]) -> str:
    """Returns a page with the table and the pictures, which lie beside it."""
    labels, workloads = likeness.labels, likeness.workloads
    heads = "".join(f"<th>{escape(label)}</th>" for label in labels)
    rows, section = [], ""
    for row in quantities(workloads):
        if row.section != section:
            section = row.section
            cells = f'<td colspan="{len(labels) + 1}">{escape(section)}</td>'
            rows.append(f'<tr class="section">{cells}</tr>')
        texts = (value_text(row.value(facts), row.unit) for facts in workloads)
        cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
        rows.append(f"<tr><td>{escape(row.label)}</td>{cells}</tr>")
    notes = "".join(f"<li>{escape(note)}</li>" for note in likeness.facts["notes"])
    figures = "".join(
        f'<p><a href="{name}"><img src="{name}" alt="{escape(_title(name))}"></a></p>\n'
        if not name.endswith(".pdf")
        else f'<p><a href="{name}">{escape(_title(name))}</a></p>\n'
        for name in pictures
    )
    title = f"Is it like {escape(labels[0])}?"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>The first workload is the one that the others are compared with.</p>\n"
        + (f"<ul>{notes}</ul>\n" if notes else "")
        + f'<div class="scroll"><table><thead><tr><th></th>{heads}</tr></thead>\n<tbody>\n'
        + "\n".join(rows)
        + f"\n</tbody></table></div>\n<h2>Pictures</h2>\n{figures}</body>\n</html>\n"
    )


def _title(name: str) -> str:
    return workload_plot(os.path.splitext(name)[0]).title
