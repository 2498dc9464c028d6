"""Schedulers and allocators by name and as objects."""

from __future__ import annotations

import itertools
import re

import pytest

import schedlab
from schedlab import InputError, Job
from schedlab.dispatch import ORDERS, allocator, scheduler
from schedlab.dispatch.allocators import ALLOCATORS, ON_ANY_MACHINE
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.options import resolve

SYSTEM = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}


def test_the_papers_names_are_short_definitions():
    assert scheduler("fifo") == schedlab.Blocking("submit")
    assert scheduler("sjf") == schedlab.Blocking("shortest")
    assert scheduler("ljf") == schedlab.Blocking("longest")
    assert scheduler("fcfs-bf") == schedlab.Greedy("submit")
    assert scheduler("sjf-nodehours") == schedlab.Greedy("fewest-node-hours")
    assert scheduler("ljf-nodehours") == schedlab.Greedy("most-node-hours")
    assert scheduler("sjf-corehours") == schedlab.Greedy("fewest-core-hours")
    assert scheduler("ljf-corehours") == schedlab.Greedy("most-core-hours")
    assert scheduler("easy(order=sjf, depth=7)") == schedlab.Easy("shortest", 7)
    assert scheduler(" conservative( depth = 3 ) ") == schedlab.Conservative(depth=3)
    assert scheduler("reject") == schedlab.Reject()
    assert repr(scheduler("easy(depth=7)")) == "Easy(order='submit', depth=7, reservations=1)"


@pytest.mark.parametrize("name", [*SCHEDULERS[:-3], "reject", "easy(order=longest, depth=7)"])
def test_a_scheduler_says_its_name(name):
    assert str(scheduler(name)) == name


@pytest.mark.parametrize(
    ("policy", "places"), [*itertools.product(SCHEDULERS, [*ON_ANY_MACHINE, "high-core"])]
)
def test_every_combination_runs(policy, places):
    jobs = [Job(i, i // 3, 5 + i % 4, 1 + i % 4, 10) for i in range(60)]
    result = schedlab.simulate(jobs, system=SYSTEM, scheduler=policy, allocator=places)
    ended = result.counts["rejected" if policy == "reject" else "completed"]
    assert ended == 60
    by_object = schedlab.simulate(
        jobs, system=SYSTEM, scheduler=scheduler(policy), allocator=allocator(places)
    )
    assert by_object.metrics == result.metrics


@pytest.mark.parametrize(
    "name", [*ALLOCATORS, "random(sockets=emptiest)", "low-power(sockets=fullest)"]
)
def test_an_allocator_says_its_name(name):
    assert str(allocator(name)) == name
    assert allocator(str(allocator(name))) == allocator(name)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("discipline", ["blocking", "greedy", "easy", "conservative"])
def test_every_order_with_every_discipline(order, discipline):
    jobs = [Job(i, i // 3, 5 + i % 4, 1 + i % 4, 10) for i in range(60)]
    result = schedlab.simulate(jobs, system=SYSTEM, scheduler=f"{discipline}(order={order})")
    assert result.counts["completed"] == 60


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("esay", 'unknown scheduler "esay"; did you mean "easy"'),
        ("easy(", "closing bracket"),
        ("easy(7)", "name=value"),
        ("easy(depth=1, depth=2)", "given twice"),
        ("easy(depth=x)", 'depth: must be a whole number (is "x")'),
        ("easy(depth=99999999999999999999)", "depth: must be at most 4611686018427387903"),
        ("easy(depth=0)", "depth: must be at least 1 (is 0)"),
        ("easy(reservations=some)", 'reservations: must be a whole number (is "some")'),
        ("easy(order=low_mem)", 'unknown order "low_mem"; did you mean "low-mem"'),
        ("fifo(depth=1)", "fifo takes no arguments, not depth"),
        ("blocking(depth=1)", "blocking takes order and score, not depth"),
        ("easy(dept=1)", "easy takes order, score, depth and reservations, not dept"),
        (7, "a scheduler is a name or an object"),
    ],
)
def test_wrong_schedulers(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        scheduler(text)


def test_wrong_allocators():
    with pytest.raises(InputError, match='did you mean "first-fit"'):
        allocator("firstfit")
    with pytest.raises(InputError, match="first-fit takes order, partitions and sockets, not x"):
        allocator("first-fit(x=1)")
    with pytest.raises(InputError, match='no order of sockets "full"; known: by-number, fullest'):
        allocator("low-power(sockets=full)")
    with pytest.raises(InputError, match='no score of nodes "high_core"; did you mean "high-core"'):
        schedlab.ByScore("high_core")
    with pytest.raises(InputError, match='did you mean "high-core"'):
        allocator("high_core")
    with pytest.raises(InputError, match="an allocator is a name"):
        allocator(None)


@pytest.mark.parametrize(
    ("rules", "given", "message"),
    [
        ("batsim", {}, 'rules: unknown "batsim"'),
        (None, {"memry": "none"}, 'unknown option "memry"'),
        (None, {"memory": "all"}, "memory: must be one of none, requested, used"),
        (None, {"seed": -1}, "seed: must be"),
        (None, {"seed": True}, "seed: must be"),
        (None, {"strict": 1}, "strict: must be true or false"),
        (None, {"tasks_per_node": 0}, "tasks_per_node: must be"),
        (None, {"missing_estimate": "long"}, "missing_estimate: must be run, skip or seconds"),
        (None, {"missing_estimate": float("nan")}, "missing_estimate: must be"),
    ],
)
def test_wrong_options(rules, given, message):
    with pytest.raises(InputError, match=message):
        resolve(rules, given)


def test_given_options_go_before_rules():
    assert resolve("pyss", {})["dispatch_per"] == "event"
    assert resolve("pyss", {"dispatch_per": "time"})["dispatch_per"] == "time"
    assert resolve("pyss", {"dispatch_per": None})["dispatch_per"] == "event"
