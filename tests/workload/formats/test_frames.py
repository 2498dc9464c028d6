"""Polars frames as workloads."""

from __future__ import annotations

import pickle

import polars
import pytest

import schedlab
from schedlab.errors import InputError
from schedlab.results import compare_schedules
from schedlab.simulation.identity.parts import workload_part

MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4, "mem": 1000}}}}
FRAME = polars.DataFrame(
    {
        "submit": [0, 5, 5, 9],
        "run": [50, 60, 70, 0],
        "requested_processors": [4, 8, 2, 1],
        "requested_time": [100, 60, None, 9],
        "requested_memory": [10, 20, 30, 40],
        "urgency": [1, 2, 3, 4],
    }
)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    "options",
    [{}, {"memory": "requested"}, {"missing_estimate": "skip", "zero_run": "skip"},
     {"scheduler": "easy(score=-urgency)", "keep": "urgency,queue"}, {"whole_nodes": True}],
)  # fmt: skip
def test_a_frame_is_read_as_the_same_table_in_a_file(tmp_path, suffix, options):
    path = tmp_path / f"t.{suffix}"
    FRAME.write_csv(path) if suffix == "csv" else FRAME.write_parquet(path)
    of_file = schedlab.simulate(path, system=MACHINE, **options)
    for frame in (FRAME, FRAME.lazy()):
        result = schedlab.simulate(frame, system=MACHINE, **options)
        assert compare_schedules(result, of_file).identical
        assert result.run["options"] == of_file.run["options"]
        assert result.run["workload"]["skipped"].keys() == of_file.run["workload"]["skipped"].keys()
        assert result.run["workload"]["checksum"] == schedlab.FrameReader(FRAME).checksum()


def test_columns_of_other_names():
    other = FRAME.rename({"run": "Seconds", "requested_processors": "Cores"})
    reader = schedlab.FrameReader(other, run="Seconds", requested_processors="Cores")
    expected = schedlab.simulate(FRAME, system=MACHINE)
    assert compare_schedules(schedlab.simulate(reader, system=MACHINE), expected).identical


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME.drop("submit"), "a polars frame: has no column submit; say which columns are which"),
        (FRAME.drop("run"), "has no column run or application, without which"),
        (FRAME.drop("requested_processors"), "has no column requested_processors or allocated_pr"),
        (FRAME.with_columns(run=polars.lit("long")), "column run: none of its first values is a n"),
        (FRAME.lazy().select("nowhere"), "a polars frame: cannot be collected"),
        (FRAME.clear(), "no job to simulate"),
        (FRAME["run"], "may be a polars DataFrame or LazyFrame, not a polars.series"),
        (FRAME.sort("run", descending=True), "sort=True"),
    ],
)
def test_frames_that_are_no_workload(frame, message):
    with pytest.raises(InputError, match=message):
        schedlab.simulate(frame, system=MACHINE)


def test_what_a_frame_is_to_an_experiment():
    part = workload_part(FRAME, None)
    assert part.text == "4 rows of a frame"
    assert part.unknown is None
    same = FRAME.lazy().with_columns(polars.col("run") + 0)
    assert workload_part(same, None).identity == part.identity
    other = FRAME.with_columns(run=polars.col("run") + 1)
    assert workload_part(other, None).identity != part.identity
    sent = pickle.loads(pickle.dumps(part.given))
    assert sent.checksum() == part.given.checksum()


def test_forks_states_and_cycles(tmp_path):
    simulation = schedlab.Simulation(FRAME, system=MACHINE)
    simulation.run(until=6)
    simulation.save(tmp_path / "s.state")
    with pytest.raises(InputError, match="give them again"):
        schedlab.Simulation.load(tmp_path / "s.state")
    loaded = schedlab.Simulation.load(tmp_path / "s.state", workload=FRAME)
    fork = simulation.fork()
    for each in (simulation, loaded, fork):
        each.run()
        assert each.counts["completed"] == 4
        assert each.metrics["wait"] == simulation.metrics["wait"]
