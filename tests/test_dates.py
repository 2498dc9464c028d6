"""Dates and durations as people write them: the same wherever they are written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.analysis.groups import groups_of
from schedlab.analysis.plots.time_axis import TimeAxis, moment_of
from schedlab.application.repository import load
from schedlab.clock import Clock
from schedlab.conditions.series_file import read_series
from schedlab.conditions.time_laws import law_of
from schedlab.dates import unix_time, zone_named
from schedlab.dispatch import allocator
from schedlab.durations import seconds_of
from schedlab.options import resolve
from schedlab.workload.distributions import DISTRIBUTIONS, distribution
from schedlab.workload.models.plain import PlainWorkload

STOCKHOLM = ZoneInfo("Europe/Stockholm")
SYSTEM = {"groups": {"n": {"nodes": 2, "resources": {"core": 4}}}}
FORMS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)), st.sampled_from(FORMS))
def test_dates_are_those_of_strptime(date: datetime, form: str) -> None:
    """Zeros before single digits may be left out, as strptime has it."""
    for text in (date.strftime(form), date.strftime(form.replace("%m-%d", "%-m-%-d"))):
        expected = datetime.strptime(text, form).replace(tzinfo=STOCKHOLM).timestamp()
        assert unix_time(f" {text} ", STOCKHOLM) == expected
        assert Clock(1000, STOCKHOLM).parse(text) == expected - 1000


def test_dates_may_say_their_zone() -> None:
    noon = datetime(2003, 1, 31, 12, tzinfo=timezone(timedelta(hours=1))).timestamp()
    for text in ("2003-01-31T12:00+01:00", "2003-01-31 11:00Z", "2003-01-31T12:00:00.0+01:00"):
        assert unix_time(text, STOCKHOLM) == unix_time(text) == noon
        assert Clock(1000).parse(text) == noon - 1000


@pytest.mark.parametrize("text", ["", "soon", "2003", "2003-13-01", "31.1.2003", "12:00"])
def test_what_is_not_a_date(text: str) -> None:
    with pytest.raises(ValueError, match=r"isoformat|month"):
        unix_time(text)


def test_zones() -> None:
    assert zone_named("UTC") is UTC
    assert zone_named("Europe/Stockholm") == STOCKHOLM
    for wrong in ("Mars/Base", "", "../etc/passwd", "a\0b", "/", "Europe"):
        assert zone_named(wrong) is None


def test_dates_are_the_same_everywhere(tmp_path) -> None:
    (tmp_path / "w.swf").write_text(
        "; UnixStartTime: 1043971200\n; TimeZoneString: UTC\n"
        "1 0 -1 3600 1 -1 -1 1 7200 -1 1 1 1 1 1 1 -1 -1\n"
    )
    (tmp_path / "p.csv").write_text("date,price\n2003-1-31 12:00,1\n2003-02-01,2\n")
    result = sl.simulate(tmp_path / "w.swf", system=SYSTEM)
    axis = TimeAxis(groups_of(result))
    series = read_series("p.csv", "", "price", folder=str(tmp_path))
    for text, row in (("2003-1-31 12:00", 0), ("2003-02-01", 1)):
        there = moment_of(text, axis)
        assert there == Clock.of_run(result.run).parse(text) == series.times[row] - 1043971200
    assert moment_of("1d", axis) == moment_of("86400", axis) == 86_400
    with pytest.raises(sl.InputError, match="'soon' is not a time"):
        moment_of("soon", axis)


DURATIONS = ["90", "1.5", "90s", "10m", "10min", "1h30m", "1 h 30 m", "3d", "1w2d", "1e3", "0.001"]
EXAMPLES = {
    **{"constant": "5", "uniform": "1, 9", "loguniform": "1, 9", "triangular": "1, 2, 9"},
    **{"exponential": "5", "normal": "5, 1", "lognormal": "1, 1", "gamma": "2, 3"},
    **{"weibull": "1, 5", "pareto": "3, 5", "hyperexponential": "5:0.5, 9:0.5"},
    **{"hypergamma": "2, 3, 4, 5, 0.5", "choice": "5, 9", "zipf": "1, 9", "empirical": "5, 9"},
}
WRONG = ["soon", "1x", "h", "1h30", "inf", "nan", "1:30"]


def window(text: str) -> float:
    return sl.Window(0, text).end


def checkpoints(text: str) -> float:
    from schedlab.simulation.runs import seconds_between_checkpoints

    return seconds_between_checkpoints(text)


READERS = {
    "windows": window,
    "resubmission": lambda text: sl.Resubmission("checkpoint", 3600, text).cost,
    "switching off": lambda text: sl.SwitchOff(text).after,
    "dual-end": lambda text: allocator(f"dual-end(threshold={text})").threshold,
    "laws of failures": lambda text: law_of(f"fixed(seconds={text})", "x").for_engine()[1],
    "distributions": lambda text: distribution(f"exponential({text})", of_times=True).mean,
    "constants": lambda text: distribution(text, of_times=True).mean,
    "applications": lambda text: load(f"allreduce(compute={text})").arguments["compute"],
    "options": lambda text: resolve(None, {"missing_estimate": text})["missing_estimate"],
    "checkpoints": checkpoints,
    "series": lambda text: sl.Series([0], [1], text).every,
    "clocks": Clock(None).parse,
}


@pytest.mark.parametrize("text", DURATIONS)
@pytest.mark.parametrize("kind", READERS)
def test_durations_are_the_same_everywhere(kind: str, text: str) -> None:
    if kind == "series" and text in ("0.001",):  # shorter than a series may be
        return
    assert READERS[kind](text) == pytest.approx(seconds_of(text, "it"), rel=1e-15)


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize("kind", READERS)
def test_what_is_not_a_duration_is_refused_everywhere(kind: str, text: str) -> None:
    with pytest.raises(sl.InputError):
        READERS[kind](text)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_values_of_every_distribution_may_have_units(name: str) -> None:
    kind = DISTRIBUTIONS[name]
    assert set(kind.value_parameters) <= set(kind.parameters)
    with pytest.raises(sl.InputError, match=f"{name} takes .*, not zzz"):
        distribution(f"{name}(zzz=1d)", of_times=True)
    if name != "exp":
        example = EXAMPLES[name]
        limited = distribution(f"{name}({example}, max=1h)", of_times=True)
        assert limited.mean == distribution(f"{name}({example}, max=3600)").mean


def test_generators_take_durations() -> None:
    made = PlainWorkload("exponential(10m)", "uniform(1m, 1h)", 1, resolution="1m")
    assert made.resolution == 60
    with pytest.raises(sl.InputError, match="mean must be a number, not 1h"):
        PlainWorkload(10, "lognormal(mean=1h, deviation=1)", 1)  # of the logarithm
    with pytest.raises(sl.InputError, match="mean must be a number, not 1h"):
        distribution("exponential(mean=1h)")
