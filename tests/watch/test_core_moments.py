"""What a replay says about any moment agrees with a plain count over the jobs."""

from __future__ import annotations

import polars

import schedlab as sl
from schedlab.watch import Replay

MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}


def test_counts_of_every_moment(tmp_path):
    jobs = [
        sl.Job(number, submit=number, run=7, processors=1 + number % 6, requested_time=20)
        for number in range(1, 40)
    ]
    jobs.append(sl.Job(99, submit=40, run=10, processors=9))  # more than the machine has: rejected
    sl.simulate(jobs, system=MACHINE, scheduler="easy", out=tmp_path / "run", timeline="csv")
    replay = Replay(str(tmp_path / "run"))
    frame = replay.jobs()
    assert (frame["state"] == "rejected").sum() == 1
    for time in sorted({*frame["submit"], *frame["end"].drop_nulls()}):
        counts = replay.at(time).counts
        ran = polars.col("state") != "rejected"
        expected = {
            "submitted": polars.col("submit") <= time,
            "completed": ran & (polars.col("end") <= time),
            "rejected": ~ran & (polars.col("submit") <= time),
            "running": ran & (polars.col("start") <= time) & (polars.col("end") > time),
            "queued": ran & (polars.col("submit") <= time) & (polars.col("start") > time),
        }
        for state, condition in expected.items():
            assert counts[state] == frame.filter(condition).height, (time, state)
