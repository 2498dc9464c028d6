"""What a user reads about conditions that do not load. The page's table is checked too."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conditions.machines import compute, dark, mixed, plain

import schedlab as sl
from schedlab.conditions.machine import check
from schedlab.errors import InputError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "conditions.md"
MISSING = "needs a machine whose power is known: give the groups a type, and the processors of these types power = { core = ..., shared = ..., idle = ... }"
THERMAL = "[thermal]\nresistance = 0.5\ntime_constant = 600\n"

TABLES: list[tuple[str, str]] = [
    ("# nothing wrong, but\nfailure = []", 'failure: unknown key; did you mean "failures"? known: seed, failures, failure_trace, resubmission, switch_off, caps, price, carbon, thermal'),
    ("cap = 5", 'cap: unknown key; did you mean "caps"? known: seed, failures, failure_trace, resubmission, switch_off, caps, price, carbon, thermal'),
    ('source = "x"', "source: unknown key; known: seed, failures, failure_trace, resubmission, switch_off, caps, price, carbon, thermal"),
    ("seed = -1", "seed: must not be negative (is -1)"),
    ("seed = 0.5", "seed: must be a whole number (is 0.5)"),
    # caps
    ("caps = 9000", "caps: must be a list of tables, such as [[caps]] (is 9000)"),
    ("[caps]\nwatts = 9000", "caps: must be a list of tables, such as [[caps]] (is a table)"),
    ("caps = [9000]", "caps[1]: must be a table of watts, file, every, group, action, name (is 9000)"),
    ("[[caps]]\nwatts = 900\n[[caps]]\nwatt = 900", 'caps[2].watt: unknown key; did you mean "watts"? known: watts, file, every, group, action, name'),
    ("[[caps]]\ngroup = 'compute'", 'caps[1].watts: is missing; give it, or file: watts = 9000, or file = "cap.csv"'),
    ("[[caps]]\nwatts = 9\nfile = 'cap.csv'", 'caps[1].watts: is given beside file: watts = 9000, or file = "cap.csv"'),
    ("[[caps]]\nwatts = -9", "caps[1].watts: must not be negative (is -9)"),
    ("[[caps]]\nwatts = nan", "caps[1].watts: must be a finite number (is nan)"),
    ("[[caps]]\nwatts = inf", "caps[1].watts: must be a finite number (is inf)"),
    ("[[caps]]\nwatts = 1e16", "caps[1].watts: must be at most 1e+15 (is 1e+16)"),
    ("[[caps]]\nwatts = true", "caps[1].watts: must be a number (is true)"),
    ("[[caps]]\nwatts = [1]", "caps[1].watts: must be a number (is a list)"),
    ('[[caps]]\nwatts = "cap.csv"', 'caps[1].watts: must be a number or a table; for a file: { file = "NAME.csv" }'),
    ("[[caps]]\nwatts = 9\nevery = 60", "caps[1].every: goes with file; watts = 9000 holds at all times"),
    ("[[caps]]\nwatts = 9\naction = 'stop'", 'caps[1].action: must be "refuse" or "slow" (is "stop")'),
    ("[[caps]]\nwatts = 9\ngroup = 3", "caps[1].group: 3 cannot be a name; use text without spaces, commas, quotes and control characters"),
    ("[[caps]]\nwatts = 9\nname = ' '", 'caps[1].name: must be one line of visible text without control characters (is " ")'),
    ("[[caps]]\nwatts = { times = [0, 5], values = [1, -2] }", "caps[1].watts: must not be negative (is -2)"),
    # series
    ("price = 'price.csv'", 'price: must be a number or a table; for a file: { file = "NAME.csv" }'),
    ("price = {}", 'price.times: is missing; give file = "NAME.csv", or both lists'),
    ("price = { times = [0] }", 'price.values: is missing; give file = "NAME.csv", or both lists'),
    ("price = { files = 'x' }", 'price.files: unknown key; did you mean "file"? known: file, times, values, every, dated, source'),
    ("price = { file = 3 }", "price.file: must be the path of a CSV file (is 3)"),
    ("price = { file = 'p.csv', times = [0] }", "price.times: is given beside file; give one of the two"),
    ("price = { times = [], values = [] }", "price.times: is empty; give at least one time and its value"),
    ("price = { times = [0, 1], values = [1] }", "price.values: must be as many as times (2, not 1)"),
    ("price = { times = 0, values = [1] }", "price.times: must be a list of numbers (is 0)"),
    ("price = { times = [0, 'x'], values = [1, 2] }", 'price.times[2]: must be a duration: seconds, or units as in "90s", "10m", "1h30m", "3d" (is "x")'),
    ("price = { times = [0, 0], values = [1, 2] }", "price.times[2]: time 0 is there twice; sort the rows by time, one a time"),
    ("price = { times = [5, 0], values = [1, 2] }", "price.times[2]: time 0 comes after 5; sort the rows by time, one a time"),
    ("price = { times = [0, 5e9], values = [1, 2] }", "price.times[2]: time 5000000000 is more than 126 years from time 0; for dates, name the column date"),
    ("price = { times = [0, 60], values = [1, 2], every = 60 }", "price.every: is 60 s, and the rows span 60 s; they must all be within one period, its end not included"),
    ("price = { times = [0], values = [1], every = 0 }", "price.every: must be at least 1 (is 0)"),
    (THERMAL + "every = 1e-9", "thermal.every: must be at least 0.001 (is 1e-09)"),
    ("price = { times = [0], values = [1], dated = 1 }", "price.dated: must be true or false (is 1)"),
    ("carbon = -1", "carbon: must not be negative (is -1)"),
    # switching off
    ("switch_off = 600", "switch_off: must be a table of after, to, keep (is 600)"),
    ("[switch_off]\nto = 'off'", "switch_off.after: is missing; add it, such as after = 600"),
    ("[switch_off]\nafter = -1", "switch_off.after: must not be negative (is -1)"),
    ("[switch_off]\nafter = 5e9", "switch_off.after: must be at most 4e+09 (is 5000000000.0)"),
    ("[switch_off]\nafter = 60\nto = 'standby'", 'switch_off.to: must be "off" or "sleeping" (is "standby")'),
    ("[switch_off]\nafter = 60\nkeep = 0.5", "switch_off.keep: must be a whole number (is 0.5)"),
    # temperature
    ("[thermal]\nresistance = 0.5", "thermal.time_constant: is missing; add it, such as time_constant = 600"),
    (THERMAL + "ambient = 20", "thermal.ambient: unknown key; write supply, the temperature of the cold air; known: resistance, time_constant, supply, recirculation, neighbour, limit, release, every, throttle_step, cop"),
    ("[thermal]\nresistance = 0\ntime_constant = 600", "thermal.resistance: must be above 0 (is 0)"),
    ("[thermal]\nresistance = 1\ntime_constant = 0", "thermal.time_constant: must be above 0 (is 0)"),
    (THERMAL + "supply = 300", "thermal.supply: must be at most 100 (is 300)"),
    (THERMAL + "recirculation = -0.1", "thermal.recirculation: must not be negative (is -0.1)"),
    (THERMAL + "limit = 18", "thermal.limit: must be above the 18 degC of the supply air (is 18)"),
    (THERMAL + "limit = 60\nrelease = 60", "thermal.release: must be below the limit of 60 degC (is 60)"),
    (THERMAL + "release = 60", "thermal.release: needs a limit, such as limit = 75"),
    (THERMAL + "throttle_step = 1", "thermal.throttle_step: needs a limit, such as limit = 75"),
    (THERMAL + "limit = 60\nthrottle_step = 0", "thermal.throttle_step: must be at least 1 (is 0)"),
    (THERMAL + "cop = [1, 2]", "thermal.cop: must be three numbers a2, a1, a0 of a2 T^2 + a1 T + a0, such as [0.0068, 0.0008, 0.458] (is a list)"),
    (THERMAL + "cop = [0, 0, 0]", "thermal.cop: is 0 for supply air of 18 degC; it must be above 0"),
    # failures
    ("[resubmission]\nfrom = 'start'", "resubmission: has no effect without failures; add [[failures]] or [failure_trace], a scheduler that ends running jobs (interrupts_jobs), or preempt of a queue or a partition; or remove it"),
    ("[[failures]]\nrepair = 'fixed(seconds=60)'", 'failures[1].between: is missing; add it, such as between = "exponential(mean=2.6e6)"'),
]  # fmt: skip

FILES: list[tuple[str | bytes, str]] = [
    ("", 'price.file: price.csv:1: the header must be time,price or date,price (is "")'),
    ("0,1\n1,2\n", 'price.file: price.csv:1: the header must be time,price or date,price (is "0,1")'),
    ("time,price,zone\n0,1,2\n", 'price.file: price.csv:1: the header must be time,price or date,price (is "time,price,zone")'),
    ("time,price\n", "price.file: price.csv: has no rows below its header"),
    ("time,price\n0,0.25\n", "price.file: price.csv: has one row, so price never changes; if that is meant, write 0.25 instead of the file"),
    ("time,price\n0,1\n5,x\n", 'price.file: price.csv:3: must be time,price, such as 3600,0.25 (is "5,x")'),
    ("time,price\n0,1\n5;2\n", 'price.file: price.csv:3: must be time,price, such as 3600,0.25 (is "5;2")'),
    ("time,price\n0,1\n5,2,3\n", 'price.file: price.csv:3: must be time,price, such as 3600,0.25 (is "5,2,3")'),
    ("time,price\n0,1\n\n5,2\n", "price.file: price.csv:3: is an empty line; remove it"),
    ("time,price\n0,1\n5,nan\n", "price.file: price.csv:3: the value must be a finite number (is nan)"),
    ("time,price\ninf,1\n5,1\n", "price.file: price.csv:2: the time must be a finite number (is inf)"),
    ("time,price\n0,1\n5,1e16\n", "price.file: price.csv:3: the value must be from -1e15 to 1e15 (is 1e+16)"),
    ("time,price\n0,1\n9,2\n5,3\n", "price.file: price.csv:4: time 5 comes after 9; sort the rows by time, one a time"),
    ("time,price\n0,1\n5,2\n5,3\n", "price.file: price.csv:4: time 5 is there twice; sort the rows by time, one a time"),
    ("time,price\n0,1\n1767225600,2\n9e9,3", "price.file: price.csv:4: time 9000000000 is more than 126 years from time 0; for dates, name the column date"),
    ("date,price\n2026-01-01,1\n2026-13-01,2\n", 'price.file: price.csv:3: must be date,price, such as 2026-01-31T06:00,0.25 (is "2026-13-01,2")'),
    (b"time,price\n0,1\n\xff\xfe", "price.file: price.csv:3: is not UTF-8 text; save it as UTF-8"),
]  # fmt: skip

ON_MACHINES: list[tuple[object, str, str]] = [
    (plain(), "price = 0.2", f"price: {MISSING}"),
    (dark(), "carbon = 300", f"carbon: {MISSING}"),
    (dark(), "[[caps]]\nwatts = 900", f"caps[1]: {MISSING}"),
    (plain(), "[switch_off]\nafter = 60", f"switch_off: {MISSING}"),
    (plain(), THERMAL, f"thermal: {MISSING}"),
    (compute(), "[[caps]]\nwatts = 900\n[[caps]]\nwatts = 90\ngroup = 'computer'", 'caps[2].group: there is no group "computer"; did you mean "compute"? known: compute'),
    (compute(), "[[caps]]\nwatts = 80", "caps[1].watts: 80 W are below the 82.24 W that the machine draws when all its nodes are idle; no scheduler can keep that"),
    (mixed(), "[[caps]]\nwatts = 5\ngroup = 'service'", "caps[1].watts: 5 W are below the 12 W that group service draws when all its nodes are idle; no scheduler can keep that"),
    (compute(), "[[caps]]\nwatts = { times = [0, 60], values = [90, 20] }", "caps[1].watts: 20 W from 60 s on are below the 82.24 W that the machine draws when all its nodes are idle; no scheduler can keep that"),
    (compute(), "[switch_off]\nafter = 60\n[[caps]]\nwatts = 7", "caps[1].watts: 7 W are below the 8 W that the machine draws when all its nodes are off; no scheduler can keep that"),
    (compute(), "[switch_off]\nafter = 60\nto = 'sleeping'\n[[caps]]\nwatts = 7", "caps[1].watts: 7 W are below the 32 W that the machine draws when all its nodes are asleep; no scheduler can keep that"),
    (mixed(), "[[caps]]\nwatts = 900\naction = 'slow'", 'caps[1].action: "slow" lowers frequencies, and processors.plain of group service has no steps; give it steps = [...], or write action = "refuse"'),
    (mixed(), "[switch_off]\nafter = 60", 'switch_off.to: nodes of group service cannot be "off"; give node_types.service power = { off = ... } and transitions = { off = { down_seconds = ..., down_power = ..., up_seconds = ..., up_power = ... } }'),
    (compute(), "[switch_off]\nafter = 60\nkeep = 5", "switch_off.keep: is 5, and the machine has 4 nodes"),
    (mixed(), THERMAL + "recirculation = 0.1", "thermal.recirculation: is between the nodes of a rack, and group compute has no racks; give it rack = ..., the nodes in each"),
    (mixed(), THERMAL + "limit = 60", "thermal.limit: nodes are throttled by their frequency, and processors.plain of group service has no steps"),
    (compute(), THERMAL + "limit = 60\nthrottle_step = 2", "thermal.throttle_step: is 2, and the last step of processors.i5 is 1"),
    (compute(), THERMAL + "limit = 28", "thermal.limit: 28 degC are not above the 28.28 degC that node 0 has when the machine is idle"),
    (compute(), THERMAL + "limit = 30", "thermal.release: 25 degC are not above the 28.28 degC that node 0 has when the machine is idle"),
    (compute(), "price = { times = [0, 1e9], values = [1, 2], dated = true }", "price: the series has dates; they need a system with start_time, the date of time 0"),
]  # fmt: skip


def failed(tmp_path: Path, text: str, system: object = None) -> str:
    """Returns the message of the conditions in a file, without the folder."""
    path = tmp_path / "conditions.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        check(sl.load_conditions(path), system)
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(("text", "expected"), TABLES, ids=range(len(TABLES)))
def test_tables(tmp_path: Path, text: str, expected: str) -> None:
    assert failed(tmp_path, text) == f"conditions.toml: {expected}"


@pytest.mark.parametrize(("content", "expected"), FILES, ids=range(len(FILES)))
def test_files(tmp_path: Path, content: str | bytes, expected: str) -> None:
    (tmp_path / "price.csv").write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    assert failed(tmp_path, "price = { file = 'price.csv' }") == f"conditions.toml: {expected}"


@pytest.mark.parametrize(("system", "text", "expected"), ON_MACHINES, ids=range(len(ON_MACHINES)))
def test_machines(tmp_path: Path, system: object, text: str, expected: str) -> None:
    assert failed(tmp_path, text, system) == f"conditions.toml: {expected}"


def test_series_that_must_not_be_negative(tmp_path: Path) -> None:
    (tmp_path / "cap.csv").write_text("time,watts\n0,100\n60,-5\n")
    text = "[[caps]]\nfile = 'cap.csv'\nevery = 3600"
    expected = "caps[1].file: cap.csv:3: watts must not be negative (is -5)"
    assert failed(tmp_path, text) == f"conditions.toml: {expected}"
    (tmp_path / "cap.csv").write_text("time,watts\n0,100\n3600,5\n")
    expected = "caps[1].every: is 3600 s, and the rows span 3600 s; they must all be within one period, its end not included"
    assert failed(tmp_path, text) == f"conditions.toml: {expected}"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file, expected in [
        ("none.csv", "price.file: none.csv: no such file"),
        ("folder", "price.file: folder: is a directory; give the file inside it"),
        ("a\\u0000.csv", "price.file: a\\u0000.csv: cannot be read: no file has such a name"),
    ]:
        (tmp_path / "folder").mkdir(exist_ok=True)
        assert failed(tmp_path, f'price = {{ file = "{file}" }}') == f"conditions.toml: {expected}"
    with pytest.raises(InputError, match=re.escape("conditions are a file, a dict or Conditions")):
        sl.load_conditions(42)
    with pytest.raises(InputError, match=re.escape("no-such.toml: no such file")):
        sl.load_conditions("no-such.toml")


def test_objects_of_the_wrong_kind() -> None:
    for given, expected in [
        ({"caps": sl.PowerCap(5)}, "caps: must be a list of PowerCap (is of type PowerCap)"),
        ({"caps": [5]}, "caps[1]: must be a PowerCap (is 5)"),
        ({"thermal": {}}, "thermal: must be a Thermal (is a table)"),
        ({"price": "x"}, "price: must be a number or a table"),
        ({"seed": 2**64}, "seed: must be at most 18446744073709551615"),
    ]:
        with pytest.raises(InputError, match=re.escape(expected)):
            sl.Conditions(**given)


def test_every_message_of_the_page_is_real() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `conditions.toml")]
    assert len(rows) > 25
    real = {f"conditions.toml: {case[-1]}" for case in (*TABLES, *FILES, *ON_MACHINES)}
    for row in rows:
        assert row.split("`")[1] in real, row
