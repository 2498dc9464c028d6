"""Names of folders, lists of names on the command line, and labels."""

from __future__ import annotations

import re

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.errors import InputError
from schedlab.experiment.names import (
    LONGEST,
    folder_name,
    folder_names,
    input_name,
    short_labels,
    split_dispatcher,
    split_names,
    unique_names,
)

ARGUMENTS = st.sampled_from(
    ["", "(order=shortest)", "(order=shortest, depth=5)", "(score=max(a, b))"]
)
NAMES = st.lists(st.builds("{}{}".format, st.sampled_from(SCHEDULERS), ARGUMENTS), min_size=1)


@given(NAMES, st.sampled_from([",", ", ", " ,"]))
def test_lists_split_at_commas_outside_of_brackets(names, comma):
    assert split_names(comma.join(names)) == names


def test_empty_names_are_left_out():
    assert split_names("") == []
    assert split_names("fifo,,easy,") == ["fifo", "easy"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("easy", ("easy", "first-fit")),
        ("easy+best-fit", ("easy", "best-fit")),
        (
            "easy(order=shortest, depth=5) + worst-fit",
            ("easy(order=shortest, depth=5)", "worst-fit"),
        ),
        ("easy(score=wait + 1)", ("easy(score=wait + 1)", "first-fit")),
        ("score:wait+processors", ("score:wait+processors", "first-fit")),
        ("score:wait+1+best-fit", ("score:wait+1", "best-fit")),
        ("a.b:C(x=1)+d.e:F(y=2)", ("a.b:C(x=1)", "d.e:F(y=2)")),
        ("easy+bestfit", ("easy", "bestfit")),
        ("""score:queue == "a(b"+best-fit""", ('score:queue == "a(b"', "best-fit")),
        ("easy(score=queue == 'a+b')+best-fit", ("easy(score=queue == 'a+b')", "best-fit")),
    ],
)
def test_dispatchers(text, parts):
    assert split_dispatcher(text) == parts


@pytest.mark.parametrize("text", ["", "+", "easy+", "+best-fit"])
def test_dispatchers_that_are_none(text):
    with pytest.raises(InputError, match=r"write it as SCHEDULER\+ALLOCATOR"):
        split_dispatcher(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("easy+first-fit", "easy+first-fit"),
        ("easy(order=shortest, depth=5)+best-fit", "easy-order-shortest-depth-5+best-fit"),
        ("Mine(share=0.5)+random", "Mine-share-0.5+random"),
    ],
)
def test_folders_that_people_can_read(text, name):
    assert folder_name(text) == name


@given(st.text())
@examples(300)
def test_folder_names_need_no_quotes_and_stay_short(text):
    name = folder_name(text)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._+-]*", name)
    assert len(name) <= LONGEST
    assert name == folder_name(text)


@given(st.lists(st.text(alphabet="aA+-. (:=é", max_size=8), unique=True))
@examples(300)
def test_folder_names_differ_whatever_the_case(texts):
    names = folder_names(texts)
    assert len({name.casefold() for name in names}) == len(texts)


def test_scores_that_differ_in_signs_only():
    names = folder_names(["score:wait+first-fit", "score:-wait+first-fit"])
    assert len(set(names)) == 2
    assert all(name.startswith("score-wait") for name in names)


def test_names_of_inputs():
    assert input_name("/data/HPC2N-2002-2.2-cln.swf.gz") == "HPC2N-2002-2.2-cln"
    assert input_name("machines/seth.toml") == "seth"
    assert unique_names(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]
    assert unique_names(["a", "a", "a (2)"]) == ["a", "a (2)", "a (2) (2)"]


def test_labels_leave_out_what_is_always_the_same():
    assert short_labels([("fifo", "first-fit"), ("easy", "first-fit")]) == ["fifo", "easy"]
    assert short_labels([("easy", "first-fit"), ("easy", "random")]) == ["first-fit", "random"]
    both = [("fifo", "first-fit"), ("easy", "random")]
    assert short_labels(both) == ["fifo + first-fit", "easy + random"]
    assert short_labels([("easy", "first-fit")]) == ["easy"]
    assert short_labels([]) == []
