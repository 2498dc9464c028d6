"""Flurries: the fast search against the plain definition, planted bursts, real logs."""

from __future__ import annotations

import re

import numpy
import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.cleaning.logs import naive_flurries, submissions

import schedlab as sl
from schedlab.workload.cleaning.flurries import Flurries
from schedlab.workload.formats import open_reader
from schedlab.workload.random_numbers import generator

HOUR, DAY, WEEK = 3600, 86_400, 604_800


def ordinary_log(weeks: int = 30, users: int = 20, jobs_a_week: int = 200) -> polars.DataFrame:
    """Users who submit at random, some ten times as much as others."""
    numbers = generator("ordinary", "log")
    count = weeks * jobs_a_week
    submit = numpy.sort(numpy.floor(numbers.random(count) * weeks * WEEK))
    return submissions(submit, numpy.floor(numbers.random(count) ** 2 * users) + 1)


def with_burst(log: polars.DataFrame, user: int, start: float, length: float, count: int):
    """Puts the jobs of a burst after the log; returns it sorted, with the burst's job numbers."""
    submit = numpy.floor(start + numpy.arange(count) * length / count)
    burst = submissions(submit, numpy.full(count, user))
    burst = burst.with_columns(job=polars.col("job") + 1_000_000.0)
    return polars.concat([log, burst]).sort("submit", maintain_order=True)


@st.composite
def small_logs(draw):
    hours = st.integers(0, 60 * 24)
    log = draw(st.lists(st.tuples(hours, st.integers(-1, 6)), min_size=1, max_size=60))
    bursts = st.tuples(hours, st.integers(0, 6), st.integers(2, 25), st.integers(1, 400))
    for start, user, count, spread in draw(st.lists(bursts, max_size=3)):
        log += [(start + place * spread // count, user) for place in range(count)]
    if draw(st.booleans()):
        log.sort()
    shift = draw(st.sampled_from([0, 17, 1_356_996_147, -5 * DAY]))
    return submissions([hour * HOUR + shift for hour, _ in log], [user for _, user in log])


@examples(100)
@given(small_logs(), st.sampled_from([(1, 0.3, 3, 2), (2, 0.3, 5, 3), (1.5, 0.5, 8, 4)]))
def test_finds_what_the_definition_says(log, parameters):
    factor, share, least, place = parameters
    cleaning = sl.clean(log, [Flurries(factor, share, least, place)])
    found = {row - 1 for row in cleaning.removed["row"]}
    assert found == naive_flurries(log, factor, share, least, place)


@pytest.mark.parametrize(
    ("length", "count"),
    [(2 * HOUR, 600), (DAY, 600), (6 * DAY, 900), (25 * DAY, 1500)],
    ids=["two hours", "a day", "six days", "25 days"],
)
def test_finds_planted_flurries_and_nothing_else(length, count):
    log = with_burst(ordinary_log(), 77, 12 * WEEK, length, count)
    cleaning = sl.clean(log, ["flurries"])
    assert cleaning.counts.rows() == [("flurries", "flurry of user 77", count)]
    assert (cleaning.removed["job"] > 1_000_000).all()


def test_burst_of_a_busy_user_takes_jobs_of_the_same_weeks_only():
    log = with_burst(ordinary_log(), 1, 12 * WEEK, DAY, 2000)
    removed = sl.clean(log, ["flurries"]).removed
    assert set(removed["user"]) == {1}
    assert (removed["job"] > 1_000_000).sum() == 2000
    assert removed["submit"].min() > 8 * WEEK
    assert removed["submit"].max() < 17 * WEEK
    evidence = removed["evidence"][0]
    assert re.search(r"one of [\d,]+ jobs of user 1 from \d+ s to \d+ s, \d+% of all", evidence)
    assert "a busy user has at most" in evidence


def test_ordinary_logs_have_none():
    cleaning = sl.clean(ordinary_log(), ["flurries"])
    assert cleaning.removed.height == 0
    assert cleaning.rules[0].notes == ()


def test_who_always_has_many_jobs_has_no_flurry():
    log = ordinary_log()
    steady = numpy.floor(generator("steady").random(9000) * 30 * WEEK)
    steady = submissions(steady, numpy.full(9000, 77))
    both = polars.concat([log, steady]).sort("submit", maintain_order=True)
    assert (both["user"] == 77).mean() > 0.5
    assert sl.clean(both, ["flurries"]).removed.height == 0
    burst = sl.clean(with_burst(both, 77, 12 * WEEK, DAY, 900), ["flurries"]).removed
    assert set(burst["user"]) == {77}
    assert (burst["job"] > 1_000_000).sum() == 900
    assert burst.height < 2000


def test_needs_users_to_compare_with():
    lonely = submissions(numpy.arange(5000.0), numpy.ones(5000))
    cleaning = sl.clean(lonely, ["flurries"])
    assert cleaning.removed.height == 0
    assert "known users: 1, too few" in cleaning.rules[0].notes[0]
    nobody = submissions(numpy.arange(5000.0), numpy.full(5000, -1))
    assert sl.clean(nobody, ["flurries"]).removed.height == 0


def test_says_so_when_flurries_are_much_of_the_log():
    log = with_burst(ordinary_log(), 77, 12 * WEEK, DAY, 4000)
    assert "flurries are 40% of all jobs" in sl.clean(log, ["flurries"]).rules[0].notes[0]


def test_absurd_times_do_not_matter():
    log = with_burst(ordinary_log(), 77, 12 * WEEK, DAY, 600)
    absurd = submissions([1e18, -1e18, 1e300], [3, 4, 5])
    removed = sl.clean(polars.concat([log, absurd]), ["flurries"]).removed
    assert removed.height == 600


FILTER = re.compile(r"user=(\d+) and \(job>=(\d+) and job<=(\d+)\) \((\d+) jobs removed\)")


@pytest.mark.parametrize(
    ("name", "most_removed", "found"),
    [
        ("CTC-SP2-1996-3.1-cln.swf.gz", 0.017, {135}),
        ("HPC2N-2002-2.2-cln.swf.gz", 0.043, {60}),
        ("LLNL-Atlas-2006-2.1-cln.swf.gz", 0, {4, 28, 7, 19}),
        ("SDSC-BLUE-2000-4.2-cln.swf.gz", 0, {342, 269}),
    ],
)
def test_logs_of_the_archive(trace, name, most_removed, found):
    """Cleaned logs lose little; most flurries that the archive took out are found again.

    The archive's header says how many jobs of which user it took out between which job numbers.
    They are put back, evenly over the time that those numbers span: the originals are not known.
    """
    reader = open_reader(trace(name))
    log = polars.concat(list(reader.tables())).select("job", "submit", "user")
    cleaning = sl.clean(log, ["flurries"])
    assert cleaning.removed.height <= most_removed * log.height
    filters = [
        tuple(map(int, numbers)) for numbers in FILTER.findall("\n".join(reader._rows.comments))
    ]
    assert filters, "the header names the flurries"
    parts, expected = [log], {}
    for user, first, last, count in filters:
        start = log.filter(polars.col("job") < first)["submit"].max() or 0.0
        end = log.filter(polars.col("job") > last)["submit"].min()
        expected[user] = count
        parts.append(
            polars.DataFrame(
                {
                    "job": polars.Series([-2.0]).new_from_index(0, count),
                    "submit": numpy.linspace(start, end, count),
                    "user": numpy.full(count, float(user)),
                }
            )
        )
    raw = polars.concat(parts).sort("submit", maintain_order=True)
    removed = sl.clean(raw, ["flurries"]).removed.filter(polars.col("job") == -2.0)
    again = dict(removed.group_by("user").agg(polars.len()).iter_rows())
    assert {user for user, count in expected.items() if again.get(user, 0) > 0.9 * count} == found
