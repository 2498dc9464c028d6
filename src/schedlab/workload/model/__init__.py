"""ScSF's workload model: empirical distributions of a log, and workloads made of them.

G. P. Rodrigo, E. Elmroth, P.-O. Ostberg, L. Ramakrishnan, "ScSF: a scheduling simulation
framework", JSSPP 2017. docs/reference/workload-models.md is the page about it.
"""

from schedlab.workload.model.distribution import EmpiricalDistribution
from schedlab.workload.model.fill import Fill
from schedlab.workload.model.generating import GeneratedWorkload
from schedlab.workload.model.insertion import Insertion, workflows
from schedlab.workload.model.model import WorkloadModel
from schedlab.workload.model.patterns import FixedSequence, Pattern, PlainJob, WeightedChoice
from schedlab.workload.model.settings import GenerationSettings, machine_processors
from schedlab.workload.model.triggers import (
    Alarm,
    Periodic,
    RandomTrigger,
    ReprogrammableAlarm,
    ShareOfWork,
    Submitted,
    Trigger,
)

__all__ = [
    "Alarm",
    "EmpiricalDistribution",
    "Fill",
    "FixedSequence",
    "GeneratedWorkload",
    "GenerationSettings",
    "Insertion",
    "Pattern",
    "Periodic",
    "PlainJob",
    "RandomTrigger",
    "ReprogrammableAlarm",
    "ShareOfWork",
    "Submitted",
    "Trigger",
    "WeightedChoice",
    "WorkloadModel",
    "machine_processors",
    "workflows",
]
