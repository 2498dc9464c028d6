"""Dumps of sacct for tests, and the jobs that are read of them."""

from __future__ import annotations

from schedlab.workload.formats import open_reader

MARCH = 1_709_280_000  # 2024-03-01 08:00:00 UTC

REQUEUED = (
    "JobID|Submit|Start|ElapsedRaw|AllocCPUS|State|JobName\n"
    f"8|{MARCH}|{MARCH}|100|4|NODE_FAIL|a\n8.batch|{MARCH}|{MARCH}|100|4|CANCELLED|batch\n"
    f"9|{MARCH + 5}|{MARCH + 5}|50|4|COMPLETED|b\n"
    f"8|{MARCH + 100}|{MARCH + 130}|200|4|COMPLETED|a\n"
)


def read(tmp_path, text, call="sacct"):
    """Returns the jobs of a dump as dicts, and the reader."""
    path = tmp_path / "dump.sacct"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    reader = open_reader(path, call)
    return [row for table in reader.tables() for row in table.to_dicts()], reader


def one(tmp_path, call="sacct", **fields):
    """Returns the one job of a dump with the columns and texts that are given."""
    fields = {"JobID": "7", "Submit": str(MARCH), **fields}
    text = "|".join(fields) + "\n" + "|".join(fields.values()) + "\n"
    jobs, reader = read(tmp_path, text, call)
    assert len(jobs) == 1, reader.skipped
    return jobs[0]
