"""Local times: the zone is said, or a notice says that it was not."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab.workload.formats import open_reader
from schedlab.workload.formats.accounting.times import Moments
from schedlab.workload.formats.tables.column_map import in_zone, zone_counts
from schedlab.workload.inspect import inspect_workload

HEAD = "JobID|State|Submit|Start|End|ElapsedRaw|AllocCPUS\n"
MACHINE = {"groups": {"node": {"nodes": 1, "resources": {"core": 4}}}}


def dump(tmp_path, *times):
    lines = (f"{n}|COMPLETED|{'|'.join(three)}||1\n" for n, three in enumerate(times, 1))
    (tmp_path / "t.sacct").write_text(HEAD + "".join(lines))
    return tmp_path / "t.sacct"


def test_a_dump_without_a_zone_is_noticed(tmp_path):
    path = dump(tmp_path, ("2024-03-01T08:00:00", "2024-03-01T09:00:00", "2024-03-01T10:00:00"))
    result = schedlab.simulate(path, system=MACHINE)
    (warning,) = result.run["warnings"]
    assert warning.startswith("times without a time zone (3) are taken as UTC; say which it is")
    assert "sacct(zone=Europe/Berlin)" in warning
    assert warning in inspect_workload(path)["warnings"]
    for zone, start in (("UTC", 1709280000), ("Europe/Berlin", 1709276400)):
        reader = open_reader(path, f"sacct(zone={zone})")
        run = schedlab.simulate(reader, system=MACHINE).run
        assert run["warnings"] == []
        assert run["workload"]["header"]["UnixStartTime"] == str(start)


def test_unix_times_and_times_with_an_offset_need_no_zone(tmp_path):
    for three in (
        ("1709280000", "1709280060", "1709280120"),
        ("2024-03-01T08:00:00+01:00", "Unknown", "None"),
    ):
        reader = open_reader(dump(tmp_path, three))
        list(reader.tables())
        assert reader.notices == []


def test_the_hour_that_comes_twice_and_the_hour_that_is_left_out(tmp_path):
    path = dump(
        tmp_path,
        ("2024-03-31T01:30:00", "2024-03-31T02:30:00", "2024-03-31T03:40:00"),
        ("2024-10-27T02:50:00", "2024-10-27T02:10:00", "2024-10-27T02:40:00"),
    )
    reader = open_reader(path, "sacct(zone=Europe/Berlin)")
    (table,) = reader.tables()
    # 02:30 was left out: as if clocks had not been set, 03:30. 02:10 after 02:50 is the second one.
    assert table.select("wait", "run").rows() == [(3600, 600), (1200, 1800)]
    assert reader.notices == [
        "times in an hour that clocks in Europe/Berlin go through twice (3) are taken as the "
        "first, or as the second where the job's other times say so",
        "times that clocks in Europe/Berlin leave out when they are set forward (1) are taken as "
        "if they had not been set yet",
    ]


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)),
    st.sampled_from(["Europe/Berlin", "US/Pacific", "Asia/Tokyo", "Australia/Lord_Howe"]),
)
@examples(200)
def test_moments_are_those_of_the_calendar(moment, name):
    zone, moment = ZoneInfo(name), moment.replace(microsecond=0)
    moments = Moments(zone)
    text = moment.isoformat()
    assert moments[text] == moment.replace(tzinfo=zone).timestamp()
    first, second = (moment.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1))
    assert moments.later.get(text, 0) == max(0, second - first)
    assert moments.left_out == (second < first)


def test_tables_of_local_times(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "At,Ended,requested_processors\n"
        "2024-03-31 02:30:00,2024-03-31 03:40:00,1\n2024-10-27T02:50:00,2024-10-27 03:10:00,1\n"
    )
    call = "csv(submit=time(At), run=time(Ended) - time(At){})"
    reader = open_reader(path, call.format(""))
    assert polars.concat(reader.tables())["run"].to_list() == [4200, 1200]
    (notice,) = reader.notices
    assert notice.startswith("times without a time zone (6) are")
    assert "csv(zone=Europe/Berlin)" in notice
    reader = open_reader(path, call.format(", zone=Europe/Berlin"))
    assert polars.concat(reader.tables())["run"].to_list() == [600, 4800]
    assert reader.skipped == {}
    assert [text.partition(" are taken")[0][-3:] for text in reader.notices] == ["(2)", "(2)"]


def test_frames_of_dates(tmp_path):
    start = datetime(2024, 7, 1, 12)
    frame = polars.DataFrame(
        {"submit": [start, start + timedelta(hours=1)], "run": [5, 5], "requested_processors": 1}
    )
    warnings = schedlab.simulate(frame, system=MACHINE).run["warnings"]
    assert warnings[0].startswith("times without a time zone (2) are")
    zoned = frame.with_columns(polars.col("submit").dt.replace_time_zone("Europe/Berlin"))
    with_zone = schedlab.FrameReader(frame, zone="Europe/Berlin")
    for workload in (zoned, with_zone):
        run = schedlab.simulate(workload, system=MACHINE).run
        assert run["warnings"] == []
        assert run["workload"]["header"]["UnixStartTime"] == "1719828000"


@pytest.mark.parametrize("reader", ["pbs", "pbs(zone=Europe/Berlin)"])
def test_records_of_pbs_without_unix_times(tmp_path, reader):
    path = tmp_path / "log.pbs"
    path.write_text(
        "07/01/2024 12:00:00;Q;1.s;queue=batch\n"
        "07/01/2024 12:00:05;E;2.s;user=ada qtime=1719828000 start=1719828000 end=1719828060 "
        "Resource_List.ncpus=1\n"
    )
    opened = open_reader(path, reader)
    (table,) = opened.tables()
    if "zone" in reader:
        assert table["submit"].to_list() == [0, 0]
        assert opened.notices == []
    else:
        assert opened.notices[0].startswith("times without a time zone (1) are")


ISLANDS = {"Pacific/Apia": datetime(2011, 12, 30), "Pacific/Kwajalein": datetime(1993, 8, 21)}
"""Days that were left out."""


@given(
    st.sampled_from(["Europe/Berlin", "US/Pacific", "Asia/Tokyo", "Australia/Lord_Howe", *ISLANDS]),
    st.data(),
)
@examples(200)
def test_dates_of_tables_are_those_of_the_calendar(name, data):
    zone, around = ZoneInfo(name), ISLANDS.get(name, datetime(2024, 10, 27))
    any_date = st.datetimes(datetime(1971, 1, 1), datetime(2099, 12, 31))
    near = st.datetimes(around - timedelta(days=2), around + timedelta(days=2))
    dates = [one.replace(microsecond=0) for one in data.draw(st.lists(any_date | near))]
    frame = polars.DataFrame({"local": dates}, schema={"local": polars.Datetime("us")})
    local = polars.col("local")
    for fold, ambiguous in enumerate(("earliest", "latest")):
        found = frame.select(in_zone(local, name, ambiguous).dt.epoch("s")).to_series().to_list()
        expected = []
        for date in dates:
            first, second = (date.replace(tzinfo=zone, fold=f).timestamp() for f in (0, 1))
            expected.append(first if first > second else (first, second)[fold])
        assert found == expected
    each = [[date.replace(tzinfo=zone, fold=f).timestamp() for f in (0, 1)] for date in dates]
    counts = frame.select(one.alias(str(n)) for n, one in enumerate(zone_counts(local, name))).row(
        0
    )
    assert counts == (len(dates), sum(a < b for a, b in each), sum(a > b for a, b in each))
