"""What became of mutants: a line each in a file, and a table by source file."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

from .operators import Mutant

ENGINE = Path(__file__).resolve().parents[2] / "engine"
SEEN = ("killed", "timeout")


@cache
def equivalents() -> dict[str, list[dict[str, str]]]:
    """Returns the rows of `equivalent.toml` by file."""
    return tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text())


def reason(mutant: Mutant) -> str | None:
    """Returns why no test can distinguish the mutant from the original; None where one should."""
    for row in equivalents().get(mutant.file, ()):
        same = (row["function"], row["change"]) == (mutant.function, mutant.change)
        if same and row.get("on", "") in _line(mutant):
            return row["reason"]
    return None


def _line(mutant: Mutant) -> str:
    return (ENGINE / mutant.file).read_text().splitlines()[mutant.line - 1]


def latest(results: Path, what: str = "outcome") -> dict[int, str]:
    """Returns the last outcome of each mutant, or by which test it was."""
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    return {row["number"]: row[what] for row in rows}


def seen_by(results: Path, tests: str) -> list[int]:
    """Returns those that a test of a file killed."""
    return [number for number, by in latest(results, "by").items() if by.startswith(tests)]


def survivors(results: Path, mutants: dict[int, Mutant]) -> list[int]:
    """Returns those that no test saw and that are not known to be equivalent."""
    return [
        number
        for number, outcome in latest(results).items()
        if number in mutants and outcome not in SEEN and reason(mutants[number]) is None
    ]


def print_table(results: Path, mutants: dict[int, Mutant]) -> None:
    """Prints the counts by file."""
    counts: dict[str, Counter[str]] = {}
    for number, outcome in latest(results).items():
        if number not in mutants:
            continue
        mutant = mutants[number]
        equivalent = outcome not in SEEN and reason(mutant) is not None
        counts.setdefault(mutant.file, Counter())["equivalent" if equivalent else outcome] += 1
    kinds = ("killed", "timeout", "survived", "unreached", "equivalent")
    print(f"\n{'file':34}{'possible':>10}{'planted':>10}" + "".join(f"{k:>11}" for k in kinds))
    total: Counter[str] = Counter()
    for file, of_file in counts.items():
        possible = sum(mutant.file == file for mutant in mutants.values())
        row = {"possible": possible, "planted": of_file.total(), **of_file}
        total.update(row)
        _print_row(file, row, kinds)
    _print_row("all", total, kinds)


def _print_row(name: str, row: dict[str, int], kinds: tuple[str, ...]) -> None:
    numbers = "".join(f"{row.get(kind, 0):>11}" for kind in kinds)
    print(f"{name:34}{row['possible']:>10}{row['planted']:>10}{numbers}")
