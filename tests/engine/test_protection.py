"""A sample of the random cases in which no backfilled job may delay a reserved one.

All of them: `python -m oracles.protection 100000` in the folder tests.
"""

from __future__ import annotations

import pytest
from oracles.protection import check


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.unsanitized) for n in (250, 500, 750))]
)
def test_reservations_are_protected(first):
    for number in range(first, first + 250):
        check(number)
