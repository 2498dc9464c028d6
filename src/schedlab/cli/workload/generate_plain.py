"""`schedlab workload generate plain`."""

from __future__ import annotations

from typing import Any

from schedlab.cli.declaring import Annotated, Option
from schedlab.cli.workload import generating
from schedlab.cli.workload.generating import MODEL
from schedlab.cli.workload.options import pairs
from schedlab.durations import seconds_of
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

EXAMPLE = (
    "Example: schedlab workload generate plain --interarrival 'exponential(mean=120)' "
    "--run 'lognormal(mean=7.5, deviation=1.2, min=1, max=86400)' "
    "--processors 'choice(1:0.3, 2:0.2, 4:0.5)' --jobs 10000 --out new.swf"
)


def _option(flag: str, text: str, metavar: str = "DISTRIBUTION") -> Any:
    return Option(flag, metavar=metavar, help=text, panel=MODEL, show_default=False)


def generate_plain(
    out: generating.Out,
    interarrival: Annotated[
        str | None,
        _option("--interarrival", "Seconds between submissions: 'exponential(mean=120)'."),
    ] = None,
    run: Annotated[
        str | None,
        _option("--run", "Run times: 'lognormal(mean=7.5, deviation=1.2, max=86400)'."),
    ] = None,
    processors: Annotated[
        str | None, _option("--processors", "Of each job: 'choice(1:0.3, 2:0.2, 4:0.5)'.")
    ] = None,
    requested: generating.Requested = None,
    requested_steps: generating.RequestedSteps = None,
    columns: Annotated[
        list[str] | None,
        _option(
            "--column",
            "A further column, such as 'task_gpu=choice(0:0.9, 1:0.1)'. May be repeated.",
            "NAME=DISTRIBUTION",
        ),
    ] = None,
    by_hour: Annotated[
        str | None, _option("--by-hour", "24 weights of the hours of the day.", "LIST")
    ] = None,
    by_weekday: Annotated[
        str | None, _option("--by-weekday", "7 weights of the days, from Monday.", "LIST")
    ] = None,
    machine: Annotated[
        int | None, _option("--machine", "Processors of the machine, for --load.", "N")
    ] = None,
    load: generating.Load = None,
    resolution: Annotated[
        str | None,
        _option("--resolution", "Times are multiples of this; 1s unless given.", "TIME"),
    ] = None,
    definition: Annotated[
        str | None,
        _option(
            "--definition", "File with all of these; the options take precedence.", "FILE.toml"
        ),
    ] = None,
    trust_code: Annotated[
        bool,
        _option("--trust-code", "Run code that --definition names: your own distributions.", " "),
    ] = False,
    jobs: generating.Jobs = 10_000,
    seed: generating.Seed = "1",
    writer: generating.Writer = None,
    exact: generating.Exact = False,
    force: generating.Force = False,
    quiet: generating.Quiet = False,
) -> None:
    """Draw a workload from plain distributions, one for each attribute of a job.

    A distribution is written as name(arguments); docs/reference/distributions.md lists them.
    """
    refuse_file(out, force)
    from schedlab.workload.models.plain import PlainWorkload

    given: dict[str, Any] = {
        "interarrival": interarrival,
        "run": run,
        "processors": processors,
        "requested": requested,
        "requested_steps": generating.steps(requested_steps),
        "by_hour": generating.numbers("--by-hour", by_hour),
        "by_weekday": generating.numbers("--by-weekday", by_weekday),
        "machine": machine,
        "load": load,
        "resolution": None if resolution is None else seconds_of(resolution, "--resolution"),
    }
    given = {name: value for name, value in given.items() if value is not None}
    given["columns"] = pairs("--column", columns or ())
    if definition is not None:
        workload = PlainWorkload.from_file(definition, trust_code, **given)
    else:
        for name in ("interarrival", "run"):
            if name not in given:
                raise InputError(f"--{name} is missing; give it, or --definition FILE.toml")
        workload = PlainWorkload(**given)
    generating.write(workload, out, jobs, seed, writer, exact, quiet)
