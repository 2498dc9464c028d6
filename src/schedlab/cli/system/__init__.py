"""`schedlab system`: what to do with system files; one file per command."""

from __future__ import annotations

import typer

from schedlab.cli.system import convert, fit, show
from schedlab.cli.workload import require_command

EXAMPLE = show.EXAMPLE

app = typer.Typer(invoke_without_command=True, epilog=EXAMPLE)


@app.callback()
def system(context: typer.Context) -> None:
    """Look at and convert descriptions of machines; fit processors to measurements."""
    require_command(context)


app.command("show", epilog=show.EXAMPLE)(show.show)
app.command("convert", epilog=convert.EXAMPLE)(convert.convert)
app.command("fit", epilog=fit.EXAMPLE)(fit.fit)
