"""A small workload to learn from."""

from __future__ import annotations

import pytest

from schedlab.workload import write_swf
from schedlab.workload.models import synthetic


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The path of a made-up trace of 3,000 jobs with header."""
    path = tmp_path_factory.mktemp("generator") / "small.swf"
    write_swf(path, synthetic.synthetic_rows(3000, 7), synthetic.header_lines(3000, 7))
    return path
