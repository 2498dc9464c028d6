"""The SWF reader's choices, what it refuses, and the writer."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import schedlab
from schedlab.workload import SwfRow

SYSTEM = {"groups": {"all": {"nodes": 4, "resources": {"core": 4, "mem": 1000}}}}


def row(job=1, submit=0, run=10, allocated=2, requested=2, time=20, memory=-1, used=-1, **other):
    return SwfRow(
        job,
        submit,
        run=run,
        allocated_processors=allocated,
        requested_processors=requested,
        requested_time=time,
        requested_memory=memory,
        used_memory=used,
        **other,
    )


@pytest.fixture
def simulated(tmp_path):
    """Returns a function that writes text as a trace, simulates it, and returns jobs and result."""

    def run(content, name="trace.swf", **choices):
        path = tmp_path / name
        if isinstance(content, list):
            schedlab.write_swf(path, content, exact=True)
        elif isinstance(content, str):
            path.write_text(content)
        else:
            path.write_bytes(content)
        result = schedlab.simulate(path, system=SYSTEM, out=tmp_path / "out", force=True, **choices)
        with open(tmp_path / "out/jobs.csv", newline="") as file:
            return {int(job["job_id"]): job for job in csv.DictReader(file)}, result

    return run


LINE = "{0} {1} -1 10 2 -1 -1 2 20 -1 1 7 1 1 1 1 -1 -1\n"


def test_processors_requested_or_allocated_each_else_the_other(simulated):
    rows = [row(1, allocated=3, requested=2), row(2, requested=-1), row(3, allocated=-1)]
    jobs, _ = simulated(rows)
    assert [jobs[i]["tasks"] for i in (1, 2, 3)] == ["2", "2", "2"]
    jobs, _ = simulated(rows, processors="allocated")
    assert [jobs[i]["tasks"] for i in (1, 2, 3)] == ["3", "2", "2"]


def test_memory_is_per_processor(simulated):
    rows = [row(1, requested=2, memory=600), row(2, requested=4, memory=600, used=200), row(3)]
    jobs, _ = simulated(rows, memory="requested", scheduler="fcfs-bf")
    assert jobs[1]["nodes"] == "0-1"  # 600 KB twice do not fit one node
    assert jobs[2]["wait"] == "10"
    jobs, _ = simulated(rows, memory="used", scheduler="fcfs-bf")
    assert (jobs[1]["nodes"], jobs[2]["nodes"]) == ("0-1", "0-1*2")


def test_memory_needs_a_resource_type(tmp_path):
    schedlab.write_swf(tmp_path / "t.swf", [row()])
    system = {"groups": {"all": {"nodes": 1, "resources": {"core": 4}}}}
    with pytest.raises(schedlab.InputError, match='no resource type "mem"'):
        schedlab.simulate(tmp_path / "t.swf", system=system, memory="used")


def test_missing_estimates(simulated):
    rows = [row(1, time=-1), row(2, time=0), row(3, time=50)]
    jobs, _ = simulated(rows)
    assert [jobs[i]["estimate"] for i in (1, 2, 3)] == ["10", "10", "50"]
    jobs, _ = simulated(rows, missing_estimate=77)
    assert [jobs[i]["estimate"] for i in (1, 2, 3)] == ["77", "77", "50"]
    jobs, result = simulated(rows, missing_estimate="skip")
    assert list(jobs) == [3]
    assert result.run["workload"]["skipped"] == {"no requested time": {"rows": 2, "first_line": 1}}


def test_run_time_zero_is_kept_or_skipped(simulated):
    rows = [row(1, run=0), row(2)]
    jobs, _ = simulated(rows)
    assert (jobs[1]["end"], jobs[1]["slowdown"]) == ("0", "")
    jobs, result = simulated(rows, zero_run="skip")
    assert list(jobs) == [2]
    assert result.run["workload"]["skipped"]["run time 0"]["rows"] == 1


def test_unusable_rows_are_counted_by_reason(simulated):
    text = "".join(
        [
            LINE.format(1, 0),
            LINE.format(1, 0),
            "2 0 -1 -1 2 -1 -1 2 20 -1 1 7 1 1 1 1 -1 -1\n",
            "3 0 -1 10 -1 -1 -1 -1 20 -1 1 7 1 1 1 1 -1 -1\n",
            "4 -1 -1 10 2 -1 -1 2 20 -1 1 7 1 1 1 1 -1 -1\n",
            "5 0 -1 9999999999 2 -1 -1 2 20 -1 1 7 1 1 1 1 -1 -1\n",
            "6 0 short\n",
            "six 0 -1 10 2 -1 -1 2 20 -1 1 7 1 1 1 1 -1 -1\n",
            "1-2 0 -1 10 2 -1 -1 2 20 -1 1 7 1 1 1 1 -1 -1\n",
            "99999999999999999999 0 -1 10 2 -1 -1 2 20 -1 1 7 1 1 1 1 -1 -1\n",
        ]
    )
    jobs, result = simulated(text)
    assert list(jobs) == [1]
    skipped = {
        k: (v["rows"], v["first_line"]) for k, v in result.run["workload"]["skipped"].items()
    }
    assert skipped == {
        "not 18 numbers": (4, 7),
        "no submit time": (1, 5),
        "no processors": (1, 4),
        "no run time": (1, 3),
        "value out of range": (1, 6),
        "duplicate job number": (1, 2),
    }
    for reason in skipped:
        assert reason in str(result.summary)


def test_strict_makes_the_first_one_an_error(simulated):
    text = LINE.format(1, 0) + "\n" + LINE.format(2, 1).replace(" 10 2 ", " -1 2 ")
    with pytest.raises(schedlab.InputError, match=r"trace\.swf:3: no run time"):
        simulated(text, strict=True)


def test_rows_out_of_order(simulated, tmp_path):
    text = LINE.format(1, 50) + LINE.format(2, 10) + LINE.format(3, 10)
    with pytest.raises(schedlab.InputError, match=r"trace\.swf:2: job 2 .* before the row above"):
        simulated(text)
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
    jobs, _ = simulated(text, sort=True)
    assert list(jobs) == [2, 3, 1]


def test_preceding_jobs_are_honoured_on_request(simulated):
    rows = [row(1), row(2, 1, preceding_job=1, think_time=5), row(3, 2, preceding_job=99)]
    jobs, _ = simulated(rows)
    assert jobs[2]["start"] == "1"
    jobs, _ = simulated(rows, dependencies="honour")
    assert (jobs[2]["start"], jobs[3]["start"]) == ("15", "2")


def test_requests_per_node(simulated):
    jobs, _ = simulated([row(1, requested=3)], tasks_per_node=1)
    assert jobs[1]["nodes"] == "0-2"
    jobs, _ = simulated([row(1, requested=3), row(2, requested=1)], whole_nodes=True)
    assert (jobs[1]["nodes"], jobs[2]["nodes"]) == ("0*3", "1")


@pytest.mark.parametrize(
    ("name", "compress"),
    [("t.swf.gz", gzip.compress), ("t.swf.bz2", bz2.compress), ("t.swf.xz", lzma.compress)],
)
def test_compressed_files(simulated, name, compress):
    text = "".join(LINE.format(i, i) for i in range(20_000)).encode()
    plain, reference = simulated(text)
    jobs, result = simulated(compress(text), name=name)
    assert jobs == plain
    assert result.run["workload"]["checksum"] == reference.run["workload"]["checksum"]
    with pytest.raises(schedlab.InputError, match=r"cut off|cannot be unpacked"):
        simulated(compress(text)[:-3000], name=name)
    with pytest.raises(schedlab.InputError, match="cannot be unpacked"):
        simulated(b"this is not compressed", name=name)


def test_header_extra_columns_blank_lines_and_line_ends(simulated):
    text = (
        ";  Computer: Toy  \r\n; MaxProcs: 16\r\n;\r\n; Note: one\r\n; Note: two\r\n\r\n"
        + LINE.format(1, 0).strip()
        + "  \t{1,2} q_1d:x#excl\r\n;later\n   "
        + LINE.format(2, 0).strip()
    )
    jobs, result = simulated(text)
    assert list(jobs) == [1, 2]
    header = result.run["workload"]["header"]
    assert header == {"Computer": "Toy", "MaxProcs": "16", "Note": "one\ntwo"}


def test_headers_in_any_encoding(simulated, tmp_path):
    text = b"; Installation: Ume\xe5\n" + LINE.format(1, 0).encode()
    _, result = simulated(text)
    assert result.run["workload"]["header"] == {"Installation": "Ume\ufffd"}
    read = schedlab.read_swf(tmp_path / "trace.swf")
    rows = list(read)
    schedlab.write_swf(tmp_path / "copy.swf", rows, read.header, exact=True)
    assert (tmp_path / "copy.swf").read_bytes().startswith(b"; Installation: Ume\xe5\n")


def test_checksum_is_xxh64(simulated):
    # Test vectors of the XXH64 specification's reference implementation, seed 0.
    from schedlab._engine import Checksum

    for data, expected in [
        (b"", "ef46db3751d8e999"),
        (b"a", "d24ec4f1a98c6e5b"),
        (b"abc", "44bc2cf5ad770999"),
        (b"Nobody inspects the spammish repetition", "fbcea83c8a378bf1"),
    ]:
        checksum = Checksum()
        for i in range(len(data)):
            checksum.add(data[i : i + 1])
        assert checksum.hex() == expected
    _, result = simulated(LINE.format(1, 0))
    checksum = Checksum()
    checksum.add(LINE.format(1, 0).encode())
    assert result.run["workload"]["checksum"] == checksum.hex()


def test_long_lines_and_many_lines(simulated):
    wide = LINE.format(1, 0).rstrip("\n") + " x" * 200_000 + "\n"
    jobs, _ = simulated(wide + LINE.format(2, 0))
    assert list(jobs) == [1, 2]
    with pytest.raises(schedlab.InputError, match="longer than 16 MB"):
        simulated("1 " * (9 << 20))


def test_files_without_a_job(simulated, tmp_path):
    for text in ("", "\n\n", "; nothing\n"):
        with pytest.raises(schedlab.InputError, match="the file has no rows"):
            simulated(text)
    with pytest.raises(schedlab.InputError, match=r"1 x not 18 numbers \(first in line 1\)"):
        simulated("what is this?\n")
    assert not list(tmp_path.glob("out/*"))
    result = schedlab.simulate([], system=SYSTEM)
    assert result.metrics["wait"] is None
    assert "none" in str(result.summary)


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(schedlab.InputError, match="no such file"):
        schedlab.simulate(tmp_path / "none.swf", system=SYSTEM)
    with pytest.raises(schedlab.InputError, match="is a directory"):
        schedlab.simulate(tmp_path, system=SYSTEM)


numbers = st.integers(-1, 2**40) | st.floats(0, 4e9).map(lambda x: round(x, 6))


@given(rows=st.lists(st.lists(numbers, min_size=18, max_size=18), max_size=20))
@example(rows=[[1.603128] + [0] * 17, [0] * 17 + [10_000_000.1]])
def test_writer_round_trips(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("swf") / "a.swf.gz"
    assert schedlab.write_swf(path, rows, [" Version: 2.2", " Note: x"], exact=True) == len(rows)
    read = schedlab.read_swf(path)
    assert [list(r) for r in read] == rows
    assert read.header == [" Version: 2.2", " Note: x"]
    first = path.read_bytes()
    schedlab.write_swf(path, schedlab.read_swf(path), header=read.header, exact=True)
    assert path.read_bytes() == first


def test_writer_round_trips_a_real_trace(trace, tmp_path):
    source = trace("SDSC-SP2-1998-5Ksample.swf.gz")
    original = schedlab.read_swf(source)
    rows = list(original)
    schedlab.write_swf(tmp_path / "copy.swf", rows, original.header, exact=True)
    copy = schedlab.read_swf(tmp_path / "copy.swf")
    assert (list(copy), copy.header) == (rows, original.header)


def test_writer_leaves_nothing_half_written(tmp_path):
    for rows in ([row(), (1, 2, 3)], [row(run=float("nan"))]):
        with pytest.raises(schedlab.InputError):
            schedlab.write_swf(tmp_path / "bad.swf", rows)
    with pytest.raises(schedlab.InputError, match="line break"):
        schedlab.write_swf(tmp_path / "bad.swf", [], header=["a\nb"])
    assert not list(tmp_path.iterdir())
