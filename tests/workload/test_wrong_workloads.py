"""Readers and iterables of jobs that are wrong: what is refused, and how."""

from __future__ import annotations

import gzip

import pytest
from workload.log_reader import HEAD, SYSTEM, Duck, Listed, Log, rows, written

import schedlab
from schedlab import InputError, Job


def test_other_errors_get_a_note_of_reader_and_place(tmp_path):
    path = written(tmp_path, "1,0,10,2\n2,0,ten,3\n")
    with pytest.raises(ValueError, match="invalid literal") as caught:
        schedlab.simulate(Log(path), system=SYSTEM)
    (note,) = caught.value.__notes__
    assert note == f"in Log.jobs() at {path}:3, after 1 jobs"

    def jobs():
        yield Job(1, 0, 1)
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError) as raised:
        schedlab.simulate(jobs(), system=SYSTEM)
    assert raised.value.__notes__ == ["in generator, after 1 jobs"]


def test_input_errors_stay_as_they_are():
    class Refusing(schedlab.Reader):
        def jobs(self):
            raise InputError("this log is of another site")

    with pytest.raises(InputError, match=r"^this log is of another site$") as caught:
        schedlab.simulate(Refusing(), system=SYSTEM)
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [Job(1, 0, 1), {"id": 2}],
            r"Listed: \{'id': 2\} is not a schedlab.Job: it has no attribute",
        ),
        ([Job(1, 0, 1), None], "Listed: None is not a schedlab.Job"),
        ([Job(1, 0, 1), [Job(2, 0, 1), "x"]], "Listed: 'x' is not a schedlab.Job"),
        ([Job(1, 0, 1), [[Job(2, 0, 1)]]], r"Listed: \[Job\(.*\.\.\. is not a schedlab.Job"),
        ([Job(1, 5, 1), Job(2, 4, 1)], r"Listed: job 2 is submitted before .*key=lambda job"),
        ([Job(1, 5, 1), Job(1, 6, 1)], "Listed: job id 1 appears twice; every job needs a number"),
        (
            [Job(1, "noon", 1)],
            "job 1: submit must be a number of seconds within 126 years, not 'noon'",
        ),
        ([Job(7, 0, 1, resources={"gpu": 1})], 'job 7: resources: the system has no "gpu"'),
    ],
)
def test_rubbish(items, message):
    with pytest.raises(InputError, match=message):
        schedlab.simulate(Listed(items), system=SYSTEM)


def test_rubbish_names_the_line(tmp_path):
    path = written(tmp_path, "1,9,10,2\n2,0,10,3\n")
    with pytest.raises(InputError, match=r"log\.csv:3: job 2 is submitted before"):
        schedlab.simulate(Log(path), system=SYSTEM)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "1"),
        ("id", 2**70),
        ("user", 1.5),
        ("processors", None),
        ("processors", 0),
        ("tasks_per_node", -1),
        ("predecessors", 4),
        ("predecessors", ("a",)),
        ("resources", [1]),
        ("resources", {1: 2}),
        ("resources", {"core": "x"}),
        ("attributes", 5),
        ("attributes", {5: 5}),
        ("attributes", {"a": "b"}),
    ],
)
def test_anything_with_the_attributes_of_a_job_is_one_unless_they_are_wrong(field, value):
    duck = Duck()
    assert schedlab.simulate([duck], system=SYSTEM).counts["completed"] == 1
    setattr(duck, field, value)
    with pytest.raises(InputError):
        schedlab.simulate([duck], system=SYSTEM)


def test_wrong_workloads():
    for workload in (5, None, object()):
        with pytest.raises(InputError, match="a workload is a path, an iterable of Job, a Read"):
            schedlab.simulate(workload, system=SYSTEM)

    class Nothing(schedlab.Reader):
        def jobs(self):
            return None

    with pytest.raises(InputError, match=r"Nothing.jobs\(\) must yield jobs, not None"):
        schedlab.simulate(Nothing(), system=SYSTEM)

    class Abstract(schedlab.Reader):
        pass

    with pytest.raises(NotImplementedError, match=r"Abstract must define jobs\(\)"):
        schedlab.simulate(Abstract(), system=SYSTEM)


def test_a_reader_without_jobs_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"log\.csv: no job to simulate: the file has no rows"):
        schedlab.simulate(Log(written(tmp_path, "")), system=SYSTEM)
    with pytest.raises(InputError, match=r"1 x no cores \(first in line 2\)"):
        schedlab.simulate(Log(written(tmp_path, "1,0,10,\n")), system=SYSTEM)
    assert schedlab.simulate([], system=SYSTEM).counts["submitted"] == 0


def test_lines_of_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        schedlab.simulate(Log(tmp_path / "none.csv"), system=SYSTEM)
    path = tmp_path / "latin.csv"
    path.write_bytes(HEAD.encode() + b"1,0,1,1 \xe9\n")
    with pytest.raises(InputError, match=r"latin\.csv: after line 0: is not utf-8-sig text"):
        schedlab.simulate(Log(path), system=SYSTEM)
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress(HEAD.encode() + bytes(range(48, 58)) * 5000)[:-9])
    with pytest.raises(InputError, match=r"cut\.csv\.gz: is cut off"):
        schedlab.simulate(Log(cut), system=SYSTEM)
    with pytest.raises(InputError, match="has no path"):
        next(Listed([]).lines())


def test_lines_are_those_of_the_file(tmp_path):
    content = "a\r\nb\n\n" + "x" * 700_000 + "\u2028\nlast"
    path = tmp_path / "text"
    path.write_bytes(b"\xef\xbb\xbf" + content.encode())
    reader = schedlab.Reader(path)
    assert "".join(reader.lines()) == content
    assert reader.line == 5


def test_options_for_rows_are_refused(tmp_path):
    for name, value in (
        ("sort", True),
        ("tasks_per_node", 2),
        ("whole_nodes", True),
        ("processors", "allocated"),
        ("memory", "used"),
        ("missing_estimate", 60),
        ("estimate_covers_run", True),
        ("zero_run", "skip"),
        ("unusable", "substitute"),
    ):
        for workload in (rows(3), Listed(rows(3))):
            with pytest.raises(InputError, match=rf"^{name}: is for rows of files only"):
                schedlab.simulate(workload, system=SYSTEM, **{name: value})
    schedlab.simulate(rows(3), system=SYSTEM, sort=False, rules="pyss", strict=True)
