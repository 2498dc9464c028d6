"""Failures, traces of them and resubmission as definitions: what is taken, and every message."""

from __future__ import annotations

import math
import pickle

import pytest

import schedlab as sl
from schedlab.conditions import Failures, FailureTrace, Resubmission
from schedlab.conditions.failures import for_engine
from schedlab.conditions.time_laws import law_of

SYSTEM = sl.load_system(
    {
        "groups": {
            "thin": {"nodes": 10, "resources": {"core": 4}},
            "fat": {"nodes": 3, "resources": {"core": 8}},
        }
    }
)
EXPONENTIAL = "exponential(mean=3600)"
TOO_OFTEN = (
    "between: weibull(shape=0.5, scale=0.4) is 0.8 s on average; a node must be up for at least "
    "1 s between two failures"
)
KNOWN = "exponential, weibull, lognormal, fixed"
LAW = "distribution of times"
DURATION = 'must be a duration: seconds, or units as in "90s", "10m", "1h30m", "3d"'

WRONG_FAILURES = [
    ({"between": 5}, 'between: must be a distribution, such as "exponential(mean=3600)" (is 5)'),
    ({"between": "gamma(a=1)"}, f'between: unknown {LAW} "gamma"; known: {KNOWN}'),
    ({"between": ""}, f'between: unknown {LAW} ""; known: {KNOWN}'),
    (
        {"between": "exponential"},
        f"between: {LAW} 'exponential': mean missing; exponential takes mean",
    ),
    (
        {"repair": "weibull(shape=1)"},
        f"repair: {LAW} 'weibull(shape=1)': scale missing; weibull takes scale and shape",
    ),
    (
        {"repair": "fixed(seconds=1, mean=2)"},
        f"repair: {LAW} 'fixed(seconds=1, mean=2)': fixed takes seconds, not mean",
    ),
    (
        {"repair": "fixed(seconds=ten)"},
        f"repair: {LAW} 'fixed(seconds=ten)': seconds: {DURATION} " + '(is "ten")',
    ),
    (
        {"repair": "fixed(seconds=nan)"},
        f"repair: {LAW} 'fixed(seconds=nan)': seconds: {DURATION} " + '(is "nan")',
    ),
    (
        {"repair": "fixed(seconds=-1)"},
        f"repair: {LAW} 'fixed(seconds=-1)': seconds: must be at least 1e-09 (is -1)",
    ),
    (
        {"repair": "fixed(seconds=5e9)"},
        f"repair: {LAW} 'fixed(seconds=5e9)': seconds: must be at most 4e+09 (is 5000000000)",
    ),
    (
        {"repair": "weibull(shape=0.01, scale=1)"},
        f"repair: {LAW} 'weibull(shape=0.01, scale=1)': shape: must be at least 0.1 (is 0.01)",
    ),
    (
        {"repair": "lognormal(median=1, sigma=9)"},
        f"repair: {LAW} 'lognormal(median=1, sigma=9)': sigma: must be at most 5 (is 9)",
    ),
    (
        {"between": "exponential(mean=3600"},
        f"between: {LAW} 'exponential(mean=3600': the closing bracket is missing",
    ),
    ({"between": "weibull(shape=0.5, scale=0.4)"}, TOO_OFTEN),
    ({"per": "room"}, 'per: must be "node" or "rack" (is "room")'),
    ({"nodes": 3}, "nodes: must be text (is 3)"),
]


@pytest.mark.parametrize(("given", "message"), WRONG_FAILURES)
def test_wrong_failures(given, message):
    with pytest.raises(sl.InputError) as raised:
        Failures(**{"between": EXPONENTIAL, "repair": EXPONENTIAL, **given})
    assert str(raised.value) == message


NO_CHECKPOINTS = 'has no effect without from = "checkpoint"'
WRONG_RESUBMISSIONS = [
    ({"from_": "end"}, 'from: must be "start" or "checkpoint" (is "end")'),
    (
        {"from_": "checkpoint"},
        "interval: is missing; say after how many seconds of work a checkpoint is written, such as "
        "interval = 3600",
    ),
    ({"interval": 5}, f"interval: {NO_CHECKPOINTS}"),
    ({"cost": 5}, f"cost: {NO_CHECKPOINTS}"),
    ({"restart": 5}, f"restart: {NO_CHECKPOINTS}"),
    (
        {"from_": "checkpoint", "interval": 0.5},
        "interval: must be at least 1 (is 0.5)",
    ),
    (
        {"from_": "checkpoint", "interval": "often"},
        f'interval: {DURATION} (is "often")',
    ),
    (
        {"from_": "checkpoint", "interval": 9, "cost": -1},
        "cost: must not be negative (is -1)",
    ),
    (
        {"from_": "checkpoint", "interval": 9, "restart": math.nan},
        "restart: must be a finite number (is nan)",
    ),
    ({"limit": 0}, "limit: must be at least 1 (is 0)"),
    ({"limit": 20_000}, "limit: must be at most 10000 (is 20000)"),
    ({"limit": 1.5}, "limit: must be a whole number (is 1.5)"),
]


@pytest.mark.parametrize(("given", "message"), WRONG_RESUBMISSIONS)
def test_wrong_resubmissions(given, message):
    with pytest.raises(sl.InputError) as raised:
        Resubmission(**given)
    assert str(raised.value) == message


WRONG_FILES = [
    ("node,start,end\n0,1,1h\n", '2: end must be seconds within 126 years (is "1h")'),
    ("", '1: the heading must be node,start,end (is "")'),
    ("node,begin,end\n", '1: the heading must be node,start,end (is "node,begin,end")'),
    ("node,start,end\n0,1\n", "2: has 2 values, not 3: node,start,end"),
    ("node,start,end\n0,1,2\n\n0,1,2,3\n", "4: has 4 values, not 3: node,start,end"),
    (
        "node,start,end\nx,1,2\n",
        '2: node: must be a whole number (is "x")',
    ),
    ("node,start,end\n-1,1,2\n", "2: node: must not be negative (is -1)"),
    ("node,start,end\n0,soon,2\n", '2: start must be seconds within 126 years (is "soon")'),
    ("node,start,end\n0,1,nan\n", "2: end must be seconds within 126 years (is nan)"),
    ("node,start,end\n0,1,9e9\n", "2: end must be seconds within 126 years (is 9000000000)"),
    ("node,start,end\n0,5,5\n", "2: end (5) must be after start (5)"),
]


@pytest.mark.parametrize(("text", "message"), WRONG_FILES)
def test_wrong_traces(text, message, tmp_path):
    path = tmp_path / "failures.csv"
    path.write_text(text)
    with pytest.raises(sl.InputError) as raised:
        FailureTrace(file="failures.csv", folder=str(tmp_path))
    assert str(raised.value) == f"file: {path}:{message}"


def test_traces_that_cannot_be_read(tmp_path):
    path = tmp_path / "failures.csv"
    empty = "has no rows; remove the failure trace, or say when which node is down"
    binary = "is not UTF-8 text; save it as UTF-8"
    for content, message in ((b"node,start,end\n", f" {empty}"), (b"\xff\xfe", f"1: {binary}")):
        path.write_bytes(content)
        with pytest.raises(sl.InputError) as raised:
            FailureTrace(file=path)
        assert str(raised.value) == f"file: {path}:{message}"
    with pytest.raises(sl.InputError, match=r"none\.csv: no such file"):
        FailureTrace(file=tmp_path / "none.csv")
    with pytest.raises(sl.InputError, match=r"^file: must be the path of a CSV file \(is 5\)$"):
        FailureTrace(file=5)
    with pytest.raises(sl.InputError, match=r"^file: outages are given too"):
        FailureTrace([(0, 1, 2)], file=path)
    with pytest.raises(sl.InputError, match=r"^outages: is empty"):
        FailureTrace([])
    with pytest.raises(sl.InputError, match=r"^outages\[2\]: must be \(node, start, end\)"):
        FailureTrace([(0, 1, 2), (3, 4)])


def test_traces(tmp_path):
    path = tmp_path / "failures.csv"
    path.write_text("\ufeffend, node ,start\r\n7.5,2,-3\r\n\r\n20,0,10\r\n")
    trace = FailureTrace(file=path)
    assert trace.outages == ((2, -3, 7.5), (0, 10, 20))
    assert trace == FailureTrace([(2, -3, 7.5), (0, 10, 20)])
    described = trace.described()
    assert described == {"rows": 2, "checksum": described["checksum"], "source": str(path)}
    assert (
        described["checksum"] != FailureTrace([(2, -3, 7.5), (0, 10, 21)]).described()["checksum"]
    )
    again = FailureTrace(**trace.to_dict())
    assert (again, again.source) == (trace, trace.source)
    assert pickle.loads(pickle.dumps(trace)) == trace
    with pytest.raises(sl.InputError, match="node 13, down from 5 on, is not one of the nodes 0"):
        for_engine((), FailureTrace([(13, 5, 6)]), None, SYSTEM)


def test_definitions_are_values():
    one = Failures(EXPONENTIAL, "fixed(seconds=5)", "0-3", "node")
    assert one == Failures(**one.to_dict()) == pickle.loads(pickle.dumps(one))
    assert one != Failures(EXPONENTIAL, "fixed(seconds=5)")
    with pytest.raises(AttributeError, match="frozen"):
        one.per = "rack"
    assert Resubmission("checkpoint", "1h", "90s") == Resubmission("checkpoint", 3600, 90)
    again = Resubmission("checkpoint", 60, limit=3)
    assert again.to_dict() == {
        "from": "checkpoint",
        "interval": 60,
        "cost": 0,
        "restart": 0,
        "limit": 3,
    }


def test_what_the_engine_gets():
    assert for_engine((), None, None, SYSTEM) is None
    engine_failures = for_engine(
        (Failures("weibull(shape=0.7, scale=100)", "fixed(seconds=5)", "fat, 0, 1"),),
        FailureTrace([(0, 1, 2)]),
        Resubmission("checkpoint", 60, 1, 2, 9),
        SYSTEM,
    )
    assert engine_failures == {
        "processes": [
            {
                "between": ("weibull", 100.0, 0.7),
                "repair": ("fixed", 5.0, 0.0),
                "nodes": [(0, 2), (10, 3)],
                "units": [],
            }
        ],
        "trace": [(0, 1, 2)],
        "interval": 60,
        "cost": 1,
        "restart": 2,
        "limit": 9,
        "by_scheduler": False,
    }
    for nodes, message in (
        ("gpu", "failures[1].nodes: 'gpu' is neither \"all\", a group (thin, fat) nor a range"),
        ("5-13", "failures[1].nodes: '5-13' is not within the nodes 0 to 12"),
    ):
        with pytest.raises(sl.InputError) as raised:
            for_engine((Failures(EXPONENTIAL, EXPONENTIAL, nodes),), None, None, SYSTEM)
        assert str(raised.value) == message


def test_racks():
    racks = {"nodes": 5, "resources": {"core": 4}, "rack": 2}
    system = sl.load_system({"groups": {"thin": racks, "fat": {**racks, "nodes": 3, "rack": 3}}})
    engine_failures = for_engine(
        (Failures(EXPONENTIAL, EXPONENTIAL, "1-2, 4-7", "rack"),), None, None, system
    )
    assert engine_failures["processes"][0]["nodes"] == []
    assert engine_failures["processes"][0]["units"] == [
        (0, [(1, 1)]),
        (2, [(2, 1)]),
        (4, [(4, 1)]),
        (5, [(5, 3)]),
    ]
    with pytest.raises(sl.InputError) as raised:
        for_engine((Failures(EXPONENTIAL, EXPONENTIAL, per="rack"),), None, None, SYSTEM)
    assert str(raised.value) == (
        "failures[1].per: group thin has no racks; give it rack = ..., the nodes in each, in the "
        "system file"
    )


def mean(text):
    return law_of(text, "between").expected()


def test_means():
    assert mean("exponential(mean=5)") == mean("fixed(seconds=5)") == 5.0
    assert mean("weibull(scale=5, shape=1)") == pytest.approx(5.0)
    assert mean("lognormal(median=5, sigma=2)") == pytest.approx(5 * math.exp(2))


def test_times_of_distributions_may_have_units():
    for text, law in (
        ("exponential(mean=30d)", ("exponential", 30 * 86_400.0, 0.0)),
        ("weibull(shape=0.7, scale=1h30m)", ("weibull", 5400.0, 0.7)),
        ("lognormal(median=2.6e6, sigma=1)", ("lognormal", 2.6e6, 1.0)),
        ("fixed(seconds=0.5)", ("fixed", 0.5, 0.0)),
    ):
        assert law_of(text, "between").for_engine() == law
