"""The long run by hand: `python -m tests.fuzz TARGET... --inputs N --seed S`, from the checkout."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

if str(Path(__file__).resolve().parents[1]) not in sys.path:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.harness import (
    damaged_input,
    hurried,
    run_target,
    store_findings,
    targets,
    work,
    write_input,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="which to try; all without one")
    parser.add_argument("--inputs", type=int, default=1_000, help="damaged inputs per target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", type=int, metavar="INDEX", help="try one input in this process")
    parser.add_argument("--findings", type=Path, help="where inputs that are faults are kept")
    parser.add_argument("--list", action="store_true", help="print the targets")
    parser.add_argument("--work", type=int, nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        first, last, channel = given.work
        with hurried():
            work(given.targets[0], given.seed, first, last, channel)
        return 0
    names = given.targets or list(targets())
    if given.list:
        print("\n".join(names))
        return 0
    if given.only is not None:
        return _try_one(names[0], given.seed, given.only)
    faults = 0
    folder = given.findings or Path(tempfile.gettempdir()) / "schedlab-fuzz"
    for name in names:
        summary = run_target(name, given.seed, given.inputs, processes=given.processes)
        print(summary, flush=True)
        kinds = Counter(finding.kind for finding in summary.findings)
        for kind, count in kinds.most_common():
            first = next(f.index for f in summary.findings if f.kind == kind)
            print(f"  {count} x {kind} (input {first})")
        store_findings(summary, folder)
        faults += len(summary.findings)
    if faults:
        print(f"{faults} faults; the inputs are in {folder}")
    return 1 if faults else 0


def _try_one(name: str, seed: int, index: int) -> int:
    target = targets()[name]
    sample = damaged_input(target, target.samples(), seed, index)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-")) / "input"
    write_input(sample, folder)
    print(f"input {index} of seed {seed}, made of {sample.name}, is in {folder}")
    try:
        with hurried():
            target.feed(sample.name, folder)
    except BaseException:
        traceback.print_exc()
        return 1
    print("accepted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
