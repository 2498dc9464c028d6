"""Files that say what a run is: TOML that people write, and run.json of a run folder."""

from __future__ import annotations

import os

from schedlab.errors import InputError
from schedlab.options import resolve
from schedlab.simulation.spec.data import to_data
from schedlab.simulation.spec.decoding import from_data
from schedlab.simulation.spec.value import RunSpec
from schedlab.system import load_system
from schedlab.system.load import is_preset_name
from schedlab.toml_text import read_toml, toml_key, toml_value

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

_FIRST = ("format", "status", "schedlab", "scheduler")
"""What run.json begins with, and no workload does."""


def is_spec(path: str) -> bool:
    """Returns whether a file says what a run is, and is not a workload.

    Such is every file that ends in .toml, and a .json file with the content of a run.json.
    """
    ending = os.path.splitext(path)[1].lower()
    return ending == ".toml" or (ending == ".json" and _is_run(path))


def _is_run(path: str) -> bool:
    if not os.path.isfile(path):  # a pipe can be read once only
        return False
    from schedlab.workload.formats.json_files.stream import members

    names = []
    try:
        with open(path, "rb") as file:
            for member in members(file, path):
                names.append(member.key)
                if len(names) == len(_FIRST):
                    break
    except (InputError, OSError, ValueError, RecursionError):
        return False  # what is wrong with it is said by the reader of workloads
    return tuple(names) == _FIRST


def read_spec(path: str, trust_code: bool) -> RunSpec:
    """Returns what a file says; see `RunSpec.from_file`."""
    is_toml = os.path.splitext(path)[1].lower() == ".toml"
    data = read_toml(path) if is_toml else data_of_run(read_recorded(path))
    spec = from_data(data, trust_code, path)
    try:
        _check_tables(spec)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return spec


def _check_tables(spec: RunSpec) -> None:
    """Raises InputError for descriptions that the file holds itself, while its name is known."""
    if isinstance(spec.system, dict):
        load_system(spec.system)
    if isinstance(spec.conditions, dict):
        from schedlab.conditions import load_conditions

        load_conditions(spec.conditions)
    if spec.queues and not isinstance(spec.queues, str):
        from schedlab.system.queues import load_queues

        load_queues(spec.queues)


def read_recorded(path: str) -> dict[str, Any]:
    """Returns the content of a run.json.

    Raises:
        InputError: There is no such file, or it is damaged, with the line or the field.
    """
    from schedlab.results.run_shape import ADVICE, checked_run
    from schedlab.results.stored_json import read_table

    try:
        return checked_run(read_table(path, "the file of a run", ADVICE), path)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None


def data_of_run(run: dict[str, Any]) -> dict[str, Any]:
    """Returns the plain data of the spec that a run.json holds.

    Those of earlier versions have no field for it. What they say of the parts is the same, except
    for parts that were Python objects: whether they were is not known, and their names stand for
    them.
    """
    if "spec" in run:
        spec: dict[str, Any] = run["spec"]
        return spec
    workload, conditions = run["workload"], run.get("conditions")
    found = {
        "workload": workload["path"],
        "reader": workload["reader"],
        "system": run["system"]["path"],
        "scheduler": run["scheduler"],
        "allocator": run["allocator"],
        "windows": _without_nothing(run["windows"]),
        "queues": _without_nothing(run["queues"]),
        "conditions": conditions and conditions.get("source"),
        "data": run["data"],
        "job_factory": workload["job_factory"],
        "rules": run["rules"],
    }
    implied = resolve(run["rules"], {})
    found |= {name: it for name, it in run["options"].items() if it != implied.get(name)}
    objects = {
        "workload": "jobs" if workload["path"] is None else None,
        "system": run["system"].get("name") if run["system"]["path"] is None else None,
        "conditions": conditions["text"] if conditions and not conditions.get("source") else None,
    }
    objects = {name: text for name, text in objects.items() if text is not None}
    given = {name: value for name, value in found.items() if value not in (None, [])}
    return {**given, **({"objects": objects} if objects else {})}


def _without_nothing(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: it for key, it in one.items() if it not in (None, "")} for one in tables]


def refuse_absent(spec: RunSpec, place: str) -> None:
    """Raises InputError for a file that a run names and that is not below the current folder.

    Args:
        spec: The run.
        place: The file that says what to run.
    """
    for name in ("workload", "system", "windows", "queues", "conditions"):
        path = getattr(spec, name)
        if not isinstance(path, str) or os.path.isabs(path) or os.path.lexists(path):
            continue
        if name == "system" and (is_preset_name(path) or os.path.lexists(path.rpartition("#")[0])):
            continue
        raise InputError(
            f"{place}: {name}: {path}: no such file in {os.getcwd()}; relative paths begin from "
            f"the current folder: go to the one that the run was made in, or give --{name} FILE"
        )


def changed_inputs(recorded: dict[str, Any], run: dict[str, Any]) -> list[str]:
    """Returns which inputs are not what they were when a run.json was written, a text each.

    Args:
        recorded: What that run.json holds.
        run: What that of the new run holds. Inputs that were exchanged on purpose have other paths.
    """
    texts = []
    for part in ("workload", "system"):
        before, now = recorded[part], run[part]
        known = before.get("checksum") and now.get("checksum")
        if known and before["path"] == now["path"] and before["checksum"] != now["checksum"]:
            texts.append(
                f"{now['path'] or part}: has changed since that run: its checksum was "
                f"{before['checksum']}, and is {now['checksum']}"
            )
    spec, spec_before = data_of_run(run), data_of_run(recorded)
    for part in ("windows", "queues", "conditions"):
        path = spec.get(part)
        if isinstance(path, str) and path == spec_before.get(part):
            changed = dict.fromkeys(_changed_files(recorded[part], run[part], path))
            texts += [f"{file}: has changed since that run" for file in changed]
    return texts


def _changed_files(before: Any, now: Any, file: str) -> list[str]:
    """Returns the files whose content differs, as run.json has it.

    Args:
        before: What run.json held of a part.
        now: What it holds.
        file: That the part is read from; a series in it may have one of its own.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        own = now.get("source") or file
        names = {*before, *now} - {"text", "source"}
        if not ("checksum" in before and "checksum" in now):  # earlier versions have fewer
            names.discard("checksum")
        return [
            found
            for name in sorted(names)
            for found in _changed_files(before.get(name), now.get(name), own)
        ]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = zip(before, now, strict=True)
        return [found for one, other in pairs for found in _changed_files(one, other, file)]
    return [] if before == now else [file]


def to_toml(spec: RunSpec) -> str:
    """Returns the text of a TOML file; see `RunSpec.to_toml`.

    Raises:
        InputError: A name is not UTF-8, which TOML must be.
    """
    data = to_data(spec)
    lines, tables = [], []
    for name, value in data.items():
        if isinstance(value, dict):
            entries = [f"{toml_key(key)} = {toml_value(it)}" for key, it in value.items()]
            tables += ["", f"[{toml_key(name)}]", *entries]
        elif isinstance(value, list) and name != "data":
            for one in value:
                entries = [f"{toml_key(key)} = {toml_value(it)}" for key, it in one.items()]
                tables += ["", f"[[{toml_key(name)}]]", *entries]
        else:
            lines.append(f"{name} = {toml_value(value)}")
    return "\n".join([*lines, *tables]) + "\n"
