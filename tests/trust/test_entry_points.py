"""What installed packages offer may be named by data; what data gives to it names no code."""

from __future__ import annotations

import sys

import pytest
from trust.doors import DOORS, SYSTEM, saved
from trust.gadgets import ALL, CANARY, assert_nothing_ran, in_folder
from trust.installed import install

import schedlab as sl
from schedlab.simulation import state_file
from schedlab.trust import PERSON, TextOfData, data

OFFERED = "offered_to_trust"


@pytest.fixture
def offered(folder, tmp_path_factory, monkeypatch):
    """An installed package, beside the folder of the person."""
    place = tmp_path_factory.mktemp("site-packages")
    install(place, OFFERED)
    monkeypatch.syspath_prepend(str(place))
    yield folder
    sys.modules.pop(OFFERED, None)


def test_entry_points_need_no_trust(offered):
    for name in ("fair", "fair(order=shortest)", f"{OFFERED}:Fair", f"{OFFERED}:Fair(order=sjf)"):
        path = saved(offered, SYSTEM, "fair", code={"scheduler": name})
        assert type(sl.Simulation.load(path).scheduler).__name__ == "Fair"
    for name in ("halved", f"{OFFERED}:halved"):
        path = saved(offered, SYSTEM, job_factory_="halved", job_factory=name)
        assert sl.Simulation.load(path).job_factory.__name__ == "halved"
    for name in ("summing", "summing(op=max)", f"{OFFERED}:summing(op=max)"):
        done = DOORS["workload: csv"](offered, name, False)
        assert done.counts["completed"] == 2


def test_a_job_factory_of_an_entry_point(offered):
    path = DOORS["state file: job factory"]
    with pytest.raises(sl.InputError, match="--trust-code"):
        path(offered, f"{OFFERED}:Fair", False)  # offered, but as a scheduler


def test_a_run_of_an_entry_point_is_resumed_without_trust(offered):
    sl.write_swf("w.swf", [(i, 10 * i, -1, 25, 1, -1, -1, 1, 30) + (-1,) * 9 for i in range(1, 31)])
    simulation = sl.Simulation("w.swf", system=SYSTEM, scheduler="fair(order=shortest)")
    simulation.run(until=100)
    simulation.save("state")
    loaded = sl.Simulation.load("state")
    assert loaded.scheduler.order == "shortest"
    loaded.run()
    simulation.run()
    assert loaded.metrics == simulation.metrics


@pytest.mark.parametrize(
    "around",
    [
        "fair(order={})",
        "fair(inner={})",
        "fair(inner='easy(order={})')",
        "outer(inner=easy(order={}))",
        "outer(inner=outer(inner=outer(inner={})))",
        "outer(inner=outer(inner=fair(inner='greedy(order={}, depth=3)')))",
    ],
)
def test_arguments_of_entry_points_name_no_code(offered, around):
    for gadget in ALL:
        inner = around.format(in_folder(gadget, offered).partition("(")[0].strip())
        if gadget == "score:main":
            continue  # an expression there
        with pytest.raises(sl.InputError, match="--trust-code"):
            DOORS["state file: scheduler"](offered, inner, False)
        assert_nothing_ran(offered)


def test_operators_of_applications_name_no_code(offered):
    for gadget in ALL:
        name = f"summing(op='{in_folder(gadget, offered).partition('(')[0]}')"
        with pytest.raises(sl.InputError, match="--trust-code"):
            DOORS["workload: csv"](offered, name, False)
        assert_nothing_ran(offered)


def test_the_state_of_a_policy_names_no_code(offered):
    """Its attributes are in the file, and its order is read again where it is forked."""
    sl.write_swf("w.swf", [(i, 10 * i, -1, 25, 1, -1, -1, 1, 30) + (-1,) * 9 for i in range(1, 31)])
    simulation = sl.Simulation("w.swf", system=SYSTEM, scheduler="fair(order=shortest)")
    simulation.run(until=100)
    simulation.save("state")
    description, engine = state_file.read("state")
    assert b"shortest" in engine
    state_file.write("state", description, engine.replace(b"shortest", b"os:abort"))
    loaded = sl.Simulation.load("state")
    assert loaded.scheduler.order == "os:abort"
    with pytest.raises(sl.InputError, match="order 'os:abort' names code"):
        loaded.fork()
    assert loaded.fork(scheduler="easy").scheduler == sl.Easy()


def test_entry_points_of_the_folder_are_data(folder):
    """Python looks there, too, where it is started in some ways."""
    install(folder, "canary_of_trust_offered", f"open({str(folder / CANARY)!r}, 'w')\n")
    for name in ("fair", "fair(order=sjf)", "canary_of_trust_offered:Fair"):
        with pytest.raises(sl.InputError, match="--trust-code"):
            DOORS["state file: scheduler"](folder, name, False)
        assert_nothing_ran(folder)
    with pytest.raises(sl.InputError, match="--trust-code"):
        DOORS["workload: parquet"](folder, "summing", False)
    assert_nothing_ran(folder)
    assert DOORS["workload: parquet"](folder, "summing", True).counts["completed"] == 2
    assert (folder / CANARY).exists()


def test_homes_of_built_in_parts_are_no_code(folder):
    """A state file names classes; those of schedlab that have a name are what the name says."""
    path = saved(folder, SYSTEM, reader="schedlab.workload.formats.swf:SwfReader")
    assert sl.Simulation.load(path).reader.path.endswith("w.swf")
    for other in ("schedlab.workload.formats.frame:FrameReader", "schedlab.dispatch:Easy"):
        with pytest.raises(sl.InputError, match="--trust-code"):
            sl.Simulation.load(saved(folder, SYSTEM, reader=other))


def test_texts_of_data_are_texts():
    origin = data("here.csv", False)
    text = TextOfData("mine:A", origin)
    assert (text, hash(text), repr(text)) == ("mine:A", hash("mine:A"), "'mine:A'")
    assert text.origin is origin
    assert str(origin.refusal("scheduler", text)).startswith("here.csv: scheduler 'mine:A' names")
    assert PERSON.allows("os:abort")
    assert data("x", False, ["mine:A"]).allows("mine:A")
    assert not data("x", False, ["mine:A"]).allows("mine:B")
