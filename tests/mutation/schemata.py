"""Writes sources in which every mutant stands under a test of its number, and builds them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .operators import Mutant

MOST = 20_000
HEADER = f"""
#pragma once
namespace schedlab_mutants {{
struct Board {{
  int active;                      // the number of the mutant that is in force
  unsigned char reached[{MOST}];  // whether a place was come by
}};
extern Board* board;
inline bool is(int number) {{
  board->reached[number] = 1;
  return board->active == number;
}}
}}
"""
BOARD = """
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include "mutants.hpp"
namespace schedlab_mutants {
namespace {
Board none{-1, {}};
Board* shared() {
  const char* path = std::getenv("SCHEDLAB_MUTANTS");
  const int file = path == nullptr ? -1 : open(path, O_RDWR);
  if (file < 0) return &none;
  void* found = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return found == MAP_FAILED ? &none : static_cast<Board*>(found);
}
}
Board* board = shared();
}
"""


def instrumented(source: bytes, mutants: dict[int, Mutant]) -> tuple[bytes, dict[int, int]]:
    """Returns a source with its mutants, and the number of the mutant of each line that has one.

    A mutant's text stands on lines of its own, so that a compiler's message names it. It has no
    other mutants in it: only one is in force at a time.
    """
    around: dict[tuple[int, int], list[int]] = {}
    for number, mutant in mutants.items():
        around.setdefault((mutant.start, mutant.end), []).append(number)
    places = sorted(around, key=lambda place: (place[0], -place[1]))

    def render(start: int, end: int, inner: list[tuple[int, int]]) -> bytes:
        """Returns the text of a stretch; `inner` are the places in it, outermost first."""
        out, at = b"", start
        while inner:
            place = inner[0]
            within = [other for other in inner[1:] if other[1] <= place[1]]
            inner = [other for other in inner[1:] if other[0] >= place[1]]
            out += source[at : place[0]] + wrap(place, render(*place, within))
            at = place[1]
        return out + source[at:end]

    def wrap(place: tuple[int, int], text: bytes) -> bytes:
        for number in around[place]:
            mutant = mutants[number]
            test = f"::schedlab_mutants::is({number})".encode()
            after = " ".join(mutant.after.split()).encode()
            mark = f" /*mutant {number}*/".encode()
            if mutant.kind == "left out":
                text = b"{ if (!" + test + b") {\n" + text + b"\n} }"
            elif mutant.kind == "negation":
                text = b"(" + test + b" !=" + mark + b" static_cast<bool>\n" + text + b")"
            else:
                text = b"(" + test + b" ?\n(" + after + b")" + mark + b"\n: (" + text + b"))"
        return text

    changed = render(0, len(source), places)
    lines = {}
    for at, line in enumerate(changed.decode().splitlines(), 1):
        if mark := re.search(r"/\*mutant (\d+)\*/", line):
            lines[at] = int(mark[1])
    return changed, lines


def write_tree(engine: Path, tree: Path, mutants: dict[int, Mutant]) -> dict[str, dict[int, int]]:
    """Writes the sources with these mutants into a tree of their own; returns lines by file."""
    texts = {"engine/mutants.hpp": HEADER.encode(), "engine/mutants.cpp": BOARD.encode()}
    texts["CMakeLists.txt"] = (engine.parent / "CMakeLists.txt").read_bytes()
    lines = {}
    for path in engine.rglob("*.?pp"):
        file = path.relative_to(engine).as_posix()
        own = {number: one for number, one in mutants.items() if one.file == file}
        texts[f"engine/{file}"], lines[file] = instrumented(path.read_bytes(), own)
    for name, text in texts.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text:  # else nothing of it is built again
            path.write_bytes(text)
    return lines


def complaints(tree: Path, files: set[str]) -> dict[str, str]:
    """Returns the compiler's messages about these files, of those for which it has some.

    This is quick, and saves most builds that would fail: a header is part of many files.
    """
    compiler = ["c++", "-std=c++20", "-fsyntax-only", "-w", "-fmax-errors=0", "-x", "c++"]
    found = {}
    for file in sorted(files):
        command = [*compiler, "-I", "engine", "-include", "engine/mutants.hpp", f"engine/{file}"]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            found[file] = done.stderr
    return found


def build(tree: Path, jobs: int) -> str:
    """Compiles the tree and returns the compiler's messages, empty if all went well."""
    import nanobind

    path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
    cmake = shutil.which("cmake", path=path) or "cmake"
    options = [
        "-DSKBUILD=ON",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG",
        f"-DCMAKE_CXX_FLAGS=-include {tree}/engine/mutants.hpp -w -fmax-errors=0",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-Dnanobind_DIR={nanobind.cmake_dir()}",
    ]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    if ninja := shutil.which("ninja", path=path):
        options += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    subprocess.run([cmake, "-S", tree, "-B", tree / "build", *options], check=True, stdout=2)
    keep_going = ["--", "-k", "0" if ninja else ""]
    done = subprocess.run(
        [cmake, "--build", tree / "build", "-j", str(jobs), *(keep_going if ninja else [])],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def refused(messages: str, lines: dict[str, dict[int, int]]) -> set[int]:
    """Returns the numbers of the mutants that the compiler's messages name."""
    places = r"engine/([\w/]+\.[ch]pp):(\d+)(?::\d+)?:"
    for pattern in (rf"{places} error", places):  # at worst, what a message about the rest names
        found = {
            lines[file][int(line)]
            for file, line in re.findall(pattern, messages)
            if int(line) in lines.get(file, {})
        }
        if found:
            return found
    return set()


def build_without_refused(
    engine: Path, tree: Path, mutants: dict[int, Mutant], jobs: int
) -> set[int]:
    """Builds, leaving out mutants that do not compile; returns their numbers.

    Raises:
        RuntimeError: The compiler complains of something else.
    """
    left_out: set[int] = set()
    unchecked = {mutant.file for mutant in mutants.values()}
    while True:
        kept = {number: one for number, one in mutants.items() if number not in left_out}
        lines = write_tree(engine, tree, kept)
        by_file = complaints(tree, unchecked)
        unchecked = set(by_file)
        messages = "".join(by_file.values()) or build(tree, jobs)
        if not messages:
            return left_out
        more = refused(messages, lines)
        if not more:
            raise RuntimeError(messages[-4_000:])
        print(f"{len(more)} mutants do not compile and are left out", file=sys.stderr, flush=True)
        left_out |= more


def package(source: Path, tree: Path) -> Path:
    """Makes a copy of the Python package with the engine of the tree; returns its folder."""
    site = tree / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(source, site / "schedlab", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for built in (tree / "build").glob("_engine*.so"):
        shutil.copy(built, site / "schedlab")
    return site


def save(path: Path, mutants: dict[int, Mutant], left_out: set[int]) -> None:
    """Writes what was planted."""
    rows = [vars(mutant) | {"number": number} for number, mutant in mutants.items()]
    path.write_text(json.dumps({"mutants": rows, "left_out": sorted(left_out)}))


def load(path: Path) -> tuple[dict[int, Mutant], set[int]]:
    """Returns what `save` wrote."""
    saved = json.loads(path.read_text())
    return {row.pop("number"): Mutant(**row) for row in saved["mutants"]}, set(saved["left_out"])
