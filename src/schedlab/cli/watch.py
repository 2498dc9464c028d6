"""`schedlab watch`: a run on the whole terminal, live or replayed."""

from __future__ import annotations

from schedlab.cli.declaring import Annotated, Argument

EXAMPLE = "Example: schedlab watch results/easy"


def watch(
    run: Annotated[str, Argument(metavar="RUN", help="Folder of a run.", show_default=False)],
) -> None:
    """Watch a run while it is simulated, or replay it.

    The keys are at the bottom of the screen; ? gives them all.
    """
    from schedlab.watch.terminal import watch_in_terminal

    watch_in_terminal(run)
