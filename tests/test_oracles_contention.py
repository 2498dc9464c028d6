"""The formulas of contention and power say what the paper's figures, tables and text say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import contention
from oracles.contention import I5_7500, I5_7500_CLOCK, I5_7500_POWER, NPB, Constants
from oracles.platform_cases import constants

RATES = st.floats(0, 60_000)


def own_rate(name: str, clock: float = I5_7500_CLOCK) -> float:
    instructions, ipc, volume = NPB[name]
    return volume / contention.time_alone(instructions, ipc, clock * 1e9)


def four_copies(name: str, k: float) -> float:
    rate = own_rate(name)
    return contention.speed(I5_7500._replace(k=k), rate, 4 * rate, 3)


@st.composite
def sockets(draw):
    """Returns constants, and how many other tasks their processor has room for."""
    cores = draw(st.integers(1, 16))
    return Constants(*draw(constants(cores))), draw(st.integers(0, cores - 1))


def test_own_rates_of_the_paper_s_jobs():
    rates = {name: round(own_rate(name)) for name in NPB}
    assert rates == {
        **{"bt": 8491, "cg": 45269, "ep": 1023, "is": 3516},
        **{"lu": 17576, "sp": 25115, "ua": 10808},
    }


def test_four_copies_of_one_job():
    speeds = {name: round(four_copies(name, k=1), 3) for name in NPB}
    assert speeds == {
        **{"bt": 0.964, "cg": 0.250, "ep": 1, "is": 1},
        **{"lu": 0.476, "sp": 0.283, "ua": 0.792},
    }


def test_four_copies_as_the_public_code_has_them():
    slowdowns = {name: round(1 / four_copies(name, k=0.6), 2) for name in ("cg", "lu", "sp")}
    assert slowdowns == {"cg": 2.80, "lu": 1.82, "sp": 2.59}


def test_figure_3():
    """A plateau at 1 and, with three others, a minimum of a quarter."""
    assert contention.speed(I5_7500, 5000, 31_999, 3) == 1
    assert contention.speed(I5_7500, 45_000, 200_000, 3) == 0.25


@pytest.mark.parametrize(("x", "value"), [(-1, 0), (0, 0), (0.5, 0.5), (1, 1), (2, 1)])
def test_smooth_step(x, value):
    assert contention.smooth_step(x) == value


@given(st.floats(0, 1))
def test_the_smooth_step_is_symmetric_and_rises(x):
    step = contention.smooth_step
    assert step(x) + step(1 - x) == pytest.approx(1, abs=1e-12)
    assert step(x) <= step(min(1, x + 0.01)) + 1e-12


def test_the_printed_formulas_are_slips():
    """Each of them contradicts the text or the figure; see the module."""
    x = 1
    assert 6 * x**5 + 15 * x**4 - 10 * x**3 == 11  # equation 4 is not a step
    rising = (contention.smooth_step(0) * 3 + 1) / (1 + 3)
    assert rising == 0.25  # equation 3 would slow those that hardly use the memory, and
    assert (contention.smooth_step(1) * 3 + 1) / (1 + 3) == 1  # spare those that do
    floor = contention.floor(I5_7500, 20_000, 3)
    printed = floor + I5_7500.b * I5_7500.c - 1
    assert printed < 1  # the end of the slope in MB/s; c is 32,000
    end = I5_7500.c + (floor - 1) / I5_7500.b
    assert contention.speed(I5_7500, 20_000, end * 1.01, 3) == floor
    assert contention.speed(I5_7500, 20_000, end * 0.99, 3) > floor


@given(sockets(), RATES, st.floats(0, 1))
def test_1_without_contention(socket, rate, share):
    processor, others = socket
    below = share * processor.c * (1 - 1e-9)
    assert contention.speed(processor, rate, below, others) == 1
    assert contention.speed(processor, rate, 1e9, 0) == 1  # alone
    assert contention.speed(None, rate, 1e9, others) == 1


@given(sockets(), RATES, RATES)
def test_never_below_the_least_floor(socket, rate, total):
    processor, others = socket
    speed = contention.speed(processor, rate, rate + total, others)
    assert 1 / (1 + processor.k * others) - 1e-12 <= speed <= 1
    assert speed >= contention.floor(processor, rate, others)


@given(sockets(), RATES, st.floats(0, 300_000), st.floats(0, 10))
def test_continuous_and_falling_in_the_total_rate(socket, rate, total, more):
    processor, others = socket
    now = contention.speed(processor, rate, total, others)
    then = contention.speed(processor, rate, total + more, others)
    assert now + processor.b * more - 1e-12 <= then <= now


@given(sockets(), RATES, st.floats(0, 10))
def test_the_floor_is_continuous_and_falls_in_the_own_rate(socket, rate, more):
    processor, others = socket
    now = contention.floor(processor, rate, others)
    then = contention.floor(processor, rate + more, others)
    steepest = 1.875 / (processor.dc - others * processor.dd)  # of the smooth step, at 1/2
    assert now - steepest * more - 1e-12 <= then <= now + 1e-12


def test_the_constants_hold_for_four_cores_only():
    assert I5_7500.dc - 15 * I5_7500.dd == 0
    assert contention.floor(I5_7500, 0, 7) == pytest.approx(0.20, abs=0.005)
    assert contention.floor(I5_7500, 0, 3) >= 0.95


def test_power_of_the_paper_s_cluster():
    core, shared = I5_7500_POWER[3.4]
    assert 15 * contention.power(4, core, shared, 0.05 * shared) == pytest.approx(452.25)
    assert contention.power(0, core, shared, 0.05 * shared) == pytest.approx(0.2795)
