"""Triggers, patterns and workflow policies: what is inserted, when, and as which jobs."""

from __future__ import annotations

import numpy as np
import polars
import pytest
from workload.models.scsf.rows import log

import schedlab as sl
from schedlab.errors import InputError
from schedlab.workload.formats import open_reader
from schedlab.workload.models.scsf import (
    Alarm,
    FixedSequence,
    Insertion,
    Pattern,
    Periodic,
    PlainJob,
    RandomTrigger,
    ReprogrammableAlarm,
    ShareOfWork,
    Trigger,
    WeightedChoice,
    WorkloadModel,
    workflows,
)
from schedlab.workload.workflow import Task, Workflow

MODEL = WorkloadModel.fit(log(), cores_per_node=4)
CORES = 64
MANIFEST = """{"tasks": [
    {"id": "SWide", "cmd": "./W.py", "cores": 48, "rtime": 360.0},
    {"id": "SLong", "cmd": "./L.py", "cores": 4, "rtime": 1440.0, "deps": ["SWide"]}]}"""
WIDE_LONG = Workflow(
    [Task("wide", 360, 48), Task("long", 1440, 4, predecessors=("wide",))], "wide-long"
)


def inserted(trigger, pattern=None, handling="chained", **options):
    """Returns the rows that were inserted into a workload, and the workload's begin of phase 3."""
    pattern = FixedSequence([PlainJob(4, 100)]) if pattern is None else pattern
    given = {"duration": 40_000, "stabilization": 10_000, "processors": CORES, **options}
    workload = MODEL.generate("a", insertions=(Insertion(trigger, pattern, handling),), **given)
    table = workload.table()
    assert table["submit"].is_sorted()
    assert table["job"].to_list() == list(range(1, table.height + 1))
    assert workload.table().equals(table)  # triggers begin anew
    begin, end = workload.windows["experiment"]
    rows = table.filter(polars.col("workflow") > 0)
    assert ((rows["submit"] >= begin) & (rows["submit"] < end)).all()
    regular = table.filter(polars.col("workflow") < 0)
    assert (regular["predecessors"].list.len() == 0).all()
    return rows.with_columns(since=polars.col("submit") - begin), table


def test_periodic():
    rows, _ = inserted(Periodic(3600))
    assert rows["since"].to_list() == [3600.0 * n for n in range(12)]
    assert rows["workflow"].to_list() == list(range(1, 13))
    rows, _ = inserted(Periodic(10_000, first=500))
    assert rows["since"].to_list() == [500, 10_500, 20_500, 30_500]


def test_alarms():
    assert inserted(Alarm(777))[0]["since"].to_list() == [777]
    assert inserted(Alarm([900, 5, 5, 99_999]))[0]["since"].to_list() == [5, 5, 900]
    assert inserted(Alarm([]))[0].height == 0


def test_reprogrammable_alarm():
    class Twice(ReprogrammableAlarm):
        """Goes off at 1000 s, then after ever longer times."""

        def fired(self, time):
            super().fired(time)
            self.program(2 * time)

    assert inserted(Twice(1000))[0]["since"].to_list() == [1000, 2000, 4000, 8000, 16_000, 32_000]
    assert inserted(ReprogrammableAlarm(50))[0]["since"].to_list() == [50]
    assert inserted(ReprogrammableAlarm())[0].height == 0


def test_random_trigger():
    rows, _ = inserted(RandomTrigger(100), duration=200_000)
    gaps = np.diff(rows["since"].to_numpy())
    assert gaps.mean() == pytest.approx(100, rel=0.1)
    assert gaps.std() == pytest.approx(100, rel=0.1)  # exponential


def test_own_trigger_sees_what_was_submitted():
    class AfterWork(Trigger):
        """Goes off once, when others have submitted a million core-seconds."""

        watches = True
        done = False

        def next_time(self, submitted):
            enough = submitted.core_seconds - submitted.own_core_seconds >= 1e6
            return submitted.now if enough and not self.done else float("inf")

        def fired(self, time):
            self.done = True

    rows, table = inserted(AfterWork())
    assert rows.height == 1
    number = rows["job"][0]
    before = table.filter((polars.col("job") < number) & (polars.col("phase") == 3))
    work = (before["requested_processors"] * before["run"]).to_numpy()
    assert work[:-1].sum() < 1e6 <= work.sum()


def test_share_of_work():
    for share in (0.1, 0.5):
        member = FixedSequence([PlainJob(16, 900)])
        rows, table = inserted(ShareOfWork(share), member, duration=400_000, pressure_low=1.0)
        phase = table.filter(polars.col("phase") == 3)
        amounts = [(t["requested_processors"] * t["run"]).sum() for t in (rows, phase)]
        assert amounts[0] / amounts[1] == pytest.approx(share, abs=0.02)
        since = phase["submit"].max() - 10_000
        assert amounts[1] / (CORES * since) == pytest.approx(1.05, abs=0.15)  # pressure holds


def test_patterns():
    small, large = PlainJob(4, 10), PlainJob(8, 20, requested=60)
    rows, _ = inserted(Alarm([100, 130]), FixedSequence([small, large, small], gap=50))
    assert rows.select("since", "requested_processors").rows() == [
        (100, 4), (130, 4), (150, 8), (180, 8), (200, 4), (230, 4)
    ]  # fmt: skip
    assert rows["requested_time"].to_list()[2] == 60
    choice = WeightedChoice([(0.4, small), (0.6, large), (0, PlainJob(12, 1))])
    rows, _ = inserted(Periodic(25), choice)
    shares = rows["requested_processors"].value_counts(normalize=True)
    assert dict(shares.rows())[4.0] == pytest.approx(0.4, abs=0.03)
    assert set(rows["requested_processors"]) == {4.0, 8.0}
    nested = FixedSequence([choice, FixedSequence([large])])
    assert inserted(Alarm(1), nested)[0].height == 2


def test_own_pattern():
    class Doubling(Pattern):
        def members(self, time, random):
            for n in range(3):
                yield time + n, PlainJob(4 * 2**n, 10)

    rows, _ = inserted(Alarm(7), Doubling())
    assert rows["requested_processors"].to_list() == [4, 8, 16]
    assert rows["since"].to_list() == [7, 8, 9]


def test_workflow_policies(tmp_path):
    manifest = tmp_path / "WideLong.json"
    manifest.write_text(MANIFEST)
    (period,) = workflows("period:7200", [(1, manifest)])
    rows, _ = inserted(period.trigger, period.pattern)
    assert rows.height == 12  # six workflows of two tasks
    wide, long = rows.rows(named=True)[:2]
    assert (wide["requested_processors"], long["requested_processors"]) == (48, 4)
    assert (wide["workflow"], long["workflow"]) == (1, 1)
    assert wide["predecessors"] == []
    assert long["predecessors"] == [wide["job"]]
    pilots, _ = inserted(period.trigger, period.pattern, "pilot")
    assert pilots.height == 6
    assert pilots.row(0, named=True)["requested_processors"] == 48
    assert pilots.row(0, named=True)["run"] == 1800
    assert workflows("none", []) == ()
    (share,) = workflows("share:0.25", [(0.4, WIDE_LONG), (0.6, manifest)])
    assert isinstance(share.trigger, ShareOfWork)


def test_workflows_are_simulated_in_order(tmp_path):
    insertions = workflows("period:3600", [(1, WIDE_LONG)])
    workload = MODEL.generate(
        "a", insertions=insertions, processors=CORES, pressure_low=0.8, duration=40_000,
        stabilization=3600,
    )  # fmt: skip
    path = tmp_path / "new.swf"
    workload.write(path, "swf(exact=true)")
    back = polars.concat(open_reader(path).tables())
    assert back["predecessors"].to_list() == workload.table()["predecessors"].to_list()
    system = {"groups": {"n": {"nodes": 16, "resources": {"core": 4}}}}
    jobs = sl.simulate(path, system=system, scheduler="easy").jobs.collect()
    tasks = jobs.filter(polars.col("workflow") > 0).sort("job_id")
    assert tasks.height == 24
    for wide, long in zip(tasks[::2].rows(named=True), tasks[1::2].rows(named=True), strict=True):
        assert wide["workflow"] == long["workflow"]
        assert long["start"] >= wide["end"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Periodic(0), "a period must be above 0"),
        (lambda: Periodic(5, -1), "begin at 0 or later"),
        (lambda: Alarm(-1), "alarms must be at 0 or later"),
        (lambda: ReprogrammableAlarm(float("nan")), "an alarm must be at 0 or later"),
        (lambda: RandomTrigger(-5), "must be above 0"),
        (lambda: ShareOfWork(1.5), "above 0 and at most 1"),
        (lambda: FixedSequence([]), "at least one part"),
        (lambda: FixedSequence([PlainJob(1, 1)], -1), "must be 0 or more"),
        (lambda: WeightedChoice([]), "weights must be 0 or more"),
        (lambda: WeightedChoice([(0, PlainJob(1, 1))]), "weights must be 0 or more"),
        (lambda: PlainJob(0, 5), "a job needs cores"),
        (lambda: Insertion(Alarm(1), FixedSequence([PlainJob(1, 1)]), "multi"), "handling: must"),
        (lambda: Insertion("now", "this"), "needs a Trigger and a Pattern"),
        (lambda: workflows("hourly", [(1, WIDE_LONG)]), "workflows 'hourly': must be none, period"),
        (lambda: workflows("period:x", [(1, WIDE_LONG)]), "must be none, period"),
        (lambda: workflows("period:60", []), "needs at least one manifest"),
        (lambda: workflows("period:60", [(1, "/none.json")]), "none.json"),
    ],
)
def test_wrong_use(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_what_cannot_be_inserted():
    with pytest.raises(InputError, match=r"wide-long: .* 48 processors; the machine has 32"):
        inserted(Alarm(1), FixedSequence([WIDE_LONG]), processors=32)
    with pytest.raises(InputError, match="goes off for ever"):
        inserted(ShareOfWork(0.5), FixedSequence([PlainJob(1, 0)]))
    with pytest.raises(NotImplementedError, match="next_time"):
        inserted(Trigger())
    with pytest.raises(NotImplementedError, match="members"):
        inserted(Alarm(1), Pattern())
