"""Orders, estimators and additional data that answer with what is not an answer."""

from __future__ import annotations

import math

import pytest
from dispatch.misbehaviour import jobs, refused
from dispatch.policies import FOUR

from schedlab import (
    AdditionalData,
    Easy,
    Estimator,
    InputError,
    Job,
    Order,
    Simulation,
    SimulationError,
)


@pytest.mark.parametrize("value", [None, "x", "5", [], {}, object(), 1j])
def test_an_order_must_give_a_number(value):
    for fixed in (False, True):
        message = r"order.*(job 1|number).*"
        error = refused(Easy(order=Order(lambda job: value, fixed)), message, error=Exception)
        assert isinstance(error, SimulationError)


@pytest.mark.parametrize("value", [math.nan, None, pytest.param(10**400, id="huge")])
def test_the_error_of_an_order_names_job_and_time(value):
    workload = [Job(1, 0, 50, 4), Job(2, 7, 10)]
    order = Order(lambda job: 0 if job.id == 1 else value)
    refused(Easy(order=order), r"order.*job 2 at 7\.0+ s", workload)


@pytest.mark.parametrize("value", [math.inf, -math.inf, -0.0, 1e308, True, 2**63])
def test_extreme_keys_are_keys(value):
    simulation = Simulation(jobs(), system=FOUR, scheduler=Easy(order=lambda job: value))
    simulation.run()
    assert simulation.counts["completed"] == 4


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "must give a number, not None"),
        ("x", "must give a number, not 'x'"),
        ("5", "must give a number, not '5'"),
        ([5], r"must give a number, not \[5\]"),
        (math.nan, "the estimate of job 1 is nan s; it must be from 0 to 126 years"),
        (math.inf, "the estimate of job 1 is inf"),
        (-1, "the estimate of job 1 is -1"),
        (-1e-12, "the estimate of job 1"),
        (1e300, "the estimate of job 1"),
        pytest.param(10**400, "too large", id="huge"),
    ],
)
def test_estimates_that_are_none(value, message):
    class Wrong(Estimator):
        def estimate(self, job):
            return value

    refused("easy", r"Wrong\.estimate\(\) at 0\.0+ s: .*" + message, estimate=Wrong())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "must return a dict, not None"),
        (7, "must return a dict, not 7"),
        ([("load", 1)], "must return a dict"),
        ({"other": 1}, '"other" is not one of the names that it publishes'),
        ({1: 1}, '"1" is not one of the names'),
        ({None: 1}, '"None" is not one of the names'),
        ({"load": None}, "load must give a number, not None"),
        ({"load": "x"}, "load must give a number, not 'x'"),
        ({"load": "5"}, "load must give a number, not '5'"),
        ({"load": {1: 1}}, "load must give a number"),
        ({"load": 10**400}, "load .* is too large"),
        ({"usage": 1}, "usage must be a dict, not 1"),
        ({"usage": [1]}, "usage must be a dict"),
        ({"usage": {"x": 1}}, "usage: keys must be whole numbers"),
        ({"usage": {1.5: 1}}, "usage: keys must be whole numbers"),
        ({"usage": {2**64: 1}}, "usage: keys must be whole numbers"),
        ({"usage": {1: None}}, "usage must give a number"),
        ({"usage": {1: "x"}}, "usage must give a number"),
    ],
)
def test_data_that_is_none(value, message):
    class Wrong(AdditionalData):
        publishes = ("load",)
        publishes_tables = ("usage",)

        def update(self, state):
            return value

    refused("fifo", r"Wrong\.update\(\) at 0\.0+ s: .*" + message, data=[Wrong()])


def test_a_number_that_is_none_stops_the_expression_that_reads_it():
    class Wrong(AdditionalData):
        publishes = ("load",)

        def update(self, state):
            return {"load": math.nan}

    refused("score:data.load * id", r'"data.load \* id".*job 1 at 0\.0+ s', data=[Wrong()])


class Fine(AdditionalData):
    publishes = ("load",)

    def update(self, state):
        return {"load": 1}


def changed(**attributes):
    return type("Changed", (Fine,), attributes)()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Fine(), "data"),
        ([object()], "data.*object"),
        ([Fine], "data"),
        ([None], "data"),
        ("fifo", "data"),
        ([changed(publishes="load")], "publishes"),
        ([changed(publishes=(1,))], "publishes"),
        ([changed(publishes=None)], "publishes"),
        ([changed(publishes=("a b",))], "publishes|name"),
        ([changed(publishes_tables="load")], "publishes"),
        ([Fine(), Fine()], "load"),
        ([changed(publishes_tables=("load",))], "load"),
        ([changed(every=0)], "every"),
        ([changed(every=-1)], "every"),
        ([changed(every=math.nan)], "every"),
        ([changed(every="x")], "every"),
        ([changed(when="afterwards")], "when.*before.*after"),
        ([changed(when=None)], "when"),
    ],
)
def test_data_that_is_declared_wrongly(data, message):
    """Bad input fails when it is read, with an error of the package that says what is wrong."""
    with pytest.raises(InputError, match=message):
        Simulation(jobs(), system=FOUR, data=data)
