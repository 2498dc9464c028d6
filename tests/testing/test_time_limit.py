"""Code that never returns is a broken rule of a check."""

from __future__ import annotations

import signal
import threading
import time

import pytest

import schedlab as sl
from schedlab.testing import (
    ConformanceError,
    check_additional_data,
    check_allocator,
    check_estimator,
    check_plot,
    check_reader,
    check_scheduler,
    check_writer,
)
from schedlab.testing.time_limit import NOT_LIMITED


def for_ever():
    while True:
        try:  # noqa: SIM105 - what people write
            time.sleep(0.01)
        except:  # noqa: E722
            pass


class Endless(sl.Scheduler):
    def schedule(self, state):
        while True:
            pass


class Stubborn(sl.Scheduler):
    def schedule(self, state):
        try:
            for_ever()
        finally:
            for_ever()
        yield


class NeverMade(sl.Scheduler):
    def __init__(self):
        for_ever()


class Later(sl.Scheduler):
    def __init__(self):
        self.calls = 0

    def schedule(self, state):
        self.calls += 1
        while self.calls > 40:
            pass
        yield from state.queue.fitting()


class Place(sl.Allocator):
    def place(self, job, machine):
        for_ever()


class Estimate(sl.Estimator):
    def estimate(self, job):
        for_ever()


class Stop(sl.AdditionalData):
    def update(self, state):
        return {}

    def stop(self, state):
        for_ever()


class Read(sl.Reader):
    def jobs(self):
        for_ever()
        yield


class Draw(sl.Plot):
    def draw(self, figure, groups):
        for_ever()


class Write(sl.Writer):
    def write(self, table):
        for_ever()


@pytest.mark.parametrize(
    ("check", "policy", "call"),
    [
        (check_scheduler, Endless, "Endless.schedule()"),
        (check_scheduler, Stubborn, "Stubborn.schedule()"),
        (check_scheduler, NeverMade, "NeverMade.__init__()"),
        (check_scheduler, Later, "Later.schedule()"),
        (check_allocator, Place, "Place.place()"),
        (check_estimator, Estimate, "Estimate.estimate()"),
        (check_additional_data, Stop, "Stop.stop()"),
        (check_reader, Read, "Read.jobs()"),
        (check_plot, Draw, "Draw.draw()"),
        (lambda writer, **more: check_writer(writer, suffix=".x", **more), Write, "Write.write()"),
    ],
)
def test_a_call_that_never_returns(check, policy, call):
    handler = signal.getsignal(signal.SIGALRM)
    with pytest.raises(ConformanceError, match="broken rule: every call returns") as caught:
        # Plots are drawn by much other code before it is the turn of the user's.
        check(policy, limit_seconds=8 if check is check_plot else 1)
    assert f"{call} (test_time_limit.py:" in caught.value.found
    assert "did not return within" in caught.value.found
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_timer_that_was_there_stays():
    signal.setitimer(signal.ITIMER_REAL, 1_000)
    try:
        check_reader(lambda: [sl.Job(1, 0, 1)])
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_other_threads_have_none_and_say_so():
    notes = []
    checking = threading.Thread(
        target=lambda: notes.extend(check_reader(lambda: [sl.Job(1, 0, 1)]).notes)
    )
    checking.start()
    checking.join()
    assert NOT_LIMITED in notes
