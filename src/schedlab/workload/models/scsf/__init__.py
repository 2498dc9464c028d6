"""ScSF's workload model: empirical distributions of a log, and workloads made of them.

G. P. Rodrigo, E. Elmroth, P.-O. Ostberg, L. Ramakrishnan, "ScSF: a scheduling simulation
framework", JSSPP 2017. docs/reference/workload-models.md is the page about it.
"""

from schedlab.workload.models.scsf.distribution import EmpiricalDistribution
from schedlab.workload.models.scsf.fill import Fill
from schedlab.workload.models.scsf.generating import GeneratedWorkload
from schedlab.workload.models.scsf.insertion import Insertion, workflows
from schedlab.workload.models.scsf.model import WorkloadModel
from schedlab.workload.models.scsf.patterns import FixedSequence, Pattern, PlainJob, WeightedChoice
from schedlab.workload.models.scsf.settings import GenerationSettings, machine_processors
from schedlab.workload.models.scsf.triggers import (
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
