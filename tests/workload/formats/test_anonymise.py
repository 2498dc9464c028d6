"""Logs without names: nothing of people and places is left, and the jobs are the same."""

from __future__ import annotations

import subprocess
import sys

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.workload.anonymise import anonymise, read_secret
from schedlab.workload.formats import open_reader
from schedlab.workload.formats.accounting.pseudonyms import Pseudonyms
from schedlab.workload.formats.sacct.anonymous import node_list

SECRET = b"a secret of more than 16 bytes"

SACCT = """\
JobID|User|UID|Group|Account|JobName|Partition|QOS|State|Submit|Start|ElapsedRaw|AllocCPUS|\
NodeList|WorkDir|Comment|AllocTRES
1|ada|1001|ocean|tides|hush-hush|batch|normal|COMPLETED|1709280000|1709280005|60|8|\
rack[01-04],gpu7.site.org|/home/ada|by ada|cpu=8,gres/gpu=2,node=5
1.batch|||||batch||||1709280005|1709280005|60|8|rack01|||
1.0|||||solver||||1709280005|1709280005|60|8|rack01|||
2|bob|1002|steel|tides|hush-hush|batch|secretqos|CANCELLED by 1001|1709280001|Unknown|0|0|None \
assigned|/home/bob||
"""
WORDS_OF_SACCT = ("ada", "bob", "ocean", "steel", "tides", "hush", "rack", "site", "home",
                  "solver")  # fmt: skip

PBS = """\
03/01/2024 08:00:00;L;license;of acme
03/01/2024 08:00:00;Q;5.head.acme.org;queue=batch
03/01/2024 08:00:05;S;5.head.acme.org;user=ada group=ocean account=tides jobname=hush hush \
queue=batch ctime=1709280000 qtime=1709280000 etime=1709280000 start=1709280005 \
owner=ada@login.acme.org exec_host=rack1/0*4+rack2/0*4 \
exec_vnode=(rack1:ncpus=4:fpga=1)+(rack2:ncpus=4:mem=5kb) \
Resource_List.select=2:ncpus=4:host=rack1:acmefeature=yes \
Resource_List.neednodes=rack1:ppn=4:acme+rack2 Resource_List.place=scatter:group=acme \
Resource_List.walltime=01:00:00 Resource_List.acmething=north
03/01/2024 09:00:00;E;5.head.acme.org;user=ada group=ocean account=tides jobname=hush hush \
queue=batch ctime=1709280000 qtime=1709280000 etime=1709280000 start=1709280005 end=1709283605 \
exec_host=rack1/0*4+rack2/0*4 Resource_List.walltime=01:00:00 Resource_List.ncpus=8 \
Exit_status=0 depend=afterok:4.head.acme.org@head.acme.org resources_used.cput=02:00:00 \
resources_used.mem=800kb Variable_List=HOME=/home/ada
03/01/2024 09:00:00;D;6.head.acme.org;requestor=bob@login.acme.org
"""
WORDS_OF_PBS = ("ada", "bob", "ocean", "tides", "hush", "rack", "acme", "login", "home", "fpga")

DROPPED = ("name", "user", "group", "executable", "account")


def jobs(path):
    reader = open_reader(path)
    return polars.concat(list(reader.tables()))


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [(SACCT, "a.sacct", WORDS_OF_SACCT), (PBS, "a.pbs", WORDS_OF_PBS)],
)
@pytest.mark.parametrize("secret", [None, SECRET])
def test_no_name_is_left_and_the_jobs_are_the_same(tmp_path, text, name, words, secret):
    source, target = tmp_path / name, tmp_path / f"out-{name}"
    source.write_text(text)
    done = anonymise(source, target, secret=secret)
    written = target.read_text()
    assert [word for word in words if word in written] == []
    assert "|1001|" not in written
    assert "by 1001" not in written
    assert done.replaced["user"] >= 1
    before, after = jobs(source), jobs(target)
    same = [column for column in before.columns if column not in DROPPED]
    assert before.select(same).equals(after.select(same))
    # Equal names are replaced by equal ones, others by others.
    for column in ("user", "group", "executable"):
        pairs = set(zip(before[column], after[column], strict=True))
        assert len(pairs) == before[column].n_unique() == after[column].n_unique()


def test_a_dump_keeps_its_other_texts(tmp_path):
    source, target = tmp_path / "a.sacct", tmp_path / "b.sacct"
    source.write_text(SACCT)
    done = anonymise(source, target)
    lines = target.read_text().splitlines()
    assert lines[0] == SACCT.splitlines()[0]
    assert lines[1] == (
        "1|user1|uid1|group1|account1|job1|batch|normal|COMPLETED|1709280000|1709280005|60|8"
        "|node1-[01-04],node2-7|||cpu=8,gres/gpu=2,node=5"
    )
    assert lines[2].split("|")[5] == "batch"
    assert lines[4].split("|")[8] == "CANCELLED"
    assert done.rows == 4
    assert done.left_out == ["WorkDir", "Comment"]


def test_hidden_columns(tmp_path):
    source = tmp_path / "a.sacct"
    source.write_text(SACCT)
    anonymise(source, tmp_path / "b.sacct", hide=["QOS"])
    assert "secretqos" not in (tmp_path / "b.sacct").read_text()
    (tmp_path / "a.pbs").write_text(PBS)
    anonymise(tmp_path / "a.pbs", tmp_path / "b.pbs", hide=["queue"])
    assert "batch" not in (tmp_path / "b.pbs").read_text()
    with pytest.raises(schedlab.InputError, match="has no column 'colour' to hide"):
        anonymise(source, tmp_path / "b.swf", hide=["colour"])
    with pytest.raises(schedlab.InputError, match="has no column 'colour' to hide"):
        anonymise(source, tmp_path / "b.sacct", hide=["colour"])


def test_the_original_stays(tmp_path):
    source = tmp_path / "a.sacct"
    source.write_text(SACCT)
    with pytest.raises(schedlab.InputError, match="is the workload itself"):
        anonymise(source, source)
    assert source.read_text() == SACCT


def test_two_dumps_with_one_secret(tmp_path):
    head, tail = SACCT.splitlines(keepends=True)[0], SACCT.splitlines(keepends=True)[1:]
    (tmp_path / "a.sacct").write_text(head + "".join(tail))
    (tmp_path / "b.sacct").write_text(head + "".join(reversed(tail)))
    for name in "ab":
        anonymise(tmp_path / f"{name}.sacct", tmp_path / f"{name}-out.sacct", secret=SECRET)
    first, second = jobs(tmp_path / "a-out.sacct"), jobs(tmp_path / "b-out.sacct")
    for column in ("user", "group", "executable"):
        assert first.sort("job")[column].to_list() == second.sort("job")[column].to_list()
    anonymise(tmp_path / "a.sacct", tmp_path / "c.sacct", secret=SECRET + b"!")
    assert jobs(tmp_path / "c.sacct")["user"].to_list() != first["user"].to_list()


def test_any_workload_as_a_table(tmp_path):
    header = [" Computer: Big Iron", " UnixStartTime: 5", " User: 9 ada", " Queue: 1 fast"]
    rows = [(i, i, 0, 60, 4, -1, -1, 4, 60, -1, 1, user, 7, 30 + i, 1, 1, -1, -1)
            for i, user in enumerate([9, 4, 9, -1], 1)]  # fmt: skip
    schedlab.write_swf(tmp_path / "a.swf", rows, header)
    done = anonymise(tmp_path / "a.swf", tmp_path / "b.swf")
    reader = open_reader(tmp_path / "b.swf")
    (table,) = reader.tables()
    assert table["user"].to_list() == [1, 2, 1, -1]
    assert table["executable"].to_list() == [1, 2, 3, 4]
    assert table["queue"].to_list() == [1, 1, 1, 1]
    assert reader.header == {"UnixStartTime": "5", "Queue": "1 fast"}
    assert sorted(done.left_out) == ["Computer", "User"]


def test_a_dump_that_becomes_a_table(tmp_path):
    (tmp_path / "a.sacct").write_text(SACCT)
    anonymise(tmp_path / "a.sacct", tmp_path / "b.pbs")
    text = (tmp_path / "b.pbs").read_text()
    assert "hush" not in text
    assert "ada" not in text
    assert jobs(tmp_path / "b.pbs")["user"].to_list() == [1, 2]


@given(st.lists(st.text(max_size=20), max_size=30, unique=True))
@examples(50)
def test_pseudonyms_are_one_to_one(names):
    for secret in (None, SECRET):
        first = Pseudonyms(secret)
        given_names = [first.name("user", name) for name in names]
        assert len(set(given_names)) == len(names)
        again = Pseudonyms(secret)
        order = names if secret is None else reversed(names)
        found = {name: again.name("user", name) for name in order}
        assert [found[name] for name in names] == given_names


@given(st.text("ab-1290[],.x", max_size=40))
@examples(100)
def test_any_list_of_nodes(text):
    found = node_list(text, Pseudonyms())
    assert "a" not in found
    assert "b" not in found
    assert "x" not in found


def test_secrets(tmp_path):
    (tmp_path / "short").write_text("abc\n")
    with pytest.raises(schedlab.InputError, match="at least 16 bytes, not 3"):
        read_secret(tmp_path / "short")
    with pytest.raises(schedlab.InputError, match="no such file"):
        read_secret(tmp_path / "none")
    (tmp_path / "key").write_bytes(SECRET + b"\n")
    assert read_secret(tmp_path / "key") == SECRET


def test_the_command(tmp_path):
    (tmp_path / "a.txt").write_text(SACCT + "cut|off\n")
    (tmp_path / "key").write_bytes(SECRET)

    def run(*arguments):
        command = [sys.executable, "-m", "schedlab", "workload", "anonymise", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    done = run("a.txt", "b.txt", "--secret", "key", "--hide", "qos")
    assert done.returncode == 0, done.stderr
    assert "b.txt: 4 rows" in done.stdout
    assert "replaced     2 names of kind user" in done.stdout
    assert "left out     WorkDir, Comment" in done.stdout
    assert "skipped 1 row: not 17 fields, first in line 6" in done.stderr
    assert "off" not in (tmp_path / "b.txt").read_text()
    wrong = run("a.txt", "b.txt", "--secret", "nothing")
    assert (wrong.returncode, "Traceback" in wrong.stderr) == (2, False)
    strict = run("a.txt", "c.txt", "--strict")
    assert strict.returncode == 2
    assert not (tmp_path / "c.txt").exists()
