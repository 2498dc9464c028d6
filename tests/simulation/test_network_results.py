"""What runs say about applications: jobs.csv, links.csv, run.json, the timeline."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

import schedlab as sl
from schedlab.cli.options import print_application_errors
from schedlab.dispatch.link_use import LinkUse
from schedlab.experiment.metrics_tables import metrics_row
from schedlab.results.measures import measures_of, platform_lines

SYSTEM = {
    "name": "ring",
    "groups": {"node": {"nodes": 8, "resources": {"core": 1}}},
    "network": {
        "topology": "torus",
        "dimensions": [8],
        "bandwidth": 8e8,
        "delay": 1e-7,
        "host_bandwidth": 8e9,
        "host_delay": 1e-7,
    },
}
PAIRS = "even-odd(bytes=10M, iterations=4, compute=0.1)"


def jobs() -> list[sl.Job]:
    return [
        sl.Job(1, 0, run=1, processors=4, application=PAIRS),
        sl.Job(2, 0, run=2, processors=2),
        sl.Job(3, 0, run=1, processors=2, application="allreduce(bytes=1M, iterations=3)"),
    ]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> sl.Result:
    out = tmp_path_factory.mktemp("run")
    options = {"alone": True, "data": ["link-use(every=0.25)"], "timeline": "csv"}
    return sl.simulate(jobs(), system=SYSTEM, out=out, fidelity="packet", **options)


def test_jobs_have_their_traffic(result: sl.Result) -> None:
    rows = {row["job_id"]: row for row in result.jobs.collect().iter_rows(named=True)}
    assert rows[2]["messages"] is None
    assert rows[1]["messages"] == 16
    assert rows[1]["bytes"] == 16 * 10 * 2**20
    assert rows[1]["compute"] == pytest.approx(0.4)
    run = rows[1]["end"] - rows[1]["start"]
    assert rows[1]["compute"] + rows[1]["communication"] == pytest.approx(run, rel=1e-6)
    assert rows[1]["mean_hops"] == 1
    assert rows[1]["hop_bytes"] == rows[1]["bytes"]
    assert rows[1]["network_slowdown"] == pytest.approx(1, abs=1e-6)


def test_metrics_sum_up(result: sl.Result) -> None:
    network = result.metrics["network"]
    frame = result.jobs.collect()
    assert network["jobs"] == 2
    for name in ("messages", "bytes", "hop_bytes", "compute", "communication"):
        assert network[name] == pytest.approx(frame[name].sum())
    runs = frame["end"] - frame["start"]
    assert network["communication_share"] == pytest.approx((frame["communication"] / runs).mean())
    assert network["slowdown"]["max"] == pytest.approx(frame["network_slowdown"].max())
    names = {one.name for one in measures_of([result.run])}
    assert names == {"communication_share", "mean_hops", "hop_bytes", "network_slowdown"}
    assert names <= set(metrics_row({}, result.run, {"queue_mean": 0.0, "queue_max": 0}))
    line = next(line for line in platform_lines(result.run) if line.startswith("network"))
    assert "2 jobs with applications" in line


def test_links_carried_what_jobs_sent(result: sl.Result) -> None:
    assert "links.csv" in result.run["files"]
    assert result.links is not None
    links = result.links.collect()
    assert links.height == 8 + 8 + 16
    assert links["kind"].unique().sort().to_list() == ["host in", "host out", "x"]
    sent = result.metrics["network"]["bytes"]
    out = links.filter(polars.col("kind") == "host out")["bytes"].sum()
    assert sent < out < 2 * sent  # headers and acknowledgements
    makespan = result.metrics["makespan"]
    share = links["bytes"] / (links["bytes_per_second"] * makespan)
    assert (share - links["use"]).abs().max() < 1e-12
    assert links.filter(polars.col("link") == 0).row(0)[:6] == (0, "host out", 0, 0, "0", "0")


def test_use_of_links_over_time_is_that_of_all_time(result: sl.Result) -> None:
    timeline = result.timeline.collect()
    updates = timeline.filter(polars.col("time") % 0.25 == 0).unique("time", keep="last")
    assert result.links is not None
    mean = result.links.filter(polars.col("kind") == "x").collect()["use"].mean()
    whole = updates["link_use_x"].sum() * 0.25 / result.metrics["makespan"]
    assert updates.height > 4
    assert whole == pytest.approx(mean, rel=0.02)
    assert 0 < timeline["link_use_max"].max() <= 1.0001


@pytest.mark.parametrize("fidelity", ["fluid", "phase"])
def test_updates_happen_while_only_applications_run(fidelity: str) -> None:
    text = "even-odd(bytes=10M, iterations=20, compute=0.1)"
    job = sl.Job(1, 0, run=1, processors=8, application=text)
    options = {"data": ["link-use(every=0.5)"], "timeline": "csv", "fidelity": fidelity}
    timeline = sl.simulate([job], system=SYSTEM, **options).timeline.collect()
    assert timeline["time"].is_sorted()
    assert timeline["time"].to_list()[1:4] == [0.5, 1.0, 1.5]
    middle = timeline["link_use_max"].to_list()[1:-2]
    assert len(middle) >= 4
    assert all(0.3 < use <= 1.0001 for use in middle)


def test_run_json_names_applications(result: sl.Result) -> None:
    assert result.run["workload"]["applications"] == [PAIRS, "allreduce(bytes=1M, iterations=3)"]
    assert result.run["application_errors"] == []
    plain = sl.simulate([sl.Job(1, 0, 1)], system=SYSTEM)
    assert "application_errors" not in plain.run
    assert "network" not in plain.metrics
    assert plain.links is None


def test_jobs_slow_each_other_down() -> None:
    crossing = [sl.Job(n, 0, run=1, processors=4, application=PAIRS) for n in (1, 2)]
    done = sl.simulate(
        crossing,
        system=SYSTEM,
        alone=True,
        allocator=EverySecond(),
    )
    slowdown = done.metrics["network"]["slowdown"]["mean"]
    assert slowdown > 1.2


class EverySecond(sl.Allocator):
    """Gives every second node, so that the ways of two jobs cross."""

    def place(self, job, machine):
        free = [node for node in range(8) if machine.room(node, job)]
        return [node for node in free if node % 2 == free[0] % 2][: job.processors]


def test_a_job_that_goes_wrong_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    bad = [*jobs(), sl.Job(9, 0, 1, processors=2, application=f"{__file__}:breaks")]
    done = sl.simulate(bad, system=SYSTEM, application_errors="fail")
    assert (done.counts["failed"], done.counts["completed"]) == (1, 3)
    assert len(done.run["application_errors"]) == 1
    print_application_errors(done.run["application_errors"])
    assert "1 job failed because its application went wrong: job 9" in capsys.readouterr().err


def breaks(mpi):
    yield mpi.compute(0.1)
    raise ValueError("no more")


def test_link_use_needs_a_network_and_survives_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(sl.InputError, match="has no network"):
        sl.simulate([], system={"groups": SYSTEM["groups"]}, data=["link-use"])
    whole = sl.Simulation(jobs(), system=SYSTEM, data=["link-use(every=0.25)", Reading()])
    whole.run(until=0.6)
    whole.save(tmp_path / "state")
    again = sl.Simulation.load(tmp_path / "state", workload=jobs(), data=[LinkUse(), Reading()])
    fork = whole.fork()
    whole.run()
    for other in (again, fork):
        assert other.data[0].every == 0.25
        other.run()
        assert other.data[1].use == whole.data[1].use  # the first since the last update before
        assert other.engine.carried() == whole.engine.carried()
        assert other.metrics == whole.metrics
    assert len(set(whole.data[1].use)) > 3


class Reading(sl.AdditionalData):
    """Keeps what link-use published."""

    every = 0.25

    def __init__(self):
        self.use = []

    def update(self, state):
        self.use.append((state.now, state.data("link_use_x"), state.data("link_use_max")))
        return {}
