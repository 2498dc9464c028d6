"""Cleaning: which jobs of a log do not belong in a workload, and why."""

from __future__ import annotations

from schedlab.workload.cleaning.cleaning import DEFAULT_RULES, RULES, Cleaning, clean, refuse_log
from schedlab.workload.cleaning.rule import CleaningRule, Finding, Log

__all__ = [
    "DEFAULT_RULES",
    "RULES",
    "Cleaning",
    "CleaningRule",
    "Finding",
    "Log",
    "clean",
    "refuse_log",
]
