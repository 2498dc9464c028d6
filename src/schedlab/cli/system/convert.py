"""`schedlab system convert`."""

from __future__ import annotations

import os

from schedlab.cli.declaring import Annotated, Argument, Option
from schedlab.cli.options import Force, print_warnings
from schedlab.cli.system.show import Source
from schedlab.errors import InputError
from schedlab.overwriting import refuse_file

EXAMPLE = "Example: schedlab system convert cielo machine.toml"

ENDINGS = (".toml", ".json")


def convert(
    source: Source,
    target: Annotated[
        str | None,
        Argument(metavar="OUT", help="File to write: .toml or .json.", show_default=False),
    ] = None,
    out: Annotated[
        str | None,
        Option("--out", metavar="FILE", help="The same as OUT, by name.", show_default=False),
    ] = None,
    force: Force = False,
    quiet: Annotated[bool, Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Write a system file of any layout in schedlab's own."""
    from schedlab.results.json_text import to_json
    from schedlab.system import load_system
    from schedlab.system.table import as_table, as_toml
    from schedlab.whole_file import write_text

    if (target is None) == (out is None):
        raise InputError("give the file to write once: OUT, or --out FILE")
    target = target or out or ""
    ending = os.path.splitext(target)[1].lower()
    if ending not in ENDINGS:
        raise InputError(f"{target}: must end in {' or '.join(ENDINGS)}, the formats to write")
    refuse_file(target, force)
    system = load_system(source)
    if not quiet:
        print_warnings(system.warnings)
    write_text(target, as_toml(system) if ending == ".toml" else to_json(as_table(system)) + "\n")
    if not quiet:
        nodes, groups = system.nodes, len(system.groups)
        print(
            f"{target}: {nodes:,} node{'s' if nodes > 1 else ''} in "
            f"{groups:,} group{'s' if groups > 1 else ''}"
        )
