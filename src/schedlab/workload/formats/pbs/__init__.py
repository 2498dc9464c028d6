"""Accounting logs of Torque, PBS Pro and OpenPBS, and event files of Moab."""

from schedlab.workload.formats.pbs.reader import PbsReader

__all__ = ["PbsReader"]
