"""A run as a value: what determines it, from arguments, command lines and files, and back."""

from schedlab.simulation.spec.value import RunSpec, Unnamed

__all__ = ["RunSpec", "Unnamed"]
