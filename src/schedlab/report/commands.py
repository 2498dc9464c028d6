"""How to do it again: the commands that make the same runs and the same page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape
from typing import Any

from schedlab.analysis.groups import RunGroup
from schedlab.experiment import Comparison
from schedlab.options import DEFAULTS
from schedlab.results.checksums import conditions_checksums


def commands(groups: Sequence[RunGroup], comparison: Comparison | None) -> str:
    """Returns the commands as a block of the page."""
    if comparison is not None:
        lines, folder = [compare_command(comparison.description, comparison.path)], comparison.path
        lines += [f"schedlab report {shlex.quote(folder)}"]
        from_python = _from_python(comparison.description)
    else:
        runs = [result for group in groups for result in group.results]
        lines = [run_command(result.run, result.path) for result in runs]
        folders = " ".join(shlex.quote(result.path) for result in runs)
        lines.append(f"schedlab report {folders}" + (" --out report.html" if len(runs) > 1 else ""))
        parts = ("workload", "system")
        from_python = any(result.run[part]["path"] is None for result in runs for part in parts)
    text = f"<pre>{escape(chr(10).join(lines))}</pre>"
    if from_python:
        text += (
            '\n<p class="note">WORKLOAD and SYSTEM stand for what was given as Python objects, and '
            "must be given so again.</p>"
        )
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
        asked = words.setdefault(workload["reader"] or "", [])
        if workload["path"] and workload.get("checksum"):
            _add(asked, [workload["path"]])
        if system["path"]:
            _add(asked, ["--system", system["path"]])
        if conditions.get("source") and conditions_checksums(conditions):
            _add(asked, ["--conditions", conditions["source"]])
    return [
        _broken(["schedlab", "checksum", *asked, *(["--reader", reader] if reader else [])])
        for reader, asked in words.items()
        if asked
    ]


def _add(words: list[str], more: list[str]) -> None:
    if more[-1] not in words:
        words += more


def compare_command(description: dict[str, Any], folder: str) -> str:
    """Returns the command that makes the runs of an experiment."""
    words = ["schedlab", "compare"]
    words += [one["path"] or "WORKLOAD" for one in description["workloads"]]
    for one in description["systems"]:
        words += ["--system", one["path"] or "SYSTEM"]
    words += _dispatchers(description["dispatchers"])
    if description["repeat"] > 1:
        words += ["--repeat", str(description["repeat"])]
    words += _flags({**description["options"], "rules": description["rules"]})
    if description["seed"]:
        words += ["--seed", str(description["seed"])]
    if description["baseline"] != description["dispatchers"][0]["name"]:
        words += ["--baseline", description["baseline"]]
    return _broken([*words, "--out", folder])


def run_command(run: dict[str, Any], folder: str) -> str:
    """Returns the command that makes a run."""
    words = ["schedlab", "run", run["workload"]["path"] or "WORKLOAD"]
    words += ["--system", run["system"]["path"] or "SYSTEM"]
    words += ["--scheduler", run["scheduler"], "--allocator", run["allocator"]]
    options = {name: value for name, value in run["options"].items() if value != DEFAULTS.get(name)}
    words += _flags({"rules": run["rules"], **({} if run["rules"] else options)})
    return _broken([*words, "--out", folder])


def _dispatchers(dispatchers: list[dict[str, Any]]) -> list[str]:
    """Returns all combinations where that is what they are, else each of them."""
    schedulers = list(dict.fromkeys(one["scheduler"] for one in dispatchers))
    allocators = list(dict.fromkeys(one["allocator"] for one in dispatchers))
    pairs = [(one["scheduler"], one["allocator"]) for one in dispatchers]
    if pairs == [(scheduler, allocator) for scheduler in schedulers for allocator in allocators]:
        return ["--schedulers", ",".join(schedulers), "--allocators", ",".join(allocators)]
    return [word for pair in pairs for word in ("--dispatcher", "+".join(pair))]


def _flags(options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is False and name in ("estimate_covers_run", "enforce_limits"):
            words.append(f"--no-{flag[2:]}")
        elif value not in (None, False):
            words += [flag, str(value)]
    return words


def _from_python(description: dict[str, Any]) -> bool:
    """Returns whether something was given as an object that no command line can name."""
    parts = [*description["workloads"], *description["systems"]]
    return any(one["path"] is None for one in parts)


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
