"""How to do it again: the commands that make the same runs and the same page."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from html import escape
from typing import Any

from schedlab.analysis.groups import RunGroup
from schedlab.experiment import Comparison
from schedlab.experiment.repeating import (
    file_names_code,
    objects_in,
    only_in_file,
    shared_spec,
    tables_in,
)
from schedlab.overwriting import free_name
from schedlab.results.checksums import conditions_checksums
from schedlab.simulation import RunSpec
from schedlab.simulation.spec.command import (
    command_words,
    placeholder,
    run_words,
    shared_words,
    words_with_file,
)
from schedlab.simulation.spec.files import data_of_run


def commands(groups: Sequence[RunGroup], comparison: Comparison | None) -> str:
    """Returns the commands as a block of the page.

    Pasted as they are, they write to folders beside those of the page, which stay as they are.
    """
    results = [result for group in groups for result in group.results]
    if comparison is not None:
        folder, made = comparison.path, [result.run for result in results]
        outs = [free_name(folder)]
        lines = [compare_command(comparison.description, folder, outs[0], made)]
        notes = _notes_of_experiment(comparison.description)
    else:
        runs = {result.path: result.run for result in results}
        outs = [free_name(folder) for folder in runs]
        pairs = zip(runs.items(), outs, strict=True)
        lines = [run_command(run, folder, out) for (folder, run), out in pairs]
        notes = [note for run in runs.values() for note in _notes_of_run(run)]
    page = ["--out", free_name("report", ".html")] if len(outs) > 1 else []
    lines.append(_broken(command_words("report", outs, page)))
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
    found: dict[str, tuple[list[str], list[str]]] = {}  # workloads and options by reader
    for run in (result.run for group in groups for result in group.results):
        workload, system, conditions = run["workload"], run["system"], run.get("conditions") or {}
        workloads, options = found.setdefault(workload["reader"] or "", ([], []))
        if workload["path"] and workload.get("checksum"):
            _add(workloads, [workload["path"]])
        if system["path"]:
            _add(options, ["--system", system["path"]])
        if conditions.get("source") and conditions_checksums(conditions):
            _add(options, ["--conditions", conditions["source"]])
    return [
        _broken(
            command_words(
                "checksum", workloads, [*options, *(["--reader", reader] if reader else [])]
            )
        )
        for reader, (workloads, options) in found.items()
        if workloads or options
    ]


def _add(words: list[str], more: list[str]) -> None:
    if more[-1] not in words:
        words += more


def compare_command(
    description: dict[str, Any], folder: str, out: str, runs: Sequence[dict[str, Any]] = ()
) -> str:
    """Returns the command that makes the runs of an experiment.

    Args:
        description: What experiment.json holds.
        folder: That it is in.
        out: Folder for the results.
        runs: What run.json of its runs hold.
    """
    trust = ["--trust-code"] if any(map(_names_code, runs)) else []
    if _takes_file(description):
        trust = ["--trust-code"] if trust or file_names_code(description) else []
        path = os.path.join(folder, "experiment.json")
        return _broken(command_words("compare", [path], [*trust, "--out", out]))
    workloads = [one["path"] or placeholder("workload") for one in description["workloads"]]
    words = []
    for one in description["systems"]:
        words += ["--system", one["path"] or placeholder("system")]
    words += _dispatchers(description["dispatchers"])
    if description["repeat"] > 1:
        words += ["--repeat", str(description["repeat"])]
    words += shared_words(shared_spec(description))
    if description["seed"]:
        words += ["--seed", str(description["seed"])]
    if description["baseline"] != description["dispatchers"][0]["name"]:
        words += ["--baseline", description["baseline"]]
    for name in ("jobs", "timeline"):
        words += [f"--{name}", description[name]] if description[name] != "parquet" else []
    return _broken(command_words("compare", workloads, [*words, *trust, "--out", out]))


def _takes_file(description: dict[str, Any]) -> bool:
    """Returns whether experiment.json says what no command line can, and all of it."""
    whole = "spec" in description and not objects_in(description)
    return whole and bool(only_in_file(description))


def run_command(run: dict[str, Any], folder: str, out: str) -> str:
    """Returns the command that makes a run.

    Args:
        run: What run.json holds.
        folder: That it is in.
        out: Folder for the results.
    """
    words = []
    for name in ("jobs", "timeline"):
        formats = [file.partition(".")[2] for file in run["files"] if file.startswith(f"{name}.")]
        words += [] if formats == ["csv"] else [f"--{name}", *(formats or ["none"])]
    if _names_code(run):
        words.append("--trust-code")
    spec = _spec(run)
    words += ["--out", out]
    if _tables(spec):
        return _broken(words_with_file(spec, os.path.join(folder, "run.json"), words))
    return _broken(run_words(spec, words))


def _tables(spec: RunSpec) -> list[str]:
    """Returns the parts that a file holds and a command line does not."""
    objects = spec.to_data().get("objects", {})
    return [name for name in spec.unnamed() if name not in objects]


def _spec(run: dict[str, Any]) -> RunSpec:
    return RunSpec.from_data(data_of_run(run), place="run.json: spec")


def _names_code(run: dict[str, Any]) -> bool:
    """Returns whether jobs of a workload file named applications by code, as needs trust."""
    programs = [text.partition("(")[0] for text in run["workload"].get("applications", ())]
    return run["workload"]["path"] is not None and any(":" in name for name in programs)


def _notes_of_run(run: dict[str, Any]) -> list[str]:
    """Returns why a command names run.json, and what its words in capital letters stand for."""
    spec = _spec(run)
    objects = spec.to_data().get("objects", {})
    notes = [_note_of_object(placeholder(name), text) for name, text in objects.items()]
    if tables := _tables(spec):
        has = "has no file of its own" if len(tables) == 1 else "have no files of their own"
        which = "it" if len(tables) == 1 else "them"
        notes.append(
            f"{' and '.join(tables)} {has}: run.json holds {which}, and the command takes all but "
            "what it names from there."
        )
    return notes


def _notes_of_experiment(description: dict[str, Any]) -> list[str]:
    """Returns why a command names experiment.json, or what it cannot name, a text each."""
    if _takes_file(description):
        which = " and ".join(dict.fromkeys(only_in_file(description)))
        return [f"experiment.json holds what no command line says: {which}."]
    notes = [
        _note_of_object(_word_of(part), text) for part, text in objects_in(description).items()
    ]
    return notes + [
        f"{_word_of(part)} stands for what experiment.json describes, without a file of its own."
        for part in tables_in(description)
    ]


def _word_of(part: str) -> str:
    """Returns the word that stands for a part of an experiment; none for one of a dispatcher."""
    kind = part.partition(" ")[0]
    return "" if kind in ("scheduler", "allocator") else placeholder(kind)


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
