"""Whatever a system file holds, the reader returns a valid System or raises InputError."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conftest import no_fewer_than
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedlab import system as definitions
from schedlab.errors import InputError
from schedlab.system import load_system
from schedlab.system.parse import parse
from schedlab.system.platform import for_engine
from schedlab.system.table import as_table, as_toml

NAMES = [name for name in definitions.__all__ if name[0].isupper()]
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "system-file.md"
BLOCKS = [block.split("\n", 1) for block in PAGE.read_text().split("```")[1::2]]
VALID = [(language, text) for language, text in BLOCKS if language != "python"]
VALID += [("yaml", text) for language, text in BLOCKS if language == "json"]
FILES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
EXTENSIONS = st.sampled_from(["json", "toml", "yaml", "config"])
KEYS = st.sampled_from(
    ["name", "start_time", "processor", "groups", "nodes", "resources", "core", "mem", "g0",
     "system_name", "equivalence", "processors", "node_types", "type", "rack", "like", "cores",
     "clock", "power", "steps", "contention", "platform", "node", "number", "clusters"]
) | st.text(max_size=4)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-1, 9)
    | st.floats()
    | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
)
AMOUNTS = st.dictionaries(KEYS, st.integers(0, 9) | SCALARS, max_size=3)
OWN_GROUPS = st.fixed_dictionaries(
    {}, optional={"nodes": st.integers(1, 9) | SCALARS, "resources": AMOUNTS, "core": SCALARS}
)
TABLES = st.fixed_dictionaries(
    {"groups": st.dictionaries(KEYS, OWN_GROUPS | AMOUNTS | SCALARS, max_size=3)},
    optional={
        "name": SCALARS,
        "start_time": SCALARS,
        "processor": AMOUNTS,
        "resources": AMOUNTS,
        "equivalence": st.dictionaries(KEYS, AMOUNTS, max_size=2),
        "system_name": SCALARS,
    },
)

TYPED = [
    (tomllib.loads if language == "toml" else json.loads)(text)
    for language, text in VALID
    if language in ("toml", "json") and ("node_types" in text or '"platform"' in text)
]
EDITS = SCALARS | st.floats(0, 9) | st.sampled_from([{}, [], [{}], {"like": "a"}, {"core": 1}])


def check(folder: Path, extension: str, content: bytes) -> None:
    path = folder / f"fuzz.{extension}"
    path.write_bytes(content)
    check_source(path)


def check_source(source: Path | dict[str, object]) -> None:
    try:
        system = load_system(source)
    except InputError as error:
        message = str(error)
        assert message.isprintable(), message
        assert len(message) < 2_000
    else:
        assert system.nodes >= 1
        assert any(system.processor.values())
        assert eval(repr(system), {name: getattr(definitions, name) for name in NAMES}) == system
        assert load_system(as_table(system)) == system
        assert load_system(tomllib.loads(as_toml(system))) == system
        assert (for_engine(system) is not None) == system.platform
        assert all(text.isprintable() for text in system.warnings)


def same_as_json(text: str) -> bool:
    try:
        return repr(parse(f" {text}\n", ".json", "x")) == repr(json.loads(text))
    except InputError:
        return "NaN" in text or "Infinity" in text


@FILES
@given(EXTENSIONS, st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_fuzz_bytes(tmp_path: Path, extension: str, content: bytes) -> None:
    check(tmp_path, extension, content)


@FILES
@given(VALUES | TABLES)
def test_fuzz_values(tmp_path: Path, value: object) -> None:
    text = json.dumps(value)
    assert same_as_json(text)
    check(tmp_path, "json", text.encode())
    check(tmp_path, "yaml", text.encode())
    if isinstance(value, dict):
        check_source(value)


def paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the way to every value of nested tables and lists."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
    for key, entry in inner:
        yield (*path, key)
        if isinstance(entry, (dict, list)):
            yield from paths(entry, (*path, key))


@settings(FILES, max_examples=no_fewer_than(300))
@given(st.sampled_from(TYPED), st.data())
def test_fuzz_types(valid: dict[str, Any], data: st.DataObject) -> None:
    """Platforms in which one or two values are something else, or are missing."""
    table = copy.deepcopy(valid)
    for _ in range(data.draw(st.integers(0, 2))):
        *parents, last = data.draw(st.sampled_from(list(paths(table))))
        place: Any = table
        for step in parents:
            place = place[step]
        if data.draw(st.booleans()):
            place[last] = copy.deepcopy(data.draw(EDITS))
        else:
            del place[last]
        if not table:
            break
    check_source(table)


FRAGMENTS = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", ":", ",", "=", "-", "\n", "\t", "#", "&a ", "*a", "!!int ", "<<",
     "!!timestamp ", "!!binary ", "!!set ", "!!bool ", "!!float ", "!!map ", "!!omap ", "? ", "| ",
     "%YAML 9.9\n", "---\n", "0x_", "0b", "1:99", "2024-99-99", "1e999", "NaN", ".inf", "null",
     "\\ud800", "\\UFFFFFFFF", "\0", "\u2028", "9" * 30, "true", "nodes", "core"]
)  # fmt: skip


@settings(FILES, max_examples=no_fewer_than(300))
@given(
    st.sampled_from(VALID),
    st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 3), FRAGMENTS | st.text(max_size=2)),
        min_size=1,
        max_size=3,
    ),
)
def test_fuzz_mutations(
    tmp_path: Path, valid: tuple[str, str], edits: list[tuple[int, int, str]]
) -> None:
    extension, text = valid
    for at, removed, inserted in edits:
        text = text[:at] + inserted + text[at + removed :]
    check(tmp_path, extension, text.encode())
