"""The parts of `schedlab.WorkloadGenerator`, after AccaSim (2020), section 7.3."""

from schedlab.workload.models.accasim.generator_parts import (
    Duration,
    Part,
    Request,
    RequestedTime,
    Size,
    Submission,
    Users,
    Work,
)
from schedlab.workload.models.accasim.paper_submission import PaperSlotWeights
from schedlab.workload.models.accasim.people import AccuracyOfData, UsersOfData
from schedlab.workload.models.accasim.request import UniformRequest
from schedlab.workload.models.accasim.size import EmpiricalSize, LublinSize, SizeOfWork
from schedlab.workload.models.accasim.submission import SlotWeights
from schedlab.workload.models.accasim.work import EmpiricalWork, FlopsDuration

__all__ = [
    "AccuracyOfData",
    "Duration",
    "EmpiricalSize",
    "EmpiricalWork",
    "FlopsDuration",
    "LublinSize",
    "PaperSlotWeights",
    "Part",
    "Request",
    "RequestedTime",
    "Size",
    "SizeOfWork",
    "SlotWeights",
    "Submission",
    "UniformRequest",
    "Users",
    "UsersOfData",
    "Work",
]
