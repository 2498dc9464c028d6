"""The text of a JSON, TOML or YAML file as plain values; whatever is wrong is an InputError.

Each format's library is imported where it is used, so that a run pays for one at most.
"""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

MOST_CHARACTERS_OF_YAML = 2**20
"""Its parser takes about five seconds for as much."""


def parse(text: str, extension: str, label: str) -> object:
    """Returns the content of a file.

    Args:
        text: The file's text.
        extension: `.json`, `.toml`, `.yaml` or `.yml`; under any other one, text that begins
            with a brace is JSON (AccaSim's files are often called .config).
        label: What messages call the file.

    Raises:
        InputError: The text is not valid, with line and column where the parser knows them.
    """
    parser = _PARSERS.get(extension)
    if parser is None:
        if not text.lstrip().startswith("{"):
            raise InputError(
                f"{label}: unknown kind of file; name it {', '.join(_PARSERS)} after its content"
            )
        parser = _parse_json
    most = _most_characters(extension)
    if most is not None and len(text) > most:
        raise InputError(
            f"{label}: has more than {most:,} characters, which would take too long to read in "
            "this format; write it as JSON"
        )
    try:
        return parser(text, label)
    except RecursionError:
        raise InputError(f"{label}: is nested too deeply for a system file") from None


def _most_characters(extension: str) -> int | None:
    """Returns how long a text may be, of formats whose parsers are slow."""
    if extension == ".toml":
        from schedlab.toml_text import MOST_BYTES

        return MOST_BYTES
    return MOST_CHARACTERS_OF_YAML if extension in (".yaml", ".yml") else None


def _parse_json(text: str, label: str) -> object:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for key, value in pairs:
            if key in table:
                raise InputError(f"{label}: key {decode.shown(key)} appears twice in one object")
            table[key] = value
        return table

    def refuse(constant: str) -> NoReturn:
        raise InputError(f"{label}: {constant} is not a number in JSON; write a whole number")

    try:
        return _scan_json(text, unique, refuse)
    except (ImportError, AttributeError, TypeError, ValueError, StopIteration):
        import json  # it says what is wrong, and where
    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except json.JSONDecodeError as error:
        where = f"{label}:{error.lineno}:{error.colno}"
        raise InputError(f"{where}: not valid JSON: {error.msg}") from None
    except ValueError:  # Python's bound on the digits of an integer
        raise InputError(f"{label}: not valid JSON: a number has too many digits") from None


def _scan_json(
    text: str,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], dict[str, Any]],
    parse_constant: Callable[[str], NoReturn],
) -> object:
    """Returns what json.loads returns for a valid text, without importing json.

    The package json imports re, enum and functools for its messages: 8 ms, as much as starting
    Python. Its scanner alone, written in C, is loaded in no time.
    """
    from _json import make_scanner

    class Context:
        strict = True
        object_hook = None
        parse_float = float
        parse_int = int

    context: Any = Context()
    context.object_pairs_hook = object_pairs_hook
    context.parse_constant = parse_constant
    stripped = text.strip(" \t\n\r")
    value, end = make_scanner(context)(stripped, 0)
    if end < len(stripped):
        raise ValueError("text after the value")
    return value


def _parse_toml(text: str, label: str) -> object:
    from schedlab.toml_text import parse_toml

    return parse_toml(text, label)


def _parse_yaml(text: str, label: str) -> object:
    try:
        import yaml
    except ImportError:
        raise InputError(
            f"{label}: reading YAML needs PyYAML: pip install pyyaml (or write it as TOML or JSON)"
        ) from None

    def refuse(mark: yaml.Mark | None, problem: str) -> NoReturn:
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)

    class Loader(yaml.SafeLoader):
        """The safe loader without aliases (they can expand without bound) and lost keys."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                refuse(mark, "aliases are not read; write the value out")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value:
                if key.tag != "tag:yaml.org,2002:str" or not isinstance(key, yaml.ScalarNode):
                    refuse(key.start_mark, "the key must be text; put it in quotes")
                if key.value in seen:
                    refuse(key.start_mark, f"key {decode.shown(key.value)} appears twice")
                seen.add(key.value)
            return super().construct_mapping(node, deep)

    try:
        return Loader(text).get_single_data()
    except RecursionError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{label}:{mark.line + 1}:{mark.column + 1}" if mark else label
        raise InputError(f"{where}: not valid YAML: {error.problem or error.context}") from None
    except yaml.reader.ReaderError as error:
        raise InputError(f"{label}: not valid YAML: {error.reason}") from None
    except Exception as error:
        # PyYAML lets ValueError, IndexError, KeyError, AttributeError and others out, for
        # example on `!!int ""`, `!!bool x` and impossible dates.
        raise InputError(f"{label}: not valid YAML: a value cannot be read ({error})") from None


_PARSERS = {".json": _parse_json, ".toml": _parse_toml, ".yaml": _parse_yaml, ".yml": _parse_yaml}
