"""`schedlab workload`: what to do with workload files; one file per command."""

from __future__ import annotations

import warnings

from schedlab.cli.declaring import Group
from schedlab.errors import LossWarning


def _begin() -> None:
    warnings.simplefilter("ignore", LossWarning)  # commands say it in their own words


WORKLOAD = Group(
    "Look at, convert, model and generate workloads.",
    {
        "inspect": "schedlab.cli.workload.inspect:inspect",
        "convert": "schedlab.cli.workload.convert:convert",
        "clean": "schedlab.cli.workload.clean:clean",
        "compare": "schedlab.cli.workload.compare:compare",
        "anonymise": "schedlab.cli.workload.anonymise:anonymise",
        "assign": "schedlab.cli.workload.assign:assign",
        "model": "schedlab.cli.workload.model:model",
        "tune": "schedlab.cli.workload.tune:tune",
        "generate": "schedlab.cli.workload:GENERATE",
    },
    example="inspect",
    begin=_begin,
)

GENERATE = Group(
    "Generate workloads from models.",
    {
        "accasim": "schedlab.cli.workload.generate_accasim:generate_accasim",
        "lublin": "schedlab.cli.workload.generate_lublin:generate_lublin",
        "plain": "schedlab.cli.workload.generate_plain:generate_plain",
        "model": "schedlab.cli.workload.generate_model:generate_model",
    },
    example="lublin",
)
