"""One resolver of names with arguments: whatever the kind, wrong texts get the same messages."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from schedlab.application.repository import load
from schedlab.conditions.failures import Failures
from schedlab.dispatch import allocator, scheduler
from schedlab.errors import InputError
from schedlab.workload.distributions import distribution


def plot(text):
    from schedlab.analysis.plots import plot_named

    return plot_named(text)


def law(text):
    return Failures(text, "fixed(seconds=5)")


class Kind(NamedTuple):
    """A kind of parts: what reads its texts, and a part of it with arguments."""

    kind: str
    read: object
    misspelt: str
    meant: str
    part: str
    takes: str
    wrong_value: str


def of(kind, read, misspelt, meant, *, part, takes, wrong) -> Kind:
    return Kind(kind, read, misspelt, meant, part, takes, wrong)


KINDS = [
    of(
        *("scheduler", scheduler, "esay", "easy"),
        part="easy",
        takes="order, score, depth and reservations",
        wrong="depth=x",
    ),
    of(
        *("allocator", allocator, "first-fitt", "first-fit"),
        part="dual-end",
        takes="order, partitions, threshold and sockets",
        wrong="threshold=x",
    ),
    of(
        *("plot", plot, "gant", "gantt"),
        part="queue-size",
        takes="weight",
        wrong="weight=x",
    ),
    of(
        *("distribution", distribution, "gama", "gamma"),
        part="exponential",
        takes="mean, min, max, scale, shift and round",
        wrong="mean=x",
    ),
    of(
        *("application", load, "rng", "ring"),
        part="ring",
        takes="bytes, both, iterations and compute",
        wrong="bytes=x",
    ),
    of(
        *("distribution of times", law, "weibul", "weibull"),
        part="weibull",
        takes="scale and shape",
        wrong="scale=x, shape=1",
    ),
]


def message(kind: Kind, text: str) -> str:
    with pytest.raises(InputError) as caught:
        kind.read(text)
    return str(caught.value).removeprefix("between: ")


@pytest.fixture(params=KINDS, ids=lambda one: one.kind)
def kind(request) -> Kind:
    return request.param


def test_unknown_names(kind):
    wanted = f'unknown {kind.kind} "{kind.misspelt}"; did you mean "{kind.meant}"? known: '
    assert message(kind, kind.misspelt).startswith(wanted)
    assert message(kind, f"{kind.misspelt}(a=1)").startswith(wanted)


def test_arguments_that_a_part_does_not_take(kind):
    text = f"{kind.part}(zzz=1)"
    assert message(kind, text) == f"{kind.kind} {text!r}: {kind.part} takes {kind.takes}, not zzz"


def test_arguments_that_were_meant(kind):
    name = re.split(",| and ", kind.takes)[0]
    found = message(kind, f"{kind.part}({name}x=1)")
    assert found.endswith(f'not {name}x; did you mean "{name}"?')


def test_wrong_values(kind):
    text = f"{kind.part}({kind.wrong_value})"
    name = kind.wrong_value.partition("=")[0]
    assert re.match(rf"{kind.kind} {re.escape(repr(text))}: {name}:? must be ", message(kind, text))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("PART(a=1", "the closing bracket is missing"),
        ("PART(a=1, a=2)", "a is given twice"),
        ("PART(a=)", "write arguments as name=value, not 'a='"),
    ],
)
def test_texts_that_are_no_calls(kind, text, what):
    text = text.replace("PART", kind.part)
    assert message(kind, text) == f"{kind.kind} {text!r}: {what}"


@pytest.mark.parametrize(
    ("read", "text", "what"),
    [
        (
            distribution,
            "gamma()",
            "shape missing; gamma takes shape, scale, min, max, shift and round",
        ),
        (law, "weibull(shape=1)", "scale missing; weibull takes scale and shape"),
    ],
)
def test_arguments_that_are_missing(read, text, what):
    with pytest.raises(InputError, match=re.escape(f"{text!r}: {what}")):
        read(text)
