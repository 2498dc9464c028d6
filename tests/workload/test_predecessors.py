"""Predecessors that hold no job: the job itself, later ones, unknown ones; in every format."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.inspect import inspect_workload
from schedlab.workload.inspect_dependencies import DependencyTally
from schedlab.workload.predecessor_warnings import UNHEEDED
from schedlab.workload.table import table_of

MACHINE = {"groups": {"node": {"nodes": 4, "resources": {"core": 2}}}}
NAMED = {1: [2], 2: [1], 3: [3], 4: [99], 5: [6], 6: []}
"""A circle of two, a job that names itself, an unknown one, a later one."""
WARNINGS = [
    "1 job names itself as a predecessor, and is not held for it; the first is job 3",
    "2 predecessors come later in the workload than the jobs that name them, and hold no job; the "
    "first is job 1, which names job 2",
    "1 predecessor is not among the jobs of the workload, and holds no job; the first is job 4, "
    "which names job 99",
]


def jobs_of(named: dict[int, list[int]]) -> list[schedlab.Job]:
    return [
        schedlab.Job(number, submit=number, run=10, processors=1, predecessors=before)
        for number, before in named.items()
    ]


def written(tmp_path: Path, writer: str, named: dict[int, list[int]] = NAMED) -> Path:
    path = tmp_path / f"jobs.{writer.partition('(')[0]}"
    write_tables(path, [table_of(jobs_of(named))], name=writer)
    return path


def unheeded_in(warnings: list[str]) -> list[str]:
    return [text for text in warnings if "predecessor" in text]


FORMATS = {
    "csv": "csv",
    "parquet": "parquet",
    "swf": "swf",
    "swf(exact=true)": "swf",
    "batsim": "batsim",
    "irmasim": "irmasim",
    "pbs": "pbs",
}
"""Writers, and the readers of what they write."""


@pytest.mark.parametrize("writer", FORMATS)
def test_every_format_says_the_same(tmp_path: Path, writer: str) -> None:
    path = written(tmp_path, writer)
    opened = open_reader(path, FORMATS[writer])
    result = schedlab.simulate(opened, system=MACHINE, dependencies="honour")
    assert unheeded_in(result.run["warnings"]) == WARNINGS
    starts = dict(result.jobs.select("job_id", "start").collect().rows())
    first = min(starts.values())
    assert {job: start - first for job, start in starts.items()} == {
        **{1: 0, 3: 2, 4: 3, 5: 4, 6: 5},
        2: 10,  # the one that comes after its predecessor
    }
    facts = inspect_workload(path, reader=FORMATS[writer])
    assert unheeded_in(facts["warnings"]) == WARNINGS
    assert facts["unheeded_predecessors"]["circle"] in ([1, 2, 1], [2, 1, 2])


def test_jobs_of_python_code_and_of_frames() -> None:
    for workload in (jobs_of(NAMED), table_of(jobs_of(NAMED))):
        result = schedlab.simulate(workload, system=MACHINE)
        assert unheeded_in(result.run["warnings"]) == WARNINGS
        result = schedlab.simulate(jobs_of(NAMED), system=MACHINE, dependencies="ignore")
        assert unheeded_in(result.run["warnings"]) == []


def test_names_of_jobs_that_are_texts(tmp_path: Path) -> None:
    rows = [("a", 0, ["b"]), ("b", 1, ["a"]), ("c", 2, ["c"]), ("d", 3, ["lost", "gone", "lost"])]
    batsim, csv = tmp_path / "jobs.json", tmp_path / "jobs.csv"
    listed = [
        {"id": name, "subtime": submit, "res": 1, "profile": "p", "dependencies": named}
        for name, submit, named in rows
    ]
    document = {"jobs": listed, "profiles": {"p": {"type": "delay", "delay": 10}}}
    batsim.write_text(json.dumps(document))
    lines = [f"{name},{submit},10,1,{' '.join(named)}" for name, submit, named in rows]
    csv.write_text("\n".join(["job,submit,run,requested_processors,predecessors", *lines]) + "\n")
    warnings = []
    for reader in (open_reader(batsim, "batsim"), open_reader(csv)):
        result = schedlab.simulate(reader, system=MACHINE)
        assert result.run["counts"]["completed"] == 4
        warnings.append([text.partition(";")[0] for text in unheeded_in(result.run["warnings"])])
    assert warnings[0] == warnings[1]
    assert [text[:6] for text in warnings[0]] == ["1 job ", "1 pred", "3 pred"]


def test_workflows_refuse_them(tmp_path: Path) -> None:
    for writer in ("dax", "wfformat", "manifest"):
        with pytest.raises(InputError, match="job 4: waits for job 99, which is not in the work"):
            written(tmp_path, writer)
        for named in ({1: [2], 2: [1]}, {1: [1]}):
            with pytest.raises(InputError, match="circle"):
                written(tmp_path, writer, named)
        assert written(tmp_path, writer, {1: [2], 2: []}).exists()  # put into order


@pytest.mark.parametrize("writer", ["csv", "parquet", "batsim", "irmasim", "swf(exact=true)"])
def test_conversions_keep_them(tmp_path: Path, writer: str) -> None:
    path = written(tmp_path, writer)
    table = polars.concat(open_reader(path, FORMATS[writer]).tables())
    assert dict(table.select("job", "predecessors").rows()) == NAMED


def test_saved_and_forked_simulations_go_on_counting(tmp_path: Path) -> None:
    def warnings_of(simulation: Any) -> list[str]:
        simulation.run()
        return unheeded_in(simulation.warnings)

    path = written(tmp_path, "csv")
    simulation = schedlab.Simulation(path, system=MACHINE)
    simulation.run(until=2)
    assert unheeded_in(simulation.warnings)[0].startswith("1 predecessor comes later")
    simulation.save(tmp_path / "state")
    fork = simulation.fork()
    loaded = schedlab.Simulation.load(tmp_path / "state", workload=path)
    assert warnings_of(fork) == warnings_of(loaded) == warnings_of(simulation) == WARNINGS


named_lists = st.lists(st.lists(st.integers(0, 12), max_size=4, unique=True), max_size=10)


def in_or_after_a_circle(named: dict[int, list[int]]) -> set[int]:
    """Takes away whoever waits for nobody that is left, again and again."""
    left = set(named)
    while free := {job for job in left if not left & set(named[job])}:
        left -= free
    return left


@examples(200)
@given(named_lists)
def test_counts_are_those_of_the_definition(lists: list[list[int]]) -> None:
    named = dict(enumerate(lists, 1))
    pairs = [(job, wanted) for job, before in named.items() for wanted in before]
    expected = {
        "itself": [pair for pair in pairs if pair[0] == pair[1]],
        "later": [pair for pair in pairs if pair[1] in named and pair[1] > pair[0]],
        "unknown": [pair for pair in pairs if pair[1] not in named],
    }
    expected = {why: [len(found), *min(found)] for why, found in expected.items() if found}
    simulation = schedlab.Simulation(jobs_of(named), system=MACHINE)
    simulation.run()
    found = simulation.engine.unheeded_predecessors()
    assert {why: [*of] for why, of in found.items()} == expected

    tally = DependencyTally()
    table = table_of(jobs_of(named))
    if not table.height:
        return
    tally.add(table)
    facts = tally.facts(table["job"].to_numpy(), table["submit"].to_numpy())
    assert {why: [*facts[why].values()] for why in UNHEEDED if facts[why]} == expected
    circling = in_or_after_a_circle(named)
    assert facts["never_in_turn"] == len(circling)
    circle = facts["circle"]
    assert circle[:1] == circle[-1:]
    assert all(before in named[job] for before, job in itertools.pairwise(circle))
    assert set(circle) <= circling
    assert bool(circle) == bool(circling)
