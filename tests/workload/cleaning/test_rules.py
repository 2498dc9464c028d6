"""What each rule takes out, and what it leaves."""

from __future__ import annotations

import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.cleaning.logs import jobs, submissions

import schedlab as sl
from schedlab.workload.cleaning import DEFAULT_RULES, RULES

DAY = 86_400


def reasons(table: polars.DataFrame, *rules: str, **options: int) -> dict[int, str]:
    """Returns why each job that went did, by its number."""
    removed = sl.clean(table, list(rules) or None, **options).removed
    return dict(zip(removed["job"].cast(int), removed["reason"], strict=True))


def test_ordinary_jobs_stay():
    assert reasons(jobs(*[{}] * 50), *RULES.keys() - {"chosen"}) == {}


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        ({"submit": -7}, "negative submit time"),
        ({"wait": -3}, "negative wait"),
        ({"run": -1_359_981_026}, "negative run time (it ends before it starts)"),
        ({"run": -0.5}, "negative run time (it ends before it starts)"),
        ({"allocated_processors": -4}, "negative number of processors"),
        ({"requested_processors": -2}, "negative request of processors"),
        ({"requested_time": -60}, "negative requested time"),
        ({"requested_memory": -60}, "negative request of memory"),
        ({"submit": 1e15}, "time out of range"),
        ({"wait": float("inf")}, "time out of range"),
        ({"run": 367 * DAY}, "ran for more than 366 days"),
        ({"run": float("inf")}, "ran for more than 366 days"),
        ({"allocated_processors": 101}, "more processors than the machine has"),
        ({"requested_processors": 101}, "more processors than the machine has"),
    ],
    ids=lambda value: str(value),
)
def test_impossible_jobs_go(job, reason):
    table = jobs({}, job, {})
    assert reasons(table, "impossible", processors=100) == {2: reason}


def test_the_evidence_of_an_impossible_job_is_its_numbers():
    table = jobs({"run": -5}, {"run": 400 * DAY}, {"requested_processors": 7}, {"wait": -1.5})
    removed = sl.clean(table, ["impossible"], processors=6).removed
    assert removed["evidence"].to_list() == [
        "run -5",
        "400.0 days",
        "requested_processors 7, of 6",
        "wait -1.5",
    ]


def test_what_is_possible_is_a_parameter():
    table = jobs({"run": 3 * DAY}, {"run": 401, "requested_time": 200}, {"requested_time": -1})
    assert reasons(table, "impossible(longest_days=2)") == {1: "ran for more than 2 days"}
    assert reasons(table, "impossible(overrun=2)") == {
        1: "ran for more than 2 times the requested time",
        2: "ran for more than 2 times the requested time",
    }


def test_the_size_of_the_machine_is_asked_for_where_it_is_not_known():
    cleaning = sl.clean(jobs({"allocated_processors": 10_000}), ["impossible", "large"])
    assert cleaning.removed.height == 0
    assert all("--processors N" in rule.notes[0] for rule in cleaning.rules)


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        ({"submit": -1}, "no submit time"),
        ({"wait": -1}, "no start time"),
        ({"run": -1}, "no run time"),
        ({"allocated_processors": -1, "requested_processors": -1}, "no processors"),
        ({"allocated_processors": 0, "requested_processors": 0}, "no processors"),
        ({"status": 5, "run": -1}, "cancelled before it started"),
        ({"status": 5, "run": 0, "allocated_processors": -1}, "cancelled before it started"),
    ],
    ids=lambda value: str(value),
)
def test_jobs_that_lack_something_go(job, reason):
    assert reasons(jobs({}, job, {}), "missing") == {2: reason}


@pytest.mark.parametrize(
    "job",
    [
        {"allocated_processors": -1},
        {"requested_processors": -1},
        {"requested_time": -1},
        {"user": -1},
        {"status": 5},  # cancelled while it ran
        {"status": 5, "run": 0},  # it had processors
    ],
    ids=str,
)
def test_jobs_that_lack_something_else_stay(job):
    assert reasons(jobs({}, job, {}), "missing") == {}


def test_start_times_that_a_log_does_not_record_are_not_missing():
    cleaning = sl.clean(jobs({}, {}, wait=-1), ["missing"])
    assert cleaning.removed.height == 0
    assert cleaning.rules[0].notes == ("no job has a start time: the log does not record them",)


def test_only_the_first_job_of_a_number_stays():
    table = jobs({"job": 7}, {"job": 8}, {"job": 7}, {"job": 9}, {"job": 7}, {"job": 8})
    removed = sl.clean(table, ["duplicates"]).removed
    assert removed["row"].to_list() == [3, 5, 6]
    assert set(removed["reason"]) == {"job number of another job"}


def test_parts_of_a_job_go_if_a_row_sums_them_up():
    table = jobs(
        {"job": 1, "status": 2},
        {"job": 1, "status": 3},
        {"job": 1, "status": 1},
        {"job": 2, "status": 2},
        {"job": 2, "status": 4},
    )
    removed = sl.clean(table, ["duplicates"]).removed
    assert list(zip(removed["row"], removed["reason"], strict=True)) == [
        (1, "part of a job that another row sums up"),
        (2, "part of a job that another row sums up"),
        (5, "job number of another job"),
    ]


@examples(50)
@given(st.lists(st.tuples(st.integers(-1, 9), st.integers(0, 5)), max_size=40))
def test_numbers_are_unique_afterwards(rows):
    table = jobs(*[{"job": job, "status": status} for job, status in rows])
    left = sl.clean(table, ["duplicates"]).table
    known = [job for job in left["job"].to_list() if job != -1]
    assert len(known) == len(set(known))
    assert set(left["job"]) == set(table["job"])


def test_rows_written_while_a_clock_was_wrong_go():
    submit = [1e9 + 3600.0 * hour for hour in range(2000)]
    submit[0] += 400 * DAY
    submit[700] = 0.0
    submit[1200] = submit[1201] = 1e9 + 3000 * DAY
    removed = sl.clean(submissions(submit, [1] * 2000), ["order"]).removed
    assert list(zip(removed["row"], removed["reason"], strict=True)) == [
        (1, "submitted long after the rows that follow"),
        (701, "submitted long before the rows ahead"),
        (1201, "submitted long after the rows that follow"),
        (1202, "submitted long after the rows that follow"),
    ]
    assert removed["evidence"][2].endswith(" days after the rows that follow")


@examples(50)
@given(st.lists(st.floats(0, 1e9), max_size=60))
def test_sorted_logs_are_in_order(submit):
    assert sl.clean(submissions(sorted(submit), [1] * len(submit)), ["order"]).removed.height == 0


def test_logs_sorted_by_the_end_of_jobs_are_in_order():
    ends = [(3600.0 * hour, 3600.0 * hour + (hour * 7919) % 30 * DAY) for hour in range(3000)]
    submit = [start for start, _ in sorted(ends, key=lambda job: job[1])]
    assert submit != sorted(submit)
    assert sl.clean(submissions(submit, [1] * 3000), ["order"]).removed.height == 0


def test_a_log_in_another_order_stays():
    """Sorted by user: at each change of user, times begin anew."""
    submit = [DAY * day for _ in range(40) for day in range(300)]
    cleaning = sl.clean(submissions(submit, [1] * len(submit)), ["order"])
    assert cleaning.removed.height == 0
    assert "the log is not in the order of time" in cleaning.rules[0].notes[0]


def test_rare_jobs_of_the_whole_machine_go():
    table = jobs(*[{}] * 4000, {"allocated_processors": 60}, {"requested_processors": 64})
    assert reasons(table, "large", processors=64) == {4001: "very large and rare"}
    table = jobs(*[{}] * 100, {"allocated_processors": 60})
    cleaning = sl.clean(table, ["large"], processors=64)
    assert cleaning.removed.height == 0
    assert cleaning.rules[0].notes == (
        "1 of 101 jobs are that large (from 58 processors): more than 0.100%, not rare",
    )
    assert reasons(table, "large(rare=0.01)", processors=64) == {101: "very large and rare"}


def test_jobs_larger_than_the_machine_are_not_large():
    table = jobs(*[{}] * 4000, {"allocated_processors": 65})
    assert reasons(table, "large", processors=64) == {}


def test_jobs_of_no_length_go_if_asked_for():
    table = jobs({}, {"run": 0}, {})
    assert reasons(table) == {}
    assert reasons(table, *DEFAULT_RULES, "zero") == {2: "run time 0"}


def test_jobs_named_by_hand_go():
    table = jobs({"user": 60}, {"user": 60}, {"user": 61}, {"user": 60, "queue": 4})
    assert list(reasons(table, "chosen(user=60, first_job=2, last_job=4)")) == [2, 4]
    assert list(reasons(table, "chosen(last_job=2)", "chosen(queue=4)")) == [1, 2, 4]
    assert list(reasons(table, "chosen(submit_until=60)")) == [1]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("flurry", 'unknown rule "flurry"; did you mean "flurries"?'),
        ("flurries(factor=0)", "factor must be a number from 1 to 1e+06, not 0"),
        ("flurries(share=30)", "share must be a number from 0 to 1, not 30"),
        ("flurries(place=2.5)", "place must be a whole number"),
        ("flurries(fraction=2)", "flurries takes factor, share, jobs and place, not fraction"),
        ("impossible(longest_days=many)", "longest_days must be a number"),
        ("chosen", "needs a condition"),
        ("chosen(user=feit)", "conditions are numbers, not 'feit'"),
        ("large(share=0.5", "the closing bracket is missing"),
        ("no.such.module:Rule", "there is no module"),
        ("collections:Counter", "is not a schedlab.CleaningRule"),
    ],
)
def test_wrong_rules_are_refused(rule, message):
    with pytest.raises(sl.InputError) as error:
        sl.clean(jobs({}), [rule])
    assert message in str(error.value)
