"""Scores that change with the time: ranked as deep as a pass looks, as if all were sorted.

A score that also depends on something else is sorted anew at every decision: `+ 0 * queue.length`
makes a twin of any score, with the same values.
"""

from __future__ import annotations

import math
import random

import pytest
from conftest import examples
from dispatch.policies import FOUR, starts
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab import Blocking, Easy, Greedy, Job
from schedlab._engine import Expression

SCORES = [
    "-(wait / max(requested_time, 1))**3 * processors",
    "-wait / (log2(processors + 1) * max(requested_time, 1))",
    "requested_time - wait",
    "-wait",
    "wait * 0",
    "if(wait > 30, -processors, processors)",
    "-wait // 10",
    "-now * processors",
    "-(now % 100) * processors + wait",
    "-exp(wait / 100) * processors",
    "-log(wait) * processors",
    "-sqrt(abs(wait - 20)) * requested_time",
    "1 / (wait - 37.5)",
    "-1 / (wait * 0 + processors - processors)",
    "-(wait - 20)**3 + processors",
    "-(wait - 50)**2 * requested_time",
    "pow(wait + 1, 1.5) / max(requested_time, 1) - processors * wait",
    "min(wait, 25) * requested_time - processors",
    "processors / machine.processors - wait / 100",
    "(wait > 20 and processors > 3) - (now < 100)",
]
SYSTEM = {"groups": {"all": {"nodes": 8, "resources": {"core": 4}}}}


def random_jobs(
    seed: int, count: int, alike: bool, per_node: int | None = None, after: bool = False
) -> list[Job]:
    draw = random.Random(seed)
    at_once = draw.choice((0, count // 2, count))
    submit, jobs = 0, []
    for number in range(1, count + 1):
        submit += draw.choice((0, 0, 1, 5)) if number > at_once else 0
        asked = draw.choice((10, 60)) if alike else draw.randint(1, 90)
        processors = draw.choice((1, 2, 4, 8)) if alike else draw.randint(1, 32)
        run = draw.randint(0, asked + 5)
        more = {} if per_node is None else {"tasks_per_node": per_node}
        if after and number > 1 and draw.random() < 0.3:
            more["predecessors"] = [draw.randrange(1, number)]  # it joins the queue later
        jobs.append(Job(number, submit, run, processors, requested_time=asked, **more))
    return jobs


def twin_of(score: str) -> str:
    return f"({score}) + 0 * queue.length"


DISCIPLINES = {
    "blocking": lambda score, depth: Blocking(score=score),
    "greedy": lambda score, depth: Greedy(score=score),
    "greedy, depth": lambda score, depth: Greedy(score=score, depth=depth),
    "easy": lambda score, depth: Easy(score=score),
    "easy, depth": lambda score, depth: Easy(score=score, depth=depth),
}


@examples(200)
@given(
    seed=st.integers(0, 10**6),
    count=st.sampled_from([3, 30, 120, 400]),
    alike=st.booleans(),
    score=st.sampled_from(SCORES),
    discipline=st.sampled_from(sorted(DISCIPLINES)),
    depth=st.integers(1, 9),
    per_node=st.sampled_from([None, 4]),
    dispatch_per=st.sampled_from(["time", "event"]),
    after=st.booleans(),
)
def test_it_starts_what_a_sorted_queue_would(
    seed, count, alike, score, discipline, depth, per_node, dispatch_per, after
):
    jobs = random_jobs(seed, count, alike, per_node, after)
    options = {"dispatch_per": dispatch_per}
    given_score = DISCIPLINES[discipline](score, depth)
    twin = DISCIPLINES[discipline](twin_of(score), depth)
    assert starts(jobs, SYSTEM, scheduler=given_score, **options) == starts(
        jobs, SYSTEM, scheduler=twin, **options
    )


@examples(25)
@given(
    seed=st.integers(0, 10**6),
    score=st.sampled_from(SCORES),
    discipline=st.sampled_from(sorted(DISCIPLINES)),
    when=st.lists(st.integers(1, 300), min_size=1, max_size=4),
)
def test_forks_and_saved_states_end_alike(tmp_path_factory, seed, score, discipline, when):
    jobs = random_jobs(seed, 120, alike=seed % 2 == 0, after=seed % 3 == 0)
    folder = tmp_path_factory.mktemp("states")
    rows = []

    def recorded(simulation, until=None):
        simulation.record_jobs(folder / "rows.csv")
        simulation.run(until=until)
        simulation._recorder.sync()
        return (folder / "rows.csv").read_text().splitlines()[1:]

    def begun():
        return schedlab.Simulation(jobs, system=SYSTEM, scheduler=DISCIPLINES[discipline](score, 3))

    expected = recorded(begun())
    simulation = begun()
    for number, time in enumerate(sorted(when)):
        rows += recorded(simulation, until=time)
        simulation.jobs_in("queued")
        if number % 2 == 0:
            simulation = simulation.fork()
        else:
            simulation.save(folder / "state")
            simulation = schedlab.Simulation.load(folder / "state", workload=jobs)
    assert rows + recorded(simulation) == expected


def test_of_equal_scores_the_first_in_the_queue_goes_first():
    """It joined later than the other, and has the lower number."""
    jobs = [
        Job(1, 0, 100),
        Job(2, 1, 10, requested_time=50, predecessors=[1]),
        Job(3, 1, 10, requested_time=50),
        Job(4, 1, 500, requested_time=20),
    ]
    one_core = {"groups": {"g0": {"nodes": 1, "resources": {"core": 1}}}}
    found = starts(jobs, one_core, scheduler="wfp3")
    assert {number: float(start) for number, start in found.items()} == {
        1: 0,
        2: 610,
        3: 600,
        4: 100,
    }


def test_long_queues_and_many_equal_scores():
    for alike in (False, True):
        jobs = random_jobs(5, 3000, alike)
        for discipline in ("blocking", "easy"):
            one, other = (
                DISCIPLINES[discipline](score, 1) for score in (SCORES[0], twin_of(SCORES[0]))
            )
            assert starts(jobs, SYSTEM, scheduler=one) == starts(jobs, SYSTEM, scheduler=other)


@pytest.mark.parametrize("discipline", sorted(DISCIPLINES))
def test_a_job_that_comes_to_have_no_score_is_an_error_wherever_it_is(discipline):
    jobs = [Job(1, 0, 50, 4), Job(2, 1, 5, 4), Job(3, 2, 5, 4, user=7), Job(4, 31, 1, 1)]
    score = "if(user == 7, 10 + sqrt(20 - wait), 0)"
    with pytest.raises(schedlab.SimulationError, match=r"has no value .* for job 3 at"):
        starts(jobs, FOUR, scheduler=DISCIPLINES[discipline](score, 5))


def test_the_queue_is_looked_at_in_its_order():
    jobs = [Job(1, 0, 100, 4), *(Job(n, n, 10, 4, requested_time=100 - n) for n in range(2, 9))]
    simulation = schedlab.Simulation(
        jobs, system=FOUR, scheduler="easy(score=requested_time - wait * 0)"
    )
    simulation.run(until=50)
    assert simulation.jobs_in("queued") == [8, 7, 6, 5, 4, 3, 2]


NUMBERS = st.one_of(
    st.integers(-5, 5).map(float), st.floats(-1e6, 1e6), st.sampled_from([0.5, 1e-3, 1e9])
)


def texts(depth):
    """Expressions over a and b, which change, and c, which does not."""
    leaf = st.one_of(st.sampled_from("abc"), NUMBERS.map(lambda number: f"({number!r})"))
    if depth == 0:
        return leaf
    part = texts(depth - 1)
    unary = st.sampled_from(["-", "not "]).flatmap(lambda sign: part.map(lambda x: f"({sign}{x})"))
    binary = st.sampled_from(
        ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or"]
    ).flatmap(lambda sign: st.tuples(part, part).map(lambda two: f"({two[0]} {sign} {two[1]})"))
    power = st.tuples(part, st.sampled_from(["2", "3", "4", "0.5", "1.5", "-1", "0", "c"])).map(
        lambda two: f"({two[0]} ** {two[1]})"
    )
    functions = ["log", "log2", "log10", "sqrt", "exp", "abs", "floor", "ceil"]
    call = st.sampled_from(functions).flatmap(lambda name: part.map(lambda x: f"{name}({x})"))
    more = st.sampled_from(["min", "max"]).flatmap(
        lambda name: st.tuples(part, part).map(lambda two: f"{name}({two[0]}, {two[1]})")
    )
    choice = st.tuples(part, part, part).map(lambda three: "if({}, {}, {})".format(*three))
    return st.one_of(leaf, unary, binary, power, call, more, choice)


@examples(1000)
@given(text=texts(3), ends=st.tuples(*[NUMBERS] * 5), parts=st.lists(st.floats(0, 1), max_size=4))
def test_no_value_is_below_the_line(text, ends, parts):
    expression = Expression(text, ["a", "b", "c"])
    a, b, c = ends[:2], ends[2:4], ends[4]
    start, end = expression.lower_line({"a": a, "b": b, "c": (c, c)})
    if math.isnan(start) or math.isnan(end):
        return
    for part in (0.0, 0.5, 1.0, *parts):
        values = {
            name: [low + (high - low) * part]
            for name, (low, high) in zip("ab", (a, b), strict=True)
        }
        (value,) = expression.evaluate({**values, "c": [c]})
        assert not math.isnan(value)
        if math.isinf(start) or math.isinf(end):
            assert value >= min(start, end)
        else:
            line = start + (end - start) * part
            assert value >= line - (abs(start) + abs(end)) * 2**-48
