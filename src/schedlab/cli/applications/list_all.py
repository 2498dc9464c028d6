"""`schedlab app list`."""

from __future__ import annotations

from schedlab.cli.declaring import Annotated, Option

EXAMPLE = "Example: schedlab app list"


def list_all(
    json: Annotated[bool, Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the applications that are found by name, with their arguments and defaults."""
    from importlib.metadata import entry_points

    from schedlab.application import APPLICATIONS
    from schedlab.application.arguments import parameters, written
    from schedlab.application.description import description

    if json:
        from schedlab.results.json_text import to_json

        print(
            to_json(
                {
                    name: {
                        "summary": description(function).summary,
                        "arguments": {one.name: one.default for one in parameters(function)},
                    }
                    for name, function in APPLICATIONS.items()
                }
            )
        )
        return
    from rich.padding import Padding
    from rich.text import Text

    from schedlab.cli.terminal import Console

    console = Console(highlight=False)
    for name, function in APPLICATIONS.items():
        console.print(Text(name, "bold"))
        console.print(Padding(Text(description(function).summary), (0, 0, 0, 2)))
        arguments = ", ".join(f"{one.name}={written(one.default)}" for one in parameters(function))
        console.print(Padding(Text(arguments, "dim"), (0, 0, 0, 2)))
    for point in entry_points(group="schedlab.applications"):
        console.print(Text(point.name, "bold"))
        console.print(Padding(Text(f"of an installed package ({point.value})"), (0, 0, 0, 2)))
