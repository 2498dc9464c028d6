"""Applications: what the ranks of a job do, as programs in Python, by name.

A program is a generator function. Each operation is yielded, and the engine does it on the nodes
and the network of the job (docs/reference/applications.md).
"""

from __future__ import annotations

from schedlab.application.application import Application
from schedlab.application.cartesian import Cartesian, cartesian, dims_create
from schedlab.application.marks import checked, iterative
from schedlab.application.reductions import REDUCTIONS, reduction
from schedlab.application.repository import APPLICATIONS, load

__all__ = [
    "APPLICATIONS",
    "REDUCTIONS",
    "Application",
    "Cartesian",
    "cartesian",
    "checked",
    "dims_create",
    "iterative",
    "load",
    "reduction",
]
