"""A parser that takes nothing but plain SWF: 18 whole numbers a row, in order of submission."""

from __future__ import annotations

import gzip


def strict_rows(path):
    """Returns the rows of a file, as lists of 18 ints; raises ValueError at anything else."""
    opened = gzip.open if str(path).endswith(".gz") else open
    rows, last = [], -1
    with opened(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith(";") or not line.strip():
                assert "ExtraFields" not in line
                continue
            fields = line.split()
            if len(fields) != 18:
                raise ValueError(f"line {number}: {len(fields)} fields")
            row = [int(field) for field in fields]  # int("1.0") and int("1e5") raise
            assert row[1] >= last
            last = row[1]
            rows.append(row)
    return rows
