from __future__ import annotations

import pytest

import schedlab
from schedlab import Job

SYSTEM = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
JOBS = [Job(1, 0, 10, 2), Job(2, 1, 10, 4), Job(3, 2, 5, 2)]


def test_identical():
    a = schedlab.simulate(JOBS, system=SYSTEM)
    b = schedlab.simulate(JOBS, system=SYSTEM, scheduler="sjf")
    difference = schedlab.compare_schedules(a, a)
    assert difference.identical
    assert not difference
    assert "identical: 3 jobs" in str(difference)
    assert schedlab.compare_schedules(a, b)


def test_differences(tmp_path):
    a = schedlab.simulate(JOBS, system=SYSTEM, out=tmp_path / "a")
    schedlab.simulate(
        [*JOBS[:2], Job(4, 2, 5, 2)], system=SYSTEM, scheduler="easy", out=tmp_path / "b"
    )
    difference = schedlab.compare_schedules(a, tmp_path / "b")
    assert (difference.only_in_a, difference.only_in_b) == ([3], [4])
    schedlab.simulate(JOBS, system=SYSTEM, scheduler="easy", out=tmp_path / "c")
    difference = schedlab.compare_schedules(tmp_path / "a/jobs.csv", tmp_path / "c")
    assert difference.different_jobs == [3]
    assert difference.differing == {"submit": 0, "start": 1, "end": 1, "state": 0, "nodes": 1}
    assert difference.largest_shift == 18
    assert difference.mean_wait == (9, 3)
    assert "job 3: start 20.0 / 2.0" in str(difference)


def test_another_clock_and_few_columns(tmp_path):
    a = schedlab.simulate(JOBS, system=SYSTEM)
    (tmp_path / "other.csv").write_text(
        "job_id,submit,start,end\n1,100,100,110\n2,101,110,120\n3,102,120,125\n"
    )
    difference = schedlab.compare_schedules(a, tmp_path / "other.csv", shift=-100)
    assert difference.identical
    assert schedlab.compare_schedules(a, tmp_path / "other.csv").differing["start"] == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "no column job_id"),
        ("job_id,submit,start,end\n1,0,x,2\n", "cannot be read"),
        ("job_id,submit,start,end\n1,0,0,2\n1,0,0,2\n", "names a job twice"),
        ("", "is not a line that names the columns"),
    ],
)
def test_wrong_files(tmp_path, content, message):
    path = tmp_path / "jobs.csv"
    path.write_text(content)
    with pytest.raises(schedlab.InputError, match=message):
        schedlab.compare_schedules(path, path)
    with pytest.raises(schedlab.InputError, match="no such file"):
        schedlab.compare_schedules(tmp_path / "none", path)
