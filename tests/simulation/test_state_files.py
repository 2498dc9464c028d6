"""State files: what cannot be saved or loaded is refused, and plain data comes back."""

from __future__ import annotations

import os
import random

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from simulation.random_jobs import SYSTEM, jobs
from stateful_policies import Moody

import schedlab as sl
from schedlab.state_text import decode, encode


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
    """With a right checksum: what the engine does with bytes of another one, or cut ones."""
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
    with pytest.raises(sl.InputError, match="is not a state file"):
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
