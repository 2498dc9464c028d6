"""Slurm's accounting, as `sacct -P` dumps it: read, written, and made anonymous."""

from schedlab.workload.formats.sacct.reader import SacctReader

__all__ = ["SacctReader"]
