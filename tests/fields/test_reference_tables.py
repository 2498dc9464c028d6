"""The tables of the documentation say what the declarations say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fields.reference_tables import IN_NO_TABLE, TABLES, ReferenceTable

from schedlab.fields import REQUIRED, Defined
from schedlab.fields.documentation import default_of
from schedlab.options import CHOICES, FLAGS, OPTIONS, Options
from schedlab.simulation.spec import schemas

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PLAIN = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def tables_of(page: str) -> dict[str, list[list[str]]]:
    """Returns the tables of a page by the heads of their first columns; links are their texts."""
    found: dict[str, list[list[str]]] = {}
    current: list[list[str]] | None = None
    for line in (REFERENCE / f"{page}.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            current = None
            continue
        cells = [cell.strip() for cell in PLAIN.sub(r"\1", line).strip("|").split(" | ")]
        if current is None:
            current = []
            found.setdefault(cells[0], current)
        current.append(cells)
    return found


@pytest.mark.parametrize("table", TABLES, ids=lambda one: f"{one.page}: {one.heading}")
def test_a_table_says_what_the_declarations_say(table: ReferenceTable):
    wanted = [line.strip("|") for line in table.lines()]
    written = tables_of(table.page).get(table.heading)
    assert written is not None, f"{table.page}.md has no table {table.heading}"
    cells = [[cell.strip() for cell in line.split(" | ")] for line in wanted]
    # Write this into the page; links may be added.
    assert written[2:] == cells[2:], "\n" + "\n".join(table.lines())


def test_every_definition_of_files_has_a_table():
    documented = {table.kind for table in TABLES} | IN_NO_TABLE
    assert {one for one in schemas._KNOWN.values() if isinstance(one, type)} <= documented


@pytest.mark.parametrize("name", OPTIONS)
def test_options_are_documented_as_they_are_declared(name: str):
    option = OPTIONS[name]
    page = (REFERENCE / "options.md").read_text(encoding="utf-8")
    (row,) = [
        [cell.strip() for cell in PLAIN.sub(r"\1", line).strip("|").split(" | ")]
        for line in page.splitlines()
        if line.startswith(f"| `{name}` | `--")
    ]
    _, flag, values, default, meaning = row
    assert flag.startswith(f"`--{name.replace('_', '-')}`")
    assert meaning.startswith(option.meaning)
    if name in CHOICES:
        assert values.startswith(", ".join(f"`{word}`" for word in CHOICES[name]))
        assert default == f"`{option.default}`"
    elif name in FLAGS:
        assert (values, default) == ("true, false", "false")
    else:
        assert values == option.values
        assert default.strip("`") == default_of(option).replace('"', "").strip("`")


def declared() -> list[type[Defined]]:
    """Returns all classes of schedlab that declare fields."""
    found, waiting = [], [Defined]
    while waiting:
        kinds = waiting.pop().__subclasses__()
        waiting += kinds
        found += [kind for kind in kinds if kind.__module__.startswith("schedlab.")]
    return found


@pytest.mark.parametrize("kind", [one for one in declared() if one is not Options], ids=str)
def test_declarations_are_whole(kind: type[Defined]):
    for field in kind._declared:
        known = {"name", "key", "sort", "check", "meaning", "default", "facts"}
        known |= {"unit", "values", "absent", "example", "compared", "hidden", "is_key", "made"}
        known |= {"read", "written", "needed", "lends", "beside", "stored", "taken", "write"}
        known |= {"group", "forms", "metavar"}
        assert vars(field).keys() <= known, field.name
        assert field.meaning, field.name
        assert not field.meaning.endswith("."), field.name
        in_table = field.stored and not (field.is_key or field.hidden or field.beside)
        if in_table and field.default is REQUIRED:
            assert field.example, f"{field.name}: the message that it is missing needs an example"
    for line in str(kind.__doc__).splitlines():
        assert len(line) <= 100, line
