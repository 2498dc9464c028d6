"""Shares of work: all of it, shares that add up, and members that are made together."""

from __future__ import annotations

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from workload.models.scsf.rows import log

from schedlab.errors import InputError
from schedlab.workload.models.scsf import (
    FixedSequence,
    Insertion,
    Periodic,
    PlainJob,
    ShareOfWork,
    WeightedChoice,
    WorkloadModel,
    workflows,
)
from schedlab.workload.workflow import Task, Workflow

MODEL = WorkloadModel.fit(log(), cores_per_node=4)
CORES = 64
WIDE_LONG = Workflow(
    [Task("wide", 360, 48), Task("long", 1440, 4, predecessors=("wide",))], "wide-long"
)
FORK = Workflow(
    [Task("a", 10.5, 2), Task("b", 7, 4, predecessors=("a",)), Task("c", 3, 1), Task("d", 1, 1)]
)


class OneByOne:
    """A member that makes a table each time: the naive way."""

    def __init__(self, member):
        self.member, self.name = member, getattr(member, "name", "job")

    def as_jobs(self, first_job, submit, workflow_number, handling):
        return self.member.as_jobs(first_job, submit, workflow_number, handling)


def work(table):
    return float((table["requested_processors"] * table["run"]).sum())


@pytest.mark.parametrize("pressure", [None, 1.0])
@pytest.mark.parametrize("handling", ["chained", "pilot"])
def test_all_of_the_work(pressure, handling):
    options = {"duration": 400_000, "stabilization": 10_000, "drain": 50_000}
    options |= {"processors": CORES, "pressure_low": pressure}
    plain = MODEL.generate("a", **options).table()
    insertions = workflows("share:1.0", [(1, WIDE_LONG)], handling)
    table = MODEL.generate("a", insertions=insertions, **options).table()
    assert table["submit"].is_sorted()
    assert table["job"].to_list() == list(range(1, table.height + 1))
    inserted = polars.col("workflow") > 0
    assert table.filter(polars.col("phase") == 3).select(inserted.all()).item()
    assert not table.filter(polars.col("phase") != 3).select(inserted.any()).item()
    for phase in (2, 4):  # regular jobs are there before and after it
        assert table.filter(polars.col("phase") == phase).height > 0
    amounts = [work(one.filter(polars.col("phase") == 3)) for one in (table, plain)]
    assert amounts[0] == pytest.approx(amounts[1], rel=0.05)  # the load is that of the model


def test_all_of_the_work_of_a_number_of_jobs():
    table = MODEL.generate("a", jobs=500, insertions=workflows("share:1", [(1, FORK)])).table()
    assert (table["workflow"] > 0).all()
    assert work(table) == pytest.approx(work(MODEL.generate("a", jobs=500).table()), rel=0.05)


def test_shares_that_add_up_to_all():
    parts = [
        Insertion(ShareOfWork(share), FixedSequence([PlainJob(4, 100 + number)]))
        for number, share in enumerate((0.3, 0.1, 0.6))
    ]
    table = MODEL.generate("a", insertions=parts, processors=CORES, duration=200_000).table()
    assert (table["workflow"] > 0).all()
    for number, share in enumerate((0.3, 0.1, 0.6)):
        own = table.filter(polars.col("run") == 100 + number)
        assert work(own) / work(table) == pytest.approx(share, abs=0.02)


def test_shares_that_cannot_be():
    for share in (0, -0.5, 1.01, 75, float("nan")):
        with pytest.raises(InputError, match="above 0 and at most 1"):
            ShareOfWork(share)
    parts = [Insertion(ShareOfWork(0.6), FixedSequence([PlainJob(4, 100)]))] * 2
    with pytest.raises(InputError, match=r"add up to 1\.2"):
        MODEL.generate("a", insertions=parts)


@settings(max_examples=40, deadline=None)
@given(
    share=st.sampled_from([0.05, 0.5, 0.9, 1.0]),
    period=st.sampled_from([None, 900, 1000.25]),
    handling=st.sampled_from(["chained", "pilot"]),
    pressure=st.sampled_from([None, 0.7, 1.2]),
    duration=st.integers(1, 60_000),
    stabilization=st.sampled_from([0, 5_000]),
    seed=st.text("abc", min_size=1, max_size=3),
)
def test_made_together_is_made_one_by_one(
    share, period, handling, pressure, duration, stabilization, seed
):
    options = {"processors": CORES, "pressure_low": pressure, "duration": duration}
    tables = []
    for made in (lambda member: member, OneByOne):
        choice = WeightedChoice(
            [(0.5, made(WIDE_LONG)), (0.3, made(FORK)), (0.2, made(PlainJob(3, 50.5)))]
        )
        parts = [Insertion(ShareOfWork(share), choice, handling)]
        if period is not None:
            again = FixedSequence([made(FORK), made(PlainJob(1, 7))], gap=30)
            parts.append(Insertion(Periodic(period), again))
        workload = MODEL.generate(seed, insertions=parts, stabilization=stabilization, **options)
        tables.append(workload.table())
    assert_frame_equal(*tables)


def test_a_workflow_with_jobs_of_its_own_is_asked_each_time():
    class Growing(Workflow):
        """Its jobs run longer each time."""

        def as_jobs(self, first_job, submit, workflow_number, handling):
            rows = super().as_jobs(first_job, submit, workflow_number, handling)
            return rows.with_columns(polars.col("run") + workflow_number)

    insertions = (Insertion(Periodic(3600), FixedSequence([Growing([Task("a", 10)])])),)
    table = MODEL.generate("a", insertions=insertions, duration=4 * 3600).table()
    assert table.filter(polars.col("workflow") > 0)["run"].to_list() == [11, 12, 13, 14]
