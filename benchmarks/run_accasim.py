"""The peer, AccaSim 1.1.3 with its own output off: TRACE SYSTEM fifo|reject.

Anything it still writes goes into the current folder.
"""

import collections
import collections.abc
import os
import sys

collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]  # gone since 3.10

from accasim.base.allocator_class import FirstFit  # noqa: E402
from accasim.base.scheduler_class import FirstInFirstOut, JobVerification  # noqa: E402
from accasim.base.simulator_class import Simulator  # noqa: E402

trace, system, kind = sys.argv[1:]
checks = {"fifo": {}, "reject": {"job_check": JobVerification.REJECT}}
simulator = Simulator(
    trace,
    system,
    FirstInFirstOut(FirstFit(), **checks[kind]),
    scheduling_output=False,
    statistics_output=False,
    show_statistics=False,
    RESULTS_FOLDER_PATH=os.getcwd(),
)
simulator.start_simulation()
