"""`schedlab app`: what to do with applications; one file per command."""

from __future__ import annotations

from schedlab.cli.declaring import Group

APPLICATIONS = Group(
    "Look at applications, and run one alone on a machine's network.",
    {
        "list": "schedlab.cli.applications.list_all:list_all",
        "show": "schedlab.cli.applications.show:show",
        "run": "schedlab.cli.applications.run:run",
    },
    example="run",
)
