"""`schedlab app`: what to do with applications; one file per command."""

from __future__ import annotations

import typer

from schedlab.cli.app import list_all, run, show
from schedlab.cli.workload import require_command

EXAMPLE = run.EXAMPLE

app = typer.Typer(invoke_without_command=True, epilog=EXAMPLE)


@app.callback()
def applications(context: typer.Context) -> None:
    """Look at applications, and run one alone on a machine's network."""
    require_command(context)


app.command("list", epilog=list_all.EXAMPLE)(list_all.list_all)
app.command("show", epilog=show.EXAMPLE)(show.show)
app.command("run", epilog=run.EXAMPLE)(run.run)
