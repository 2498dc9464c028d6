"""Constants of a processor from measurements: how tasks contend for memory, and what it draws."""

from __future__ import annotations

from schedlab.fitting.contention import ContentionFit, Estimate, fit_contention
from schedlab.fitting.measured import Measured, read_measured
from schedlab.fitting.power import PowerFit, fit_power
from schedlab.fitting.processor import ProcessorFit, fit_processor

__all__ = [
    "ContentionFit",
    "Estimate",
    "Measured",
    "PowerFit",
    "ProcessorFit",
    "fit_contention",
    "fit_power",
    "fit_processor",
    "read_measured",
]
