"""Declared fields: constructors, checks, plain data, equality, tables of files, documentation."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator

import pytest

from schedlab.errors import ArgumentError, InputError
from schedlab.fields import (
    Defined,
    alias,
    by_name,
    file_key,
    identifier,
    keys,
    number,
    other,
    part,
    parts,
    seconds,
    table,
    text,
    unchecked,
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


class Pedal(Defined):
    """What is turned."""

    grip: float = number("of the shoe", default=0.5)
    wide: int = whole("in millimetres", default=90)


class Crank(Defined):
    """What turns the chain."""

    name: str = identifier("what it is called", is_key=True)
    length: int = whole("of the arm", unit="mm", maximum=250, example="170")
    pedal: Pedal = part(Pedal, "its keys stand beside `length`", beside=True)

    @classmethod
    def _prefix(cls, named):
        return f"cranks.{named['name']}."


class Ride(Defined):
    """A way from here to there."""

    lasts: float = seconds("from start to end", maximum=1e6, as_written=True, example="3600")
    rest: float = seconds("between two hills", above=0, default=60.0)
    cranks: tuple[Crank, ...] = parts(
        Crank, "by name", by_name=True, most=2, default=(), needed=True, example="left"
    )
    maker = file_key(
        "who made it",
        default=None,
        written={"type": "string"},
        write=lambda ride: ride.note or None,
    )
    note: str = unchecked("for code", default="")
    minutes: float | None = alias(
        "lasts",
        "the same in minutes",
        make=lambda given: given * 60,
        read=lambda ride: ride.lasts / 60,
    )

    @classmethod
    def _hints(cls, table):
        return {"hours": "write lasts = 3600"}


RIDE = {"lasts": "1h30m", "cranks": {"left": {"length": 170, "wide": 95}}}


def test_times_are_seconds_or_texts_with_units():
    assert Ride("1h30m").lasts == Ride(5400).lasts == 5400
    assert [type(Ride(one).lasts) for one in ("1h", 5, 5.0, "0.5s")] == [int, int, float, float]
    assert Ride(5, "2m").rest == 120
    assert type(Ride(5, 2).rest) is float
    for given, message in (
        ("soon", r'lasts: must be a duration: seconds, .* \(is "soon"\)'),
        ("12d", r"lasts: must be at most 1e\+06 \(is 1036800\)"),
        (True, r"lasts: must be a number \(is true\)"),
    ):
        with pytest.raises(InputError, match=message):
            Ride(given)


def test_an_argument_may_say_another_field():
    assert Ride(minutes=3) == Ride(180)
    assert Ride(180).minutes == 3
    assert repr(Ride(180)) == repr(pickle.loads(pickle.dumps(Ride(minutes=3))))
    assert "minutes" not in repr(Ride(180))
    with pytest.raises(InputError, match="give lasts or minutes, not both"):
        Ride(180, minutes=3)
    with pytest.raises(ArgumentError, match="missing 'lasts'"):
        Ride()
    assert "*, minutes: 'float | None' = None" in str(inspect.signature(Ride))
    assert "minutes: the same in minutes." in inspect.getdoc(Ride)


def test_parts_may_be_tables_by_name():
    ride = Tables().read(Ride, RIDE, "")
    assert ride == Ride(5400, cranks=[Crank("left", 170, Pedal(wide=95))])
    plain = {
        "lasts": 5400,
        "rest": 60.0,
        "cranks": {"left": {"length": 170, "grip": 0.5, "wide": 95}},
    }
    assert ride.to_dict() == plain
    assert Tables().read(Ride, plain, "") == ride
    assert Ride(5, note="x").to_dict()["maker"] == "x"
    assert keys(Crank) == ("length", "grip", "wide")
    assert by_name(Pedal()) == {"grip": 0.5, "wide": 90}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cranks": 5}, r"cranks: must be a table of cranks, such as \[cranks.left\] \(is 5\)"),
        ({"cranks": {"a": 5}}, r"cranks.a: must be a table of length, grip, wide \(is 5\)"),
        ({"cranks": {"a": {}}}, "cranks.a.length: is missing; add it, such as length = 170"),
        ({"cranks": {"a": {"length": -1}}}, "cranks.a.length: must not be negative"),
        ({"cranks": {"a": {"length": 1, "wide": "x"}}}, "cranks.a.wide: must be a whole number"),
        ({"cranks": {"a b": {"length": 1}}}, 'cranks.a b: "a b" cannot be a name'),
        ({"cranks": dict.fromkeys("abc")}, "cranks: there are 3; at most 2 are supported"),
        ({"hours": 5}, "hours: unknown key; write lasts = 3600; known: lasts, rest, cranks, maker"),
        ({"note": "x"}, "note: unknown key"),
    ],
)
def test_tables_by_name_are_refused_with_the_path(change, message):
    with pytest.raises(InputError, match=message):
        Tables().read(Ride, {**RIDE, **change}, "")


def test_tables_by_name_may_be_needed():
    with pytest.raises(
        InputError, match=r"cranks: is missing; add at least one, such as \[cranks.left\]"
    ):
        Tables().read(Ride, {"lasts": 5}, "")


def test_fields_refer_to_what_was_read_before():
    tables = Tables()
    tables.known["wheel"] = {"front": Wheel(1)}
    assert tables.named("wheel", "front", "w") == Wheel(1)
    with pytest.raises(InputError, match='w: there is no wheel "fornt"; did you mean "front"'):
        tables.named("wheel", "fornt", "w")
    with pytest.raises(InputError, match='w: there is no pedal "x"; known: none'):
        tables.named("pedal", "x", "w")


def test_schema_of_times_and_of_tables_by_name():
    made = schema_of(Ride, "A ride", {"Crank": Crank})
    assert made["properties"]["lasts"]["type"] == ["number", "string"]
    assert made["properties"]["cranks"]["additionalProperties"] == {"$ref": "#/$defs/Crank"}
    assert made["required"] == ["lasts", "cranks"]
    assert [*made["$defs"]["Crank"]["properties"]] == ["length", "grip", "wide"]
    assert documented(Ride)[1][2] == 's or `"1h30m"`, from 0 to 1,000,000'
    assert documented(Ride)[3][2] == "table of tables"


def kinds_below(kind: type) -> Iterator[type]:
    """Yields all classes that are derived from a class."""
    for one in kind.__subclasses__():
        yield from (one, *kinds_below(one))


def test_constructors_take_times_as_texts():
    """To type checkers, too: what is read of an attribute is a number."""
    taken = {
        f"{kind.__name__}.{field.name}": str(
            inspect.signature(kind).parameters[field.name].annotation
        )
        for kind in kinds_below(Defined)
        if kind.__module__.startswith("schedlab.")
        for field in kind._declared
        if field.sort == "seconds"
    }
    assert {"Window.start", "SwitchOff.after", "PowerCap.every"} <= taken.keys()
    assert [name for name, annotation in taken.items() if "str" not in annotation] == []
