"""Modules under their former names: imports, names of parts, and what pickles hold."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab
from schedlab.former_names import MOVED, present_name
from schedlab.naming import load_own
from schedlab.simulation import RunSpec
from schedlab.trust import data
from schedlab.workload.formats import READERS, WRITERS, open_reader, reader_named

ROW = "1 0 -1 5 1 -1 -1 1 9" + 9 * " -1"

DOCUMENTED = {
    "schedlab.analysis.application_pictures": ("draw_links", "draw_placement", "draw_traffic"),
    "schedlab.workload.formats.swf": ("SwfReader", "SwfWriter"),
    "schedlab.workload.generator": ("LublinSize", "PaperSlotWeights", "SlotWeights", "Work"),
    "schedlab.workload.generator.calendar": ("Counts",),
    "schedlab.workload.lublin": ("ALL", "LublinFeitelson"),
    "schedlab.workload.model": (
        *("Alarm", "FixedSequence", "GenerationSettings", "Insertion", "PlainJob", "Trigger"),
        *("WorkloadModel", "workflows"),
    ),
    "schedlab.workload.plain": ("PlainWorkload",),
    "schedlab.analysis.phases": ("phase_table", "phase_windows"),
}
"""What documentation and examples imported, by the names of that time."""

FORMER_PARTS = {
    "csv": "schedlab.workload.formats.csv:CsvReader",
    "dax": "schedlab.workload.formats.dax:DaxReader",
    "manifest": "schedlab.workload.formats.manifest:ManifestReader",
    "moab": "schedlab.workload.formats.pbs_moab:MoabReader",
    "parquet": "schedlab.workload.formats.parquet:ParquetReader",
    "pbs": "schedlab.workload.formats.pbs:PbsReader",
    "sacct": "schedlab.workload.formats.sacct:SacctReader",
    "swf": "schedlab.workload.formats.swf:SwfReader",
    "wfformat": "schedlab.workload.formats.wfformat:WfFormatReader",
}
"""Built-in readers, as files may name them that were written before they moved."""


@pytest.mark.parametrize("name", MOVED)
def test_a_former_name_is_the_same_module(name: str) -> None:
    module = importlib.import_module(name)
    assert module is importlib.import_module(MOVED[name])
    assert module.__name__ == MOVED[name]
    assert module.__spec__.name == MOVED[name]


@pytest.mark.parametrize(
    "name",
    [
        "schedlab.workload.model",
        "schedlab.analysis.application_pictures",
        "schedlab.likeness.plots",
    ],
)
def test_a_former_name_may_be_the_first_that_is_imported(name: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {name}"], check=True)


@pytest.mark.parametrize("module", DOCUMENTED)
def test_what_was_documented_can_be_imported(module: str) -> None:
    found = importlib.import_module(module)
    assert [name for name in DOCUMENTED[module] if not hasattr(found, name)] == []


def test_modules_within_are_there_once() -> None:
    former = importlib.import_module("schedlab.workload.generator.calendar")
    assert former is importlib.import_module("schedlab.workload.models.accasim.calendar")


def test_pickles_find_their_classes() -> None:
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).__module__)"
    text = b"cschedlab.workload.plain\nPlainWorkload\n."
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "schedlab.workload.models.plain"


@pytest.mark.parametrize("name", FORMER_PARTS)
def test_files_may_name_built_in_readers_as_before(name: str, tmp_path: Path) -> None:
    """Without being trusted: what they name is schedlab's own."""
    path = tmp_path / "a.txt"
    path.write_text(f"{ROW}\n")
    reader = reader_named(str(path), FORMER_PARTS[name], data("a file", False))
    assert type(reader) is type(open_reader(path, name))


@pytest.mark.parametrize("home", sorted({*READERS.values(), *WRITERS.values()}))
def test_what_a_reader_calls_itself_is_known(home: str) -> None:
    """Run folders and state files have it, where a reader was an object without a name."""
    kind = load_own(home)
    assert isinstance(kind, type)
    assert home == f"{kind.__module__}:{kind.__qualname__}"


def test_only_former_names_are_looked_at() -> None:
    assert present_name("schedlab.workload.models.plain") == "schedlab.workload.models.plain"
    assert present_name("schedlab.workload.plainer") == "schedlab.workload.plainer"
    assert present_name("mine.workload.plain:Mine") == "mine.workload.plain:Mine"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("schedlab.workload.plainer")
    assert {present_name(home) for home in (*READERS.values(), *WRITERS.values())} == {
        *READERS.values(),
        *WRITERS.values(),
    }


def test_a_run_that_was_recorded_before_is_run_again(tmp_path: Path) -> None:
    """A run.json names its reader by the module that it was in."""
    (tmp_path / "t.csv").write_text("submit,run,requested_processors\n0,5,1\n1,5,2\n")
    system = {"groups": {"a": {"nodes": 2, "resources": {"core": 2}}}}
    former = FORMER_PARTS["csv"]
    result = schedlab.simulate(
        open_reader(tmp_path / "t.csv", former), system=system, out=tmp_path / "run"
    )
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["workload"]["reader"] == former
    again = RunSpec.from_file(tmp_path / "run" / "run.json").simulate(out=tmp_path / "again")
    assert (tmp_path / "again" / "jobs.csv").read_bytes() == (
        tmp_path / "run" / "jobs.csv"
    ).read_bytes()
    assert again.counts == result.counts
