"""Tables of files as definitions, with the path of what is wrong."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.fields import REQUIRED, Declaration, Defined, keys

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeVar

    Made = TypeVar("Made", bound=Defined)


class Tables:
    """How the tables of a file are read.

    Args:
        null: What to do about a value that is null, for messages; None: where a field may be
            None, null is.
        hints: What to do about keys that are not known, by key.
        names_keys: Whether messages say which keys belong in a table.
        folder: Where relative paths begin.
    """

    def __init__(
        self,
        *,
        null: str | None = None,
        hints: dict[str, str] | None = None,
        names_keys: bool = True,
        folder: str = "",
    ) -> None:
        self.folder = folder
        self._null, self._hints, self._names_keys = null, hints, names_keys

    def read(self, kind: type[Made], given: object, path: str) -> Made:
        """Returns the definition that a table describes.

        Args:
            kind: Its class.
            given: The table.
            path: Where it is written.

        Raises:
            InputError: With the path of what is wrong.
        """
        known = keys(kind)
        table = decode.table(given, path, decode.listed(known) if self._names_keys else "fields")
        decode.refuse_unknown(table, known, path, self._hints)
        require(kind._declared, table, path)
        return self.made(kind, self.values(kind, table, path), path)

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
            if field.key in table and not field.is_key:
                value, where = table[field.key], decode.child(path, field.key)
                if field.read is not None:
                    value = field.read(value, where, self)
                elif field.sort == "part":
                    value = self.read(field.facts["kind"], value, where)
                elif field.sort == "parts":
                    value = self._several(field.facts["kind"], value, where)
                found[field.name] = value
        return found

    def _several(self, kind: type[Made], given: object, path: str) -> list[Made]:
        if not isinstance(given, list):
            raise InputError(
                f"{path}: must be a list of tables, such as [[{path}]] (is {decode.shown(given)})"
            )
        return [self.read(kind, one, f"{path}[{number}]") for number, one in enumerate(given, 1)]


def require(declared: Iterable[Declaration], table: Mapping[str, Any], path: str) -> None:
    """Raises InputError for a field that has no default and is not in the table."""
    for field in declared:
        if field.default is REQUIRED and not field.is_key and field.key not in table:
            raise InputError(
                f"{decode.child(path, field.key)}: is missing; add it, such as "
                f"{field.key} = {field.example}"
            )
