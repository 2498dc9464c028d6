"""The measured script, as a user would write it: TRACE SYSTEM SCHEDULER OUT."""

import sys

import schedlab

trace, system, scheduler, out = sys.argv[1:]
schedlab.simulate(trace, system=system, scheduler=scheduler, allocator="first-fit", out=out)
