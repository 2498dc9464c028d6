"""Readers of a user's own, and any iterable of jobs: what is read, when, and how often."""

from __future__ import annotations

import functools
import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from workload import log_reader
from workload.log_reader import HEAD, SYSTEM, Listed, Log, rows, schedule, written

import schedlab
from schedlab import InputError, Job, SimulationError
from schedlab._engine import build_type
from schedlab.workload.formats import workload as workload_of


def test_a_reader_equals_a_list_and_batches_of_any_size(tmp_path):
    jobs = rows(300)
    expected = schedule(jobs, tmp_path, scheduler="easy")
    for batch in (0, 1, 7, 300, 1000):
        assert schedule(Listed(jobs, batch), tmp_path, scheduler="easy") == expected
    assert schedule([jobs[:100], jobs[100:]], tmp_path, scheduler="easy") == expected
    assert schedule((job for job in jobs), tmp_path, scheduler="easy") == expected
    assert schedule([[], jobs, ()], tmp_path, scheduler="easy") == expected


def test_run_json_describes_the_input(tmp_path):
    path = written(tmp_path, "1,0,10,2\n2,0,10,\n3,5,10,4\n4,6,10,\n")
    result = schedlab.simulate(Log(path), system=SYSTEM)
    description = result.run["workload"]
    assert description["path"] == str(path)
    assert description["reader"].endswith("log_reader:Log")
    assert description["skipped"] == {"no cores": {"rows": 2, "first_line": 3}}
    assert (description["rows"], description["bytes"]) == (4, path.stat().st_size)
    assert "2 rows: no cores (first in line 3)" in str(result.summary)
    swf = schedlab._engine.Checksum()
    swf.add(path.read_bytes())
    assert description["checksum"] == swf.hex()
    packed = tmp_path / "log.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    again = schedlab.simulate(Log(packed), system=SYSTEM).run["workload"]
    assert {**again, "path": None} == {**description, "path": None}


def test_a_checksum_of_its_own(tmp_path):
    class Summed(Listed):
        def checksum(self):
            return "abc"

    assert schedlab.simulate(Summed(rows(2)), system=SYSTEM).run["workload"]["checksum"] == "abc"


def test_strict_makes_the_first_skipped_row_an_error(tmp_path):
    path = written(tmp_path, "1,0,10,2\n2,0,10,\n")
    with pytest.raises(InputError, match=r"log\.csv:3: no cores; without --strict"):
        schedlab.simulate(Log(path), system=SYSTEM, strict=True)


def test_skip_without_a_path_or_a_line(tmp_path):
    class Odd(Listed):
        def jobs(self):
            yield self.items[0]
            self.skip("odd")
            self.skip("late", 12)

    result = schedlab.simulate(Odd(rows(1)), system=SYSTEM)
    assert result.run["workload"]["skipped"] == {
        "odd": {"rows": 1, "first_line": None},
        "late": {"rows": 1, "first_line": 12},
    }
    assert "1 rows: odd\n" in str(result.summary)
    with pytest.raises(InputError, match="Odd: odd; without"):
        schedlab.simulate(Odd(rows(1)), system=SYSTEM, strict=True)


def test_forks_read_again_and_count_for_themselves(tmp_path):
    text = "".join(f"{i},{i},10,{i % 4 or ''}\n" for i in range(1, 200))
    simulation = schedlab.Simulation(Log(written(tmp_path, text)), system=SYSTEM, scheduler="easy")
    simulation.run(until=90)
    fork = simulation.fork()
    assert fork.engine.workload_report() == simulation.engine.workload_report()
    grandchild = fork.fork()
    for one in (fork, simulation, grandchild):
        one.run()
    for one in (fork, grandchild):
        assert one.metrics == simulation.metrics
        report = one.engine.workload_report()
        assert report["skipped"]["no cores"] == {"rows": 49, "first_line": 5}
        assert report["rows"] == 199


def test_saved_and_loaded_again(tmp_path, monkeypatch):
    text = "".join(f"{i},{i},10,{i % 4 or ''}\n" for i in range(1, 201))  # the last is skipped
    path = written(tmp_path, text)
    whole = schedlab.Simulation(Log(path), system=SYSTEM, scheduler="easy")
    whole.run()
    (tmp_path / "site_log.py").write_text(Path(log_reader.__file__).read_text())
    monkeypatch.chdir(tmp_path)
    for until in (0, 90, 199, 205):
        simulation = schedlab.Simulation(Log(path), system=SYSTEM, scheduler="easy")
        simulation.run(until=until)
        simulation.save("state")
        with pytest.raises(InputError, match="came from Python code; give them again"):
            schedlab.Simulation.load("state")
        other = [Job(i, i, 9, i % 4) for i in range(1, 200) if i % 4]
        with pytest.raises(InputError, match="not those of the saved state"):
            schedlab.Simulation.load("state", workload=other)
        again = schedlab.Simulation.load("state", workload=Log(path))
        named = schedlab.Simulation(workload_of(path, "site_log:Log"), system=SYSTEM)
        named.run(until=until)
        named.save("named")
        for loaded in (again, again.fork()):
            loaded.run()
            assert loaded.metrics == whole.metrics
            assert loaded.engine.workload_report() == whole.engine.workload_report()
        by_name = schedlab.Simulation.load("named", trust_code=True)
        by_name.run()
        assert by_name.counts == whole.counts


def test_forks_within_a_batch():
    reader = Listed(rows(300), 64)
    simulation = schedlab.Simulation(reader, system=SYSTEM, scheduler="easy")
    while simulation.counts["submitted"] < 100:
        simulation.step()
    fork = simulation.fork()
    simulation.run()
    fork.run()
    assert fork.metrics == simulation.metrics
    assert len(reader.passes) == 2


def test_a_reader_that_gives_other_jobs_the_second_time():
    class Changing(Listed):
        first = 0

        def jobs(self):
            Changing.first += 100
            for job in self.items:
                yield job.replace(id=job.id + Changing.first)

    simulation = schedlab.Simulation(Changing(rows(50)), system=SYSTEM)
    simulation.run(until=5)
    with pytest.raises(SimulationError, match="Changing must give the same jobs each time"):
        simulation.fork()


def test_a_reader_that_holds_one_iterator_cannot_be_forked():
    class Once(schedlab.Reader):
        def __init__(self):
            self.kept = iter(rows(20))

        def jobs(self):
            return self.kept

    simulation = schedlab.Simulation(Once(), system=SYSTEM)
    with pytest.raises(SimulationError, match="cannot be forked"):
        simulation.fork()


def test_a_million_jobs_are_never_held(tmp_path):
    count = 1_000_000 if build_type == "release" else 20_000

    class Counted(Job):
        __slots__ = ()
        alive = most = 0

        def __init__(self, *arguments):
            super().__init__(*arguments)
            Counted.alive += 1
            Counted.most = max(Counted.most, Counted.alive)

        def __del__(self):
            Counted.alive -= 1

    jobs = (Counted(i, i, 2) for i in range(count))
    result = schedlab.simulate(jobs, system=SYSTEM, jobs="none")
    assert result.counts["completed"] == count
    assert Counted.most <= 4


@pytest.mark.skipif(build_type != "release", reason="memory is measured on the release build")
def test_memory_does_not_grow_with_the_jobs():
    code = """
import sys, schedlab
class Many(schedlab.Reader):
    def jobs(self):
        for first in range(0, int(sys.argv[1]), 1000):
            yield [schedlab.Job(i, i, 2) for i in range(first, first + 1000)]
s = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
result = schedlab.simulate(Many(), system=s, jobs="none", dependencies="ignore")
print(result.run["simulator"]["peak_memory_bytes"])
"""
    peaks = [
        int(subprocess.check_output([sys.executable, "-c", code, str(count)]))
        for count in (2_000, 100_000)
    ]
    assert peaks[1] - peaks[0] < 1_000_000


def test_an_attribute_says_how_backfilling_plans(tmp_path):
    class Plain(Listed):
        may_ask_beyond_processors = False

    jobs = rows(200)
    for scheduler in ("easy", "conservative"):
        counted = schedule(Plain(jobs), tmp_path, scheduler=scheduler)
        assert counted == schedule(jobs, tmp_path, scheduler=scheduler)
    more = [*jobs, Job(999, 500, 5, 2, resources={"core": 1, "mem": 60})]
    assert schedule(Plain(more), tmp_path).splitlines()[-1].startswith(b"999,")


def test_the_former_name_of_that_attribute_is_refused():
    message = "asks_for_more is now called may_ask_beyond_processors; rename the attribute"
    with pytest.raises(InputError, match=f"Former: {message}"):
        type("Former", (schedlab.Reader,), {"asks_for_more": True})

    class Mixed:
        asks_for_more = False

    with pytest.raises(InputError, match=f"Both: {message}"):
        type("Both", (Mixed, schedlab.Reader), {})


def test_readers_and_factories_of_other_classes_are_refused_with_it_too():
    class Duck:
        asks_for_more = True

        def jobs(self):
            return rows(3)

    def factory(job):
        return job

    message = "asks_for_more is now called may_ask_beyond_processors; rename the attribute"
    with pytest.raises(InputError, match=f"Duck: {message}"):
        schedlab.simulate(Duck(), system=SYSTEM)
    reader = Listed(rows(3))
    reader.asks_for_more = True
    with pytest.raises(InputError, match=f"Listed: {message}"):
        schedlab.simulate(reader, system=SYSTEM)
    factory.asks_for_more = False
    with pytest.raises(InputError, match=f"job factory .*factory.*: {message}"):
        schedlab.simulate(rows(3), system=SYSTEM, job_factory=factory)


def test_names(tmp_path, monkeypatch):
    (tmp_path / "site_log.py").write_text(Path(log_reader.__file__).read_text())
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "1;0;10;2\n".replace(";", "|"))
    made = workload_of(path, "site_log:Log(delimiter=';')")
    assert (made.path, made.delimiter) == (str(path), ";")
    assert workload_of(path, "site_log:Log(delimiter=',')").delimiter == ","
    # The engine reads SWF by its path, unless that says something else.
    assert workload_of(tmp_path / "log.swf", "swf") == str(tmp_path / "log.swf")
    assert str(workload_of(path, "swf")) == "swf"
    for text, message in (
        ("site_log:Lug", "site_log has no 'Lug'"),
        ("site_log:Duck", "gives Duck, which is not a schedlab.Reader"),
        ("site_log:Log(colour=red)", "Log takes .*delimiter.*, not colour"),
        ("abacus", 'unknown reader "abacus"; known: swf, .*or package.module:Name'),
        ("pathlib:Path", "gives Path, which is not a schedlab.Reader"),
    ):
        with pytest.raises(InputError, match=message):
            workload_of(path, text)


def test_command_line(tmp_path, schedlab_run):
    (tmp_path / "site_log.py").write_text(Path(log_reader.__file__).read_text())
    text = "1;0;10;2\n2;1;10;\n"
    (tmp_path / "log.csv").write_text((HEAD + text).replace(",", ";"))
    run = functools.partial(schedlab_run, "log.csv")
    done = run("--reader", "site_log:Log(delimiter=;)")
    assert done.returncode == 0, done.stderr
    assert "1 rows: no cores (first in line 3)" in done.stdout
    done = run("--reader", "site_log:Log(delimiter=;)", "--strict")
    assert done.returncode == 2
    assert "log.csv:3: no cores" in done.stderr
    done = run("--reader", "site_log:Log(delimiter=;)", "--sort")
    assert (done.returncode, "--sort: is for rows of files only" in done.stderr) == (
        2,
        True,
    )
    done = run("--reader", "site_log:Log")
    assert done.returncode == 1
    message = (
        "schedlab: error: in Log.jobs() at log.csv:2, after 0 jobs: KeyError: 'cores' (site_log.py"
    )
    assert message in done.stderr
    first = run("--reader", "site_log:Log(delimiter=;)", "--out", "out", "--json")
    assert '"reader": "site_log:Log(delimiter=;)"' in first.stdout
