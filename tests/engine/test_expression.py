"""Score expressions against their naive twin; whatever the text, it is computed or refused."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import expression as oracle
from oracles.expression import bits

from schedlab import InputError
from schedlab._engine import Expression

VARIABLES = ["wait", "processors", "requested_time", "queue.length", "user"]
TABLES = ["data.usage", "weights"]
NUMBERS = ["0", "1", "2", "3", "4", "7.", "2.5", ".5", "0.1", "1e-15", "6.86e6", "1E+3", "1e308"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=", "and", "or"]
FUNCTIONS = ["log", "log2", "log10", "sqrt", "exp", "abs", "floor", "ceil"]
EMPTY: dict[str, dict[int, float]] = {name: {} for name in TABLES}
SHAPES = [
    *(f"a {operator} a" for operator in BINARY),
    *(f"{prefix}a" for prefix in ("-", "+", "not ")),
    *(f"{function}(a)" for function in FUNCTIONS),
    *(f"{table}[a]" for table in TABLES),
    "a if a else a",
    "if(a, a, a)",
    "pow(a, a)",
    "a, ...",
]


@st.composite
def joined(draw: st.DrawFn, smaller: st.SearchStrategy[str]) -> str:
    """Joins expressions with and without brackets: precedence decides what the text means."""

    def part() -> str:
        return draw(st.sampled_from(["{}", "({})"])).format(draw(smaller))

    shape = draw(st.sampled_from(SHAPES))
    if shape == "a, ...":
        parts = [part() for _ in range(draw(st.integers(1, 4)))]
        return f"{draw(st.sampled_from(['min', 'max']))}({', '.join(parts)})"
    return re.sub(r"\ba\b", lambda _: part(), shape)


leaves = st.one_of(
    st.sampled_from(VARIABLES),
    st.sampled_from(NUMBERS),
    st.floats(min_value=0, allow_infinity=False).map(repr),
)
expressions = st.recursive(leaves, joined, max_leaves=15)
values = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -2.5, math.inf, -math.inf, math.nan]),
    st.integers(-100, 100).map(float),
    st.floats(-1e6, 1e6),
    st.floats(),
)
rows = st.fixed_dictionaries(dict.fromkeys(VARIABLES, values))
tables = st.fixed_dictionaries(
    {name: st.dictionaries(st.integers(-3, 3) | st.just(2**53), values) for name in TABLES}
)


def assert_like_twin(text: str, given_rows: list[dict[str, float]], given_tables: dict) -> None:
    parsed = Expression(text, VARIABLES, TABLES)
    columns = {name: [row[name] for row in given_rows] for name in VARIABLES}
    results = parsed.evaluate(columns, given_tables)
    for result, row in zip(results, given_rows, strict=bool(parsed.variables)):
        expected = oracle.evaluate(text, row, given_tables)
        assert bits(result) == bits(expected), (result, expected)


@given(expressions, st.lists(rows, min_size=1, max_size=4), tables)
@example("wait ** 3", [dict.fromkeys(VARIABLES, 0.1)], EMPTY)
@example("wait ** (1 + 2)", [dict.fromkeys(VARIABLES, 0.1)], EMPTY)
@example("wait ** user", [dict.fromkeys(VARIABLES, 3.0)], EMPTY)
def test_same_as_the_twin(text, given_rows, given_tables):
    """Accepted by one and the other, or by none; the same bits."""
    try:
        oracle.evaluate(text, given_rows[0], given_tables)
    except oracle.RefusedError:
        with pytest.raises(InputError, match=r"^position "):
            Expression(text, VARIABLES, TABLES)
    else:
        assert_like_twin(text, given_rows, given_tables)


@given(st.sampled_from(BINARY), st.lists(st.tuples(values, values), min_size=1, max_size=20))
def test_operators_same_as_the_twin(operator, pairs):
    operands = [dict.fromkeys(VARIABLES, 0.0) | {"wait": a, "user": b} for a, b in pairs]
    assert_like_twin(f"wait {operator} user", operands, {})
    for a, b in pairs[:3]:  # and where constants are folded
        folded = f"({a!r}) {operator} ({b!r})".replace("inf", "(1/0)").replace("nan", "(0/0)")
        assert_like_twin(folded, operands[:1], {})


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 200])
def test_any_number_of_rows(count):
    parsed = Expression("-(wait / requested_time) ** 3 * processors", VARIABLES)
    wait = [float(i) for i in range(count)]
    results = parsed.evaluate(
        {"wait": wait, "requested_time": [7.0] * count, "processors": [4] * count}
    )
    assert results == [-(w / 7 * (w / 7) * (w / 7)) * 4 for w in wait]


@pytest.mark.parametrize("levels", [3, 5])
def test_wide_trees_fit_the_registers(levels):
    """The shape that needs most registers for its number of operations."""
    text = "-wait"
    for _ in range(levels):
        text = f"if({text}, {text}, {text})"
    assert_like_twin(f"({text}) + ({text})", [dict.fromkeys(VARIABLES, 2.0)], {})


def refusal(text: str, variables: list[str], is_open: bool = False) -> str | None:
    try:
        Expression(text, variables, TABLES, open=is_open)
    except InputError as error:
        return str(error)
    return None


def assert_refused_or_like_twin(text: str) -> None:
    message = refusal(text, VARIABLES)
    if message is not None:
        assert message.startswith("position ")
    elif re.search(r"(?<![\w.])0\d", text) is None:  # Python refuses 01
        assert_like_twin(text, [dict.fromkeys(VARIABLES, 1.5)], EMPTY)


@given(st.text() | st.binary().map(lambda b: b.decode("utf-8", "surrogateescape")))
@example("\0")
@example("1\0")
@example("\udc80")
def test_any_text(text):
    assert_refused_or_like_twin(text)


@given(st.text(alphabet="0123456789.eE+-*/%<>=!()[], wnotifanedrls_\n", max_size=40))
def test_any_text_of_likely_characters(text):
    assert_refused_or_like_twin(text)


WORDS = [*VARIABLES, *TABLES, *NUMBERS, *BINARY, "not", "if", "else", "min", *"()[], $"]
pieces = st.sampled_from(WORDS)


@given(st.data())
def test_mutated_expressions(data):
    text = data.draw(expressions)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        removed = data.draw(st.integers(0, 4))
        text = text[:at] + data.draw(pieces | st.text(max_size=2)) + text[at + removed :]
    assert_refused_or_like_twin(text)


@given(st.lists(pieces, max_size=30).map(" ".join), st.booleans())
def test_any_words(text, is_open):
    assert_refused_or_like_twin(text)
    message = refusal(text, [], is_open)
    assert message is None or message.startswith("position ")
