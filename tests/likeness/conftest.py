"""Workloads to compare."""

from __future__ import annotations

import polars
import pytest
from likeness.tables import jobs_table


@pytest.fixture(scope="session")
def real() -> polars.DataFrame:
    return jobs_table()


@pytest.fixture(scope="session")
def other() -> polars.DataFrame:
    return jobs_table(300, "other", 450.0)
