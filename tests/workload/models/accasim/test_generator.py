"""The generator as a whole: limits, capacity, seeds, parts, wrong input, real traces."""

from __future__ import annotations

import json

import numpy
import polars
import pytest
from conftest import SETH, examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.workload.formats import open_reader
from schedlab.workload.models.accasim import (
    EmpiricalSize,
    FlopsDuration,
    LublinSize,
    Request,
    SizeOfWork,
    SlotWeights,
    Submission,
    Users,
    Work,
)
from schedlab.workload.models.accasim.calendar import BLOCK
from schedlab.workload.table import complete

THIN = {"name": "thin", "groups": {"n": {"nodes": 64, "resources": {"core": 4, "mem": 1000}}}}
MIXED = {
    "name": "mixed",
    "groups": {
        "thin": {"nodes": 12, "resources": {"core": 8, "mem": 1000}},
        "gpu": {"nodes": 4, "resources": {"core": 4, "mem": 4000, "gpu": 2}},
    },
}
LIMITS = {"min": {"core": 1, "mem": 10}, "max": {"core": 4, "mem": 800}}
MIXED_LIMITS = {
    "min": {"core": 1, "mem": 10, "gpu": 0},
    "max": {"core": 8, "mem": 4000, "gpu": 2},
}
SPEED = {"core": 2.0}
MIXED_SPEED = {"core": 2.0, "gpu": 900.0}


def generated(maker, jobs):
    return polars.concat(list(maker.tables(jobs)))


def mixed(small, seed="1", **parts):
    return sl.WorkloadGenerator(
        small,
        MIXED,
        MIXED_SPEED,
        MIXED_LIMITS,
        seed=seed,
        original_system=THIN,
        original_performance=SPEED,
        **parts,
    )


@pytest.mark.parametrize("size", [SizeOfWork(), LublinSize()])
def test_jobs_are_within_limits_and_fit_the_machine(small, size):
    table = generated(mixed(small, size=size), 20_000)
    nodes, cores, gpus, memory = (
        table[name].to_numpy() for name in ("tasks", "task_core", "task_gpu", "task_mem")
    )
    thin = (cores <= 8) & (gpus == 0) & (memory <= 1000)
    with_gpu = (cores <= 4) & (gpus <= 2) & (memory <= 4000)
    assert (nodes <= 12 * thin + 4 * with_gpu).all()
    assert nodes[gpus > 0].max() == 4
    # Large jobs of the trace have more cores on a node than the nodes with GPUs have.
    assert nodes[gpus == 0].max() == (16 if isinstance(size, LublinSize) else 12)
    assert (cores.min(), cores.max(), memory.min()) == (1, 8, 10)
    assert set(gpus) == {0.0, 1, 2}
    assert (table["tasks_per_node"] == 1).all()
    assert (table["requested_processors"] == table["tasks"] * table["task_core"]).all()
    assert table.equals(complete(table))
    assert all(kind == polars.Float64 for kind in table.dtypes)
    assert table["submit"][0] == 0
    assert table["submit"].is_sorted()
    assert table["job"].to_list() == list(range(1, 20_001))
    assert (table["run"] > 0).all()
    assert (table["requested_time"] >= table["run"]).all()  # nobody of the example asks for less


def test_what_is_generated_runs(small, tmp_path):
    facts = mixed(small).generate(2000, tmp_path / "new.swf")
    assert facts.jobs == 2000
    result = sl.simulate(tmp_path / "new.swf", system=MIXED, scheduler="easy")
    counts = result.counts
    assert (counts["submitted"], counts["completed"]) == (2000, 2000)


def test_serial_jobs_and_those_parallel_within_a_node(small):
    table = generated(mixed(small), 20_000)
    one = table.filter(polars.col("tasks") == 1)
    serial = one.filter((polars.col("task_core") == 1) & (polars.col("task_gpu") == 0))
    data = polars.concat(list(open_reader(small).tables()))
    share = (data["requested_processors"] == 1).mean()
    assert serial.height / 20_000 == pytest.approx(share, abs=0.02)
    assert one.height > serial.height


def test_no_job_runs_longer_than_those_of_the_data(small):
    data = polars.concat(list(open_reader(small).tables()))
    slow = sl.WorkloadGenerator(
        small, THIN, {"core": 0.5}, LIMITS, original_performance={"core": 2.0}
    )
    table = generated(slow, 20_000)
    longest = data["run"].max()
    over = table.filter(polars.col("run") > longest)
    # Only what the whole machine cannot do in that time.
    assert (over["tasks"] == 64).all()


def test_the_same_work_takes_less_on_a_faster_machine(small):
    plain = sl.WorkloadGenerator(small, THIN, SPEED, LIMITS)
    fast = sl.WorkloadGenerator(small, THIN, {"core": 4.0}, LIMITS, original_performance=SPEED)
    same = sl.WorkloadGenerator(small, THIN, {"core": 4.0}, LIMITS)
    runs = [generated(made, 5000)["run"].to_numpy() for made in (plain, fast, same)]
    assert runs[1].mean() < 0.7 * runs[0].mean()
    assert runs[2].mean() == pytest.approx(runs[0].mean(), rel=0.02)


def test_same_seed_same_bytes_and_another_seed(small, tmp_path):
    for name, seed in (("a", "x"), ("b", "x"), ("c", "y")):
        mixed(small, seed).generate(BLOCK + 100, tmp_path / f"{name}.swf", writer="swf(exact=true)")
    first, again, other = ((tmp_path / f"{name}.swf").read_bytes() for name in "abc")
    assert first == again
    rows = [text.split(b"\n; MaxRecords", 1)[1] for text in (first, other)]
    assert rows[0] != rows[1]
    assert len(first.splitlines()) == len(other.splitlines())
    assert b"; ExtraFields: tasks tasks_per_node task_core task_mem task_gpu\n" in first


def test_one_part_leaves_the_others_alone(small):
    class Hourly(Submission):
        def times(self, jobs, random):
            yield 1e9 + 3600.0 * numpy.arange(jobs)

    plain, other = generated(mixed(small), 500), generated(mixed(small, submission=Hourly()), 500)
    assert (other["submit"].diff().drop_nulls() == 3600).all()
    assert plain.drop("submit").equals(other.drop("submit"))


def test_times_that_do_not_ascend_are_refused(small):
    class Backwards(Submission):
        def times(self, jobs, random):
            yield 1e9 - 3600.0 * numpy.arange(jobs)

    with pytest.raises(sl.InputError, match="Backwards: its times do not ascend"):
        generated(mixed(small, submission=Backwards()), 5)


def test_every_part_can_be_replaced(small):
    class Constant(Work):
        def draw(self, uniforms):
            return numpy.full(len(uniforms), 4000.0)

    class OneCore(Request):
        def draw(self, serial, one_node, random):
            return {
                "core": numpy.ones(len(serial)),
                "mem": numpy.full(len(serial), 20.0),
                "gpu": numpy.zeros(len(serial)),
            }

    class Nobody(Users):
        def draw(self, count, random):
            return {}

    made = mixed(
        small,
        work=Constant(),
        request=OneCore(),
        users=Nobody(),
        size=EmpiricalSize(),
        duration=FlopsDuration(whole_seconds=True),
        submission=SlotWeights(keep_rate=True),
    )
    table = generated(made, 300)
    assert (table["user"] == -1).all()
    assert (table["task_core"] == 1).all()
    expected = (2000 / table["tasks"]).round().clip(1)
    assert table["run"].to_list() == expected.to_list()


def test_facts(small, tmp_path):
    facts = mixed(small).generate(30_000, tmp_path / "new.swf.gz", writer="swf(exact=true)")
    table = polars.concat(list(open_reader(tmp_path / "new.swf.gz").tables()))
    assert table.height == facts.jobs == 30_000
    assert facts.span_seconds == table["submit"][-1]
    assert facts.month_deviation is None
    assert 0 <= facts.hour_deviation < 2
    assert 0 <= facts.weekday_deviation < 2
    assert facts.work_distance < 0.015
    assert facts.losses == {}
    assert 0.6 < facts.rate < 1.6


@pytest.mark.parametrize("jobs", [0, -1, 2.5, True, 10**12])
def test_wrong_numbers_of_jobs(small, jobs):
    with pytest.raises(sl.InputError, match="jobs: must be a whole number"):
        next(mixed(small).tables(jobs))


def swf(tmp_path, rows, header=""):
    path = tmp_path / "given.swf"
    path.write_text(header + "".join(" ".join(map(str, row)) + "\n" for row in rows))
    return path


def row(number, submit, run=100, processors=1, requested=-1):
    return (number, submit, -1, run, -1, -1, -1, processors, requested, *([-1] * 9))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "0 jobs; at least 2"),
        ([row(1, 5)], "1 jobs; at least 2"),
        ([row(1, 5), row(2, 5)], "within the same second"),
        ([row(1, 5, run=-1), row(2, 9, processors=-1)], "no row has both a run time and"),
        ([row(1, 5), row(2, 10**10)], "span more than 200 years"),
    ],
)
def test_workloads_that_nothing_can_be_learnt_from(tmp_path, rows, message):
    with pytest.raises(sl.InputError, match=message):
        sl.WorkloadGenerator(swf(tmp_path, rows), THIN, SPEED, LIMITS)


def test_a_date_that_no_calendar_has(tmp_path):
    path = swf(tmp_path, [row(1, 0), row(2, 50)], "; UnixStartTime: 999999999999\n")
    with pytest.raises(sl.InputError, match=r"given.swf: dates must lie between"):
        sl.WorkloadGenerator(path, THIN, SPEED, LIMITS)


def test_two_jobs_without_zone_and_requested_times_are_enough_with_a_warning(tmp_path):
    path = swf(tmp_path, [row(2, 500, run=0), row(1, 5, processors=10**9)])
    made = sl.WorkloadGenerator(path, THIN, SPEED, LIMITS)
    assert len(made.warnings) == 2
    assert "has 2 jobs only" in made.warnings[1]
    assert "no UnixStartTime" in made.warnings[0]
    table = generated(made, 50)
    assert (table["requested_time"] == -1).all()
    assert made.header["TimeZoneString"] == "UTC"


def test_a_fixed_offset_is_handed_on(tmp_path):
    path = swf(tmp_path, [row(n, 3600 * n) for n in range(99)], "; TimeZone: -3600\n")
    made = sl.WorkloadGenerator(path, THIN, SPEED, LIMITS)
    assert made.header["TimeZone"] == "-3600"


@examples(20)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.integers(-1, 10**6),
            st.integers(-1, 10**6),
            st.integers(-1, 10**7),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 400),
    st.integers(1, 3),
)
def test_any_rows_give_jobs_that_fit_or_a_clear_error(tmp_path_factory, rows, jobs, nodes):
    path = swf(
        tmp_path_factory.mktemp("any"),
        [
            row(n, submit, run, size, requested)
            for n, (submit, run, size, requested) in enumerate(rows, 1)
        ],
    )
    system = {"groups": {"n": {"nodes": nodes, "resources": {"core": 4, "mem": 900}}}}
    try:
        made = sl.WorkloadGenerator(path, system, SPEED, LIMITS)
    except sl.InputError as error:
        message = str(error)
        made = None
    if made is None:
        assert "given.swf" in message
        return
    table = generated(made, jobs)
    assert table.height == jobs
    assert (table["tasks"] <= nodes).all()
    assert (table["run"] >= 0).all()
    assert table["submit"].is_sorted()
    assert not any(column.is_nan().any() for column in table)


@pytest.mark.parametrize("name", ["HPC2N-2002-2.2-cln.swf.gz", "RICC-2010-2.swf.gz"])
def test_real_traces_on_a_machine_with_gpus(trace, tmp_path, name):
    """FLOPs are distributed as in the data, and every share is within 2 percentage points."""
    seth = name.startswith("HPC2N")
    nodes, cores, speed = (120, 4, 1.667) if seth else (1024, 8, 11.72)
    original = SETH if seth else {"groups": {"n": {"nodes": 1024, "resources": {"core": 8}}}}
    system = {
        "processor": {"core": 2 if seth else 1},
        "groups": {
            "plain": {"nodes": nodes - nodes // 4, "resources": {"core": cores}},
            "gpu": {"nodes": nodes // 4, "resources": {"core": cores, "gpu": 2}},
        },
    }
    made = sl.WorkloadGenerator(
        trace(name),
        system,
        {"core": speed, "gpu": 933.0},
        {"min": {"core": 1, "gpu": 0}, "max": {"core": cores, "gpu": 2}},
        original_system=original,
        original_performance={"core": speed},
    )
    facts = made.generate(60_000, tmp_path / "new.swf")
    assert facts.hour_deviation <= 2
    assert facts.weekday_deviation <= 2
    assert facts.work_distance < 0.01
    assert (facts.month_deviation is not None) is seth
    assert json.dumps(facts._asdict())


def test_sizes_run_times_and_waits_are_those_of_the_trace(small, tmp_path):
    machine = {"name": "m", "groups": {"n": {"nodes": 64, "resources": {"core": 16}}}}
    limits = {"min": {"core": 1}, "max": {"core": 16}}
    data = polars.concat(list(open_reader(small).tables()))
    keep = SlotWeights(keep_rate=True)
    made = sl.WorkloadGenerator(small, machine, SPEED, limits, submission=keep)
    facts = made.generate(6000, tmp_path / "new.swf")
    assert facts.size_distance < 0.03
    assert facts.nodes[:3] == facts.original_nodes[:3]
    table = generated(made, 6000)
    rank = polars.corr("requested_processors", "run", method="spearman")
    ranks = [one.select(rank).item() for one in (table, data)]
    assert ranks[0] == pytest.approx(ranks[1], abs=0.05)
    waits = made.waits(6000)
    assert 0.3 < waits.generated_hours / waits.original_hours < 3
    paper = sl.WorkloadGenerator(
        small, machine, SPEED, limits, submission=keep, size=LublinSize()
    ).generate(6000, tmp_path / "paper.swf")
    assert paper.size_distance > facts.size_distance


def test_processors_are_those_of_the_system(small, tmp_path):
    machine = {"processor": {"core": 2}, "groups": {"n": {"nodes": 512, "resources": {"core": 4}}}}
    limits = {"min": {"core": 1}, "max": {"core": 4}}
    made = sl.WorkloadGenerator(small, machine, SPEED, limits)
    table = generated(made, 500)
    assert (2 * table["requested_processors"] >= table["tasks"] * table["task_core"]).all()
    assert made.header["MaxProcs"] == "1024"
    made.generate(500, tmp_path / "plain.swf")
    plain = sl.simulate(tmp_path / "plain.swf", system=machine, scheduler="easy")
    whole = sl.simulate(tables(table), system=machine, scheduler="easy")
    used = [one.metrics["utilization"]["core"] for one in (plain, whole)]
    assert used[0] == pytest.approx(used[1], rel=0.02)


def tables(table):
    class Given(sl.Reader):
        def tables(self):
            yield table

    return Given()
