"""Logs of PBS of made-up jobs in many forms: what is read is what the jobs are; damaged ones."""

from __future__ import annotations

from datetime import UTC, datetime

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.formats.accounting_rows import FIELDS

import schedlab
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.table import complete

START = 1_600_000_000

jobs = st.fixed_dictionaries(
    {
        "gap": st.integers(0, 5000),
        "wait": st.integers(0, 10**5),
        "run": st.integers(0, 10**5),
        "fate": st.sampled_from(["ended", "failed", "deleted", "killed", "queued"]),
        "chunks": st.integers(1, 9),
        "cores": st.integers(1, 64),
        "gpus": st.integers(0, 4),
        "kilobytes": st.integers(1, 10**6),
        "limit": st.one_of(st.none(), st.integers(1, 10**6)),
        "cpu": st.integers(0, 10**6),
        "user": st.sampled_from(["ada", "bob", "eve"]),
        "form": st.sampled_from(["select", "nodes"]),
        "hosts": st.sampled_from(["single", "star", "range", "vnode"]),
    }
)


def stamp(seconds):
    return datetime.fromtimestamp(seconds, UTC).strftime("%m/%d/%Y %H:%M:%S")


def clock(seconds):
    return f"{seconds // 3600:02}:{seconds % 3600 // 60:02}:{seconds % 60:02}"


def hosts(job):
    nodes = [f"n{number}" for number in range(job["chunks"])]
    cores = job["cores"]
    if job["hosts"] == "single":
        return "exec_host=" + "+".join(f"{n}/{core}" for n in nodes for core in range(cores))
    if job["hosts"] == "star":
        return "exec_host=" + "+".join(f"{n}/0*{cores}" for n in nodes)
    if job["hosts"] == "range":
        return "exec_host=" + "+".join(f"{n}/0-{cores - 1}" for n in nodes)
    return "exec_vnode=" + "+".join(f"({n}:ncpus={cores}:mem=5kb)" for n in nodes)


def log(made):
    """Returns records in the order of their times, and the rows they mean, by its own way."""
    records, expected, submit = [], [], START
    for number, job in enumerate(made, 1):
        submit += job["gap"]
        name = f"{number}.server"
        start, end = submit + job["wait"], submit + job["wait"] + job["run"]
        if job["form"] == "select":
            ask = (
                f"{job['chunks']}:ncpus={job['cores']}:ngpus={job['gpus']}:mem={job['kilobytes']}kb"
            )
            resources = f"Resource_List.select={ask} Resource_List.place=free"
        else:
            gpus = f":gpus={job['gpus']}" if job["gpus"] else ""
            resources = f"Resource_List.nodes={job['chunks']}:ppn={job['cores']}{gpus} "
            resources += f"Resource_List.mem={job['kilobytes'] * job['chunks']}kb"
        limit = "" if job["limit"] is None else f" Resource_List.walltime={clock(job['limit'])}"
        common = (
            f"user={job['user']} jobname=j queue=q ctime={submit} qtime={submit} etime={submit}"
        )
        records.append((submit, 0, f"Q;{name};queue=q"))
        ran = job["fate"] in ("ended", "failed", "killed")
        if ran:
            common += f" start={start} {hosts(job)} {resources}{limit}"
            records.append((start, 1, f"S;{name};{common}"))
            status = {"ended": 0, "failed": 1, "killed": 271}[job["fate"]]
            used = f"resources_used.cput={clock(job['cpu'])}"
            records.append((end, 3, f"E;{name};{common} end={end} Exit_status={status} {used}"))
        if job["fate"] in ("deleted", "killed"):
            records.append((end if ran else submit, 2, f"D;{name};requestor=x@y"))
        processors = job["chunks"] * job["cores"]
        want = {
            "job": number,
            "submit": submit - START - made[0]["gap"],
            "wait": job["wait"] if ran else -1,
            "run": job["run"] if ran else -1,
            "status": {"ended": 1, "failed": 0, "queued": -1}.get(job["fate"], 5),
            "allocated_processors": processors if ran else -1,
            "requested_processors": processors if ran else -1,
            "requested_time": job["limit"] if ran and job["limit"] is not None else -1,
            "requested_memory": job["kilobytes"] / job["cores"] if ran else -1,
            "cpu_time": job["cpu"] / processors if ran else -1,
        }
        if ran and job["gpus"]:
            want |= {"tasks": job["chunks"], "task_core": job["cores"], "task_gpu": job["gpus"]}
        expected.append(want)
    lines = [f"{stamp(at)};{text}\n" for at, _, text in sorted(records)]
    return "".join(lines), expected


def tables(path):
    reader = open_reader(path)
    return [row for table in reader.tables() for row in table.to_dicts()], reader


@given(made=st.lists(jobs, min_size=1, max_size=6))
@examples(100)
def test_what_is_read_is_what_the_jobs_are(tmp_path_factory, made):
    text, expected = log(made)
    path = tmp_path_factory.mktemp("log") / "made.pbs"
    path.write_text(text)
    found, reader = tables(path)
    assert reader.skipped == {}
    found = sorted(found, key=lambda row: row["job"])
    assert len(found) == len(expected)
    for row, want in zip(found, expected, strict=True):
        assert {name: row[name] for name in want} == pytest.approx(want)


@given(made=st.lists(jobs, min_size=1, max_size=4), data=st.data())
@examples(100)
def test_damaged_logs(tmp_path_factory, made, data):
    """Jobs or counted rows, with numbers of their own, in order; or the file is refused."""
    text = bytearray(log(made)[0].encode())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(text) - 1))
        what = data.draw(st.sampled_from(["byte", "cut", "digits", "separator"]))
        if what == "byte":
            text[at] = data.draw(st.integers(0, 255))
        elif what == "cut":
            text = text[: max(at, 1)]
        elif what == "digits":
            text[at:at] = b"9" * data.draw(st.integers(1, 400))
        else:
            signs = [b";", b"\n", b" ", b"=", b"[", b".", b"+", b"*", b"-", b":"]
            text[at:at] = data.draw(st.sampled_from(signs))
    path = tmp_path_factory.mktemp("log") / "damaged.pbs"
    path.write_bytes(bytes(text))
    try:
        found, reader = tables(path)
    except schedlab.InputError:
        return
    numbers = [row["job"] for row in found]
    assert len(set(numbers)) == len(numbers)
    submits = [row["submit"] for row in found]
    assert submits == sorted(submits)
    assert all(submit >= 0 for submit in submits)
    lines = len([line for line in text.decode("latin-1").splitlines() if line.strip()])
    assert len(found) + sum(rows["rows"] for rows in reader.skipped.values()) <= lines


rows = st.fixed_dictionaries({**FIELDS, "wait": st.integers(0, 10**6)})


@given(made=st.lists(rows, max_size=6), gaps=st.lists(st.integers(0, 999), min_size=6, max_size=6))
@examples(60)
def test_what_is_written_is_read_again(tmp_path_factory, made, gaps):
    submit = 0
    for number, row in enumerate(made):
        if row["run"] < 0:  # of what did not end, a log gives no use
            row.update(cpu_time=-1, used_memory=-1)
            row["status"] = -1 if row["status"] != 5 else 5
        row |= {"job": number + 1, "submit": submit, "predecessors": [1] if number else []}
        submit += gaps[number]
    kinds = dict.fromkeys(made[0], polars.Float64) if made else {}
    kinds |= {"predecessors": polars.List(polars.Int64)} if made else {}
    table = complete(polars.DataFrame(made, schema=kinds, strict=False))
    path = tmp_path_factory.mktemp("log") / "written.pbs"
    writer = write_tables(path, [table], {"UnixStartTime": "1600000000"})
    assert writer.losses == {}
    found, reader = tables(path)
    assert reader.skipped == {}
    assert len(found) == len(made)
    for row, want in zip(sorted(found, key=lambda row: row["job"]), made, strict=True):
        assert row.get("predecessors", []) == want.pop("predecessors")
        assert {name: row[name] for name in want} == pytest.approx(want, abs=1e-5)


def test_tasks_with_gpus_are_written_and_read_again(tmp_path):
    made = {"job": [1, 2], "submit": [0, 5], "wait": [0, 0], "run": [9, 9],
            "requested_processors": [12, 8], "allocated_processors": [12, 8], "tasks": [3, -1],
            "tasks_per_node": [1, -1], "whole_nodes": [1, 0], "task_core": [4, -1],
            "task_gpu": [2, -1]}  # fmt: skip
    table = complete(polars.DataFrame(made))
    writer = write_tables(tmp_path / "gpus.pbs", [table])
    assert writer.losses == {}
    (read,) = open_reader(tmp_path / "gpus.pbs").tables()
    assert read.select(*made).to_dict(as_series=False) == made


def test_a_real_trace_through_a_log(tmp_path, trace):
    original = open_reader(trace("HPC2N-2002-2.2-cln.swf.gz"))
    table = next(original.tables()).head(5000)
    path = tmp_path / "hpc2n.pbs.gz"
    write_tables(path, [table], original.header)
    read = polars.concat(list(open_reader(path).tables()))
    expected = table.with_columns(
        polars.col("submit") - table["submit"][0], polars.lit(-1.0).alias("partition")
    )
    for name in expected.columns:
        assert read[name].to_list() == pytest.approx(expected[name].to_list(), abs=1e-4), name
