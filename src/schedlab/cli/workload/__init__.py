"""`schedlab workload`: what to do with workload files; one file per command."""

from __future__ import annotations

import warnings

import typer

from schedlab.cli.workload import (
    anonymise,
    assign,
    clean,
    compare,
    convert,
    generate_accasim,
    generate_lublin,
    generate_model,
    generate_plain,
    inspect,
    model,
    tune,
)
from schedlab.errors import LossWarning

EXAMPLE = "Example: schedlab workload inspect trace.swf.gz"

app = typer.Typer(invoke_without_command=True, epilog=EXAMPLE)


@app.callback()
def workload(context: typer.Context) -> None:
    """Look at, convert, model and generate workloads."""
    warnings.simplefilter("ignore", LossWarning)  # commands say it in their own words
    require_command(context)


def require_command(context: typer.Context) -> None:
    """Shows the help of a group that was called without one of its commands."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(2)


app.command("inspect", epilog=inspect.EXAMPLE)(inspect.inspect)
app.command("convert", epilog=convert.EXAMPLE)(convert.convert)
app.command("clean", epilog=clean.EXAMPLE)(clean.clean)
app.command("compare", epilog=compare.EXAMPLE)(compare.compare)
app.command("anonymise", epilog=anonymise.EXAMPLE)(anonymise.anonymise)
app.command("assign", epilog=assign.EXAMPLE)(assign.assign)
app.command("model", epilog=model.EXAMPLE)(model.model)
app.command("tune", epilog=tune.EXAMPLE)(tune.tune)

generate = typer.Typer(invoke_without_command=True, epilog=generate_lublin.EXAMPLE)


@generate.callback()
def generate_group(context: typer.Context) -> None:
    """Generate workloads from models."""
    require_command(context)


generate.command("accasim", epilog=generate_accasim.EXAMPLE)(generate_accasim.generate_accasim)
generate.command("lublin", epilog=generate_lublin.EXAMPLE)(generate_lublin.generate_lublin)
generate.command("plain", epilog=generate_plain.EXAMPLE)(generate_plain.generate_plain)
generate.command("model", epilog=generate_model.EXAMPLE)(generate_model.generate_model)
app.add_typer(generate, name="generate")
