"""The exceptions of schedlab: one root, few kinds."""

from __future__ import annotations

__all__ = ["InputError", "SchedlabError", "SimulationError"]


class SchedlabError(Exception):
    """Root of every error that schedlab raises on purpose."""


class InputError(SchedlabError):
    """Something the user gave is wrong: the message says what, where and what to do."""


class SimulationError(SchedlabError):
    """A simulation cannot go on, for example after an invalid decision of a policy."""
