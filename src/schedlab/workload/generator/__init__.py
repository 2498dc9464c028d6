"""The parts of `schedlab.WorkloadGenerator`, after AccaSim (2020), section 7.3."""

from schedlab.workload.generator.paper_submission import PaperSlotWeights
from schedlab.workload.generator.parts import (
    Duration,
    Part,
    Request,
    RequestedTime,
    Size,
    Submission,
    Users,
    Work,
)
from schedlab.workload.generator.people import AccuracyOfData, UsersOfData
from schedlab.workload.generator.request import UniformRequest
from schedlab.workload.generator.size import EmpiricalSize, LublinSize, SizeOfWork
from schedlab.workload.generator.submission import SlotWeights
from schedlab.workload.generator.work import EmpiricalWork, FlopsDuration

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
