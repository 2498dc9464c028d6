"""Expressions over features of nodes."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.system import load_system
from schedlab.system.features import Constraint, nodes_that_have

NAMES = ["a", "b", "gpu:a100", "x.y-z_1=2", "10G"]


@pytest.mark.parametrize(
    ("text", "holding", "failing"),
    [
        ("a", [{"a"}, {"a", "b"}], [set(), {"b"}]),
        ("a & b", [{"a", "b"}], [{"a"}, {"b"}, set()]),
        ("a|b", [{"a"}, {"b"}], [set()]),
        ("!a", [set(), {"b"}], [{"a"}]),
        ("!a & b | c", [{"b"}, {"c"}, {"a", "c"}], [{"a", "b"}, set()]),
        ("!(a & b)", [{"a"}, {"b"}, set()], [{"a", "b"}]),
        ("a & (b | c)", [{"a", "b"}, {"a", "c"}], [{"a"}, {"b", "c"}]),
        ("!!a", [{"a"}], [set()]),
        ("  gpu:a100&10G ", [{"gpu:a100", "10G"}], [{"10G"}]),
    ],
)
def test_meaning(text, holding, failing):
    constraint = Constraint(text)
    assert all(constraint.holds(features) for features in holding)
    assert not any(constraint.holds(features) for features in failing)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'needs "": it ends where the name of a feature must be'),
        ("a &", 'needs "a &": it ends where the name of a feature must be'),
        ("& a", 'needs "& a": "&" is where the name of a feature must be'),
        ("a b", 'needs "a b": "b" is where & or | must be'),
        ("(a", 'needs "(a": a ")" is missing'),
        ("a)", 'needs "a)": ")" is where & or | must be'),
        ("a!", 'needs "a!": "!" is where & or | must be'),
        ("[a|b]", 'needs "[a|b]": "[a" is where the name of a feature must be; lists in brackets'),
        ("a*4", 'needs "a*4": "a*4" is where the name of a feature must be; lists in brackets'),
        ("'a'", """needs "'a'": "'a'" is where the name of a feature must be"""),
        ("(" * 5000, "has more than 2,000 characters"),
        ("!" * 1999, "is nested too deeply"),
    ],
)
def test_what_is_wrong(text, message):
    with pytest.raises(InputError) as caught:
        Constraint(text)
    assert message in str(caught.value)


TREES = st.recursive(
    st.sampled_from(NAMES),
    lambda inner: st.tuples(st.just("!"), inner) | st.tuples(st.sampled_from("&|"), inner, inner),
    max_leaves=12,
)


def written(tree):
    """Returns a tree as text, with all its parentheses."""
    if isinstance(tree, str):
        return tree
    if tree[0] == "!":
        return f"!({written(tree[1])})"
    return f"({written(tree[1])}) {tree[0]}({written(tree[2])})"


def holds(tree, features):
    """Returns what a tree means, by itself."""
    if isinstance(tree, str):
        return tree in features
    if tree[0] == "!":
        return not holds(tree[1], features)
    one, other = (holds(part, features) for part in tree[1:])
    return (one and other) if tree[0] == "&" else (one or other)


@given(tree=TREES, features=st.sets(st.sampled_from(NAMES)))
def test_as_its_tree_says(tree, features):
    assert Constraint(written(tree)).holds(features) == holds(tree, features)


@given(st.text("ab&|!() []*", max_size=12))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(InputError):
        assert Constraint(text).holds({"a"}) in (True, False)


def test_nodes_of_groups_and_types():
    system = load_system(
        {
            "processors": {"p": {"cores": 2, "clock": 2}},
            "node_types": {
                "one": {"processors": {"p": 1}, "features": ["slow"]},
                "two": {"processors": {"p": 2}},
            },
            "groups": {
                "a": {"nodes": 3, "type": "one"},
                "b": {"nodes": 2, "type": "one", "features": ["ib"]},
                "c": {"nodes": 4, "type": "two", "features": ["ib", "fast"]},
            },
        }
    )
    expected = {
        "slow": [(0, 5)],
        "ib": [(3, 6)],
        "!ib": [(0, 3)],
        "slow & ib": [(3, 2)],
        "fast | slow & !ib": [(0, 3), (5, 4)],
        "none": [],
        "!none": [(0, 9)],
    }
    for text, ranges in expected.items():
        assert nodes_that_have(Constraint(text), system) == ranges
