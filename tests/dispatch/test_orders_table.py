"""The engine's table of orders is the only list of them: whatever else names orders agrees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dispatch.policies import schedule

from schedlab import Blocking, Easy, Job, _engine
from schedlab.dispatch import FORMULAS, ORDERS
from schedlab.dispatch.orders import SHORT_NAMES, order, read_by
from schedlab.dispatch.schedulers import SCHEDULERS

TABLE = _engine.orders()
DOCS = Path(__file__).parents[2] / "docs" / "reference"
MEMORY = {"groups": {"all": {"nodes": 2, "resources": {"core": 3, "mem": 12}}}}


def test_every_row_is_documented():
    text = (DOCS / "dispatchers.md").read_text()
    rows = re.search(r"## Orders\n\n.*\n\|---\|---\|\n((?:\|.*\n)*)", text)
    assert rows is not None
    documented = rows[1].splitlines()[: len(TABLE)]
    assert documented == [f"| `{name}` | {first} |" for name, _, first, _, _ in TABLE]
    for short, name in SHORT_NAMES.items():
        assert re.search(rf"`{short}`[^.]* `{name}`", text), short


@pytest.mark.parametrize("name", FORMULAS)
def test_every_formula_is_documented_and_a_scheduler(name):
    assert f"| `{name}` |" in (DOCS / "expressions.md").read_text()
    assert name in SCHEDULERS
    assert read_by(name) == FORMULAS[name]


def test_names_are_unique():
    names = [*ORDERS, *FORMULAS, *SHORT_NAMES]
    assert len(set(names)) == len(names)
    assert [name for name, *_ in TABLE] == [*ORDERS, *FORMULAS]


@pytest.mark.parametrize(("name", "others", "first", "reads", "score"), TABLE)
def test_every_order_runs(name, others, first, reads, score):
    memory = {"requested_memory": 2, "memory_volume": 3}
    jobs = [Job(i, i // 3, 5 + i % 4, 1 + i % 4, 10, attributes=memory) for i in range(1, 30)]
    expected = schedule(jobs, MEMORY, scheduler=Easy(name))
    assert len(expected) == 29
    for other in others.split():
        assert order(other) == name
        assert schedule(jobs, MEMORY, scheduler=Easy(other)) == expected
    if score:
        assert schedule(jobs, MEMORY, scheduler=Easy(score=score)) == expected
        assert Blocking(name).order == name
    assert first
    assert read_by(name) == (reads or score or name)
