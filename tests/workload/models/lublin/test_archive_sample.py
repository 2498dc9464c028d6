"""The archive program's sample for 256 processors: which parameters it has, and what differs."""

from __future__ import annotations

import numpy
import polars
import pytest
from workload.distances import distance

from schedlab.workload.models.lublin import ALL, LublinFeitelson
from schedlab.workload.models.lublin.model import slot_weights
from schedlab.workload.swf import read_swf

JOBS = 10_000
CHANCE = 0.0195  # what two samples of one distribution exceed once in a thousand, at 10,000 jobs


@pytest.fixture(scope="module")
def sample(trace):
    rows = list(read_swf(trace("lublin_256.swf.gz")))
    return polars.DataFrame(
        {name: [getattr(row, name) for row in rows] for name in ("submit", "run", "queue")}
        | {"size": [row.allocated_processors for row in rows]}
    )


@pytest.fixture(scope="module")
def drawn():
    """Returns a large sample of each type, so that the archive's is the only small one."""
    return {
        name: polars.concat(LublinFeitelson(256, name).tables(500_000, "archive"))
        for name in ("all", "batch", "interactive", "both")
    }


def gaps(submit):
    return numpy.diff(submit.to_numpy())


def test_sizes_run_times_and_gaps_are_those_of_type_all(sample, drawn):
    table = drawn["all"]
    assert sample.height == JOBS
    # The distances are stated in docs/reference/lublin-feitelson.md.
    assert distance(sample["size"], table["allocated_processors"]) < 0.0135
    assert distance(sample["run"], table["run"]) < 0.008
    assert distance(gaps(sample["submit"]), gaps(table["submit"])) < 0.010
    for size in (1, 8, 32):  # run times within one size, too
        one = sample.filter(polars.col("size") == size)["run"]
        other = table.filter(polars.col("allocated_processors") == size)["run"]
        assert distance(one, other) < 1.95 / len(one) ** 0.5


@pytest.mark.parametrize("name", ["batch", "interactive", "both"])
def test_no_other_type_fits(sample, drawn, name):
    table = drawn[name]
    assert distance(sample["size"], table["allocated_processors"]) > 2 * CHANCE
    assert distance(sample["run"], table["run"]) > 2 * CHANCE
    assert distance(gaps(sample["submit"]), gaps(table["submit"])) > 2 * CHANCE


def test_its_medium_size_is_2_to_the_5_and_a_half(sample):
    # UMED = UHI - 2.5 as for 128 processors; the constant itself, 4.5, does not fit.
    other = polars.concat(LublinFeitelson(256, size_medium=4.5).tables(100_000, 1))
    assert distance(sample["size"], other["allocated_processors"]) > 5 * CHANCE


def test_its_jobs_fall_behind_the_hours_by_half_a_second_each(sample):
    # The program drops the fraction of a second of every gap. So the later jobs come too early,
    # and the hours of the sample are most likely after adding half a second for each job.
    weights = numpy.log(slot_weights(ALL))
    submit, numbers = sample["submit"].to_numpy(), numpy.arange(1, JOBS + 1)

    def likelihood(seconds):
        return weights[((submit + seconds * numbers) % 86_400 // 1800).astype(int)].sum()

    by_seconds = {seconds: likelihood(seconds) for seconds in (-0.5, 0.0, 0.25, 0.5, 0.75, 1.0)}
    assert max(by_seconds, key=by_seconds.get) == 0.5
    assert by_seconds[0.5] - by_seconds[0.0] > 50


def test_its_hours_are_as_far_off_as_the_programs(sample, drawn):
    hours = drawn["all"]["submit"].to_numpy()[:100_000] % 86_400
    off = distance(sample["submit"].to_numpy() % 86_400, hours)
    exact, dropped = (
        sorted(
            distance(next(model.tables(JOBS, seed))["submit"].to_numpy() % 86_400, hours)
            for seed in range(20)
        )
        for model in (LublinFeitelson(256), LublinFeitelson(256, drops_fractions=True))
    )
    assert dropped[2] < off < dropped[-3]  # within the middle of 20 samples
    assert exact[-3] < off
