"""The command line: build an area, sweep over it."""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path

from . import report, schemata
from .areas import AREAS, Area
from .operators import Mutant, find

ROOT = Path(__file__).resolve().parents[2]


def planted() -> dict[int, Mutant]:
    """Returns the mutants of all areas by number."""
    try:
        import tree_sitter_cpp
        from tree_sitter import Language, Parser
    except ImportError:
        sys.exit("this needs tree-sitter: pip install tree-sitter tree-sitter-cpp")
    parser = Parser(Language(tree_sitter_cpp.language()))
    found = [
        mutant
        for area in AREAS.values()
        for file in area.files
        for mutant in find(ROOT / "engine" / file, file, parser.parse)
    ]
    if len(found) > schemata.MOST:
        sys.exit(f"{len(found)} mutants; there is room for {schemata.MOST}")
    return dict(enumerate(found))


def sample(mutants: dict[int, Mutant], most: int, seed: int) -> list[int]:
    """Returns the numbers of at most N mutants of each file, the same ones for a seed."""
    chosen = []
    for file in dict.fromkeys(mutant.file for mutant in mutants.values()):
        numbers = [number for number, mutant in mutants.items() if mutant.file == file]
        draw = random.Random(f"{seed} {file}")
        chosen += sorted(draw.sample(numbers, min(most, len(numbers))))
    return chosen


def main() -> None:
    """Reads the arguments and does what they say."""
    parser = argparse.ArgumentParser(prog="mutation", description=__doc__)
    parser.add_argument("command", choices=["list", "build", "sweep"])
    parser.add_argument("area", nargs="?", choices=sorted(AREAS), default="dispatch")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutation")
    parser.add_argument("--most", type=int, default=20, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="compilers at a time")
    parser.add_argument("--examples", type=int, default=100, help="of a property, as a profile has")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="most CPU time of the tests of one mutant"
    )
    parser.add_argument("--again", action="store_true", help="only those that survived before")
    parser.add_argument(
        "--without", metavar="FILE", help="only those that tests of this file saw, without the file"
    )
    parser.add_argument("--match", default="", help="only mutants whose line of text has this")
    options = parser.parse_args()
    tree = options.folder
    if options.command == "list":
        for number, mutant in planted().items():
            print(number, mutant.kind, mutant)
    elif options.command == "build":
        mutants = planted()
        left_out = schemata.build_without_refused(ROOT / "engine", tree, mutants, options.jobs)
        schemata.save(tree / "planted.json", mutants, left_out)
        schemata.package(ROOT / "src" / "schedlab", tree)
        print(f"{len(mutants)} mutants, {len(left_out)} of which do not compile")
    else:
        mutants, left_out = schemata.load(tree / "planted.json")
        area = AREAS[options.area]
        usable = {
            number: mutant
            for number, mutant in mutants.items()
            if number not in left_out and mutant.file in area.files
        }
        chosen = sample(usable, options.most, options.seed)
        results = tree / f"{options.area}.jsonl"
        if options.again:
            chosen = report.survivors(results, usable)
        elif results.exists():  # of a sweep that was interrupted
            tried = report.latest(results)
            chosen = [number for number in chosen if number not in tried]
        if options.without:
            chosen = report.seen_by(results, options.without)
            results = tree / f"{options.area}.without.jsonl"
            area = Area(area.files, tuple(test for test in area.tests if test != options.without))
        chosen = [number for number in chosen if options.match in str(usable[number])]
        os.environ["SCHEDLAB_MUTANTS"] = str(tree / f"board-{os.getpid()}")
        sys.path.insert(0, str(tree / "site"))
        os.environ["PYTHONPATH"] = str(tree / "site")  # for what tests start
        from .sweep import sweep

        sweep(
            ROOT,
            area,
            usable,
            chosen,
            results,
            examples=options.examples,
            most_seconds=options.seconds,
        )
        report.print_table(results, usable)


if __name__ == "__main__":
    main()
