"""Workloads that can be read only once, and those whose name says another format."""

import os
import subprocess
import sys

import pytest

import schedlab as sl
from schedlab.errors import InputError
from schedlab.likeness import compare_workloads
from schedlab.workload import cleaning
from schedlab.workload.formats import open_reader, workload

ROWS = "".join(f"{n} {n * 10} 0 60 1 -1 -1 1 90 -1 1 1 1 1 1 1 -1 -1\n" for n in range(1, 6))
MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}


@pytest.fixture
def pipe():
    """Gives the path of a pipe with the rows in it."""
    reading, writing = os.pipe()
    os.write(writing, ROWS.encode())
    os.close(writing)
    yield f"/dev/fd/{reading}"
    os.close(reading)


def test_a_pipe_is_not_looked_into(pipe):
    # That took the rows from it, and the workload was empty.
    with pytest.raises(InputError, match=r"is a pipe.*--reader: swf, parquet"):
        open_reader(pipe)
    assert sum(table.height for table in open_reader(pipe, "swf").tables()) == 5


def test_a_pipe_is_simulated(pipe):
    assert sl.simulate(workload(pipe, "swf"), system=MACHINE).counts["completed"] == 5


def test_a_pipe_is_not_read_twice(pipe):
    # sacct goes over its file twice; the second time, nothing was left of it.
    reader = open_reader(pipe, "swf")
    list(reader.tables())
    with pytest.raises(InputError, match=r"can be read only once.*write it to a file first"):
        list(reader.tables())


def test_rows_of_a_pipe_that_is_cleaned_are_not_lost(pipe):
    # The second pass found nothing: 5 jobs were said to be written, and none was.
    with pytest.raises(InputError, match=r"can be read only once"):
        cleaning.clean(pipe, reader="swf")


def test_a_log_that_grows_while_it_is_cleaned(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("job,submit,run,requested_processors\n1,0,1,1\n")

    def grow(what, rows, of):
        if what == "looking":
            with path.open("a") as file:
                file.write("2,5,1,1\n")

    with pytest.raises(InputError, match=r"has changed while it was read; clean it again"):
        cleaning.clean(path, progress=grow)
    done = cleaning.clean(path)
    with path.open("a") as file:
        file.write("3,5,1,1\n")
    with pytest.raises(InputError, match=r"has changed while it was read"):
        list(done.tables())


def test_the_reader_that_is_named_reads_whatever_the_name_of_the_file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    assert sl.simulate(workload(path, "swf"), system=MACHINE).counts["completed"] == 5
    (tmp_path / "machine.json").write_text(
        '{"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}'
    )
    command = [sys.executable, "-m", "schedlab", "run", path, "--reader", "swf", "--quiet"]
    command += ["--system", tmp_path / "machine.json"]
    assert subprocess.run(command, check=False).returncode == 0
    made = compare_workloads(path, path, reader="swf", system=MACHINE, simulate=["fifo"])
    assert made.workloads[0]["simulated"]["fifo"]["counts"]["completed"] == 5
