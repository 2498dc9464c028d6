"""Hours, weekdays and months by the clocks of a place, against Python's calendar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, available_timezones

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.workload.local_time import (
    jobs_by_hour,
    jobs_by_month,
    jobs_by_weekday,
    local_seconds,
)

CHANGE = 1_049_000_400  # 2003-03-30 06:00 UTC; Stockholm's clocks went forward five hours before
ZONES = [
    UTC,
    timezone(timedelta(hours=-3, minutes=-30)),
    *map(
        ZoneInfo,
        (
            "Europe/Stockholm",
            "America/Los_Angeles",
            "Asia/Tokyo",
            "Australia/Lord_Howe",
            "Pacific/Apia",
        ),
    ),
]


@examples(150)
@given(
    st.lists(st.integers(0, 2_000_000_000) | st.integers(CHANGE - 10**5, CHANGE + 10**5)),
    st.sampled_from(ZONES),
)
def test_every_moment_is_what_clocks_show(moments: list[int], zone: tzinfo) -> None:
    local = local_seconds(moments, zone)
    shown = [datetime.fromtimestamp(moment, zone) for moment in moments]
    assert list(local) == [s.replace(tzinfo=UTC).timestamp() for s in shown]

    def counts(places: list[int], size: int) -> list[int]:
        return [places.count(place) for place in range(size)]

    assert list(jobs_by_hour(local)) == counts([s.hour for s in shown], 24)
    assert list(jobs_by_weekday(local)) == counts([s.weekday() for s in shown], 7)
    assert list(jobs_by_month(local)) == counts([s.month - 1 for s in shown], 12)


@given(
    st.sampled_from(sorted(available_timezones())),
    st.lists(st.integers(-2_000_000_000, 5_000_000_000), max_size=9),
)
def test_all_zones_at_all_times(name: str, moments: list[int]) -> None:
    zone = ZoneInfo(name)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    shown = [(epoch + timedelta(seconds=moment)).astimezone(zone) for moment in moments]
    expected = [(one.replace(tzinfo=UTC) - epoch).total_seconds() for one in shown]
    assert list(local_seconds(moments, zone)) == expected


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_each_second_around_a_change(zone: tzinfo) -> None:
    change = 1_048_986_000 if str(zone) == "Europe/Stockholm" else 1_049_536_800
    moments = numpy.arange(change - 50, change + 50)
    expected = [
        datetime.fromtimestamp(int(m), zone).replace(tzinfo=UTC).timestamp() for m in moments
    ]
    assert list(local_seconds(moments, zone)) == expected


def test_beyond_the_calendar_times_stay() -> None:
    far = numpy.array([-1e17, 1e17, 1e300])
    assert list(local_seconds(far, ZoneInfo("Europe/Stockholm"))) == list(far)
    assert jobs_by_hour(far).sum() == jobs_by_weekday(far).sum() == 3
    assert jobs_by_month(far).sum() == 0
