"""Accounting logs of PBS and event files of Moab, one matter at a time."""

from __future__ import annotations

import pytest

import schedlab
from schedlab.workload.formats import open_reader

MARCH = 1_709_280_000  # 2024-03-01 08:00:00 UTC


def read(path, call="pbs"):
    """Returns the jobs of a log as dicts, and the reader."""
    reader = open_reader(path, call)
    return [row for table in reader.tables() for row in table.to_dicts()], reader


def write(tmp_path, *lines, name="log.pbs"):
    path = tmp_path / name
    path.write_bytes(b"".join((x if isinstance(x, bytes) else x.encode()) + b"\n" for x in lines))
    return path


def end(job="7.server", *, stamp="03/01/2024 09:00:00", **fields):
    """Returns a record of a job's end."""
    times = {"qtime": MARCH, "start": MARCH + 10, "end": MARCH + 70}
    texts = {**times, **{name.replace("__", "."): text for name, text in fields.items()}}
    return f"{stamp};E;{job};" + " ".join(f"{n}={t}" for n, t in texts.items() if t != "")


def one(tmp_path, call="pbs", **fields):
    jobs, reader = read(write(tmp_path, end(**fields)), call)
    assert len(jobs) == 1, reader.skipped
    return jobs[0]


def test_a_log_of_torque(tmp_path):
    common = (
        "user=ada group=ocean jobname=sim queue=batch ctime=1709280000 qtime=1709280001 "
        "etime=1709280002 start=1709280010 owner=ada@login1 exec_host=n1/0+n1/1+n2/0+n2/1 "
        "Resource_List.nodect=2 Resource_List.nodes=2:ppn=2 Resource_List.walltime=01:00:00"
    )
    path = write(
        tmp_path,
        "03/01/2024 08:00:00;Q;7.server;queue=batch",
        f"03/01/2024 08:00:10;S;7.server;{common}",
        f"03/01/2024 09:00:00;E;7.server;{common} session=99 end=1709283610 Exit_status=0 "
        "resources_used.cput=02:00:00 resources_used.mem=4096kb resources_used.walltime=01:00:00",
    )
    (job,), reader = read(path)
    assert job == {
        "job": 7, "submit": 0, "wait": 9, "run": 3600, "allocated_processors": 4,
        "cpu_time": 1800, "used_memory": 1024, "requested_processors": 4, "requested_time": 3600,
        "requested_memory": -1, "status": 1, "user": 1, "group": 1, "executable": 1, "queue": 1,
        "partition": -1, "preceding_job": -1, "think_time": -1, "name": "sim",
    }  # fmt: skip
    assert reader.header == {
        "UnixStartTime": "1709280001",
        "TimeZoneString": "UTC",
        "MaxRecords": "1",
        "Queue": "1 batch",
    }
    assert read(path, "pbs(submit=ctime)")[0][0]["wait"] == 10
    assert read(path, "pbs(submit=etime)")[0][0]["wait"] == 8


def test_a_record_of_pbs_pro(tmp_path):
    job = one(
        tmp_path,
        user="bob",
        project="_pbs_project_default",
        exec_host="g1/0*8+g2/0*8",
        exec_vnode="(g1:ncpus=8:ngpus=2:mem=16777216kb)+(g2:ncpus=8:ngpus=2:mem=16777216kb)",
        Resource_List__ncpus=16,
        Resource_List__ngpus=4,
        Resource_List__mem="32gb",
        Resource_List__select="2:ncpus=8:ngpus=2:mem=16gb",
        Resource_List__place="scatter:excl",
        Exit_status=271,
    )
    assert (job["allocated_processors"], job["requested_processors"]) == (16, 16)
    assert job["requested_memory"] == 2 * 1024**2
    shape = {name: job[name] for name in ("tasks", "task_core", "task_gpu", "tasks_per_node")}
    assert shape == {"tasks": 2, "task_core": 8, "task_gpu": 2, "tasks_per_node": 1}
    assert (job["whole_nodes"], job["status"], job["account"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("fields", "processors"),
    [
        ({"nodes": "4"}, 4),
        ({"nodes": "2:ppn=8"}, 16),
        ({"nodes": "2:ppn=8:himem+1:ppn=4"}, 20),
        ({"nodes": "n1:ppn=2+n2"}, 3),
        ({"nodes": "1", "ncpus": "8"}, 8),
        ({"procs": "12"}, 12),
        ({"nodes": "1:ppn=4", "procs": "12"}, 16),
        ({"ncpus": "6"}, 6),
        ({"select": "3:ncpus=4+1"}, 13),
        ({"select": "ncpus=4"}, 4),
        ({}, -1),
    ],
)
def test_requested_processors(tmp_path, fields, processors):
    job = one(tmp_path, **{f"Resource_List__{name}": text for name, text in fields.items()})
    assert job["requested_processors"] == processors


@pytest.mark.parametrize(
    ("hosts", "processors"),
    [
        ("n1/0", 1),
        ("n1/0+n1/1+n2/0", 3),
        ("n1/0*8+n2/0*8", 16),
        ("n1/0-15+n2/0-7", 24),
        ("n1/0,2,4-7", 6),
    ],
)
def test_allocated_processors(tmp_path, hosts, processors):
    assert one(tmp_path, exec_host=hosts)["allocated_processors"] == processors


@pytest.mark.parametrize(
    ("fields", "kilobytes"),
    [
        ({"mem": "8gb"}, 2 * 1024**2),
        ({"mem": "4096kb"}, 1024),
        ({"mem": "4194304b"}, 1024),
        ({"mem": "4194304"}, 1024),
        ({"mem": "512kw"}, 1024),
        ({"pmem": "2gb"}, 2 * 1024**2),
        ({"select": "2:ncpus=2:mem=1gb"}, 512 * 1024),
    ],
)
def test_requested_memory(tmp_path, fields, kilobytes):
    resources = {"ncpus": "4", **fields}
    job = one(tmp_path, **{f"Resource_List__{name}": text for name, text in resources.items()})
    assert job["requested_memory"] == kilobytes


def test_gpus_of_torque(tmp_path):
    job = one(tmp_path, Resource_List__nodes="3:ppn=4:gpus=2")
    assert (job["tasks"], job["task_core"], job["task_gpu"]) == (3, 4, 2)
    assert job["tasks_per_node"] == 1


def test_jobs_that_never_ran(tmp_path):
    path = write(
        tmp_path,
        "03/01/2024 08:00:00;Q;1.server;queue=batch",
        "03/01/2024 08:01:00;Q;2.server;queue=batch",
        "03/01/2024 08:02:00;Q;3.server;queue=batch",
        "03/01/2024 08:03:00;D;1.server;requestor=ada@login1",
        "03/01/2024 08:04:00;A;2.server;Job deleted",
        "03/01/2024 08:05:00;S;4.server;user=eve qtime=1709280240 start=1709280300",
    )
    jobs, _ = read(path)
    assert [(j["job"], j["submit"], j["run"], j["status"]) for j in jobs] == [
        (1, 0, -1, 5),
        (2, 60, -1, 5),
        (3, 120, -1, -1),
        (4, 240, -1, -1),  # it was running when the log ended
    ]
    assert [j["wait"] for j in jobs] == [-1, -1, -1, 60]


def test_a_job_deleted_while_it_ran(tmp_path):
    path = write(
        tmp_path, "03/01/2024 08:30:00;D;7.server;requestor=ada@login1", end(Exit_status=271)
    )
    (job,), _ = read(path)
    assert (job["run"], job["status"]) == (60, 5)


def test_requeued_jobs(tmp_path):
    path = write(
        tmp_path,
        f"03/01/2024 08:00:05;S;7.server;qtime={MARCH} start={MARCH + 5} Resource_List.ncpus=4",
        "03/01/2024 08:00:25;R;7.server;",
        end(start=MARCH + 40, end=MARCH + 100, Exit_status=0, Resource_List__ncpus=4),
    )
    jobs, _ = read(path)
    assert [(j["job"], j["submit"], j["wait"], j["run"], j["status"]) for j in jobs] == [
        (7, 0, 5, 20, 5),
        (8, 25, 15, 60, 1),
    ]
    (job,), _ = read(path, "pbs(requeued=last)")
    assert (job["job"], job["submit"], job["wait"], job["run"]) == (7, 0, 40, 60)


def test_arrays(tmp_path):
    path = write(
        tmp_path,
        "03/01/2024 08:00:00;Q;20[].server;queue=batch",
        end("20[1].server"),
        end("20[2].server"),
        end("20[].server"),
        "03/01/2024 08:00:00;Q;30[].server;queue=batch",
        "03/01/2024 08:00:02;D;30[].server;requestor=ada@login1",
    )
    jobs, reader = read(path)
    found = sorted((j["job"], j["array_job"], j["array_task"]) for j in jobs)
    assert found == [(30, 30, -1), (200_000_020, 20, 1), (300_000_020, 20, 2)]
    assert reader.skipped == {}


def test_dependencies(tmp_path):
    path = write(
        tmp_path,
        end("1.server"),
        end("2.server"),
        end("3.server", depend="afterok:1.server@server:2.server,afterany:9.server,after:8.server"),
    )
    jobs, reader = read(path)
    assert [j["predecessors"] for j in jobs] == [[], [], [1, 2, 9]]
    (notice,) = (text for text in reader.notices if "followed" in text)
    assert notice == "1 dependency is of a kind that is not followed; the first is 'after:8.server'"


def test_dependencies_that_are_not_followed_are_counted(tmp_path):
    kinds = ["on:2", "afterokarray:20[].server", "beforeok:3.server", "synccount:1", "afterok:x"]
    jobs, reader = read(
        write(tmp_path, *(end(f"{n}.server", depend=k) for n, k in enumerate(kinds)))
    )
    assert [j["predecessors"] for j in jobs] == [[], [], [], [], []]
    (notice,) = (text for text in reader.notices if "followed" in text)
    assert notice == "4 dependencies are of a kind that is not followed; the first is 'on:2'"


def test_records_of_two_servers_with_one_number(tmp_path):
    jobs, _ = read(write(tmp_path, end("5.east"), end("5.west", qtime=MARCH + 1)))
    assert [j["job"] for j in jobs] == [5, 6]


def test_values_with_blanks(tmp_path):
    (job,), _ = read(write(tmp_path, end(jobname="my long job", user="ada")))
    assert (job["name"], job["user"]) == ("my long job", 1)


def test_a_folder_of_daily_files(tmp_path):
    folder = tmp_path / "accounting"
    folder.mkdir()
    write(folder, f"03/02/2024 08:00:00;E;1.server;end={MARCH + 86_400} start={MARCH + 9}",
          name="20240302")  # fmt: skip
    write(folder, "03/01/2024 08:00:00;Q;1.server;queue=batch", "junk", name="20240301")
    write(folder, "not this one", name=".hidden")
    for path in (folder, folder / "2024*"):
        (job,), reader = read(path, None)
        assert (job["job"], job["wait"], job["run"], job["queue"]) == (1, 9, 86_391, 1)
        assert reader.skipped == {"no accounting record": {"rows": 1, "first_line": 2}}
        assert len(reader.checksum()) == 16
    result = schedlab.simulate(
        folder, system={"groups": {"n": {"nodes": 1, "resources": {"core": 1}}}},
        unusable="substitute",
    )  # fmt: skip
    assert result.counts["submitted"] == 1
    with pytest.raises(schedlab.InputError, match="is a pattern that no file fits"):
        read(folder / "2025*")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(schedlab.InputError, match="is a folder without files"):
        read(tmp_path / "nothing")


def test_rows_that_cannot_be_read_are_counted(tmp_path):
    path = write(
        tmp_path,
        "03/01/2024 08:00:00;L;license;floating",
        "13/41/2024 08:00:00;E;1.server;x=1",
        end("one.server"),
        end("2.server", start="soon"),
        end("3.server", Resource_List__nodes="2:ppn=many"),
        end("4[x].server"),
        end("5.server", qtime=""),
        end("6.server", Exit_status="fine"),
        end("7.server", exec_host="n1/0*99999999999999999999"),
        end("8.server"),
        b"\xff\xfe\x00",
    )
    jobs, reader = read(path)
    assert [j["job"] for j in jobs] == [8]
    assert {reason: rows["first_line"] for reason, rows in reader.skipped.items()} == {
        "no accounting record": 2,
        "unreadable start": 4,
        "unreadable Resource_List": 5,
        "no job number": 6,
        "unreadable Exit_status": 8,
        "unreadable exec_host": 9,
        "no submit time": 7,
    }
    strict = open_reader(path, "pbs")
    strict.strict = True
    with pytest.raises(schedlab.InputError, match=r"log.pbs:2: no accounting record"):
        list(strict.tables())


def test_files_that_are_no_log(tmp_path):
    with pytest.raises(schedlab.InputError, match="is not an accounting log of PBS"):
        read(write(tmp_path, "JobID|Submit", "1|2"))
    assert read(write(tmp_path))[0] == []
    for call, message in (
        ("pbs(submit=start)", "submit must be ctime or qtime or etime"),
        ("pbs(zone=Mars)", "zone 'Mars' is not known"),
    ):
        with pytest.raises(schedlab.InputError, match=message):
            read(tmp_path / "log.pbs", call)


def event(job, kind, tasks, start, ended, adapter=True):
    """Returns a line of Moab; its documentation has field 17, the adapter, or has not."""
    fields = ["08:00:00", f"{MARCH}:12", "job", job, kind, "2", str(tasks), "ada", "ocean", "3600"]
    fields += ["Completed", "[batch:1]", str(MARCH), str(start), str(start), str(ended)]
    fields += ["-"] * (3 if adapter else 2) + [">=", "0", ">=", "0", "-", "0", "4", "2", "-", "-"]
    fields += ["steel", "sim", "-", "-1", "1200.0", "base", "2", "512", "0", "0", "0", "0", "n1,n2"]
    return " ".join(fields)


@pytest.mark.parametrize("adapter", [True, False])
def test_events_of_moab(tmp_path, adapter):
    path = write(
        tmp_path,
        "VERSION 510",
        "08:00:00 1709280000:1 sched Moab SCHEDSTART -",
        event("7", "JOBSUBMIT", 4, 0, 0, adapter),
        event("7", "JOBEND", 4, MARCH + 5, MARCH + 65, adapter),
        event("Moab.8", "JOBSUBMIT", 4, 0, 0, adapter),
        "08:00:00 1709280000:2 job 9 JOBEND 1",
        name="events",
    )
    (first, second), reader = read(path, None)
    assert (first["job"], first["wait"], first["run"], first["status"]) == (7, 5, 60, 1)
    assert (first["requested_processors"], first["allocated_processors"]) == (8, 8)
    assert (first["cpu_time"], first["requested_memory"]) == (150, 256 * 1024)
    assert (first["name"], first["account"], first["queue"]) == ("sim", 1, 1)
    assert (second["job"], second["run"], second["status"]) == (8, -1, -1)
    assert reader.skipped == {"fewer than 16 fields": {"rows": 1, "first_line": 6}}


def test_reader_and_writer_keep_the_rules_of_their_kinds(tmp_path):
    from schedlab.testing import check_reader, check_writer
    from schedlab.workload.formats.pbs.reader import PbsReader
    from schedlab.workload.formats.pbs.writer import PbsWriter
    from schedlab.workload.swf import FIELDS

    # A job that ran started some time: a wait that is missing becomes 0, and is reported as lost.
    other = ("requested_memory", "executable", "wait")
    same = [name for name in FIELDS if name not in other]
    assert check_writer(PbsWriter, suffix=".pbs", reader=PbsReader, same=same)
    resources = {"Resource_List__ncpus": 2}
    good = write(tmp_path, *(end(f"{n}.server", qtime=MARCH + n, **resources) for n in range(9)))
    bad = write(tmp_path, end("7.server", start="soon"), name="bad.pbs")
    assert check_reader(lambda: PbsReader(good), bad=[bad, tmp_path / "none.pbs"])
