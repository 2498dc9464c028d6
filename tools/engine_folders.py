"""Checks which folders of the engine include which; a part of `make lint`.

A file includes files of its own folder and of those that its folder may know. Nothing knows the
bindings, and what is not listed here does not exist.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[1] / "engine"
BINDINGS = "bindings"

BELOW = {
    "base": (),
    "jobs": ("base",),
    "workload": ("jobs",),
    "machine": ("jobs",),
    "expression": ("base",),
    "execution": ("machine",),
    "execution/platform": ("execution",),
    "execution/failures": ("machine",),
    "execution/network/topology": ("base",),
    "execution/network/transport": ("execution/network/topology",),
    "execution/network/phase": ("execution/network/transport", "jobs"),
    "execution/network/ranks": ("execution/network/phase", "execution"),
    "dispatch": ("expression", "machine", "workload"),
    "dispatch/allocators": ("dispatch", "execution/platform", "execution/network/topology"),
    "dispatch/schedulers/plans": ("dispatch/allocators",),
    "dispatch/schedulers": ("dispatch/schedulers/plans",),
    "results": ("dispatch", "execution/platform", "execution/failures", "execution/network/ranks"),
    "simulation": ("dispatch/schedulers", "results"),
}
"""The folders right below each: it may include those, and whatever they may include."""

_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)', re.MULTILINE)


def known_to(folder: str) -> set[str]:
    """Returns the folders whose files those of a folder may include, itself among them."""
    return {folder}.union(*(known_to(one) for one in BELOW[folder]))


def problems() -> list[str]:
    """Returns what is wrong, a line each."""
    found = []
    for path in sorted(path for path in ENGINE.rglob("*") if path.is_file()):
        file = path.relative_to(ENGINE).as_posix()
        folder = file.rpartition("/")[0]
        mirrored = folder.removeprefix(BINDINGS).lstrip("/")
        is_binding = folder.split("/")[0] == BINDINGS
        if mirrored not in BELOW and not (is_binding and not mirrored):
            found.append(f"engine/{file}: its folder is not in tools/engine_folders.py")
            continue
        known = set(BELOW) if is_binding else known_to(folder)
        place = f"engine/{file}"
        for quote, included in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            other = included.rpartition("/")[0]
            if not (ENGINE / included).is_file():
                if quote == "<":
                    continue  # a header of a library
                found.append(f'{place}: "{included}" is not a path below engine/')
            elif other.split("/")[0] == BINDINGS:
                if not is_binding:
                    found.append(
                        f'engine/{file}: includes "{included}"; nothing knows the bindings'
                    )
            elif other not in known:
                found.append(
                    f'engine/{file}: includes "{included}"; {folder} does not know {other}'
                )
    return found


if __name__ == "__main__":
    found = problems()
    print("\n".join(found))
    sys.exit(1 if found else 0)
