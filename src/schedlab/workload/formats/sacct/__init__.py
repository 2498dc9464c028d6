"""Slurm's accounting, as `sacct -P` dumps it: read, written, and made anonymous."""
