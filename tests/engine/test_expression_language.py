"""Score expressions mean what the language says; wrong ones are refused with place and reason."""

from __future__ import annotations

import math

import pytest
from oracles.expression import bits

from schedlab import InputError
from schedlab._engine import Expression


def score(text: str, **values: float) -> float:
    """Returns the value of an expression over plain variables."""
    parsed = Expression(text, list(values))
    return parsed.evaluate({name: [value] for name, value in values.items()})[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14),
        ("2 - 3 - 4", -5),
        ("2 / 4 / 8", 0.0625),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("(-2) ** 2", 4),
        ("2 ** -1", 0.5),
        ("2 ** -2 ** 2", 1 / 16),
        ("- -3", 3),
        ("+3", 3),
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("1 // 0.1", 9),
        ("-7 % 3", 2),
        ("7 % -3", -2),
        ("-3 % 3", 0),
        ("2 * 3 % 4", 2),
        ("1 + 1 == 2", 1),
        ("1 < 2", 1),
        ("2 != 2", 0),
        ("not 0 == 1", 1),
        ("not 3", 0),
        ("not not 3", 1),
        ("2 and 3", 1),
        ("0 or 5", 1),
        ("1 or 0 and 0", 1),
        ("not 1 or 1", 1),
        ("(0/0) and 1", 1),
        ("5 if 0/0 else 6", 5),
        ("5 if 0 else 6 if 0 else 7", 7),
        ("1 + 2 if 1 else 5", 3),
        ("if(0, 5, 6)", 6),
        ("if (1, 5, 6)", 5),
        ("5 if(0)else 6", 6),
        ("min(3)", 3),
        ("min(3, 1, 2)", 1),
        ("max(3, 1, 2)", 3),
        ("pow(2, 10)", 1024),
        ("log(exp(1))", 1),
        ("log2(8) + log10(1000)", 6),
        ("sqrt(16) + abs(-1) + floor(-1.5) + ceil(1.2)", 5),
        (".5 + 1. + 1e-1 + 1E+1", 11.6),
        (" 1\n+\t2\r\n", 3),
        ("x", 6),
        ("x_1.y2", 8),
    ],
)
def test_meaning(text, value):
    parsed = Expression(text, ["x", "x_1.y2"])
    assert parsed.evaluate({"x": [6.0], "x_1.y2": [8.0]}) == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 / 0", math.inf),
        ("-1 / 0", -math.inf),
        ("1 / -0", math.inf * -1),
        ("0 / 0", math.nan),
        ("1 // 0", math.inf),
        ("-1 // 0", -math.inf),
        ("0 // 0", math.nan),
        ("1 % 0", math.nan),
        ("log(0)", -math.inf),
        ("log(-1)", math.nan),
        ("sqrt(-1)", math.nan),
        ("exp(1000)", math.inf),
        ("10 ** 1000", math.inf),
        ("(-10) ** 1001", -math.inf),
        ("0 ** -1", math.inf),
        ("(-8) ** (1 / 3)", math.nan),
        ("1e308 * 10", math.inf),
        ("min(0/0, 1)", math.nan),
        ("min(1, 0/0)", math.nan),
        ("max(1, 0/0, 2)", math.nan),
        ("min(0, -0.)", 0.0),
        ("min(-0., 0)", -0.0),
        ("0/0 == 0/0", 0.0),
        ("floor(-0.)", -0.0),
    ],
)
def test_nothing_fails(text, value):
    assert bits(Expression(text, []).evaluate({})[0]) == bits(value)
    variable = text.replace("0/0", "x")
    assert bits(score(variable, x=math.nan)) == bits(value)


def test_powers_are_multiplied_out():
    x = 0.3
    assert x * x * x != math.pow(x, 3)
    assert (
        score("x ** 3", x=x) == score("pow(x, 3)", x=x) == score("x ** (1 + 2)", x=x) == x * x * x
    )
    assert score("x ** 4", x=x) == x * x * x * x
    assert score("x ** y", x=x, y=3) == math.pow(x, 3)
    assert score("x ** 5", x=x) == math.pow(x, 5)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (7, 2.5),
        (-1, 1),
        (-0.0, 4),
        (8, 0),
        (7.5, 0),
        (math.nan, 0),
        (math.inf, 0),
        (-math.inf, 0),
        (1e300, 0),
        (2.0**63, 0),
        (-(2.0**63), 9),
    ],
)
def test_tables(key, value):
    usage = {7: 2.5, -1: 1, 0: 4, -(2**63): 9, 2**63 - 1: 5}
    parsed = Expression("data.usage[user]", ["user"], ["data.usage"])
    assert parsed.evaluate({"user": [key]}, {"data.usage": usage}) == [value]
    assert parsed.tables == ["data.usage"]


def test_tables_of_tables():
    parsed = Expression("a[b[x] + 1] * a[2]", ["x"], ["b", "unused", "a"])
    assert parsed.evaluate({"x": [1]}, {"a": {2: 10, 5: 3}, "b": {1: 4}}) == [30]
    assert parsed.tables == ["b", "a"]


def test_names_in_use():
    parsed = Expression("c + a * c", ["a", "b", "c"])
    assert (parsed.variables, parsed.tables, parsed.text) == (["a", "c"], [], "c + a * c")
    assert Expression("2 * 3", ["a"]).evaluate({}) == [6]


def test_open_takes_attributes_of_jobs():
    parsed = Expression("priority + wait * gpus + priority", ["wait"], open=True)
    assert parsed.variables == ["wait", "priority", "gpus"]
    assert parsed.evaluate({"priority": [1], "wait": [2], "gpus": [3]}) == [8]
    for text in ("queue.size", "True", "None", "lambda", "min", "prio()", "prio[1]"):
        with pytest.raises(InputError):
            Expression(text, ["wait"], open=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 + 2 * wiat",
            'position 9: unknown name "wiat"; did you mean "wait"? known: wait, q.size',
        ),
        (
            "q.sizes",
            'position 1: unknown name "q.sizes"; did you mean "q.size"? known: wait, q.size',
        ),
        ("x", 'position 1: unknown name "x"; known: wait, q.size'),
        ("x" * 50, f'position 1: unknown name "{"x" * 40}..."; known: wait, q.size'),
        ("use[1]", 'position 1: unknown table "use"; did you mean "used"? known: used'),
        (
            "sqr(2)",
            'position 1: unknown function "sqr"; did you mean "sqrt"? known: '
            "min, max, log, log2, log10, sqrt, exp, abs, floor, ceil, pow, if",
        ),
        ("wait(2)", 'position 1: "wait" is a number, not a function'),
        ("used(2)", 'position 1: "used" is a table; write used[key]'),
        ("1 + used", 'position 5: "used" is a table; write used[key]'),
        ("wait[2]", 'position 1: "wait" is a number, not a table'),
        ("log + 1", 'position 1: "log" is a function; write log(...)'),
        ("log(1, 2)", "position 1: log takes 1 argument, not 2"),
        ("1 + log()", "position 5: log takes 1 argument, not 0"),
        ("pow(2)", "position 1: pow takes 2 arguments, not 1"),
        ("if(1, 2)", "position 1: if takes 3 arguments, not 2"),
        ("min()", "position 1: min takes 1 or more arguments, not 0"),
        ("(1 + 2", 'position 7: expected ")" for the "(" at position 1, not the end'),
        ("(1 2)", 'position 4: expected ")" for the "(" at position 1, not "2"'),
        ("max(1, 2", 'position 9: expected ")" for the "(" at position 4, not the end'),
        ("used[1", 'position 7: expected "]" for the "[" at position 5, not the end'),
        ("used[1)", 'position 7: expected "]" for the "[" at position 5, not ")"'),
        ("1 +", "position 4: expected a value, not the end"),
        ("1 + * 2", 'position 5: expected a value, not "*"'),
        ("min(1,)", 'position 7: expected a value, not ")"'),
        ("()", 'position 2: expected a value, not ")"'),
        ("and 1", 'position 1: expected a value, not "and"'),
        ("1 + not 2", 'position 5: expected a value, not "not"; put not ... in brackets here'),
        ("if 1", 'position 1: expected a value, not "if"; write a if c else b, or if(c, a, b)'),
        ("1 if 2", 'position 7: expected "else" for the "if" at position 3, not the end'),
        ("1 2", 'position 3: unexpected "2" after the end of the expression'),
        ("1)", 'position 2: unexpected ")" after the end of the expression'),
        ("", "position 1: the expression is empty"),
        (" \n", "position 1: the expression is empty"),
        ("1 $ 2", 'position 3: unexpected character "$"'),
        ("wait = 2", 'position 6: unexpected character "="; did you mean "=="?'),
        ("1 && 2", 'position 3: unexpected character "&"; did you mean "and"?'),
        ("1 || 2", 'position 3: unexpected character "|"; did you mean "or"?'),
        ("!wait", 'position 1: unexpected character "!"; did you mean "not"?'),
        ("2 ^ 3", 'position 3: unexpected character "^"; did you mean "**"?'),
        ("2 \u00d7 3", "position 3: unexpected byte 0xC3; an expression is plain ASCII text"),
        ("1 +\0 2", "position 4: unexpected byte 0x00; an expression is plain ASCII text"),
        ("\ud800", "position 1: unexpected byte 0xED; an expression is plain ASCII text"),
        ("1.2.3", 'position 1: "1.2.3" is not a number'),
        ("2e", 'position 1: "2e" is not a number'),
        ("1_000", 'position 1: "1_000" is not a number'),
        ("0x10", 'position 1: "0x10" is not a number'),
        ("3j", 'position 1: "3j" is not a number'),
        (
            "1e999",
            'position 1: "1e999" is out of range: a number is at most about 1.8e308, '
            "at least 5e-324",
        ),
        (
            "1 < wait < 3",
            "position 10: comparisons cannot be chained; "
            "instead of a < b < c write a < b and b < c",
        ),
    ],
)
def test_messages(text, message):
    with pytest.raises(InputError) as error:
        Expression(text, ["wait", "q.size"], ["used"])
    assert str(error.value) == message


def test_message_without_any_names():
    with pytest.raises(InputError, match=r'unknown name "x"; known: none$'):
        Expression("x", [])


def test_evaluation_needs_its_columns():
    parsed = Expression("a + b * t[1]", ["a", "b"], ["t"])
    with pytest.raises(InputError, match='the expression needs the column "b"'):
        parsed.evaluate({"a": [1]}, {"t": {}})
    with pytest.raises(InputError, match='the expression needs the table "t"'):
        parsed.evaluate({"a": [1], "b": [1]})
    with pytest.raises(InputError, match="the columns differ in their number of rows"):
        parsed.evaluate({"a": [1], "b": [1, 2]}, {"t": {}})


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("(", ")"),
        ("-", ""),
        ("+", ""),
        ("not ", ""),
        ("log(", ")"),
        ("t[", "]"),
        ("x ** ", ""),
        ("if(x, x, ", ")"),
        ("x if x else ", ""),
    ],
)
def test_nesting_is_limited(begin, end):
    Expression(begin * 100 + "x" + end * 100, ["x"], ["t"])
    with pytest.raises(InputError, match="nested more than 100 levels deep"):
        Expression(begin * 101 + "x" + end * 101, ["x"], ["t"])
    with pytest.raises(InputError, match=r"nested more than 100 levels deep|too long"):
        Expression(begin * 9_000, ["x"], ["t"])


def test_length_is_limited():
    assert Expression(" " * 9_999 + "1", []).evaluate({}) == [1]
    with pytest.raises(InputError, match="10001 bytes, where at most 10,000 are allowed"):
        Expression(" " * 10_000 + "1", [])


def test_operations_are_limited():
    assert score("x" + "+x" * 1000, x=1) == 1001
    with pytest.raises(
        InputError, match="position 2004: the expression has more than 1,000 operations"
    ):
        score("x" + "+x" * 1001, x=1)
    with pytest.raises(InputError, match="more than 1,000 operations"):
        score(f"min({','.join(['x'] * 1002)})", x=1)
    assert Expression("1" + "+1" * 4_000, []).evaluate({}) == [4_001]


ATTEMPTS = [
    "__import__('os').system('true')",
    "__import__",
    "__builtins__",
    "wait.__class__",
    "wait.__class__.__bases__[0]",
    "(1).__class__",
    "1 .real",
    "lambda: 1",
    "lambda x: x",
    "[1, 2]",
    "[x for x in wait]",
    "{1: 2}",
    "(1, 2)",
    "'text'",
    '"text"',
    'f"{wait}"',
    "wait := 1",
    "wait; wait",
    "import os",
    "exec(1)",
    "eval(wait)",
    "open(1)",
    "print(wait)",
    "min(*wait)",
    "min(key=wait)",
    "wait is wait",
    "wait in wait",
    "wait @ wait",
    "~wait",
    "wait << 1",
    "wait if True else None",
    "...",
    "await wait",
    "yield",
    "wait # comment",
    "wait \\\n + 1",
    "weights[1:2]",
    "weights[1, 2]",
    "weights[1][2]",
    "weights.get(1)",
    "log(2)(3)",
]


@pytest.mark.parametrize("text", ATTEMPTS)
@pytest.mark.parametrize("is_open", [False, True])
def test_python_is_out_of_reach(text, is_open):
    if is_open and text == "__import__":
        text = "__import__.os"  # a name like any other, of an attribute that no job has
    if is_open and text in ("__builtins__", "yield"):
        text += "()"
    with pytest.raises(InputError, match=r"^position "):
        Expression(text, ["wait"], ["weights"], open=is_open)
