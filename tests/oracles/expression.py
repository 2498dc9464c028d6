"""The naive twin of score expressions: Python's parser, a whitelist of nodes, a value at a time."""

import ast
import math
import operator
import re
import struct
from collections.abc import Callable, Mapping
from functools import reduce

Row = Mapping[str, float]
Tables = Mapping[str, Mapping[int, float]]


class RefusedError(Exception):
    """The text is not an expression of the language."""


def bits(value: float) -> bytes:
    """Returns what two equal results have in common: every bit, except of NaN."""
    return b"nan" if math.isnan(value) else struct.pack("<d", value)


def _is_odd(x: float) -> bool:
    return math.isfinite(x) and abs(math.fmod(x, 2)) == 1


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _power(a: float, b: float) -> float:
    negative = math.copysign(1, a) < 0 and _is_odd(b)
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if negative else math.inf
    except ValueError:
        if a != 0:
            return math.nan
        return -math.inf if negative else math.inf


def _log(of: Callable[[float], float]) -> Callable[[float], float]:
    def log(x: float) -> float:
        if x == 0:
            return -math.inf
        return math.nan if x < 0 else of(x)

    return log


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _whole(of: Callable[[float], int]) -> Callable[[float], float]:
    # The C functions keep the sign of a zero; Python's integers have none.
    return lambda x: math.copysign(float(of(x)), x) if math.isfinite(x) else x


def _first(better: Callable[[float, float], bool]) -> Callable[..., float]:
    def choose(a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            return math.nan
        return b if better(b, a) else a

    return lambda *values: reduce(choose, values)


_FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "min": (0, _first(operator.lt)),
    "max": (0, _first(operator.gt)),
    "log": (1, _log(math.log)),
    "log2": (1, _log(math.log2)),
    "log10": (1, _log(math.log10)),
    "sqrt": (1, lambda x: math.nan if x < 0 else math.sqrt(x)),
    "exp": (1, _exp),
    "abs": (1, abs),
    "floor": (1, _whole(math.floor)),
    "ceil": (1, _whole(math.ceil)),
    "pow": (2, _power),
    "if_": (3, lambda c, a, b: a if c else b),
}
_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divide,
    ast.FloorDiv: lambda a, b: a // b if b != 0 else _divide(a, b),
    ast.Mod: lambda a, b: a % b if b != 0 else math.nan,
}
_COMPARISONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_UNARY = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_}


def parse(text: str) -> ast.expr:
    """Returns Python's tree of the text; the function if(c, a, b) is called if_ in it."""
    before, renamed = "(", text
    for word in re.finditer(r"[\w.]+|\S", text):
        after_value = re.fullmatch(r"(?!(?:and|or|not|if|else)$)[\w.]+|[)\]]", before)
        if word[0] == "if" and not after_value:
            end = word.end() + len(renamed) - len(text)
            renamed = renamed[:end] + "_" + renamed[end:]
        before = word[0]
    try:
        return ast.parse(f"({renamed})", mode="eval").body
    except (SyntaxError, ValueError) as error:  # a NUL is a ValueError
        raise RefusedError(str(error)) from None


def evaluate(text: str, row: Row, tables: Tables) -> float:
    """Returns the value of an expression for one row."""
    return _value(parse(text), row, tables)


def _value(node: ast.expr, row: Row, tables: Tables) -> float:
    def value(part: ast.expr) -> float:
        return float(_value(part, row, tables))

    match node:
        case ast.Constant(value=int() | float() as number) if type(number) is not bool:
            return float(number)
        case ast.Name() | ast.Attribute() if (name := ast.unparse(node)) in row:
            return row[name]
        case ast.Subscript() if (name := ast.unparse(node.value)) in tables:
            key = value(node.slice)
            return tables[name].get(int(key), 0.0) if key.is_integer() else 0.0
        case ast.UnaryOp():
            return float(_UNARY[type(node.op)](value(node.operand)))
        case ast.BinOp(op=ast.Pow()):
            return _raised(node.left, node.right, value)
        case ast.BinOp() if type(node.op) in _BINARY:
            return _BINARY[type(node.op)](value(node.left), value(node.right))
        case ast.Compare(ops=[only]) if type(only) in _COMPARISONS:
            return float(_COMPARISONS[type(only)](value(node.left), value(node.comparators[0])))
        case ast.BoolOp():
            join = all if isinstance(node.op, ast.And) else any
            return float(join([value(part) != 0 for part in node.values]))
        case ast.IfExp():
            condition, a, b = value(node.test), value(node.body), value(node.orelse)
            return a if condition else b
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            count, function = _FUNCTIONS[name]
            if not args or count not in (0, len(args)):
                raise RefusedError(name)
            return _raised(*args, value) if name == "pow" else function(*map(value, args))
    raise RefusedError(ast.dump(node))


def _raised(base: ast.expr, exponent: ast.expr, value: Callable[[ast.expr], float]) -> float:
    names = (node.id for node in ast.walk(exponent) if isinstance(node, ast.Name))
    power = value(exponent)
    if all(name in _FUNCTIONS for name in names) and power in (2, 3, 4):
        return reduce(operator.mul, [value(base)] * int(power))
    return _power(value(base), power)
