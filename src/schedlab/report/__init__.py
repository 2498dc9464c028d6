"""One page about an experiment or some runs: what was run, the numbers, the figures."""

from __future__ import annotations

from schedlab.report.page import write_report

__all__ = ["write_report"]
