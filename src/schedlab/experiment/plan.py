"""What an experiment is going to run: every combination, its folder and its key."""

from __future__ import annotations

from typing import Any, NamedTuple

from schedlab.experiment.names import folder_names
from schedlab.results.json_text import to_json
from schedlab.simulation import RunSpec
from schedlab.simulation.identity import identity_of
from schedlab.simulation.identity.parts import RunPart
from schedlab.simulation.identity.source_checksums import checksum_of
from schedlab.simulation.spec.data import objects_of


class Dispatcher(NamedTuple):
    """A scheduler and an allocator under one name."""

    name: str
    scheduler: RunPart
    allocator: RunPart


class Input(NamedTuple):
    """A workload or a system under its name."""

    name: str
    part: RunPart


class PlannedRun(NamedTuple):
    """One run of an experiment.

    Attributes:
        name: Of its folder in `runs`.
        workload: Name of the workload.
        system: Name of the system.
        dispatcher: Name of the dispatcher.
        scheduler: Its scheduler, as people call it.
        allocator: Likewise.
        repetition: From 1.
        seed: Of everything that is drawn at random.
        key: Of its identity and of how its tables are kept; None where it has no identity.
        spec: What its process simulates: all files but workloads and systems are read already, so
            that all runs have the same.
        requested_spec: What the experiment was asked for, which its run.json repeats.
        output: How the process writes results, as keyword arguments of `simulate`.
    """

    name: str
    workload: str
    system: str
    dispatcher: str
    scheduler: str
    allocator: str
    repetition: int
    seed: int
    key: str | None
    spec: RunSpec
    requested_spec: RunSpec
    output: dict[str, Any]

    @property
    def objects(self) -> dict[str, Any]:
        """The parts that no plain data stands for: they go to the process as they are."""
        return objects_of(self.spec)

    @property
    def description(self) -> dict[str, Any]:
        """What experiment.json holds of it."""
        fields = self._asdict()
        return {name: fields[name] for name in self._fields[: self._fields.index("spec")]}


class Shared(NamedTuple):
    """What all runs of an experiment have in common.

    Attributes:
        spec: It, as it was asked for: with files that are not read yet.
        parts: What of it determines results, as `shared_parts` has it.
        formats: Of jobs and timeline, as they are kept.
        trust_code: As for `simulate`.
    """

    spec: RunSpec
    parts: dict[str, RunPart]
    formats: dict[str, str]
    trust_code: bool


def planned_runs(
    workloads: list[Input],
    systems: list[Input],
    dispatchers: list[Dispatcher],
    shared: Shared,
    repeat: int,
    seed: int,
) -> list[PlannedRun]:
    """Returns all runs, first those of every first repetition, then of every second, and so on.

    So an interrupted experiment has something of every dispatcher.
    """
    folders = {
        "workload": _folders([one.name for one in workloads]),
        "system": _folders([one.name for one in systems]),
        "dispatcher": folder_names([one.name for one in dispatchers]),
    }
    return [
        _planned(
            workload,
            system,
            dispatcher,
            shared,
            [folders["workload"][w], folders["system"][s], folders["dispatcher"][d]],
            repetition,
            seed + repetition - 1,
        )
        for repetition in range(1, repeat + 1)
        for w, workload in enumerate(workloads)
        for s, system in enumerate(systems)
        for d, dispatcher in enumerate(dispatchers)
    ]


def _folders(names: list[str]) -> list[str]:
    """Returns the folders of inputs; no folder where there is one only."""
    return folder_names(names) if len(names) > 1 else [""]


def _planned(
    workload: Input,
    system: Input,
    dispatcher: Dispatcher,
    shared: Shared,
    folders: list[str],
    repetition: int,
    seed: int,
) -> PlannedRun:
    parts = {
        "workload": workload.part,
        "system": system.part,
        "scheduler": dispatcher.scheduler,
        "allocator": dispatcher.allocator,
        **shared.parts,
    }
    combined = {
        name: parts[name].given for name in ("workload", "system", "scheduler", "allocator")
    }
    requested_spec = shared.spec.replace(**{"reader": None, **combined, "seed": seed})
    read = {name: part.given for name, part in shared.parts.items()}
    # Runs write CSV: polars, which makes Parquet of it, would count in their time and memory.
    written = {name: "none" if kept == "none" else "csv" for name, kept in shared.formats.items()}
    return PlannedRun(
        "/".join([*filter(None, folders), f"{repetition:02}"]),
        workload.name,
        system.name,
        dispatcher.name,
        dispatcher.scheduler.text,
        dispatcher.allocator.text,
        repetition,
        seed,
        key_of(identity_of(requested_spec, parts), shared.formats),
        requested_spec.replace(**read),
        requested_spec,
        {**written, "trust_code": shared.trust_code},
    )


def key_of(identity: str | None, formats: dict[str, str]) -> str | None:
    """Returns the key of a run by its identity and by how its tables are kept."""
    if identity is None:
        return None
    return checksum_of(to_json({"identity": identity, "formats": formats}).encode())
