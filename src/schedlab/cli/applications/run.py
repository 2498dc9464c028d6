"""`schedlab app run`: one application alone on a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.cli import options
from schedlab.cli.applications.show import Name
from schedlab.cli.declaring import Annotated, Option
from schedlab.cli.options import Force
from schedlab.cli.progress import ProgressLine, busy
from schedlab.dispatch.allocators import ALLOCATORS
from schedlab.durations import seconds_of
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

if TYPE_CHECKING:
    from schedlab.simulation import ApplicationRun, Simulation

EXAMPLE = (
    "Example: schedlab app run 'stencil-3d(bytes=64k, iterations=10)' --ranks 2048 "
    "--system cielo --placement 'first-fit(order=curve)'"
)
PLACING, PICTURES = "Where ranks run", "Pictures"


def run(
    name: Name,
    ranks: Annotated[
        int, options.option("--ranks", PLACING, "How many ranks; each takes a processor.", "N")
    ],
    system: Annotated[
        str,
        options.option(
            "--system", PLACING, "System file with a network, or a machine by name: cielo.", "FILE"
        ),
    ],
    allocator: Annotated[
        str,
        Option(
            "--allocator",
            "--placement",
            metavar="NAME",
            help=f"One of {', '.join(ALLOCATORS)}; or package.module:Class.",
            panel=PLACING,
            words=ALLOCATORS,
        ),
    ] = "first-fit",
    ranks_per_node: Annotated[
        int | None,
        options.option("--ranks-per-node", PLACING, "At most N; else nodes are full.", "N"),
    ] = None,
    mapping: options.Mapping = None,
    fidelity: options.Fidelity = None,
    accuracy: options.Accuracy = None,
    seed: options.Seed = None,
    run_time: Annotated[
        str,
        options.option(
            "--run-time", options.SIMULATING, "How long iterations=run are to take.", "TIME"
        ),
    ] = "0",
    limit: Annotated[
        str | None,
        options.option("--limit", options.SIMULATING, "Kill it after this time.", "TIME"),
    ] = None,
    bound: Annotated[
        bool,
        options.option(
            "--bound/--no-bound",
            options.SIMULATING,
            "Also say how long it takes if messages never wait for each other; on by default.",
        ),
    ] = True,
    picture_links: Annotated[
        str | None,
        options.option("--picture-links", PICTURES, "Draw how much links were used.", "FILE.png"),
    ] = None,
    picture_placement: Annotated[
        str | None,
        options.option("--picture-placement", PICTURES, "Draw where ranks ran.", "FILE.png"),
    ] = None,
    picture_traffic: Annotated[
        str | None,
        options.option("--picture-traffic", PICTURES, "Draw who sends to whom.", "FILE.png"),
    ] = None,
    json: Annotated[
        bool, options.option("--json", options.OUTPUT, "Print everything as JSON.")
    ] = False,
    force: Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Run one application alone on a machine's network and show where its time went."""
    from schedlab.simulation import run_application
    from schedlab.system import load_system

    machine = load_system(system)
    given: dict[str, Any] = {
        "ranks": ranks,
        "system": machine,
        "allocator": allocator,
        "ranks_per_node": ranks_per_node,
        "mapping": mapping,
        "seed": seed,
        "run_time": seconds_of(run_time, "--run-time"),
        "limit": None if limit is None else seconds_of(limit, "--limit"),
    }
    pictures = {
        "links": picture_links,
        "placement": picture_placement,
        "traffic": picture_traffic,
    }
    for file in pictures.values():
        refuse_file(file, force)
    _check_pictures(pictures)
    try:
        with ProgressLine(quiet=quiet) as line:
            done = run_application(
                name, **given, fidelity=fidelity, accuracy=accuracy, progress=_Events(line)
            )
            alone = _bound(done, name, given, line) if bound else None
    except InputError as error:
        raise InputError(options.in_flags(str(error))) from None
    _draw(done, name, pictures)
    if json:
        from schedlab.results.json_text import to_json

        print(to_json({**done.described(), "seconds_without_contention": alone}))
    elif not quiet:
        from schedlab.cli.applications.breakdown import show

        show(done, alone, {what: file for what, file in pictures.items() if file is not None})


class _Events:
    """Shows how many events were handled, as `progress` of a run."""

    def __init__(self, line: ProgressLine) -> None:
        self._line = line

    def __call__(self, simulation: Simulation) -> None:
        if self._line.due():
            self._line.show(simulation.engine.application_events, "events", None)


def _bound(
    done: ApplicationRun, name: str, given: dict[str, Any], line: ProgressLine
) -> float | None:
    """Returns the seconds on the same nodes if messages never wait for each other."""
    from schedlab.simulation import run_application

    if done.state != "completed" or not done.messages:
        return None
    if done.options["fidelity"] == "analytic":
        return done.seconds
    return run_application(name, **given, fidelity="analytic", progress=_Events(line)).seconds


def _check_pictures(pictures: dict[str, str | None]) -> None:
    """Raises InputError where a picture cannot be written, before anything runs."""
    if not any(pictures.values()):
        return
    from schedlab.analysis.plots.picture_files import ending_of
    from schedlab.analysis.style import require_matplotlib

    require_matplotlib()
    for file in pictures.values():
        ending_of(file)


def _draw(done: ApplicationRun, name: str, pictures: dict[str, str | None]) -> None:
    if not any(pictures.values()):
        return
    from schedlab.analysis.plots.networks import application

    with busy("drawing"):
        if pictures["links"]:
            application.draw_links(done, pictures["links"])
        if pictures["placement"]:
            application.draw_placement(done, pictures["placement"])
        if pictures["traffic"]:
            application.draw_traffic(
                name, done.ranks, pictures["traffic"], network=done.system.network
            )
