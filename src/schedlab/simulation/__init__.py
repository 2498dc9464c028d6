"""A workload, a system and a dispatcher, simulated: all at once, step by step, or from a file."""

from schedlab.simulation.core import Simulation
from schedlab.simulation.runs import resume, simulate

__all__ = ["Simulation", "resume", "simulate"]
