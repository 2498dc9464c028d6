"""Additional data written in Python."""

from __future__ import annotations

import collections

import pytest
from conftest import examples
from dispatch.policies import (
    FOUR,
    EasyWalk,
    Fifo,
    policy,
    random_jobs,
    records,
    schedule,
    starts,
    workloads,
)
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab import AdditionalData, Blocking, Job, Simulation, WakeAt, Window


class Recorder(AdditionalData):
    publishes = ("load",)

    def __init__(self, every=None, when="before"):
        self.every = every
        self.when = when
        self.seen = []

    def update(self, state):
        self.seen.append((state.now, len(state.queue), len(state.running)))
        return {"load": len(state.running)}


JOBS = [Job(1, 0, 10, 4), Job(2, 2, 10, 4), Job(3, 2, 10, 4), Job(4, 31, 5)]

POINTS = [0, 2, 10, 20, 30, 31, 36]


def test_at_every_time_point_before_and_after_the_decision():
    class After(Recorder):
        publishes = ("load_after",)

        def update(self, state):
            return {"load_after": super().update(state)["load"]}

    before, after = Recorder(), After(when="after")
    Simulation(JOBS, system=FOUR, data=[before, after]).run()
    assert [now for now, _, _ in before.seen] == POINTS
    assert [now for now, _, _ in after.seen] == POINTS
    assert before.seen[:3] == [(0, 1, 0), (2, 2, 1), (10, 2, 0)]
    assert after.seen[:3] == [(0, 0, 1), (2, 2, 1), (10, 1, 1)]


@pytest.mark.parametrize("when", ["before", "after"])
def test_every_so_many_seconds(when):
    recorder = Recorder(7, when)
    simulation = Simulation(JOBS, system=FOUR, data=[recorder])
    simulation.run()
    assert [now for now, _, _ in recorder.seen] == [0, 7, 14, 21, 28, 35]
    assert simulation.now == 36  # updates do not keep it alive


def test_periods_begin_with_the_first_time_point():
    recorder = Recorder(10)
    Simulation([Job(1, 3, 25)], system=FOUR, data=[recorder]).run()
    assert [now for now, _, _ in recorder.seen] == [3, 13, 23]


def test_fractions_of_seconds():
    recorder = Recorder(0.1)
    Simulation([Job(1, 0, 1)], system=FOUR, data=[recorder]).run()
    assert [now for now, _, _ in recorder.seen] == [i / 10 for i in range(11)]


def test_updates_do_not_hide_that_nothing_is_left_to_happen():
    simulation = Simulation(
        [Job(1, 0, 1)], system=FOUR, scheduler=policy(lambda self, state: []), data=[Recorder(1)]
    )
    with pytest.raises(schedlab.SimulationError, match="nothing is left to happen"):
        simulation.run()


@examples(150)
@given(
    case=workloads(),
    scheduler=st.sampled_from(
        [
            "fifo",
            "sjf",
            "fcfs-bf",
            "easy",
            "easy(depth=2)",
            "easy(order=sjf)",
            "easy(reservations=2)",
            "conservative",
        ]
    ),
    every=st.sampled_from([None, 0.5, 1, 3]),
    when=st.sampled_from(["before", "after"]),
    dispatch_per=st.sampled_from(["time", "event"]),
)
def test_updates_do_not_change_the_schedule(case, scheduler, every, when, dispatch_per):
    choices = {"scheduler": scheduler, "dispatch_per": dispatch_per}
    expected = records(case, **choices)
    assert records(case, data=[Recorder(every, when)], **choices) == expected


def test_updates_do_not_move_reservations():
    """Found by the property above: the first job outlasts its estimate."""
    system = {"groups": {"all": {"nodes": 1, "resources": {"core": 2}}}}
    jobs = [Job(0, 0, 2, 1, 1), Job(1, 0, 2, 2, 2), Job(2, 0, 2, 2, 1), Job(3, 0, 0, 2, 2)]
    expected = starts(jobs, system, scheduler="conservative")
    assert starts(jobs, system, scheduler="conservative", data=[Recorder(0.5)]) == expected


def test_updates_do_not_ask_an_order_that_changes_with_time():
    """The order is another at 5, but nothing happens then: the scheduler is not called."""
    jobs = [Job(1, 0, 1, user=1), Job(2, 0, 1, user=2)]
    choices = {
        "scheduler": "score:if(user == 1, now, 4)",
        "windows": [Window(0, 10, when="user == 2")],
    }
    expected = {1: 10, 2: 10}
    assert starts(jobs, FOUR, **choices) == expected
    assert starts(jobs, FOUR, data=[Recorder(5)], **choices) == expected


def test_tables_and_numbers_in_expressions():
    """Fair share: who used more goes later."""

    class Usage(AdditionalData):
        publishes_tables = ("usage",)
        publishes = ("total",)

        def __init__(self):
            self.used = collections.Counter()

        def update(self, state):
            return {"usage": dict(self.used), "total": sum(self.used.values())}

        def ended(self, job):
            self.used[job.user] += job.elapsed * job.processors

    class FairShare(Fifo):
        """The same in Python."""

        def schedule(self, state):
            used = state.data("usage")
            total = state.data("total")
            assert total == sum(used.values())

            def key(job):
                return used.get(job.user, 0) / (total + 1) * job.processors

            for job in sorted(state.queue, key=key):
                if not state.machine.fits(job):
                    return
                yield job

    jobs = random_jobs()
    score = "data.usage[user] / (data.total + 1) * processors"
    expected = schedule(jobs, FOUR, scheduler=Blocking(score=score), data=[Usage()])
    assert schedule(jobs, FOUR, scheduler=FairShare(), data=[Usage()]) == expected
    assert schedule(jobs, FOUR, scheduler="fifo", data=[Usage()]) != expected


def test_a_name_that_is_left_out_keeps_its_value():
    class Some(AdditionalData):
        publishes = ("a", "b")
        publishes_tables = ("t",)

        def update(self, state):
            if state.now == 0:
                return {"a": 1, "b": 2, "t": {1: 1.5, -7: 2}}
            return {"a": 3} if state.now < 20 else {"t": {}}

    seen = []

    def look(self, state):
        seen.append((state.now, state.data("a"), state.data("b"), state.data("t")))
        with pytest.raises(KeyError, match='no additional data publishes "c"'):
            state.data("c")
        yield from state.queue.fitting()

    jobs = [Job(i, 0, 10, 4) for i in range(3)]
    Simulation(jobs, system=FOUR, scheduler=policy(look), data=[Some()]).run()
    table = {1: 1.5, -7: 2}
    assert seen == [(0, 1, 2, table), (10, 3, 2, table), (20, 3, 2, {})]


def test_what_is_published_after_a_decision_is_read_at_the_next():
    seen = []

    def look(self, state):
        seen.append(state.data("load"))
        yield from state.queue.fitting()

    jobs = [Job(i, 0, 10, 4) for i in range(3)]
    Simulation(jobs, system=FOUR, scheduler=policy(look), data=[Recorder(when="after")]).run()
    assert seen == [0, 1, 1]


def test_hooks_are_called_at_every_start_and_end():
    calls = []

    class Hooks(AdditionalData):
        def update(self, state):
            calls.append(("update", state.now))
            return {}

        def started(self, job):
            calls.append(("started", job.id, job.state, job.nodes, job.wait, job.elapsed))

        def ended(self, job):
            calls.append(("ended", job.id, job.elapsed, job.nodes, job.start))

    jobs = [Job(1, 0, 10, 4), Job(2, 2, 0, 1), Job(3, 2, 5, 9)]
    Simulation(jobs, system=FOUR, data=[Hooks()]).run()
    assert calls == [
        ("update", 0),
        ("started", 1, "running", {0: 2, 1: 2}, 0, 0),
        ("update", 2),
        ("ended", 1, 10, {0: 2, 1: 2}, 0),
        ("update", 10),
        ("started", 2, "running", {0: 1}, 8, 0),
        ("ended", 2, 0, {0: 1}, 10),
    ]


@pytest.mark.parametrize("scheduler", ["fifo", "easy", "conservative", EasyWalk()])
def test_hooks_add_up(scheduler):
    class Count(AdditionalData):
        def __init__(self):
            self.starts = collections.Counter()
            self.ends = collections.Counter()
            self.running = set()

        def update(self, state):
            assert {job.id for job in state.running} == self.running
            return {}

        def started(self, job):
            self.starts[job.id] += 1
            self.running.add(job.id)

        def ended(self, job):
            self.ends[job.id] += 1
            self.running.discard(job.id)

    count = Count()
    jobs = random_jobs()
    simulation = Simulation(jobs, system=FOUR, scheduler=scheduler, data=[count])
    simulation.run()
    assert count.starts == count.ends == {job.id: 1 for job in jobs}
    assert count.running == set()


def test_a_hook_on_an_object_counts_as_overridden():
    calls = []
    recorder = Recorder()
    recorder.ended = lambda job: calls.append(job.id)
    Simulation([Job(1, 0, 10)], system=FOUR, data=[recorder]).run()
    assert calls == [1]


def test_several_data_see_each_other():
    class Second(AdditionalData):
        publishes = ("twice",)

        def update(self, state):
            return {"twice": 2 * state.data("load")}

    seen = []

    def look(self, state):
        seen.append((state.data("load"), state.data("twice")))
        yield from state.queue.fitting()

    jobs = [Job(i, i, 10, 2) for i in range(4)]
    Simulation(jobs, system=FOUR, scheduler=policy(look), data=[Recorder(), Second()]).run()
    assert all(twice == 2 * load for load, twice in seen)
    assert {load for load, _ in seen} == {0, 1, 2}


def test_data_reaches_queues_and_windows():
    """Conditions are worked out when a job arrives."""

    class Price(AdditionalData):
        publishes = ("price",)

        def update(self, state):
            return {"price": 2 if state.now < 5 else 1}

    queues = [schedlab.Queue("cheap", when="data.price * processors < 3")]
    jobs = [Job(1, 0, 1, 1), Job(2, 1, 1, 2), Job(3, 5, 1, 2), Job(4, 6, 1, 2)]
    got = schedule(jobs, FOUR, data=[Price()], queues=queues)
    states = {job: row[2] for job, row in got.items()}
    # Nothing is published before the first update, which follows the first arrival; and at 5 the
    # arrival comes before the update.
    assert states == {1: "completed", 2: "rejected", 3: "rejected", 4: "completed"}


def test_a_fork_has_data_of_its_own():
    recorder = Recorder(5)
    simulation = Simulation(JOBS, system=FOUR, data=[recorder])
    simulation.run(until=11)
    seen = list(recorder.seen)
    fork = simulation.fork()
    fork.run()
    assert recorder.seen == seen
    simulation.run()
    assert fork.data[0].seen == recorder.seen
    assert [now for now, _, _ in recorder.seen] == [0, 5, 10, 15, 20, 25, 30, 35]


def test_wakes_windows_and_updates_at_one_time_are_one_point():
    recorder = Recorder(5)
    calls = []

    def look(self, state):
        calls.append(state.now)
        if state.now < 10:
            yield WakeAt(10)
        else:
            yield from state.queue.fitting()

    simulation = Simulation(
        [Job(1, 0, 3)],
        system=FOUR,
        scheduler=policy(look),
        data=[recorder],
        windows=[Window(5, 10)],
    )
    simulation.run()
    assert calls == [0, 5, 10]
    assert [now for now, _, _ in recorder.seen] == [0, 5, 10]


def test_results_with_data():
    result = schedlab.simulate(JOBS, system=FOUR, data=[Recorder()], timeline="csv")
    names = result.timeline.collect().columns
    assert any(name.endswith("load") for name in names), names
