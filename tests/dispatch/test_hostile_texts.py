"""Texts of parts and expressions that nobody writes: half characters, megabytes, brackets only."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab._engine import Expression
from schedlab.errors import InputError
from schedlab.naming import split_at_commas

NOT_ASCII = r"position .*unexpected byte"
MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
JOBS = [sl.Job(i, submit=i, run=5, processors=4, user=i) for i in range(1, 5)]


@pytest.mark.parametrize("code", [0xDCFF, 0xD800, 0xDC80, 0xDBFF])
def test_half_characters_are_refused_with_their_place(code: int) -> None:
    half = f"wait {chr(code)}"
    with pytest.raises(InputError, match=NOT_ASCII):
        Expression(half, ["wait"])
    for scheduler in (f"score:{half}", f"easy(score={half})"):
        with pytest.raises(InputError, match=NOT_ASCII):
            sl.simulate(JOBS, system=MACHINE, scheduler=scheduler)
    with pytest.raises(InputError, match=NOT_ASCII):
        sl.simulate(JOBS, system=MACHINE, queues=[sl.Queue("a", when=half), sl.Queue("b")])
    with pytest.raises(InputError, match=NOT_ASCII):
        sl.simulate(JOBS, system=MACHINE, windows=[sl.Window(0, 1, when=half)])


@pytest.mark.parametrize(
    "long",
    [
        "wait+" * 160_000,
        "(" * 800_000,
        "a == 'x' or " * 70_000,
        "'" * 799_999,
        "\"'" * 400_000,
        "a,",
    ],
)
def test_megabytes_are_refused_at_once_and_shortly(long: str) -> None:
    long = long if len(long) > 10 else long * 400_000
    for scheduler in (f"score:{long}", f"easy(score={long})", f"easy({long})", long):
        with pytest.raises(InputError, match="write it in at most 20,000") as caught:
            sl.simulate(JOBS, system=MACHINE, scheduler=scheduler)
        assert len(str(caught.value)) < 300
    with pytest.raises(InputError, match="write it in at most 20,000"):
        sl.Queue("a", when=long)
    with pytest.raises(InputError, match="write it in at most 20,000"):
        sl.Window(0, 1, when=long)


@given(st.text(alphabet="a,()[]'\" ", max_size=40))
def test_splitting_loses_nothing(text: str) -> None:
    assert ",".join(split_at_commas(text)) == text


def test_names_of_files_that_are_not_utf_8(tmp_path) -> None:
    folder = os.fsencode(tmp_path)
    rows = "".join(f"{n} {n * 10} 0 60 1 -1 -1 1 90 -1 1 1 1 1 1 1 -1 -1\n" for n in range(1, 6))
    with open(folder + b"/trace\xff.swf", "wb") as file:
        file.write(rows.encode())
    with open(folder + b"/machine\xff.toml", "wb") as file:
        file.write(b"[groups.a]\nnodes = 4\nresources = { core = 4 }\n")
    done = sl.simulate(
        os.fsdecode(folder + b"/trace\xff.swf"),
        system=os.fsdecode(folder + b"/machine\xff.toml"),
        out=os.fsdecode(folder + b"/out\xff"),
    )
    assert done.counts["completed"] == 5
    assert sorted(os.listdir(folder + b"/out\xff"))[0] == b"jobs.csv"
