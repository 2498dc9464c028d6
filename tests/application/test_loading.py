"""Applications by name: texts, arguments, files, and what is wrong with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.message_passing import Run

from schedlab.application import APPLICATIONS, Application, iterative, load
from schedlab.errors import InputError

HOME = f"{Path(__file__).parent / 'every_kind.py'}:program"


def refused(text: str) -> str:
    with pytest.raises(InputError) as error:
        load(text)
    return str(error.value)


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("allreduce", "allreduce"),
        (" allreduce( bytes = 64k ) ", "allreduce(bytes=65536)"),
        ("allreduce(compute=1, bytes=1M)", "allreduce(bytes=1048576, compute=1.0)"),
        ("allreduce(bytes=128, iterations=1)", "allreduce"),
        ("allreduce(iterations=run)", "allreduce(iterations=run)"),
        ("stencil-3d(periodic=False, dims='2x2x2')", "stencil-3d(dims=2x2x2, periodic=false)"),
        ("time-keeper(seconds=None)", "time-keeper"),
    ],
)
def test_texts_have_one_canonical_form(given, canonical):
    application = load(given)
    assert str(application) == canonical
    assert load(canonical) == application
    assert load(application) is application


@examples(50)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "text": st.text(st.characters(codec="latin-1"), max_size=8),
            "flag": st.booleans(),
            "share": st.floats(allow_nan=False, allow_infinity=False) | st.none(),
            "count": st.integers(),
        },
    )
)
def test_any_arguments_come_back_from_the_text(arguments):
    program, text = load(HOME).function, arguments.get("text", "")
    if len(f"{text}.".splitlines()) > 1 or {"'", '"'} <= set(text):
        with pytest.raises(InputError, match="a text of one line"):
            Application(HOME, arguments, program)
        return
    application = Application(HOME, arguments, program)
    again = load(str(application))
    assert again.arguments == application.arguments
    assert {**again.all_arguments, **arguments} == again.all_arguments


def test_times_may_have_units():
    assert load("allreduce(compute=1m)").arguments == {"compute": 60.0}
    assert str(load("allreduce(compute=1h30m)")) == str(load("allreduce(compute=5400)"))
    assert load("time-keeper(seconds=1e-3)").arguments == {"seconds": 0.001}


def test_wrong_texts_say_what_is_known():
    assert 'did you mean "stencil-3d"?' in refused("stencil3d(bytes=1)")
    assert all(name in refused("nothing") for name in APPLICATIONS)
    assert refused("even-odd(byte=3)") == (
        "application 'even-odd(byte=3)': even-odd takes bytes, iterations and compute, not byte; "
        'did you mean "bytes"?'
    )
    assert "bytes must be a number of bytes from 0 up" in refused("even-odd(bytes=-1)")
    assert "bytes must be a number of bytes from 0 up" in refused("even-odd(bytes=64q)")
    assert "iterations must be a whole number from 1 up" in refused("even-odd(iterations=0)")
    assert "compute must be a number of seconds from 0 up" in refused("even-odd(compute=-1e-9)")
    assert "compute must be a number of seconds" in refused("even-odd(compute=inf)")
    assert "may have units, such as 1h30m, not soon" in refused("even-odd(compute=soon)")
    assert "both must be true or false, not maybe" in refused("ring(both=maybe)")
    assert "seed must be a whole number, not 1k" in refused("random-pairs(seed=1k)")
    assert "dims must be auto or 3 extents" in refused("stencil-3d(dims=2x2)")
    assert "extents such as 8x16, not 0x2" in refused("stencil-2d(dims=0x2)")
    assert "octants must be from 1 to 8" in refused("sweep(octants=9)")
    assert "exchange must be halo or allgather" in refused("conjugate-gradient(exchange=x)")
    assert "distribution must be one of" in refused("master-worker(distribution=x)")
    assert "is not a generator function" in refused("os.path:join")
    assert "there is no file nowhere.py" in refused("nowhere.py:program")
    with pytest.raises(InputError, match=r"must be a number of bytes from 0 up.*not True"):
        Application("mine", {"bytes": True}, APPLICATIONS["even-odd"])
    with pytest.raises(InputError, match="a text or an Application"):
        load(3)


@pytest.mark.parametrize(
    ("text", "ranks", "reason"),
    [
        ("stencil-3d(dims=2x2x2)", 9, "dims=2x2x2 is for 8 ranks; 3x3x1 would fit, or auto"),
        ("summa(dims=2x2)", 6, "dims=2x2 is for 4 ranks; 3x2 would fit"),
        ("bcast(root=4)", 4, "root must be a rank from 0 to 3, not 4"),
        ("ping-pong(second=7)", 2, "second must be a rank from 0 to 1, not 7"),
        ("master-worker(tasks=5)", 1, "a master needs a worker"),
        ("conjugate-gradient(n=3)", 4, "n=3 unknowns are fewer than the ranks"),
        ("checkpoint(writers=5)", 4, "writers must be a number of ranks from 0 to 4, not 5"),
    ],
)
def test_ranks_that_do_not_fit_are_refused_with_the_text(text, ranks, reason):
    with pytest.raises(InputError) as error:
        Run(load(text).program, ranks)
    assert str(error.value).startswith(f"application '{text}' on {ranks} rank")
    assert reason in str(error.value)


def test_programs_in_files_and_modules(tmp_path, monkeypatch):
    source = """
from schedlab.application import checked

def mine(mpi, size, bytes: int = 64, name="x", rate=1.5):
    yield mpi.compute(rate)

def odd(mpi, table: list = ()):
    yield

def plain(mpi):
    return None

@checked(lambda ranks: None)
def wrong_check(mpi, size: int = 1):
    yield
"""
    file = tmp_path / "folder" / "own_programs.py"
    file.parent.mkdir()
    file.write_text(source)
    found = load(f"{file}:mine(size=3, bytes=2k)")
    assert found.arguments == {"size": "3", "bytes": 2048}
    assert load(str(found)) == found
    assert Run(found.program, 2).clocks == [1.5, 1.5]
    assert "size missing; " in refused(f"{file}:mine")
    assert "table is a list; arguments of applications are of" in refused(f"{file}:odd")
    assert "is not a generator function" in refused(f"{file}:plain")
    assert "its check failed: TypeError" in refused(f"{file}:wrong_check")
    assert "has no 'other'" in refused(f"{file}:other")

    monkeypatch.chdir(file.parent)
    assert load("own_programs.py:mine(size=3)").function is found.function
    assert load("own_programs:mine(size=3)").function.__name__ == "mine"
    file.write_text("def mine(mpi):\n    yield\n1 / 0\n")
    os.utime(file, ns=(1, 1))
    assert "own_programs.py cannot be imported: ZeroDivisionError" in refused(
        "own_programs.py:mine"
    )


def test_entry_points_are_found(monkeypatch):
    from importlib import metadata

    point = metadata.EntryPoint("offered", "os.path:join", "schedlab.applications")
    monkeypatch.setattr(point.__class__, "load", lambda self: load(HOME).function)
    monkeypatch.setattr(
        metadata,
        "entry_points",
        lambda group, name: [point] if (group, name) == (point.group, point.name) else [],
    )
    assert str(load("offered(count=4)")) == "offered(count=4)"
    assert 'unknown application "other"' in refused("other")


def test_iterations_of_iterative_programs():
    application = load("even-odd(iterations=7, bytes=1)")
    assert (application.iterations, application.iterative) == (7, True)
    assert str(application.once()) == "even-odd(bytes=1)"
    filling = load("even-odd(iterations=run)")
    assert filling.iterations == "run"
    assert len(Run(filling.program, 2, repetitions=5).messages) == 10
    with pytest.raises(InputError, match="job 4 has no run time that iterations could fill"):
        Run(filling.program, 2, repetitions=0, job=4)
    keeper = load("time-keeper")
    assert (keeper.iterations, keeper.iterative, keeper.once()) == (1, False, keeper)
    assert [name for name in APPLICATIONS if not load(name).iterative] == ["time-keeper"]
    with pytest.raises(InputError, match="program has no argument named iterations"):
        iterative(load(HOME).function)


def test_nothing_heavy_is_imported():
    code = "import sys, schedlab.application as a; a.load('ring(bytes=1k)'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "polars", "typing", "re", "json", "dataclasses", "inspect", "random"}
    assert not heavy & set(done.stdout.split())
