"""`schedlab status`: answers as data and as text, of live and of finished runs."""

from __future__ import annotations

import json

import polars
import pytest

import schedlab as sl
from schedlab.cli import app
from schedlab.clock import Clock
from schedlab.durations import parse_duration
from schedlab.errors import InputError
from schedlab.node_lists import placement_text
from schedlab.results import Result
from schedlab.watch import open_run
from schedlab.watch.job_facts import in_words, job_facts, nodes_text
from schedlab.watch.metrics import metrics_at
from schedlab.watch.status import QUERIES, answers, moment_of, split_queries

from .conftest import wait_for


@pytest.fixture
def status(capsys, monkeypatch):
    """Returns a function that runs the command: exit code, what it printed, what it said."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            app(["status", *arguments], prog_name="schedlab")
        printed = capsys.readouterr()
        return left.value.code, printed.out, printed.err

    return run


def answer(path: str, *words: str, at: str | None = None):
    view = open_run(path)
    return answers(view, moment_of(view, at), split_queries(words))


def test_everything_at_once(finished, status):
    code, printed, _ = status(finished)
    assert code == 0
    assert "easy + first-fit on machine" in printed
    assert "completed  300" in printed
    assert "finished (complete)" in printed
    for title in ("jobs", "resources", "nodes: 0 of 64 busy", "running: 0", "queue: 0", "CPU time"):
        assert title in printed


def test_json_holds_the_answers(finished, status):
    code, printed, _ = status(finished, "clock", "jobs", "job", "17", "--at", "50000", "--json")
    answers = json.loads(printed)
    assert code == 0
    assert list(answers) == ["clock", "jobs", "job"]
    assert answers["clock"]["time"] == 50_000
    assert answers["clock"]["date"] == "2024-01-01 13:53:20"
    row = Result.load(finished).jobs.filter(polars.col("job_id") == 17).collect().row(0, named=True)
    assert answers["job"]["17"]["start"] == row["start"]
    assert answers["job"]["17"]["nodes"] == row["nodes"]


def test_answers_agree_with_each_other(finished):
    answers = answer(finished, *QUERIES, at="50000")
    assert (
        answers["queue"]["queued"] == answers["jobs"]["queued"] == len(answers["queue"]["jobs"]) > 0
    )
    assert (
        answers["running"]["running"]
        == answers["jobs"]["running"]
        == len(answers["running"]["jobs"])
        > 0
    )
    used = answers["resources"]["core"]["used"]
    assert used == sum(job["tasks"] for job in answers["running"]["jobs"])
    assert used == sum(node["used"]["core"] for node in answers["nodes"]["busy_nodes"])
    assert used == answers["nodes"]["groups"]["node"]["used"]["core"]
    assert answers["resources"]["core"]["share"] == used / 1024
    assert answers["nodes"]["busy"] == len(answers["nodes"]["busy_nodes"])
    on_nodes = {job for node in answers["nodes"]["busy_nodes"] for job in node["jobs"]}
    assert on_nodes == {job["job_id"] for job in answers["running"]["jobs"]}
    for job in answers["queue"]["jobs"]:
        assert job["waits"] == 50_000 - job["submit"]
        assert "start" not in job  # which a replay knows, and nobody knew then


def test_metrics_of_the_end_are_those_of_the_run(finished):
    view = open_run(finished)
    exact, recorded = metrics_at(view, view.last), view.run["metrics"]
    for name in ("wait", "turnaround", "slowdown", "bounded_slowdown"):
        assert exact[name]["mean"] == pytest.approx(recorded[name]["mean"], rel=1e-5)
        assert exact[name]["max"] == pytest.approx(recorded[name]["max"], rel=1e-5)
        assert exact[name]["median"] == pytest.approx(recorded[name]["median"], rel=2e-3)
    for name in ("makespan", "throughput_per_hour", "utilization"):
        assert exact[name] == pytest.approx(recorded[name])
    assert metrics_at(view, view.first - 1)["wait"] is None


def test_metrics_of_jobs_on_whole_nodes(tmp_path):
    jobs = [
        sl.Job(1, submit=0, run=10, processors=3, whole_nodes=True),
        sl.Job(2, submit=0, run=20, processors=1),
    ]
    machine = {"groups": {"n": {"nodes": 3, "resources": {"core": 2, "mem": 7}}}}
    sl.simulate(jobs, system=machine, out=tmp_path)
    view = open_run(tmp_path)
    assert metrics_at(view, view.last)["utilization"] == view.run["metrics"]["utilization"]


def test_a_job_at_the_times_of_its_life(finished):
    view = open_run(finished)
    waited = view.jobs().filter(polars.col("wait") > 1000).row(0, named=True)
    submit, start, end = waited["submit"], waited["start"], waited["end"]

    def facts(time):
        return job_facts(waited, view.run, time)

    assert facts(submit - 1)["state"] == "not submitted yet"
    queued = facts(submit + 10)
    assert (queued["state"], queued["waits"], queued["runs"]) == ("queued", 10, None)
    running = facts(start + 5)
    assert (running["state"], running["waits"], running["runs"]) == ("running", start - submit, 5)
    ended = facts(end)
    assert (ended["state"], ended["runs"]) == ("completed", end - start)
    labels = [label for label, _ in in_words(running, view.run, start + 5)]
    assert "expected end" in labels
    assert "will end" in labels
    assert "group node" in labels
    past = [label for label, _ in in_words(ended, view.run, end)]
    assert "ended" in past
    assert {"slowdown", "bounded slowdown", "group node"} <= set(past)
    assert not any("will" in label for label in past)


def test_what_lies_ahead_of_a_job_says_will(finished):
    view = open_run(finished)
    waited = view.jobs().filter(polars.col("wait") > 1000).row(0, named=True)
    for time in (waited["submit"] - 1, waited["submit"] + 10):
        facts = dict(in_words(job_facts(waited, view.run, time), view.run, time))
        assert ("will be submitted" in facts) == (time < waited["submit"])
        for label in ("will start", "will wait", "will end", "will run", "slowdown will be"):
            assert label in facts
        assert "bounded slowdown will be" in facts
        assert facts["will be in group node"] == nodes_text(waited["nodes"])
        assert not {"started", "ended", "slowdown", "bounded slowdown", "group node"} & set(facts)


def test_nodes_in_words():
    assert placement_text([(0, 2), (1, 2), (2, 1), (5, 1)]) == "0-1*2 2 5"
    assert nodes_text("0-1*2 2 5") == "4 nodes: 0-1 (2 tasks each), 2, 5"
    assert nodes_text("7*3") == "1 node: 7 (3 tasks)"


def test_a_live_run_is_asked_from_elsewhere(start, status):
    process = start()
    live = process.open()
    live.control("pause", until=50_000)
    wait_for(lambda: live.refresh() and live.run["time"]["now"] > 49_000)
    code, printed, _ = status(process.path, "--json", "clock", "jobs", "cpu", "resources")
    answers = json.loads(printed)
    assert code == 0
    assert (answers["clock"]["state"], answers["clock"]["mode"]) == ("live", "pause")
    assert answers["jobs"] == live.now().counts
    assert answers["resources"]["core"]["used"] == live.now().used["core"]
    assert answers["cpu"]["cpu_seconds"] > 0
    code, printed, _ = status(process.path)
    assert code == 0
    assert "paused, " in printed
    early = answer(process.path, "jobs", at="12h")["jobs"]
    assert 0 < early["submitted"] < answers["jobs"]["submitted"]
    code, _, error = status(process.path, "--at", "2d")
    assert code == 2
    assert "so far" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["jbs"], "jbs: is not a query; there are clock, jobs, queue"),
        (["job"], "job : give the number of a job"),
        (["job", "x"], "job x: give the number"),
        (["job", "999"], "has no job 999; it has 300 jobs from 1 to 300"),
        (["--at", "soon"], "'soon' is not a time"),
        (["--at", "900d"], "the run goes from"),
    ],
)
def test_wrong_questions(finished, status, arguments, message):
    code, printed, error = status(finished, *arguments)
    assert (code, printed) == (2, "")
    assert message in error


def test_a_run_of_nothing_but_rejected_jobs(tmp_path, status):
    machine = {"groups": {"n": {"nodes": 1, "resources": {"core": 1}}}}
    sl.simulate([sl.Job(1, submit=5, run=1, processors=9)], system=machine, out=tmp_path)
    code, printed, error = status(str(tmp_path))
    assert (code, error) == (0, "")
    assert "rejected   1" in printed
    code, printed, _ = status(str(tmp_path), "job", "1")
    assert code == 0
    assert "rejected" in printed


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("86400", 86_400),
        ("1.5", 1.5),
        ("3d", 3 * 86_400),
        ("12h30m", 45_000),
        ("1w 2d", 9 * 86_400),
        ("90s", 90),
        ("5min", 300),
        ("1.5h", 5400),
        ("+2h", 7200),
        ("-2h", -7200),
        ("", None),
        ("d", None),
        ("3x", None),
        ("3d5", None),
        ("1.d", None),
        ("..1d", None),
        ("٣d", None),
        ("nan", None),
        ("1e5", None),
    ],
)
def test_durations_as_people_write_them(text, seconds):
    assert parse_duration(text) == seconds


def test_dates_need_a_start_time():
    assert Clock(1_000_000_000).parse("2001-09-09 02:46:40") == 3600
    assert Clock(1_000_000_000).parse("2001-09-10") == 80_000
    with pytest.raises(InputError, match="dates need a start time"):
        Clock(None).parse("2001-09-09")
    assert Clock(None).text(90_061) == "day 1, 01:01:01"
    assert Clock(1_000_000_000).text(3600, seconds=False) == "2001-09-09 02:46"
    assert Clock(1).text(1e15).startswith("day ")  # no calendar reaches there
