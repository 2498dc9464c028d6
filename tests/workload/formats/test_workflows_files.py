"""Workflows in files: WfFormat of several versions, DAX and manifests, read and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from workload.formats.recipe_documents import RECIPES, instance_of_recipe
from workload.formats.workflow_documents import DAX, FIGURE_4, OF_ITS_CODE, load, wfformat_15

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import format_to_read, open_reader, write_tables
from schedlab.workload.workflow import Task, Workflow


def edges(workflow: Workflow) -> set[tuple[str, str]]:
    return {
        (workflow.tasks[parent].name, task.name)
        for task, before in zip(workflow.tasks, workflow.predecessors, strict=True)
        for parent in before
    }


def test_the_manifest_of_figure_4(tmp_path: Path) -> None:
    workflow = load(tmp_path, FIGURE_4)
    assert workflow.tasks == (
        Task("SWide", 360, 480, None, (), "./W.py"),
        Task("SLong", 1440, 48, None, ("SWide",), "./L.py"),
    )
    pilot = workflow.as_jobs(handling="pilot").row(0, named=True)
    assert (pilot["requested_processors"], pilot["run"]) == (480, 1800)


def test_manifests_as_the_code_of_scsf_has_them(tmp_path: Path) -> None:
    workflow = load(tmp_path, OF_ITS_CODE)
    assert [task.run for task in workflow.tasks] == [3540, 14340]
    assert edges(workflow) == {("S0", "S1")}
    pilot = workflow.as_jobs(handling="pilot").row(0, named=True)
    assert (pilot["requested_processors"], pilot["requested_time"]) == (480, 18000)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ("digraph { S0 -> S1 }", {("S0", "S1")}),
        ('digraph {"S0" -> "S1"; S0; S1;}', {("S0", "S1")}),
        ("digraph {}", set()),
    ],
)
def test_graphs_of_manifests(tmp_path: Path, graph: str, expected: set) -> None:
    manifest = json.loads(OF_ITS_CODE) | {"dot_dag": graph}
    assert edges(load(tmp_path, manifest)) == expected


def test_wfformat_from_1_5(tmp_path: Path) -> None:
    workflow = load(tmp_path, wfformat_15())
    assert workflow.name == "demo"
    assert {task.name: task.run for task in workflow.tasks} == {
        "s1": 2.5,
        "w1": 3,
        "w2": 4,
        "m1": 1,
    }
    assert {task.name: task.cores for task in workflow.tasks} == {
        "s1": 2,
        "w1": 2,  # a core and a half
        "w2": 1,
        "m1": 1,
    }
    # w1 names m1 as its child, which does not name it as its parent.
    assert edges(workflow) == {("s1", "w1"), ("s1", "w2"), ("w1", "m1"), ("w2", "m1")}
    assert {task.name: task.program for task in workflow.tasks}["w2"] == "worker"
    assert {task.name: task.memory for task in workflow.tasks}["m1"] == 2


@pytest.mark.parametrize(
    ("listed", "run", "by"),
    [
        ("tasks", "runtimeInSeconds", "name"),
        ("tasks", "runtime", "id"),
        ("jobs", "runtime", "name"),
    ],
)
def test_wfformat_before_1_5(tmp_path: Path, listed: str, run: str, by: str) -> None:
    tasks = [
        {"name": "mProject_1", "id": "1", run: 4, "cores": 3, "parents": [], "memory": 100},
        {"name": "mAdd_2", "id": "2", run: 5},
    ]
    tasks[1]["parents"] = [tasks[0][by]]
    workflow = load(tmp_path, {"schemaVersion": "1.3", "workflow": {listed: tasks}})
    assert edges(workflow) == {("mProject_1", "mAdd_2")}
    assert workflow.tasks[0][:3] == ("mProject_1", 4, 3)
    assert workflow.tasks[0].memory == 100


def test_old_tasks_with_one_name_are_distinguished_by_id(tmp_path: Path) -> None:
    tasks = [{"name": "t", "id": str(n), "runtime": 1, "parents": []} for n in range(3)]
    tasks[2]["parents"] = ["0", "1"]
    assert edges(load(tmp_path, {"workflow": {"tasks": tasks}})) == {("0", "2"), ("1", "2")}


def test_a_specification_without_times(tmp_path: Path) -> None:
    document = wfformat_15()
    del document["workflow"]["execution"]
    with pytest.raises(InputError, match=r"tasks\[0\] \('s1'\): has no runtimeInSeconds; .*"):
        load(tmp_path, document)
    workflow = Workflow.load(tmp_path / "flow.json", missing_run=60)
    assert workflow.length_seconds == 180
    reader = open_reader(tmp_path / "flow.json", "wfformat(missing_run=60, handling=pilot)")
    assert next(iter(reader.tables()))["run"].to_list() == [180]


def test_dax(tmp_path: Path) -> None:
    workflow = load(tmp_path, DAX, "flow.dax")
    assert workflow.name == "Mon & tage"
    assert workflow.tasks == (
        Task("ID1", 13.59, 1, None, (), "mProject"),
        Task("ID2", 600, 32, 1200, ("ID1",), "mpi", 2048 * 1024),
        Task("ID3", 5, 2, None, ("ID1", "ID2")),
    )
    assert format_to_read(str(tmp_path / "flow.dax")) == "dax"


def test_dax_in_another_encoding(tmp_path: Path) -> None:
    text = DAX.replace("UTF-8", "ISO-8859-1").replace("mProject", "mPröject")
    workflow = load(tmp_path, text.encode("latin-1"), "flow.xml")
    assert workflow.tasks[0].program == "mPröject"


def test_a_workflow_is_a_workload(tmp_path: Path) -> None:
    (tmp_path / "flow.json").write_text(FIGURE_4)
    machine = {"groups": {"node": {"nodes": 10, "resources": {"core": 48}}}}
    for reader, jobs, end in (("manifest", 2, 1800), ("manifest(handling=pilot)", 1, 1800)):
        out = tmp_path / reader
        result = schedlab.simulate(
            open_reader(tmp_path / "flow.json", reader),
            system=machine,
            out=out,
        )
        assert result.counts["completed"] == jobs
        last = (out / "jobs.csv").read_text().splitlines()[-1]
        assert str(end) in last.split(",")


@pytest.mark.parametrize("name", ["flow.json", "flow.wf.json", "flow.dax"])
def test_workflows_come_back(tmp_path: Path, name: str) -> None:
    original = load(tmp_path, wfformat_15(), "original.json")
    jobs = original.as_jobs()
    form = {"flow.json": "manifest", "flow.wf.json": "wfformat", "flow.dax": "dax"}[name]
    written = write_tables(tmp_path / name, [jobs], {"Note": "workflow demo"}, form)
    assert format_to_read(str(tmp_path / name)) == form
    again = Workflow.load(tmp_path / name)
    assert again.name == "demo"
    assert edges(again) == edges(original)
    assert again.length_seconds == original.length_seconds
    assert again.max_cores == original.max_cores
    keep = ["job", "run", "requested_processors", "predecessors", "name", "executable"]
    assert again.as_jobs().select(keep).equals(jobs.select(keep))
    if form == "dax":
        assert written.losses == {"seconds of the requested time": 4}
    else:
        assert written.losses == ({"used_memory": 1} if form == "manifest" else {})
        assert again.as_jobs()["requested_time"].equals(jobs["requested_time"])


def test_what_a_workflow_cannot_hold_is_reported(tmp_path: Path) -> None:
    jobs = [schedlab.Job(7, 5, 60, 2, user=3), schedlab.Job(9, 5, 60, 2, predecessors=[7])]
    from schedlab.workload.table import table_of

    written = write_tables(tmp_path / "a.json", [table_of(jobs)], name="manifest")
    assert written.losses == {"submit time": 2, "user": 1}
    assert edges(Workflow.load(tmp_path / "a.json")) == {("job7", "job9")}
    broken = [schedlab.Job(9, 5, 60, 2, predecessors=[8])]
    with pytest.raises(InputError, match="job 9: waits for job 8, which is not in the workload"):
        write_tables(tmp_path / "b.json", [table_of(broken)], name="wfformat")
    assert not (tmp_path / "b.json").exists()


@pytest.mark.parametrize("form", ["manifest", "wfformat", "dax"])
def test_programs_keep_their_names(tmp_path: Path, form: str) -> None:
    (tmp_path / "flow.json").write_text(FIGURE_4)
    reader = open_reader(tmp_path / "flow.json")
    tables = list(reader.tables())
    assert reader.header == {"Note": "workflow workflow", "Executable": "1 ./W.py\n2 ./L.py"}
    write_tables(tmp_path / "plain.swf", tables, reader.header)
    reader = open_reader(tmp_path / "plain.swf")
    write_tables(tmp_path / "again", list(reader.tables()), reader.header, form)
    again = Workflow.load(tmp_path / "again")
    assert [task.program for task in again.tasks] == ["./W.py", "./L.py"]


def test_names_that_wfformat_does_not_allow(tmp_path: Path) -> None:
    workflow = Workflow([Task("a b", 1), Task("ä", 1, 1, None, ("a b",))])
    write_tables(tmp_path / "a.json", [workflow.as_jobs()], name="wfformat")
    assert edges(Workflow.load(tmp_path / "a.json")) == {("task1", "task2")}
    write_tables(tmp_path / "a.dax", [workflow.as_jobs()])
    assert edges(Workflow.load(tmp_path / "a.dax")) == {("a b", "ä")}


@pytest.mark.parametrize("recipe", RECIPES)
def test_instances_of_recipes_are_read_with_all_edges(tmp_path: Path, recipe: str) -> None:
    expected = RECIPES[recipe]
    document = instance_of_recipe(recipe, expected)
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(document))
    assert format_to_read(str(path)) == "wfformat"
    workflow = Workflow.load(path)
    assert {task.name for task in workflow.tasks} == expected.tasks
    assert edges(workflow) == expected.edges
    ran = document["workflow"]["execution"]["tasks"]
    runs = {task["id"]: task["runtimeInSeconds"] for task in ran}
    assert {task.name: task.run for task in workflow.tasks} == runs
    # The same graph as versions before 1.5 have it, and out of our own writer.
    (tmp_path / "old.json").write_text(json.dumps(as_version_14(document)))
    assert edges(Workflow.load(tmp_path / "old.json")) == expected.edges
    write_tables(tmp_path / "again.json", [workflow.as_jobs()], name="wfformat")
    assert edges(Workflow.load(tmp_path / "again.json")) == expected.edges


def as_version_14(document: dict) -> dict:
    """A document of 1.5 or later as 1.4 has it: all of a task in one place, parents by name."""
    ran = {task["id"]: task for task in document["workflow"]["execution"]["tasks"]}
    tasks = [
        {
            "name": task["id"],
            "id": str(number),
            "type": "compute",
            "parents": task["parents"],
            "children": task["children"],
            "runtimeInSeconds": ran[task["id"]]["runtimeInSeconds"],
            "cores": ran[task["id"]].get("coreCount", 1),
        }
        for number, task in enumerate(document["workflow"]["specification"]["tasks"])
    ]
    return {"name": document["name"], "schemaVersion": "1.4", "workflow": {"tasks": tasks}}
