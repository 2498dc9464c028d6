"""Batsim's JSON: profiles of all kinds, job ids, further fields, and what is wrong with some."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import format_to_read, open_reader, write_tables
from schedlab.workload.formats.json_files import stream
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import complete

PROFILES = {
    "wait": {"type": "delay", "delay": 20.25},
    "wait5": {"type": "DelayProfile", "delay": 8},
    "par": {"type": "parallel", "cpu": [5e6, 0, 0, 1e6], "com": [0] * 16},
    "homo": {"type": "parallel_homogeneous", "cpu": 10e6, "com": 1e6},
    "homo5": {
        "type": "ParallelTaskHomogeneousProfile",
        "cpu": 10e6,
        "generation_strategy": "DefinedAmountsSpreadUniformly",
    },
    "total": {"type": "parallel_homogeneous_total", "cpu": 10e6, "com": 1e6},
    "no_cpu": {"type": "msg_par_hg", "com": 1e6},
    "twice": {"type": "composed", "repeat": 2, "seq": ["wait", "wait5"]},
    "thrice": {"type": "SequentialCompositionProfile", "repeat": 3, "seq": ["twice"]},
    "mixed": {"type": "composed", "seq": ["wait", "homo"]},
    "replay": {"type": "smpi", "trace": "a.txt"},
    "loop": {"type": "composed", "seq": ["loop"]},
    "lost": {"type": "composed", "seq": ["nowhere"]},
    "broken": {"type": "delay", "delay": "long"},
    "less": {"type": "delay", "delay": -1},
}


def write(tmp_path: Path, *jobs: object, name: str = "w.json", **more: object) -> Path:
    document = {"nb_res": 4, "jobs": list(jobs), "profiles": PROFILES, **more}
    path = tmp_path / name
    path.write_text(json.dumps(document))
    return path


def read(path: Path, arguments: str = "") -> tuple[polars.DataFrame, dict]:
    reader = open_reader(path, f"batsim{arguments}" if arguments else None)
    return polars.concat(reader.tables()), reader.skipped


def job(number: object = 1, profile: object = "wait", **more: object) -> dict:
    return {"id": number, "subtime": 3.5, "res": 2, "profile": profile, **more}


def test_a_job(tmp_path: Path) -> None:
    path = write(tmp_path, job("17", walltime=30))
    assert format_to_read(str(path)) == "batsim"
    reader = open_reader(path)
    (table,) = reader.tables()
    row = table.row(0, named=True)
    assert {name: value for name, value in row.items() if value != -1} == {
        "job": 17,
        "submit": 3.5,
        "run": 20.25,
        "requested_processors": 2,
        "requested_time": 30,
    }
    assert table.columns == list(FIELDS)
    assert reader.header == {"MaxProcs": "4"}


@pytest.mark.parametrize(
    ("profile", "slow", "fast"),
    [
        ("wait5", 8, 8),
        ("par", -1, 5),
        ("homo", -1, 10),
        ("homo5", -1, 5),
        ("total", -1, 5),
        ("no_cpu", -1, 0),
        ("twice", 56.5, 56.5),
        ("thrice", 169.5, 169.5),
        ("mixed", -1, 30.25),
        ("replay", -1, -1),
    ],
)
def test_run_times_of_profiles(tmp_path: Path, profile: str, slow: float, fast: float) -> None:
    path = write(tmp_path, job(profile=profile))
    assert read(path)[0]["run"].to_list() == [slow]
    assert read(path, "(flops_per_second=1e6)")[0]["run"].to_list() == [fast]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (3, "no object"),
        (job(profile="loop"), "profile holds itself, or too many others within each other"),
        (job(profile="lost"), "profile is not defined"),
        (job(profile="nowhere"), "profile is not defined"),
        (job(profile=["wait"]), "profile is not defined"),
        ({"id": 1, "subtime": 1, "res": 1}, "no profile"),
        ({"id": 1, "subtime": 1, "profile": "wait"}, "no res"),
        ({"id": 1, "res": 1, "profile": "wait"}, "no subtime"),
        (job(profile="broken"), "delay is not a number"),
        (job(profile="less"), "delay below 0"),
        (job(subtime="soon"), "subtime is not a number"),
        (job(subtime=True), "subtime is not a number"),
        (job(res=-1), "res below 0"),
        (job(walltime=[]), "walltime is not a number"),
        (job(dependencies="7"), "dependencies are not a list"),
        (job(dependencies=["x"]), "depends on an unknown job"),
    ],
)
def test_jobs_that_cannot_be_used_are_counted(tmp_path: Path, wrong: object, reason: str) -> None:
    path = tmp_path / "w.json"
    lines = ",\n".join(map(json.dumps, [job(1), wrong, job(3)]))
    path.write_text(f'{{"jobs": [\n{lines}],\n"profiles": {json.dumps(PROFILES)}}}')
    table, skipped = read(path)
    assert table["run"].to_list() == [20.25, 20.25]
    assert skipped == {reason: {"rows": 1, "first_line": 3}}
    reader = open_reader(path)
    reader.strict = True
    with pytest.raises(InputError, match=rf"w.json:3: {reason}; without --strict"):
        list(reader.tables())


def test_ids_that_are_texts_become_names(tmp_path: Path) -> None:
    path = write(tmp_path, job("fast"), job(7), job("last", dependencies=["fast", 7]))
    table, _ = read(path)
    assert table["job"].to_list() == [1, 2, 3]
    assert table["name"].to_list() == ["fast", "7", "last"]
    assert table["predecessors"].to_list() == [[], [], [1, 2]]


def test_ids_of_workloads(tmp_path: Path) -> None:
    table, _ = read(write(tmp_path, job("w0!7"), job("w0!9", dependencies=["w0!7"])))
    assert table["job"].to_list() == [7, 9]
    assert table["predecessors"].to_list() == [[], [7]]
    assert "name" not in table.columns


def test_further_fields_are_columns(tmp_path: Path) -> None:
    table, skipped = read(
        write(
            tmp_path,
            job(1, user="eve", power=3.5, comment="none", on=True, **{"two words": 1}),
            job(2, user="bob", extra_data='{"queue": 4, "power": 1}'),
            job(3, user="eve", extra_data={"queue": 5}, power="much"),
            job(4, extra_data="not json"),
        )
    )
    assert not skipped
    assert table.columns == [*FIELDS, "power"]
    assert table["user"].to_list() == [1, 2, 1, -1]
    assert table["queue"].to_list() == [-1, 4, 5, -1]
    assert table["power"].to_list() == [3.5, 1, -1, -1]


def test_jobs_may_be_in_any_order(tmp_path: Path) -> None:
    path = write(tmp_path, job(1, subtime=100), job(2, subtime=0))
    machine = {"groups": {"node": {"nodes": 4, "resources": {"core": 1}}}}
    assert schedlab.simulate(str(path), system=machine).counts["completed"] == 2


def test_rows_come_back_in_all_fields(tmp_path: Path) -> None:
    rows = [
        [1, 0, 5, 60, 4, 30.5, 100, 4, 120, 200, 1, 2, 3, 4, 5, 6, -1, -1],
        [2, 1.25, -1, -1, -1, -1, -1, -1, -1, -1, 5, -1, -1, -1, -1, -1, 1, 10],
        [3, 2, 0, 0, 8, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [4, -5, -1, 0.1, 3, -1, -1, -1, 7.5, -1, -1, -1, -1, -1, -1, -1, -1, -1],
    ]
    extra = {"tasks": [1, 2, -1, 3], "task_gpu": [1.0, 0, -1, 2], "phase": [1, 2, 3, 4]}
    table = complete(
        polars.DataFrame(rows, list(FIELDS), orient="row").with_columns(
            **{name: polars.Series(values) for name, values in extra.items()},
            predecessors=polars.Series([[], [1], [1, 2], []]),
        )
    )
    header = {"Computer": "Test", "Note": "two\nlines", "MaxProcs": "16 (batch)"}
    written = write_tables(tmp_path / "w.json", [table], header)
    assert not written.losses
    assert format_to_read(str(tmp_path / "w.json")) == "batsim"
    reader = open_reader(tmp_path / "w.json")
    again = polars.concat(reader.tables())
    assert again.select(table.columns).equals(table)
    assert reader.header == header
    assert json.loads((tmp_path / "w.json").read_text())["nb_res"] == 16


def test_what_is_written_is_what_batsim_asks_for(tmp_path: Path) -> None:
    jobs = [schedlab.Job(n, n, 60 + n % 2, 2, 100) for n in range(1, 6)]
    from schedlab.workload.table import table_of

    write_tables(tmp_path / "w.json.gz", [table_of(jobs[:3]), table_of(jobs[3:])])
    document = json.loads(gzip.decompress((tmp_path / "w.json.gz").read_bytes()))
    assert document["nb_res"] == 2
    assert document["profiles"] == {
        "delay_61": {"type": "delay", "delay": 61},
        "delay_60": {"type": "delay", "delay": 60},
    }
    assert document["jobs"][0] == {
        "id": "1",
        "subtime": 1,
        "res": 2,
        "profile": "delay_61",
        "walltime": 100,
    }
    assert polars.concat(open_reader(tmp_path / "w.json.gz").tables()).height == 5


def test_an_empty_workload(tmp_path: Path) -> None:
    write_tables(tmp_path / "w.json", [])
    assert format_to_read(str(tmp_path / "w.json")) == "batsim"
    assert read(tmp_path / "w.json")[0].height == 0
    (tmp_path / "w.json").write_text('{"jobs": []}')
    assert read(tmp_path / "w.json")[0].height == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be a JSON object, not the end"),
        ("[]", "must be a JSON object"),
        ("{}", "is not a workload in JSON"),
        ('{"a": 1}', "is not a workload in JSON"),
        ('{"jobs": 3}', "jobs: must be a list"),
        ('{"jobs": [], "profiles": []}', "profiles: must be an object"),
        ('{"jobs": [{"id": 1},\n{"id": }]}', ":2: is not JSON: Expecting value"),
        ('{"jobs": [{"id": 1}', "must be ',' or ']', not the end"),
        ('{"jobs": [{"id": 1} {"id": 2}]}', "must be ',' or ']'"),
        ('{"jobs": [{"id": "1', "Unterminated string"),
        ('{"jobs": []', "must be ',' or '}', not the end"),
        ('{"jobs": []} {"jobs": []}', "must end here"),
        ('{"jobs" []}', "must be ':'"),
        ("{1: 2}", "must be a name in quotes"),
        ('{"jobs": [' + "[" * 100_000, "deep within each other"),
        ('{"jobs": [' + "9" * 10_000 + "]}", "is not JSON: Exceeds the limit"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read(path)
    assert words in str(raised.value)
    assert str(path) in str(raised.value)


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_bytes(b'{"jobs": [],\n"profiles": {"\xff": 1}}')
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read(path)


def test_wrong_arguments(tmp_path: Path) -> None:
    for wrong in ("0", "-5", "fast"):
        with pytest.raises(InputError, match="flops_per_second: must be a number above 0"):
            read(write(tmp_path, job()), f"(flops_per_second={wrong})")


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@examples(80)
@given(
    st.dictionaries(st.text() | st.just("jobs"), values, max_size=5),
    st.integers(1, 7),
    st.sampled_from([None, 1]),
)
def test_members_are_those_of_the_json_package(tmp_path_factory, document, chunk, indent) -> None:
    path = tmp_path_factory.mktemp("stream") / "a.json"
    path.write_text(json.dumps(document, indent=indent, ensure_ascii=bool(chunk % 2)))
    found: dict = {}
    with pytest.MonkeyPatch.context() as patch, path.open("rb") as file:
        patch.setattr(stream, "CHUNK", chunk)
        for member in stream.members(file, str(path)):
            if member.is_item:
                found.setdefault(member.key, []).append(member.value)
            else:
                found[member.key] = member.value
    assert found == document


DEMO = json.dumps(
    {"nb_res": 4, "jobs": [job(n, user=n) for n in range(4)], "profiles": PROFILES}
).encode()


@examples(150)
@given(
    st.lists(st.tuples(st.integers(0, len(DEMO) - 1), st.integers(0, 255)), max_size=4), st.data()
)
def test_damaged_files_are_refused_or_read(tmp_path_factory, changes, data) -> None:
    content = bytearray(DEMO)
    for place, byte in changes:
        content[place] = byte
    path = tmp_path_factory.mktemp("damaged") / "w.json"
    path.write_bytes(bytes(content[: data.draw(st.integers(0, len(DEMO)))]))
    with contextlib.suppress(InputError):  # and no other
        table, skipped = read(path, "(flops_per_second=1e9)")
        assert table.height + sum(rows["rows"] for rows in skipped.values()) <= 4
