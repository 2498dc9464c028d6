"""The user's own applications that a run used: its jobs name them, so they are known afterwards."""

from __future__ import annotations

import json
import os

from schedlab.errors import InputError
from schedlab.experiment.sources import UnknownSourceError, module_sources

Sources = dict[str, dict[str, str]]
"""Checksums of modules, by application and by module."""


def application_sources(folder: str) -> Sources:
    """Returns what the applications of a run that is done come from; nothing of built-in ones."""
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        named = json.load(file)["workload"].get("applications", ())
    found = {text: _modules(text) or {} for text in named}
    return {text: modules for text, modules in found.items() if modules}


def are_as_they_were(sources: Sources) -> bool:
    """Returns whether applications still come from the same modules."""
    return all(_modules(text) == modules for text, modules in sources.items())


def _modules(text: str) -> dict[str, str] | None:
    """Returns the checksums of the modules of an application; None if it is not there any more."""
    from schedlab.application.repository import program_named

    try:
        return module_sources(program_named(text)[2])
    except (InputError, UnknownSourceError):
        return None
