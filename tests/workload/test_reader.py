"""Readers of a user's own, and any iterable of jobs: what is read, when, and what is refused."""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab
from schedlab import InputError, Job, SimulationError
from schedlab._engine import build_type
from schedlab.workload.reader import reader as reader_named

SYSTEM = {"groups": {"node": {"nodes": 4, "resources": {"core": 4, "mem": 100}}}}
HEAD = "number,submitted,seconds,cores\n"


class Log(schedlab.Reader):
    """A CSV file; rows without cores are skipped."""

    def __init__(self, path, delimiter=","):
        super().__init__(path)
        self.delimiter = delimiter

    def jobs(self):
        for row in csv.DictReader(self.lines(), delimiter=self.delimiter):
            if not row["cores"]:
                self.skip("no cores")
                continue
            yield Job(
                int(row["number"]), int(row["submitted"]), int(row["seconds"]), int(row["cores"])
            )


class Listed(schedlab.Reader):
    """Any objects, as they are or in batches."""

    def __init__(self, items, batch=0):
        self.items, self.batch = items, batch
        self.passes = []

    def jobs(self):
        self.passes.append(1)
        if not self.batch:
            yield from self.items
        for first in range(0, len(self.items) if self.batch else 0, self.batch or 1):
            yield self.items[first : first + self.batch]


def rows(count):
    return [Job(i, i // 3, 7 + i % 5, 1 + i % 4, 20, user=i % 3) for i in range(1, count + 1)]


def written(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_text(HEAD + text)
    return path


def schedule(workload, tmp_path, **choices):
    schedlab.simulate(workload, system=SYSTEM, out=tmp_path / "out", **choices)
    return (tmp_path / "out/jobs.csv").read_bytes()


def test_a_reader_equals_a_list_and_batches_of_any_size(tmp_path):
    jobs = rows(300)
    expected = schedule(jobs, tmp_path, scheduler="easy")
    for batch in (0, 1, 7, 300, 1000):
        assert schedule(Listed(jobs, batch), tmp_path, scheduler="easy") == expected
    assert schedule([jobs[:100], jobs[100:]], tmp_path, scheduler="easy") == expected
    assert schedule((job for job in jobs), tmp_path, scheduler="easy") == expected
    assert schedule([[], jobs, ()], tmp_path, scheduler="easy") == expected


def test_run_json_tells_of_the_input(tmp_path):
    path = written(tmp_path, "1,0,10,2\n2,0,10,\n3,5,10,4\n4,6,10,\n")
    result = schedlab.simulate(Log(path), system=SYSTEM)
    told = result.run["workload"]
    assert told["path"] == str(path)
    assert told["reader"].endswith("test_reader:Log")
    assert told["skipped"] == {"no cores": {"rows": 2, "first_line": 3}}
    assert (told["rows"], told["bytes"]) == (4, path.stat().st_size)
    assert "2 rows: no cores (first in line 3)" in str(result.summary)
    swf = schedlab._engine.Checksum()
    swf.add(path.read_bytes())
    assert told["checksum"] == swf.hex()
    packed = tmp_path / "log.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    again = schedlab.simulate(Log(packed), system=SYSTEM).run["workload"]
    assert {**again, "path": None} == {**told, "path": None}


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
    (tmp_path / "site_log.py").write_text(Path(__file__).read_text())
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
        named = schedlab.Simulation(reader_named("site_log:Log", path), system=SYSTEM)
        named.run(until=until)
        named.save("named")
        for loaded in (again, again.fork()):
            loaded.run()
            assert loaded.metrics == whole.metrics
            assert loaded.engine.workload_report() == whole.engine.workload_report()
        by_name = schedlab.Simulation.load("named")
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
        ([Job(1, 0, 1), {"id": 2}], r"Listed: \{'id': 2\} is no schedlab.Job: it has no attribute"),
        ([Job(1, 0, 1), None], "Listed: None is no schedlab.Job"),
        ([Job(1, 0, 1), [Job(2, 0, 1), "x"]], "Listed: 'x' is no schedlab.Job"),
        ([Job(1, 0, 1), [[Job(2, 0, 1)]]], r"Listed: \[Job\(.*\.\.\. is no schedlab.Job"),
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


def test_rubbish_tells_the_line(tmp_path):
    path = written(tmp_path, "1,9,10,2\n2,0,10,3\n")
    with pytest.raises(InputError, match=r"log\.csv:3: job 2 is submitted before"):
        schedlab.simulate(Log(path), system=SYSTEM)


class Duck:
    id, submit, run, processors, requested_time, user = 1, 0, 5, 1, None, 3
    resources, tasks_per_node, whole_nodes, think, attributes = None, None, False, 0, None
    predecessors = ()


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
        with pytest.raises(InputError, match="a workload is a path, an iterable of Job, or a Read"):
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
    with pytest.raises(InputError, match=r"latin\.csv: behind line 0: is no utf-8-sig text"):
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
            with pytest.raises(InputError, match=rf"^{name}: is for SWF files only"):
                schedlab.simulate(workload, system=SYSTEM, **{name: value})
    schedlab.simulate(rows(3), system=SYSTEM, sort=False, rules="pyss", strict=True)


def test_asks_for_more_says_how_backfilling_plans(tmp_path):
    class Plain(Listed):
        asks_for_more = False

    jobs = rows(200)
    for scheduler in ("easy", "conservative"):
        counted = schedule(Plain(jobs), tmp_path, scheduler=scheduler)
        assert counted == schedule(jobs, tmp_path, scheduler=scheduler)
    more = [*jobs, Job(999, 500, 5, 2, resources={"core": 1, "mem": 60})]
    assert schedule(Plain(more), tmp_path).splitlines()[-1].startswith(b"999,")


def test_names(tmp_path, monkeypatch):
    (tmp_path / "site_log.py").write_text(Path(__file__).read_text())
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "1;0;10;2\n".replace(";", "|"))
    made = reader_named("site_log:Log(delimiter=';')", path)
    assert (made.path, made.delimiter) == (str(path), ";")
    assert reader_named("site_log:Log(delimiter=',')", path).delimiter == ","
    assert reader_named("swf", path) == str(path)
    for text, message in (
        ("site_log:Lug", "site_log has no 'Lug'"),
        ("site_log:Duck", "TypeError: .*takes no arguments"),
        ("site_log:Log(colour=red)", "unexpected keyword argument 'colour'"),
        ("csv", 'unknown reader "csv"; known: swf, or package.module:Name'),
        ("pathlib:Path", "gives PosixPath, which is no schedlab.Reader"),
    ):
        with pytest.raises(InputError, match=message):
            reader_named(text, path)


def test_command_line(tmp_path, monkeypatch):
    (tmp_path / "site_log.py").write_text(Path(__file__).read_text())
    (tmp_path / "machine.toml").write_text("[groups.node]\nnodes = 4\nresources = { core = 4 }\n")
    text = "1;0;10;2\n2;1;10;\n"
    (tmp_path / "log.csv").write_text((HEAD + text).replace(",", ";"))

    def run(*arguments):
        command = ["schedlab", "run", "log.csv", "--system", "machine.toml", *arguments]
        return subprocess.run(
            [sys.executable, "-m", *command],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    done = run("--reader", "site_log:Log(delimiter=;)")
    assert done.returncode == 0, done.stderr
    assert "1 rows: no cores (first in line 3)" in done.stdout
    done = run("--reader", "site_log:Log(delimiter=;)", "--strict")
    assert done.returncode == 2
    assert "log.csv:3: no cores" in done.stderr
    done = run("--reader", "site_log:Log(delimiter=;)", "--sort")
    assert (done.returncode, "--sort: is for SWF files only" in done.stderr) == (2, True)
    done = run("--reader", "site_log:Log")
    assert done.returncode == 1
    said = (
        "schedlab: error: in Log.jobs() at log.csv:2, after 0 jobs: KeyError: 'cores' (site_log.py"
    )
    assert said in done.stderr
    first = run("--reader", "site_log:Log(delimiter=;)", "--out", "out", "--json")
    assert '"reader": "site_log:Log(delimiter=;)"' in first.stdout
