"""Job factories: what they see and may change, their forks, and their names."""

from __future__ import annotations

import functools
import gzip
import itertools
import threading

import pytest
from conftest import SETH
from workload.swf_rows import SYSTEM, anew, identity, row, simulated

import schedlab
from schedlab import InputError, Job, SimulationError
from schedlab.workload.job_factory import job_factory


def test_a_factory_that_changes_nothing_changes_nothing(trace, tmp_path):
    with gzip.open(trace("HPC2N-2002-2.2-cln.swf.gz"), "rt") as file:
        rows = (line for line in file if not line.startswith(";"))
        part = "".join(itertools.islice(rows, 5000))
    path = tmp_path / "part.swf"
    path.write_text(part)
    for choices in (
        {"scheduler": "easy"},
        {"scheduler": "conservative", "rules": "pyss"},
        {"scheduler": "fifo", "memory": "requested", "allocator": "best-fit"},
        {"scheduler": "sjf", "missing_estimate": 3600, "dependencies": "honour"},
        {"scheduler": "score:queue * 10 + group", "whole_nodes": True},
    ):
        plain = simulated(path, tmp_path, system=SETH, **choices)
        assert len(plain) == 5000
        for factory in (identity, anew):
            made = simulated(path, tmp_path, system=SETH, job_factory=factory, **choices)
            assert made == plain


def test_times_stay_exact_to_the_nanosecond(tmp_path):
    line = "{} 3000000000.123456789 -1 20000000.123456789 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"
    path = tmp_path / "long.swf"
    path.write_text(line.format(1) + line.format(2))
    plain = simulated(path, tmp_path)
    assert "3000000000.123456789" in plain[0]
    assert simulated(path, tmp_path, job_factory=anew) == plain
    moved = simulated(path, tmp_path, job_factory=lambda job: job.replace(run=job.run + 1))
    assert ",3020000001.2469135" in moved[0]


def test_what_a_factory_sees(swf, tmp_path):
    seen = []

    def look(job):
        seen.append(job)
        return job

    path = swf(
        row(1, 5, 7.5, 3, -1, user=4, group=8, executable=3, queue=0, partition=2),
        row(2, 6, requested_memory=50, preceding_job=1, think_time=9),
    )
    options = {"memory": "requested", "dependencies": "honour", "tasks_per_node": 2}
    simulated(path, tmp_path, job_factory=look, whole_nodes=True, **options)
    numbers = {"group": 8, "executable": 3, "queue": 0, "partition": 2, "requested_memory": -1}
    first = Job(1, 5, 7.5, 3, None, 4, None, 2, True, attributes=numbers)
    resources = {"core": 1, "mem": 50}
    missing = {**dict.fromkeys(numbers, -1), "requested_memory": 50}
    assert seen == [first, Job(2, 6, 10, 2, 20, -1, resources, 2, True, [1], 9, missing)]
    assert seen[0].replace() == first
    assert hash(seen[0]) == hash(first)


def test_objects_pass_through_as_they_are(tmp_path):
    class Own(Job):
        __slots__ = ("tag",)

    jobs = [Own(1, 0, 5), Job(2, 0, 5)]
    object.__setattr__(jobs[0], "tag", "mine")
    seen = []
    simulated(jobs, tmp_path, job_factory=lambda job: seen.append(job) or job)
    assert seen[0] is jobs[0]
    assert seen[1] is jobs[1]


def test_every_field_can_be_changed(swf, tmp_path):
    def change(job):
        return job.replace(
            submit=job.submit + 10,
            run=3,
            processors=6,
            requested_time=50,
            user=9,
            tasks_per_node=2,
        )

    (line,) = simulated(swf(row(1)), tmp_path, job_factory=change)
    assert line == "1,9,10,10,13,completed,6,50,0-2*2,0,1,1,core=1,"


def test_the_estimate_follows_what_the_factory_touched(swf, tmp_path):
    def estimate(change, time, **options):
        path = swf(row(1, time=time))
        factory = (lambda job: job.replace(**change)) if change else identity
        return simulated(path, tmp_path, job_factory=factory, **options)[0].split(",")[7]

    assert estimate({}, -1, missing_estimate=77) == "77"
    assert estimate({"run": 5}, -1, missing_estimate=77) == "77"
    assert estimate({"run": 5}, -1) == "5"
    assert estimate({"run": 5}, 20) == "20"
    assert estimate({"requested_time": 30}, 20) == "30"
    assert estimate({"requested_time": None}, 20) == "10"
    assert estimate({}, 5, estimate_covers_run=True) == "10"


def test_jobs_are_left_out_and_counted(swf):
    path = swf(*(row(i, i, user=i % 4) for i in range(1, 21)))
    result = schedlab.simulate(
        path, system=SYSTEM, strict=True, job_factory=lambda job: job if job.user else None
    )
    assert result.counts["submitted"] == 15
    left_out = {"rows": 5, "first_line": 4}
    assert result.run["workload"]["skipped"] == {"left out by the job factory": left_out}
    assert result.run["workload"]["rows"] == 20
    assert "5 rows: left out by the job factory (first in line 4)" in str(result.summary)
    assert result.run["workload"]["job_factory"].endswith("<lambda>")
    jobs = [Job(i, 0, 1) for i in range(3)]
    result = schedlab.simulate(jobs, system=SYSTEM, job_factory=lambda job: job if job.id else None)
    skipped = {"left out by the job factory": {"rows": 1, "first_line": None}}
    assert result.run["workload"]["skipped"] == skipped
    with pytest.raises(InputError, match="no job to simulate; rows skipped: 20 x left out by"):
        schedlab.simulate(path, system=SYSTEM, job_factory=lambda job: None)


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (lambda job: 5, r"job 2: must return a schedlab.Job, or None to leave it out, not 5"),
        (lambda job: [job], r"job 2: must return a schedlab.Job, or None to leave it out, not \["),
        (lambda job: job.replace(id=7), "job 2: comes back as job 7; a job keeps its number"),
        (lambda job: job.replace(submit=1), r"job 2: is submitted at 1 s, before the job that"),
        (lambda job: job.replace(run=-1), "job 2: run must not be negative"),
        (lambda job: job.replace(resources={"gpu": 1}), 'job 2: .*the system has no "gpu"'),
        (lambda job: job.replace(processors=0), "job 2: job: processors must be a whole number"),
        (lambda job: job.replace(attributes={"a b": 1}), "job 2: job 2: attributes must be num"),
    ],
)
def test_wrong_jobs(swf, factory, message):
    workloads = (swf(row(1, 4), row(2, 5)), [Job(1, 4, 1), Job(2, 5, 1)])
    for workload in workloads:
        with pytest.raises(InputError, match=rf"^job factory .*<lambda>: {message}"):
            schedlab.simulate(
                workload,
                system=SYSTEM,
                job_factory=lambda job: job if job.id == 1 else factory(job),
            )


def test_errors_of_the_factory_get_a_note(swf):
    def broken(job):
        return job.atributes["power"]

    with pytest.raises(AttributeError) as caught:
        schedlab.simulate(swf(row(3)), system=SYSTEM, job_factory=broken)
    (note,) = caught.value.__notes__
    assert note.startswith("in the job factory ")
    assert note.endswith("broken, job 3")


def test_forks_have_copies_of_a_factory_with_state(swf, tmp_path):
    class Counting:
        def __init__(self):
            self.count = 0

        def __call__(self, job):
            self.count += 1
            keep = self.count % 5
            return job.replace(run=self.count) if keep else None

    path = swf(*(row(i, i) for i in range(1, 101)))
    for workload in (path, [Job(i, i, 1) for i in range(1, 101)]):
        factory = Counting()
        simulation = schedlab.Simulation(workload, system=SYSTEM, job_factory=factory)
        simulation.run(until=40)
        fork = simulation.fork()
        simulation.run()
        fork.run()
        assert fork.metrics == simulation.metrics
        assert fork.engine.workload_report() == simulation.engine.workload_report()
        assert factory.count == 100


def test_saved_and_loaded_again(swf, tmp_path, monkeypatch):
    (tmp_path / "my_site.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    rows = [row(i, i, 5, 1 + i % 4, queue=i % 3) for i in range(1, 101)]
    path = swf(*rows)
    for factory in ("my_site:Fewer(every=7)", "my_site:Fewer"):
        choices = {"system": SYSTEM, "scheduler": "easy(score=power)", "job_factory": factory}
        whole = schedlab.Simulation(path, **choices)
        whole.run()
        simulation = schedlab.Simulation(path, **choices)
        simulation.run(until=50)
        simulation.save("state")
        again = schedlab.Simulation.load("state", trust_code=True)
        again.run()
        assert again.metrics == whole.metrics
        assert again.engine.workload_report() == whole.engine.workload_report()
        assert len(whole.engine.workload_report()["skipped"]) == 1
    with pytest.raises(InputError, match="was saved with job factory my_site:Fewer, not "):
        schedlab.Simulation.load("state", job_factory=anew)

    def local(job):
        return job.replace(attributes={"power": 1})

    simulation = schedlab.Simulation(path, system=SYSTEM, job_factory=local)
    simulation.run(until=50)
    simulation.save("state")
    with pytest.raises(InputError, match=r"give job_factory=\.\.\. again"):
        schedlab.Simulation.load("state")
    again = schedlab.Simulation.load("state", job_factory=local)
    simulation.run()
    again.run()
    assert again.metrics == simulation.metrics
    stubborn = schedlab.Simulation(path, system=SYSTEM, job_factory=Holding(object()))
    with pytest.raises(SimulationError, match=r"Holding cannot be saved: .* of type object"):
        stubborn.save("state")


class Numbering:
    """Makes the n-th job run for n seconds; says itself what its state is."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0

    def __call__(self, job):
        self.count += 1
        return job.replace(run=self.count)

    def get_state(self):
        return {"count before": self.count}

    def set_state(self, state):
        self.count = state["count before"]


def test_a_factory_may_say_what_its_state_is(tmp_path):
    jobs = [Job(i, i, 1) for i in range(1, 31)]
    simulation = schedlab.Simulation(jobs, system=SYSTEM, job_factory=Numbering())
    simulation.run(until=10)
    simulation.save(tmp_path / "state")
    fresh = Numbering()
    loaded = schedlab.Simulation.load(tmp_path / "state", workload=jobs, job_factory=fresh)
    assert fresh.count == simulation.job_factory.count
    loaded.run()
    simulation.run()
    assert loaded.metrics == simulation.metrics


def test_a_loaded_factory_has_no_other_attributes_than_were_saved(tmp_path):
    simulation = schedlab.Simulation([Job(1, 0, 1)], system=SYSTEM, job_factory=Holding(7))
    simulation.save(tmp_path / "state")
    fresh = Holding(8)
    fresh.forgotten = True
    schedlab.Simulation.load(tmp_path / "state", workload=[Job(1, 0, 1)], job_factory=fresh)
    assert vars(fresh) == {"held": 7}


class Holding:
    def __init__(self, held):
        self.held = held

    def __call__(self, job):
        return job


def test_a_factory_that_cannot_be_copied(swf):
    class Stubborn:
        def __call__(self, job):
            return job

        def __deepcopy__(self, memo):
            raise TypeError("no")

    simulation = schedlab.Simulation(swf(row(1)), system=SYSTEM, job_factory=Stubborn())
    with pytest.raises(SimulationError, match=r"Stubborn cannot be copied for a fork \(no\)"):
        simulation.fork()


MODULE = """
SYSTEM = {}

class Watts:
    def __init__(self, watts=1):
        self.watts = watts

    def __call__(self, job):
        return job.replace(attributes={"power": self.watts * job.processors})

class Fewer:
    def __init__(self, every=5):
        self.every = every
        self.count = 0

    def __call__(self, job):
        self.count += 1
        power = {"power": self.count % 4, f"only{self.count % 5}": 1}
        return job.replace(attributes=power) if self.count % self.every else None

def identity(job):
    return job

def number(job):
    return 5
"""


def test_names(tmp_path, monkeypatch):
    (tmp_path / "my_site.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    assert job_factory("my_site:identity")(5) == 5
    assert job_factory("my_site:Watts").watts == 1
    assert job_factory("my_site:Watts(watts=300)").watts == 300
    for given, message in (
        ("my_site:SYSTEM", "is not a class or function"),
        ("my_site:nothing", "my_site has no 'nothing'"),
        ("my_site:Watts(volts=3)", "Watts takes watts, not volts"),
        ("power", 'unknown job factory "power"; give package.module:Name'),
        (5, "must be a function of a job, not 5"),
        (dict, "must be a function of a job, not <class"),
    ):
        with pytest.raises(InputError, match=message):
            job_factory(given)


def test_command_line(swf, tmp_path, schedlab_run):
    (tmp_path / "my_site.py").write_text(MODULE)
    swf(row(1), row(2))
    run = functools.partial(schedlab_run, "trace.swf")
    done = run("--job-factory", "my_site:Watts(watts=2)", "--scheduler", "score:power", "--json")
    assert done.returncode == 0, done.stderr
    assert '"job_factory": "my_site:Watts(watts=2)"' in done.stdout
    done = run("--job-factory", "my_site:number")
    assert (done.returncode, "must return a schedlab.Job" in done.stderr) == (2, True)
