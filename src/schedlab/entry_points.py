"""Parts that installed packages offer, as entry points in groups such as `schedlab.plots`."""

from __future__ import annotations

import os
from importlib import metadata
from typing import TYPE_CHECKING

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

GROUPS = {
    "additional data": "schedlab.additional_data",
    "job factory": "schedlab.job_factories",
}
"""Groups of entry points whose name is not simply the plural of the kind."""


def is_offered(kind: str, name: str) -> bool:
    """Returns whether an installed package offers something of that name."""
    return any(True for _ in offered(kind, name))


def offered(kind: str, name: str) -> Iterable[metadata.EntryPoint]:
    """Returns the entry points in `schedlab.<kind>s` of a name, or of what is named there."""
    group = GROUPS.get(kind, f"schedlab.{kind}s")
    if ":" not in name:
        return metadata.entry_points(group=group, name=name)
    return [point for point in metadata.entry_points(group=group) if point.value == name]


def is_installed(point: metadata.EntryPoint) -> bool:
    """Returns whether an entry point is of an installed package, and not of files in this folder.

    Python started in some ways looks for packages in the current folder, too, and whatever lies
    there is data.
    """
    if point.dist is None:
        return False
    folder = os.path.realpath(str(point.dist.locate_file("")))
    return folder != os.path.realpath(os.curdir) or folder.endswith("-packages")


def load_point(kind: str, name: str, point: metadata.EntryPoint) -> object:
    """Returns what an entry point offers.

    Raises:
        InputError: It cannot be loaded.
    """
    try:
        return point.load()
    except Exception as error:
        raise InputError(
            f"{kind} {name!r}: {point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
