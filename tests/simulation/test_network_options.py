"""Options of applications on networks are errors where they would change nothing."""

from __future__ import annotations

import pytest

import schedlab as sl
from schedlab.errors import InputError
from schedlab.options import DEFAULTS, NETWORK

JOBS = [sl.Job(id=1, submit=0, run=10, processors=1)]
PLAIN = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
OTHERS = {
    "fidelity": "packet",
    "accuracy": 0.02,
    "mapping": "cyclic",
    "alone": True,
    "application_errors": "fail",
}
"""A value of each option that is not its default."""


@pytest.mark.parametrize("name", NETWORK)
def test_machines_without_a_network_refuse_them(name: str) -> None:
    assert OTHERS[name] != DEFAULTS[name]
    with pytest.raises(InputError, match=f"^{name}: the system has no network"):
        sl.simulate(JOBS, system=PLAIN, **{name: OTHERS[name]})


def test_passing_over_applications_needs_no_network() -> None:
    assert sl.simulate(JOBS, system=PLAIN, fidelity="none").run["options"]["fidelity"] == "none"


@pytest.mark.parametrize("fidelity", ["analytic", "packet", "phase", "none"])
def test_accuracy_is_of_the_fluid_level(fidelity: str) -> None:
    with pytest.raises(InputError, match=f"^accuracy: is of fidelity fluid alone.*{fidelity}"):
        sl.simulate(JOBS, system="cielo", fidelity=fidelity, accuracy=0.02)
    assert sl.simulate(JOBS, system="cielo", accuracy=0.02).run["options"]["accuracy"] == 0.02
