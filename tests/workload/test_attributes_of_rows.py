"""Attributes of jobs, and the fields of SWF rows that become attributes."""

from __future__ import annotations

import pytest
from workload.swf_rows import SYSTEM, identity, row, simulated

import schedlab
from schedlab import InputError, Queue, Window


def test_attributes_stay_those_that_were_read(swf, tmp_path):
    path = swf(*(row(i, i, 30, 4, queue=i % 3, group=i) for i in range(1, 60)))

    class Own(schedlab.Scheduler):
        def schedule(self, state):
            return [job for job in list(state.queue)[:1] if state.machine.fits(job)]

    simulation = schedlab.Simulation(path, system=SYSTEM, scheduler=Own())
    simulation.run(until=20)
    fork = simulation.fork(scheduler="score:queue")
    fork.run(until=30)
    fork.save(tmp_path / "state")
    again = schedlab.Simulation.load(tmp_path / "state")
    assert again.swf_attributes == fork.swf_attributes == simulation.swf_attributes
    again.run()
    fork.run()
    assert again.metrics == fork.metrics


def test_attributes_reach_expressions_and_policies(swf, tmp_path):
    path = swf(*(row(i, 0, 10, 16, queue=i) for i in range(1, 5)))

    def power(job):
        return job.replace(attributes={"power": {1: 3, 2: 1, 3: 4, 4: 2}[job.id]})

    lines = simulated(path, tmp_path, scheduler="score:power", job_factory=power)
    assert [int(line.split(",")[0]) for line in lines] == [2, 4, 1, 3]

    class Greatest(schedlab.Scheduler):
        def schedule(self, state):
            waiting = sorted(state.queue, key=lambda job: -job["power"])
            if state.machine.fits(waiting[0]):
                yield waiting[0]

    lines = simulated(path, tmp_path, scheduler=Greatest(), job_factory=power)
    assert [int(line.split(",")[0]) for line in lines] == [3, 1, 4, 2]


def test_fields_of_rows_are_attributes(swf, tmp_path):
    fields = ("group", "executable", "queue", "partition")
    path = swf(*(row(i, 0, 10, 16, **dict.fromkeys(fields, -i % 5)) for i in range(1, 5)))
    for name in fields:
        lines = simulated(path, tmp_path, scheduler=f"score:{name}")
        assert [int(line.split(",")[0]) for line in lines] == [4, 3, 2, 1]
    lines = simulated(path, tmp_path, scheduler=schedlab.Easy(lambda job: job["queue"]))
    assert [int(line.split(",")[0]) for line in lines] == [4, 3, 2, 1]

    queues = [Queue("high", 9, number=4), Queue("low", 1, number=2)]
    lines = simulated(path, tmp_path, queues=queues)
    states = {int(line.split(",")[0]): line.split(",")[5] for line in lines}
    assert states == {1: "completed", 2: "rejected", 3: "completed", 4: "rejected"}
    windows = [Window(0, 100, when="partition == 3")]
    lines = simulated(path, tmp_path, windows=windows, scheduler="fcfs-bf")
    starts = {int(line.split(",")[0]): line.split(",")[3] for line in lines}
    assert starts == {2: "0", 1: "100", 3: "110", 4: "120"}


def test_a_field_that_a_row_lacks_is_minus_one(swf, tmp_path):
    path = swf(row(1, 0, 10, 16, queue=1), row(2, 0, 10, 16))
    for factory in (None, identity):
        lines = simulated(path, tmp_path, scheduler="score:queue", job_factory=factory)
        assert [line[0] for line in lines] == ["2", "1"]
    with pytest.raises(InputError, match="power"):
        schedlab.simulate(path, system=SYSTEM, scheduler="score:power")


def test_fields_are_read_only_where_somebody_may_ask(swf):
    path = swf(row(1, queue=1, group=1, partition=1, executable=1))

    def read(**choices):
        simulation = schedlab.Simulation(path, system=SYSTEM, **choices)
        return set(simulation.swf_attributes)

    everything = {"group", "executable", "queue", "partition", "requested_memory"}
    assert read() == read(scheduler="easy", allocator="best-fit") == set()
    assert read(scheduler="wfp3") == read(scheduler="score:queue.length + wait") == set()
    assert read(scheduler="easy(score=group*2+max(executable, 1))") == {"group", "executable"}
    assert read(windows=[Window(0, 1, when="partition==1")]) == {"partition"}
    assert read(queues=[Queue("a", when="group > 1 and user")]) == {"group"}
    assert read(queues=[Queue("a", number=1)]) == {"queue"}
    assert read(job_factory=identity) == everything
    assert read(scheduler=schedlab.Easy(lambda job: job.id)) == everything
    assert read(scheduler=schedlab.Scheduler()) == everything
    assert read(allocator=schedlab.Allocator()) == everything
