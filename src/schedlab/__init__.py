"""A laboratory for HPC job scheduling: describe a machine, a workload and a dispatcher; simulate.

    import schedlab as sl
    result = sl.simulate("trace.swf.gz", system="machine.toml", scheduler="easy")
    print(result.summary)

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.analysis.plots import Plot, plot
    from schedlab.dispatch import (
        Allocator,
        BestFit,
        Blocking,
        Conservative,
        Easy,
        FirstFit,
        Greedy,
        Order,
        RandomFit,
        Reject,
        Scheduler,
        WorstFit,
    )
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.decisions import RejectJob, StartJob, WakeAt
    from schedlab.dispatch.estimators import Estimator
    from schedlab.errors import InputError, SchedlabError, SimulationError
    from schedlab.experiment import Comparison, Experiment
    from schedlab.results import Result, compare_schedules
    from schedlab.simulation import Simulation, resume, simulate
    from schedlab.system import Group, System, load_system
    from schedlab.system.queues import Queue
    from schedlab.system.windows import Window
    from schedlab.workload import Job, Reader, read_swf, write_swf

__all__ = [
    "AdditionalData",
    "Allocator",
    "BestFit",
    "Blocking",
    "Comparison",
    "Conservative",
    "Easy",
    "Estimator",
    "Experiment",
    "FirstFit",
    "Greedy",
    "Group",
    "InputError",
    "Job",
    "Order",
    "Plot",
    "Queue",
    "RandomFit",
    "Reader",
    "Reject",
    "RejectJob",
    "Result",
    "SchedlabError",
    "Scheduler",
    "Simulation",
    "SimulationError",
    "StartJob",
    "System",
    "WakeAt",
    "Window",
    "WorstFit",
    "compare_schedules",
    "load_system",
    "plot",
    "read_swf",
    "resume",
    "simulate",
    "write_swf",
]

_HOMES = {
    "analysis.plots": ("Plot", "plot"),
    "dispatch": (
        "Allocator",
        "BestFit",
        "Blocking",
        "Conservative",
        "Easy",
        "FirstFit",
        "Greedy",
        "Order",
        "RandomFit",
        "Reject",
        "Scheduler",
        "WorstFit",
    ),
    "dispatch.additional_data": ("AdditionalData",),
    "dispatch.decisions": ("RejectJob", "StartJob", "WakeAt"),
    "dispatch.estimators": ("Estimator",),
    "errors": ("InputError", "SchedlabError", "SimulationError"),
    "experiment": ("Comparison", "Experiment"),
    "results": ("Result", "compare_schedules"),
    "simulation": ("Simulation", "resume", "simulate"),
    "system": ("Group", "System", "load_system"),
    "system.queues": ("Queue",),
    "system.windows": ("Window",),
    "workload": ("Job", "Reader", "read_swf", "write_swf"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(__import__(f"schedlab.{home}", fromlist=[name]), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'schedlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
