"""Dumps of sacct that are damaged, odd, or not dumps at all; simulating and writing them."""

from __future__ import annotations

import pytest
from workload.formats.sacct_dumps import MARCH, REQUEUED, one, read

import schedlab
from schedlab.workload.formats import open_reader


def test_rows_that_cannot_be_read_are_counted(tmp_path):
    text = (
        "JobID|Submit|Start|ElapsedRaw|AllocCPUS\n"
        f"1|{MARCH}|{MARCH}|10|4\n"
        f"x|{MARCH}|{MARCH}|10|4\n"
        f"2|Unknown|{MARCH}|10|4\n"
        f"3|{MARCH}|yesterday|10|4\n"
        f"4|{MARCH}|{MARCH}|ten|4\n"
        f"5|{MARCH}|{MARCH}|10|4|5\n"
        f"6|{MARCH}|{MARCH}|10|99999999999999999999\n"
        f"7|2024-02-31T00:00:00|{MARCH}|10|4\n"
        f"8|{MARCH}|17092"
    )
    jobs, reader = read(tmp_path, text)
    assert [j["job"] for j in jobs] == [1]
    assert {reason: rows["first_line"] for reason, rows in reader.skipped.items()} == {
        "no job number": 3,
        "not 5 fields": 7,
        "unreadable Start": 5,
        "unreadable ElapsedRaw": 6,
        "unreadable AllocCPUS": 8,
        "unreadable Submit": 9,
        "no submit time": 4,
    }
    assert reader.skipped["not 5 fields"]["rows"] == 2  # the last line is cut off
    strict = open_reader(tmp_path / "dump.sacct", "sacct")
    strict.strict = True
    with pytest.raises(schedlab.InputError, match=r"dump.sacct:3: no job number"):
        list(strict.tables())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column JobID between signs"),
        ("1|2|3\n", "has no column JobID between signs"),
        ("JobID         State \n------- -------\n", "run sacct with -P and without -n"),
        ("JobID|State\n", "has no column Submit"),
        (b"\x00\x01\x02", "has no column JobID between signs"),
    ],
)
def test_files_that_are_no_dump(tmp_path, text, message):
    with pytest.raises(schedlab.InputError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sacct(zone=Europe/Atlantis)", "zone 'Europe/Atlantis' is not known"),
        ("sacct(submit=Start)", "submit must be submit or eligible, not Start"),
        ("sacct(requeued=first)", "requeued must be all or last"),
        ("sacct(queue=Account)", "queue must be qos or partition"),
        ("sacct(colour=red)", "colour"),
    ],
)
def test_wrong_arguments(tmp_path, call, message):
    with pytest.raises(schedlab.InputError, match=message):
        one(tmp_path, call)


def test_a_dump_without_jobs(tmp_path):
    jobs, reader = read(tmp_path, "JobID|Submit|User\n")
    assert jobs == []
    assert "UnixStartTime" not in reader.header


def test_a_dump_is_known_by_its_first_line(tmp_path):
    for name in ("dump.txt", "dump.log", "dump", "dump.txt.gz"):
        path = tmp_path / name
        text = f"JobID%30|Submit\n1|{MARCH}\n".encode()
        if name.endswith(".gz"):
            import gzip

            text = gzip.compress(text)
        path.write_bytes(text)
        assert sum(table.height for table in open_reader(path).tables()) == 1


def test_a_dump_is_simulated(tmp_path):
    path = tmp_path / "site.sacct"
    path.write_text(
        "JobID|Submit|Start|ElapsedRaw|State|ReqCPUS|AllocCPUS|AllocTRES|Timelimit\n"
        f"1|{MARCH}|{MARCH}|60|COMPLETED|8|8|cpu=8,gres/gpu=2,node=2|00:02:00\n"
        f"2|{MARCH}|{MARCH}|60|COMPLETED|8|8|cpu=8,gres/gpu=2,node=2|00:02:00\n"
        f"3|{MARCH}|Unknown|0|CANCELLED|8|0||00:02:00\n"
    )
    system = {"groups": {"node": {"nodes": 2, "resources": {"core": 8, "gpu": 1}}}}
    result = schedlab.simulate(path, system=system)
    jobs = result.jobs.sort("job_id").collect()
    assert jobs["start"].to_list() == [0, 60]  # each takes the GPUs of both nodes
    assert sum(reason["rows"] for reason in result.run["workload"]["skipped"].values()) == 1


def test_reader_and_writer_keep_the_rules_of_their_kinds(tmp_path):
    from schedlab.testing import check_reader, check_writer
    from schedlab.workload.formats.sacct.reader import SacctReader
    from schedlab.workload.formats.sacct.writer import SacctWriter
    from schedlab.workload.swf import FIELDS

    # No memory (0) is all of it to Slurm, and the number of a program is that of its name.
    same = [name for name in FIELDS if name not in ("requested_memory", "executable")]
    assert check_writer(SacctWriter, suffix=".sacct", reader=SacctReader, same=same)
    good, bad = tmp_path / "good.sacct", tmp_path / "bad.sacct"
    good.write_text(REQUEUED.replace("NODE_FAIL", "FAILED"))
    bad.write_text(REQUEUED.replace(f"{MARCH + 130}|200", "soon|200"))
    assert check_reader(lambda: SacctReader(good), bad=[bad, tmp_path / "none.sacct"])
