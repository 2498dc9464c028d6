"""What there is in a run folder to watch."""

from __future__ import annotations

import os
from time import monotonic, sleep
from typing import Literal, NamedTuple

from schedlab.errors import InputError
from schedlab.overwriting import resuming
from schedlab.results.folder_lock import is_locked
from schedlab.results.publishing import finish_if_left, is_left
from schedlab.watch.live import LiveRun
from schedlab.watch.replay import Replay
from schedlab.watch.view import RunView

RunState = Literal["live", "finished", "stopped", "none"]

PARTS = ("jobs.csv.part", "timeline.csv.part")
SECONDS_TO_ANSWER = 3.0
"""A run looks for watchers some thirty times a second, unless a policy of its own is slow."""

MOST_ENTRIES = 1000
"""Looked at in search of runs below a folder that has none itself."""

MOST_NAMED = 3
"""Of these runs."""


class FoundBelow(NamedTuple):
    """Runs and experiments below a folder, the nearest first, and whether they are all."""

    runs: list[str]
    experiments: list[str]
    is_whole: bool


def state_of(path: str) -> RunState:
    """Returns whether a folder has a live run, a finished one, one that was stopped, or none."""
    finish_if_left(path)
    unfinished = any(os.path.exists(os.path.join(path, name)) for name in PARTS)
    unfinished = unfinished or is_left(path)
    finished = os.path.exists(os.path.join(path, "run.json"))
    if not unfinished and not finished and _is_experiment(path):
        return "none"  # it is locked while its runs, below, are made
    if (unfinished or not finished) and is_locked(path):
        return "live"
    if finished:
        return "finished"
    return "stopped" if unfinished else "none"


def open_run(path: str | os.PathLike[str]) -> RunView:
    """Returns the run of a folder: a `LiveRun` that has answered, or a `Replay`.

    Raises:
        InputError: There is no run, or it does not answer.
    """
    folder = os.fsdecode(path)
    if not os.path.isdir(folder):
        what = "is a file" if os.path.exists(folder) else "there is no such folder"
        raise InputError(f"{folder}: {what}; give the --out folder of a run")
    deadline = monotonic() + SECONDS_TO_ANSWER
    while (state := state_of(folder)) == "live":
        live = LiveRun(folder)
        while monotonic() < deadline:
            if live.refresh():
                return live
            if state_of(folder) != "live":
                break  # it ended before it could answer
            sleep(0.02)
        else:
            may_ask = os.access(folder, os.W_OK)
            reason = "its scheduler may be busy" if may_ask else "you may not write to its folder"
            reason = live.problem or reason
            raise InputError(f"{folder}: the run there does not answer; {reason}")
    if state == "stopped":
        raise InputError(
            f"{folder}: the run there was stopped before its end; continue with it "
            f"({resuming(folder)}, if it has a checkpoint) or run it again"
        )
    if state == "none":
        raise InputError(_no_run(folder))
    return Replay(folder)


def _no_run(folder: str) -> str:
    """Returns the message for a folder without a run, which names some that are below it."""
    below = found_below(folder, ("live", "finished"))
    found, everywhere = below.runs, below.is_whole
    if not found:
        return f"{folder}: has no run: neither run.json nor one in progress"
    names = found[:MOST_NAMED]
    named = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    what = "is an experiment, not a run" if _is_experiment(folder) else "has no run itself"
    if len(found) == 1 and everywhere:
        return f"{folder}: {what}; did you mean {named}?"
    count = f"{len(found)} runs below" if everywhere else f"{len(found)} runs below, or more"
    return f"{folder}: {what}; did you mean {named}? ({count})"


def _is_experiment(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "experiment.json"))


def found_below(
    folder: str, states: tuple[RunState, ...] = ("live", "finished", "stopped")
) -> FoundBelow:
    """Returns the runs in one of these states, and the experiments, below a folder."""
    found: list[str] = []
    experiments: list[str] = []
    folders, seen = [folder], 0
    for parent in folders:  # which grows
        children: list[str] = []
        try:
            with os.scandir(parent) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MOST_ENTRIES:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        children.append(entry.path)
        except OSError:
            continue  # not ours to read
        for child in sorted(children):
            if state_of(child) in states:
                found.append(child)
            else:
                folders.append(child)
                experiments += [child] if _is_experiment(child) else []
        if seen > MOST_ENTRIES:
            return FoundBelow(found, experiments, False)
    return FoundBelow(found, experiments, True)
