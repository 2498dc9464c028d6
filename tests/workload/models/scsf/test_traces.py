"""Models of real logs: as near to them as the paper's is to Edison's."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.workload.models.scsf import WorkloadModel

LIMITS = {"interarrival": 0.02, "requested": 0.02, "cores": 0.02, "run": 0.05}


@pytest.mark.parametrize("name", ["HPC2N-2002-2.2-cln", "SDSC-BLUE-2000-4.2-cln"])
@pytest.mark.parametrize("joint", ["independent", "jobs"])
def test_distances(trace, name, joint):
    model = WorkloadModel.fit(trace(f"{name}.swf.gz"), joint=joint)
    table = model.generate("alpha", jobs=model.variables["cores"].total).table()
    drawn = {
        "interarrival": np.diff(table["submit"].to_numpy()),
        "requested": table["requested_time"].to_numpy(),
        "cores": table["requested_processors"].to_numpy(),
        "run": table["run"].to_numpy(),
    }
    for variable, limit in LIMITS.items():
        assert model.variables[variable].distance(drawn[variable]) <= limit, variable
    over = float((table["run"] > table["requested_time"]).mean())
    assert over < 0.005 if joint == "independent" else over == pytest.approx(0.085, abs=0.02)
