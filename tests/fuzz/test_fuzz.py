"""A short run of each target of the harness; `python -m tests.fuzz` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.deliberate import SWITCH
from fuzz.harness import (
    Summary,
    damaged_input,
    hurried,
    kind_of,
    run_target,
    targets,
    write_input,
)

from schedlab.errors import InputError
from schedlab.naming import parse_call


@pytest.mark.parametrize("name", list(targets()))
def test_damaged_inputs_are_refused_or_read(name: str) -> None:
    few = targets()[name].few
    summary = run_target(name, seed=1, inputs=few)
    assert not summary.findings, _described(summary)
    assert summary.accepted + summary.refused == few
    assert summary.refused, "not one input was refused: the damage does not reach what is read"


@pytest.mark.parametrize("name", list(targets()))
def test_inputs_without_damage_are_read(name: str, tmp_path: Path) -> None:
    target = targets()[name]
    for sample in target.samples():
        write_input(sample, tmp_path / "input")
        with hurried():
            target.feed(sample.name, tmp_path / "input")


def test_a_fault_is_named_after_where_it_came_from() -> None:
    assert kind_of(ValueError("x")) == "ValueError in the target"
    with pytest.raises(InputError) as caught:
        parse_call("easy(", "scheduler")
    assert kind_of(caught.value).startswith("InputError in naming.py:")


def _described(summary: Summary) -> str:
    lines = [f"input {f.index}: {f.kind}\n{f.text[:600]}" for f in summary.findings[:5]]
    again = f"python -m tests.fuzz {summary.target} --seed {summary.seed} --only INDEX"
    return "\n".join([str(summary), *lines, f"again: {again}"])


def test_every_kind_of_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "1")
    inputs = 25
    summary = run_target("deliberate", seed=1, inputs=inputs)
    kinds = {finding.kind.partition(" in ")[0][:22] for finding in summary.findings}
    assert kinds == {
        "ended with -6",
        "ValueError",
        "memory",
        "message not printable,",
        "AssertionError exit co",
    }
    assert summary.accepted
    assert summary.refused
    assert summary.accepted + summary.refused + len(summary.findings) == inputs


def test_the_same_seed_makes_the_same_inputs() -> None:
    name = next(iter(targets()))
    target = targets()[name]
    first, again = target.samples(), target.samples()
    for index in range(50):
        assert damaged_input(target, first, 7, index) == damaged_input(target, again, 7, index)
    assert len({str(damaged_input(target, first, 7, index)) for index in range(50)}) > 40
