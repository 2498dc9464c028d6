"""Files that name no code at all: a gadget in any text of them is a wrong word, or just a text."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from trust.doors import NETWORK, ROWS, SYSTEM, saved
from trust.gadgets import CODE, assert_nothing_ran, in_folder

import schedlab as sl
from schedlab.workload.models.scsf import GenerationSettings

CONDITIONS = {
    "failures": {
        "between": "exponential(mean=2.6e6)",
        "repair": "fixed(seconds=60)",
        "nodes": "all",
    },
    "resubmission": {"from": "start"},
    "price": {"file": "price.csv"},
}
WINDOW = {"start": 0, "end": 10, "nodes": "all", "kind": "maintenance", "name": "w", "when": "wait"}
QUEUE = {"name": "short", "when": "requested_time < 60", "priority": 2}
FEW = (CODE[0], CODE[2], "canary_of_trust:main", "canary_of_trust.py:main", "score:main")


def with_gadget(table: Any, gadget: str) -> Iterator[Any]:
    """Yields copies of a table, each with the gadget in the place of one text or number."""
    places: list[tuple[Any, ...]] = []

    def look(value: Any, path: tuple[Any, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                look(inner, (*path, key))
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                look(inner, (*path, number))
        else:
            places.append(path)

    look(table, ())
    for *path, last in places:
        made = copy.deepcopy(table)
        inner = made
        for key in path:
            inner = inner[key]
        inner[last] = gadget
        yield made


@pytest.mark.parametrize("gadget", FEW)
def test_machines_and_what_happens_to_them(folder, gadget):
    name = in_folder(gadget, folder)
    jobs = [sl.Job(1, 0, 10, 2)]
    for system in with_gadget(NETWORK, name):
        with suppress(sl.InputError):
            sl.simulate(jobs, system=system)
    for conditions in with_gadget(CONDITIONS, name):
        with suppress(sl.InputError):
            sl.simulate(jobs, system=SYSTEM, conditions=conditions)
    for kind, table in (("windows", WINDOW), ("queues", QUEUE)):
        for one in with_gadget(table, name):
            (folder / "file.json").write_text(json.dumps({kind: [one]}))
            with suppress(sl.InputError):
                sl.simulate(jobs, system=SYSTEM, **{kind: str(folder / "file.json")})
    assert_nothing_ran(folder)


@pytest.mark.parametrize("gadget", FEW)
def test_models_and_settings(folder, gadget):
    name = in_folder(gadget, folder)
    sl.write_swf("w.swf", ROWS)
    model = sl.WorkloadModel.fit("w.swf")
    model.save("model.json")
    saved = json.loads((folder / "model.json").read_text())
    saved = {key: value for key, value in saved.items() if key != "week"}
    for one in with_gadget(saved, name):
        (folder / "model.json").write_text(json.dumps(one))
        with suppress(sl.InputError):
            sl.WorkloadModel.load("model.json").generate(1, GenerationSettings(jobs=5))
    settings = {"schedlab_generation_settings": 1, "run_times": "x", "jobs": 5}
    for one in with_gadget(settings, name):
        (folder / "settings.json").write_text(json.dumps(one))
        with suppress(sl.InputError):
            GenerationSettings.load("settings.json")
    assert_nothing_ran(folder)


@pytest.mark.parametrize("gadget", FEW)
@pytest.mark.parametrize(
    "scheduler", ["score:{}", "easy(score={})", "greedy(score=max(wait, {}))", "easy(depth={})"]
)
def test_scores_are_expressions(folder, gadget, scheduler):
    text = scheduler.format(in_folder(gadget, folder).partition("(")[0])
    with pytest.raises(sl.InputError):
        sl.Simulation.load(saved(folder, SYSTEM, scheduler=text))
    assert_nothing_ran(folder)
