"""`schedlab system`: what to do with system files; one file per command."""

from __future__ import annotations

from schedlab.cli.declaring import Group

SYSTEM = Group(
    "Look at and convert descriptions of machines; fit processors to measurements.",
    {
        "show": "schedlab.cli.system.show:show",
        "convert": "schedlab.cli.system.convert:convert",
        "fit": "schedlab.cli.system.fit:fit",
    },
    example="show",
)
