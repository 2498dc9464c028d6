"""Conditions as definitions: equality, plain data, a line for people; any table loads or fails."""

from __future__ import annotations

import json
import pickle

import pytest
import yaml
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl

TEXT = """
seed = 1
[[failures]]
nodes = "0-1"
between = "weibull(shape=0.7, scale=2.6e6)"
repair = "exponential(mean=14400)"
[[failures]]
per = "rack"
between = "exponential(mean=1e7)"
repair = "lognormal(median=7200, sigma=1)"
[resubmission]
from = "checkpoint"
interval = 3600
cost = 60
[switch_off]
after = 600
keep = 2
[[caps]]
watts = 9000
[[caps]]
name = "night"
file = "cap.csv"
every = 86400
group = "compute"
action = "slow"
[price]
file = "sub/price.csv"
[carbon]
times = [0, 3600]
values = [20, 300]
every = 7200
[thermal]
resistance = 0.15
time_constant = 600
limit = 75
"""
LINE = (
    "failures 2 processes, cap 9 kW, cap 500 to 900 W on compute (slows first), switch off after "
    "600 s (2 stay on), throttled at 75 degC, price -0.01 to 0.4 per kWh, carbon 20 to 300 g/kWh"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "price.csv").write_text("time,price\n0,0.4\n50,-0.01\n")
    (tmp_path / "cap.csv").write_text("time,watts\n0,500\n43200,900\n")
    (tmp_path / "conditions.toml").write_text(TEXT)
    return tmp_path


def test_a_file_means_the_objects(folder):
    conditions = sl.load_conditions(folder / "conditions.toml")
    assert conditions == sl.Conditions(
        seed=1,
        failures=[
            sl.Failures("weibull(shape=0.7, scale=2.6e6)", "exponential(mean=14400)", nodes="0-1"),
            sl.Failures("exponential(mean=1e7)", "lognormal(median=7200, sigma=1)", per="rack"),
        ],
        resubmission=sl.Resubmission("checkpoint", interval=3600, cost=60),
        switch_off=sl.SwitchOff(600, keep=2),
        caps=[
            sl.PowerCap(9000),
            sl.PowerCap(sl.Series([0, 43200], [500, 900], 86400), "compute", "slow", name="night"),
        ],
        price=sl.Series([0, 50], [0.4, -0.01]),
        carbon=sl.Series([0, 3600], [20, 300], 7200),
        thermal=sl.Thermal(0.15, 600, limit=75, release=70),
    )
    assert conditions.price.source == str(folder / "sub" / "price.csv")
    assert conditions.source == str(folder / "conditions.toml")
    assert str(conditions) == LINE


def test_plain_data_makes_the_same_again_without_the_files(folder):
    conditions = sl.load_conditions(folder / "conditions.toml")
    text = json.dumps(conditions.to_dict())
    for file in ("sub/price.csv", "cap.csv", "conditions.toml"):
        (folder / file).unlink()
    again = sl.load_conditions(json.loads(text))
    assert again == conditions
    assert again.source == conditions.source
    assert again.to_dict() == conditions.to_dict()
    assert hash(again) == hash(conditions)
    assert pickle.loads(pickle.dumps(conditions)) == conditions
    assert sl.load_conditions(conditions) is conditions


def test_formats_say_the_same(folder):
    table = {"seed": 3, "price": {"file": "sub/price.csv"}, "caps": [{"watts": 9}]}
    (folder / "c.json").write_text(json.dumps(table))
    (folder / "c.yaml").write_text(yaml.safe_dump(table))
    (folder / "c.toml").write_text("seed=3\nprice={file='sub/price.csv'}\ncaps=[{watts=9}]")
    made = [sl.load_conditions(folder / f"c.{kind}") for kind in ("json", "yaml", "toml")]
    made.append(sl.load_conditions(table, folder=str(folder)))
    assert all(one == made[0] for one in made)


def test_what_run_json_holds_is_short_and_distinguishes_series(folder):
    conditions = sl.load_conditions(folder / "conditions.toml")
    described = conditions.described()
    assert described["text"] == LINE
    assert described["source"] == str(folder / "conditions.toml")
    assert described["caps"][0] == {"action": "refuse", "watts": 9000}
    price = described["price"]
    assert price["source"] == str(folder / "sub" / "price.csv")
    assert (price["rows"], price["smallest"], price["largest"]) == (2, -0.01, 0.4)
    (folder / "sub" / "price.csv").write_text("time,price\n0,0.4\n51,-0.01\n")
    other = sl.load_conditions(folder / "conditions.toml")
    assert other.described()["price"]["checksum"] != price["checksum"]
    assert other != conditions
    assert other.without_names() != conditions.without_names()


def test_names_of_files_are_no_content(folder):
    one = sl.load_conditions(folder / "conditions.toml")
    for name in ("sub/price.csv", "cap.csv", "conditions.toml"):
        (folder / name).rename(folder / f"{name}.moved")
    (folder / "conditions.toml").write_text(
        TEXT.replace("price.csv", "price.csv.moved").replace("cap.csv", "cap.csv.moved")
    )
    other = sl.load_conditions(folder / "conditions.toml")
    assert other == one
    assert other.without_names() == one.without_names()
    assert other.to_dict() != one.to_dict()


def test_lines():
    assert str(sl.Conditions()) == "none"
    assert str(sl.Conditions(switch_off=sl.SwitchOff(90, "sleeping"))) == "put to sleep after 90 s"
    assert str(sl.Conditions(thermal=sl.Thermal(1, 60))) == "temperatures"


def test_definitions_do_not_change():
    for one in (sl.Conditions(), sl.PowerCap(5), sl.SwitchOff(5), sl.Thermal(1, 60)):
        with pytest.raises(AttributeError, match="frozen"):
            one.seed = 5


FIELDS = [
    "watts",
    "file",
    "every",
    "group",
    "action",
    "after",
    "to",
    "keep",
    "times",
    "values",
    "limit",
    "cop",
    "resistance",
    "time_constant",
    "between",
    "repair",
    "from",
    "x",
]
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(["", "x", "off", "refuse", "all", "exponential(mean=5)", "a\nb"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
    max_leaves=6,
)
keys = st.sampled_from([*sl.Conditions._fields, "cap", "x"])


@examples(300)
@given(st.dictionaries(keys, plain, max_size=4))
def test_any_table_gives_conditions_or_an_input_error(table):
    try:
        conditions = sl.load_conditions(table)
    except sl.InputError:
        with pytest.raises(sl.InputError, match=r"^conditions: "):
            sl.load_conditions(table)
        return
    assert sl.load_conditions(conditions.to_dict()) == conditions
    assert str(conditions)


def test_names_of_files_may_have_any_characters(tmp_path):
    file = tmp_path / "a\tb.json"
    (tmp_path / "c\td.csv").write_text("time,price\n0,1\n60,2\n")
    file.write_text('{"price": {"file": "c\\td.csv"}}')
    made = sl.load_conditions(file)
    assert made.source == str(file)
    assert sl.load_conditions(made.to_dict()) == made
