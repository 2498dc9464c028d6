"""Queues with priorities, and windows: maintenance and advance reservations."""

from __future__ import annotations

import json
import math

import pytest
from conftest import examples
from dispatch.policies import (
    EasyWalk,
    Fifo,
    GreedyWalk,
    PlanWalk,
    policy,
    records,
    schedule,
    starts,
    workloads,
)
from hypothesis import given
from hypothesis import strategies as st
from oracles.checks import Schedule, check_capacity, check_windows
from oracles.engine import ALLOCATORS

import schedlab
from schedlab import InputError, Job, Queue, Simulation, SimulationError, Window
from schedlab.system.queues import load_queues
from schedlab.system.windows import load_windows

FOUR = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
"""Two nodes of two cores."""

DISCIPLINES = [
    "fifo",
    "sjf",
    "fcfs-bf",
    "easy",
    "easy(order=shortest, depth=2)",
    "easy(reservations=2)",
    "easy(reservations=all)",
    "conservative",
    "conservative(order=largest, depth=2)",
    "wfp3",
    Fifo(),
    GreedyWalk(),
    EasyWalk(),
    PlanWalk(),
]

# ------------------------------------------------------------------------------ queues


def queued(job, queue, processors=4, run=10, **more):
    return Job(job, 0, run, processors, attributes={"queue": queue}, **more)


def test_jobs_name_their_queue():
    queues = [Queue("low", 1, number=1), Queue("high", 2.5, number=7), Queue("same", 1, number=3)]
    jobs = [queued(1, 1), queued(2, 3), queued(3, 7), queued(4, 1), queued(5, 7)]
    assert starts(jobs, FOUR, queues=queues) == {3: 0, 5: 10, 1: 20, 2: 30, 4: 40}


def test_the_queue_a_job_names_must_admit_it():
    queues = [Queue("short", 1, "requested_time <= 20", 1), Queue("any", 0, number=2)]
    jobs = [queued(1, 1), queued(2, 1, run=30), queued(3, 2, run=30), queued(4, 9)]
    states = {job: row[2] for job, row in schedule(jobs, FOUR, queues=queues).items()}
    assert states == {1: "completed", 2: "rejected", 3: "completed", 4: "rejected"}


def test_jobs_without_the_field_are_rejected():
    got = schedule([Job(1, 0, 10), queued(2, 1)], FOUR, queues=[Queue("a", number=1)])
    assert (got[1][2], got[2][2]) == ("rejected", "completed")


def test_rules_take_the_first_that_holds():
    queues = [
        Queue("large", 0, "processors > 2"),
        Queue("user", 10, "user == 3"),
        Queue("rest", 5, "requested_time < 100"),
    ]
    jobs = [
        Job(1, 0, 10, 4),
        Job(2, 0, 10, 2, user=1),
        Job(3, 0, 10, 3, user=3),  # large all the same
        Job(4, 0, 10, 2, user=3),
        Job(5, 0, 200, 1),
        Job(6, 0, 10, 2, user=1),
    ]
    got = starts(jobs, FOUR, queues=queues)
    assert got == {4: 0, 2: 0, 6: 10, 1: 20, 3: 30, 5: None}


@pytest.mark.parametrize("discipline", [d for d in DISCIPLINES if d not in ("sjf", "wfp3")])
def test_priorities_go_before_the_order(discipline):
    """Whatever the discipline: while all jobs need the whole machine, queue after queue."""
    queues = [Queue("low", 0, "user == 1"), Queue("high", 1)]
    jobs = [Job(i, 0, 10, 4, user=i % 2) for i in range(1, 7)]
    got = starts(jobs, FOUR, queues=queues, scheduler=discipline)
    if discipline == "conservative(order=largest, depth=2)":
        assert max(got[i] for i in (2, 4)) < max(got[i] for i in (1, 3, 5))
    else:
        assert got == {2: 0, 4: 10, 6: 20, 1: 30, 3: 40, 5: 50}


def test_the_order_holds_within_a_queue():
    queues = [Queue("low", 0, "user == 1"), Queue("high", 1)]
    jobs = [Job(i, 0, 10 * i, 4, user=i % 2) for i in (3, 1, 4, 2)]
    assert starts(jobs, FOUR, queues=queues, scheduler="sjf") == {2: 0, 4: 20, 1: 60, 3: 70}
    got = starts(jobs, FOUR, queues=queues, scheduler="score:-id")
    assert got == {4: 0, 2: 40, 3: 60, 1: 90}
    mine = Fifo()
    mine.order = lambda job: -job.id
    assert starts(jobs, FOUR, queues=queues, scheduler=mine) == got


@examples(80)
@given(case=workloads(), scheduler=st.sampled_from(DISCIPLINES))
def test_one_queue_for_all_changes_nothing(case, scheduler):
    expected = records(case, scheduler=scheduler)
    assert records(case, scheduler=scheduler, queues=[Queue("all")]) == expected
    two = [Queue("even", 3, "id % 2 == 0"), Queue("odd", 3)]
    assert records(case, scheduler=scheduler, queues=two) == expected


@examples(80)
@given(case=workloads(), allocator=st.sampled_from(ALLOCATORS))
def test_ranks_are_an_order(case, allocator):
    """Two queues equal an order by the same condition."""
    queues = [Queue("first", 2, "id % 3 == 1"), Queue("second", 1, "id % 3 == 2"), Queue("third")]
    score = "score:if(id % 3 == 1, 0, if(id % 3 == 2, 1, 2))"
    for discipline in (schedlab.Blocking, schedlab.Greedy, schedlab.Easy):
        expected = records(case, scheduler=discipline(score), allocator=allocator)
        got = records(case, scheduler=discipline(), queues=queues, allocator=allocator)
        assert got == expected


def test_the_queue_of_a_trace(tmp_path):
    rows = [(i, 0, -1, 10, 4, -1, -1, 4, 20, -1, 1, 1, 1, 1, 1 + i % 2) for i in range(1, 5)]
    schedlab.write_swf(tmp_path / "w.swf", [(*row, -1, -1, -1) for row in rows])
    queues = [Queue("a", 1, number=1), Queue("b", 2, number=2)]
    assert starts(tmp_path / "w.swf", FOUR, queues=queues) == {1: 0, 3: 10, 2: 20, 4: 30}
    by_rule = [Queue("b", 2, "queue == 2"), Queue("a", 1)]
    assert starts(tmp_path / "w.swf", FOUR, queues=by_rule) == {1: 0, 3: 10, 2: 20, 4: 30}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "queue: name must be a text, not ''"),
        ({"name": 3}, "queue: name must be a text, not 3"),
        ({"priority": "high"}, "queue 'q': priority must be a number, not 'high'"),
        ({"priority": True}, "queue 'q': priority must be a number, not True"),
        ({"priority": math.nan}, "queue 'q': priority must be a number, not nan"),
        ({"when": 3}, "queue 'q': when must be an expression, not 3"),
        ({"number": 1.5}, r"queue 'q': number must be a whole number, not 1\.5"),
        ({"number": True}, "queue 'q': number must be a whole number, not True"),
        ({"number": "1"}, "queue 'q': number must be a whole number, not '1'"),
        ({"number": 10**400}, "queue 'q': number must be"),
    ],
)
def test_queues_that_are_none(arguments, message):
    with pytest.raises(InputError, match=message):
        Queue(**{"name": "q", **arguments})


@pytest.mark.parametrize(
    ("queues", "message"),
    [
        ([Queue("a"), Queue("a")], "two have the same name"),
        ([Queue("a", number=1), Queue("b", number=1)], "two have the same number"),
        ([Queue("a", number=1), Queue("b")], "give all of them a number, or none"),
        (["a"], "must be Queue objects, not 'a'"),
        ([Queue], "must be Queue objects"),
        (Queue("a"), "[Qq]ueue"),
        (None, "[Qq]ueue"),
        (7, "[Qq]ueue"),
    ],
)
def test_queues_that_do_not_go_together(queues, message):
    with pytest.raises(InputError, match=message):
        Simulation([Job(1, 0, 1)], system=FOUR, queues=queues)


@pytest.mark.parametrize("when", ["bogus > 1", "processors >", "processors > 2 2", "data.x > 1"])
def test_conditions_that_are_wrong(when):
    for choices in ({"queues": [Queue("a", when=when)]}, {"windows": [Window(0, 5, when=when)]}):
        with pytest.raises(InputError, match="expression"):
            Simulation([Job(1, 0, 1)], system=FOUR, **choices).run()


def test_a_condition_without_a_value():
    queues = [Queue("a", when="(user + 1) / (user + 1)")]
    with pytest.raises(SimulationError, match="job 1"):
        Simulation([Job(1, 0, 1)], system=FOUR, queues=queues).run()


# ------------------------------------------------------------------------------ windows


def test_maintenance():
    """Nobody is on the nodes during it, by the estimates; who outlasts an estimate stays."""
    jobs = [Job(1, 0, 10, 1), Job(2, 0, 11, 1), Job(3, 0, 30, 1, requested_time=10)]
    assert starts(jobs, FOUR, scheduler="fcfs-bf", windows=[Window(10, 20)]) == {1: 0, 2: 20, 3: 0}


def test_half_open():
    windows = [Window(10, 20)]
    assert starts([Job(1, 0, 10)], FOUR, windows=windows) == {1: 0}
    assert starts([Job(1, 0, 10.000000001)], FOUR, windows=windows) == {1: 20}
    assert starts([Job(1, 20, 5)], FOUR, windows=windows) == {1: 20}
    # A job is planned for a second at least.
    assert starts([Job(1, 9.5, 0.1)], FOUR, windows=windows) == {1: 20}


def test_some_nodes():
    windows = [Window(10, 20, "1")]
    got = schedule([Job(1, 0, 15, 2), Job(2, 0, 15, 2)], FOUR, windows=windows)
    assert got[1][3] == "0*2"
    assert got[2][0] == 15
    assert starts([Job(1, 0, 15, 3)], FOUR, windows=windows) == {1: 20}


def test_an_advance_reservation():
    windows = [Window(10, 20, when="user == 7 and processors <= 2")]
    jobs = [
        Job(1, 0, 15, 1, user=7),
        Job(2, 0, 15, 1, user=1),
        Job(3, 12, 5, 2, user=7),
        Job(4, 12, 1, 3, user=7),
    ]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {1: 0, 2: 20, 3: 12, 4: 20}


def test_overlapping_windows_must_all_admit():
    windows = [Window(10, 20, when="user == 1"), Window(15, 30, "0", when="user == 2")]
    jobs = [Job(1, 10, 4, 4, user=1), Job(2, 10, 8, 4, user=1), Job(3, 16, 1, 2, user=2)]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {1: 10, 2: 30, 3: 20}


def test_windows_that_come_again():
    windows = [Window(10, 15, every=20, times=3)]
    times = [starts([Job(1, submit, 10)], FOUR, windows=windows)[1] for submit in range(0, 60, 5)]
    assert times == [0, 15, 15, 15, 20, 35, 35, 35, 40, 55, 55, 55]
    once = [
        Window(10, 15),
        Window(30, 35),
        Window(50, 55),
    ]
    for submit, expected in zip(range(0, 60, 5), times, strict=True):
        assert starts([Job(1, submit, 10)], FOUR, windows=once)[1] == expected


def test_back_to_back_repetition_is_one_long_window():
    assert starts([Job(1, 1, 1)], FOUR, windows=[Window(0, 5, every=5, times=4)]) == {1: 20}


NODES = {
    "groups": {
        "thin": {"nodes": 3, "resources": {"core": 1}},
        "fat": {"nodes": 2, "resources": {"core": 4}},
    }
}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("all", [(0, 5)]),
        ("thin", [(0, 3)]),
        ("fat", [(3, 2)]),
        ("fat, thin", [(0, 5)]),
        ("0", [(0, 1)]),
        ("0-2", [(0, 3)]),
        (" 4 , 0-1 ", [(0, 2), (4, 1)]),
        ("0,1,2,3,4", [(0, 5)]),
        ("1, 1-3, 2", [(1, 3)]),
        ("3-3", [(3, 1)]),
        ("004", [(4, 1)]),
    ],
)
def test_groups_and_ranges(nodes, expected):
    system = schedlab.load_system(NODES)
    assert Window(0, 1, nodes).ranges(system) == expected


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("5", r"'5' is not within the nodes 0 to 4"),
        ("0-5", r"'0-5' is not within the nodes 0 to 4"),
        ("3-1", r"'3-1' is not within"),
        ("-1", r"'-1' is neither \"all\", a group \(thin, fat\) nor a range"),
        ("1-", r"'1-' is neither"),
        ("1--2", "neither"),
        ("big", "'big' is neither"),
        ("0,,1", "'' is neither"),
        ("0 1", "'0 1' is neither"),
        ("1.5", "neither"),
        ("\u0661", "neither"),
        pytest.param("1" * 5_000, "not within", id="5000 digits"),
    ],
)
def test_nodes_that_are_none(nodes, message):
    with pytest.raises(InputError, match=message):
        Simulation([Job(1, 0, 1)], system=NODES, windows=[Window(0, 1, nodes)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": -1}, "window: start must be seconds from 0 up, not -1"),
        ({"start": math.nan}, "start must be seconds from 0 up, not nan"),
        ({"start": "0"}, "start must be seconds from 0 up, not '0'"),
        ({"start": None}, "start must be seconds from 0 up, not None"),
        ({"start": True}, "start must be seconds from 0 up, not True"),
        ({"end": math.inf}, "end must be seconds from 0 up, not inf"),
        ({"end": 5e9}, "end must be seconds from 0 up"),
        ({"end": 0}, r"end \(0\) must be behind start \(0\)"),
        ({"start": 9, "end": 3}, r"end \(3\) must be behind start \(9\)"),
        ({"nodes": ""}, "nodes must be a text such as"),
        ({"nodes": " "}, "nodes must be a text such as"),
        ({"nodes": 3}, "nodes must be a text such as .* not 3"),
        ({"nodes": [0, 1]}, "nodes must be a text such as"),
        ({"when": 3}, "when must be an expression, not 3"),
        ({"when": True}, "when must be an expression, not True"),
        ({"every": 5, "times": 0}, "times must be from 1 to 100000, not 0"),
        ({"every": 5, "times": 1.5}, "times must be from 1"),
        ({"every": 5, "times": True}, "times must be from 1"),
        ({"every": 5, "times": 10**6}, "times must be from 1 to 100000"),
        ({"every": 4e9, "times": 3}, "more than 126 years away"),
        ({"every": 50}, "go together"),
        ({"times": 2}, "go together"),
        ({"every": 0.5, "times": 2}, r"comes again after 0\.5 s, before it ends"),
        ({"every": -1, "times": 2}, "every must be seconds from 0 up, not -1"),
        ({"every": "1", "times": 2}, "every must be seconds"),
        ({"name": 3}, "name: must be text"),
        ({"name": "a\nb"}, "name: must be one line"),
    ],
)
def test_windows_that_are_none(arguments, message):
    with pytest.raises(InputError, match=message):
        Window(**{"start": 0, "end": 1, **arguments})


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ([3], "windows: must be Window objects, not 3"),
        ([Window], "windows: must be Window objects"),
        (Window(0, 1), "[Ww]indow"),
        (None, "[Ww]indow"),
        (7, "[Ww]indow"),
        ([Window(0, 1, when=f"user == {i}") for i in range(65)], "65 different conditions"),
        ([Window(0, 1, every=2, times=60_000)] * 2, "120000 in all; at most 100000"),
    ],
)
def test_windows_that_do_not_go_together(windows, message):
    with pytest.raises(InputError, match=message):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=windows)


def test_sixty_four_conditions_are_possible():
    windows = [Window(10 * i, 10 * i + 10, when=f"user == {i}") for i in range(64)]
    jobs = [Job(i, 0, 10, user=i) for i in range(64)]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {i: 10 * i for i in range(64)}


def test_many_windows():
    windows = [Window(10, 11, every=2, times=20_000, nodes="0")]
    assert starts([Job(1, 0, 3, 4)], FOUR, windows=windows) == {1: 0}
    assert starts([Job(1, 9, 3, 4)], FOUR, windows=windows) == {1: 40_009}
    assert starts([Job(1, 9, 3, 2)], FOUR, windows=windows) == {1: 9}


WINDOWS = [
    Window(10, 20, "0-1", None, 30, 3, "weekly"),
    Window(5.5, 6, "all", "user == 3"),
]
TOML = """
[[windows]]
start = 10
end = 20
nodes = "0-1"
every = 30
times = 3
name = "weekly"

[[windows]]
start = 5.5
end = 6
when = "user == 3"
"""
YAML = """
windows:
  - {start: 10, end: 20, nodes: 0-1, every: 30, times: 3, name: weekly}
  - start: 5.5
    end: 6
    when: user == 3
"""
TABLES = {
    "windows": [
        {"start": 10, "end": 20, "nodes": "0-1", "every": 30, "times": 3, "name": "weekly"},
        {"start": 5.5, "end": 6, "when": "user == 3"},
    ]
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("w.toml", TOML),
        ("w.yaml", YAML),
        ("w.yml", YAML),
        ("w.json", json.dumps(TABLES)),
        ("W.JSON", json.dumps(TABLES)),
    ],
)
def test_files_of_windows(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert list(load_windows(path)) == WINDOWS
    assert list(load_windows(str(path))) == WINDOWS
    simulation = Simulation([Job(1, 0, 1)], system=FOUR, windows=path)
    assert list(simulation.windows) == WINDOWS


def test_files_of_queues(tmp_path):
    expected = [Queue("a", 2, "user == 3", 1), Queue("b", number=2)]
    path = tmp_path / "q.toml"
    path.write_text(
        '[[queues]]\nname = "a"\npriority = 2\nwhen = "user == 3"\nnumber = 1\n'
        '[[queues]]\nname = "b"\nnumber = 2\n'
    )
    assert list(load_queues(path)) == expected
    path = tmp_path / "q.yaml"
    path.write_text(
        "queues:\n- {name: a, priority: 2, when: user == 3, number: 1}\n- {name: b, number: 2}\n"
    )
    assert list(Simulation([Job(1, 0, 1)], system=FOUR, queues=path).queues) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "windows: must be a list of tables"),
        ("[]", "must be a table"),
        ("3", "must be a table"),
        ('{"windows": {}}', r"windows: must be a list of tables, such as \[\[windows\]\]"),
        ('{"window": []}', 'unknown key; did you mean "windows"'),
        ('{"windows": [], "queues": []}', "queues: unknown key"),
        ('{"windows": [3]}', r"windows\[1\]: must be a table"),
        ('{"windows": [{"start": 1}]}', r"windows\[1\]: missing .*'end'"),
        ('{"windows": [{"start": 1, "end": 2}, {}]}', r"windows\[2\]: missing .*'start' and 'end'"),
        ('{"windows": [{"strat": 1, "end": 2}]}', r'windows\[1\]\.strat: .*did you mean "start"'),
        (
            '{"windows": [{"start": 3, "end": 2}]}',
            r"windows\[1\]: window: end \(2\) must be behind",
        ),
        ('{"windows": [{"start": "3", "end": 2}]}', r"windows\[1\]: .*start must be seconds"),
        ('{"windows": [{"start": 1, "end": 2, "nodes": 3}]}', r"windows\[1\]: .*nodes must be a"),
        ('{"windows": [', r"w\.json"),
        ("", "is empty"),
    ],
)
def test_files_that_are_wrong(tmp_path, text, message):
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        Simulation([Job(1, 0, 1)], system=FOUR, windows=path)
    assert "w.json" in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=tmp_path / "w.toml")
    with pytest.raises(InputError, match="no such file"):
        Simulation([Job(1, 0, 1)], system=FOUR, queues=str(tmp_path / "q.toml"))
    (tmp_path / "w.ini").write_text("x = 1")
    with pytest.raises(InputError, match=r"w\.ini"):
        Simulation([Job(1, 0, 1)], system=FOUR, windows=tmp_path / "w.ini")


def places(case, got):
    jobs, machine, windows = case
    return Schedule(jobs, machine, windows, got, {}).places()


@examples(250)
@given(
    case=workloads(),
    scheduler=st.sampled_from(DISCIPLINES),
    allocator=st.sampled_from(ALLOCATORS),
    dispatch_per=st.sampled_from(["time", "event"]),
)
def test_every_discipline_respects_windows(case, scheduler, allocator, dispatch_per):
    jobs, machine, windows = case
    if isinstance(scheduler, EasyWalk) and allocator != "first-fit":
        allocator = "first-fit"  # see test_allows_answers_for_the_allocator_in_use
    got = records(case, scheduler=scheduler, allocator=allocator, dispatch_per=dispatch_per)
    assert set(got) == {job.id for job in jobs}
    placed = places(case, got)
    check_capacity(machine, placed)
    if all(job.run <= job.estimate for job in jobs):
        check_windows(windows, placed)
    else:  # those that keep to their estimates do
        check_windows(windows, [place for place in placed if place[0].run <= place[0].estimate])


def test_the_begin_and_end_of_a_window_are_calls_if_anybody_waits():
    calls = []

    def look(self, state):
        calls.append(state.now)
        yield from state.queue.fitting()

    windows = [Window(10, 20), Window(50, 60, "0"), Window(1_000, 1_001)]
    Simulation([Job(1, 0, 25)], system=FOUR, scheduler=policy(look), windows=windows).run()
    assert calls == [0, 10, 20]


def test_windows_do_not_keep_a_simulation_alive():
    windows = [Window(100, 200, every=200, times=9)]
    simulation = Simulation([Job(1, 0, 5)], system=FOUR, windows=windows)
    simulation.run()
    assert simulation.now == 5


@pytest.mark.parametrize("scheduler", [d for d in DISCIPLINES if isinstance(d, str)])
def test_a_window_that_never_ends_as_far_as_anybody_sees(scheduler):
    windows = [Window(10, 4e9)]
    got = starts([Job(1, 0, 5), Job(2, 6, 5)], FOUR, scheduler=scheduler, windows=windows)
    assert got == {1: 0, 2: 4e9}


def test_windows_admit_by_attributes_and_requests():
    jobs = [
        Job(1, 0, 50, attributes={"gold": 1}),
        Job(2, 0, 50, attributes={"gold": 0}),
        Job(3, 0, 50, resources={"core": 2}, attributes={"gold": 0}),
    ]
    windows = [Window(10, 20, when="gold or request.core > 1")]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {1: 0, 2: 20, 3: 0}


def test_a_fork_keeps_windows_and_queues():
    windows = [Window(10, 20, every=30, times=4)]
    queues = [Queue("a", 1, "user == 1"), Queue("b")]
    jobs = [Job(i, i, 5, 1 + i % 4, user=i % 2) for i in range(40)]
    simulation = Simulation(jobs, system=FOUR, scheduler="easy", windows=windows, queues=queues)
    simulation.run(until=25)
    fork = simulation.fork()
    fork.run()
    simulation.run()
    assert fork.metrics == simulation.metrics
