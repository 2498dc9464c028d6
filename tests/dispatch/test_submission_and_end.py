"""Additional data is called at submissions, and at the end."""

from __future__ import annotations

import pytest
from conftest import examples
from dispatch.policies import FOUR, records, workloads
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab import AdditionalData, Job, Queue, Simulation, SimulationError


class Diary(AdditionalData):
    def __init__(self):
        self.calls = []

    def update(self, state):
        self.calls.append(("update", state.now))
        return {}

    def before_submission(self, job):
        self.calls.append(("before", job.id, job.state))

    def after_submission(self, job):
        self.calls.append(("after", job.id, job.state))

    def started(self, job):
        self.calls.append(("started", job.id))

    def ended(self, job):
        self.calls.append(("ended", job.id))

    def stop(self, state):
        self.calls.append(("stop", state.now, len(state.queue), len(state.running)))


def test_the_order_of_calls():
    jobs = [Job(1, 0, 10, 4), Job(2, 0, 5, 99), Job(3, 5, 5, 1, predecessors=[1])]
    diary = Diary()
    Simulation(jobs, system=FOUR, data=[diary]).run()
    assert diary.calls == [
        ("before", 1, "loaded"),
        ("after", 1, "queued"),
        ("before", 2, "loaded"),
        ("after", 2, "rejected"),
        ("update", 0),
        ("started", 1),
        ("before", 3, "loaded"),
        ("after", 3, "held"),
        ("update", 5),
        ("ended", 1),
        ("update", 10),
        ("started", 3),
        ("ended", 3),
        ("update", 15),
        ("stop", 15, 0, 0),
    ]


def test_the_estimate_is_made_in_between():
    seen = []

    class Estimate(sl.Estimator):
        def estimate(self, job):
            seen.append("estimate")
            return 7

    class Data(Diary):
        def before_submission(self, job):
            seen.append(("before", job.estimate))

        def after_submission(self, job):
            seen.append(("after", job.estimate))

    jobs = [Job(1, 0, 3, 1, 20)]
    Simulation(jobs, system=FOUR, estimate=Estimate(), data=[Data()]).run()
    assert seen == [("before", 20), "estimate", ("after", 7)]


def test_what_is_published_at_a_submission_holds_for_that_job():
    class Price(AdditionalData):
        publishes = ("price",)

        def update(self, state):
            return {}

        def before_submission(self, job):
            return {"price": 2 if job.submit < 5 else 1}

    queues = [Queue("cheap", when="data.price * processors < 3")]
    jobs = [Job(1, 0, 1, 1), Job(2, 1, 1, 2), Job(3, 5, 1, 2)]
    simulation = Simulation(jobs, system=FOUR, data=[Price()], queues=queues)
    simulation.run()
    assert (simulation.counts["completed"], simulation.counts["rejected"]) == (2, 1)


@pytest.mark.parametrize("method", ["before_submission", "after_submission"])
@pytest.mark.parametrize(
    ("given", "message"),
    [(7, "must return a dict, not 7"), ({"other": 1}, "not one of the names")],
)
def test_wrong_values(method, given, message):
    class Wrong(AdditionalData):
        def update(self, state):
            return {}

    setattr(Wrong, method, lambda self, job: given)
    simulation = Simulation([Job(1, 0, 1)], system=FOUR, data=[Wrong()])
    with pytest.raises(SimulationError, match=rf"Wrong\.{method}\(\) at 0.*{message}.*\.py:\d+\)"):
        simulation.run()


def test_failed_jobs_are_submitted_once():
    diary = Diary()
    conditions = {"failure_trace": {"outages": [[0, 5, 6]]}}
    Simulation([Job(1, 0, 10, 4)], system=FOUR, data=[diary], conditions=conditions).run()
    names = [call[0] for call in diary.calls]
    assert names.count("before") == names.count("after") == names.count("stop") == 1
    assert names.count("started") == names.count("ended") == 2


def test_a_view_that_is_kept():
    class Keeping(Diary):
        def after_submission(self, job):
            self.kept = job

        def stop(self, state):
            self.kept.processors  # noqa: B018

    simulation = Simulation([Job(1, 0, 1)], system=FOUR, data=[Keeping()])
    with pytest.raises(SimulationError, match=r"Keeping\.stop\(\) at 1.*view of job 1.*\.py:\d+\)"):
        simulation.run()


def test_the_end_comes_once_and_not_before():
    diary = Diary()
    simulation = Simulation([Job(1, 0, 10), Job(2, 3, 10)], system=FOUR, data=[diary])
    simulation.run(until=5)
    assert "stop" not in [call[0] for call in diary.calls]
    simulation.run()
    simulation.run()
    assert simulation.step() is False
    simulation.stop()
    assert [call[0] for call in diary.calls].count("stop") == 1


def test_stopped_early():
    diary = Diary()
    simulation = Simulation([Job(1, 0, 10), Job(2, 3, 10)], system=FOUR, data=[diary])
    simulation.run(until=5)
    simulation.stop()
    assert diary.calls[-1] == ("stop", 3, 0, 2)
    with pytest.raises(SimulationError, match="cannot continue after it was stopped"):
        simulation.run()


def test_forks_and_files_end_each_for_itself(tmp_path):
    simulation = Simulation([Job(1, 0, 10), Job(2, 3, 10)], system=FOUR, data=[Diary()])
    simulation.run(until=5)
    fork = simulation.fork()
    simulation.save(tmp_path / "state")
    loaded = Simulation.load(
        tmp_path / "state", workload=[Job(1, 0, 10), Job(2, 3, 10)], data=[Diary()]
    )
    for one in (simulation, fork, loaded):
        one.run()
    for one in (simulation, fork, loaded):
        assert one.data[0].calls == simulation.data[0].calls
        assert one.data[0].calls.count(("stop", 13, 0, 0)) == 1
    simulation.save(tmp_path / "over")
    over = Simulation.load(
        tmp_path / "over", workload=[Job(1, 0, 10), Job(2, 3, 10)], data=[Diary()]
    )
    over.run()
    assert over.data[0].calls == simulation.data[0].calls


def test_after_an_error_there_is_no_end():
    class Failing(Diary):
        def ended(self, job):
            raise RuntimeError("mine")

    diary = Failing()
    with pytest.raises(RuntimeError):
        sl.simulate([Job(1, 0, 10)], system=FOUR, data=[diary])
    assert "stop" not in [call[0] for call in diary.calls]


def test_an_interrupted_run_ends_and_is_kept(tmp_path):
    class Interrupting(Diary):
        def ended(self, job):
            raise KeyboardInterrupt

    diary = Interrupting()
    with pytest.raises(KeyboardInterrupt) as caught:
        sl.simulate([Job(1, 0, 10)], system=FOUR, data=[diary], out=tmp_path / "run")
    assert caught.value.__notes__[0].endswith("Interrupting.ended() at 10.000000 s")
    assert diary.calls[-1][0] == "stop"
    assert sl.Result.load(tmp_path / "run").run["status"] == "interrupted"


@examples(80)
@given(
    case=workloads(),
    scheduler=st.sampled_from(["fifo", "easy", "conservative"]),
    dispatch_per=st.sampled_from(["time", "event"]),
)
def test_hooks_change_nothing_and_add_up(case, scheduler, dispatch_per):
    choices = {"scheduler": scheduler, "dispatch_per": dispatch_per}
    diary = Diary()
    assert records(case, data=[diary], **choices) == records(case, **choices)
    before = [call[1] for call in diary.calls if call[0] == "before"]
    after = [call[1] for call in diary.calls if call[0] == "after"]
    assert before == after
    assert len(set(before)) == len(before)
    assert diary.calls[-1][0] == "stop"
