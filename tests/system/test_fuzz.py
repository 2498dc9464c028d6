"""Whatever a system file holds, the reader returns a valid System or raises InputError."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.system import Group, System, load_system
from schedlab.system.parse import parse

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "system-file.md"
BLOCKS = [block.split("\n", 1) for block in PAGE.read_text().split("```")[1::2]]
VALID = [(language, text) for language, text in BLOCKS if language != "python"]
VALID += [("yaml", text) for language, text in BLOCKS if language == "json"]
FILES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
EXTENSIONS = st.sampled_from(["json", "toml", "yaml", "config"])
KEYS = st.sampled_from(
    ["name", "start_time", "processor", "groups", "nodes", "resources", "core", "mem", "g0",
     "system_name", "equivalence"]
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
        assert eval(repr(system), {"System": System, "Group": Group}) == system
        assert load_system(as_table(system)) == system


def same_as_json(text: str) -> bool:
    try:
        return repr(parse(f" {text}\n", ".json", "x")) == repr(json.loads(text))
    except InputError:
        return "NaN" in text or "Infinity" in text


def as_table(system: System) -> dict[str, object]:
    groups = {g.name: {"nodes": g.nodes, "resources": g.resources} for g in system.groups}
    return {
        "name": system.name,
        "start_time": system.start_time,
        "processor": system.processor,
        "groups": groups,
    }


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


FRAGMENTS = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", ":", ",", "=", "-", "\n", "\t", "#", "&a ", "*a", "!!int ", "<<",
     "!!timestamp ", "!!binary ", "!!set ", "!!bool ", "!!float ", "!!map ", "!!omap ", "? ", "| ",
     "%YAML 9.9\n", "---\n", "0x_", "0b", "1:99", "2024-99-99", "1e999", "NaN", ".inf", "null",
     "\\ud800", "\\UFFFFFFFF", "\0", "\u2028", "9" * 30, "true", "nodes", "core"]
)  # fmt: skip


@settings(FILES, max_examples=300)
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
