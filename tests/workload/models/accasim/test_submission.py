"""Submission times: the fast walk beside the naive one, and the shares of real traces."""

from __future__ import annotations

from types import SimpleNamespace
from zoneinfo import ZoneInfo

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.slot_weights import NaiveSlotWeights

from schedlab.workload.formats import open_reader
from schedlab.workload.header import time_zone, unix_start
from schedlab.workload.models.accasim import PaperSlotWeights, SlotWeights
from schedlab.workload.models.accasim.calendar import BLOCK, Counts
from schedlab.workload.models.accasim.slot_weights import STRATA, stratified
from schedlab.workload.random_numbers import generator

HOUR, DAY, WEEK = 3600, 86_400, 604_800


def original(moments, zone):
    """What `learn` takes of a workload: submissions alone."""
    moments = numpy.sort(numpy.array(moments, float))
    counts = Counts(zone)
    counts.add(moments)
    span = float(moments[-1] - moments[0])
    return SimpleNamespace(
        moments=moments,
        counts=counts,
        zone=zone,
        jobs=len(moments),
        span_seconds=span,
        mean_gap_seconds=span / (len(moments) - 1),
        has_weeks=span >= WEEK,
        has_years=span >= 365 * DAY and bool(counts.months.all()),
    )


def learnt(part, moments, zone):
    part.learn(original(moments, zone), None, None)
    return part


def all_times(part, jobs, seed="1"):
    return numpy.concatenate(list(part.times(jobs, generator(seed, "test"))))


@examples(25)
@given(
    st.lists(st.floats(0, 3 * HOUR), min_size=4, max_size=50),
    st.integers(1, 60),
    st.sampled_from(["Europe/Stockholm", "Asia/Tokyo", "Asia/Kathmandu"]),
    st.booleans(),
)
def test_the_fast_walk_is_the_naive_one(gaps, jobs, zone, keep_rate):
    zone = ZoneInfo(zone)
    moments = 1_017_400_000 + numpy.floor(numpy.cumsum(gaps))  # a day before clocks change
    moments[-1] += 2 * HOUR
    part = learnt(SlotWeights(keep_rate), moments, zone)
    cycles = part.cycles(jobs)
    naive = NaiveSlotWeights(moments.tolist(), zone, part.first, cycles, jobs)
    chosen = stratified(numpy.arange(len(naive.gaps)), jobs, generator("1", "test"))
    places = naive.times([naive.gaps[place] for place in chosen.tolist()])
    expected = part.first + numpy.array(places) * 1800
    assert numpy.abs(all_times(part, jobs) - expected).max() <= 1.001


def test_the_fast_walk_is_the_naive_one_with_weekdays():
    random = generator("w", "data")
    moments = numpy.floor(1e9 + numpy.cumsum(random.random(60) * 8 * HOUR))
    zone = ZoneInfo("Europe/Stockholm")
    part = learnt(SlotWeights(), moments, zone)
    cycles = part.cycles(40)
    assert cycles[:3] == (True, True, False)
    naive = NaiveSlotWeights(moments.tolist(), zone, part.first, cycles, 40)
    chosen = stratified(numpy.arange(len(naive.gaps)), 40, generator("1", "test"))
    places = naive.times([naive.gaps[place] for place in chosen.tolist()])
    assert numpy.abs(all_times(part, 40) - part.first - numpy.array(places) * 1800).max() <= 1.001


@examples(40)
@given(
    st.lists(st.floats(0, 1e5) | st.just(0.0), min_size=2, max_size=40).filter(
        lambda g: sum(g) > 1
    ),
    st.integers(1, 2 * BLOCK + 5),
    st.sampled_from([SlotWeights, PaperSlotWeights]),
)
def test_times_ascend_and_are_as_many_as_asked_for(gaps, jobs, kind):
    jobs = min(jobs, 300) if kind is PaperSlotWeights else jobs
    moments = 1.5e9 + numpy.cumsum([0.0, *gaps])
    part = learnt(kind(), moments, ZoneInfo("Europe/Stockholm"))
    times = all_times(part, jobs)
    assert len(times) == jobs
    assert (numpy.diff(times) >= 0).all()
    assert times[0] >= part.first
    assert (times == numpy.floor(times)).all()


def test_the_same_seed_and_another():
    moments = 1.5e9 + numpy.cumsum(generator("d", "").random(500) * HOUR)
    part = learnt(SlotWeights(), moments, ZoneInfo("Asia/Tokyo"))
    assert (all_times(part, 5000) == all_times(part, 5000)).all()
    assert (all_times(part, 5000) != all_times(part, 5000, "2")).any()


def test_strata_have_one_of_each_quantile():
    drawn = stratified(numpy.arange(STRATA), 2 * STRATA + 7, generator("1"))
    assert sorted(drawn[:STRATA]) == sorted(drawn[STRATA : 2 * STRATA]) == list(range(STRATA))
    assert len(drawn) == 2 * STRATA + 7
    assert drawn[:STRATA].tolist() != drawn[STRATA : 2 * STRATA].tolist()


@pytest.mark.parametrize(
    ("days", "jobs", "expected"),
    [
        (0.5, 1000, (False, False, False)),
        (3, 1000, (True, False, False)),
        (30, 1000, (True, True, False)),
        (30, 20, (True, False, False)),  # half a day of a month's data
        (30, 10, (False, False, False)),
        (800, 1000, (True, True, True)),
        (800, 200, (True, True, False)),  # less than half a year
    ],
)
def test_cycles_that_the_data_have_and_the_jobs_fill(days, jobs, expected):
    moments = 1.5e9 + numpy.linspace(0, days * DAY, 1001)
    part = learnt(SlotWeights(), moments, ZoneInfo("UTC"))
    assert part.cycles(jobs)[:3] == expected
    whole = {(True, True, True): 365.2425 * DAY, (True, True, False): WEEK}.get(expected, DAY)
    span = part.cycles(jobs).span_seconds
    assert expected == (False, False, False) or span % whole == pytest.approx(0, abs=1e-3)
    natural = learnt(SlotWeights(keep_rate=True), moments, ZoneInfo("UTC")).cycles(jobs)
    assert natural.span_seconds == pytest.approx(jobs * days * DAY / 1000)


def test_hours_without_jobs_stay_empty():
    days = numpy.repeat(numpy.arange(60) * DAY, 8)
    moments = 1_600_041_600 + days + numpy.tile(numpy.arange(8) * HOUR + 9 * HOUR, 60)
    part = learnt(SlotWeights(), moments, ZoneInfo("UTC"))
    counts = Counts(ZoneInfo("UTC"))
    counts.add(all_times(part, 4000))
    assert counts.hours[:9].sum() == counts.hours[17:].sum() == 0
    assert counts.hours[9:17].min() > 350


@pytest.mark.parametrize(
    ("name", "most_months"), [("HPC2N-2002-2.2-cln.swf.gz", 2.0), ("RICC-2010-2.swf.gz", None)]
)
def test_shares_of_real_traces(trace, name, most_months):
    """Within 2 percentage points, each bin: issue 5, 1; the paper's figures 14 and 15."""
    reader = open_reader(trace(name))
    submit = numpy.concatenate([table["submit"].to_numpy() for table in reader.tables()])
    zone, _ = time_zone(reader.header)
    part = learnt(SlotWeights(), submit + unix_start(reader.header), zone)
    data = part.counts.shares()
    for jobs, seed in ((50_000, "1"), (50_000, "2"), (100_000, "1"), (200_000, "1")):
        counts = Counts(zone)
        counts.add(all_times(part, jobs, seed))
        for cycle, shares in counts.shares().items():
            if cycle != "month" or most_months:
                assert numpy.abs(shares - data[cycle]).max() <= 0.02, (jobs, seed, cycle)


def test_the_paper_taken_literally_misses_the_months(trace):
    reader = open_reader(trace("HPC2N-2002-2.2-cln.swf.gz"))
    submit = numpy.concatenate([table["submit"].to_numpy() for table in reader.tables()])
    zone, _ = time_zone(reader.header)
    part = learnt(PaperSlotWeights(), submit + unix_start(reader.header), zone)
    counts, data = Counts(zone), Counts(zone)
    data.add(submit + unix_start(reader.header))
    counts.add(all_times(part, 20_000))
    assert numpy.abs(counts.shares()["month"] - data.shares()["month"]).max() > 0.1
