"""The measured script, as a user would write it: TRACE SYSTEM SCHEDULER OUT [OPTION=VALUE ...]."""

import sys

import schedlab

trace, system, scheduler, out, *given = sys.argv[1:]
options = {}
for text in given:
    name, _, value = text.partition("=")
    options[name] = int(value) if value.isdigit() else value
schedlab.simulate(
    trace, system=system, scheduler=scheduler, allocator="first-fit", out=out, force=True, **options
)
