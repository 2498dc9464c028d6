"""`schedlab workload generate lublin`."""

from __future__ import annotations

from schedlab.cli.declaring import Annotated, Option
from schedlab.cli.workload import generating
from schedlab.cli.workload.generating import MODEL
from schedlab.cli.workload.options import pairs
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

EXAMPLE = (
    "Example: schedlab workload generate lublin --processors 256 --jobs 10000 --load 0.9 "
    "--out new.swf"
)


def generate_lublin(
    out: generating.Out,
    processors: Annotated[
        int,
        Option("--processors", metavar="N", help="Of the machine.", panel=MODEL),
    ] = 128,
    type: Annotated[  # noqa: A002 - the option's name
        str,
        Option(
            "--type",
            metavar="WORD",
            help="all: one kind of jobs; batch; interactive; both: the last two, merged.",
            panel=MODEL,
        ),
    ] = "all",
    load: generating.Load = None,
    requested: generating.Requested = None,
    requested_steps: generating.RequestedSteps = None,
    parameters: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=NUMBER",
            help="Change a parameter of the model; with --type both: batch.NAME or "
            "interactive.NAME. May be repeated.",
            panel=MODEL,
            show_default=False,
        ),
    ] = None,
    drop_fractions: Annotated[
        bool,
        Option(
            "--drop-fractions",
            help="Drop fractions of seconds between jobs, as the archive's program does.",
            panel=MODEL,
        ),
    ] = False,
    jobs: generating.Jobs = 10_000,
    seed: generating.Seed = "1",
    writer: generating.Writer = None,
    exact: generating.Exact = False,
    force: generating.Force = False,
    quiet: generating.Quiet = False,
) -> None:
    """Draw a workload from the model of Lublin and Feitelson (2003).

    Sizes, run times that depend on them, and arrivals with a daily cycle. Needs no log.
    """
    refuse_file(out, force)
    from schedlab.workload.models.lublin import LublinFeitelson

    changes: dict[str, dict[str, float]] = {"": {}, "batch": {}, "interactive": {}}
    for name, text in pairs("--set", parameters or ()).items():
        head, dot, tail = name.rpartition(".")
        try:
            changes[head][tail] = float(text)
        except ValueError:
            raise InputError(f"--set {name}={text}: must be a number") from None
        except KeyError:
            raise InputError(
                f"--set {name}: write NAME, batch.NAME or interactive.NAME, not {head}{dot}NAME"
            ) from None
    workload = LublinFeitelson(
        processors,
        type,
        load,
        requested or "none",
        generating.steps(requested_steps),
        drop_fractions,
        batch=changes["batch"],
        interactive=changes["interactive"],
        **changes[""],
    )
    generating.write(workload, out, jobs, seed, writer, exact, quiet)
