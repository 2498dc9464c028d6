"""Cleaning as a whole: files, tables, the order of rules, rules of a user's own."""

from __future__ import annotations

import gzip

import polars
import pytest
from polars.testing import assert_frame_equal
from workload.cleaning.logs import jobs, submissions

import schedlab as sl
from schedlab.workload import table as job_table
from schedlab.workload.formats import open_reader, write_tables

EXACT = "swf(exact=true)"

LOG = b"""\
; Version: 2.2
;   Computer: the   odd one
; MaxProcs: 64
;       a line that has no key
;
  1     0   5    60   4 -1 -1  4  100 -1 1  1 1 1 1 1 -1 -1
  2    10   5    -9   4 -1 -1  4  100 -1 1  1 1 1 1 1 -1 -1
; a comment between rows
  3    20   5  60.5   4 -1 -1  4  100 -1 1  1 1 1 1 1 -1 -1

  4    30  -1    -1  -1 -1 -1  4  100 -1 5  1 1 1 1 1 -1 -1
  5    40   5    60 128 -1 -1  4  100 -1 1  1 1 1 1 1 -1 -1 node7 more
  6    50   5    60   4 -1 -1  4  100 -1 1  1 1 1 1 1 -1 -1 node8\r
"""
GONE = (2, 4, 5)


class NotOnMondays(sl.CleaningRule):
    """A rule of your own."""

    def __init__(self, day=0):
        self.day = day

    def find(self, jobs):
        when = (polars.col("submit") // 86_400) % 7 == self.day
        yield sl.Finding(f"submitted on day {self.day}", when)


@pytest.fixture
def log(tmp_path):
    (tmp_path / "log.swf").write_bytes(LOG)
    return tmp_path / "log.swf"


def test_lines_of_swf_files_stay_as_they_are(log, tmp_path):
    cleaning = sl.clean(log)
    assert cleaning.removed["job"].to_list() == list(GONE)
    written = cleaning.write(tmp_path / "clean.swf", EXACT, command="a command")
    assert written.rows == 3
    lines = (tmp_path / "clean.swf").read_bytes().splitlines(keepends=True)
    note = [line for line in lines if b"CLEANED" in line]
    assert len(note) == 1
    assert note[0].startswith(
        b"; Note: CLEANED by: a command; removed 3 of 6 jobs: 2 by impossible"
    )
    assert lines.index(note[0]) == 5  # after the header
    gone = [b"  %d  " % number for number in GONE]
    expected = [line for line in LOG.splitlines(keepends=True) if not line.startswith(tuple(gone))]
    assert [line for line in lines if line != note[0]] == expected


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
def test_compressed_files(log, tmp_path, end):
    sl.clean(log).write(tmp_path / f"clean.swf{end}", EXACT)
    sl.clean(tmp_path / f"clean.swf{end}").write(tmp_path / "again.swf", EXACT)
    again = (tmp_path / "again.swf").read_bytes()
    assert again.count(b"CLEANED") == 2
    assert b"removed 0 of 3 jobs" in again
    assert b"  6    50   5    60   4 -1 -1  4  100 -1 1  1 1 1 1 1 -1 -1 node8\r\n" in again


def test_lines_that_are_no_rows_go(log, tmp_path):
    log.write_bytes(LOG.replace(b"  3    20", b"three   20"))
    cleaning = sl.clean(log)
    assert cleaning.skipped == {"not 18 numbers": {"rows": 1, "first_line": 9}}
    cleaning.write(tmp_path / "clean.swf")
    assert b"three" not in (tmp_path / "clean.swf").read_bytes()
    left = polars.concat(list(open_reader(tmp_path / "clean.swf").tables()))
    assert left["job"].to_list() == [1, 6]
    with pytest.raises(sl.InputError, match=r"log.swf:9: not 18 numbers"):
        sl.clean(log, strict=True)


@pytest.mark.parametrize("content", [b"", b"; Version: 2\n", b"\n\n"])
def test_files_without_jobs(tmp_path, content):
    (tmp_path / "empty.swf").write_bytes(content)
    cleaning = sl.clean(tmp_path / "empty.swf")
    assert (cleaning.log.rows, cleaning.kept, cleaning.removed.height) == (0, 0, 0)
    assert cleaning.table.height == 0
    assert all(rule.notes == () for rule in cleaning.rules)
    cleaning.write(tmp_path / "clean.swf")
    assert b"removed 0 of 0 jobs" in (tmp_path / "clean.swf").read_bytes()


def test_files_of_another_format_are_refused(tmp_path):
    (tmp_path / "log.swf").write_bytes(bytes(range(256)) * 20)
    with pytest.raises(sl.InputError, match=r"none of its \d+ rows can be read \(not 18 numbers\)"):
        sl.clean(tmp_path / "log.swf")


def test_headers_need_not_be_text(log, tmp_path):
    log.write_bytes(LOG.replace(b"the   odd one", b"\xff\xfe\xe9"))
    sl.clean(log).write(tmp_path / "clean.swf")
    assert b";   Computer: \xff\xfe\xe9\n" in (tmp_path / "clean.swf").read_bytes()


def test_the_last_line_may_lack_its_end(log, tmp_path):
    log.write_bytes(LOG.rstrip())
    sl.clean(log).write(tmp_path / "clean.swf", EXACT)
    assert (tmp_path / "clean.swf").read_bytes().endswith(b"node8\n")


def test_extra_fields_stay(tmp_path):
    table = jobs({"task_gpu": 2, "tasks": 1}, {"run": -7}, {"task_gpu": 1, "tasks": 3})
    write_tables(tmp_path / "log.swf", [table], {"MaxProcs": "64"}, EXACT)
    sl.clean(tmp_path / "log.swf").write(tmp_path / "clean.swf", EXACT)
    left = polars.concat(list(open_reader(tmp_path / "clean.swf").tables()))
    assert left["task_gpu"].to_list() == [2, 1]
    assert_frame_equal(left, table.filter(polars.col("run") > 0))


def test_a_log_is_not_its_own_target(log):
    with pytest.raises(sl.InputError, match="is the log itself"):
        sl.clean(log).write(log)
    assert log.read_bytes() == LOG


def test_a_log_that_changes_meanwhile_is_an_error(log, tmp_path):
    cleaning = sl.clean(log)
    log.write_bytes(LOG + b"7 60 5 60 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n")
    with pytest.raises(sl.InputError, match="has changed while it was read"):
        cleaning.write(tmp_path / "clean.swf")
    assert not (tmp_path / "clean.swf").exists()


def test_a_truncated_file_is_an_error(tmp_path):
    (tmp_path / "log.swf.gz").write_bytes(gzip.compress(LOG * 100)[:-20])
    with pytest.raises(sl.InputError, match="is cut off"):
        sl.clean(tmp_path / "log.swf.gz")


def test_the_list_of_jobs_that_went(log, tmp_path):
    cleaning = sl.clean(log)
    cleaning.write_removed(tmp_path / "removed.csv")
    assert (tmp_path / "removed.csv").read_text().splitlines() == [
        "row,job,submit,run,processors,user,rule,reason,evidence",
        "2,2,10,-9,4,1,impossible,negative run time (it ends before it starts),run -9",
        '4,4,30,-1,4,1,missing,cancelled before it started,"status 5, no run time"',
        "5,5,40,60,128,1,impossible,more processors than the machine has,"
        '"allocated_processors 128, of 64"',
    ]
    assert cleaning.counts.rows() == [
        ("impossible", "negative run time (it ends before it starts)", 1),
        ("impossible", "more processors than the machine has", 1),
        ("missing", "cancelled before it started", 1),
    ]


def test_a_job_goes_with_the_first_rule_that_finds_it():
    table = jobs({"run": -5, "user": 9}, {"user": 9}, {})
    for rules, first in (
        (["impossible", "chosen(user=9)"], 0),
        (["chosen(user=9)", "impossible"], 1),
    ):
        removed = sl.clean(table, rules).removed
        assert removed["job"].to_list() == [1, 2]
        assert removed["rule"].to_list() == [["impossible", "chosen"][first], "chosen"]


def test_the_note_counts_each_rule_by_itself():
    table = jobs({"user": 9}, {"user": 9}, {"user": 8}, {})
    cleaning = sl.clean(table, ["chosen(user=9)", "chosen(user=8)"])
    note = cleaning.note("a\ncommand")
    assert note == (
        "CLEANED by: a command; removed 3 of 4 jobs: 2 by chosen(user=9), 1 by chosen(user=8)"
    )
    assert cleaning.counts["jobs"].to_list() == [2, 1]


def test_no_tables_at_all():
    cleaning = sl.clean([])
    assert (cleaning.kept, cleaning.table.height, cleaning.counts.height) == (0, 0, 0)


def test_however_a_log_is_cut_the_same_jobs_go(monkeypatch):
    submit = [1e9 + 600.0 * place for place in range(2500)]
    submit[800], submit[1601] = 0.0, 9e9
    users = [7 if 1000 < place < 1900 else place % 13 for place in range(2500)]
    table = submissions(submit, users).with_columns(
        job=polars.Series([place % 2400 for place in range(2500)], dtype=polars.Float64)
    )
    whole = sl.clean(table, processors=1)
    assert {*whole.removed["rule"]} == {"duplicates", "order", "flurries"}
    for batch in (37, 800):
        monkeypatch.setattr(job_table, "BATCH", batch)
        cut = sl.clean(table, processors=1)
        assert_frame_equal(cut.removed, whole.removed)
        assert_frame_equal(cut.table, whole.table)
        assert max(part.height for part in cut.tables()) <= batch
    generated = sl.clean(part for part in table.iter_slices(99))
    assert_frame_equal(generated.removed.drop("evidence"), whole.removed.drop("evidence"))


def test_other_formats(log, tmp_path):
    class Stored(sl.Reader):
        def tables(self):
            yield jobs({}, {"run": -4}, {"name_of_it": 5})

        @property
        def header(self):
            return {"MaxProcs": "8", "Note": "of old"}

    written = sl.clean(Stored()).write(tmp_path / "clean.swf", EXACT)
    assert written.rows == 2
    reader = open_reader(tmp_path / "clean.swf")
    left = polars.concat(list(reader.tables()))
    assert left["name_of_it"].to_list() == [-1, 5]
    notes = reader.header["Note"].split("\n")
    assert notes[0] == "of old"
    assert notes[1].startswith("CLEANED; removed 1 of 3 jobs: 1 by impossible")


def test_rules_of_ones_own():
    table = submissions([0, 86_400, 7 * 86_400], [1, 2, 3])
    rule = NotOnMondays()
    cleaning = sl.clean(table, ["missing", rule])
    assert cleaning.table["user"].to_list() == [2]
    assert cleaning.counts.rows() == [("NotOnMondays", "submitted on day 0", 2)]
    assert "2 by NotOnMondays(day=0)" in cleaning.note()
    assert cleaning.rules[1] is not rule


def test_rules_keep_nothing_from_one_cleaning_to_the_next():
    from schedlab.workload.cleaning.duplicates import Duplicates

    rule, table = Duplicates(), jobs({}, {}, {"job": 1})
    for _ in range(2):
        assert sl.clean(table, [rule]).removed["row"].to_list() == [3]


@pytest.mark.parametrize(
    ("finding", "message"),
    [
        ("text", "find() must yield Finding(...), not 'text'"),
        (sl.Finding("odd", polars.col("run")), "`when` must be true or false for each of 2 rows"),
        (sl.Finding("odd", polars.Series([True])), "not 1 of Boolean"),
        (sl.Finding("odd", polars.col("colour") == 1), "colour"),
    ],
)
def test_wrong_findings_are_refused(finding, message):
    class Wrong(sl.CleaningRule):
        def find(self, jobs):
            yield finding

    with pytest.raises(sl.InputError) as error:
        sl.clean(jobs({}, {}), [Wrong()])
    assert str(error.value).startswith("rule Wrong: ")
    assert message in str(error.value)


def test_errors_of_rules_say_whose_they_are():
    class Broken(sl.CleaningRule):
        def survey(self, jobs):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as error:
        sl.clean(jobs({}), [Broken()])
    assert error.value.__notes__ == ["in survey() of rule Broken"]
    with pytest.raises(NotImplementedError, match="Idle must define find"):
        sl.clean(jobs({}), [type("Idle", (sl.CleaningRule,), {})()])
    with pytest.raises(sl.InputError, match="must be a name or a schedlab"):
        sl.clean(jobs({}), [7])
    with pytest.raises(sl.InputError, match="processors must be at least 1"):
        sl.clean(jobs({}), processors=0)
