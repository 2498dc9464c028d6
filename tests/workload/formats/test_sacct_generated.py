"""Dumps of made-up jobs in many forms: what is read is what the jobs are; and damaged ones."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.formats.accounting_rows import FIELDS, numbers

import schedlab
from schedlab.workload.formats import open_reader

START = 1_600_000_000

jobs = st.fixed_dictionaries(
    {
        "gap": st.integers(0, 5000),
        "wait": st.integers(0, 100_000),
        "run": st.integers(1, 400_000),
        "ended": st.sampled_from(["COMPLETED", "FAILED", "TIMEOUT", "CANCELLED by 17", "PENDING"]),
        "nodes": st.integers(1, 9),
        "cores": st.integers(1, 64),
        "gpus": st.integers(0, 4),
        "megabytes": st.integers(1, 10**6),
        "limit_minutes": st.one_of(st.none(), st.integers(1, 20_000)),
        "user": st.sampled_from(["ada", "bob", "eve", "zoë"]),
        "cpu": st.integers(0, 10**7),
        "used": st.integers(0, 10**7),
        "task": st.one_of(st.none(), st.integers(0, 999)),
    }
)
styles = st.fixed_dictionaries(
    {
        "times": st.sampled_from(["iso", "unix"]),
        "elapsed": st.sampled_from(["Elapsed", "ElapsedRaw", "times"]),
        "limit": st.sampled_from(["Timelimit", "TimelimitRaw"]),
        "processors": st.sampled_from(["AllocCPUS", "NCPUS", "AllocTRES"]),
        "nodes": st.sampled_from(["NNodes", "NodeList"]),
        "memory": st.sampled_from(["n", "c", ""]),
        "gpus": st.sampled_from(["AllocTRES", "typed", "AllocGRES", "ReqGRES"]),
        "steps": st.booleans(),
        "raw": st.booleans(),
        "trailing": st.booleans(),
        "capitals": st.booleans(),
        "unknown": st.sampled_from(["Unknown", "None", ""]),
        "order": st.randoms(use_true_random=False),
    }
)


def clock(seconds):
    days, rest = divmod(seconds, 86_400)
    text = f"{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
    return f"{days}-{text}" if days else text


def moment(seconds, style):
    if style["times"] == "unix":
        return str(seconds)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def dump(made, style):
    """Returns the text of a dump, and the rows that it means, by a way of their own."""
    rows, expected, submit = [], [], START
    users: dict[str, int] = {}
    any_gpus = any(job["gpus"] for job in made)
    for number, job in enumerate(made, 1):
        submit += job["gap"]
        ran = job["ended"] != "PENDING"
        processors = job["nodes"] * job["cores"]
        gpus = job["nodes"] * job["gpus"]
        total_mb = job["megabytes"] * processors * job["nodes"]
        memory = {
            "n": f"{job['megabytes'] * processors}Mn",
            "c": f"{job['megabytes'] * job['nodes']}Mc",
            "": f"{total_mb}M",
        }[style["memory"]]
        tres = []
        if ran and style["processors"] == "AllocTRES":
            tres.append(f"cpu={processors}")
        if gpus and style["gpus"] == "AllocTRES":
            tres += [f"gres/gpu={gpus}", f"gres/gpu:a100={gpus}"]
        if gpus and style["gpus"] == "typed":
            tres.append(f"gres/gpu:a100={gpus}")
        identifier = str(number) if job["task"] is None else f"{number}_{job['task']}"
        began = moment(submit + job["wait"], style) if ran else style["unknown"]
        ended = moment(submit + job["wait"] + job["run"], style) if ran else style["unknown"]
        row = {
            "JobID": identifier,
            "Submit": moment(submit, style),
            "Start": began,
            "End": ended,
            "State": job["ended"],
            "User": job["user"],
            "ReqCPUS": str(processors),
            "ReqMem": memory,
            "AllocTRES": ",".join(tres),
            "TotalCPU": clock(job["cpu"]) if ran else "00:00:00",
            "MaxRSS": "",
            "NTasks": "",
        }
        if style["elapsed"] != "times":
            spent = job["run"] if ran else 0
            row[style["elapsed"]] = str(spent) if style["elapsed"] == "ElapsedRaw" else clock(spent)
        minutes = job["limit_minutes"]
        if style["limit"] == "Timelimit":
            row["Timelimit"] = "UNLIMITED" if minutes is None else clock(minutes * 60)
        else:
            row["TimelimitRaw"] = "" if minutes is None else str(minutes)
        if style["processors"] != "AllocTRES":
            row[style["processors"]] = str(processors if ran else 0)
        if style["nodes"] == "NNodes":
            row["NNodes"] = str(job["nodes"])
        else:
            row["NodeList"] = f"n[01-{job['nodes']:02}]" if job["nodes"] > 1 else "n7"
        if style["gpus"] == "AllocGRES":
            row["AllocGRES"] = f"gpu:{gpus}" if gpus else ""
        if style["gpus"] == "ReqGRES":
            row["ReqGRES"] = f"gpu:tesla:{job['gpus']}" if gpus else ""
        if style["raw"]:
            row["JobIDRaw"] = str(1000 + number)
        rows.append(row)
        if ran and style["steps"]:
            step = dict.fromkeys(row, "")
            step |= {"JobID": identifier + ".batch", "State": "COMPLETED", "NTasks": "1"}
            step["MaxRSS"] = f"{job['used']}K"
            step["Submit"] = row["Start"]
            if style["raw"]:
                step["JobIDRaw"] = f"{1000 + number}.batch"
            rows.append(step)
        status = {"COMPLETED": 1, "CANCELLED by 17": 5, "PENDING": -1}.get(job["ended"], 0)
        plain = number if job["task"] is None else (job["task"] + 1) * 10**8 + number
        want = {
            "job": 1000 + number if style["raw"] else plain,
            "submit": submit - START - made[0]["gap"],
            "wait": job["wait"] if ran else -1,
            "run": job["run"] if ran else -1,
            "allocated_processors": processors if ran else -1,
            "requested_processors": processors,
            "cpu_time": job["cpu"] / processors if ran else -1,
            "used_memory": job["used"] / processors if ran and style["steps"] else -1,
            "requested_time": -1 if minutes is None else minutes * 60,
            "requested_memory": total_mb * 1024 / processors,
            "status": status,
            "user": users.setdefault(job["user"], len(users) + 1),
        }
        if any_gpus:
            want["tasks"] = job["nodes"] if gpus else -1
            want["task_core"] = job["cores"] if gpus else -1
            want["task_gpu"] = job["gpus"] if gpus else -1
        expected.append(want)
    columns = list(rows[0])
    style["order"].shuffle(columns)
    head = [column.upper() if style["capitals"] else column for column in columns]
    end = "|\n" if style["trailing"] else "\n"
    lines = ["|".join(head), *("|".join(row[column] for column in columns) for row in rows)]
    return "".join(line + end for line in lines), expected


def tables(path, call="sacct"):
    reader = open_reader(path, call)
    return [row for table in reader.tables() for row in table.to_dicts()], reader


@given(made=st.lists(jobs, min_size=1, max_size=6), style=styles)
@examples(100)
def test_what_is_read_is_what_the_jobs_are(tmp_path_factory, made, style):
    text, expected = dump(made, style)
    path = tmp_path_factory.mktemp("dump") / "made.sacct"
    path.write_text(text, encoding="utf-8")
    found, reader = tables(path)
    assert reader.skipped == {}
    assert len(found) == len(expected)
    for row, want in zip(found, expected, strict=True):
        assert {name: row[name] for name in want} == pytest.approx(want)


@given(made=st.lists(jobs, min_size=1, max_size=5), style=styles, data=st.data())
@examples(100)
def test_damaged_dumps(tmp_path_factory, made, style, data):
    """Every line is a job, a step, or counted; or the file as a whole is refused."""
    text = bytearray(dump(made, style)[0].encode())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(text) - 1))
        what = data.draw(st.sampled_from(["byte", "cut", "digits", "separator", "nothing"]))
        if what == "byte":
            text[at] = data.draw(st.integers(0, 255))
        elif what == "cut":
            text = text[: max(at, 1)]
        elif what == "digits":
            text[at:at] = b"9" * data.draw(st.integers(1, 400))
        elif what == "separator":
            text[at:at] = data.draw(st.sampled_from([b"|", b"\n", b",", b"=", b"[", b".", b"-"]))
    path = tmp_path_factory.mktemp("dump") / "damaged.sacct"
    path.write_bytes(bytes(text))
    try:
        found, reader = tables(path)
    except schedlab.InputError:
        return
    lines = sum(rows["rows"] for rows in reader.skipped.values())
    numbers = [row["job"] for row in found]
    assert len(set(numbers)) == len(numbers)
    assert all(math.isfinite(row["submit"]) and row["submit"] >= 0 for row in found)
    submits = [row["submit"] for row in found]
    assert submits == sorted(submits)
    content = text.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:]
    rows = [line for line in content if line]
    steps = [line for line in rows if "." in line]  # at most: nothing else had a point
    assert len(rows) - len(steps) <= len(found) + lines <= len(rows)


@given(st.binary(max_size=300))
@examples(60)
def test_any_bytes(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("dump") / "any.sacct"
    path.write_bytes(b"JobID|Submit|Elapsed|ReqMem|AllocTRES|NodeList\n" + content)
    found, reader = tables(path)
    assert (
        len(found) + sum(rows["rows"] for rows in reader.skipped.values())
        <= content.count(b"\n") + content.count(b"\r") + 1
    )


rows = st.fixed_dictionaries({**FIELDS, "partition": numbers})


@given(made=st.lists(rows, max_size=6), gaps=st.lists(st.integers(0, 999), min_size=6, max_size=6))
@examples(60)
def test_what_is_written_is_read_again(tmp_path_factory, made, gaps):
    import polars

    from schedlab.workload.formats import write_tables
    from schedlab.workload.table import complete

    submit = 0
    for number, row in enumerate(made):
        if row["allocated_processors"] < 0:  # what never got processors never ran
            row.update(run=-1, wait=-1)
        if row["run"] < 0:  # of what did not end, sacct has no use, and no end but its own
            row.update(run=-1, cpu_time=-1, used_memory=-1)
            row["wait"] = -1 if row["status"] >= 0 else row["wait"]
            row["allocated_processors"] = -1 if row["wait"] < 0 else row["allocated_processors"]
        row |= {"job": number + 1, "submit": submit}
        submit += gaps[number]
    schema = dict.fromkeys(made[0], polars.Float64) if made else None
    table = complete(polars.DataFrame(made, schema=schema, strict=False))
    path = tmp_path_factory.mktemp("dump") / "written.sacct"
    writer = write_tables(path, [table], {"UnixStartTime": "1600000000"})
    assert writer.losses == {}
    found, reader = tables(path)
    assert reader.skipped == {}
    assert len(found) == len(made)
    for row, want in zip(found, made, strict=True):
        assert {name: row[name] for name in want} == pytest.approx(want, abs=1e-5)


def test_a_real_trace_through_a_dump(tmp_path, trace):
    from itertools import islice

    import polars

    from schedlab.workload.formats import write_tables

    original = open_reader(trace("HPC2N-2002-2.2-cln.swf.gz"))
    table = next(original.tables()).head(5000)
    path = tmp_path / "hpc2n.sacct.gz"
    write_tables(path, [table], original.header)
    again = open_reader(path)
    read = polars.concat(list(islice(again.tables(), 100)))
    start = float(table["submit"][0])
    assert int(again.header["UnixStartTime"]) == int(original.header["UnixStartTime"]) + start
    expected = table.with_columns(polars.col("submit") - start)
    for name in expected.columns:
        assert read[name].to_list() == pytest.approx(expected[name].to_list(), abs=1e-4), name


@pytest.mark.parametrize("name", ["a.sacct", "a.pbs"])
def test_times_that_no_log_can_have(tmp_path, name):
    import polars

    from schedlab.workload.formats import write_tables

    late = polars.DataFrame({"job": [1, 7], "submit": [0.0, 3.5e9], "wait": [0, 0], "run": [9, 9]})
    with pytest.raises(schedlab.InputError, match="job 7 is after the year 2100"):
        write_tables(tmp_path / name, [late])
    assert not (tmp_path / name).exists()
    unknown = polars.DataFrame({"job": [1, 2], "submit": [-1, 5], "wait": [0, 0], "run": [9, 9]})
    writer = write_tables(tmp_path / name, [unknown])
    found, reader = tables(tmp_path / name, None)
    assert len(found) + len(reader.skipped) == 2
    assert bool(reader.skipped) != bool(writer.losses)  # it is reported, here or there


@pytest.mark.parametrize("name", ["a.sacct.gz", "a.pbs"])
def test_a_simulation_is_the_same_whatever_the_format(tmp_path, trace, name):
    from conftest import SETH

    from schedlab.workload.formats import write_tables

    original = open_reader(trace("HPC2N-2002-2.2-cln.swf.gz"))
    table = next(original.tables()).head(3000)
    results = []
    for path in (tmp_path / "a.swf", tmp_path / name):
        write_tables(path, [table], original.header)
        result = schedlab.simulate(
            path, system=SETH, scheduler="easy", out=tmp_path / f"run-{path.name}"
        )
        jobs = result.jobs.sort("job_id").select("job_id", "user", "tasks", "wait", "nodes")
        results.append(jobs.collect())
    assert results[0].height == 3000
    assert results[0].equals(results[1])
