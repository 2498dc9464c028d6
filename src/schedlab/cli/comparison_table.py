"""A comparison as a table on the terminal: a row per dispatcher, the best of a column marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.experiment.overview import OverviewColumn, Rows, best_rows, table_rows, tables_of

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.cli.terminal import Console
    from schedlab.experiment import Comparison


def show_tables(console: Console, comparison: Comparison, heading: str) -> None:
    """Prints a table for each workload and system."""
    several = len(comparison.inputs) > 1
    tables = tables_of(comparison)
    for workload, system in comparison.inputs:
        if several:
            console.print(f"{workload} on {system}", style="bold", markup=False, soft_wrap=True)
        for columns in tables:
            rows = table_rows(comparison, workload, system, columns)
            if rows:
                console.print(grid(console, rows, heading, columns))
                console.print()


def grid(console: Console, rows: Rows, heading: str, columns: list[OverviewColumn]) -> Table:
    """Returns the table as rich prints it."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # Cells end in a star or a blank, so that on a narrow terminal no other gap is needed.
    gap = 1 if console.width >= 90 else 0
    made = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap), header_style="bold"
    )
    # A long name breaks into lines: numbers never do.
    made.add_column(heading, overflow="fold", vertical="bottom", min_width=12)
    for column in columns:
        title = column.title.replace(" ", " \n")
        made.add_column(f"{title} ", justify="right", no_wrap=True, vertical="bottom")
    best = best_rows(rows, columns)
    for name, row in rows.items():
        cells = [Text(name)]
        for i, (column, value) in enumerate(zip(columns, row, strict=True)):
            won = name in best[i]
            text = "-" if value is None else column.text(value)
            cells.append(Text(text + " *"[won], "bold green" if won else ""))
        made.add_row(*cells)
    return made
