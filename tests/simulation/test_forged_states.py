"""State files whose checksum is right, and whose content is not what a simulation saved."""

from __future__ import annotations

import contextlib
import json
import os
import re
import struct
from pathlib import Path
from typing import Any

import pytest

import schedlab as sl
from schedlab import state_text
from schedlab._engine import build_type
from schedlab.simulation import state_file

SYSTEM = {"groups": {"node": {"nodes": 4, "resources": {"core": 4}}}}
ROWS = "\n".join(
    f"{n} {n * 20} -1 {100 + n} {1 + n % 7} -1 -1 {1 + n % 7} 300 -1 1 1 1 -1 1 -1 -1 -1"
    for n in range(1, 40)
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Returns a sound state file."""
    return sound_state(tmp_path, SYSTEM, ROWS)


def sound_state(folder: Path, system: dict[str, Any], rows: str) -> Path:
    workload = folder / "jobs.swf"
    workload.write_text(rows)
    simulation = sl.Simulation(workload, system=system, scheduler="conservative")
    simulation.run(until=400)
    simulation.save(folder / "sound.state")
    return folder / "sound.state"


def halves(path: Path) -> tuple[dict[str, Any], bytes]:
    """Returns the description and the engine's bytes."""
    return state_file.read(str(path))


def forge(path: Path, description: dict[str, Any], engine: bytes) -> None:
    """Writes a state file with the right checksum."""
    state_file.write_halves(str(path), json.dumps(description).encode(), engine)


FIELDS = [
    ("spec", ..., "spec: is missing"),
    ("spec.seed", -1, "spec: seed: must be a whole number from 0"),
    ("spec.seed", None, "spec: seed: must not be null"),
    ("spec.zero_run", "guessed", "spec: zero_run: must be one of"),
    ("spec.unheard", 1, "spec: unheard: unknown key"),
    ("spec.system", None, "spec: system: must be text (is null)"),
    ("spec.system", "m.toml", "spec: system: must be a table: that of the machine itself"),
    ("spec.system", ..., "spec: system: must be a table: that of the machine itself"),
    ("spec.windows", [{"start": 1}], "spec: windows[1].end: is missing"),
    ("spec.windows", {}, "spec: windows: must be a list of tables, each under [[windows]]"),
    ("spec.windows", "w.toml", "spec: windows: must be what was simulated, and not a file"),
    ("spec.queues", "q.toml", "spec: queues: must be what was simulated, and not a file"),
    ("spec.conditions", "c.toml", "spec: conditions: must be what was simulated, and not a file"),
    ("spec.objects", {"conditions": "x"}, "spec: conditions: must be what was simulated"),
    ("spec.queues", [{"name": "a", "more": 1}], "spec: queues[1].more: unknown key"),
    ("spec.workload", "a\0b", "spec: workload: must not have a null character"),
    ("spec.workload", ..., "spec: workload: is missing"),
    ("spec.rules", "theirs", 'spec: rules: unknown "theirs"'),
    ("spec.data", ["link-use"], "code.data: must have a class for each of spec.data"),
    ("requested_spec", ..., "requested_spec: is missing"),
    ("requested_spec.rules", "theirs", 'requested_spec: rules: unknown "theirs"'),
    ("code", ..., "code: is missing"),
    ("code.data", ["a:B"], "code.data: must have a class for each of spec.data"),
    ("code.scheduler", None, "code.scheduler: must be text (is null)"),
    ("names", [], "names: must be a table in braces (is a list)"),
    ("names.scheduler", 7, "names.scheduler: must be text (is 7)"),
    ("swf_attributes", "all", 'swf_attributes: must be a list (is "all")'),
    ("applications", ["a", "a"], "applications: names one twice"),
    ("needs", ["a", "a"], "needs: names one twice"),
    ("licenses", ["a", "a"], "licenses: names one twice"),
    ("partition_lists", ["a", "a"], "partition_lists: names one twice"),
    ("now", "late", 'now: must be a number (is "late")'),
]


@pytest.mark.parametrize(("path", "value", "message"), FIELDS)
def test_fields_of_the_description(state: Path, path: str, value: Any, message: str) -> None:
    description, engine = halves(state)
    holder = description
    *parents, last = path.split(".")
    for key in parents:
        holder = holder[key]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    forge(state, description, engine)
    with pytest.raises(sl.InputError, match=re.escape(f"{state}: is damaged: ")) as caught:
        sl.Simulation.load(state)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{", b'{"a": NaN}', b"\xff", b"[" * 100_000, b'{"a": 1, "a": 2}']
)
def test_descriptions_that_are_no_table(state: Path, text: bytes) -> None:
    _, engine = halves(state)
    state_file.write_halves(str(state), text, engine)
    with pytest.raises(sl.InputError, match=re.escape(str(state))):
        sl.Simulation.load(state)


FOUND_LATER = () if build_type == "release" else (RuntimeError,)
"""What a build raises that checks all sums after every call: nonsense, but no damage to memory."""

NUMBERS = [struct.pack("<Q", number) for number in (0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)]


def test_any_number_of_the_engine_may_be_forged(state: Path) -> None:
    """Each eight bytes of what is not a histogram: an error, or a run that ends."""
    forge_numbers(state)


def test_any_number_of_a_machine_with_sets_of_nodes_may_be_forged(tmp_path: Path) -> None:
    partitions = {"left": {"nodes": "0-2"}, "right": {"nodes": "1, 3"}}
    lines = [line.split() for line in ROWS.splitlines()]
    rows = "\n".join(
        " ".join((*line[:15], str(place % 2 + 1), *line[16:])) for place, line in enumerate(lines)
    )
    forge_numbers(sound_state(tmp_path, {**SYSTEM, "partitions": partitions}, rows))


def test_what_preemption_announced_may_be_forged(tmp_path: Path) -> None:
    workload = tmp_path / "jobs.swf"
    workload.write_text(ROWS)
    queues = [
        sl.Queue("now", when="id == 12", preempt=sl.Preemption(1, grace=170)),
        sl.Queue("others"),
    ]
    simulation = sl.Simulation(workload, system=SYSTEM, scheduler="easy", queues=queues)
    simulation.run(until=300)
    simulation.save(tmp_path / "sound.state")
    _, engine = halves(tmp_path / "sound.state")
    times = [struct.pack("<q", seconds * 10**9) for seconds in (240, 410)]
    place = engine.index(b"".join(times))  # the announcement, at the arrival of job 12
    forge_numbers(tmp_path / "sound.state", range(place - 40, place + 90, 2))


def test_any_number_of_a_machine_with_licenses_may_be_forged(tmp_path: Path) -> None:
    header = "; Licenses: 1 a:2, b\n; Licenses: 2 a\n; ExtraFields: licenses\n"
    lines = ROWS.splitlines()
    rows = header + "\n".join(f"{line} {place % 3 or -1}" for place, line in enumerate(lines))
    forge_numbers(sound_state(tmp_path, {**SYSTEM, "licenses": {"a": 3, "b": 2}}, rows))


def forge_numbers(state: Path, places: range = range(0, 3_992, 24)) -> None:
    description, engine = halves(state)
    for turn, place in enumerate(places):
        if place + 8 > len(engine):
            break
        number = NUMBERS[turn % len(NUMBERS)]
        forge(state, description, engine[:place] + number + engine[place + 8 :])
        with contextlib.suppress(sl.SchedlabError, *FOUND_LATER):
            sl.Simulation.load(state).run(until=800)


def test_a_forged_length_takes_no_memory(state: Path) -> None:
    import resource

    description, engine = halves(state)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for place in range(0, 400, 8):
        forged = engine[:place] + struct.pack("<Q", len(engine) - place) + engine[place + 8 :]
        forge(state, description, forged + bytes(3_000_000))
        with pytest.raises(sl.SchedlabError):
            sl.Simulation.load(state)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes


def test_other_sizes_than_the_first_line_says(state: Path) -> None:
    content = state.read_bytes()
    line, _, rest = content.partition(b"\n")
    words = line.split()
    for sizes in ((b"9" * 30, b"0"), (b"0", b"\xb2"), (b"-1", b"5"), (b"5", b"5")):
        state.write_bytes(b" ".join([*words[:4], *sizes]) + b"\n" + rest)
        with pytest.raises(sl.InputError, match=r"is damaged|is not a state file"):
            sl.Simulation.load(state)


def test_a_pipe_is_not_a_state(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(sl.InputError, match="is a pipe, not a file"):
        sl.Simulation.load(tmp_path / "pipe")


TAGGED = [
    b"",
    b"\xff",
    b"[" * 100_000,
    b'{"a": 1}',
    b"{}",
    b'{"tuple": 1}',
    b'{"tuple": [], "set": []}',
    b'{"set": [[1]]}',
    b'{"dict": [[{"dict": []}, 1]]}',
    b'{"dict": [[1, 2, 3]]}',
    b'{"dict": 7}',
    b'{"float": "x"}',
    b'{"bytes": "xyz"}',
    b'{"bytes": 5}',
    b'{"deque": [-1, []]}',
    b'{"deque": []}',
    b'{"defaultdict": ["eval", {"dict": []}]}',
    b'{"defaultdict": ["int", []]}',
    b'{"Counter": {"dict": [[[], 1]]}}',
    b'{"OrderedDict": 5}',
    b'{"Random": {"tuple": [3, {"tuple": [1]}, null]}}',
    b'{"Random": 7}',
]


@pytest.mark.parametrize("text", TAGGED)
def test_states_of_policies(text: bytes) -> None:
    with pytest.raises(sl.InputError, match="the state of a policy is damaged"):
        state_text.decode(text)
