"""Licenses: where jobs name them, what is rejected, what results say, what is wrong."""

from __future__ import annotations

import polars as pl
import pytest
from oracles.engine import rows_of
from simulation.test_partitions import reasons
from workload.formats.sacct_dumps import one

import schedlab as sl
from schedlab.errors import InputError
from schedlab.workload.licenses import asked

SITE = {
    "groups": {"all": {"nodes": 5, "resources": {"core": 4}}},
    "licenses": {"matlab": 2, "burst_buffer_gb": 500},
}


def job(number, licenses=None, tasks=1, run=100, **more):
    return sl.Job(number, 0, run, tasks, licenses=licenses, **more)


def starts(result):
    return {int(row["job_id"]): row["start"] for row in rows_of(result, "jobs")}


def test_jobs_wait_for_licenses():
    jobs = [job(1, "matlab:2"), job(2, "matlab"), job(3, "burst_buffer_gb:500"), job(4)]
    for scheduler in ("fcfs-bf", "easy", "easy(reservations=2)", "conservative"):
        result = sl.simulate(jobs, system=SITE, scheduler=scheduler)
        assert starts(result) == {1: "0", 2: "100", 3: "0", 4: "0"}
    result = sl.simulate(jobs, system=SITE, scheduler="fifo")
    assert starts(result) == {1: "0", 2: "100", 3: "100", 4: "100"}


def test_use_is_published():
    jobs = [job(1, "matlab:2"), job(2, "matlab"), job(3, "burst_buffer_gb:250", run=200)]
    result = sl.simulate(jobs, system=SITE, scheduler="easy", timeline="csv")
    timeline = result.timeline.collect()
    assert timeline["license_matlab"].to_list() == [2, 1, 0]
    assert timeline["license_burst_buffer_gb"].to_list() == [250, 250, 0]
    assert result.metrics["licenses"] == {"matlab": 0.75, "burst_buffer_gb": 0.5}
    plain = sl.simulate([job(1)], system={"groups": SITE["groups"]}, timeline="csv")
    assert "licenses" not in plain.metrics
    assert not any(name.startswith("license") for name in plain.timeline.collect().columns)


def test_what_can_never_start_is_rejected():
    jobs = [job(1, "matlab:3"), job(2, "ansys"), job(3, "matlab:2, ansys:0")]
    result = sl.simulate(jobs, system=SITE, scheduler="easy")
    assert reasons(result) == {1: "licenses", 2: "licenses"}
    assert result.run["rejections"]["licenses"] == {
        "jobs": 2,
        "first_job": 1,
        "because": "it asks for licenses matlab:3, and the system has matlab:2, "
        "burst_buffer_gb:500",
    }
    assert result.run["warnings"] == [
        "licenses: jobs name ansys, which the system does not have; it has matlab, burst_buffer_gb"
    ]


def test_where_the_system_has_none_they_are_not_heeded():
    result = sl.simulate([job(1, "matlab:2"), job(2, "???")], system={"groups": SITE["groups"]})
    assert starts(result) == {1: "0", 2: "0"}
    assert result.run["warnings"] == [
        'licenses: jobs take "matlab:2" and 1 other things; this is not heeded, because the system '
        "has none"
    ]


def test_texts():
    assert asked("matlab:2, ansys") == {"matlab": 2, "ansys": 1}
    assert asked(" a : 1,a:2 ") == {"a": 3}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("matlab:1.5", 'the amount of matlab must be a whole number from 0 on, and is "1.5"; use'),
        ("matlab:-1", 'the amount of matlab must be a whole number from 0 on, and is "-1"'),
        ("matlab:", 'the amount of matlab must be a whole number from 0 on, and is ""'),
        ("matlab:9007199254740993", "the amount of matlab must be at most 9007199254740992"),
        ("matlab|octave", "must be names with amounts, and commas between them, such as"),
        ("matlab=2", "must be names with amounts"),
        (",", "must be names with amounts"),
        (":2", "must be names with amounts"),
    ],
)
def test_wrong_texts(text, what):
    with pytest.raises(InputError) as error:
        sl.simulate([job(1, text)], system=SITE)
    assert str(error.value).startswith(f'job 1: licenses "{text}": {what}')


def test_jobs_name_them_by_text():
    with pytest.raises(InputError, match="job 1: licenses must be a text on one line"):
        job(1, "")
    with pytest.raises(InputError, match=r"attributes\.licenses: is not for numbers"):
        job(1, attributes={"licenses": 1})


def test_thousands_of_digits():
    with pytest.raises(InputError, match="the amount of matlab must be at most 9007199254740992"):
        asked("matlab:" + "9" * 5000)
    assert asked("matlab:" + "0" * 5000 + "2") == {"matlab": 2}


@pytest.mark.parametrize(
    ("licenses", "what"),
    [
        ({"matlab": -1}, "licenses.matlab: must not be negative (is -1)"),
        ({"matlab": 1.5}, "licenses.matlab: must be a whole number (is 1.5)"),
        ({"matlab": True}, "licenses.matlab: must be a whole number (is true)"),
        ({"mat:lab": 1}, "licenses.mat:lab: must be a name without the signs :|;="),
        ({"mat lab": 1}, 'licenses."mat lab": "mat lab" cannot be a name'),
        (["matlab"], "licenses: must be a table of amounts of licenses, such as matlab = 10"),
    ],
)
def test_wrong_systems(licenses, what):
    with pytest.raises(InputError) as error:
        sl.load_system({**SITE, "licenses": licenses})
    assert str(error.value).startswith(f"system: {what}")


def test_a_system_is_the_same_after_a_round_trip():
    system = sl.load_system(SITE)
    assert system.licenses == {"matlab": 2, "burst_buffer_gb": 500}
    assert sl.load_system(system.to_dict()) == system
    assert sl.load_system({"groups": SITE["groups"]}).licenses == {}
    assert "licenses" not in sl.load_system({"groups": SITE["groups"]}).to_dict()


def test_tables(tmp_path):
    frame = pl.DataFrame(
        {
            "job": [1, 2, 3],
            "submit": [0, 0, 0],
            "run": [100, 100, 100],
            "requested_processors": [1, 1, 1],
            "licenses": ["matlab:2", "", "matlab"],
        }
    )
    frame.write_csv(tmp_path / "jobs.csv")
    frame.write_parquet(tmp_path / "jobs.parquet")
    for workload in (frame, tmp_path / "jobs.csv", tmp_path / "jobs.parquet"):
        result = sl.simulate(workload, system=SITE, scheduler="easy")
        assert starts(result) == {1: "0", 2: "0", 3: "100"}


def test_rows_of_swf_have_numbers(tmp_path):
    row = "{} 0 -1 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1 {}\n"
    header = "; Licenses: 1 matlab:2\n; Licenses: 2 matlab\n; ExtraFields: licenses\n"
    path = tmp_path / "jobs.swf"
    path.write_text(header + row.format(1, 1) + row.format(2, -1) + row.format(3, 2))
    result = sl.simulate(path, system=SITE, scheduler="easy")
    assert starts(result) == {1: "0", 2: "0", 3: "100"}
    path.write_text("; ExtraFields: licenses\n" + row.format(1, 1))
    with pytest.raises(InputError, match="licenses 1: is a number that no text has"):
        sl.simulate(path, system=SITE)


def test_policies_see_them():
    class Greedy(sl.Scheduler):
        def __init__(self):
            self.seen = []

        def schedule(self, state):
            for waiting in state.queue:
                self.seen.append((waiting.licenses, state.machine.free_licenses))
                if state.machine.fits(waiting):
                    yield sl.StartJob(waiting)

    policy = Greedy()
    jobs = [job(1, "matlab:2"), job(2, "matlab")]
    assert starts(sl.simulate(jobs, system=SITE, scheduler=policy)) == {1: "0", 2: "100"}
    two = {"matlab": 2, "burst_buffer_gb": 0}
    assert policy.seen[0] == (two, {"matlab": 2, "burst_buffer_gb": 500})
    assert policy.seen[1][1] == {"matlab": 0, "burst_buffer_gb": 500}


def test_a_start_without_licenses_is_an_error():
    class Careless(sl.Scheduler):
        def schedule(self, state):
            for waiting in state.queue:
                yield sl.StartJob(waiting, nodes=[waiting.id % 5])

    with pytest.raises(sl.SimulationError, match=r"licenses matlab 1 \(of 0 free\)"):
        sl.simulate([job(1, "matlab:2"), job(2, "matlab")], system=SITE, scheduler=Careless())


def test_data_may_not_have_their_names():
    class Mine(sl.AdditionalData):
        publishes = ("license_matlab",)

        def update(self, state):
            return {"license_matlab": 1}

    with pytest.raises(InputError, match="is a column that timelines have anyway"):
        sl.simulate([job(1)], system=SITE, data=[Mine()])


def test_in_a_dump_of_sacct(tmp_path):
    assert one(tmp_path, Licenses="matlab:2")["licenses"] == "matlab:2"
    assert one(tmp_path, Licenses="(null)")["licenses"] == ""
