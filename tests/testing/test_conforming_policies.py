"""The conformance suites pass what keeps the rules."""

from __future__ import annotations

import subprocess
import sys

import pytest
from stateful_policies import Doubled, LastFit, Moody, Use

import schedlab as sl
from schedlab.dispatch.allocators import ON_ANY_MACHINE
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.options import CHOICES
from schedlab.testing import (
    SCENARIOS,
    Scenario,
    check_additional_data,
    check_allocator,
    check_estimator,
    check_scheduler,
    report,
    scenario,
)
from schedlab.testing import additional_data as data_rules

MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_built_in_schedulers(name):
    passed = check_scheduler(name).passed
    assert passed[report.ROOM] == 5 * len(SCENARIOS)
    assert passed[report.SAVES] == len(SCENARIOS)


@pytest.mark.parametrize("name", [*ON_ANY_MACHINE, "high-core"])
def test_built_in_allocators(name):
    assert check_allocator(name).passed["works under conservative"] == len(SCENARIOS)


@pytest.mark.parametrize("name", CHOICES["estimate"])
def test_built_in_estimates(name):
    assert (report.FUTURE in check_estimator(name).passed) == (name != "exact")


class Contiguous(sl.Allocator):
    """Neighbouring nodes, from the first row of them that is long enough."""

    places_whatever_fits = False

    def place(self, job, machine):
        chosen, left = {}, job.processors
        for node in range(machine.nodes):
            room = machine.room(node, job)
            if room == 0:
                chosen, left = {}, job.processors
                continue
            chosen[node] = min(room, left)
            left -= chosen[node]
            if left == 0:
                return chosen
        return None


class FairShare(sl.Scheduler):
    order = "score:data.use[user]"

    def schedule(self, state):
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job


def test_own_policies():
    text = str(check_scheduler(Moody))
    assert text.startswith("check_scheduler(Moody): ")
    assert "a saved simulation continues alike (17 x)" in text
    refusals = check_allocator(Contiguous()).notes
    assert refusals[0] == "not tried under conservative, which needs places_whatever_fits"
    assert " 0 of" not in next(note for note in refusals if note.startswith("under fcfs-bf"))
    assert "refused a job with room in 0 of" in str(check_allocator(LastFit))
    assert check_estimator(lambda: Doubled(3)).passed[report.FUTURE]
    assert check_additional_data(Use).passed[data_rules.CALLED] == len(SCENARIOS) - 1
    check_scheduler(FairShare, data=lambda: [Use()])


def test_scenarios_of_the_user():
    """They come on top; built-in ones can be left out."""
    own = Scenario("mine", MACHINE, [sl.Job(1, 0, 5, 8), sl.Job(2, 1, 5, 3)])
    some = check_scheduler("easy", scenarios=[own], skip=[n for n in SCENARIOS if n != "empty"])
    assert some.passed[report.REPEATS] == 2
    assert some.notes[0].startswith("skipped scenarios: one-node, ")
    with pytest.raises(sl.InputError, match="unknown scenario"):
        check_scheduler("easy", skip=["windoes"])
    with pytest.raises(sl.InputError, match="unknown scheduler"):
        check_scheduler("eazy")
    assert scenario("windows", 1).jobs != scenario("windows", 2).jobs
    assert scenario("windows", 1) == scenario("windows", 1)


def test_a_policy_that_may_starve_says_so():
    class Small(sl.Scheduler):
        may_starve = True

        def schedule(self, state):
            for job in state.queue.fitting():
                if job.processors < 6:
                    yield job

    assert "it may let jobs wait for ever (may_starve)" in check_scheduler(Small).notes


def test_no_test_runner_is_needed():
    """Neither pytest nor hypothesis are imported."""
    code = "import schedlab.testing, sys; print({'pytest', 'hypothesis'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
