"""How to do it again: the commands that make the same runs and the same page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape
from typing import Any

from schedlab.analysis.groups import RunGroup
from schedlab.experiment import Comparison
from schedlab.results.checksums import conditions_checksums
from schedlab.simulation import RunSpec
from schedlab.simulation.spec.command import command_words, placeholder, run_words, shared_words
from schedlab.simulation.spec.files import data_of_run


def commands(groups: Sequence[RunGroup], comparison: Comparison | None) -> str:
    """Returns the commands as a block of the page."""
    results = [result for group in groups for result in group.results]
    if comparison is not None:
        folder, made = comparison.path, [result.run for result in results]
        lines = [compare_command(comparison.description, folder, made)]
        lines.append(f"schedlab report {shlex.quote(folder)}")
        notes = _notes_of_experiment(comparison.description)
    else:
        lines = [run_command(result.run, result.path) for result in results]
        folders = " ".join(shlex.quote(result.path) for result in results)
        page = " --out report.html" if len(results) > 1 else ""
        lines.append(f"schedlab report {folders}{page}")
        notes = [note for one in results for note in _notes_of_run(one.run, one.path)]
    text = f"<pre>{escape(chr(10).join(lines))}</pre>"
    for note in dict.fromkeys(notes):
        text += f'\n<p class="note">{escape(note)}</p>'
    checks = checksum_commands(groups)
    if checks:
        text += (
            '\n<p class="note">Input files are the same if these commands print the checksums '
            f"above:</p>\n<pre>{escape(chr(10).join(checks))}</pre>"
        )
    return text


def checksum_commands(groups: Sequence[RunGroup]) -> list[str]:
    """Returns the commands that print the checksums of all inputs that are files."""
    words: dict[str, list[str]] = {}  # by reader; each file once
    for run in (result.run for group in groups for result in group.results):
        workload, system, conditions = run["workload"], run["system"], run.get("conditions") or {}
        arguments = words.setdefault(workload["reader"] or "", [])
        if workload["path"] and workload.get("checksum"):
            _add(arguments, [workload["path"]])
        if system["path"]:
            _add(arguments, ["--system", system["path"]])
        if conditions.get("source") and conditions_checksums(conditions):
            _add(arguments, ["--conditions", conditions["source"]])
    return [
        _broken(["schedlab", "checksum", *arguments, *(["--reader", reader] if reader else [])])
        for reader, arguments in words.items()
        if arguments
    ]


def _add(words: list[str], more: list[str]) -> None:
    if more[-1] not in words:
        words += more


def compare_command(
    description: dict[str, Any], folder: str, runs: Sequence[dict[str, Any]] = ()
) -> str:
    """Returns the command that makes the runs of an experiment.

    Args:
        description: What experiment.json holds.
        folder: Of the experiment.
        runs: What run.json of its runs hold.
    """
    workloads = [one["path"] or placeholder("workload") for one in description["workloads"]]
    words = []
    for one in description["systems"]:
        words += ["--system", one["path"] or placeholder("system")]
    words += _dispatchers(description["dispatchers"])
    if description["repeat"] > 1:
        words += ["--repeat", str(description["repeat"])]
    words += shared_words(_shared(description))
    if description["seed"]:
        words += ["--seed", str(description["seed"])]
    if description["baseline"] != description["dispatchers"][0]["name"]:
        words += ["--baseline", description["baseline"]]
    for name in ("jobs", "timeline"):
        words += [f"--{name}", description[name]] if description[name] != "parquet" else []
    if any(map(_names_code, runs)):
        words.append("--trust-code")
    return _broken(command_words("compare", workloads, [*words, "--out", folder]))


def _shared(description: dict[str, Any]) -> RunSpec:
    """Returns what all runs of an experiment have in common, as it was asked for."""
    if "spec" in description:
        return RunSpec.from_data(description["spec"], place="experiment.json: spec")
    others = {name: it for name, it in description["options"].items() if it is not None}
    return RunSpec.from_data(
        {**others, **({"rules": description["rules"]} if description["rules"] else {})},
        place="experiment.json: options",
    )


def run_command(run: dict[str, Any], folder: str) -> str:
    """Returns the command that makes a run."""
    words = []
    for name in ("jobs", "timeline"):
        formats = [file.partition(".")[2] for file in run["files"] if file.startswith(f"{name}.")]
        words += [] if formats == ["csv"] else [f"--{name}", *(formats or ["none"])]
    if _names_code(run):
        words.append("--trust-code")
    return _broken(run_words(_spec(run), [*words, "--out", folder]))


def _spec(run: dict[str, Any]) -> RunSpec:
    return RunSpec.from_data(data_of_run(run), place="run.json: spec")


def _names_code(run: dict[str, Any]) -> bool:
    """Returns whether jobs of a workload file named applications by code, as needs trust."""
    programs = [text.partition("(")[0] for text in run["workload"].get("applications", ())]
    return run["workload"]["path"] is not None and any(":" in name for name in programs)


def _notes_of_run(run: dict[str, Any], folder: str) -> list[str]:
    """Returns what the words in capital letters of a command stand for, a text each."""
    spec = _spec(run)
    objects = spec.to_data().get("objects", {})
    tables = [name for name in spec.unnamed() if name not in objects]
    notes = [_note_of_object(placeholder(name), text) for name, text in objects.items()]
    if tables and not objects:
        words = " and ".join(map(placeholder, tables))
        notes.append(
            f"{words} stand{'s' if len(tables) == 1 else ''} for what was described in Python; "
            f"schedlab run {shlex.quote(folder)}/run.json --out DIR repeats the run with it."
        )
    elif tables:
        notes += [
            f"{placeholder(name)} stands for what was described in Python." for name in tables
        ]
    return notes


def _notes_of_experiment(description: dict[str, Any]) -> list[str]:
    """Returns what a command of an experiment cannot name, a text each."""
    kinds = (("WORKLOAD", "workloads"), ("SYSTEM", "systems"))
    notes = [
        _note_of_object(word, one["name"])
        for word, kind in kinds
        for one in description[kind]
        if one["path"] is None
    ]
    notes += [
        _note_of_object(placeholder(name), text)
        for name, text in _shared(description).unnamed().items()
    ]
    for one in description["dispatchers"]:
        notes += [_note_of_object("", one[kind]) for kind in one.get("objects", ())]
    return notes


def _note_of_object(word: str, text: str) -> str:
    stands = f"{word} stands for {text}, which" if word else text
    return f"{stands} was given as a Python object, and must be given so again."


def _dispatchers(dispatchers: list[dict[str, Any]]) -> list[str]:
    """Returns all combinations where that is what they are, else each of them."""
    schedulers = list(dict.fromkeys(one["scheduler"] for one in dispatchers))
    allocators = list(dict.fromkeys(one["allocator"] for one in dispatchers))
    pairs = [(one["scheduler"], one["allocator"]) for one in dispatchers]
    if pairs == [(scheduler, allocator) for scheduler in schedulers for allocator in allocators]:
        return ["--schedulers", ",".join(schedulers), "--allocators", ",".join(allocators)]
    return [word for pair in pairs for word in ("--dispatcher", "+".join(pair))]


def _broken(words: list[str]) -> str:
    """Returns a command in lines that fit a page."""
    lines, line = [], ""
    for word in map(shlex.quote, words):
        if line and len(line) + len(word) > 90 and word.startswith("-"):
            lines.append(line)
            line = "    " + word
        else:
            line = f"{line} {word}".lstrip() if not line.startswith(" ") else f"{line} {word}"
    return " \\\n".join([*lines, line])
