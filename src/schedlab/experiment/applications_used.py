"""The user's own applications that a run used: its jobs name them, so they are known afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.errors import InputError, UntrustedCodeError
from schedlab.results.run_shape import read_run
from schedlab.simulation.identity.source_checksums import UnknownSourceError, module_sources

if TYPE_CHECKING:
    from schedlab.trust import Origin

Sources = dict[str, dict[str, str]]
"""Checksums of modules, by application and by module."""


def application_sources(folder: str, origin: Origin) -> Sources | None:
    """Returns what the applications of a run that is done come from; nothing of built-in ones.

    Args:
        folder: Of the run.
        origin: Of the names in its run.json.

    Returns:
        None where it cannot be determined: run.json names code, and that is not trusted.
    """
    named = read_run(folder)["workload"].get("applications", ())
    try:
        found = {text: _modules(text, origin) or {} for text in named}
    except UntrustedCodeError:
        return None
    return {text: modules for text, modules in found.items() if modules}


def are_unchanged(sources: Sources | None, origin: Origin) -> bool:
    """Returns whether applications still come from the same modules, as far as is known."""
    if sources is None:
        return False
    try:
        return all(_modules(text, origin) == modules for text, modules in sources.items())
    except UntrustedCodeError:
        return False


def _modules(text: str, origin: Origin) -> dict[str, str] | None:
    """Returns the checksums of the modules of an application; None if it is not there any more."""
    from schedlab.application.repository import program_named

    try:
        return module_sources(program_named(text, origin)[2])
    except UntrustedCodeError:
        raise
    except (InputError, UnknownSourceError):
        return None
