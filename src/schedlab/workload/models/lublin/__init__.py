"""The workload model of Lublin and Feitelson (2003): rigid jobs without a log.

Uri Lublin and Dror G. Feitelson, "The workload on parallel supercomputers: modeling the
characteristics of rigid jobs", Journal of Parallel and Distributed Computing 63(11), 2003. The
numbers are those of the authors' program m_lublin99.c of the Parallel Workloads Archive.
"""

from __future__ import annotations

from schedlab.workload.models.lublin.model import LublinFeitelson
from schedlab.workload.models.lublin.parameters import (
    ALL,
    BATCH_JOBS,
    INTERACTIVE,
    TYPES,
    Parameters,
)

__all__ = ["ALL", "BATCH_JOBS", "INTERACTIVE", "TYPES", "LublinFeitelson", "Parameters"]
