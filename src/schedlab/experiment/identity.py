"""The identity of a run: the key by which an experiment knows that it is done."""

from __future__ import annotations

from schedlab.experiment import parts
from schedlab.experiment.arguments import shared_of
from schedlab.experiment.plan import key_of
from schedlab.options import DEFAULTS
from schedlab.simulation import RunSpec


def identity_of(spec: RunSpec, jobs: str = "parquet", timeline: str = "parquet") -> str | None:
    """Returns the checksum of all that determines a run: of what its files hold, not their names.

    Args:
        spec: The run.
        jobs: The format in which an experiment keeps its table of jobs.
        timeline: Likewise.

    Returns:
        The key that an experiment gives to the run; None where it cannot be known, as for an object
        whose source cannot be read.

    Raises:
        InputError: Something of the run is missing or wrong.
    """
    given = spec.arguments()
    reader, seed = given.pop("reader", None), given.pop("seed", DEFAULTS["seed"])
    found = {
        "workload": parts.workload_part(given.pop("workload"), reader),
        "system": parts.system_part(given.pop("system")),
        "scheduler": parts.scheduler_part(spec.scheduler),
        "allocator": parts.allocator_part(spec.allocator),
    }
    others = {name: it for name, it in given.items() if name not in found}
    shared = shared_of(others, reader, {"jobs": jobs, "timeline": timeline}, trust_code=False)
    return key_of({**found, **shared.parts}, shared, seed)
