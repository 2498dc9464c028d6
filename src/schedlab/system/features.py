"""Features of nodes, and expressions over them, such as `a100 & !ib`: part of Slurm's constraints.

expression  = both ("|" both)*
both        = one ("&" one)*
one         = "!" one | "(" expression ")" | feature
"""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from schedlab.system.definition import System

    Holds = Callable[[AbstractSet[str]], bool]

MAX_FEATURES = 1_000
SIGNS = "&|!()"
NOT_IN_NAMES = frozenset(SIGNS + "[]*,;\"' ")
"""Blanks, signs of expressions, and others of Slurm's that mean what is not supported."""

_DEEPEST = 100
_LONGEST = 2_000

FEATURES_SCHEMA = {
    "type": "array",
    "items": {"type": "string", "pattern": r"^[^ &|!()\[\]*,;\"']+$"},
    "uniqueItems": True,
    "maxItems": MAX_FEATURES,
}


def checked_features(value: object, path: str) -> tuple[str, ...]:
    """Returns a list of features; raises InputError, beginning with the path."""
    if isinstance(value, str) or not hasattr(value, "__iter__") or isinstance(value, dict):
        raise InputError(f'{path}: must be a list of names, such as ["a100", "ib"]')
    features = tuple(value)
    decode.refuse_more(len(features), MAX_FEATURES, path)
    for place, name in enumerate(features, 1):
        if not isinstance(name, str) or not _is_feature(name):
            raise InputError(
                f"{path}[{place}]: must be a name without blanks, quotes and the signs "
                f"{SIGNS}[]*,; (is {decode.shown(name)})"
            )
        if name in features[: place - 1]:
            raise InputError(f"{path}[{place}]: {decode.shown(name)} is there twice")
    return features


def _is_feature(name: str) -> bool:
    return bool(name) and name.isprintable() and NOT_IN_NAMES.isdisjoint(name)


def group_features(system: System) -> list[frozenset[str]]:
    """Returns the features of the nodes of each group: its own and those of its node type."""
    return [
        frozenset((*group.features, *(group.type.features if group.type is not None else ())))
        for group in system.groups
    ]


class Constraint:
    """What a job needs of its nodes, parsed.

    Args:
        text: The expression.

    Raises:
        InputError: It is not one.

    Attributes:
        features: Those that it names, in order.
    """

    def __init__(self, text: str) -> None:
        self.features: list[str] = []
        self._text, self._depth = text, 0
        if len(text) > _LONGEST:
            raise self._wrong(f"has more than {_LONGEST:,} characters")
        self._words = _words(text)
        self._next = 0
        self._holds = self._expression()
        if self._next < len(self._words):
            raise self._wrong(f"{decode.shown(self._word())} is where & or | must be")

    def holds(self, features: AbstractSet[str]) -> bool:
        """Returns whether a node with these features has what is needed."""
        return self._holds(features)

    def _expression(self) -> Holds:
        parts = [self._both()]
        while self._take("|"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda has: any(part(has) for part in parts)

    def _both(self) -> Holds:
        parts = [self._one()]
        while self._take("&"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else lambda has: all(part(has) for part in parts)

    def _one(self) -> Holds:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong("is nested too deeply")
        holds = self._innermost()
        self._depth -= 1
        return holds

    def _innermost(self) -> Holds:
        if self._take("!"):
            inner = self._one()
            return lambda has: not inner(has)
        if self._take("("):
            inside = self._expression()
            if not self._take(")"):
                raise self._wrong('a ")" is missing')
            return inside
        name = self._word()
        if not _is_feature(name):
            found = f"{decode.shown(name)} is" if name else "it ends"
            unsupported = any(sign in name for sign in "[]*,")
            more = "; lists in brackets, counts and commas are not supported" if unsupported else ""
            raise self._wrong(f"{found} where the name of a feature must be{more}")
        self._next += 1
        self.features.append(name)
        return lambda has: name in has

    def _word(self) -> str:
        return self._words[self._next] if self._next < len(self._words) else ""

    def _take(self, sign: str) -> bool:
        found = self._word() == sign
        self._next += found
        return found

    def _wrong(self, what: str) -> InputError:
        return InputError(f"needs {decode.shown(self._text)}: {what}")


def _words(text: str) -> list[str]:
    """Returns signs, and what stands between them and blanks."""
    for sign in SIGNS:
        text = text.replace(sign, f" {sign} ")
    return text.split()


def nodes_that_have(constraint: Constraint, system: System) -> list[tuple[int, int]]:
    """Returns the nodes that fulfil a constraint as (first, count), apart from each other."""
    ranges: list[tuple[int, int]] = []
    first = 0
    for group, features in zip(system.groups, group_features(system), strict=True):
        if constraint.holds(features):
            if ranges and sum(ranges[-1]) == first:
                ranges[-1] = (ranges[-1][0], ranges[-1][1] + group.nodes)
            else:
                ranges.append((first, group.nodes))
        first += group.nodes
    return ranges
