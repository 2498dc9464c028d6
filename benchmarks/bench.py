"""The benchmarks: python benchmarks/bench.py [--only NAME ...] [--quick] [--json FILE].

CPU time and peak memory of whole processes, beside AccaSim 1.1.3 where a ratio is demanded. See
benchmarks/README.md. Exit status: 0 all demands met, 1 one is not, 2 something could not be run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time

import cases
import open_engine
from cases import Bench, Row
from measure import BenchmarkError, Runner

CASES = {**cases.CASES, **open_engine.CASES}

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
HEADINGS = ("case", "CPU s", "median", "MB", "peer CPU s", "peer MB", "figure", "demanded", "")


def arguments() -> argparse.Namespace:
    """Returns the parsed command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    bench = os.path.join(ROOT, ".bench")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=CASES, help=", ".join(CASES))
    parser.add_argument("--quick", action="store_true", help="about a minute, smaller workloads")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--repetitions", type=int, default=7, help="runs of a fast case (7)")
    parser.add_argument("--python", default=os.path.join(bench, "schedlab", "bin", "python"))
    parser.add_argument("--peer-python", default=os.path.join(bench, "accasim", "bin", "python"))
    parser.add_argument("--scratch", default=os.path.join(bench, "scratch"))
    parser.add_argument(
        "--traces",
        default=os.path.join(os.path.dirname(ROOT), "shared", "traces"),
        metavar="FOLDER",
    )
    return parser.parse_args()


def cells(row: Row) -> tuple[str, ...]:
    """Returns a row of the table as text."""
    ours, peer = row.ours, row.peer
    verdict = "" if row.met is None else "PASS" if row.met else "FAIL"
    return (
        row.case,
        f"{ours.least:.3f}" if ours else "",
        f"{ours.middle:.3f}" if ours else "",
        f"{ours.megabytes:.1f}" if ours else "",
        f"{peer.least:.2f}" if peer else "",
        f"{peer.megabytes:.1f}" if peer else "",
        row.figure,
        row.demanded,
        verdict,
    )


def print_table(rows: list[Row]) -> None:
    """Prints all rows, columns aligned; text to the left, numbers to the right."""
    table = [HEADINGS, *(cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADINGS))]
    for line in table:
        aligned = [
            text.rjust(width) if 1 <= column <= 5 else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(aligned).rstrip())


def as_json(rows: list[Row], quick: bool) -> dict[str, object]:
    """Returns the figures for programs."""
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, {platform.release()}",
        "time": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "quick": quick,
        "rows": [
            {
                "case": row.case,
                "ours": vars(row.ours) if row.ours else None,
                "peer": vars(row.peer) if row.peer else None,
                "value": row.value,
                "figure": row.figure,
                "demanded": row.demanded,
                "met": row.met,
            }
            for row in rows
        ],
    }


def main() -> int:
    """Runs the benchmarks and returns the exit status."""
    given = arguments()
    os.makedirs(given.scratch, exist_ok=True)
    scratch = os.path.abspath(given.scratch)
    # Not resolved: a virtual environment's interpreter is a link, known by its own path.
    python, peer_python = os.path.abspath(given.python), os.path.abspath(given.peer_python)
    if not os.path.exists(python):
        print(f"{python}: not there; `make bench` creates it", file=sys.stderr)
        return 2
    bench = Bench(
        Runner(python, peer_python, scratch), given.traces, given.repetitions, given.quick
    )
    failed = False
    for name in given.only or CASES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            CASES[name](bench)
        except BenchmarkError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    print_table(bench.rows)
    for reason in bench.skipped:
        print(f"skipped: {reason}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(as_json(bench.rows, given.quick), file, indent=2)
            file.write("\n")
    if failed:
        return 2
    return 1 if any(row.met is False for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
