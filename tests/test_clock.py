"""Times as dates of the zone that a trace gives."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.analysis.groups import groups_of
from schedlab.analysis.plots.time_axis import TimeAxis, moment_of, moment_text
from schedlab.clock import Clock
from schedlab.workload.local_time import offsets_of

ZONES = ("Europe/Stockholm", "US/Pacific", "Asia/Tokyo", "Asia/Kolkata", "Australia/Lord_Howe")
SYSTEM = {"groups": {"n": {"nodes": 2, "resources": {"core": 4}}}}
ROW = "{0} {1} -1 3600 1 -1 -1 1 7200 -1 1 1 1 1 1 1 -1 -1\n"


def test_without_a_zone_it_is_utc() -> None:
    clock = Clock.of_header(1_000_000_000, {})
    assert clock.text(0, zone=True) == "2001-09-09 01:46:40 UTC"
    assert Clock.of_header(None, {"TimeZone": "3600"}).text(0, zone=True) == "day 0, 00:00:00"


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ({"TimeZoneString": "Europe/Stockholm"}, "2001-09-09 03:46:40 Europe/Stockholm"),
        ({"TimeZone": "-28800"}, "2001-09-08 17:46:40 UTC-08:00"),
        ({"TimeZoneString": "Nowhere/At_All", "TimeZone": "3600"}, "2001-09-09 02:46:40 UTC+01:00"),
        # The name counts: offsets of headers are those of winter, where they are right.
        (
            {"TimeZoneString": "US/Pacific", "TimeZone": "3600"},
            "2001-09-08 18:46:40 US/Pacific",
        ),
    ],
)
def test_zones_of_headers(header: dict[str, str], text: str) -> None:
    assert Clock.of_header(1_000_000_000, header).text(0, zone=True) == text


@given(st.sampled_from(ZONES), st.integers(1, 2_000_000_000), st.integers(0, 10**8))
def test_what_is_shown_can_be_given(zone: str, start: int, time: int) -> None:
    clock = Clock.of_header(start, {"TimeZoneString": zone})
    found = clock.parse(clock.text(time))
    # In the hour that clocks show twice, the first one is meant.
    assert abs(found - time) in (0, 1800, 3600)
    assert clock.text(found) == clock.text(time)


@given(st.sampled_from(ZONES), st.integers(0, 1_900_000_000), st.integers(0, 3 * 366))
def test_offsets_for_pages(zone: str, first: int, days: int) -> None:
    offsets = offsets_of(ZoneInfo(zone), first, first + days * 86_400)
    for moment in range(first, first + days * 86_400, 86_400 * 5 + 3601):
        there = datetime.fromtimestamp(moment, UTC).astimezone(ZoneInfo(zone)).utcoffset()
        assert there is not None
        offset_there = [offset for start, offset in offsets if start <= moment][-1]
        assert offset_there == there.total_seconds()


def test_plots_in_the_zone_of_the_trace(tmp_path) -> None:
    # Every day at 8 in the morning of Stockholm, in winter and in summer.
    zone = ZoneInfo("Europe/Stockholm")
    start = int(datetime(2003, 3, 1, tzinfo=zone).timestamp())
    mornings = [int(datetime(2003, 3 + d // 31, 1 + d % 31, 8, tzinfo=zone).timestamp())
                for d in range(60)]  # fmt: skip
    rows = "".join(ROW.format(i + 1, t - start) for i, t in enumerate(mornings))
    header = f"; UnixStartTime: {start}\n; TimeZone: 3600\n; TimeZoneString: Europe/Stockholm\n"
    (tmp_path / "w.swf").write_text(header + rows)
    result = sl.simulate(tmp_path / "w.swf", system=SYSTEM, timeline="csv")
    groups = groups_of(result)
    axis = TimeAxis(groups)
    assert axis.clock.zone_name == "Europe/Stockholm"
    assert moment_of("2003-04-10T08:00:00", axis) == mornings[40] - start  # summer time
    assert moment_text(mornings[40] - start, axis) == "2003-04-10T08:00:00"
    figure = sl.plot("jobs-over-time", result)
    assert "date (Europe/Stockholm)" in {axes.get_xlabel() for axes in figure.axes}
    from schedlab.analysis.plots.runs.day import LoadPerMinute, _waits

    assert set(_waits(groups[0])[:, 0]) == {480.0}  # minutes of the day
    used = LoadPerMinute(window=1)._utilization(groups[0], "core")
    assert used is not None
    assert used[480:540].min() > 0
    assert used[:479].max() == used[541:].max() == 0
    label = sl.plot("load-per-minute", result).axes[-1].get_xlabel()
    assert "Europe/Stockholm" in label


def test_runs_of_several_zones_are_shown_in_utc(tmp_path) -> None:
    results = []
    for zone in ("Europe/Stockholm", "US/Pacific"):
        name = tmp_path / f"{zone[:2]}.swf"
        name.write_text(
            f"; UnixStartTime: 1000000000\n; TimeZoneString: {zone}\n{ROW.format(1, 0)}"
        )
        results.append(sl.simulate(name, system=SYSTEM))
    assert TimeAxis(groups_of(results)).clock.zone_name == "UTC"
