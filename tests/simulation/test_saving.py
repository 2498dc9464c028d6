"""Forks and state files: whatever was saved goes on as if it had never stopped."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.dispatch.allocators import ALLOCATORS
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.plain_data import decode, encode

SYSTEM = {
    "groups": {
        "thin": {"nodes": 3, "resources": {"core": 4, "mem": 8}},
        "fat": {"nodes": 2, "resources": {"core": 4, "mem": 32, "gpu": 2}},
    }
}


def jobs(count: int = 300, seed: int = 1, mixed: bool = False) -> list[sl.Job]:
    draw = random.Random(seed)
    made, submit = [], 0.0
    for number in range(count):
        submit += draw.choice((0, 0, 0.5, 1, 7))
        run = draw.choice((0, 1, 2.5, 20, 60))
        resources = None
        if mixed and draw.random() < 0.5:
            resources = {"core": draw.randint(1, 2), "mem": draw.randint(0, 8)}
        made.append(
            sl.Job(
                number,
                submit,
                run,
                draw.randint(1, 6),
                run * draw.choice((0.5, 1, 3)) + 1,
                user=draw.randint(1, 4),
                resources=resources,
                whole_nodes=mixed and draw.random() < 0.1,
                predecessors=[number - 3] if draw.random() < 0.05 else [],
            )
        )
    return made


class LastFit(sl.Allocator):
    """From the last node down."""

    def place(self, job, machine):
        nodes = {}
        left = job.processors
        for node in reversed(machine.nodes_with_room(job)):
            nodes[node] = min(left, machine.room(node, job))
            left -= nodes[node]
            if left == 0:
                return nodes
        return None


class Moody(sl.Scheduler):
    """Starts what fits, at the throw of a coin; remembers what it did."""

    def __init__(self):
        self.random = random.Random(7)
        self.starts = {}

    def schedule(self, state):
        for job in state.queue.fitting():
            if len(state.running) == 0 or self.random.random() < 0.8:
                self.starts[job.user] = self.starts.get(job.user, 0) + 1
                yield job
        yield sl.WakeAt(state.now + 3)


class Doubled(sl.Estimator):
    """Twice what the last job of the user took."""

    def __init__(self):
        self.last = {}

    def estimate(self, job):
        return 2 * self.last.get(job.user, job.requested_time)

    def ended(self, job):
        self.last[job.user] = job.elapsed


class Use(sl.AdditionalData):
    """Core-seconds of each user, halved every 50 s."""

    publishes = ("jobs_seen",)
    publishes_tables = ("use",)
    every = 5

    def __init__(self):
        self.use = {}
        self.seen = 0

    def ended(self, job):
        self.seen += 1
        self.use[job.user] = self.use.get(job.user, 0.0) + job.processors * job.elapsed

    def update(self, state):
        self.use = {user: use * 0.5 ** (5 / 50) for user, use in self.use.items()}
        return {"jobs_seen": self.seen, "use": self.use}


def records(simulation: sl.Simulation, path) -> str:
    simulation.record_jobs(path)
    simulation.run()
    return path.read_text().partition("\n")[2]


def check_going_on(tmp_path, make, steps: int, again=None) -> None:
    """A simulation that is saved and loaded ends with the rows of one that is not."""
    whole = records(make(), tmp_path / "whole.csv")
    first = make()
    first.record_jobs(tmp_path / "first.csv")
    for _ in range(steps):
        if not first.step():
            break
    first._recorder.sync()
    first.save(tmp_path / "state")
    before = (tmp_path / "first.csv").read_text().partition("\n")[2]
    loaded = sl.Simulation.load(tmp_path / "state", **(again() if again else {}))
    assert loaded.now == first.now
    assert loaded.counts == first.counts
    after = records(loaded, tmp_path / "second.csv")
    assert before + after == whole
    forked = records(first.fork(), tmp_path / "fork.csv")
    assert before + forked == whole


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("scheduler", [*SCHEDULERS, "easy(reservations=3)", "easy(score=-wait)"])
def test_every_scheduler_goes_on(tmp_path, scheduler, mixed):
    work = jobs(mixed=mixed)
    check_going_on(
        tmp_path,
        lambda: sl.Simulation(work, system=SYSTEM, scheduler=scheduler, allocator="random", seed=5),
        random.Random(scheduler).randint(1, 250),
        lambda: {"workload": work},
    )


@pytest.mark.parametrize("allocator", ALLOCATORS)
@pytest.mark.parametrize("estimate", ["requested", "exact", "history"])
def test_every_allocator_and_estimate_goes_on(tmp_path, allocator, estimate):
    work = jobs(mixed=True)
    check_going_on(
        tmp_path,
        lambda: sl.Simulation(
            work, system=SYSTEM, scheduler="easy", allocator=allocator, estimate=estimate
        ),
        100,
        lambda: {"workload": work},
    )


def own_policies(work) -> sl.Simulation:
    return sl.Simulation(
        work,
        system=SYSTEM,
        scheduler=Moody(),
        allocator=LastFit(),
        estimate=Doubled(),
        data=[Use()],
        windows=[sl.Window(40, 60, "0-1", when="user == 2"), sl.Window(100, 110)],
        queues=[sl.Queue("small", 2, "processors <= 3"), sl.Queue("rest", 1)],
    )


@pytest.mark.parametrize("steps", [0, 1, 17, 150, 10_000])
def test_own_policies_go_on(tmp_path, steps):
    work = jobs(mixed=True)
    check_going_on(tmp_path, lambda: own_policies(work), steps, lambda: {"workload": work})


def test_expressions_over_additional_data_go_on(tmp_path):
    work = jobs()
    check_going_on(
        tmp_path,
        lambda: sl.Simulation(
            work, system=SYSTEM, scheduler="easy(score=data.use[user] - wait)", data=[Use()]
        ),
        120,
        lambda: {"workload": work},
    )


def test_another_process_goes_on(tmp_path):
    """With a trace from a file, nothing need be given again."""
    rows = [
        [n, n // 2, -1, 5 + n % 7, 2, -1, -1, 2, 20, -1, 1, n % 3, 1, -1, 1, -1, -1, -1]
        for n in range(1, 500)
    ]
    sl.write_swf(tmp_path / "trace.swf.gz", rows)
    (tmp_path / "own.py").write_text(
        textwrap.dedent("""
        import schedlab as sl

        class Shy(sl.Scheduler):
            def __init__(self, most=3):
                self.most = most
                self.calls = 0

            def schedule(self, state):
                self.calls += 1
                for job in state.queue.fitting():
                    if len(state.running) < self.most + self.calls % 2:
                        yield job
        """)
    )
    script = """
        import sys, schedlab as sl
        command, scheduler = sys.argv[1:]
        if command == "whole":
            simulation = sl.Simulation("trace.swf.gz", system={"groups": {"n": {"nodes": 4,
                "resources": {"core": 4}}}}, scheduler=scheduler)
            simulation.record_jobs("whole.csv")
            simulation.run()
        elif command == "save":
            simulation = sl.Simulation("trace.swf.gz", system={"groups": {"n": {"nodes": 4,
                "resources": {"core": 4}}}}, scheduler=scheduler)
            simulation.record_jobs("first.csv")
            simulation.run(until=111)
            simulation.save("state")
        else:
            simulation = sl.Simulation.load("state")
            simulation.record_jobs("second.csv")
            simulation.run()
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(script))
    for scheduler in ("easy", "conservative", "own:Shy(most=2)"):
        for command in ("whole", "save", "load"):
            subprocess.run(
                [sys.executable, "script.py", command, scheduler], cwd=tmp_path, check=True
            )
        whole, first, second = (
            (tmp_path / f"{name}.csv").read_text() for name in ("whole", "first", "second")
        )
        assert first + second.partition("\n")[2] == whole


# ---------------------------------------------------------------------------------- other policies


def test_a_fork_can_have_another_dispatcher():
    work = jobs(mixed=True)
    simulation = sl.Simulation(work, system=SYSTEM, scheduler="fifo")
    simulation.run(until=200)
    ends = {}
    for scheduler in (*SCHEDULERS[:-1], Moody(), "easy(reservations=2)"):
        fork = simulation.fork(scheduler=scheduler, allocator=LastFit())
        assert fork.counts == simulation.counts
        fork.run()
        ends[str(scheduler)] = fork.metrics["wait"]["mean"]
        assert fork.counts["queued"] == 0
    simulation.run()
    assert (
        simulation.metrics["wait"]["mean"]
        == sl.simulate(work, system=SYSTEM, scheduler="fifo").metrics["wait"]["mean"]
    )
    assert len(set(ends.values())) > 3


def test_a_fork_to_the_same_scheduler_changes_nothing(tmp_path):
    for name in ("fifo", "easy", "sjf", "greedy", "easy(order=wfp3)"):
        simulation = sl.Simulation(jobs(mixed=True), system=SYSTEM, scheduler=name)
        simulation.run(until=150)
        same = records(simulation.fork(scheduler=name), tmp_path / "same.csv")
        assert same == records(simulation.fork(), tmp_path / "fork.csv")


def test_forks_have_policies_of_their_own():
    simulation = own_policies(jobs(mixed=True))
    simulation.run(until=100)
    fork = simulation.fork()
    assert fork.scheduler is not simulation.scheduler
    assert fork.scheduler.starts == simulation.scheduler.starts
    fork.run()
    assert fork.scheduler.starts != simulation.scheduler.starts
    assert fork.data[0].seen > simulation.data[0].seen


# ---------------------------------------------------------------------------------- what is refused


class Unsaved(Moody):
    def __init__(self):
        super().__init__()
        self.lock = object()


def test_a_policy_that_cannot_be_saved_is_named(tmp_path):
    simulation = sl.Simulation(jobs(), system=SYSTEM, scheduler=Unsaved())
    simulation.run(until=50)
    with pytest.raises(sl.SimulationError, match=r"Unsaved cannot be saved: .*lock.*get_state"):
        simulation.save(tmp_path / "state")
    assert not os.listdir(tmp_path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    simulation = sl.Simulation(jobs(50), system=SYSTEM, scheduler="conservative")
    simulation.run(until=40)
    simulation.save(folder / "state")
    return (folder / "state").read_bytes()


def test_a_damaged_file_is_refused(tmp_path, saved):
    """A check beside the property: `saved` is too long to be printed as its argument."""

    @given(data=st.data())
    @examples(150)
    def property_of(data):
        damage_and_load(tmp_path / "state", saved, data)

    property_of()


def damage_and_load(path, saved, data):
    kind = data.draw(st.sampled_from(["cut", "changed", "longer"]))
    if kind == "cut":
        content = saved[: data.draw(st.integers(0, len(saved) - 1))]
    elif kind == "changed":
        at = data.draw(st.integers(0, len(saved) - 1))
        content = saved[:at] + bytes([saved[at] ^ data.draw(st.integers(1, 255))]) + saved[at + 1 :]
    else:
        content = saved + data.draw(st.binary(min_size=1, max_size=20))
    path.write_bytes(content)
    with pytest.raises(sl.InputError, match="state"):
        sl.Simulation.load(path, workload=jobs(50))


def test_bytes_of_an_engine_that_lie_are_refused(saved):
    """Behind the checksum: what the engine does with bytes of another one, or cut ones."""
    work = jobs(50)

    def fresh(scheduler="conservative"):
        return sl.Simulation(work, system=SYSTEM, scheduler=scheduler).engine

    simulation = sl.Simulation(work, system=SYSTEM, scheduler="conservative")
    simulation.run(until=40)
    state = simulation.engine.save()
    draw = random.Random(3)
    for _ in range(200):
        cut = draw.randrange(len(state))
        with pytest.raises(sl.InputError):
            fresh().load(state[:cut])
    with pytest.raises(sl.InputError):
        fresh("fifo").load(state)
    with pytest.raises(sl.InputError):
        fresh().load(state + b"x")


def test_other_versions_and_other_parts_are_refused(tmp_path, saved):
    path = tmp_path / "state"
    line, _, rest = saved.partition(b"\n")
    words = line.split()
    for index, word in ((1, b"999"), (2, b"0.0.1")):
        other = [*words]
        other[index] = word
        path.write_bytes(b" ".join(other) + b"\n" + rest)
        with pytest.raises(sl.InputError, match="was saved by schedlab"):
            sl.Simulation.load(path, workload=jobs(50))
    path.write_bytes(saved)
    with pytest.raises(sl.InputError, match="give them again"):
        sl.Simulation.load(path)
    with pytest.raises(sl.InputError, match="not those of the saved state"):
        sl.Simulation.load(path, workload=jobs(50, seed=2))
    with pytest.raises(sl.InputError, match="became shorter"):
        sl.Simulation.load(path, workload=jobs(50)[:3])
    with pytest.raises(sl.InputError, match="was saved with scheduler conservative"):
        sl.Simulation.load(path, workload=jobs(50), scheduler=sl.Easy())
    with pytest.raises(sl.InputError, match="no such file"):
        sl.Simulation.load(tmp_path / "nothing")
    path.write_bytes(b"job_id,user\n1,2\n")
    with pytest.raises(sl.InputError, match="is no state file"):
        sl.Simulation.load(path)


def test_a_changed_workload_is_refused(tmp_path):
    trace = tmp_path / "t.swf"
    rows = [[n, n, -1, 5, 1, -1, -1, 1, 9, -1, 1, 1, 1, -1, 1, -1, -1, -1] for n in range(1, 9000)]
    sl.write_swf(trace, rows)
    simulation = sl.Simulation(trace, system=SYSTEM)
    simulation.run(until=5000)
    simulation.save(tmp_path / "state")
    rows[0][3] = 6
    sl.write_swf(trace, rows)
    with pytest.raises(sl.InputError, match=r"t\.swf: is not what it was"):
        sl.Simulation.load(tmp_path / "state")
    trace.write_text("; empty\n")
    with pytest.raises(sl.InputError, match=r"t\.swf: is not what it was"):
        sl.Simulation.load(tmp_path / "state")
    trace.unlink()
    with pytest.raises(sl.InputError, match="no such file"):
        sl.Simulation.load(tmp_path / "state")


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers() | st.text() | st.tuples(st.integers()), inner)
        | st.sets(st.integers() | st.text())
    ),
)


@given(plain)
def test_plain_data_comes_back(value):
    again = decode(encode(value, "x"))
    assert again == value
    assert repr(type(again)) == repr(type(value))


def test_collections_come_back():
    from collections import Counter, OrderedDict, defaultdict, deque

    values = [
        deque([1, (2,)], 5),
        Counter({3: 4}),
        OrderedDict(a=1),
        defaultdict(list, {1: [2]}),
        defaultdict(None, {1: 2}),
    ]
    again = decode(encode(values, "x"))
    assert again == values
    assert [type(value) for value in again] == [type(value) for value in values]
    assert again[0].maxlen == 5
    assert again[3].default_factory is list
    with pytest.raises(TypeError, match="is of type defaultdict"):
        encode(defaultdict(lambda: 1), "x")


def test_generators_come_back():
    generator = random.Random(4)
    generator.random()
    assert decode(encode({"r": generator}, "x"))["r"].random() == generator.random()
    with pytest.raises(TypeError, match=r"x\['a'\]\[1\] is of type object"):
        encode({"a": [1, object()]}, "x")
