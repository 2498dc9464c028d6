"""What the tests of the conformance suites share: how policies that break a rule are found out."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from schedlab.testing import ConformanceError, Scenario


def peek() -> dict[int, float]:
    """Returns the run times of the scenario that is being simulated: what no policy should do."""
    frame = sys._getframe(1)
    while frame is not None:
        for value in frame.f_locals.values():
            if isinstance(value, Scenario):
                return {job.id: job.run for job in value.jobs}
        frame = frame.f_back
    return {}


def broken(check: Callable[[], object], rule: str, words: str) -> ConformanceError:
    """Returns the error of a check that finds this rule broken, and says so in these words."""
    with pytest.raises(ConformanceError) as caught:
        check()
    assert caught.value.rule == rule, caught.value
    assert words in caught.value.found, caught.value
    return caught.value
