"""Tables of files as definitions, with the path of what is wrong."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import REQUIRED, Declaration, Defined, in_table, keys

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeVar

    Made = TypeVar("Made", bound=Defined)


class Tables:
    """How the tables of a file are read.

    Args:
        null: What to do about a value that is null, for messages; None: where a field may be
            None, null is.
        folder: Where relative paths begin.

    Attributes:
        known: Definitions that fields further on refer to by name: by what they are, such as "node
            type", and by name.
    """

    def __init__(self, *, null: str | None = None, folder: str = "") -> None:
        self.folder = folder
        self.known: dict[str, Mapping[str, Any]] = {}
        self._null = null

    def read(self, kind: type[Made], given: object, path: str, name: str | None = None) -> Made:
        """Returns the definition that a table describes.

        Args:
            kind: Its class.
            given: The table.
            path: Where it is written.
            name: The key of the table, which names the definition.

        Raises:
            InputError: With the path of what is wrong.
        """
        table = decode.table(given, path, decode.listed(keys(kind)))
        check_keys(kind, table, path)
        require(kind, table, path)
        values = self.values(kind, table, path)
        if name is not None:
            values["name"] = name
        return self.made(kind, values, path)

    def made(self, kind: type[Made], values: Mapping[str, Any], path: str) -> Made:
        """Returns a definition of arguments; messages begin with the path of the table."""
        folder = {"folder": self.folder} if kind._reads_files else {}
        try:
            return kind(**values, **folder)
        except InputError as error:
            if kind._prefix(values) or not path:  # it names the whole path itself
                raise
            raise InputError(f"{path}.{error}") from None

    def values(self, kind: type[Defined], table: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Returns the arguments of a constructor that a table with known keys has.

        Tables in the table are definitions then.

        Raises:
            InputError: With the path of what is wrong.
        """
        if self._null is not None:
            for key, value in table.items():
                if value is None:  # an empty value in YAML is not the default
                    raise InputError(f"{decode.child(path, key)}: is empty; {self._null}")
        found = {}
        for field in kind._declared:
            if field.beside:
                beside = field.facts["kind"]
                found[field.name] = self.made(beside, self.values(beside, table, path), path)
            elif field.key in table and not field.is_key:
                value = self._value(field, table[field.key], decode.child(path, field.key))
                if field.taken:
                    found[field.name] = value
        return found

    def several(self, kind: type[Made], given: object, path: str) -> list[Made]:
        """Returns the definitions of a list of tables.

        Raises:
            InputError: With the path of what is wrong.
        """
        if not isinstance(given, list):
            needed = [one for one in in_table(kind._declared) if one.default is REQUIRED]
            inline = ", ".join([f"{one.key} = {one.example}" for one in needed])
            example = f"[{{ {inline} }}]" if "." in path else f"[[{path}]]"
            raise InputError(
                f"{path}: must be a list of tables, such as {example} (is {decode.shown(given)})"
            )
        return [self.read(kind, one, f"{path}[{number}]") for number, one in enumerate(given, 1)]

    def _by_name(self, field: Declaration, given: object, path: str) -> list[Any]:
        """Returns the definitions of tables by name."""
        example = f"{field.key}, such as [{field.key}.{field.example}]"
        tables = decode.table(given, path, example)
        decode.refuse_more(len(tables), field.facts["most"], path)
        kind = field.facts["kind"]
        return [
            self.read(kind, one, decode.child(path, name), name) for name, one in tables.items()
        ]

    def named(self, what: str, name: object, path: str) -> Any:
        """Returns the definition that a field refers to by name.

        Args:
            what: What it is, such as "node type".
            name: Of one that was read before.
            path: Where the name is written.

        Raises:
            InputError: There is none of that name.
        """
        known = self.known.get(what, {})
        return known[decode.one_of(name, known, path, what)]

    def _value(self, field: Declaration, given: Any, path: str) -> Any:
        if field.read is not None:
            return field.read(given, path, self)
        if field.sort == "part":
            return self.read(field.facts["kind"], given, path)
        if field.sort != "parts":
            return given
        if field.facts["by_name"]:
            return self._by_name(field, given, path)
        return self.several(field.facts["kind"], given, path)


def check_keys(kind: type[Defined], table: dict[str, Any], path: str) -> None:
    """Raises InputError for a key that tables of that kind do not have."""
    decode.refuse_unknown(table, keys(kind), path, kind._hints(table))


def require(kind: type[Defined], table: Mapping[str, Any], path: str) -> None:
    """Raises InputError for a field that has no default and is not in the table."""
    for field in in_table(kind._declared):
        if (field.needed or field.default is REQUIRED) and field.key not in table:
            add = f"add it, such as {field.key} = {field.example}"
            if field.facts.get("by_name"):
                add = f"add at least one, such as [{field.key}.{field.example}]"
            raise InputError(f"{decode.child(path, field.key)}: is missing; {add}")


def of_text(field: Declaration, text: str) -> Any:
    """Returns a value as a constructor takes it, of a text that stands for it: `depth=5`.

    What is wrong with it is said by the constructor.
    """
    for kind in (int, float) if field.sort in ("whole", "number") else ():
        try:
            return kind(text)
        except ValueError:
            pass
    return text
