"""Files that say what to run: TOML that people write, and run.json of a run."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

from fuzz.harness import Sample, Target

SPEC = """workload = "w.swf"
scheduler = "easy(order=shortest, depth=10)"
allocator = "best-fit"
data = ["link-use"]
rules = "alea"
estimate = "exact"
dispatch_per = "event"
keep = "phase"
mapping = "cyclic"
accuracy = 0.2
alone = true
seed = 18446744073709551615
[system]
name = "small"
[system.groups.node]
nodes = 4
resources = { core = 2 }
[system.network]
topology = "torus"
dimensions = [2, 2]
bandwidth = 1e9
delay = 1e-6
host_bandwidth = 1e9
host_delay = 1e-6
[[windows]]
start = 100
end = 200.5
nodes = "0-1"
when = "user == 3"
[[queues]]
name = "short"
priority = 2
when = "estimate < 60"
[[queues]]
name = "rest"
[conditions]
seed = 3
[conditions.failure_trace]
outages = [[0, 10, 20]]
[objects]
job_factory = "mine:longer"
"""


@functools.cache
def samples() -> list[Sample]:
    """Returns a file of each kind; jobs, which no file holds, are given beside."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "spec.toml")
        path.write_text(SPEC)
        _run(path, out=f"{place}/run")
        run = json.loads(Path(place, "run/run.json").read_text())
    run["simulator"] = dict.fromkeys(run["simulator"], 1)
    return [
        Sample("spec.toml", {"spec.toml": SPEC.encode()}),
        Sample("run.json", {"run.json": json.dumps(run).encode()}),
    ]


def _jobs() -> list[object]:
    import schedlab as sl

    given = {"attributes": {"phase": 1}, "user": 3}
    return [sl.Job(i, submit=10 * i, run=50, processors=1 + i % 4, **given) for i in range(1, 8)]


def _run(path: Path, **how: object) -> None:
    import schedlab as sl

    spec = sl.RunSpec.from_file(path)
    assert sl.RunSpec.from_data(spec.to_data()) == spec
    spec.command(out="somewhere")
    spec.to_toml()
    given = {"workload": _jobs(), "reader": None, "job_factory": None}
    spec.replace(**given).simulate(**how)


def _simulate(name: str, folder: Path) -> None:
    _run(folder / name)


TARGETS = [Target("specs", samples, _simulate)]
