"""Finds places in C++ sources where one small mistake can be planted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OTHER = {"==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&"}
ASSIGNED = {"+=": "-=", "-=": "+="}
EXTREMES = {"std::min": "std::max", "std::max": "std::min"}
NUMBER = re.compile(r"(\d+)(\.0)?([uUlLfF]*)")
NOT_WITHIN = {  # where no value of run time can stand, or nothing but a message depends on it
    "array_declarator",
    "attribute_declaration",
    "bitfield_clause",
    "case_statement",
    "enumerator",
    "preproc_if",
    "static_assert_declaration",
    "template_argument_list",
    "throw_statement",
}
CONSTANTS = {"declaration", "field_declaration", "function_definition"}
LEFT_OUT = {"expression_statement", "continue_statement", "break_statement"}
NOT_FUNCTIONS = {"validate"}  # which only the build of the sanitizers calls


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes:
        file: Path below the folder of the engine.
        function: Name of the function that it is in.
        line: From 1.
        kind: What was done, such as "boundary".
        before: The text of the expression or statement.
        after: What stands in its place; empty where a statement is left out.
        start: Where the text begins, in bytes.
        end: Where it ends.
    """

    file: str
    function: str
    line: int
    kind: str
    before: str
    after: str
    start: int
    end: int

    @property
    def change(self) -> str:
        """What it does, on one line; does not change where lines are moved."""
        return " ".join(f"{self.before} -> {self.after or 'nothing'}".split())

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.function}): {self.change}"


def find(path: Path, name: str, parse: Callable[[bytes], Any]) -> list[Mutant]:
    """Returns the mutants of a file in the order of their places.

    Args:
        path: The file.
        name: What mutants call it.
        parse: Returns the tree-sitter tree of a source.
    """
    source = path.read_bytes()
    found: list[Mutant] = []

    def text(node: Any) -> str:
        return source[node.start_byte : node.end_byte].decode()

    def walk(node: Any, function: str | None) -> None:
        constant = text(node).startswith(("constexpr", "static constexpr"))
        if node.type in NOT_WITHIN or (constant and node.type in CONSTANTS):
            return
        if node.type == "function_definition":
            declarator = node.child_by_field_name("declarator")
            function = _name_of(declarator, text)
            body = node.child_by_field_name("body")
            if body is not None and function.split("::")[-1] not in NOT_FUNCTIONS:
                walk(body, function)
            return
        if function is not None:
            for kind, after in _changes(node, text):
                place = node.start_byte, node.end_byte
                line = node.start_point[0] + 1
                found.append(Mutant(name, function, line, kind, text(node), after, *place))
        for child in node.children:
            walk(child, function)

    walk(parse(source).root_node, None)
    return found


def _name_of(declarator: Any, text: Callable[[Any], str]) -> str:
    while (inner := declarator.child_by_field_name("declarator")) is not None:
        declarator = inner
    return text(declarator)


def _changes(node: Any, text: Callable[[Any], str]) -> Iterator[tuple[str, str]]:
    """Yields the kind and the new text of each mistake that can be made with a node."""

    def with_operator(operator: Any, other: str) -> str:
        whole, at = text(node), operator.start_byte - node.start_byte
        data = whole.encode()
        return (data[:at] + other.encode() + data[at + len(text(operator)) :]).decode()

    if node.type in ("binary_expression", "assignment_expression"):
        operator = node.child_by_field_name("operator")
        for kind, table in (("boundary", BOUNDARY), ("operator", OTHER), ("operator", ASSIGNED)):
            if text(operator) in table:
                yield kind, with_operator(operator, table[text(operator)])
    elif node.type in ("number_literal", "true", "false"):
        yield from _other_literal(text(node))
    elif node.type == "call_expression":
        called = text(node.child_by_field_name("function"))
        for name, other in EXTREMES.items():
            if re.fullmatch(rf"{name}(<.*>)?", called):
                yield "extreme", other + text(node)[len(name) :]
    elif node.type == "condition_clause" and node.parent.type == "if_statement":
        value = node.child_by_field_name("value")
        if value is not None and not any(c.type == "init_statement" for c in node.children):
            yield "negation", f"(!({text(value)}))"
    elif (node.type in LEFT_OUT and text(node) != ";") or text(node) == "return;":
        yield "left out", ""


def _other_literal(literal: str) -> Iterator[tuple[str, str]]:
    if literal in ("true", "false"):
        yield "constant", "false" if literal == "true" else "true"
        return
    number = NUMBER.fullmatch(literal)
    if number is not None:
        value = {"0": "1", "1": "0"}.get(number[1], str(int(number[1]) + 1))
        yield "constant", value + (number[2] or "") + number[3]
