"""Dumps of sacct, one matter at a time."""

from __future__ import annotations

import pytest
from workload.formats.sacct_dumps import MARCH, REQUEUED, one, read

import schedlab
from schedlab.workload.formats import open_reader


def test_a_small_dump(tmp_path):
    jobs, reader = read(
        tmp_path,
        "JobID|User|Account|JobName|Partition|QOS|State|Submit|Start|End|Elapsed|Timelimit|NCPUS"
        "|NNodes|ReqMem|TotalCPU|MaxRSS|NTasks|ReqCPUS\n"
        "101|ada|ocean|sim|batch|normal|COMPLETED|2024-03-01T08:00:00|2024-03-01T08:00:05"
        "|2024-03-01T09:30:05|01:30:00|02:00:00|16|2|4000Mc|20:00:00|||8\n"
        "101.batch|||batch|||COMPLETED|2024-03-01T08:00:05|2024-03-01T08:00:05"
        "|2024-03-01T09:30:05|01:30:00||8|1|4000Mc|10:00:00|1600000K|1|\n"
        "102|bob|wind|x|batch|long|CANCELLED by 1000|2024-03-01T08:15:00|None"
        "|2024-03-01T08:20:00|00:00:00|1-00:00:00|0|1|32G|00:00:00|||4\n",
    )
    first, second = jobs
    assert first == {
        "job": 101, "submit": 0, "wait": 5, "run": 5400, "allocated_processors": 16,
        "cpu_time": 4500, "used_memory": 100_000, "requested_processors": 8,
        "requested_time": 7200, "requested_memory": 4_096_000, "status": 1, "user": 1, "group": 1,
        "executable": 1, "queue": 1, "partition": 1, "preceding_job": -1, "think_time": -1,
        "account": 1, "name": "sim",
    }  # fmt: skip
    assert (second["submit"], second["wait"], second["run"], second["status"]) == (900, -1, -1, 5)
    assert second["requested_memory"] == 8 * 1024 * 1024  # of four processors asked for
    assert (second["user"], second["queue"], second["partition"]) == (2, 2, 1)
    assert reader.header == {
        "UnixStartTime": str(MARCH),
        "TimeZoneString": "UTC",
        "MaxRecords": "2",
        "Queue": "1 normal\n2 long",
        "Partition": "1 batch",
    }
    assert reader.skipped == {}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:10", 10),
        ("01:30:00", 5400),
        ("2-03:04:05", 183_845),
        ("2-12", 216_000),
        ("90", 90),
        ("00:00.250", 0.25),
        ("12:34:56.789", 45_296.789),
    ],
)
def test_elapsed(tmp_path, text, seconds):
    assert one(tmp_path, Start=str(MARCH), Elapsed=text)["run"] == seconds


@pytest.mark.parametrize("text", ["UNLIMITED", "Partition_Limit", "INVALID", "Unknown", "None", ""])
def test_limits_that_are_no_numbers(tmp_path, text):
    assert one(tmp_path, Timelimit=text)["requested_time"] == -1


def test_limit_in_minutes(tmp_path):
    assert one(tmp_path, TimelimitRaw="90")["requested_time"] == 5400
    assert one(tmp_path, TimelimitRaw="Partition_Limit")["requested_time"] == -1


@pytest.mark.parametrize(
    ("text", "kilobytes"),
    [
        ("16Gn", 16 * 1024**2 * 2 / 8),
        ("4000Mc", 4000 * 1024),
        ("32G", 32 * 1024**2 / 8),
        ("1.5T", 1.5 * 1024**3 / 8),
        ("800K", 100),
        ("8000", 1000 * 1024),  # Slurm's own unit is MB
        ("0n", -1),
        ("?c", -1),
        ("", -1),
    ],
)
def test_requested_memory(tmp_path, text, kilobytes):
    job = one(tmp_path, NCPUS="8", NNodes="2", ReqMem=text)
    assert job["requested_memory"] == pytest.approx(kilobytes)


def test_requested_memory_of_unknown_processors(tmp_path):
    assert one(tmp_path, ReqMem="32G")["requested_memory"] == -1
    assert one(tmp_path, ReqMem="2Gc")["requested_memory"] == 2 * 1024**2


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("COMPLETED", 1), ("FAILED", 0), ("TIMEOUT", 0), ("NODE_FAIL", 0), ("OUT_OF_MEMORY", 0),
        ("OUT_OF_ME+", 0), ("CANCELLED by 1000", 5), ("CANCELLED+", 5), ("PREEMPTED", 5),
        ("REQUEUED", 5), ("DEADLINE", 0), ("BOOT_FAIL", 0), ("CD", 1), ("TO", 0),
        ("SOMETHING_NEW", -1), ("", -1),
    ],
)  # fmt: skip
def test_states_of_jobs_that_ended(tmp_path, state, status):
    job = one(tmp_path, State=state, Start=str(MARCH + 5), Elapsed="00:10", AllocCPUS="4")
    assert (job["status"], job["run"], job["wait"]) == (status, 10, 5)


@pytest.mark.parametrize("state", ["RUNNING", "SUSPENDED", "COMPLETING", "R", "PENDING"])
def test_the_run_time_of_a_job_that_has_not_ended_is_unknown(tmp_path, state):
    job = one(tmp_path, State=state, Start=str(MARCH + 5), Elapsed="00:10", AllocCPUS="4")
    assert (job["status"], job["run"], job["wait"]) == (-1, -1, 5)


def test_jobs_that_never_started(tmp_path):
    # Versions differ in what they put for the start of a job that was cancelled in the queue.
    for start in ("Unknown", "None", "", "0", str(MARCH + 60)):
        job = one(
            tmp_path, State="CANCELLED by 5", Start=start, End=str(MARCH + 60), ElapsedRaw="0",
            AllocCPUS="0", ReqCPUS="4",
        )  # fmt: skip
        assert (job["run"], job["wait"], job["status"]) == (-1, -1, 5)


def test_a_job_that_ended_at_once_did_run(tmp_path):
    job = one(
        tmp_path, State="FAILED", Start=str(MARCH), End=str(MARCH), ElapsedRaw="0", AllocCPUS="4"
    )
    assert (job["run"], job["wait"]) == (0, 0)


@pytest.mark.parametrize(
    "tres",
    [
        {"AllocTRES": "billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=32G,node=2"},
        {"AllocTRES": "cpu=8,gres/gpu:a100=3,gres/gpu:v100=1,mem=32G,node=2"},
        {"ReqTRES": "cpu=8,gres/gpu=4,node=2", "AllocTRES": ""},
        {"TRESReq": "cpu=8,gres/gpu=4,node=2"},
        {"AllocGRES": "gpu:tesla:4", "NCPUS": "8", "NNodes": "2"},
        {"ReqGRES": "gpu:2,craynetwork:1", "NCPUS": "8", "NodeList": "n[01-02]"},
        {"ReqGRES": "gpu:tesla:2(S:0-1)", "AllocCPUS": "8", "NodeList": "n1,n2"},
    ],
)
def test_gpus_make_a_task_of_each_node(tmp_path, tres):
    job = one(tmp_path, **tres)
    shape = {name: job[name] for name in ("tasks", "tasks_per_node", "task_core", "task_gpu")}
    assert shape == {"tasks": 2, "tasks_per_node": 1, "task_core": 4, "task_gpu": 2}


def test_jobs_without_gpus_beside_some_with(tmp_path):
    jobs, _ = read(
        tmp_path,
        f"JobID|Submit|AllocTRES\n1|{MARCH}|cpu=8,gres/gpu=2,node=1\n2|{MARCH}|cpu=6,node=2\n",
    )
    assert [(j["tasks"], j["task_core"], j["task_gpu"]) for j in jobs] == [(1, 8, 2), (-1, -1, -1)]
    assert [j["tasks_per_node"] for j in jobs] == [1, -1]


def test_tasks_only_where_there_are_gpus_or_somebody_asks(tmp_path):
    fields = {"AllocTRES": "cpu=6,node=2", "JobName": "gpu-test"}
    assert "tasks" not in one(tmp_path, **fields)
    assert one(tmp_path, "sacct(resources=True)", **fields)["tasks"] == 6
    fields["AllocTRES"] += ",gres/gpu=2"
    assert "tasks" not in one(tmp_path, "sacct(resources=False)", **fields)


def test_arrays_and_heterogeneous_jobs(tmp_path):
    ids = ["50_1", "50_2", "50_[3-9%2]", "60+0", "60+1", "70"]
    text = "JobID|Submit\n" + "".join(f"{number}|{MARCH}\n" for number in ids)
    jobs, _ = read(tmp_path, text)
    assert [j["job"] for j in jobs] == [200_000_050, 300_000_050, 50, 60, 61, 70]
    assert [j["array_job"] for j in jobs] == [50, 50, 50, -1, -1, -1]
    assert [j["array_task"] for j in jobs] == [1, 2, -1, -1, -1, -1]


def test_raw_numbers_are_the_jobs(tmp_path):
    text = f"JobIDRaw|JobID|Submit\n51|50_1|{MARCH}\n52|50_2|{MARCH}\n61|60+1|{MARCH}\n"
    jobs, _ = read(tmp_path, text)
    assert [(j["job"], j["array_task"]) for j in jobs] == [(51, 1), (52, 2), (61, -1)]


def test_steps_are_no_jobs_but_say_what_was_used(tmp_path):
    jobs, reader = read(
        tmp_path,
        "JobID|Submit|Start|ElapsedRaw|AllocCPUS|TotalCPU|MaxRSS|NTasks|TRESUsageInTot\n"
        f"1|{MARCH}|{MARCH}|100|4||||\n"
        f"1.batch|{MARCH}|{MARCH}|100|4|01:00|400K|1|\n"
        f"1.extern|{MARCH}|{MARCH}|100|4|00:00|0|1|\n"
        f"1.0|{MARCH}|{MARCH}|100|4|03:00|200K|4|\n"
        f"2|{MARCH}|{MARCH}|100|4|06:00|||\n"
        f"2.0|{MARCH}|{MARCH}|100|4|01:00|9K|4|cpu=00:01:00,mem=4M\n",
    )
    assert [j["cpu_time"] for j in jobs] == [60, 90]  # the job's own sum goes before its steps'
    assert [j["used_memory"] for j in jobs] == [200, 1024]
    assert reader.skipped == {}


def test_steps_that_do_not_follow_their_job(tmp_path):
    jobs, _ = read(
        tmp_path,
        "JobID|Submit|Start|ElapsedRaw|AllocCPUS|TotalCPU|MaxRSS\n"
        f"1.0|{MARCH}|{MARCH}|100|1|01:00|400K\n"
        f"1|{MARCH}|{MARCH}|100|1||\n2|{MARCH}|{MARCH}|100|1||\n"
        f"1.1|{MARCH}|{MARCH}|100|1|01:00|500K\n",
    )
    assert [j["cpu_time"] for j in jobs] == [120, -1]
    assert [j["used_memory"] for j in jobs] == [500, -1]


def test_each_run_of_a_requeued_job_is_a_job(tmp_path):
    jobs, reader = read(tmp_path, REQUEUED)
    assert [(j["job"], j["submit"], j["run"]) for j in jobs] == [
        (8, 0, 100),
        (9, 5, 50),
        (10, 100, 200),
    ]
    assert reader.skipped == {}


def test_the_last_run_of_a_requeued_job(tmp_path):
    jobs, reader = read(tmp_path, REQUEUED, "sacct(requeued=last)")
    assert [(j["job"], j["run"]) for j in jobs] == [(9, 50), (8, 200)]
    assert reader.skipped == {"earlier run of a requeued job": {"rows": 1, "first_line": 2}}


def test_dumps_one_behind_the_other(tmp_path):
    # A job that was running when the first was made is in both.
    head = "JobID|Submit|Start|ElapsedRaw|AllocCPUS|State\n"
    text = (
        f"{head}1|{MARCH}|{MARCH}|10|4|RUNNING\n2|{MARCH}|{MARCH}|5|4|FAILED\n"
        f"{head}1|{MARCH}|{MARCH}|70|4|COMPLETED\n"
    )
    jobs, reader = read(tmp_path, text)
    assert [(j["job"], j["run"], j["status"]) for j in jobs] == [(2, 5, 0), (1, 70, 1)]
    assert reader.skipped == {"older record of the same job": {"rows": 1, "first_line": 2}}
    other = "JobID|State|Submit|Start|ElapsedRaw|AllocCPUS\n"
    with pytest.raises(schedlab.InputError, match=r"dump.sacct:3: begins a dump with other"):
        read(tmp_path, head + f"1|{MARCH}|{MARCH}|10|4|FAILED\n" + other)


def test_jobs_come_in_order_of_submission(tmp_path):
    text = f"JobID|Submit\n1|{MARCH + 9}\n2|{MARCH}\n3|{MARCH + 9}\n4|{MARCH + 1}\n"
    jobs, _ = read(tmp_path, text)
    assert [(j["job"], j["submit"]) for j in jobs] == [(2, 0), (4, 1), (1, 9), (3, 9)]


def test_no_job_in_any_order_can_be_read(tmp_path):
    text = f"JobID|Submit|Elapsed\n1|{MARCH + 9}|ten\n2|{MARCH}|ten\n"
    jobs, reader = read(tmp_path, text)
    assert jobs == []
    assert reader.skipped == {"unreadable Elapsed": {"rows": 2, "first_line": 2}}


def test_local_times(tmp_path):
    fields = {"Submit": "2024-07-01T08:00:00", "Start": "2024-07-01T08:00:30", "ElapsedRaw": "5"}
    assert one(tmp_path, "sacct(zone=Europe/Berlin)", **fields)["wait"] == 30
    reader = open_reader(tmp_path / "dump.sacct", "sacct(zone=Europe/Berlin)")
    list(reader.tables())
    assert reader.header["UnixStartTime"] == str(1_719_813_600)  # 06:00 UTC
    assert reader.header["TimeZoneString"] == "Europe/Berlin"


def test_times_across_the_change_of_the_clock(tmp_path):
    # 2024-03-31: at 02:00 the clock of Berlin was put to 03:00.
    fields = {"Submit": "2024-03-31T01:59:59", "Start": "2024-03-31T03:00:00", "ElapsedRaw": "5"}
    assert one(tmp_path, "sacct(zone=Europe/Berlin)", **fields)["wait"] == 1


def test_times_with_their_zone(tmp_path):
    fields = {"Submit": "2024-03-01T09:00:00+0100", "Start": "2024-03-01T08:00:07Z"}
    assert one(tmp_path, **fields, ElapsedRaw="5")["wait"] == 7


def test_eligible_in_place_of_submit(tmp_path):
    fields = {"Eligible": str(MARCH + 50), "Start": str(MARCH + 60), "ElapsedRaw": "5"}
    assert one(tmp_path, **fields)["wait"] == 60
    assert one(tmp_path, "sacct(submit=Eligible)", **fields)["wait"] == 10
    fields["Eligible"] = "Unknown"
    assert one(tmp_path, "sacct(submit=Eligible)", **fields)["wait"] == 60


def test_partition_as_queue(tmp_path):
    text = f"JobID|Submit|QOS|Partition\n1|{MARCH}|a|x\n2|{MARCH}|a|y\n"
    assert [j["queue"] for j in read(tmp_path, text)[0]] == [1, 1]
    assert [j["queue"] for j in read(tmp_path, text, "sacct(queue=Partition)")[0]] == [1, 2]


def test_numbers_of_names(tmp_path):
    # Names that are a kind and a number keep it; the others take what is free.
    names = ["zoe", "user2", "amy", "zoe", "", "user1", "user02"]
    text = "JobID|Submit|User\n" + "".join(f"{n}|{MARCH}|{name}\n" for n, name in enumerate(names))
    jobs, reader = read(tmp_path, text)
    assert [j["user"] for j in jobs] == [3, 2, 4, 3, -1, 1, 5]
    assert "User" not in reader.header
    _, reader = read(tmp_path, text, "sacct(names=True)")
    assert reader.header["User"] == "1 user1\n2 user2\n3 zoe\n4 amy\n5 user02"


def test_names_of_any_bytes_and_with_separators(tmp_path):
    text = f"JobID|JobName|Submit\n1|grüße|{MARCH}\n2|a|b|c|{MARCH}\n".encode()
    text += b"3|\xff\xfe|%d\n" % MARCH
    jobs, _ = read(tmp_path, text)
    assert [j["name"] for j in jobs] == ["grüße", "a|b|c", "��"]


def test_widths_trailing_separators_and_byte_order_marks(tmp_path):
    text = f"\ufeffJobID%20|Submit|AllocCPUS|\r\n1|{MARCH}|4|\r\n"
    jobs, _ = read(tmp_path, text)
    assert (jobs[0]["job"], jobs[0]["allocated_processors"]) == (1, 4)
