"""The checksums of inputs as run.json holds them: XXH64, 16 hexadecimal digits."""

from __future__ import annotations

from schedlab._engine import Checksum
from schedlab.results.json_text import to_json
from schedlab.system.table import as_table

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system import System


def system_checksum(system: System) -> str:
    """Returns that of a machine's definition.

    Not of its file: that may be gone by now, or may have been a pipe; and the same machine may be
    written in several formats.
    """
    checksum = Checksum()
    checksum.add(to_json(as_table(system)).encode())
    return checksum.hex()


def workload_checksum(path: str, reader: str | None = None) -> str:
    """Returns that of a workload's content, decompressed, as a run that read all of it has it.

    Args:
        path: The file.
        reader: Name of what reads it; None: what the file is.

    Raises:
        InputError: It cannot be read.
    """
    from schedlab.workload import Reader
    from schedlab.workload.formats import workload

    made = workload(path, reader)
    if isinstance(made, str):  # the engine reads its bytes
        made = Reader(made)
        with made.content() as content:
            while content.read(1 << 20):
                pass
    else:
        for _ in made.tables() if made.gives_tables else made.jobs():
            pass
    return made.checksum()


def conditions_checksums(described: Any, place: str = "conditions") -> dict[str, str]:
    """Returns those of all series of conditions that have several rows, by place in run.json.

    Args:
        described: What run.json holds of them, or a part of that.
        place: Where it is.
    """
    table = dict(enumerate(described)) if isinstance(described, list) else described
    found: dict[str, str] = {}
    for name, value in table.items():
        if name == "checksum":
            found[place] = value
        elif isinstance(value, (dict, list)):
            found |= conditions_checksums(value, f"{place}.{name}")
    return found
