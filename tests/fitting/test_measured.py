"""Files of measurements: their columns and units, Likwid's files, and what is wrong with them."""

from __future__ import annotations

import contextlib

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.measurements import likwid_text

from schedlab.errors import InputError
from schedlab.fitting import read_measured

POWER_ROWS = "active,power\n0,0.3\n1,12\n4,30\n"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Returns a function that writes a file into the working folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "m.csv") -> str:
        (tmp_path / name).write_text(text)
        return name

    return write


def test_speeds(written):
    name = written("rate,others,n,speed,note\n1000,5000,2,0.9,x\n# a comment\n\n0,0,0,1,\n")
    speeds, powers = read_measured([name], cores=4)
    assert powers is None
    assert speeds.own.tolist() == [1000, 0]
    assert speeds.total.tolist() == [6000, 0]
    assert speeds.others.tolist() == [2, 0]
    assert speeds.speed.tolist() == [0.9, 1]
    assert speeds.places == ("m.csv:2", "m.csv:5")


def test_times_volumes_units_and_other_delimiters(written):
    name = written("volume [GB];time_alone [min];others [GiB/s];n;time [s]\n6;1;2;3;120\n")
    speeds, _ = read_measured([name], cores=4)
    assert speeds.own.tolist() == [100]
    assert speeds.total.tolist() == pytest.approx([100 + 2147.483648])
    assert speeds.speed.tolist() == [0.5]


def test_columns_by_other_titles(written):
    titles = "Memory bandwidth [GBytes/s],rate,sum,n,S"
    name = written(f"{titles}\n2,9,4000,1,0.8\n")
    columns = {"rate": "Memory bandwidth [GBytes/s]", "others": "sum", "speed": "S"}
    speeds, _ = read_measured([name], cores=4, columns=columns)
    assert (speeds.own[0], speeds.total[0], speeds.speed[0]) == (2000, 6000, 0.8)


def test_both_kinds_in_one_file_and_in_several(written):
    both = written("rate,others,n,speed,active,power\n1,2,1,0.9,2,18\n,,,,0,0.3\n5,5,1,1,,\n")
    speeds, powers = read_measured([both, written(POWER_ROWS, "p.csv")], cores=4)
    assert speeds.source == "m.csv"
    assert len(speeds.speed) == 2
    assert powers.source == "m.csv, p.csv"
    assert powers.active.tolist() == [2, 0, 0, 1, 4]


def test_clocks(written):
    name = written("clock [MHz],active,power [mW]\n3400,1,12000\n1700,1,4000\n")
    _, powers = read_measured([name], cores=4)
    assert powers.clock.tolist() == [3.4, 1.7]
    assert powers.power.tolist() == [12, 4]


def test_files_of_likwid(written):
    def run(name: str, seconds: float, bandwidth: float, threads: int = 1) -> str:
        rest = [0.0] * (threads - 1)
        metrics = {
            "Runtime (RDTSC) [s]": [seconds, *[seconds * 0.9] * (threads - 1)],
            "Clock [MHz]": [3391.2] * threads,
            "Memory bandwidth [MBytes/s]": [bandwidth, *rest],
            "Memory data volume [GBytes]": [bandwidth * seconds / 1000, *rest],
        }
        return written(likwid_text("MEM", metrics), name)

    def energy(name: str, watts: float) -> str:
        metrics = {"Runtime (RDTSC) [s]": [10.0], "Energy [J]": [watts * 10], "Power [W]": [watts]}
        return written(likwid_text("ENERGY", metrics), name)

    for name, bandwidth in (("cg", 20_000.0), ("lu", 12_000.0)):
        run(f"{name}.csv", 100.0, bandwidth)
    run("cg-lu-lu.csv", 125.0, 0.0, threads=4)
    manifest = "alone,neighbours,together\ncg.csv,lu.csv lu.csv,cg-lu-lu.csv\ncg.csv,,cg.csv\n"
    table = written(manifest)
    speeds, _ = read_measured([table], cores=4)
    assert speeds.own.tolist() == [20_000, 20_000]
    assert speeds.total.tolist() == [44_000, 20_000]
    assert speeds.others.tolist() == [2, 0]
    assert speeds.speed.tolist() == [0.8, 1]
    energy("p1.csv", 11.7)
    energy("p4.csv", 30.1)
    table = written("active,likwid,clock\n1,p1.csv,3.4\n4,p4.csv,3.4\n", "p.csv")
    _, powers = read_measured([table], cores=4)
    assert powers.power.tolist() == [11.7, 30.1]
    with pytest.raises(InputError, match=r"^p.csv:2: p1.csv: has no Memory bandwidth .* group MEM"):
        read_measured([written("alone,neighbours,together\np1.csv,,p1.csv\n", "p.csv")], cores=4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.csv: is empty; its first line must name the columns"),
        ("rate,others\n1,2\n", "m.csv: its columns are not measurements; needed are rate"),
        ("rate,others,n,speed\n", "m.csv: has no rows"),
        ("rate,others,n,speed\n1,2,1\n", "m.csv:2: has 3 fields; its title line has 4"),
        ("rate,others,n,speed\n1,2,1,x\n", "m.csv:2: speed: must be a number, above 0, not 'x'"),
        ("rate,others,n,speed\n1,2,1,nan\n", "m.csv:2: speed: must be a number, above 0"),
        ("rate,others,n,speed\n1,2,1,0\n", "m.csv:2: speed: must be a number, above 0, not '0'"),
        ("rate,others,n,speed\n1,2,1,3.1\n", "m.csv:2: speed: 3.1 is more than 1.25; it is time"),
        ("rate,others,n,speed\n1,2,1,\n", "m.csv:2: speed: is blank"),
        ("rate,others,n,speed\n,2,1,1\n", "m.csv:2: rate: is blank"),
        ("rate,others,n,speed\n-1,2,1,1\n", "m.csv:2: rate: must be a number, 0 or more"),
        ("rate,others,n,speed\n1,2,1.5,1\n", "m.csv:2: n: must be a whole number, not 1.5"),
        ("rate,others,n,speed\n1,2,4,1\n", "m.csv:2: n: 4 is more than 3: N others have"),
        ("rate,others,n,speed\n1,2,0,1\n", "m.csv:2: others: is above 0, but n says that there"),
        ("rate,others,n,speed\n,,,0.5\n", "m.csv:2: has no measurement in it"),
        ("rate,rate,others,n,speed\n1,1,2,1,1\n", "m.csv: two columns are called 'rate'"),
        ("rate,rate [GB/s],others,n,speed\n1,1,2,1,1\n", "m.csv: two columns are rate; say which"),
        ("rate [KB/s],others,n,speed\n1,2,1,1\n", "the unit 'KB/s' is not known; rate is in MB/s"),
        ("rate,others,n [s],speed\n1,2,1,1\n", "m.csv: 'n [s]': n has no unit"),
        ("rate,others,n,time_alone,time\n1,2,1,5,0\n", "m.csv:2: time: must be a number, above 0"),
        ("rate,others,n,speed\n1e99,2,1,1\n", "m.csv:2: rate: 1e.99 is too large to be a"),
        ("rate,others,n,time_alone,time\n1,2,1,1,1e9\n", "m.csv:2: speed: 1e-09 is less than"),
        ("active,power\n5,30\n", "m.csv:2: active: 5 is more than 4: the processor has no more"),
        ("active,power\n1,\n", "m.csv:2: power: is blank"),
        ("active,power,clock\n1,9,3\n2,9,\n", "m.csv:3: clock: is blank, but other rows have one"),
        ("active,likwid\n1,none.csv\n", "m.csv:2: none.csv: no such file"),
        ("alone,neighbours,together\nm.csv,,m.csv\n", "m.csv:2: m.csv: has no table of metrics"),
        ("alone,neighbours,together\na,b b b b,c\n", "m.csv:2: neighbours: 4 are more than 3"),
    ],
)
def test_what_is_wrong_is_said(written, text, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[").replace("(", r"\(")):
        read_measured([written(text)], cores=4)


CELLS = st.text('rate,othersnpdcivlk_[]GB/ 0123456789.e-;\t"#\r\x00é', max_size=12)
TITLES = st.sampled_from(["rate,others,n,speed", "active,power,clock", "active,likwid", "a;b", ""])


@examples(150)
@given(TITLES, st.lists(st.lists(CELLS, max_size=5).map(",".join), max_size=4))
def test_any_text_is_read_or_refused(tmp_path_factory, titles, lines):
    path = tmp_path_factory.mktemp("fuzz") / "m.csv"
    path.write_text("\n".join([titles, *lines]), newline="")
    with contextlib.suppress(InputError):  # anything else is a failure
        measured = read_measured([path], cores=4)
        assert any(part is not None for part in measured)


def test_wrong_columns(written):
    name = written("rate,others,n,speed\n1,2,1,1\n")
    with pytest.raises(InputError, match="column 'rat': there is none; they are rate, others"):
        read_measured([name], 4, {"rat": "rate"})
    with pytest.raises(InputError, match="column rate: there is no 'R'; it has rate, others"):
        read_measured([name], 4, {"rate": "R"})


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"none.csv: no such file"):
        read_measured([tmp_path / "none.csv"], 4)
    (tmp_path / "binary.csv").write_bytes(b"rate\xff\xfe\n")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_measured([tmp_path / "binary.csv"], 4)
