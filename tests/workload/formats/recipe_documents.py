"""Workflows in the shapes of WfCommons' recipes, in WfFormat as its generator lays it out.

The layout (ids, parents and children, files between tasks, an execution block beside the
specification, a makespan of 0) is what WfCommons 1.6 writes. The shapes are small twins of the
recipes' own: their stages and how the stages hang together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise


@dataclass
class Shape:
    """Tasks and edges of a workflow, stage by stage."""

    tasks: set[str] = field(default_factory=set)
    edges: set[tuple[str, str]] = field(default_factory=set)

    def stage(self, program: str, width: int = 1) -> list[str]:
        first = len(self.tasks) + 1
        names = [f"{program}_{number:08d}" for number in range(first, first + width)]
        self.tasks |= set(names)
        return names

    def all_to_all(self, before: list[str], after: list[str]) -> None:
        self.edges |= {(one, other) for one in before for other in after}

    def one_to_one(self, before: list[str], after: list[str]) -> None:
        self.edges |= set(zip(before, after, strict=True))


def blast() -> Shape:
    shape = Shape()
    split, search = shape.stage("split_fasta"), shape.stage("blastall", 6)
    shape.all_to_all(split, search)
    shape.all_to_all(search, shape.stage("cat_blast") + shape.stage("cat"))
    return shape


def epigenomics() -> Shape:
    shape = Shape()
    ends = []
    for lane in range(2):
        split = shape.stage("fastqSplit")
        stages = [shape.stage(name, 2 + lane) for name in ("filterContams", "sol2sanger", "map")]
        shape.all_to_all(split, stages[0])
        for before, after in pairwise(stages):
            shape.one_to_one(before, after)
        merge = shape.stage("mapMerge")
        shape.all_to_all(stages[-1], merge)
        ends += merge
    merged, index, pileup = (shape.stage(name) for name in ("mapMerge", "chr21", "pileup"))
    shape.all_to_all(ends, merged)
    shape.one_to_one(merged, index)
    shape.one_to_one(index, pileup)
    return shape


def montage() -> Shape:
    shape = Shape()
    project, difference = shape.stage("mProject", 4), shape.stage("mDiffFit", 3)
    shape.one_to_one(project[:-1], difference)  # each difference is of two neighbours
    shape.one_to_one(project[1:], difference)
    concat, model = shape.stage("mConcatFit"), shape.stage("mBgModel")
    shape.all_to_all(difference, concat)
    shape.one_to_one(concat, model)
    background = shape.stage("mBackground", 4)
    shape.all_to_all(model, background)
    shape.one_to_one(project, background)
    table, add = shape.stage("mImgtbl"), shape.stage("mAdd")
    shape.all_to_all(background, table)
    shape.all_to_all(background + table, add)
    shape.one_to_one(add, shape.stage("mViewer"))
    return shape


def seismology() -> Shape:
    shape = Shape()
    shape.all_to_all(shape.stage("sG1IterDecon", 9), shape.stage("wrapper_siftSTFByMisfit"))
    return shape


def srasearch() -> Shape:
    shape = Shape()
    index, dump, align = (
        shape.stage("bowtie2-build"),
        shape.stage("fasterq-dump", 5),
        shape.stage("bowtie2", 5),
    )
    shape.one_to_one(dump, align)
    shape.all_to_all(index, align)
    shape.all_to_all(align, shape.stage("merge"))
    return shape


def without_edges() -> Shape:
    shape = Shape()
    shape.stage("fastqc", 5)
    return shape


RECIPES = {
    "blast": blast(),
    "epigenomics": epigenomics(),
    "montage": montage(),
    "seismology": seismology(),
    "srasearch": srasearch(),
    "rnaseq": without_edges(),
}


def instance_of_recipe(name: str, shape: Shape) -> dict:
    """Returns a shape as the document that WfCommons 1.6 writes of such a workflow."""
    tasks = sorted(shape.tasks, key=lambda task: task[-8:])
    parents = {task: sorted(one for one, other in shape.edges if other == task) for task in tasks}
    children = {task: sorted(other for one, other in shape.edges if one == task) for task in tasks}
    runs = {task: round(1 + 7.123 * number, 3) for number, task in enumerate(tasks)}
    program = {task: task.rpartition("_")[0] for task in tasks}
    specification = [
        {
            "name": program[task],
            "id": task,
            "parents": parents[task],
            "children": children[task],
            "inputFiles": [f"{parent}.out" for parent in parents[task]],
            "outputFiles": [f"{task}.out"],
        }
        for task in tasks
    ]
    execution = [
        {
            "id": task,
            "runtimeInSeconds": runs[task],
            "coreCount": 1,
            "command": {"program": program[task]},
        }
        for task in tasks
    ]
    return {
        "name": f"{name.capitalize()}-synthetic-instance",
        "description": "A small workflow in the shape of a recipe",
        "createdAt": "2026-01-01T00:00:00.000000+00:00",
        "schemaVersion": "1.6",
        "author": {"name": "tests", "email": "tests@example.org"},
        "workflow": {
            "specification": {
                "tasks": specification,
                "files": [{"id": f"{task}.out", "sizeInBytes": 98721} for task in tasks],
                "metrics": {},
            },
            "execution": {
                "makespanInSeconds": 0.0,
                "executedAt": "2026-01-01T00:00:00.000000+00:00",
                "tasks": execution,
                "metrics": {"sumTaskRuntimesInSeconds": sum(runs.values())},
            },
        },
    }
