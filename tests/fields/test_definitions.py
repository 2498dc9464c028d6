"""Declared fields: constructors, checks, plain data, equality, tables of files, documentation."""

from __future__ import annotations

import inspect
import pickle

import pytest

from schedlab.errors import ArgumentError, InputError
from schedlab.fields import (
    Defined,
    file_key,
    identifier,
    keys,
    number,
    other,
    part,
    parts,
    table,
    text,
    whole,
    word,
)
from schedlab.fields.documentation import table as documented
from schedlab.fields.reading import Tables
from schedlab.fields.schema import schema_of


class Wheel(Defined):
    """A wheel."""

    radius: float = number("from hub to tyre", unit="m", above=0, maximum=2, example="0.35")
    spokes: int = whole("how many", minimum=3, maximum=100, default=36)


class Bicycle(Defined):
    """Something to ride on."""

    name: str = identifier("what it is called", is_key=True)
    wheels: tuple[Wheel, ...] = parts(Wheel, "the wheels", default=())
    spare: Wheel | None = part(Wheel, "one to carry", default=None)
    from_: str = word(("shop", "friend"), "where it comes from", default="shop")
    colours: dict[str, int] = table(
        lambda value, _: dict(value), "by part", default=None, written={}
    )
    serial: int = other(
        lambda value, _: int(value), "its number", values="digits", default=0, written={}
    )
    note: str = text("for people", default="", compared=False)
    like = file_key("another bicycle", default=None, lends=True, written={"type": "string"})

    @classmethod
    def _prefix(cls, named):
        return f"bicycles.{named['name']}."

    def _complete(self) -> None:
        if self.spare is not None and not self.wheels:
            raise InputError(f"bicycles.{self.name}.spare: is for bicycles with wheels")


def test_arguments_are_taken_by_place_and_by_name():
    assert Wheel(0.3, 32) == Wheel(spokes=32, radius=0.3) != Wheel(0.3)
    assert repr(Wheel(1)) == "Wheel(radius=1.0, spokes=36)"
    assert pickle.loads(pickle.dumps(Wheel(1))) == Wheel(1)
    assert len({Wheel(1), Wheel(1.0), Wheel(2)}) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Wheel(), "Wheel.. missing 'radius'"),
        (lambda: Wheel(1, 2, 3), r"Wheel\(\) takes 2 without a name, not 3"),
        (lambda: Wheel(1, radios=2), "Wheel.. takes no 'radios'; did you mean \"radius\""),
        (lambda: Wheel(1, radius=1), r"Wheel\(\) got two values for one argument"),
    ],
)
def test_wrong_calls_say_what_was_meant(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Wheel(0), r"radius: must be above 0 \(is 0\)"),
        (lambda: Wheel(1, 2), r"spokes: must be at least 3 \(is 2\)"),
        (lambda: Bicycle("a b"), 'bicycles.a b: "a b" cannot be a name'),
        (lambda: Bicycle("a", from_="x"), 'bicycles.a.from: must be "shop" or "friend"'),
        (lambda: Bicycle("a", 5), "bicycles.a.wheels: must be a list of Wheel"),
        (lambda: Bicycle("a", [5]), r"bicycles.a.wheels\[1\]: must be a Wheel"),
        (lambda: Bicycle("a", spare=5), "bicycles.a.spare: must be a Wheel"),
        (lambda: Bicycle("a", spare=Wheel(1)), "bicycles.a.spare: is for bicycles with wheels"),
    ],
)
def test_wrong_values_are_refused_with_their_path(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_values_never_change():
    one = Bicycle("a", colours={"bell": 1})
    one.colours["bell"] = 2
    assert one.colours == {"bell": 1}
    with pytest.raises(AttributeError, match="Bicycle is frozen"):
        one.name = "b"


def test_equality_leaves_out_what_is_for_people():
    assert Bicycle("a", note="x") == Bicycle("a", note="y")
    assert Bicycle("a") != Wheel(1)


def test_plain_data_has_the_keys_of_files():
    one = Bicycle("a", [Wheel(0.3)], from_="friend", colours={"bell": 1})
    plain = {
        "wheels": [{"radius": 0.3, "spokes": 36}],
        "from": "friend",
        "colours": {"bell": 1},
        "serial": 0,
    }
    assert one.to_dict() == plain
    assert keys(Bicycle) == (*("wheels", "spare", "from", "colours", "serial", "note", "like"),)
    values = Tables().values(Bicycle, plain, "bicycles.a")
    assert Bicycle("a", **values) == one


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, r"w: must be a table of radius, spokes \(is 5\)"),
        ({"radios": 5}, 'w.radios: unknown key; did you mean "radius"\\? known: radius, spokes'),
        ({}, "w.radius: is missing; add it, such as radius = 0.35"),
        ({"radius": None}, "w.radius: is empty; write one"),
        ({"radius": "5"}, r'w.radius: must be a number \(is "5"\); write it without quotes'),
    ],
)
def test_tables_are_refused_with_the_path(given, message):
    with pytest.raises(InputError, match=message):
        Tables(null="write one").read(Wheel, given, "w")


def test_signature_and_docstring_come_from_the_declarations():
    assert str(inspect.signature(Wheel)) == "(radius: 'float', spokes: 'int' = 36)"
    assert "radius: from hub to tyre (m, above 0 to 2)." in inspect.getdoc(Wheel)


def test_documentation():
    assert documented(Wheel) == [
        ("key", "meaning", "values", "default"),
        ("`radius`", "from hub to tyre", "m, above 0 to 2", "required"),
        ("`spokes`", "how many", "from 3 to 100", "36"),
    ]
    assert documented(Bicycle)[3][2:] == ('`"shop"` or `"friend"`', '`"shop"`')


def test_schema():
    made = schema_of(Bicycle, "A bicycle", {"Wheel": Wheel})
    assert made["$defs"]["Wheel"]["properties"]["radius"] == {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 2,
        "description": "from hub to tyre (m, above 0 to 2)",
    }
    assert made["$defs"]["Wheel"]["required"] == ["radius"]
    assert made["properties"]["wheels"]["items"] == {"$ref": "#/$defs/Wheel"}
    assert "name" not in made["properties"]
