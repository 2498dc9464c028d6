"""A machine as a plain table in schedlab's layout, from which `load_system` makes it again."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.definition import System


def as_table(system: System) -> dict[str, Any]:
    """Returns what a system file would say: `load_system` of it is equal to the system."""
    return system.to_dict()


def as_toml(system: System) -> str:
    """Returns the text of a system file: tables with tables in them are sections of it."""
    from schedlab.toml_text import toml_key, toml_value  # run.json is not written in TOML

    lines: list[str] = []
    sections: dict[str, dict[str, Any]] = {}
    for key, value in as_table(system).items():
        entries = value if isinstance(value, dict) else {}
        inner = {name: one for name, one in entries.items() if isinstance(one, dict)}
        if not inner:
            lines.append(f"{key} = {toml_value(value)}")
        elif len(inner) < len(entries):
            sections[key] = {name: one for name, one in entries.items() if name not in inner}
        sections |= {f"{key}.{toml_key(name)}": one for name, one in inner.items()}
    for section, entries in sections.items():
        lines += ["", f"[{section}]"]
        lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"
