"""SWF as job tables: the native reader and writer against naive ones, and the extra fields."""

from __future__ import annotations

import math

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.formats.swf.extended import swf_text
from schedlab.workload.reader import Reader
from schedlab.workload.swf import FIELDS, read_swf
from schedlab.workload.table import complete, extra_columns, table_of

MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4, "gpu": 1}}}}
PLAIN = "-1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1"


def naive_text(table: polars.DataFrame) -> bytes:
    """What `swf_text` must give, number by number."""
    lines = []
    for row in table.rows(named=True):
        words = []
        for name in (*FIELDS, *extra_columns(table)):
            value = row[name]
            if isinstance(value, list):
                words.append(",".join(map(str, value)) or "-1")
            elif float(value).is_integer():
                words.append(str(int(value)))
            else:
                words.append(f"{value:.9f}".rstrip("0").rstrip("."))
        lines.append(" ".join(words) + "\n")
    return "".join(lines).encode()


numbers = st.one_of(
    st.integers(-(2**53), 2**53).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e6, 1e6),
    st.just(-1.0),
)


@given(
    st.lists(st.tuples(*[numbers] * 20, st.lists(st.integers(0, 2**62), max_size=3)), max_size=20)
)
def test_the_text_of_rows_is_that_of_the_naive_writer(rows: list[tuple[object, ...]]) -> None:
    schema = {**dict.fromkeys((*FIELDS, "tasks", "phase"), polars.Float64)}
    schema["predecessors"] = polars.List(polars.Int64)
    table = complete(polars.DataFrame(rows, schema=schema, orient="row"))
    assert swf_text(table) == naive_text(table)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 1e6)), max_size=50))
def test_rows_come_back_as_they_were(tmp_path_factory, drawn) -> None:
    path = tmp_path_factory.mktemp("swf") / "a.swf.gz"
    table = complete(
        polars.DataFrame(
            {
                "job": [float(i) for i in range(len(drawn))],
                "submit": [float(submit) for submit, _ in drawn],
                "run": [round(run, 6) for _, run in drawn],
                "phase": [3.0] * len(drawn),
                "predecessors": [[1, 2][: i % 3] for i in range(len(drawn))],
            },
            schema_overrides={"predecessors": polars.List(polars.Int64)},
        )
    )
    write_tables(path, [table], {"Computer": "here", "Note": "one\ntwo"}, "swf(exact=true)")
    reader = open_reader(path)
    [again] = reader.tables()
    assert again.equals(table)
    assert reader.header == {"Computer": "here", "Note": "one\ntwo"}


def test_blocks_give_what_rows_give(trace) -> None:
    path = trace("SDSC-SP2-1998-5Ksample.swf.gz")
    table = polars.concat(open_reader(path).tables())
    assert table.rows() == [tuple(map(float, row)) for row in read_swf(path)]


def test_every_row_must_have_the_fields_that_the_header_names(tmp_path) -> None:
    path = tmp_path / "a.swf"
    path.write_text(f"; ExtraFields: phase gpus\n1 0 {PLAIN} 3 1\n2 0 {PLAIN} 3\n3 0 {PLAIN} 3 x\n")
    reader = open_reader(path)
    assert polars.concat(reader.tables())["job"].to_list() == [1]
    assert reader.skipped == {"not 20 numbers": {"rows": 2, "first_line": 3}}
    result = schedlab.simulate(path, system=MACHINE)
    assert result.counts["submitted"] == 1
    with pytest.raises(InputError, match=r"a\.swf:3: not 18 numbers"):
        schedlab.simulate(path, system=MACHINE, strict=True)


def test_a_field_has_one_place(tmp_path) -> None:
    path = tmp_path / "a.swf"
    path.write_text(f"; ExtraFields: phase phase\n1 0 {PLAIN} 3 1\n")
    with pytest.raises(InputError, match='names "phase" twice'):
        next(open_reader(path).tables())
    with pytest.raises(InputError, match='names "phase" twice'):
        schedlab.simulate(path, system=MACHINE)


def test_shapes_resources_and_predecessors_are_honoured(tmp_path) -> None:
    path = tmp_path / "a.swf"
    path.write_text(
        "; ExtraFields: tasks tasks_per_node task_core task_gpu whole_nodes phase predecessors\n"
        f"1 0 {PLAIN} 2 1 2 1 -1 1 -1\n"  # a GPU on each node
        f"2 5 {PLAIN} 1 -1 -1 -1 -1 2 -1\n"  # one processor, as `tasks` says
        f"3 6 {PLAIN} -1 -1 -1 -1 1 3 1,2\n"
    )
    jobs = schedlab.simulate(path, system=MACHINE, out=tmp_path / "run").jobs.collect()
    assert jobs.select("job_id", "start", "tasks", "nodes", "amounts", "phase").rows() == [
        (1, 0, 2, "0-1", "core=2 gpu=1", 1),
        (2, 5, 1, "0", None, 2),
        (3, 105, 4, "0*4", "whole", 3),
    ]
    ignored = schedlab.simulate(path, system=MACHINE, dependencies="ignore", out=tmp_path / "two")
    assert ignored.jobs.collect().filter(job_id=3)["start"].item() == 100  # node 1 is idle then


def test_a_resource_type_that_the_system_lacks_is_an_error_where_it_is_asked_for(tmp_path) -> None:
    path = tmp_path / "a.swf"
    path.write_text(f"; ExtraFields: task_core task_tpu\n1 0 {PLAIN} 1 0\n")
    assert schedlab.simulate(path, system=MACHINE).counts["completed"] == 1
    path.write_text(f"; ExtraFields: task_core task_tpu\n1 0 {PLAIN} 1 0\n2 1 {PLAIN} 1 2\n")
    with pytest.raises(InputError, match=r'a\.swf:3: job 2 asks for "tpu"'):
        schedlab.simulate(path, system=MACHINE)


def test_jobs_keep_what_was_asked_for(tmp_path) -> None:
    path = tmp_path / "a.swf"
    path.write_text(
        f"; ExtraFields: phase\n1 0 {PLAIN.replace(' 1 1 1 1 1 1', ' 1 5 6 7 8 9')} 3\n"
    )

    def columns(**options) -> dict[str, list[object]]:
        result = schedlab.simulate(
            path, system=MACHINE, out=tmp_path / "run", force=True, **options
        )
        return result.jobs.collect().to_dict(as_series=False)

    assert columns()["phase"] == [3]
    assert "phase" not in columns(keep="")
    kept = columns(keep="queue, group")
    assert (kept["queue"], kept["group"]) == ([8], [6])
    assert "phase" not in kept
    with pytest.raises(InputError, match='keep: the workload has no "colour"'):
        columns(keep="colour")


def test_memory_is_that_of_the_tasks_where_a_row_has_it(tmp_path) -> None:
    path = tmp_path / "a.swf"
    row = PLAIN.replace("200 -1", "200 300")  # 300 KB of memory per processor
    path.write_text(f"; ExtraFields: task_core task_mem\n1 0 {row} 1 500\n2 0 {row} -1 -1\n")
    machine = {"groups": {"node": {"nodes": 4, "resources": {"core": 4, "mem": 4000}}}}
    machine["processor"] = {"core": 1}
    result = schedlab.simulate(path, system=machine, memory="requested", out=tmp_path / "run")
    assert result.jobs.collect()["amounts"].to_list() == ["core=1 mem=500", "core=1 mem=300"]


def test_infinite_numbers_are_refused() -> None:
    table = complete(polars.DataFrame({"job": [1.0], "run": [math.inf]}))
    with pytest.raises(InputError, match="not finite"):
        swf_text(table)


class Tables(schedlab.Reader):
    """Rows that are not in order of submission."""

    in_submit_order = False

    def tables(self):
        yield complete(
            polars.DataFrame(
                {
                    "job": [2.0, 1.0, 3.0],
                    "submit": [50.0, 0.0, 60.0],
                    "run": [10.0, 10.0, -1.0],
                    "allocated_processors": [1.0, 1.0, 1.0],
                    "requested_processors": [4.0, 4.0, 4.0],
                }
            )
        )
        self.skip("odd", 7)

    @property
    def header(self):
        return {"UnixStartTime": "1000"}


def test_readers_of_tables_have_all_options_of_reading(tmp_path) -> None:
    result = schedlab.simulate(
        Tables(), system=MACHINE, processors="allocated", out=tmp_path / "run"
    )
    assert result.jobs.collect().select("job_id", "tasks").rows() == [(1, 1), (2, 1)]
    assert result.run["workload"]["skipped"] == {
        "odd": {"rows": 1, "first_line": 7},
        "no run time": {"rows": 1, "first_line": 0},
    }
    assert result.run["workload"]["header"]["UnixStartTime"] == "1000"


def test_simulations_of_tables_fork_and_save(tmp_path) -> None:
    simulation = schedlab.Simulation(Tables(), system=MACHINE)
    simulation.step()
    fork = simulation.fork()
    simulation.save(tmp_path / "state")
    loaded = schedlab.Simulation.load(tmp_path / "state", workload=Tables())
    for other in (simulation, fork, loaded):
        other.run()
        assert other.counts["completed"] == 2
        assert other.now == 60


def test_jobs_of_python_become_tables() -> None:
    jobs = [
        schedlab.Job(1, 0, 5, processors=2, resources={"core": 3, "gpu": 1}, tasks_per_node=1),
        schedlab.Job(2, 1, 5, predecessors=[1], think=4, attributes={"power": 3.5}),
        schedlab.Job(3, 1, 5, whole_nodes=True, requested_time=9, user=7),
    ]
    table = table_of(jobs)
    assert table["requested_processors"].to_list() == [6, 1, 1]
    assert table["tasks"].to_list() == [2, -1, -1]
    assert table["task_core"].to_list() == [3, -1, -1]
    assert table["predecessors"].to_list() == [[], [1], []]
    assert table["think_time"].to_list() == [-1, 4, -1]
    assert table["power"].to_list() == [-1, 3.5, -1]
    assert table["whole_nodes"].to_list() == [-1, -1, 1]
    assert table["requested_time"].to_list() == [-1, -1, 9]


def test_jobs_that_have_tasks_alone_are_simulated():
    # They were skipped as jobs without processors.
    rows = polars.DataFrame(
        {"submit": [0, 0], "run": [5, 5], "tasks": [2, -1], "task_core": [2, 1]}
    )
    machine = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
    result = schedlab.simulate(TableReader(rows), system=machine)
    assert result.counts["completed"] == 1
    assert result.run["workload"]["skipped"] == {"no processors": {"rows": 1, "first_line": 0}}


@pytest.mark.parametrize("amount", [0.5, 1.5])
def test_fractions_of_a_resource_are_refused(amount):
    # The fraction was dropped: of half a GPU, nothing was left.
    rows = polars.DataFrame({"submit": [0], "run": [5], "tasks": [1], "task_gpu": [amount]})
    machine = {"groups": {"node": {"nodes": 2, "resources": {"core": 4, "gpu": 2}}}}
    with pytest.raises(InputError, match='asks for a fraction of "gpu" for a task; amounts are'):
        schedlab.simulate(TableReader(rows), system=machine)


class TableReader(Reader):
    """A table in memory as a workload; jobs are numbered as they come."""

    def __init__(self, rows: polars.DataFrame) -> None:
        super().__init__()
        self._rows = complete(rows.with_row_index("job", 1))

    def tables(self):
        yield self._rows
