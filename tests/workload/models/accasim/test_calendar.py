"""Half hours, weekdays and months of a zone, beside Python's own calendar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.workload.models.accasim.calendar import LAST_MOMENT, Counts, bins, slot_start

ZONES = [
    UTC,
    timezone(timedelta(hours=-3, minutes=-30)),
    ZoneInfo("Europe/Stockholm"),
    ZoneInfo("Asia/Kathmandu"),
    ZoneInfo("Australia/Lord_Howe"),
    ZoneInfo("America/New_York"),
]


@examples(100)
@given(
    st.integers(0, 4_000_000_000),
    st.lists(st.floats(0, 4e7), min_size=1, max_size=30),
    st.sampled_from(ZONES),
)
def test_bins_are_those_of_datetime(first, moments, zone):
    moments = [first + moment for moment in moments]
    found = bins(numpy.array(moments), zone)
    for number, moment in enumerate(moments):
        local = datetime.fromtimestamp(int(moment), zone)
        assert found.slot[number] == local.hour * 2 + local.minute // 30
        assert found.weekday[number] == local.weekday()
        assert found.month[number] == local.month - 1
        start = slot_start(moment, zone)
        began = datetime.fromtimestamp(start, zone)
        assert 0 <= int(moment) - start < 1800
        assert (began.minute % 30, began.second) == (0, 0)


def test_each_second_around_a_change_of_clocks():
    zone = ZoneInfo("Europe/Stockholm")
    change = 1_017_536_400  # 2002-03-31 02:00, when it became 03:00
    moments = numpy.arange(change - 5, change + 5)
    assert bins(moments, zone).slot.tolist() == [3] * 5 + [6] * 5
    assert bins(numpy.arange(change - 200 * 86_400, change, 1800), zone).slot[-1] == 3


def test_counts_and_shares():
    counts = Counts(UTC)
    counts.add(numpy.array([0.0, 1799.0, 1800.0, 86_400.0 * 4]))
    assert counts.jobs == 4
    assert counts.slots[:2].tolist() == [3, 1]
    assert counts.hours[0] == 4
    assert counts.weekdays.tolist() == [1, 0, 0, 3, 0, 0, 0]
    assert counts.shares()["month"].tolist() == [1.0] + [0.0] * 11
    counts.add(numpy.empty(0))
    assert counts.jobs == 4


@pytest.mark.parametrize("moment", [-1.0, float(LAST_MOMENT), float("nan")])
def test_dates_beyond_any_calendar(moment):
    with pytest.raises(InputError, match="between the years 1970 and 9999"):
        bins(numpy.array([moment]), UTC)
