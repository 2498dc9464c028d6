"""Models as files: JSON that people can read, a line per variable, checked when it is loaded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.errors import InputError
from schedlab.finite import is_finite
from schedlab.input_file import read_text
from schedlab.workload.models.scsf.distribution import VALUES, EmpiricalDistribution
from schedlab.workload.models.scsf.fitting import JOB, VARIABLES
from schedlab.workload.models.scsf.model import ARRIVALS, JOINTS, SizeClass, WorkloadModel
from schedlab.workload.models.scsf.weekly import HOURS, WeeklyRate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

KIND, VERSION = "schedlab_workload_model", 1
WRITTEN_BY = {
    KIND: "schedlab workload model",
    "schedlab_generation_settings": "schedlab workload tune",
}
"""The commands that write files of each kind, for those who give another."""

MOST_BYTES = 512 * 2**20
TIMES = ("requested", "run", "accuracy")


def model_text(model: WorkloadModel) -> str:
    """Returns a model as text."""
    parts: dict[str, str] = {
        KIND: str(VERSION),
        "source": _line(model.source),
        "joint": _line(model.joint),
        "arrivals": _line(model.arrivals),
        "variables": _lines(
            {name: _distribution(one) for name, one in model.variables.items()}, "{}"
        ),
    }
    if model.week is not None:
        parts["week"] = _line(model.week.counts.tolist())
    if model.classes:
        classes = [
            {
                "largest": _plain(one.largest),
                **{name: _distribution(getattr(one, name)) for name in TIMES},
            }
            for one in model.classes
        ]
        parts["classes"] = _lines(dict(enumerate(classes)), "[]")
    if model.jobs is not None:
        edges = {
            name: _edges(model.jobs[name].to_numpy(), model.variables[name].bin_size)
            for name in JOB
        }
        parts["jobs"] = _lines({**edges, "counts": model.jobs["count"].to_list()}, "{}")
    whole = "{\n" + ",\n".join(f'"{key}": {text}' for key, text in parts.items()) + "\n}\n"
    # Bytes of the log's header that are not UTF-8 become \udce9, which JSON reads as the same.
    return whole.encode(errors="backslashreplace").decode()


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(items: dict[Any, Any], brackets: str) -> str:
    named = brackets == "{}"
    lines = [
        f'  "{key}": {_line(one)}' if named else f"  {_line(one)}" for key, one in items.items()
    ]
    return brackets[0] + "\n" + ",\n".join(lines) + "\n" + brackets[1]


def _distribution(one: EmpiricalDistribution) -> dict[str, Any]:
    return {
        "bin_size": _plain(one.bin_size),
        "value": one.value,
        "upper_edges": _edges(one.bins, one.bin_size),
        "counts": one.counts.tolist(),
    }


def _edges(bins: NDArray[np.int64], bin_size: float) -> list[float]:
    # Rounded for people: 0.07 in place of 0.07000000000000001. Bins are found again all the same.
    return [_plain(round(edge, 9)) for edge in (bins * float(bin_size)).tolist()]


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def read_json(path: str, kind: str, version: int) -> dict[str, Any]:
    """Returns the content of a JSON file of one kind, without what says so.

    Raises:
        InputError: It cannot be read, is of another kind or of a later version.
    """
    try:
        given = json.loads(read_text(path, MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: is not a JSON file, as {WRITTEN_BY[kind]} writes it: {error}"
        ) from None
    if not isinstance(given, dict) or kind not in given:
        raise InputError(
            f'{path}: is not what {WRITTEN_BY[kind]} writes: it has no "{kind}" at its top level'
        )
    if given.pop(kind) != version:
        raise InputError(f"{path}: {kind}: this version of schedlab reads {version}")
    return given


def load_model(path: str) -> WorkloadModel:
    """Returns the model of a file; raises InputError."""
    given = read_json(path, KIND, VERSION)
    try:
        return _model(given)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _model(given: dict[str, Any]) -> WorkloadModel:
    known = ("source", "joint", "arrivals", "variables", "week", "classes", "jobs")
    for key in given:
        if key not in known:
            raise InputError(f"{key}: unknown key; known: {', '.join(known)}")
    joint = _word(given.get("joint"), JOINTS, "joint")
    arrivals = _word(given.get("arrivals"), ARRIVALS, "arrivals")
    variables = {}
    for name, one in _table(given.get("variables"), "variables").items():
        if name not in VARIABLES:
            raise InputError(f"variables.{name}: unknown; known: {', '.join(VARIABLES)}")
        variables[name] = _load_distribution(one, f"variables.{name}")
    for name in VARIABLES:
        if name not in variables and name != "wait":
            raise InputError(f"variables.{name}: is missing")
    week = None
    if arrivals == "weekly":
        counts = _numbers(given.get("week"), "week", whole=True)
        if len(counts) != HOURS:
            raise InputError(f"week: must be {HOURS} numbers, one per hour, not {len(counts)}")
        week = WeeklyRate(counts.astype(np.int64))
    return WorkloadModel(
        variables,
        joint,
        arrivals,
        _load_classes(given.get("classes"), variables["cores"]) if joint == "size" else (),
        _load_jobs(given.get("jobs"), variables) if joint == "jobs" else None,
        week,
        _load_source(given.get("source", {})),
    )


def _load_source(value: object) -> dict[str, Any]:
    source = _table(value, "source")
    header = _table(source.get("header", {}), "source.header")
    for key, text in header.items():
        if not isinstance(text, str):
            raise InputError(f"source.header.{key}: must be text")
    return source


def _load_distribution(value: object, path: str) -> EmpiricalDistribution:
    given = _table(value, path)
    size = given.get("bin_size")
    if isinstance(size, bool) or not isinstance(size, (int, float)) or not is_finite(size):
        raise InputError(f"{path}.bin_size: must be a number above 0, not {size!r}")
    if size <= 0:
        raise InputError(f"{path}.bin_size: must be a number above 0, not {size!r}")
    stands_for = _word(given.get("value"), VALUES, f"{path}.value")
    bins = _bins(given.get("upper_edges"), size, f"{path}.upper_edges")
    if np.any(np.diff(bins) <= 0):
        raise InputError(f"{path}.upper_edges: must ascend")
    counts = _counts(given.get("counts"), len(bins), f"{path}.counts", "upper_edges")
    return EmpiricalDistribution(bins, counts, float(size), stands_for)


def _load_classes(value: object, cores: EmpiricalDistribution) -> tuple[SizeClass, ...]:
    if not isinstance(value, list) or not value:
        raise InputError('classes: is missing; a model with joint "size" needs its classes')
    classes: list[SizeClass] = []
    for number, one in enumerate(value):
        path = f"classes[{number}]"
        given = _table(one, path)
        largest = _numbers([given.get("largest")], f"{path}.largest")[0]
        if classes and largest <= classes[-1].largest:
            raise InputError(f"{path}.largest: must ascend")
        times = (_load_distribution(given.get(name), f"{path}.{name}") for name in TIMES)
        classes.append(SizeClass(float(largest), *times))
    if classes[-1].largest < cores.values[-1]:
        raise InputError(
            f"classes: reach up to {classes[-1].largest:g} cores; there are jobs of "
            f"{cores.values[-1]:g}"
        )
    return tuple(classes)


def _load_jobs(value: object, variables: dict[str, EmpiricalDistribution]) -> polars.DataFrame:
    if value is None:
        raise InputError('jobs: is missing; a model with joint "jobs" needs its table of jobs')
    given = _table(value, "jobs")
    columns = {
        name: _bins(given.get(name), variables[name].bin_size, f"jobs.{name}") for name in JOB
    }
    for name in JOB[1:]:
        if len(columns[name]) != len(columns["cores"]):
            raise InputError(f"jobs.{name}: must be as many as cores ({len(columns['cores']):,})")
    counts = _counts(given.get("counts"), len(columns["cores"]), "jobs.counts", "cores")
    return polars.DataFrame({**columns, "count": counts})


def _word(value: object, words: Sequence[str], path: str) -> str:
    if value not in words:
        raise InputError(f"{path}: must be one of {', '.join(words)}, not {value!r}")
    assert isinstance(value, str)
    return value


def _table(value: object, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{path}: {'is missing' if value is None else 'must be an object'}")
    return value


def _numbers(value: object, path: str, whole: bool = False) -> NDArray[np.float64]:
    if value is None or (isinstance(value, list) and not value):
        raise InputError(f"{path}: is missing or empty; it must be a list of numbers")
    try:
        if not isinstance(value, list) or {type(one) for one in value} - {int, float}:
            raise ValueError
        numbers = np.array(value, np.float64)
    except (ValueError, OverflowError, TypeError):
        raise InputError(f"{path}: must be a list of numbers") from None
    if not np.all((numbers >= 0) & (numbers <= 2.0**53)):
        raise InputError(f"{path}: numbers must be from 0 to 2^53")
    if whole and np.any(numbers != np.floor(numbers)):
        raise InputError(f"{path}: must be whole numbers")
    return numbers


def _bins(value: object, bin_size: float, path: str) -> NDArray[np.int64]:
    edges = _numbers(value, path)
    bins = np.round(edges / bin_size)
    wrong = np.flatnonzero(np.abs(bins * bin_size - edges) > 1e-6 * bin_size + 1e-8)
    if wrong.size:
        raise InputError(f"{path}: {edges[wrong[0]]:g} is not a multiple of bin_size {bin_size:g}")
    return bins.astype(np.int64)


def _counts(value: object, expected: int, path: str, beside: str) -> NDArray[np.int64]:
    counts = _numbers(value, path, whole=True).astype(np.int64)
    if len(counts) != expected:
        raise InputError(f"{path}: must be as many as {beside} ({expected:,}, not {len(counts):,})")
    if counts.min() < 1 or counts.sum() > 2**53:
        raise InputError(f"{path}: must be at least 1 each, and 2^53 at most in all")
    return counts
