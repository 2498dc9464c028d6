"""Schedulers that decide what cannot be: a clear error, and never a crash."""

from __future__ import annotations

import math

import pytest
from dispatch.misbehaviour import OwnError, deciding, refused
from dispatch.policies import Fifo, policy

from schedlab import (
    Job,
    PowerDown,
    PowerUp,
    RejectJob,
    SchedlabError,
    Scheduler,
    SetClock,
    StartJob,
    WakeAt,
    Window,
)


@pytest.mark.parametrize("given", [7, 1.5, True, object(), math.nan, Scheduler, len])
def test_schedule_must_return_decisions(given):
    message = r"Mine\.schedule\(\) at 0\.0+ s: must return or yield decisions, not "
    refused(policy(lambda self, state: given), message)


@pytest.mark.parametrize(
    "given",
    [
        None,
        7,
        "job 1",
        b"x",
        [],
        {},
        object(),
        Job(1, 0, 10),
        StartJob,
        StartJob(None),
        StartJob(7),
        StartJob("job"),
        RejectJob(None),
        RejectJob(7),
        Fifo(),
    ],
)
def test_what_is_no_decision(given):
    message = (
        r"Mine\.schedule\(\) at 0\.0+ s: a decision is a waiting job, StartJob\(job, nodes\), "
        r"RejectJob\(job\), RequeueJob\(job\), CancelJob\(job\), WakeAt\(time\), SetClock, "
        r"PowerDown or PowerUp, not "
    )
    refused(policy(lambda self, state: [given]), message)


def test_text_is_no_list_of_decisions():
    refused(policy(lambda self, state: "easy"), "a decision is .* not 'e'")


def test_the_repr_of_rubbish_is_cut_and_its_errors_pass():
    class Long:
        def __repr__(self):
            return "x" * 10_000

    class Silent:
        def __repr__(self):
            raise OwnError("no repr")

    class Strange:
        def __repr__(self):
            return "\udc80 ä 漢字 \0"

    error = refused(deciding(Long()), "not xxx")
    assert len(str(error)) < 500
    refused(deciding(Silent()), "no repr", error=OwnError)
    refused(deciding(Strange()), "a decision is", error=Exception)


def test_a_repr_of_many_bytes_is_cut_between_characters():
    class Long:
        def __repr__(self):
            return "漢" * 200

    refused(deciding(Long()), "a decision is")


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        ([lambda s: s.queue[0]] * 2, r"cannot start job 1 at 0\.0+ s: it is running, not queued"),
        (
            [lambda s: RejectJob(s.queue[0])] * 2,
            r"cannot reject job 1 at 0\.0+ s: it is rejected, not queued",
        ),
        (
            [lambda s: s.queue[0], lambda s: RejectJob(s.queue[0])],
            r"cannot reject job 1 at 0\.0+ s: it is running, not queued",
        ),
        (
            [lambda s: RejectJob(s.queue[0]), lambda s: s.queue[0]],
            r"cannot start job 1 at 0\.0+ s: it is rejected, not queued",
        ),
        (
            [lambda s, i=i: s.queue[i] for i in range(3)],
            r"cannot start job 3, which asks for 2 tasks of core 1; free are core 0; "
            r"ask machine\.fits\(job\) first",
        ),
        ([lambda s: StartJob(s.queue[0], [0, 2])], "job 1 .*no node 2; .* nodes 0 to 1"),
        ([lambda s: StartJob(s.queue[0], [-1, 0])], "no node -1"),
        ([lambda s: StartJob(s.queue[0], [0])], "asks for 2 tasks.*1 tasks? .*placed"),
        ([lambda s: StartJob(s.queue[0], [0, 0, 1])], "asks for 2 tasks.*3 tasks were placed"),
        ([lambda s: StartJob(s.queue[0], {0: 3})], "3 tasks on node 0, which has room for 2"),
        ([lambda s: StartJob(s.queue[0], {0: 2**62, 1: 2**62})], "tasks on node 0, which has room"),
        ([lambda s: StartJob(s.queue[0], {0: -2})], "node 0 would get -2 tasks"),
        ([lambda s: StartJob(s.queue[0], {2**70: 2})], "no node 1180591620717411303424"),
        ([lambda s: StartJob(s.queue[0], 5)], "give a list of nodes"),
        ([lambda s: StartJob(s.queue[0], math.nan)], "give a list of nodes"),
        ([lambda s: WakeAt(0)], "asks to be called at 0.0+ s, which is not in the future"),
        ([lambda s: WakeAt(-5)], "not in the future"),
        ([lambda s: WakeAt(1e-10)], "not in the future"),
        (
            [lambda s: StartJob(s.queue[0], [0, 0]), lambda s: StartJob(s.queue[1], [0, 1])],
            "core 0",
        ),
    ],
)
def test_decisions_that_cannot_be(decide, message):
    refused(deciding(*decide), message)


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf, 10**30, "soon", None, [1], 1j])
def test_times_that_are_none(time):
    error = refused(deciding(WakeAt(time)), "wake at must be a number of seconds", error=Exception)
    assert isinstance(error, SchedlabError)


def test_starting_a_job_against_what_was_reserved():
    def plan(self, state):
        first, head, last = state.queue
        yield first
        state.plan().reserve(head)
        yield last

    def reserve(self, state):
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield last

    def on_nodes(self, state):
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield StartJob(last, [1, 1])

    workload = [Job(1, 0, 10, 2), Job(2, 0, 10, 4), Job(3, 0, 100, 2)]
    message = "cannot start job 3.*would delay what was reserved.*ask allows"
    for walk in (plan, reserve, on_nodes):
        refused(policy(walk), message, workload)


def test_starting_a_job_into_a_window():
    windows = [Window(5, 9, "1")]
    refused(deciding(lambda s: StartJob(s.queue[0], [0, 1])), "window", windows=windows)
    everything = [Window(5, 9)]
    refused(deciding(lambda s: s.queue[0]), "cannot start job 1.*window", windows=everything)


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (SetClock([0], 1), "no node types"),
        (PowerDown([0]), "no node types"),
        (PowerUp(range(2)), "no node types"),
    ],
)
def test_nodes_without_clocks_and_states(decision, message):
    refused(deciding(decision), message)


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (SetClock([0], -1), "step must be a whole number from 0 up"),
        (SetClock([0], "fast"), "step must be a whole number from 0 up"),
        (SetClock(7, 1), "nodes must be a list of numbers"),
        (SetClock([99], 1), "there is no node 99"),
        (SetClock(["a"], 1), "there is no node 'a'"),
        (PowerDown([0], to="sofa"), '"off" or "sleeping"'),
        (PowerDown([0]), "not idle and on, or its type has no such state"),
    ],
)
def test_what_cannot_be_asked_of_nodes(decision, message):
    system = {
        "name": "one",
        "processors": {"p": {"cores": 4, "clock": 2.0}},
        "node_types": {"n": {"processors": {"p": 1}}},
        "groups": {"g": {"nodes": 2, "type": "n"}},
    }
    refused(deciding(decision), message, system=system)
