"""`schedlab app show`."""

from __future__ import annotations

from schedlab.cli.declaring import Annotated, Argument

EXAMPLE = "Example: schedlab app show stencil-3d"

Name = Annotated[
    str,
    Argument(
        metavar="NAME",
        help="An application, perhaps with arguments: 'stencil-3d(bytes=64k)'; of your own: "
        "package.module:function or file.py:function.",
        show_default=False,
    ),
]


def show(name: Name) -> None:
    """Show what an application does, what it sends, and what arguments it takes."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from schedlab.application.arguments import parameters, written
    from schedlab.application.description import description
    from schedlab.application.repository import program_named
    from schedlab.cli.terminal import Console
    from schedlab.trust import PERSON

    found, given, function = program_named(name, PERSON)
    documentation = description(function)
    console = Console(highlight=False)
    console.print(Text.assemble((found, "bold"), f"  {documentation.summary}"))
    for paragraph in documentation.paragraphs:
        console.print()
        console.print(Text(paragraph))
    console.print()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    columns = ("argument", *(("given",) if given else ()), "default", "meaning")
    for column in columns:
        table.add_column(column, overflow="fold")
    for one in parameters(function):
        default = "must be given" if one.required else written(one.default)
        value = (given.get(one.name, ""),) if given else ()
        table.add_row(one.name, *value, default, documentation.arguments[one.name])
    console.print(table)
