"""`schedlab schema`: JSON Schemas of the files that people write, for editors."""

from __future__ import annotations

from schedlab.cli.declaring import Annotated, Argument

EXAMPLE = "Example: schedlab schema system > system.schema.json"


def schema(
    kind: Annotated[
        str,
        Argument(metavar="KIND", help="system, conditions or run.", show_default=False),
    ],
) -> None:
    """Print the JSON Schema of a kind of file, with which editors complete and check it."""
    import json

    from schedlab.simulation.spec import schemas

    print(json.dumps(schemas.schema(kind), indent=2))
