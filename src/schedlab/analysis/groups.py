"""What is compared: runs in groups, with short labels that distinguish them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import polars

from schedlab.errors import InputError
from schedlab.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST_LABEL = 48
"""Longer ones lose their middle."""


class RunGroup(NamedTuple):
    """Runs that are alike: the repetitions of one dispatcher.

    Attributes:
        label: As plots show it, such as `easy` or `easy + best-fit`.
        results: The runs, at least one.
    """

    label: str
    results: tuple[Result, ...]

    def jobs(self, *columns: str | polars.Expr) -> polars.DataFrame:
        """Returns these columns of the jobs of all repetitions, one after the other."""
        return _collect(self.results, "jobs", columns)

    def timeline(self, *columns: str | polars.Expr) -> polars.DataFrame:
        """Returns these columns of the time points of all repetitions, one after the other."""
        return _collect(self.results, "timeline", columns)

    @property
    def schedules(self) -> RunGroup:
        """The group without repetitions that add nothing: one run, if all decided the same.

        A distribution over equal repetitions is that of one of them. Runs count as equal when their
        counts, their metrics and their times are.
        """
        facts = [[run.run[key] for key in ("counts", "metrics", "time")] for run in self.results]
        return self if any(fact != facts[0] for fact in facts) else self.first

    @property
    def runs(self) -> list[RunGroup]:
        """A group for each run, with that run alone."""
        return [self._replace(results=(result,)) for result in self.results]

    @property
    def first(self) -> RunGroup:
        """The group with its first run alone."""
        return self._replace(results=self.results[:1])


def _collect(
    results: tuple[Result, ...], table: str, columns: tuple[str | polars.Expr, ...]
) -> polars.DataFrame:
    frames = []
    for result in results:
        frame = getattr(result, table)
        schema = frame.collect_schema()
        for name in columns:
            if isinstance(name, str) and name not in schema:
                raise InputError(f"{result.path}: its {table} have no column {name!r}")
        frames.append(frame.select(*columns) if columns else frame)
    return polars.concat(polars.collect_all(frames), how="vertical_relaxed")


def groups_of(runs: object) -> list[RunGroup]:
    """Returns the groups of some runs, labels made unique and short.

    Args:
        runs: A Result, the path of a run folder, a mapping from labels to one or several of them,
            a RunGroup, anything with `groups` (a Comparison), or a list of these. Runs in a list
            that have the same inputs, up to the seed, become one group.

    Raises:
        InputError: There is no run, or something is none.
    """
    groups = _unique(list(_gathered(_items(runs))))
    if not groups:
        raise InputError("there is no run to plot; give a Result or the path of a run folder")
    return groups


def _items(runs: object) -> Iterator[RunGroup | Result]:
    """Yields groups that have their label, and runs that have none."""
    if isinstance(runs, (RunGroup, Result)):
        yield runs
    elif isinstance(runs, (str, os.PathLike)):
        yield Result.load(runs)
    elif isinstance(runs, Mapping):
        for label, value in runs.items():
            yield RunGroup(str(label), tuple(_results(value)))
    elif hasattr(runs, "groups"):
        yield from _items(runs.groups)
    elif hasattr(runs, "__iter__"):
        for item in runs:
            yield from _items(item)
    else:
        raise InputError(f"{runs!r}: is neither a Result nor the path of a run folder")


def _results(value: object) -> Iterator[Result]:
    for item in _items(value):
        yield from item.results if isinstance(item, RunGroup) else (item,)


def _gathered(items: Iterable[RunGroup | Result]) -> Iterator[RunGroup]:
    """Yields the groups in their order, the runs gathered by their inputs."""
    order: list[RunGroup | str] = []
    gathered: dict[str, list[Result]] = {}
    for item in items:
        if isinstance(item, RunGroup):
            if not item.results:
                raise InputError(f"{item.label}: has no run")
            order.append(item)
            continue
        key = repr(_inputs(item.run))
        if key not in gathered:
            order.append(key)
        gathered.setdefault(key, []).append(item)
    labels = dict(zip(gathered, _labels([runs[0] for runs in gathered.values()]), strict=True))
    for entry in order:
        if isinstance(entry, RunGroup):
            yield entry
        else:
            yield RunGroup(labels[entry], tuple(gathered[entry]))


def _inputs(run: dict[str, Any]) -> dict[str, Any]:
    """Returns what makes a run what it is, in the order in which labels mention it."""
    workload, system = run["workload"], run["system"]
    options = {key: value for key, value in run["options"].items() if key != "seed"}
    return {
        "scheduler": run["scheduler"],
        "allocator": run["allocator"],
        "workload": _stem(workload["path"]),
        "system": system["name"],
        "rules": run.get("rules"),
        **options,
        **{key: run.get(key) for key in ("windows", "queues", "data")},
        "reader": workload.get("reader"),
        "job_factory": workload.get("job_factory"),
        "workload checksum": workload.get("checksum"),
        "system checksum": system.get("checksum"),
    }


def _stem(path: str | None) -> str:
    name = os.path.basename(path or "jobs from Python")
    for ending in (".gz", ".bz2", ".xz", ".swf"):
        name = name.removesuffix(ending)
    return name


def _labels(results: list[Result]) -> list[str]:
    """Returns a label for each: the scheduler, and what else is not the same everywhere."""
    inputs = [_inputs(result.run) for result in results]
    named = ("scheduler", "allocator", "workload", "system")
    differing = [
        key
        for key in (inputs[0] if inputs else ())
        if any(i[key] != inputs[0][key] for i in inputs)
    ]
    labels = []
    for values in inputs:
        parts = [str(values["scheduler"])]
        for key in differing:
            if key in named[1:]:
                parts.append(str(values[key]))
            elif key not in named and "checksum" not in key and values[key] not in (None, []):
                parts.append(f"{key}={values[key]}")
        labels.append(" + ".join(parts))
    if len(set(labels)) < len(labels):  # distinguished by checksums only: say which folder
        labels = [
            f"{label} ({os.path.basename(os.path.normpath(result.path))})"
            if labels.count(label) > 1
            else label
            for label, result in zip(labels, results, strict=True)
        ]
    return labels


def _unique(groups: list[RunGroup]) -> list[RunGroup]:
    """Returns the groups with short labels; those that are taken get a number."""
    taken: set[str] = set()
    result = []
    for group in groups:
        label, number = shortened(group.label), 1
        while label in taken:
            number += 1
            label = f"{shortened(group.label, LONGEST_LABEL - 5)} ({number})"
        taken.add(label)
        result.append(group._replace(label=label))
    return result


def shortened(text: str, longest: int = LONGEST_LABEL) -> str:
    """Returns the text, without its middle if it is long."""
    if len(text) <= longest:
        return text
    kept = longest - 1
    return f"{text[: kept - kept // 3]}…{text[len(text) - kept // 3 :]}"
