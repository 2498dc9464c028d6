"""Names of queues and partitions: matched by name, whatever numbers they get on the way."""

from __future__ import annotations

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab import Queue
from schedlab.errors import InputError
from schedlab.workload.formats import open_reader, write_tables

MACHINE = {"groups": {"node": {"nodes": 1, "resources": {"core": 4}}}}
HEAD = "JobID|User|Account|Partition|QOS|State|Submit|Start|ElapsedRaw|ReqCPUS|AllocCPUS|NNodes\n"
QUEUES = [Queue("debug", 2, number=1), Queue("slow", 1, number=2)]
FORMATS = ("q.swf", "q.parquet", "q.csv", "batsim.json", "q.pbs", "again.sacct")


def dump(tmp_path, names=("slow", "slow", "debug", "slow", "debug")):
    lines = (
        f"{number}|ada|physics|{name[0]}-part|{name}|COMPLETED|{1709280000 + number}|"
        f"{1709280000 + number}|100|4|4|1\n"
        for number, name in enumerate(names, 1)
    )
    (tmp_path / "q.sacct").write_text(HEAD + "".join(lines))
    return tmp_path / "q.sacct"


def waiting(workload, **parts):
    """Returns the queue when all jobs are there and the first one runs, and the simulation."""
    simulation = schedlab.Simulation(workload, system=MACHINE, **parts)
    simulation.run(until=50)
    return simulation.jobs_in("queued"), simulation


def test_queues_are_matched_by_name_not_by_order_of_appearance(tmp_path):
    assert waiting(dump(tmp_path), queues=QUEUES)[0] == [3, 5, 2, 4]


@pytest.mark.parametrize("name", FORMATS)
def test_names_survive_conversion(tmp_path, name):
    reader = open_reader(dump(tmp_path))
    writer = write_tables(tmp_path / name, reader.tables(), header_of(dump(tmp_path)))
    queued, simulation = waiting(tmp_path / name, queues=QUEUES)
    assert queued == [3, 5, 2, 4]
    numbers = [text for text in simulation.warnings if "the name counts" in text]
    assert len(numbers) == (0 if name.endswith(("pbs", "sacct")) else 2)
    assert (writer.losses["partition"] > 0) == name.endswith("pbs")


def header_of(path):
    reader = open_reader(path)
    list(reader.tables())
    return reader.header


def test_names_in_tables_and_json(tmp_path):
    frame = polars.DataFrame(
        {"submit": range(1, 6), "run": [100] * 5, "requested_processors": [4] * 5,
         "queue": ["slow", "slow", "debug", "slow", "debug"]}
    )  # fmt: skip
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for workload in (frame, frame.lazy(), tmp_path / "t.csv", tmp_path / "t.parquet"):
        assert waiting(workload, queues=QUEUES)[0] == [3, 5, 2, 4]
    renamed = frame.rename({"queue": "Class"})
    renamed.write_csv(tmp_path / "r.csv")
    reader = open_reader(tmp_path / "r.csv", "csv(queue=names(Class))")
    assert waiting(reader, queues=QUEUES)[0] == [3, 5, 2, 4]
    jobs = ", ".join(
        f'{{"id": "{number}", "subtime": {number}, "res": 4, "profile": "p", "queue": "{name}"}}'
        for number, name in enumerate(frame["queue"], 1)
    )
    profiles = '{"p": {"type": "delay", "delay": 100}}'
    (tmp_path / "b.json").write_text(f'{{"jobs": [{jobs}], "profiles": {profiles}, "nb_res": 4}}')
    assert waiting(open_reader(tmp_path / "b.json", "batsim"), queues=QUEUES)[0] == [3, 5, 2, 4]


@given(
    names=st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=8),
    numbers=st.permutations([1, 2, 3]),
)
@examples(40)
def test_the_order_of_names_and_numbers_never_matters(tmp_path_factory, names, numbers):
    path = dump(tmp_path_factory.mktemp("names"), names)
    ranks = {"a": 3, "b": 2, "c": 1}
    queues = [Queue(name, ranks[name], number=n) for name, n in zip("abc", numbers, strict=True)]
    later = sorted(range(1, len(names)), key=lambda at: (-ranks[names[at]], at))
    assert waiting(path, queues=queues)[0] == [at + 1 for at in later]


def test_queues_without_numbers_and_conditions_are_those_of_the_workload(tmp_path):
    queues = [Queue("debug", 2), Queue("slow", 1)]
    assert waiting(dump(tmp_path), queues=queues)[0] == [3, 5, 2, 4]
    with pytest.raises(InputError, match="it has no names of queues; give them conditions, or num"):
        waiting([schedlab.Job(1, 0, 1)], queues=queues)


def test_numbers_hold_where_the_workload_has_numbers_alone(tmp_path):
    row = "{0} {0} -1 100 4 -1 -1 4 100 -1 1 1 1 1 {1} 1 -1 -1\n"
    path = tmp_path / "n.swf"
    path.write_text("".join(row.format(n, q) for n, q in enumerate((1, 2, 1, 2), 1)))
    queues = [Queue("fast", 1, number=2), Queue("other", 0, number=1)]
    assert waiting(path, queues=queues)[0] == [2, 4, 3]
    path.write_text("; Queue: 1 express (8 nodes)\n; Queue: 2 normal\n" + path.read_text())
    queued, simulation = waiting(path, queues=queues)
    assert queued == [2, 4, 3]
    assert [text[:64] for text in simulation.warnings] == [
        'queues: "fast" has number 2, which the workload calls "normal"; ',
        'queues: "other" has number 1, which the workload calls "express"',
    ]
    named = [Queue("express", 1, number=2), Queue("normal", 0, number=1)]
    assert waiting(path, queues=named)[0] == [3, 2, 4]


def test_queues_that_nobody_has_and_names_that_no_queue_has(tmp_path):
    path = dump(tmp_path)
    with pytest.raises(InputError, match="queues: a, b: the workload names none of them; it has s"):
        waiting(path, queues=[Queue("a", number=1), Queue("b", number=2)])
    queued, simulation = waiting(path, queues=[Queue("debug", number=1), Queue("x", number=2)])
    assert queued == [5]
    assert simulation.counts["rejected"] == 3
    assert simulation.warnings == [
        "queues: the workload has slow as well, which none of debug, x is: jobs there are rejected"
    ]


@pytest.mark.parametrize(
    ("condition", "order"),
    [
        ('queue == "debug"', [3, 5, 2, 4]),
        ("queue != 'slow'", [3, 5, 2, 4]),
        ('"debug" == queue', [3, 5, 2, 4]),
        ('partition == "s-part"', [2, 4, 3, 5]),
        ('queue == "debug" or queue == "slow"', [2, 3, 4, 5]),
    ],
)
def test_names_in_expressions(tmp_path, condition, order):
    path = dump(tmp_path)
    assert waiting(path, scheduler=f"score:if({condition}, 0, 1)")[0] == order
    rules = [Queue("first", 1, when=condition), Queue("rest", 0)]
    assert waiting(path, queues=rules)[0] == order
    fork = waiting(path, keep="queue,partition")[1].fork(scheduler=f"score:if({condition}, 0, 1)")
    assert fork.jobs_in("queued") == order


def test_people_are_named_only_where_that_is_asked_for(tmp_path):
    score = 'score:if(user == "ada" and group == "physics", 0, 1)'
    with pytest.raises(InputError, match=r"does not name its users.*names=True"):
        waiting(dump(tmp_path), scheduler=score)
    reader = open_reader(dump(tmp_path), "sacct(names=True)")
    assert waiting(reader, scheduler=score)[0] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ('queue == "debgu"', 'has no queue "debgu"; it has slow, debug'),
        ('queue < "debug"', "must stand beside == or !="),
        ('wait == "debug"', "wait has numbers, not names"),
    ],
)
def test_wrong_names_in_expressions(tmp_path, score, message):
    with pytest.raises(InputError, match=message):
        waiting(dump(tmp_path), scheduler=f"score:{score}")


def test_a_saved_state_knows_the_names(tmp_path):
    path = dump(tmp_path)
    queues = [Queue("debug", 2, when='partition == "d-part"', number=1), Queue("slow", number=2)]
    simulation = waiting(path, queues=queues)[1]
    simulation.save(tmp_path / "s.state")
    assert schedlab.Simulation.load(tmp_path / "s.state").jobs_in("queued") == [3, 5, 2, 4]


def test_names_with_brackets_and_numbers_of_names(tmp_path):
    names = ["Large (fast)", "Large (slow)", "small (old)"]
    frame = polars.DataFrame(
        {"submit": [0, 0, 0], "run": [5, 5, 5], "requested_processors": [1, 1, 1], "queue": names}
    )
    machine = {"groups": {"node": {"nodes": 1, "resources": {"core": 1}}}}
    queues = [schedlab.Queue(name, priority=rank) for rank, name in enumerate(names)]
    result = schedlab.simulate(frame, system=machine, queues=queues)
    started = result.jobs.collect().sort("start")["job_id"].to_list()
    assert started == [3, 2, 1]
    assert not result.run["warnings"]
    short = [schedlab.Queue("small", priority=1), schedlab.Queue("Large (slow)")]
    (warning,) = schedlab.simulate(frame, system=machine, queues=short).run["warnings"]
    assert "Large (fast)" in warning
    numbered = schedlab.simulate(frame, system=machine, scheduler="score:(queue == 2) * 10")
    assert 'write queue == "name"' in numbered.run["warnings"][0]
