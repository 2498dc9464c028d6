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
    from schedlab.conditions import (
        Conditions,
        Failures,
        FailureTrace,
        PowerCap,
        Resubmission,
        Series,
        SwitchOff,
        Thermal,
        load_conditions,
    )
    from schedlab.dispatch import (
        Allocator,
        BestFit,
        Blocking,
        ByScore,
        Conservative,
        Contiguous,
        DualEnd,
        Easy,
        FirstFit,
        Greedy,
        Order,
        RandomFit,
        Reject,
        RoundRobin,
        Scheduler,
        WorstFit,
    )
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.decisions import (
        CancelJob,
        PowerDown,
        PowerUp,
        RejectJob,
        RequeueJob,
        SetClock,
        StartJob,
        WakeAt,
    )
    from schedlab.dispatch.estimators import Estimator
    from schedlab.errors import InputError, SchedlabError, SimulationError, UntrustedCodeError
    from schedlab.experiment import Comparison, Experiment
    from schedlab.generation import WorkloadGenerator
    from schedlab.likeness import Likeness, compare_workloads
    from schedlab.report import write_report
    from schedlab.results import Result, compare_schedules
    from schedlab.simulation import (
        ApplicationRun,
        RunSpec,
        Simulation,
        resume,
        run_application,
        simulate,
    )
    from schedlab.system import Group, Partition, System, load_system
    from schedlab.system.preemption import Preemption
    from schedlab.system.queues import Queue
    from schedlab.system.windows import Window
    from schedlab.workload import Job, Reader, read_swf, write_swf
    from schedlab.workload.cleaning import CleaningRule, Finding, clean
    from schedlab.workload.distributions import Distribution, distribution
    from schedlab.workload.formats import open_reader, write_tables
    from schedlab.workload.formats.tables.frame import FrameReader
    from schedlab.workload.models.lublin import LublinFeitelson
    from schedlab.workload.models.plain import PlainWorkload
    from schedlab.workload.models.scsf import WorkloadModel
    from schedlab.workload.workflow import Workflow
    from schedlab.workload.writer import Writer

__all__ = [
    "AdditionalData",
    "Allocator",
    "ApplicationRun",
    "BestFit",
    "Blocking",
    "ByScore",
    "CancelJob",
    "CleaningRule",
    "Comparison",
    "Conditions",
    "Conservative",
    "Contiguous",
    "Distribution",
    "DualEnd",
    "Easy",
    "Estimator",
    "Experiment",
    "FailureTrace",
    "Failures",
    "Finding",
    "FirstFit",
    "FrameReader",
    "Greedy",
    "Group",
    "InputError",
    "Job",
    "Likeness",
    "LublinFeitelson",
    "Order",
    "Partition",
    "PlainWorkload",
    "Plot",
    "PowerCap",
    "PowerDown",
    "PowerUp",
    "Preemption",
    "Queue",
    "RandomFit",
    "Reader",
    "Reject",
    "RejectJob",
    "RequeueJob",
    "Resubmission",
    "Result",
    "RoundRobin",
    "RunSpec",
    "SchedlabError",
    "Scheduler",
    "Series",
    "SetClock",
    "Simulation",
    "SimulationError",
    "StartJob",
    "SwitchOff",
    "System",
    "Thermal",
    "UntrustedCodeError",
    "WakeAt",
    "Window",
    "Workflow",
    "WorkloadGenerator",
    "WorkloadModel",
    "WorstFit",
    "Writer",
    "clean",
    "compare_schedules",
    "compare_workloads",
    "distribution",
    "load_conditions",
    "load_system",
    "open_reader",
    "plot",
    "read_swf",
    "resume",
    "run_application",
    "simulate",
    "write_report",
    "write_swf",
    "write_tables",
]

_HOMES = {
    "analysis.plots": ("Plot", "plot"),
    "conditions": (
        "Conditions",
        "FailureTrace",
        "Failures",
        "PowerCap",
        "Resubmission",
        "Series",
        "SwitchOff",
        "Thermal",
        "load_conditions",
    ),
    "dispatch": (
        "Allocator",
        "BestFit",
        "Blocking",
        "ByScore",
        "Conservative",
        "Contiguous",
        "DualEnd",
        "Easy",
        "FirstFit",
        "Greedy",
        "Order",
        "RandomFit",
        "Reject",
        "RoundRobin",
        "Scheduler",
        "WorstFit",
    ),
    "dispatch.additional_data": ("AdditionalData",),
    "dispatch.decisions": (
        *("CancelJob", "PowerDown", "PowerUp", "RejectJob", "RequeueJob"),
        *("SetClock", "StartJob", "WakeAt"),
    ),
    "dispatch.estimators": ("Estimator",),
    "errors": ("InputError", "SchedlabError", "SimulationError", "UntrustedCodeError"),
    "experiment": ("Comparison", "Experiment"),
    "generation": ("WorkloadGenerator",),
    "likeness": ("Likeness", "compare_workloads"),
    "report": ("write_report",),
    "results": ("Result", "compare_schedules"),
    "simulation": (
        "ApplicationRun",
        "RunSpec",
        "Simulation",
        "resume",
        "run_application",
        "simulate",
    ),
    "system": ("Group", "Partition", "System", "load_system"),
    "system.preemption": ("Preemption",),
    "system.queues": ("Queue",),
    "system.windows": ("Window",),
    "workload": ("Job", "Reader", "read_swf", "write_swf"),
    "workload.cleaning": ("CleaningRule", "Finding", "clean"),
    "workload.distributions": ("Distribution", "distribution"),
    "workload.models.lublin": ("LublinFeitelson",),
    "workload.models.scsf": ("WorkloadModel",),
    "workload.models.plain": ("PlainWorkload",),
    "workload.formats": ("open_reader", "write_tables"),
    "workload.formats.tables.frame": ("FrameReader",),
    "workload.workflow": ("Workflow",),
    "workload.writer": ("Writer",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(__import__(f"schedlab.{home}", fromlist=[name]), name)
            globals()[name] = value
            return value
    import sys

    text = f"module 'schedlab' has no attribute {name!r}"
    # With these, Python asks whether another name was meant, where it prints the error.
    raise AttributeError(text, name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
