"""What the machine is: groups of equal nodes, each node with amounts of any resource types."""

from schedlab.system.definition import Group, System
from schedlab.system.load import load_system

__all__ = ["Group", "System", "load_system"]
