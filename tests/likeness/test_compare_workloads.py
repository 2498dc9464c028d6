"""Workloads compared: numbers against naive ones, machines, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import polars
import pytest
from conftest import examples  # type: ignore[attr-defined]
from hypothesis import given
from hypothesis import strategies as st
from likeness.tables import MACHINE, jobs_table

import schedlab as sl
from schedlab.analysis.workload_columns import labels_of, read_columns
from schedlab.errors import InputError
from schedlab.workload import Reader
from schedlab.workload.formats import write_tables
from schedlab.workload.table import complete

HEADER = {"UnixStartTime": "1027839845", "TimeZoneString": "Europe/Stockholm", "MaxProcs": "32"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("files")
    paths = []
    for name, table in (("real", jobs_table()), ("other", jobs_table(300, "other", 450.0))):
        paths.append(str(folder / f"{name}.swf.gz"))
        write_tables(paths[-1], [complete(table)], HEADER)
    return paths


def characteristic(likeness: sl.Likeness, name: str, key: str, workload: int = 1) -> float:
    value = likeness.workloads[workload]["characteristics"][name][key]
    assert value is not None
    return float(value)


def test_a_workload_is_like_itself(files: list[str]) -> None:
    likeness = sl.compare_workloads(files[0], files[0], simulate="easy")
    first, second = likeness.workloads
    assert likeness.labels == ["real", "real (2)"]
    distances = [facts.pop("ks") for facts in second["characteristics"].values()]
    assert distances == [0.0] * 5
    assert [part["deviation"] for part in second["calendar"].values()] == [0.0] * 3
    for name in ("load", "autocorrelation", "users", "correlations", "submit"):
        assert first[name] == second[name]
    assert first["simulated"]["easy"]["wait"] == second["simulated"]["easy"]["wait"]


def test_numbers_are_those_of_the_jobs(files: list[str]) -> None:
    likeness = sl.compare_workloads(*files, simulate=())
    real, other = jobs_table(), jobs_table(300, "other", 450.0)
    for place, table in enumerate((real, other)):
        facts = likeness.workloads[place]
        submit = table["submit"].to_numpy()
        work = (table["run"] * table["requested_processors"]).to_numpy()
        assert facts["jobs"] == table.height
        assert facts["offered_load"] == pytest.approx(work.sum() / (32 * (submit[-1] - submit[0])))
        assert facts["characteristics"]["work"]["mean"] == pytest.approx(work.mean())
        assert facts["characteristics"]["interarrival"]["p90"] == pytest.approx(
            numpy.quantile(numpy.diff(submit), 0.9)
        )
        assert sum(facts["calendar"]["weekday"]["jobs"]) == table.height
        daily = facts["load"]["daily"]["values"]
        per_day = [
            work[(submit - submit[0]) // 86_400 == day].sum() for day in range(len(daily) + 1)
        ]
        assert daily == pytest.approx([amount / 86_400 / 32 for amount in per_day[:-1]])
        assert facts["users"]["users"] == table["user"].n_unique()
    a, b = real["run"].to_numpy(), other["run"].to_numpy()
    gaps = [abs((a <= x).mean() - (b <= x).mean()) for x in numpy.concatenate((a, b))]
    assert characteristic(likeness, "run_time", "ks") == pytest.approx(max(gaps), abs=1e-12)
    shares = [
        numpy.array(facts["calendar"]["hour"]["jobs"]) / facts["jobs"]
        for facts in likeness.workloads
    ]
    assert likeness.workloads[1]["calendar"]["hour"]["deviation"] == pytest.approx(
        numpy.abs(shares[0] - shares[1]).max()
    )


def test_simulations_are_those_of_simulate(files: list[str]) -> None:
    likeness = sl.compare_workloads(*files)
    machine = {"groups": {"node": {"nodes": 32, "resources": {"core": 1}}}}
    for path, facts in zip(files, likeness.workloads, strict=True):
        assert list(facts["simulated"]) == ["fifo", "easy"]
        for scheduler, found in facts["simulated"].items():
            metrics = sl.simulate(path, system=machine, scheduler=scheduler).metrics
            for name in ("wait", "bounded_slowdown", "utilization", "makespan"):
                assert found[name] == metrics[name]


def test_tables_and_readers_are_as_good_as_files(
    files: list[str], real: polars.DataFrame, other: polars.DataFrame
) -> None:
    class Mine(Reader):
        def tables(self):
            yield complete(other)

    by_file = sl.compare_workloads(*files, system=MACHINE, simulate="easy")
    by_table = sl.compare_workloads(real, Mine(), system=MACHINE, simulate="easy")
    assert by_table.labels == ["jobs", "Mine"]
    for a, b in zip(by_file.workloads, by_table.workloads, strict=True):
        for name in ("characteristics", "load", "users", "correlations", "simulated"):
            assert a[name] == b[name]


def test_order_of_rows_does_not_matter(real: polars.DataFrame, other: polars.DataFrame) -> None:
    shuffled = real.sample(fraction=1.0, shuffle=True, seed=3)
    likeness = sl.compare_workloads(real, shuffled, system=MACHINE, names=["a", "b"])
    assert [facts["ks"] for facts in likeness.workloads[1]["characteristics"].values()] == [0] * 5
    a, b = (facts["simulated"]["fifo"]["wait"]["mean"] for facts in likeness.workloads)
    assert a == b
    assert any("submitted before the row above: sorted" in note for note in likeness.facts["notes"])


def test_work_in_flops(real: polars.DataFrame) -> None:
    with_gpus = real.with_columns(
        tasks=polars.lit(2.0), task_core=polars.lit(3.0), task_gpu=polars.lit(0.5)
    )
    likeness = sl.compare_workloads(
        real, with_gpus, performance=[{"core": 2.0}, {"core": 4.0, "gpu": 933.0}], simulate=()
    )
    facts = [workload["characteristics"] for workload in likeness.workloads]
    assert facts[0]["work"]["unit"] == "GFLOP"
    expected = (real["run"] * real["requested_processors"] * 2.0).mean()
    assert facts[0]["work"]["mean"] == pytest.approx(expected)
    # Two tasks of three cores and half a GPU each.
    assert facts[1]["work"]["mean"] == pytest.approx((real["run"] * (6 * 4.0 + 933.0)).mean())
    assert facts[1]["cores"]["max"] == 6
    assert facts[1]["gpu"]["max"] == 1
    assert "gpu" not in facts[0]


def test_bins_take_away_rounding(real: polars.DataFrame) -> None:
    rounded = real.with_columns((polars.col("run") / 60).ceil() * 60)
    exact = sl.compare_workloads(real, rounded, simulate=())
    binned = sl.compare_workloads(real, rounded, simulate=(), bins={"run_time": 60})
    assert characteristic(exact, "run_time", "ks") > 0
    assert characteristic(binned, "run_time", "ks") == 0
    assert binned.facts["bins"] == {"run_time": 60}


def test_machines_of_headers(tmp_path: Path, real: polars.DataFrame) -> None:
    def compared(**header: str) -> sl.Likeness:
        path = tmp_path / "log.swf"
        write_tables(path, [complete(real)], header)
        return sl.compare_workloads(path, path, simulate="fifo")

    for header, cores in (
        ({"MaxProcs": "64 (of 70)", "MaxNodes": "8"}, 64),
        ({"MaxProcs": "64", "MaxNodes": "7"}, 64),
        ({"MaxNodes": "40"}, 40),
    ):
        facts = compared(**header).workloads[0]
        assert facts["machine_cores"] == cores
        used = facts["simulated"]["fifo"]["utilization"]["core"]
        work = (real["run"] * real["requested_processors"]).sum()
        makespan = facts["simulated"]["fifo"]["makespan"]
        assert used == pytest.approx(work / (cores * makespan), rel=1e-6)
    with pytest.raises(InputError, match=r"neither MaxProcs nor MaxNodes.*--system"):
        compared()


def test_each_workload_may_have_its_own_machine(real: polars.DataFrame) -> None:
    small = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
    likeness = sl.compare_workloads(
        real, real, real, system=[small, MACHINE], simulate="fifo", names=["a", "b", "c"]
    )
    assert [facts["machine_cores"] for facts in likeness.workloads] == [16, 32, 32]
    waits = [facts["simulated"]["fifo"]["wait"]["mean"] for facts in likeness.workloads]
    assert waits[0] > waits[1] == waits[2]


def test_a_machine_counts_its_cores_per_processor(real: polars.DataFrame) -> None:
    double = {**MACHINE, "processor": {"core": 2}}
    likeness = sl.compare_workloads(real, real, system=[MACHINE, double], simulate=())
    assert characteristic(likeness, "cores", "max", 1) == 2 * characteristic(
        likeness, "cores", "max", 0
    )


def test_jobs_that_are_too_large_are_reported(real: polars.DataFrame) -> None:
    tiny = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
    likeness = sl.compare_workloads(real, real, system=tiny, simulate="fifo")
    count = real.filter(polars.col("requested_processors") > 8).height
    assert f"jobs under fifo: {count} jobs rejected: larger than system" in likeness.facts["notes"]
    assert "rejected jobs" in likeness.table["quantity"].to_list()


def test_table_and_json_say_the_same(files: list[str]) -> None:
    likeness = sl.compare_workloads(*files, simulate="easy", names=["unit", "b"])
    assert json.loads(likeness.json()) == likeness.facts
    table = likeness.table
    assert table.columns == ["section", "quantity", "unit", "unit ", "b"]
    distance = table.filter(section="run time", quantity="KS distance")["b"].item()
    assert distance == characteristic(likeness, "run_time", "ks")
    waits = table.filter(section="simulated under easy", quantity="wait, mean")
    assert waits["unit "].item() == likeness.workloads[0]["simulated"]["easy"]["wait"]["mean"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["a"]}, "names: must be 2 different texts"),
        ({"names": ["a", "a"]}, "names: must be 2 different texts"),
        ({"system": [MACHINE] * 3}, "system: 3 given for 2 workloads"),
        ({"system": 7}, "system: must be one for all workloads or a list"),
        ({"performance": {"gpu": 1.0}}, 'performance: no workload has jobs that take "gpu"'),
        ({"performance": {"core": -1.0}}, "performance: core must be 0 or more"),
        ({"performance": [{"core": 1.0}, {}]}, "performance: must be given for all"),
        ({"bins": {"wait": 60}}, 'bins: unknown characteristic "wait"'),
        ({"bins": {"cores": 0}}, "bins: cores must be a width above 0"),
        ({"bins": {"cores": [4, 2]}}, "bins: cores must be a width above 0"),
        ({"simulate": "fastest"}, 'unknown scheduler "fastest"'),
        ({"simulate": "fifo", "system": None}, "neither MaxProcs nor MaxNodes"),
    ],
)
def test_what_is_wrong_is_said(
    real: polars.DataFrame, arguments: dict[str, object], message: str
) -> None:
    given_or = {"system": MACHINE, "simulate": (), **arguments}
    with pytest.raises(InputError, match=message):
        sl.compare_workloads(real, real, **given_or)  # type: ignore[arg-type]


def test_what_is_no_workload_is_refused(real: polars.DataFrame) -> None:
    with pytest.raises(InputError, match="nothing to compare"):
        sl.compare_workloads(real)
    with pytest.raises(InputError, match="a path, a Reader or a polars DataFrame"):
        sl.compare_workloads(real, 7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"absent\.swf"):
        sl.compare_workloads(real, "absent.swf", simulate=())
    gpus = real.with_columns(task_gpu=polars.lit(1.0))
    with pytest.raises(InputError, match="its jobs take gpu, of which no header gives"):
        sl.compare_workloads(gpus, real)


def test_names_of_workloads() -> None:
    paths = ["a/log.swf.gz", "b/log.swf", "log.parquet", "log (2).swf", ".swf"]
    assert labels_of(list(paths)) == ["log", "log (2)", "log.parquet", "log (2) (2)", ".swf"]


NUMBERS = st.sampled_from([-1.0, 0.0, 1.0, 5.0, 86_400.0, 1e9, 1e17])


@examples(25)
@given(st.lists(st.tuples(*[NUMBERS] * 5), max_size=8))
def test_odd_rows_are_compared_without_a_complaint(rows: list[tuple[float, ...]]) -> None:
    names = ("submit", "run", "requested_processors", "requested_time", "user")
    odd = polars.DataFrame(rows, dict.fromkeys(names, polars.Float64), orient="row")
    for pair in ((odd, jobs_table(20)), (jobs_table(20), odd)):
        likeness = sl.compare_workloads(*pair, simulate=())
        facts = json.loads(likeness.json())
        assert facts["workloads"][0]["rows"] == pair[0].height
        for name, found in facts["workloads"][1]["characteristics"].items():
            assert found["ks"] is None or 0 <= found["ks"] <= 1, name
        assert likeness.table.height > 10


def test_columns_are_read_in_parts() -> None:
    whole = jobs_table(1000)

    class Parts(Reader):
        def tables(self):
            yield from complete(whole).iter_slices(64)

    seen: list[int] = []
    columns = read_columns(Parts(), "parts", progress=lambda _, rows, share: seen.append(rows))
    assert (columns.jobs, len(seen), seen[-1]) == (1000, 16, 1000)
    assert list(columns.run) == whole["run"].to_list()


def test_a_real_log_and_a_bootstrap_of_it(trace) -> None:
    path = trace("SDSC-SP2-1998-5Ksample.swf.gz")
    columns = read_columns(path, "log")
    draw = numpy.random.default_rng(1).integers(0, columns.jobs, columns.jobs)
    resampled = polars.DataFrame(
        {
            "submit": columns.submit,
            "run": columns.run[draw],
            "requested_processors": columns.cores[draw],
            "requested_time": columns.requested[draw],
            "job": numpy.arange(1.0, columns.jobs + 1),
        }
    )
    likeness = sl.compare_workloads(path, resampled, simulate=())
    assert characteristic(likeness, "interarrival", "ks") == 0
    for name in ("run_time", "cores", "requested_time"):
        assert 0 < characteristic(likeness, name, "ks") < 0.03
    real = likeness.workloads[0]
    assert real["submit"]["first_date"] == "1998-04-24 18:11:04"
    assert real["autocorrelation"]["daily_peak"] > 0.3
    # Jobs drawn one by one have no memory, whole ones keep sizes and run times together.
    assert abs(likeness.workloads[1]["autocorrelation"]["next_run_time"]) < 0.05
    assert real["autocorrelation"]["next_run_time"] > 0.3
    assert likeness.workloads[1]["users"] is None
