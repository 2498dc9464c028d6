"""Errors of policies name the class, the time and the line in the user's file."""

from __future__ import annotations

import functools

import pytest
from dispatch.misbehaviour import jobs
from dispatch.policies import FOUR

import schedlab as sl
from schedlab.code_places import of_function
from schedlab.errors import reason_of


class Twice(sl.Scheduler):
    def schedule(self, state):
        yield state.queue[0]
        job = state.running
        yield next(iter(job))  # line of twice


class TwiceBelow(sl.Scheduler):
    def schedule(self, state):
        yield from self.decide(state)

    def decide(self, state):
        job = state.queue[0]
        yield job
        yield job  # line of below


class Listed(sl.Scheduler):
    def schedule(self, state):  # line of listed
        return [state.queue[0], state.queue[0]]


class Forgot(sl.Scheduler):
    def schedule(self, state):  # line of forgot
        for job in state.queue.fitting():
            job  # noqa: B018


class Kept(sl.Scheduler):
    kept = None

    def schedule(self, state):
        if self.kept is None:
            self.kept = state.queue[0]
            yield self.kept
            yield sl.WakeAt(state.now + 1)
        else:
            print(self.kept.processors)  # line of kept


class KeptBelow(Kept):
    pass


class Place(sl.Allocator):
    def place(self, job, machine):  # line of place
        return [77]


class Estimate(sl.Estimator):
    def estimate(self, job):  # line of estimate
        return -1


class Data(sl.AdditionalData):
    def update(self, state):  # line of data
        return 7


def by_nan(job):  # line of order
    return float("nan")


def line_of(mark):
    with open(__file__, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.rstrip().endswith(f"# line of {mark}"):
                return f"(test_lines_of_errors.py:{number})"
    raise AssertionError(mark)


@pytest.mark.parametrize(
    ("parts", "begin", "mark"),
    [
        ({"scheduler": Twice()}, "Twice.schedule() at 0.000000 s: cannot start job 1", "twice"),
        ({"scheduler": TwiceBelow()}, "TwiceBelow.schedule() at 0.000000 s: cannot start", "below"),
        ({"scheduler": Listed()}, "Listed.schedule() at 0.000000 s: cannot start job 1", "listed"),
        (
            {"scheduler": Forgot()},
            "Forgot.schedule() at 0.000000 s: returned None; write",
            "forgot",
        ),
        ({"scheduler": Kept()}, "Kept.schedule() at 1.000000 s: the view of job 1", "kept"),
        ({"scheduler": KeptBelow()}, "KeptBelow.schedule() at 1.000000 s: the view", "kept"),
        ({"allocator": Place()}, "Place.place() at 0.000000 s: ", "place"),
        ({"estimate": Estimate()}, "Estimate.estimate() at 0.000000 s: the estimate", "estimate"),
        ({"data": [Data()]}, "Data.update() at 0.000000 s: must return a dict", "data"),
        ({"scheduler": sl.Easy(order=by_nan)}, "the order's function, for job 1", "order"),
    ],
)
def test_class_time_and_line(parts, begin, mark):
    with pytest.raises(sl.SimulationError) as caught:
        sl.simulate(jobs(), system=FOUR, **parts)
    text = str(caught.value)
    assert text.startswith(begin), text
    assert text.endswith(line_of(mark)), text
    assert reason_of(caught.value) == text


def test_none_is_refused_at_the_first_call_and_an_empty_generator_is_not():
    class Nothing(sl.Scheduler):
        def schedule(self, state):
            yield from ()

    for scheduler, message in ((Forgot(), "returned None"), (Nothing(), "nothing is left")):
        with pytest.raises(sl.SimulationError, match=message):
            sl.simulate(jobs(), system=FOUR, scheduler=scheduler)


def test_places_of_odd_functions():
    assert of_function(functools.partial(by_nan, 1)) == of_function(by_nan) != ""
    assert of_function(len) == ""
    assert of_function(Data().update).startswith("test_lines_of_errors.py:")
