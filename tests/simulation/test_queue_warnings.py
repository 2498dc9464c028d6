"""Long queues under conservative are named among the warnings of a run."""

from __future__ import annotations

import pytest

import schedlab as sl
from schedlab.simulation import parts

JOBS = [sl.Job(n, submit=0, run=10, processors=1) for n in range(1, 31)]
SYSTEM = {"groups": {"n": {"nodes": 2, "resources": {"core": 2}}}}


@pytest.mark.parametrize("own", [{}, {"windows": [sl.Window(start=5, end=6, nodes="0")]}])
def test_many_reservations(monkeypatch, own, tmp_path):
    """On counts and on nodes; forks and saved states know how many there were."""
    simulation = sl.Simulation(JOBS, system=SYSTEM, scheduler="conservative", **own)
    for _ in range(3):
        simulation.step()
    simulation.save(tmp_path / "state")
    loaded = sl.Simulation.load(tmp_path / "state", workload=JOBS)
    loaded.run()
    assert not loaded.warnings
    monkeypatch.setattr(parts, "MANY_RESERVATIONS", 29)
    (text,) = loaded.warnings
    assert "30 waiting jobs" in text
    assert "conservative(depth=100)" in text
    assert simulation.fork().warnings == [text]


@pytest.mark.parametrize("scheduler", ["conservative(depth=100)", "easy", "fifo"])
def test_bounded(monkeypatch, scheduler):
    monkeypatch.setattr(parts, "MANY_RESERVATIONS", 1)
    assert not sl.simulate(JOBS, system=SYSTEM, scheduler=scheduler).run["warnings"]
