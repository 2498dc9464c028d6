"""State files: damaged as they are, and forged, with the checksum of what they hold."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from fuzz.harness import Sample, Target
from fuzz.run_folders import MACHINES

HEAD = 8_000
"""Bytes of the engine with jobs, queue and machine; the others are nearly all of histograms."""

WORKLOAD = """; UnixStartTime: 1704067200
""" + "\n".join(
    f"{n} {n * 40} -1 {300 + 7 * n} {1 + n % 9} -1 -1 {1 + n % 9} {900 + 7 * n} -1 1 {n % 4}"
    " 1 -1 1 -1 -1 -1"
    for n in range(1, 60)
)


@functools.cache
def samples() -> list[Sample]:
    """Returns states in the middle of simulations of several kinds, whole and in halves."""
    from schedlab.simulation import Simulation
    from schedlab.testing.plot_machines import conditions, connected, equipped
    from schedlab.testing.plot_runs import MIXED

    found = []
    with tempfile.TemporaryDirectory() as place:
        workload = Path(place, "workload.swf")
        workload.write_text(WORKLOAD)
        for machine in MACHINES:
            system = {"plain": dict, "platform": equipped, "network": connected}[machine](MIXED)
            simulation = Simulation(
                workload,
                system=system,
                scheduler="conservative" if machine == "plain" else "easy",
                allocator="best-fit",
                conditions=conditions(system) if machine == "platform" else None,
                estimate="history" if machine == "plain" else None,
            )
            simulation.run(until=1200)
            path = Path(place, "whole.state")
            simulation.save(path)
            name, content = f"whole {machine}", path.read_bytes()
            found.append(Sample(name, {"whole.state": content}))
            line = content.index(b"\n") + 1
            size = int(content[:line].split()[4])
            text, engine = content[line : line + size], content[line + size :]
            text = text.replace(str(workload).encode(), b"WORKLOAD")
            files = {"description.json": text, "head.bin": engine[:HEAD], "tail.bin": engine[HEAD:]}
            damaged = ("description.json", "head.bin", "head.bin")
            found.append(Sample(f"forged {machine}", files, damaged))
    return found


def feed(name: str, folder: Path) -> None:
    """Loads a state and continues with it."""
    from schedlab.cli.described_paths import described
    from schedlab.simulation import Simulation, state_file

    workload = folder / "workload.swf"
    workload.write_text(WORKLOAD)
    path = folder / "whole.state"
    if name.startswith("forged"):
        text = (folder / "description.json").read_bytes()
        text = text.replace(b"WORKLOAD", str(workload).encode())
        engine = b"".join((folder / one).read_bytes() for one in ("head.bin", "tail.bin"))
        state_file.write_halves(str(path), text, engine)
    described(str(path))
    given = {} if name.startswith("forged") else {"workload": workload}
    Simulation.load(path, **given).run()


TARGETS = [Target("state-files", samples, feed)]
