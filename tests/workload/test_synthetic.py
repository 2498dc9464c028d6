"""The workload of the bundled example."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from statistics import mean

import pytest

from schedlab.errors import InputError
from schedlab.workload.models.synthetic import (
    COMMON_REQUESTS,
    PROCESSORS,
    START,
    header_lines,
    synthetic_rows,
)


def test_same_seed_same_rows() -> None:
    assert list(synthetic_rows(300, 5)) == list(synthetic_rows(300, 5))
    assert list(synthetic_rows(300, 5)) != list(synthetic_rows(300, 6))


@pytest.mark.parametrize(("jobs", "seed"), list(product([1, 2, 50, 5000], [1, 2, 42])))
def test_rows_are_valid(jobs: int, seed: int) -> None:
    rows = list(synthetic_rows(jobs, seed))
    assert [row.job for row in rows] == list(range(1, jobs + 1))
    assert all(earlier.submit <= later.submit for earlier, later in pairwise(rows))
    for row in rows:
        assert len(row) == 18
        assert all(isinstance(number, int) for number in row)
        assert 1 <= row.requested_processors == row.allocated_processors <= PROCESSORS
        assert 1 <= row.run <= row.requested_time
        assert row.requested_time in COMMON_REQUESTS


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_looks_like_a_real_one(seed: int) -> None:
    rows = list(synthetic_rows(5000, seed))
    work = sum(row.run * row.allocated_processors for row in rows)
    assert 0.84 < work / (PROCESSORS * rows[-1].submit) < 0.91
    sizes = Counter(row.allocated_processors for row in rows)
    assert 0.75 < sum(n for size, n in sizes.items() if size & (size - 1) == 0) / 5000 < 0.97
    by_hour = Counter(row.submit // 3600 % 24 for row in rows)
    assert sum(by_hour[hour] for hour in range(9, 18)) > 3 * sum(by_hour[hour] for hour in range(6))
    by_user = [jobs for _, jobs in Counter(row.user for row in rows).most_common()]
    assert len(by_user) > 30
    assert sum(by_user[:5]) > 0.4 * 5000
    long_run = mean(row.run for row in rows if row.allocated_processors >= 64)
    assert long_run > mean(row.run for row in rows if row.allocated_processors == 1)


def test_header_and_refusal() -> None:
    assert f" UnixStartTime: {START}" in header_lines(10, 1)
    with pytest.raises(InputError, match="jobs: must be"):
        next(synthetic_rows(0))
